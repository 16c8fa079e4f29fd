//! The constants of the kernels: warps, rows and blocks, by the size of an element.
//!
//! Behaviour is elsewhere; here are numbers. A change of one of them changes the
//! association, and so the last bits of floats.

use super::one_wave;
use super::vectors::{elements_of, vectors_of};
use crate::operator::Operator;

/// Constants of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Warps of a block, at most.
    pub warps: usize,
    /// Rows of a tile.
    pub rows: usize,
    /// Vectors of a lane in a row.
    pub vectors: usize,
    /// Elements of a lane in a row.
    pub each: usize,
}

impl Sizes {
    /// With so many vectors of a lane in flight.
    const fn new<O: Operator>(warps: usize, in_flight: usize) -> Self {
        let vectors = vectors_of::<O::Input>();
        Self {
            warps,
            // A power of two.
            rows: 1 << least_one(in_flight / vectors).ilog2(),
            vectors,
            each: elements_of::<O::Input>(),
        }
    }
}

/// A number, but no less than 1.
const fn least_one(number: usize) -> usize {
    if number > 1 { number } else { 1 }
}

/// Many blocks, for the rate of the memory.
pub const fn device<O: Operator>() -> Sizes {
    Sizes::new::<O>(8, 8)
}

/// A tile a warp, for the least time.
pub const fn one_wave<O: Operator>() -> Sizes {
    Sizes::new::<O>(one_wave::MAX_WARPS as usize, 4)
}

/// Many segments: tiles of 16 elements a lane, or as many bytes of larger ones.
pub const fn segmented<O: Operator>() -> Sizes {
    let each = elements_of::<O::Input>();
    let elements = match size_of::<O::Input>() {
        16 => 4,
        8 | 12 => 8,
        _ => 16,
    };
    Sizes {
        warps: super::segmented::WARPS as usize,
        rows: elements / each,
        vectors: vectors_of::<O::Input>(),
        each,
    }
}

/// Blocks on each multiprocessor of the device, at most.
pub const BLOCKS_PER_MULTIPROCESSOR: u32 = 2;

/// Blocks where the result has to be the same on every device: those of an H200.
pub const BLOCKS_EVERYWHERE: u32 = 132 * BLOCKS_PER_MULTIPROCESSOR;
