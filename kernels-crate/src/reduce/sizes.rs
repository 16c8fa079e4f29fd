//! The constants of the kernels: warps, rows and blocks, by the size of an element.
//!
//! Behaviour is elsewhere; here are numbers. A change of one of them changes the
//! association, and so the last bits of floats.

use crate::LANES;
use crate::operator::Operator;
use crate::scan::scratch::GROUP;

/// Bytes of a vector.
pub const BYTES: u64 = 16;

/// Vectors of a unit: what holds whole elements.
pub const fn vectors_of<T>() -> usize {
    if size_of::<T>().is_power_of_two() {
        1
    } else {
        3
    }
}

/// Elements of a unit.
pub const fn elements_of<T>() -> usize {
    assert!(
        matches!(size_of::<T>(), 1 | 2 | 3 | 4 | 6 | 8 | 12 | 16),
        "an element has 1, 2, 3, 4, 6, 8, 12 or 16 bytes"
    );
    vectors_of::<T>() * BYTES as usize / size_of::<T>()
}

/// Elements of a tile.
pub const fn elements(rows: usize, each: usize) -> u64 {
    (rows * each) as u64 * LANES as u64
}

/// The most blocks of [`device`](super::device): one warp combines the totals of the groups.
pub const MAX_BLOCKS: u32 = LANES * GROUP as u32;

/// The most slices of a block of it.
pub const MAX_SLICES: u32 = 16;

/// The most warps of a block of [`one_wave`](super::one_wave).
pub const MAX_WARPS: u32 = LANES;

/// The most blocks of it: one warp combines their totals.
pub const ONE_WAVE_BLOCKS: u32 = GROUP as u32;

/// The most tiles of it.
pub const MAX_TILES: u64 = MAX_WARPS as u64 * ONE_WAVE_BLOCKS as u64;

/// Warps of a block of it for so many tiles, up to [`MAX_TILES`]: one for every tile where that is
/// one block; else the fewest of 8, 16 and 32 with which there are no more than
/// [`ONE_WAVE_BLOCKS`] blocks.
pub const fn warps(tiles: u64) -> u32 {
    if tiles <= MAX_WARPS as u64 {
        return if tiles == 0 { 1 } else { tiles as u32 };
    }
    let mut warps = 8;
    while warps < MAX_WARPS && tiles > warps as u64 * ONE_WAVE_BLOCKS as u64 {
        warps *= 2;
    }
    warps
}

/// Warps of a block of [`segmented`](super::segmented).
pub const SEGMENTED_WARPS: u32 = 8;

/// Words of scratch memory of [`segmented`](super::segmented) before those of the blocks; the
/// first counts them.
pub const HEAD: u64 = 16;

/// Words of 64 bits that so many blocks of it need.
pub const fn segmented_words(blocks: u32) -> u64 {
    HEAD + blocks as u64 * PIECE_WORDS as u64
}

/// Words of 64 bits of a block's piece.
pub const PIECE_WORDS: usize = 6;

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
    Sizes::new::<O>(MAX_WARPS as usize, 4)
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
        warps: SEGMENTED_WARPS as usize,
        rows: elements / each,
        vectors: vectors_of::<O::Input>(),
        each,
    }
}

/// Blocks on each SM of the device, at most.
pub const BLOCKS_PER_SM: u32 = 2;

/// Blocks where the result has to be the same on every device: those of an H200.
pub const BLOCKS_EVERYWHERE: u32 = 132 * BLOCKS_PER_SM;
