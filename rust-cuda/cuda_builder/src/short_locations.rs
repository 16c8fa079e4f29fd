//! Debug locations in a third of the bytes.
//!
//! LLVM writes the location of an inlined instruction as a run of `.loc` with
//! `function_name` and `inlined_at`, and the functions' names as numbers, a
//! line a letter: most of the text of a kernel made of small functions. Here
//! each becomes `.loc file line 0 //call`, and the calls stand once, as comments
//! at the end: `//.call number file line [caller]`. The instructions, their blocks
//! and the lines that tools show stay; columns and the names of functions go.
//! What LLVM writes is described in the PTX ISA, ".loc"; [`crate::DebugInfo::LineTables`] keeps
//! the whole of it. Text is rewritten a line at a time, so that all else stays as it is.

use std::collections::HashMap;
use std::fmt::Write;

use ptx_syntax::{Call, Location, Place, location};

#[derive(Debug, Default)]
struct Shortener {
    out: String,
    /// Numbers of calls, from 1, by file, line and the number of their caller.
    calls: HashMap<(u32, u32, Option<u32>), u32>,
    listed: Vec<Call>,
    /// Where in this function each place was inlined, as last written.
    latest: HashMap<Place, Option<u32>>,
    /// Holds for the next instruction.
    next: Option<Location<'static>>,
    written: Option<Location<'static>>,
    /// A label that only locations have brought, before the next instruction.
    label: Option<String>,
    /// Whether a label stands before the next instruction.
    is_labelled: bool,
    /// Open braces of a debug section.
    section: Option<i32>,
}

/// Rewrites the locations in PTX that LLVM wrote without comments, and drops what
/// then nobody refers to.
pub(crate) fn shorten(ptx: &str) -> String {
    let mut shortener = Shortener {
        out: String::with_capacity(ptx.len() / 2),
        ..Shortener::default()
    };
    for line in ptx.lines() {
        shortener.line(line);
    }
    for call in &shortener.listed {
        // Writing to a string does not fail.
        let _ = writeln!(shortener.out, "{call}");
    }
    shortener.out
}

impl Shortener {
    fn line(&mut self, line: &str) {
        let word = line.trim_start();
        if self.section.is_some() || word.starts_with(".section") {
            self.skip_section(word);
        } else if let Some(location) = word.starts_with(".loc").then(|| location(word)).flatten() {
            self.enter(location);
        } else if let Some(number) = word.strip_prefix("$L__tmp") {
            self.label.get_or_insert_with(|| format!("${number}"));
        } else if !is_mark(word) {
            if is_function_head(line) || line == "}" {
                self.latest.clear();
                (self.next, self.written, self.label) = (None, None, None);
            } else if word.starts_with('$') && word.ends_with(':') {
                self.label = None;
                self.is_labelled = true;
            } else if takes_location(word) {
                self.write_label();
                self.write_location();
            }
            self.push_line(line);
        }
    }

    fn push_line(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    /// Writes a label where none stands: nothing jumps there, and yet ptxas, which
    /// begins a block at each, makes other code without it (seen with ptxas 13.5).
    fn write_label(&mut self) {
        let label = self.label.take();
        if let Some(label) = label.filter(|_| !self.is_labelled) {
            self.push_line(&label);
        }
        self.is_labelled = false;
    }

    /// Debug sections hold the names, and stand behind the last function.
    fn skip_section(&mut self, word: &str) {
        let opened = word.matches('{').count() as i32;
        let closed = word.matches('}').count() as i32;
        let depth = self.section.unwrap_or(0) + opened - closed;
        self.section = (depth > 0 || opened + closed == 0).then_some(depth);
    }

    fn enter(&mut self, location: Location<'_>) {
        let call = location.inlined_at.map(|at| {
            let caller = *self.latest.entry(at).or_insert(None);
            self.call(at, caller)
        });
        self.latest.insert(location.at, call);
        let [file, line, _] = location.at;
        self.next = Some(Location {
            at: [file, line, 0],
            call,
            ..Location::default()
        });
    }

    /// The number of a call; a new one is listed.
    fn call(&mut self, [file, line, _]: Place, caller: Option<u32>) -> u32 {
        let new = self.calls.len() as u32 + 1;
        let number = *self.calls.entry((file, line, caller)).or_insert(new);
        if number == new {
            self.listed.push(Call {
                number,
                file,
                line,
                caller,
            });
        }
        number
    }

    fn write_location(&mut self) {
        let next = self.next.take();
        if let Some(location) = next.filter(|next| self.written.as_ref() != Some(next)) {
            self.written = Some(location);
            self.push_line(&format!("\t{location}"));
        }
    }
}

/// What LLVM writes around inline assembly.
fn is_mark(word: &str) -> bool {
    word == "// begin inline asm" || word == "// end inline asm"
}

fn is_function_head(line: &str) -> bool {
    line.starts_with('.') && (line.contains(".entry ") || line.contains(".func "))
}

/// Whether a line may hold an instruction.
fn takes_location(word: &str) -> bool {
    !(word.is_empty() || word.ends_with(':') || word.starts_with("//"))
}

#[cfg(test)]
mod tests {
    use super::shorten;

    const LONG: &str = "\
.visible .entry k(
\t.param .u32 k_param_0
)
{
\t.reg .b32 \t%r<3>;
$L__func_begin0:
\t.loc\t1 7 0
\tld.param.b32 \t%r1, [k_param_0];
\t.loc\t1 8 3
$L__tmp0:
\t.loc\t2 20 9, function_name $L__info_string0, inlined_at 1 8 3
$L__tmp1:
\t.loc\t3 30 1, function_name $L__info_string1, inlined_at 2 20 9
\t// begin inline asm
\tbar.sync 0;
\t// end inline asm
\t.loc\t3 30 5, function_name $L__info_string1, inlined_at 2 20 9
\tadd.s32 \t%r2, %r1, 1;
\t.loc\t2 21 9, function_name $L__info_string0, inlined_at 1 8 3
$L__BB0_1:
\tbar.sync 0;
$L__tmp2:
$L__tmp3:
\tmembar.cta;
$L__tmp4:
\t.loc\t1 9 1
}
\t.file\t1 \"./src/lib.rs\"
\t.section\t.debug_str
\t{
$L__info_string0:
.b8 95
.b8 0
\t}
\t.section\t.debug_macinfo\t{\t}
";

    const SHORT: &str = "\
.visible .entry k(
\t.param .u32 k_param_0
)
{
\t.reg .b32 \t%r<3>;
$L__func_begin0:
\t.loc\t1 7 0
\tld.param.b32 \t%r1, [k_param_0];
$0:
\t.loc\t3 30 0 //2
\tbar.sync 0;
\tadd.s32 \t%r2, %r1, 1;
$L__BB0_1:
\t.loc\t2 21 0 //1
\tbar.sync 0;
$2:
\tmembar.cta;
}
\t.file\t1 \"./src/lib.rs\"
//.call 1 1 8
//.call 2 2 20 1
";

    #[test]
    fn an_instruction_keeps_its_line_and_the_calls_that_inlined_it() {
        assert_eq!(shorten(LONG), SHORT);
    }

    #[test]
    fn locations_of_one_function_say_nothing_of_the_next() {
        let (first, _) = LONG.split_once("\t.file").unwrap();
        let second = first.replace(
            "\t.loc\t2 20 9, function_name $L__info_string0, inlined_at 1 8 3\n",
            "",
        );
        let both = shorten(&format!("{first}{second}"));
        // What called the function at 2:20 is not written there.
        assert!(both.contains("\t.loc\t3 30 0 //3\n"), "{both}");
        assert!(both.ends_with("//.call 3 2 20\n"), "{both}");
    }
}
