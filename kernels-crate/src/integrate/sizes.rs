//! The numbers of the kernels that a host launches by: how much there is of what, and how much
//! room it takes. Those of equal strips are in [`chunks`](super::chunks).

use crate::LANES;

/// The most warps of a block, by any rule.
pub const MAX_WARPS: u32 = 8;

/// Lanes that work on one item of a batch.
pub const TEAM: u32 = 8;

/// Words of scratch memory of a batch's launch: blocks that are done, and the next item.
pub const SCRATCH_WORDS: usize = 2;

/// Teams of a block of so many warps.
pub const fn teams(warps: u32) -> u32 {
    warps * LANES / TEAM
}

const _: () = assert!(LANES.is_multiple_of(TEAM));

/// The most intervals of an item by an [adaptive](super::adaptive) rule.
pub const MAX_INTERVALS: u32 = 1024;

/// Room for the nodes of the larger of Gauss and Kronrod's rules.
pub const NODES: usize = 24;

/// Numbers of an interval: its ends, its integral and its error.
pub const FIELDS: usize = 4;

/// Numbers of shared memory of a team with room for so many intervals.
pub const fn numbers_of_team(intervals: u32) -> usize {
    NODES + FIELDS * intervals.next_multiple_of(TEAM) as usize
}

/// What rounding makes of Gauss and Kronrod's rules, in epsilons of the integral of the
/// function's magnitude: QUADPACK's.
pub const ROUNDING: f64 = 50.0;

/// The first level of [tanh-sinh](super::tanh_sinh) rules that may be the last: three integrals
/// tell something of their errors.
pub const MIN_LEVELS: u32 = 2;

/// The last level that there may be a table for.
pub const MAX_LEVELS: u32 = 10;

/// The step of t at level 0; every further level halves it.
pub const STEP: f64 = 0.5;

/// Lists of nodes of a level of a [Fourier](super::fourier) integral: outwards and to the limit, of a
/// sine and of a cosine.
pub const LISTS: u32 = 4;

/// What rounding makes of a level, in epsilons of the integral of the function's magnitude.
pub const ROUNDING_OF_LEVELS: f64 = 32.0;
