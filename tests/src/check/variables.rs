//! The variables that registers hold, by the names of the source.
//!
//! They stand in the same kernels with full debug information. These are not the PTX that runs,
//! whose text a GPU takes, and which has for that what was inlined where: both have the same
//! instructions, and where they do not, nothing is told.

use std::collections::HashMap;
use std::path::Path;

use ptx_syntax::Module;
use ptx_syntax::variables::{Held, held};
use quadscan::device::Artifact;

/// What is known of the text of some kernels.
#[derive(Debug, Default)]
pub(super) struct Variables {
    held: Vec<Held>,
    /// From the line of an instruction that runs to its line in the text that tells variables.
    lines: HashMap<u32, u32>,
    /// The lines there in which registers are written, or may be.
    writes: HashMap<String, Vec<u32>>,
}

impl Variables {
    /// Of the module that these kernels are in, as it runs and as the artifact in `folder` has it.
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
        let (Some(runs), Some(tells)) = (text(kernels, runs), text(kernels, &tells)) else {
            return Ok(Variables::default());
        };
        let parsed = (ptx_syntax::parse(&runs), ptx_syntax::parse(&tells));
        Ok(match parsed {
            (Ok(runs), Ok(tells)) => Variables::of(kernels, &runs, &tells),
            _ => Variables::default(),
        })
    }

    fn of(kernels: &[&str], runs: &Module<'_>, tells: &Module<'_>) -> Self {
        let mut all = Variables {
            held: held(tells),
            ..Variables::default()
        };
        for kernel in kernels {
            let (runs, tells) = (instructions(runs, kernel), instructions(tells, kernel));
            let words = runs.iter().map(|(_, words)| words);
            if !words.eq(tells.iter().map(|(_, words)| words)) {
                continue;
            }
            for ((line, _), (told, words)) in runs.iter().zip(&tells) {
                all.lines.insert(*line, *told);
                if let Some(first) = words.get(1) {
                    let writes = all.writes.entry((*first).to_owned());
                    writes.or_default().push(*told);
                }
            }
        }
        all
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

/// The text with one of these kernels, of the newest architecture, which is what runs.
fn text(kernels: &[&str], artifact: &Artifact) -> Option<String> {
    let newest = artifact.modules().last()?;
    let part = newest.parts().find(|part| {
        let mut own = part.part.kernels.iter();
        own.any(|kernel| kernels.contains(&&*kernel.entry))
    });
    part.map(|part| part.ptx().to_owned())
}

/// The line of each instruction of a kernel, and its opcode and registers.
fn instructions<'t>(module: &Module<'t>, kernel: &str) -> Vec<(u32, Vec<&'t str>)> {
    let kernel = module.entries().find(|entry| entry.name == kernel);
    let instructions = kernel.into_iter().flat_map(|kernel| kernel.instructions());
    let instructions = instructions.map(|instruction| {
        let names = instruction.names().into_iter();
        let mut words = vec![instruction.opcode];
        words.extend(names.filter(|name| name.starts_with('%')));
        (instruction.span.position.line, words)
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

    #[test]
    fn names_are_taken_where_the_instructions_are_the_same() {
        let runs = kernel("mov.b32 %r1, 5;\nadd.s32 %r2, %r1, %r1;\nret;", "");
        let runs = ptx_syntax::parse(&runs).expect("it is PTX");
        let body = "mov.b32 %r1, 5;\n$L__second:\nadd.s32 %r2, %r1, %r1;\nret;";
        let same = telling(body);
        let same = Variables::of(&["k"], &runs, &ptx_syntax::parse(&same).expect("it is PTX"));
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
        let late = Variables::of(&["k"], &runs, &ptx_syntax::parse(&late).expect("it is PTX"));
        let held = late.held("%r1", 6, "./a/src/lib.rs");
        assert_eq!(held.map(|held| held.name.as_str()), Some("i"));
        let other = telling(&body.replace("add.s32", "sub.s32"));
        let other = Variables::of(
            &["k"],
            &runs,
            &ptx_syntax::parse(&other).expect("it is PTX"),
        );
        assert!(other.held("%r1", 6, "./a/src/lib.rs").is_none());
    }
}
