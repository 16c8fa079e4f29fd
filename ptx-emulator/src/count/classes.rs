//! Warp instructions by class and by source line.

use std::collections::BTreeMap;

use crate::ir::Class;
use crate::observe::{Observer, Site};

/// Counts warp instructions and their active lanes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Classes {
    /// Warp instructions and active lanes of each class.
    pub by_class: BTreeMap<Class, (u64, u64)>,
    /// The same of each instruction, by its index in the program; see
    /// `Program::source` for its line.
    pub by_instruction: Vec<(u64, u64)>,
    /// Divergent branches.
    pub divergent_branches: u64,
}

impl Observer for Classes {
    const INSTRUCTIONS: bool = true;
    const CONTROL: bool = true;

    fn fork(&self) -> Self {
        Classes::default()
    }

    fn merge(&mut self, other: Self) {
        for (class, (warps, lanes)) in other.by_class {
            let own = self.by_class.entry(class).or_default();
            own.0 += warps;
            own.1 += lanes;
        }
        self.by_instruction.resize(
            self.by_instruction.len().max(other.by_instruction.len()),
            (0, 0),
        );
        for (own, more) in self.by_instruction.iter_mut().zip(other.by_instruction) {
            own.0 += more.0;
            own.1 += more.1;
        }
        self.divergent_branches += other.divergent_branches;
    }

    fn instruction(&mut self, at: Site, class: Class, active: u32, _path: u32) {
        let lanes = u64::from(active.count_ones());
        let own = self.by_class.entry(class).or_default();
        own.0 += 1;
        own.1 += lanes;
        let index = at.pc as usize;
        if self.by_instruction.len() <= index {
            self.by_instruction.resize(index + 1, (0, 0));
        }
        self.by_instruction[index].0 += 1;
        self.by_instruction[index].1 += lanes;
    }

    fn branch(&mut self, _at: Site, _taken: u32, _path: u32) {
        self.divergent_branches += 1;
    }
}
