//! A finding as a reader gets it: places with lines, memory with names.

use std::fmt;

use super::FindingKind;
use crate::error::of_device;
use crate::observe::Memory;

/// A thread at an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// What the thread does there: `reads`, `writes`, `waits`, `exited` ...
    pub what: String,
    /// Index of the instruction in the program.
    pub pc: u32,
    /// Line in the PTX text.
    pub line: u32,
    /// The PTX text of the instruction.
    pub statement: String,
    /// `file:line` of the line that the author wrote
    /// (`Program::authors_line`), when the PTX has `.loc`.
    pub source: Option<String>,
    /// `file:line` of the instruction and of the calls that it was inlined by,
    /// the innermost first.
    pub source_stack: Vec<String>,
    /// The number of the device, where the launch is on several.
    pub device: Option<u32>,
    /// Block index.
    pub block: [u32; 3],
    /// Thread index in the block.
    pub thread: [u32; 3],
}

impl Place {
    /// `file:line` of the source, or the line of the PTX.
    fn short(&self) -> String {
        match &self.source {
            Some(source) => source.clone(),
            None => format!("PTX line {}", self.line),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "  {}: {}block {:?}, thread {:?}, ",
            self.what,
            of_device(self.device),
            self.block,
            self.thread
        )?;
        if let Some(source) = &self.source {
            write!(f, "{source}, ")?;
        }
        write!(f, "PTX line {}", self.line)?;
        // The return at the end of a body need not be written.
        if !self.statement.is_empty() {
            write!(f, ": `{}`", self.statement)?;
        }
        let mut own = self.source.as_ref();
        let mut inside = true;
        for place in &self.source_stack {
            if own == Some(place) {
                (own, inside) = (None, false);
                continue;
            }
            let how = if inside { "in" } else { "inlined at" };
            write!(f, "\n    {how} {place}")?;
        }
        Ok(())
    }
}

/// Bytes in memory, and what they belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The state space.
    pub space: Memory,
    /// Device address, or offset in its space.
    pub address: u64,
    /// Bytes of the access.
    pub bytes: u32,
    /// The variable, or the allocation as `Gpu::alloc_named` named it.
    pub name: Option<String>,
    /// What has no name: `allocation of 64 bytes at 0x1000000000`, `dynamic
    /// shared memory`, `local memory of kernel`.
    pub region: String,
    /// Bytes from the start of the region.
    pub offset: u64,
    /// `offset` in units of `bytes`, when it is a multiple.
    pub element: Option<u64>,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Location {
            bytes,
            region,
            offset,
            ..
        } = self;
        match (&self.name, self.element) {
            (Some(name), Some(element)) => write!(f, "{name}[{element}]: ")?,
            (Some(name), None) => write!(f, "{name}: ")?,
            (None, Some(element)) => write!(f, "element {element}: ")?,
            (None, None) => {}
        }
        let s = if *bytes == 1 { "" } else { "s" };
        write!(f, "{bytes} byte{s} at offset {offset} of {region}")
    }
}

/// One thing that is wrong with a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Which kind.
    pub kind: FindingKind,
    /// The kernel.
    pub kernel: String,
    /// In words.
    pub message: String,
    /// Whether the kernel ended because of it.
    pub stopped: bool,
    /// A thread at the instruction that is to blame.
    pub at: Place,
    /// The other party: of a race the earlier access, of a barrier or a
    /// collective the thread that is missing.
    pub other: Option<Place>,
    /// More places: where the other threads of a block that cannot move are.
    pub rest: Vec<Place>,
    /// Where in memory.
    pub memory: Option<Location>,
    /// How often.
    pub occurrences: u64,
}

impl Finding {
    /// Whether this is the same mistake: the same kind at the same
    /// instructions, whichever threads showed it.
    pub fn same_as(&self, other: &Finding) -> bool {
        let instructions = |finding: &Finding| {
            let second = finding.other.as_ref().map(|place| place.pc);
            let first = Some(finding.at.pc);
            (finding.kind, first.min(second), first.max(second))
        };
        let space = |finding: &Finding| finding.memory.as_ref().map(|memory| memory.space);
        self.kernel == other.kernel
            && instructions(self) == instructions(other)
            && space(self) == space(other)
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, message) = (self.kind, &self.message);
        write!(
            f,
            "{kind}: {message} ({}, {})",
            self.kernel,
            self.at.short()
        )?;
        if let Some(memory) = &self.memory {
            write!(f, "\n  {memory}")?;
        }
        for place in [&self.at].into_iter().chain(&self.other).chain(&self.rest) {
            write!(f, "\n{place}")?;
        }
        if self.occurrences > 1 {
            write!(f, "\n  {} times", self.occurrences)?;
        }
        Ok(())
    }
}
