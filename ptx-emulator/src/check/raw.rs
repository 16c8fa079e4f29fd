//! What a checker says of a run, before places get their names.

use crate::observe::{Memory, Site};

/// The kinds of findings, by the word that a report begins with.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// Two accesses to the same bytes that nothing orders, one of them a write.
    Race,
    /// A read of bytes that nobody has written.
    UninitialisedRead,
    /// A read that gave an old value (weak memory).
    StaleRead,
    /// A barrier that not all threads reach, or with different counts.
    Barrier,
    /// A warp collective whose mask names a lane that does not take part.
    Collective,
    /// An access outside of every allocation, misaligned, freed, read-only.
    Bounds,
    /// Nobody can move.
    Deadlock,
    /// The instruction budget is used up.
    Livelock,
    /// Any other fault that stops the kernel.
    Fault,
}

impl std::fmt::Display for FindingKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            FindingKind::Race => "race",
            FindingKind::UninitialisedRead => "uninitialised read",
            FindingKind::StaleRead => "stale read",
            FindingKind::Barrier => "barrier",
            FindingKind::Collective => "collective",
            FindingKind::Bounds => "bounds",
            FindingKind::Deadlock => "deadlock",
            FindingKind::Livelock => "livelock",
            FindingKind::Fault => "fault",
        })
    }
}

/// A thread at an instruction.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawPlace {
    pub(crate) pc: u32,
    /// As one number; those of further devices follow.
    pub(crate) block: u64,
    /// Thread of the block, as one number.
    pub(crate) thread: u32,
    /// `reads`, `writes`, `waits` ...: goes with the place in the report.
    pub(crate) verb: &'static str,
}

impl RawPlace {
    /// The first of some lanes at an instruction.
    pub(crate) fn new(at: Site, lanes: u32, verb: &'static str) -> Self {
        RawPlace {
            pc: at.pc,
            block: at.block_linear,
            thread: at.warp * 32 + lanes.trailing_zeros(),
            verb,
        }
    }
}

/// A finding of one checker. A checker reports a pair of instructions once,
/// and counts how often it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RawFinding {
    pub(crate) kind: FindingKind,
    /// In words, without places and addresses.
    pub(crate) message: String,
    pub(crate) at: RawPlace,
    /// The other party, of a race the earlier one.
    pub(crate) other: Option<RawPlace>,
    /// Where in memory: the space, the address or offset, the bytes.
    pub(crate) memory: Option<(Memory, u64, u32)>,
    pub(crate) count: u64,
}

impl RawFinding {
    /// Something at one place, seen once.
    pub(crate) fn new(kind: FindingKind, message: String, at: RawPlace) -> Self {
        RawFinding {
            kind,
            message,
            at,
            other: None,
            memory: None,
            count: 1,
        }
    }

    /// With the other party.
    pub(crate) fn and(mut self, other: RawPlace) -> Self {
        self.other = Some(other);
        self
    }
}
