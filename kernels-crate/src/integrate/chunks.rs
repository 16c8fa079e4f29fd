//! How an integral's strips are dealt out: in *chunks*, of which a block of a
//! [composite rule](super::composite) takes [`UNIT`] at a time.

use bytemuck::{Pod, Zeroable};

use crate::LANES;

/// Nodes of a lane whose abscissas are one number plus a multiple of the step.
pub const STEPS: usize = 16;

/// Nodes that a lane takes in a row, at least: twice as many, so that a multiple serves twice.
pub const ROW: u32 = 2 * STEPS as u32;

/// The most strips.
pub const MAX_STRIPS: u64 = 1 << 40;

/// The most chunks.
pub const MAX_CHUNKS: u64 = 1 << 16;

/// Chunks that a block takes at once.
pub const UNIT: u64 = 8;

/// Nodes that a lane takes in a row where its part of a chunk is so long.
pub const LONG_ROW: u32 = 2 * ROW;

/// More chunks than this cost more in the end than they balance, where there are few strips.
const FEW_CHUNKS: u64 = 1 << 13;

/// How an integral's strips are dealt out, for each family of the rule in the same way; it
/// depends on how many strips and families there are. A kernel takes it from the host: it would
/// take long to find it out, and what the compiler does not know to be the same for the whole
/// launch, it loads again in every turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Chunks {
    /// Strips of a chunk: a power of two.
    pub strips: u64,
    /// Units of a family, of [`UNIT`] chunks.
    pub units: u32,
    /// Nodes that a lane takes in a row.
    pub row: u32,
}

// SAFETY: zeros are a value of every field.
unsafe impl Zeroable for Chunks {}
// SAFETY: a number of 8 bytes and two of 4: nothing lies between them, nor behind them.
unsafe impl Pod for Chunks {}

impl Chunks {
    /// That of so many strips by a rule of so many families.
    pub const fn of(strips: u64, families: u32) -> Self {
        let all = strips.next_power_of_two() * families.next_power_of_two() as u64;
        let root = 1 << all.ilog2().div_ceil(2);
        let mut chunk = ROW as u64 * LANES as u64;
        while chunk < all / MAX_CHUNKS || (chunk < root && chunk < all / FEW_CHUNKS) {
            chunk *= 2;
        }
        let is_long = chunk >= LONG_ROW as u64 * LANES as u64;
        Self {
            strips: chunk,
            units: strips.div_ceil(chunk).div_ceil(UNIT) as u32,
            row: if is_long { LONG_ROW } else { ROW },
        }
    }
}
