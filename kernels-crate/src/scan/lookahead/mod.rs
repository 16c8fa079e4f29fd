//! The scan for large arrays: a persistent block on each multiprocessor, which looks
//! ahead while it waits for what lies behind.
//!
//! The array is cut into tiles; block b has tiles b, b + grid, b + 2 grid, ... In a
//! block, `WORKERS` warps stream their own contiguous part of each tile, a *segment*,
//! through slots of shared memory: bulk copies bring it and take it away. One
//! more warp, the *look-out*, talks to the other blocks.
//!
//! In round k the workers total their segments of the block's k-th tile, meet the
//! look-out at a barrier, and scan those of tile k - `DELAY`, in place in its slot. The
//! look-out publishes the total of tile k behind the barrier, and before the next one
//! fetches what lies before tile k + 1 - `DELAY`. So the exchange of totals, some
//! microseconds under load, has `DELAY` rounds to happen in, and nobody waits for it.
//!
//! Only totals are published, and what lies before a tile is combined from all of them
//! in groups of [`GROUP`](super::status::GROUP), always in the same order: the result does not depend on the
//! number of blocks, nor on who was first. Every element is read once and written once.
//!
//! Association: a lane its items in order; the lanes of a segment by [`lanes::scan`]; so
//! the segments of a tile; the tiles of a group by [`Look::combined`](super::status::Look::combined); the groups in order.
//!
//! Slots: of the tiles that wait for what lies before them (`DELAY`), of those that are on
//! their way (`AHEAD`), and of the one that leaves. Few are on their way, since what a block
//! asks for first stands before what it asks for next: a long queue of elements delays the
//! totals.
//!
//! Blocks wait for each other, so all of them must be resident at once.

mod bytes;
mod look_out;
mod worker;

use cuda_std::bulk::Barrier;
use cuda_std::{shared, thread};

use super::Request;
use super::heads;
use super::lanes::{self, LANES};
use crate::operator::Operator;

/// Bytes of a vector.
const VECTOR: usize = 16;

/// Room for a total in shared memory, bytes.
const TOTAL: usize = (4 * lanes::MAX_WORDS).next_multiple_of(16);

/// The constants of a kernel.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Vectors of 16 bytes of the input that a lane has of a tile: an odd number, so that
    /// lanes read from different banks.
    pub vectors: usize,
    /// As many elements as vectors of the output.
    pub results: usize,
    /// Warps that scan.
    pub workers: usize,
    /// Rounds between the total of a tile and its scan.
    pub delay: usize,
    /// Tiles that are on their way.
    pub ahead: usize,
    /// Whether input and output may begin anywhere, and not at multiples of 16 alone.
    pub shifted: bool,
    /// Bytes of room for the words that say where segments of the array begin among a warp's
    /// elements, [`heads::room`]; 0 where there is one alone.
    pub heads: usize,
}

impl Shape {
    /// Whether results have shared memory of their own, and not that of the elements:
    /// that of the tile that is scanned and of the one that leaves.
    const fn is_staged(&self) -> bool {
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
    const fn segment(&self) -> usize {
        self.segment_of(self.vectors)
    }

    /// Bytes of a segment's results.
    const fn staged(&self) -> usize {
        self.segment_of(self.results)
    }

    /// Threads of a block.
    pub const fn threads(&self) -> u32 {
        (self.workers as u32 + 1) * LANES
    }

    /// Dynamic shared memory of a block, bytes.
    pub const fn shared_bytes(&self) -> u32 {
        self.bases_at(self.slots()) as u32
    }

    /// Where the segments of a slot are, bytes into the dynamic shared memory. Behind
    /// them are those of the results, the heads, the barriers, the totals and the bases, a row of
    /// each a slot.
    const fn slot_at(&self, slot: usize) -> usize {
        slot * self.workers * self.segment()
    }

    const fn stage_at(&self, stage: usize) -> usize {
        let stages = if self.is_staged() { stage } else { 0 };
        self.slot_at(self.slots()) + stages * self.workers * self.staged()
    }

    const fn heads_at(&self, slot: usize) -> usize {
        self.stage_at(2) + slot * self.workers * self.heads
    }

    const fn barriers_at(&self, slot: usize) -> usize {
        let row = (self.workers * size_of::<Barrier>()).next_multiple_of(TOTAL);
        self.heads_at(self.slots()) + slot * row
    }

    const fn totals_at(&self, slot: usize) -> usize {
        self.barriers_at(self.slots()) + slot * self.workers * TOTAL
    }

    const fn bases_at(&self, slot: usize) -> usize {
        self.totals_at(self.slots()) + slot * self.workers * TOTAL
    }
}

/// A way through the block's tiles, in order.
#[derive(Clone, Copy)]
struct Walk {
    /// The slot of the tile.
    slot: u32,
    /// The parity of how often the slots were gone through.
    parity: u32,
    /// The first element, of the tile or of a segment of it.
    first: u64,
}

impl Walk {
    #[inline(always)]
    fn new(first: u64) -> Self {
        Self {
            slot: 0,
            parity: 0,
            first,
        }
    }

    /// Goes on to the block's next tile.
    #[inline(always)]
    fn next(&mut self, shape: &Shape, stride: u64) {
        self.slot += 1;
        if self.slot == shape.slots() as u32 {
            self.slot = 0;
            self.parity ^= 1;
        }
        self.first += stride;
    }
}

/// What all warps of a block agree on.
struct Plan<O: Operator> {
    request: Request<O>,
    /// Elements of a tile.
    tile: u64,
    /// Elements from one of the block's tiles to its next.
    stride: u64,
    /// The first element of the block's first tile.
    first: u64,
    /// The block's tiles.
    own: u32,
}

impl<O: Operator> Plan<O> {
    /// How many of `most` elements from `first` on there are.
    #[inline(always)]
    fn count(&self, first: u64, most: u32) -> u32 {
        self.request.n.saturating_sub(first).min(u64::from(most)) as u32
    }
}

/// Scans as `request` says, with `ITEMS` elements a lane, in the [`Shape`] of the other
/// constants: `VECTORS`, `RESULTS`, `WORKERS`, `DELAY`, `AHEAD`, `SHIFTED`.
///
/// # Safety
/// The grid has one dimension and its blocks are resident at once; blocks have
/// [`Shape::threads`] threads and [`Shape::shared_bytes`] of dynamic shared memory; input
/// and output hold `n` elements, and unless `SHIFTED` are multiples of 16 bytes; they are
/// the same or do not overlap; the scratch memory has room for the tiles and is this
/// launch's alone.
#[inline(always)]
pub unsafe fn scan<
    O: Operator,
    const ITEMS: usize,
    const VECTORS: usize,
    const RESULTS: usize,
    const WORKERS: usize,
    const DELAY: usize,
    const AHEAD: usize,
    const SHIFTED: bool,
>(
    request: Request<O>,
) {
    const {
        assert!(DELAY > 0 && AHEAD > 0 && WORKERS < LANES as usize);
        // A lane clears one margin of a slot.
        assert!(2 * (DELAY + AHEAD + 1) <= LANES as usize);
    };
    let shape = const {
        Shape {
            vectors: VECTORS,
            results: RESULTS,
            workers: WORKERS,
            delay: DELAY,
            ahead: AHEAD,
            shifted: SHIFTED,
            heads: heads::room::<O>(ITEMS),
        }
    };
    let tile = (ITEMS * LANES as usize * WORKERS) as u64;
    let block = u64::from(thread::block_idx_x());
    let blocks = u64::from(thread::grid_dim_x());
    let warp = thread::thread_idx_x() / LANES;
    // SAFETY: the caller's.
    let request = unsafe {
        if warp < WORKERS as u32 {
            let segment = ITEMS as u32 * LANES;
            for k in 0..AHEAD as u64 {
                let first = (block + k * blocks) * tile + u64::from(warp * segment);
                request.ask_ahead(first, segment);
            }
        }
        request.begin()
    };
    let tiles = request.n.div_ceil(tile);
    let own = if block < tiles {
        ((tiles - block - 1) / blocks + 1) as u32
    } else {
        0
    };
    let plan = Plan {
        request,
        tile,
        stride: blocks * tile,
        first: block * tile,
        own,
    };
    // SAFETY: the caller's.
    unsafe {
        if warp < WORKERS as u32 {
            worker::run::<O, ITEMS, VECTORS, RESULTS, DELAY, AHEAD>(&plan, shape, warp);
        } else {
            look_out::run::<O, WORKERS, DELAY>(&plan, shape, tiles);
        }
    }
}

/// The place `at` bytes into the dynamic shared memory, for totals and bases.
#[inline(always)]
fn shared_at<T>(at: usize) -> *mut T {
    shared::dynamic_shared_mem::<u8>().wrapping_add(at).cast()
}
