//! The variables that registers hold, by the names of the source.
//!
//! They stand in the same kernels with full debug information. These are not the PTX that runs,
//! whose text a GPU takes, and which has for that what was inlined where: both have the same
//! instructions, and where they do not, nothing is told.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use ptx_syntax::variables::{Held, held};
use ptx_syntax::{Module, Operand};
use quadscan::device::Artifact;

/// What is known of some kernels, by their entries.
#[derive(Debug, Default)]
pub(super) struct Variables(HashMap<String, OfKernel>);

/// What is known of the text of a kernel.
#[derive(Debug)]
pub(super) struct OfKernel {
    held: Vec<Held>,
    /// From the line of an instruction that runs to its line in the text that tells variables.
    lines: HashMap<u32, u32>,
    /// The lines there in which registers are written, or may be.
    writes: HashMap<String, Vec<u32>>,
}

impl Variables {
    /// Of the modules that these kernels are in, as they run and as the artifact in `folder` has
    /// them.
    ///
    /// # Errors
    ///
    /// The artifact in `folder` cannot be read.
    pub(super) fn read(
        kernels: &[&str],
        runs: &Artifact,
        folder: &Path,
    ) -> Result<Self, quadscan::Error> {
        // SAFETY: nothing of it is launched.
        let tells = unsafe { Artifact::read(folder) }?;
        let (runs, tells) = (texts(kernels, runs), texts(kernels, &tells));
        let mut all = Variables::default();
        for runs in &runs {
            for tells in &tells {
                let of_both = runs.kernels.intersection(&tells.kernels);
                let of_both: Vec<_> = of_both.copied().collect();
                if of_both.is_empty() {
                    continue;
                }
                let parsed = (ptx_syntax::parse(runs.ptx), ptx_syntax::parse(tells.ptx));
                if let (Ok(runs), Ok(tells)) = parsed {
                    all.0.extend(Variables::of(&of_both, &runs, &tells).0);
                }
            }
        }
        Ok(all)
    }

    fn of(kernels: &[&str], runs: &Module<'_>, tells: &Module<'_>) -> Self {
        let held = held(tells);
        let known = kernels.iter().filter_map(|&kernel| {
            let of = OfKernel::of(
                &held,
                instructions(runs, kernel),
                instructions(tells, kernel),
            );
            Some((kernel.to_owned(), of?))
        });
        Variables(known.collect())
    }

    /// What is known of a kernel.
    pub(super) fn of_kernel(&self, kernel: &str) -> Option<&OfKernel> {
        self.0.get(kernel)
    }
}

impl OfKernel {
    /// None where the instructions are not the same.
    fn of(held: &[Held], runs: Vec<Line<'_>>, tells: Vec<Line<'_>>) -> Option<Self> {
        let words = runs.iter().map(|line| &line.words);
        if !words.eq(tells.iter().map(|line| &line.words)) {
            return None;
        }
        let own = tells.first()?.number..=tells.last()?.number;
        // The label of the first may stand in an earlier line.
        let held = held.iter();
        let held =
            held.filter(|held| held.lines.start <= *own.end() && held.lines.end > *own.start());
        let mut of = OfKernel {
            held: held.cloned().collect(),
            lines: HashMap::new(),
            writes: HashMap::new(),
        };
        for (runs, tells) in runs.iter().zip(&tells) {
            of.lines.insert(runs.number, tells.number);
            for &register in &tells.writes {
                let writes = of.writes.entry(register.to_owned());
                writes.or_default().push(tells.number);
            }
        }
        Some(of)
    }

    /// The variable of this file's crate that a register holds before the instruction in a line
    /// runs. A compiler may say so some instructions later: then the next one that it holds, where
    /// nothing else was written to it.
    pub(super) fn held(&self, register: &str, line: u32, file: &str) -> Option<&Held> {
        let line = self.lines.get(&line)?;
        let own = self.held.iter();
        let own = own.filter(|held| held.register == register);
        let own = own.filter(|held| source(&held.file) == source(file));
        let now = own.clone().rfind(|held| held.lines.contains(line));
        now.or_else(|| {
            let later = own.filter(|held| held.lines.start > *line);
            let next = later.min_by_key(|held| held.lines.start)?;
            let mut writes = self.writes.get(register).into_iter().flatten();
            let between = *line..next.lines.start;
            writes.all(|at| !between.contains(at)).then_some(next)
        })
    }
}

/// The folder of a crate that a file is of.
fn source(file: &str) -> &str {
    let end = file.find("/src/").unwrap_or(file.len());
    file[..end].trim_start_matches("./")
}

/// A text, and those of the kernels in question that it has.
struct Text<'a> {
    kernels: BTreeSet<&'a str>,
    ptx: &'a str,
}

/// The texts with these kernels, of the newest architecture, which is what runs.
fn texts<'a>(kernels: &[&'a str], artifact: &'a Artifact) -> Vec<Text<'a>> {
    let newest = artifact.modules().last();
    let parts = newest.into_iter().flat_map(|newest| newest.parts());
    let texts = parts.map(|part| {
        let own = part.part.kernels.iter().map(|kernel| kernel.entry.as_str());
        let own: BTreeSet<&str> = own.collect();
        let kernels = kernels.iter().copied();
        Text {
            kernels: kernels.filter(|kernel| own.contains(kernel)).collect(),
            ptx: part.ptx(),
        }
    });
    texts.collect()
}

/// An instruction.
struct Line<'t> {
    number: u32,
    /// Its opcode and registers.
    words: Vec<&'t str>,
    /// The registers that it writes, or may.
    writes: Vec<&'t str>,
}

/// The instructions of a kernel.
fn instructions<'t>(module: &Module<'t>, kernel: &str) -> Vec<Line<'t>> {
    let kernel = module.entries().find(|entry| entry.name == kernel);
    let instructions = kernel.into_iter().flat_map(|kernel| kernel.instructions());
    let instructions = instructions.map(|instruction| {
        let is_register = |name: &&str| name.starts_with('%');
        let mut words = vec![instruction.opcode];
        words.extend(instruction.names().into_iter().filter(is_register));
        // An address at first is of what a store writes.
        let first = instruction.operands.first();
        let first = first.filter(|first| !matches!(first, Operand::Address { .. }));
        let writes = first.map(Operand::names).unwrap_or_default();
        Line {
            number: instruction.span.position.line,
            words,
            writes: writes.into_iter().filter(is_register).collect(),
        }
    });
    instructions.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(body: &str, rest: &str) -> String {
        format!(
            ".version 8.0 .target sm_90 .address_size 64\n.visible .entry k()\n{{\n\
             .reg .b32 %r<3>;\n{body}\n}}\n{rest}"
        )
    }

    /// A variable `i` in `%r1` from the second instruction to the end.
    fn telling(body: &str) -> String {
        kernel(
            &format!("$L__begin:\n{body}\n$L__end:"),
            ".file 1 \"./a/src/lib.rs\"\n\
             .section .debug_abbrev {\n.b8 1,52,0,2,6,3,8,58,11,0,0,0\n}\n\
             .section .debug_info {\n.b32 16\n.b8 2,0\n.b32 .debug_abbrev\n.b8 8\n\
             .b8 1\n.b32 $L__loc\n.b8 105,0,1,0\n}\n\
             .section .debug_loc {\n$L__loc:\n.b64 $L__second\n.b64 $L__end\n\
             .b8 5,0,144,177,228,149,1\n.b64 0\n.b64 0\n}\n",
        )
    }

    /// Of `k`.
    fn of(runs: &Module<'_>, tells: &str) -> Option<OfKernel> {
        let tells = ptx_syntax::parse(tells).expect("it is PTX");
        Variables::of(&["k"], runs, &tells).0.remove("k")
    }

    #[test]
    fn names_are_taken_where_the_instructions_are_the_same() {
        let runs = kernel("mov.b32 %r1, 5;\nadd.s32 %r2, %r1, %r1;\nret;", "");
        let runs = ptx_syntax::parse(&runs).expect("it is PTX");
        let body = "mov.b32 %r1, 5;\n$L__second:\nadd.s32 %r2, %r1, %r1;\nret;";
        let same = telling(body);
        let same = of(&runs, &same).expect("the instructions are the same");
        let name = |line, file| same.held("%r1", line, file).map(|held| held.name.as_str());
        // The instruction that writes it stands in line 5; it holds the variable behind it.
        assert_eq!(name(6, "./a/src/lib.rs"), Some("i"));
        assert_eq!(name(6, "./a/src/other.rs"), Some("i"));
        assert_eq!(name(6, "./b/src/lib.rs"), None);
        // Before it, something else.
        assert_eq!(name(5, "./a/src/lib.rs"), None);
        // Behind the last label, too.
        assert_eq!(name(8, "./a/src/lib.rs"), None);
        let late = telling(
            &body
                .replace("$L__second:\n", "")
                .replace("ret", "$L__second: ret"),
        );
        let late = of(&runs, &late).expect("the instructions are the same");
        let held = late.held("%r1", 6, "./a/src/lib.rs");
        assert_eq!(held.map(|held| held.name.as_str()), Some("i"));
        let other = telling(&body.replace("add.s32", "sub.s32"));
        assert!(of(&runs, &other).is_none());
    }

    #[test]
    fn no_name_is_taken_from_behind_a_write_to_any_of_the_registers() {
        for (write, is_named) in [
            ("mov.b32 %r2, 7;", true),
            ("st.global.b32 [%r1], %r2;", true),
            ("ld.global.v2.b32 {%r2, %r1}, [%r2];", false),
            ("@%p1 mov.b32 %r1, 7;", false),
            ("shfl.sync.idx.b32 %r2|%r1, %r2, 0, 31, -1;", false),
            ("call (%r2, %r1), f, (%r2);", false),
        ] {
            let body = format!("mov.b32 %r1, 5;\n{write}\n");
            let runs = kernel(&format!("{body}ret;"), "");
            let runs = ptx_syntax::parse(&runs).expect("it is PTX");
            let told = telling(&format!("{body}$L__second:\nret;"));
            let told = of(&runs, &told).expect("the instructions are the same");
            let held = told.held("%r1", 6, "./a/src/lib.rs");
            assert_eq!(held.is_some(), is_named, "{write}");
        }
    }
}
