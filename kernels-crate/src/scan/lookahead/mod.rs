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
//! in groups of [`GROUP`](super::scratch::GROUP), always in the same order: the result does not depend on the
//! number of blocks, nor on who was first. Every element is read once and written once.
//!
//! Association: a lane its items in order; the lanes of a segment by [`lanes::scan`](super::lanes::scan); so
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

use cuda_std::{shared, thread};

use super::heads;
use super::lanes::LANES;
use super::request::Request;
use super::shape::{Lookahead, VECTOR};
use crate::operator::Operator;

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
    fn next(&mut self, shape: &Lookahead, stride: u64) {
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

/// Scans as `request` says, with `ITEMS` elements a lane, in the [`Lookahead`] of the other
/// constants: `VECTORS`, `RESULTS`, `WORKERS`, `DELAY`, `AHEAD`.
///
/// # Safety
/// The grid has one dimension and its blocks are resident at once; blocks have
/// [`Lookahead::threads`] threads and [`Lookahead::shared_bytes`] of dynamic shared memory; input
/// and output hold `n` elements, at any address; they are the same or do not overlap; the
/// scratch memory has room for the tiles and is this launch's alone.
#[inline(always)]
pub unsafe fn scan<
    O: Operator,
    const ITEMS: usize,
    const VECTORS: usize,
    const RESULTS: usize,
    const WORKERS: usize,
    const DELAY: usize,
    const AHEAD: usize,
>(
    request: Request<O>,
) {
    let is_aligned = (request.input.addr() | request.output.addr()).is_multiple_of(VECTOR);
    // SAFETY: the caller's.
    unsafe {
        if is_aligned && !O::HAS_HEADS {
            scan_at::<O, ITEMS, VECTORS, RESULTS, WORKERS, DELAY, AHEAD, false>(request);
        } else {
            scan_at::<O, ITEMS, VECTORS, RESULTS, WORKERS, DELAY, AHEAD, true>(request);
        }
    }
}

/// # Safety
/// As for [`scan`]; unless `SHIFTED` both addresses are multiples of 16.
#[inline(always)]
unsafe fn scan_at<
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
        Lookahead {
            items: ITEMS,
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
