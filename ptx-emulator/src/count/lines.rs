//! Counts by function and by source line.

use std::collections::BTreeMap;

use super::{ByKind, Counts, GlobalRequests, Instructions, SharedRequests, sums};
use crate::program::Program;

/// What some instructions did.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Warp instructions and lanes.
    pub instructions: Instructions,
    /// Requests to shared memory.
    pub shared: ByKind<SharedRequests>,
    /// Requests to global memory.
    pub global: ByKind<GlobalRequests>,
}

sums!(Tally: instructions, shared, global; );

/// What the instructions of one source line did in one function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineCounts {
    /// The kernel or function.
    pub function: String,
    /// The source file; `None` for instructions of which the PTX does not say
    /// where they come from.
    pub file: Option<String>,
    /// The line in that file, or else in the PTX text; from 1.
    pub line: u32,
    /// What they did.
    pub tally: Tally,
}

impl LineCounts {
    /// `file:line`.
    pub fn place(&self) -> String {
        let file = self.file.as_deref().unwrap_or("PTX");
        format!("{file}:{}", self.line)
    }
}

impl Counts {
    /// What one instruction did, by its index in the program.
    pub fn instruction(&self, pc: u32) -> Tally {
        let index = pc as usize;
        Tally {
            instructions: copied(&self.classes.by_instruction, index),
            shared: copied(&self.wavefronts.by_instruction, index),
            global: copied(&self.sectors.by_instruction, index),
        }
    }

    /// What all instructions did.
    pub fn total(&self) -> Tally {
        Tally {
            instructions: self.classes.total(),
            shared: self.wavefronts.total(),
            global: self.sectors.total(),
        }
    }

    /// Of each source line that ran, by function, file and line; an inlined
    /// line counts where it was written. `program` is the one that ran.
    pub fn by_line(&self, program: &Program) -> Vec<LineCounts> {
        let mut lines = BTreeMap::<(String, Option<String>, u32), Tally>::new();
        for (pc, tally) in self.ran() {
            let (file, line) = place(program, pc);
            let key = (program.function(pc).to_owned(), file, line);
            *lines.entry(key).or_default() += tally;
        }
        lines
            .into_iter()
            .map(|((function, file, line), tally)| LineCounts {
                function,
                file,
                line,
                tally,
            })
            .collect()
    }

    /// The instructions that ran.
    fn ran(&self) -> impl Iterator<Item = (u32, Tally)> {
        (0..self.classes.by_instruction.len() as u32)
            .map(|pc| (pc, self.instruction(pc)))
            .filter(|(_, tally)| tally.instructions.warps > 0)
    }
}

fn copied<T: Copy + Default>(list: &[T], index: usize) -> T {
    list.get(index).copied().unwrap_or_default()
}

/// The source file and line of an instruction, or its line in the PTX.
fn place(program: &Program, pc: u32) -> (Option<String>, u32) {
    let source = program.source(pc);
    let parts = source.as_deref().and_then(|text| text.rsplit_once(':'));
    match parts.and_then(|(file, line)| Some((file, line.parse().ok()?))) {
        Some((file, line)) => (Some(file.to_owned()), line),
        None => (None, program.line(pc)),
    }
}
