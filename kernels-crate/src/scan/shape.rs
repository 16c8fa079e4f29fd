//! The shapes of tiles and of the blocks that work on them.

use cuda_std::bulk::Barrier;

use super::words::MAX_WORDS;
use crate::LANES;

/// Tiles whose aggregates are combined in one go, by one warp.
pub const GROUP: u64 = 128;

/// Bytes of a vector, which a lane moves in one instruction.
pub const VECTOR: usize = 16;

/// That of kernels which hold a tile in registers: [`one_block`](super::one_block) and
/// [`one_wave`](super::one_wave).
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// Warps of a block.
    pub warps: usize,
    /// Rows of a warp.
    pub rows: usize,
    /// Neighbouring elements of a lane in a row.
    pub each: usize,
    /// The same as vectors of 16 bytes.
    pub vectors: usize,
    /// As many results as such vectors.
    pub results: usize,
}

impl Registers {
    /// Elements of a tile.
    pub const fn elements(&self) -> u64 {
        elements_of_block(self.warps, self.rows, self.each)
    }

    /// Threads of a block.
    pub const fn threads(&self) -> u32 {
        self.warps as u32 * LANES
    }

    /// The most blocks of [`one_wave`](super::one_wave): each warp of a block fetches the aggregates
    /// of one group.
    pub const fn max_blocks(&self) -> u64 {
        self.warps as u64 * GROUP
    }
}

/// Elements of a warp of so many rows, of which a lane has `each` elements.
#[inline(always)]
pub const fn elements_of_warp(rows: usize, each: usize) -> u64 {
    (rows * each) as u64 * LANES as u64
}

/// Elements of a block of so many such warps.
#[inline(always)]
pub const fn elements_of_block(warps: usize, rows: usize, each: usize) -> u64 {
    warps as u64 * elements_of_warp(rows, each)
}

/// So many times the elements of a lane in a tile of [`one_block`](super::one_block) it has in
/// [`strips`](super::strips).
pub const TIMES: usize = 2;

/// The most elements of a line that a group of lanes walks down, `each` a lane at a time.
#[inline(always)]
pub const fn most_of_line(each: usize) -> u64 {
    each as u64 * LANES as u64 * 4
}

/// Lanes of that group, for a line of `n` elements, at least 1: a power of two.
#[inline(always)]
pub const fn lanes_of_line(n: u32, each: usize) -> u32 {
    let lanes = n.div_ceil(each as u32);
    let lanes = if lanes < LANES { lanes } else { LANES };
    lanes.next_power_of_two()
}

/// That of kernels which hold a [segment](super::segment) a warp: tiles as those of
/// [`lookahead`](super::lookahead), so that results have the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiles {
    /// Elements of a lane.
    pub items: usize,
    /// Their vectors of 16 bytes.
    pub vectors: usize,
    /// The vectors of their results.
    pub results: usize,
    /// Warps of a block, with a segment each.
    pub warps: usize,
}

impl Tiles {
    /// Elements of a tile.
    pub const fn elements(&self) -> u64 {
        elements(self.items, self.warps)
    }

    /// Threads of a block.
    pub const fn threads(&self) -> u32 {
        self.warps as u32 * LANES
    }

    /// Dynamic shared memory of a block, bytes: a slot a warp, for elements or results.
    pub const fn shared_bytes(&self) -> u32 {
        self.warps as u32 * slot_bytes(self.vectors, self.results)
    }
}

/// Elements of a tile of so many items a lane and warps.
#[inline(always)]
pub const fn elements(items: usize, warps: usize) -> u64 {
    items as u64 * warps as u64 * LANES as u64
}

/// A slot: where the segment begins anywhere, one vector more.
#[inline(always)]
pub const fn slot_bytes(vectors: usize, results: usize) -> u32 {
    let longer = if vectors > results { vectors } else { results };
    (longer * VECTOR) as u32 * LANES + VECTOR as u32
}

/// Room for an aggregate in shared memory, bytes.
pub const TOTAL: usize = (4 * MAX_WORDS).next_multiple_of(16);

/// That of [`lookahead`](super::lookahead): tiles in shared memory, of which a block has several.
#[derive(Clone, Copy, Debug)]
pub struct Lookahead {
    /// Elements of a lane in a tile.
    pub items: usize,
    /// Vectors of 16 bytes of the input that a lane has of a tile: an odd number, so that
    /// lanes read from different banks.
    pub vectors: usize,
    /// As many elements as vectors of the output.
    pub results: usize,
    /// Warps that scan.
    pub workers: usize,
    /// Rounds between the reduction of a tile and its scan.
    pub delay: usize,
    /// Tiles that are on their way.
    pub ahead: usize,
    /// Whether input and output begin anywhere, and not at multiples of 16 alone; a block has
    /// room for that.
    pub shifted: bool,
    /// Bytes of room for the words that say where segments of the array begin among a warp's
    /// elements, [`segment_flags::room`](super::segment_flags::room); 0 where there is one alone.
    pub segment_flags: usize,
}

impl Lookahead {
    /// Whether results have shared memory of their own, and not that of the elements:
    /// that of the tile that is scanned and of the one that leaves.
    pub const fn is_staged(&self) -> bool {
        self.vectors != self.results
    }

    /// Slots of shared memory for elements.
    pub const fn slots(&self) -> usize {
        self.delay + self.ahead + 1
    }

    /// Bytes of a segment of `vectors` vectors a lane. Where it begins anywhere, one
    /// vector more.
    const fn segment_of(&self, vectors: usize) -> usize {
        vectors * VECTOR * LANES as usize + if self.shifted { VECTOR } else { 0 }
    }

    /// Bytes of a segment's elements.
    pub const fn segment(&self) -> usize {
        self.segment_of(self.vectors)
    }

    /// Bytes of a segment's results.
    pub const fn staged(&self) -> usize {
        self.segment_of(self.results)
    }

    /// Elements of a tile.
    pub const fn elements(&self) -> u64 {
        elements(self.items, self.workers)
    }

    /// Threads of a block.
    pub const fn threads(&self) -> u32 {
        (self.workers as u32 + 1) * LANES
    }

    /// Dynamic shared memory of a block, bytes.
    pub const fn shared_bytes(&self) -> u32 {
        self.prefixes_at(self.slots()) as u32
    }

    /// Where the segments of a slot are, bytes into the dynamic shared memory. Behind them
    /// are those of the results, the segment flags, the barriers, the aggregates and the
    /// prefixes, a row of each a slot.
    pub const fn slot_at(&self, slot: usize) -> usize {
        slot * self.workers * self.segment()
    }

    /// Where the results of a stage are.
    pub const fn stage_at(&self, stage: usize) -> usize {
        let stages = if self.is_staged() { stage } else { 0 };
        self.slot_at(self.slots()) + stages * self.workers * self.staged()
    }

    /// Where the segment flags of a slot are.
    pub const fn flags_at(&self, slot: usize) -> usize {
        self.stage_at(2) + slot * self.workers * self.segment_flags
    }

    /// Where the barriers of a slot are.
    pub const fn barriers_at(&self, slot: usize) -> usize {
        let row = (self.workers * size_of::<Barrier>()).next_multiple_of(TOTAL);
        self.flags_at(self.slots()) + slot * row
    }

    /// Where the aggregates of a slot are.
    pub const fn aggregates_at(&self, slot: usize) -> usize {
        self.barriers_at(self.slots()) + slot * self.workers * TOTAL
    }

    /// Where the prefixes of a slot are.
    pub const fn prefixes_at(&self, slot: usize) -> usize {
        self.aggregates_at(self.slots()) + slot * self.workers * TOTAL
    }
}
