//! Integrals of a batch for which a thread of the device decides: each has a place in memory for a few
//! regions, and the next member takes the place of one that has ended.
//!
//! A round is three launches of the kernel `cubature_decide`, one for each [stage](DIVIDE), between which the rules and lines
//! run that it asks for. Where those are in a launch depends on which thread came first; what a region is
//! summed to does not. A member whose regions have no place, or lie beside a surface across the axes, is
//! left to the host, which begins it anew.

use core::mem::MaybeUninit;

use bytemuck::{Pod, Zeroable};

use super::part::{Part, Region};
use super::rounds::State;

/// Regions of a member at most, as many parts of a round,
pub const REGIONS: usize = 48;
/// and chunks of a part.
pub const CHUNKS: u32 = 8;

/// What a launch decides: all places are free, and members begin, or
pub const BEGIN: u32 = 0;
/// plans were made: how regions are divided;
pub const DIVIDE: u32 = 1;
/// parts were summed: what is believed of them;
pub const TAKE: u32 = 2;
/// regions were looked at again: what remains of that, and what plans the next round needs.
pub const SEE: u32 = 3;

/// Counters of a batch: regions that [`DIVIDE`] asks to sum, with their chunks in the upper half;
pub const PARTS: usize = 0;
/// regions that are to be looked at again,
pub const LOOKS: usize = 1;
/// and those to be planned;
pub const ASKED: usize = 2;
/// the next member.
pub const NEXT: usize = 3;
/// So many.
pub const COUNTERS: usize = 4;

/// The status of a member that is left to the host; the others are those of [`End`](super::rounds::End).
pub const LEFT: u32 = 4;

/// What came of a member.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Outcome {
    /// The integral,
    pub value: f64,
    /// and what it errs by.
    pub error: f64,
    /// Evaluations in rules.
    pub evaluations: u64,
    /// Regions at the end.
    pub regions: u32,
    /// Rounds of refinement.
    pub rounds: u32,
    /// How it ended, or [`LEFT`].
    pub status: u32,
    /// Nothing.
    pub zero: u32,
}

// SAFETY: zeros are a value of every field.
unsafe impl Zeroable for Outcome {}
// SAFETY: three numbers of 8 bytes and four of 4 bytes.
unsafe impl Pod for Outcome {}

/// The memory of a member.
#[derive(Debug)]
#[repr(C)]
pub struct Place {
    /// Which it is.
    pub(super) member: u32,
    /// How many items the lists have,
    pub(super) lens: [u32; 3],
    /// and where in a launch's list its own regions begin.
    pub(super) first: u32,
    pub(super) state: State,
    pub(super) regions: [MaybeUninit<Region>; REGIONS],
    pub(super) parts: [MaybeUninit<Part>; REGIONS],
    pub(super) numbers: [MaybeUninit<[u32; 3]>; REGIONS],
}

/// Words of 8 bytes that a member's memory has.
pub const PLACE: usize = size_of::<Place>() / 8;
