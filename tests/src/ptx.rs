//! The parts of a PTX text, as far as tests of it need them: its
//! entries, and the instructions of each.
//!
//! A reader of text that our builder emitted, not of PTX at large: one
//! instruction or declaration a line, a closing brace of an entry at the start
//! of its line.

/// One `.entry` of a PTX text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    /// The name by which a driver finds it.
    pub name: &'a str,
    /// Between its braces.
    pub body: &'a str,
}

/// All entries, in the order of the text.
pub fn entries(text: &str) -> Vec<Entry<'_>> {
    text.match_indices(".entry ")
        .filter_map(|(at, keyword)| {
            let rest = &text[at + keyword.len()..];
            let name = rest.split(['(', ' ', '\n']).next()?;
            let open = rest.find("\n{")?;
            let close = open + rest[open..].find("\n}")?;
            Some(Entry {
                name,
                body: &rest[open + 2..close],
            })
        })
        .collect()
}

impl<'a> Entry<'a> {
    /// The instructions with their operands and semicolons; no labels,
    /// declarations, comments and predicates.
    pub fn instructions(&self) -> impl Iterator<Item = &'a str> {
        self.body
            .lines()
            .map(|line| line.split("//").next().unwrap_or(line).trim())
            // The last instruction of inline assembly with registers of its own.
            .map(|line| line.strip_suffix(" }").unwrap_or(line))
            .filter(|line| line.ends_with(';') && !line.starts_with('.'))
            .map(|line| match line.strip_prefix('@') {
                Some(predicated) => predicated
                    .split_once(char::is_whitespace)
                    .map_or("", |(_, instruction)| instruction.trim_start()),
                None => line,
            })
    }

    /// Opcodes with all their suffixes: `ld.shared.u32`.
    pub fn opcodes(&self) -> impl Iterator<Item = &'a str> {
        self.instructions().map(|instruction| {
            instruction
                .split([' ', '\t', ';'])
                .next()
                .unwrap_or(instruction)
        })
    }

    /// Opcodes that start with these dotted words: `ld.shared` finds
    /// `ld.shared.u32` and not `ld.sharedness`.
    pub fn count(&self, opcode: &str) -> usize {
        self.opcodes().filter(|found| is(found, opcode)).count()
    }
}

/// Whether `found` is `opcode`, or `opcode` with more suffixes.
pub fn is(found: &str, opcode: &str) -> bool {
    found
        .strip_prefix(opcode)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
.version 7.0
.visible .entry first(
	.param .u64 first_param_0
)
{
	.reg .b32 	%r<3>;
	ld.shared.u32 	%r1, [%rd1]; // bar.sync 0;
	@%p1 bra 	$L__BB0_2;
$L__BB0_2:
	@!%p2 st.global.u32 	[%rd2], %r1;
	atom.relaxed.gpu.global.add.u64 %rd3, [address], %rd4; }
	ret;
}
.visible .entry second()
{
	bar.sync 	0;
	ret;
}
";

    #[test]
    fn entries_are_found_with_their_bodies() {
        let names: Vec<_> = entries(TEXT).iter().map(|entry| entry.name).collect();
        assert_eq!(names, ["first", "second"]);
        assert_eq!(entries(TEXT)[1].count("bar.sync"), 1);
    }

    #[test]
    fn comments_labels_declarations_and_predicates_are_no_instructions() {
        let opcodes: Vec<_> = entries(TEXT)[0].opcodes().collect();
        assert_eq!(
            opcodes,
            [
                "ld.shared.u32",
                "bra",
                "st.global.u32",
                "atom.relaxed.gpu.global.add.u64",
                "ret"
            ]
        );
    }

    #[test]
    fn an_opcode_is_compared_by_whole_words() {
        assert!(is("ld.shared.u32", "ld.shared") && is("ret", "ret"));
        assert!(!is("ld.shared_u32", "ld.shared") && !is("ld.global.u32", "ld.shared"));
    }
}
