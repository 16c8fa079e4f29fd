//! The scan for large arrays: a persistent block on each SM, which looks ahead while it waits
//! for what lies behind. This file has the algorithm, in the order in which it happens.
//!
//! The array is cut into tiles; block b has tiles b, b + grid, b + 2 grid, ... In a
//! block, `WORKERS` warps stream their own contiguous part of each tile, a *segment*,
//! through slots of shared memory: bulk copies bring it and take it away. One
//! more warp, the *lookahead warp*, talks to the other blocks.
//!
//! In round k the workers reduce their segments of the block's k-th tile, meet the lookahead
//! warp at a barrier, and scan those of tile k - `DELAY`, in place in its slot. The lookahead
//! warp publishes the aggregate of tile k behind the barrier, and before the next one finds the
//! exclusive prefix of tile k + 1 - `DELAY`. So the exchange of aggregates, some
//! microseconds under load, has `DELAY` rounds to happen in, and nobody waits for it.
//!
//! Only aggregates are published, and what lies before a tile is combined from all of them
//! in groups of [`GROUP`](super::scratch::GROUP), always in the same order: the result does not
//! depend on the number of blocks, nor on who was first. Every element is read once and written
//! once.
//!
//! Association: a lane its items in order; the lanes of a segment by
//! [`lanes::scan`]; so the segments of a tile; the tiles of a group by
//! [`Look::combined`](status::Look::combined); the groups in order.
//!
//! Shared memory ([`Lookahead`]): slots for the segments of the tiles that wait for their prefix
//! (`DELAY`), of those that are on their way (`AHEAD`), and of the one that leaves; beside each,
//! a barrier for its bulk copy, its aggregate and its exclusive prefix. Few tiles are on their
//! way, since what a block asks for first stands before what it asks for next: a long queue of
//! elements delays the aggregates.
//!
//! Blocks wait for each other, so all of them must be resident at once.
//!
//! Source of the aggregates in tagged words: Merrill and Garland, Single-pass parallel prefix
//! scan with decoupled look-back, 2016; that nobody looks back for inclusive prefixes, and the
//! delay, are ours.

pub(crate) mod block;
pub(crate) mod cursor;
mod dealt;
pub(crate) mod pipeline;
mod prefixes;
mod ranges;
pub(crate) mod role;
pub(crate) mod slot;
mod totals;

use cuda_std::{shared, thread, warp};

use self::block::Block;
use self::cursor::{Cursor, Delayed};
use self::dealt::{Dealing, Devices, OneDevice, Segments};
use self::pipeline::Pipeline;
use self::prefixes::{Prefixes, Window};
use self::role::Warp;
use self::slot::Slot;
use super::items;
use super::lanes::{self, LANES, unspecified};
use super::partial::Partial;
use super::request::Request;
use super::segment_flags;
use super::shape::{Lookahead, TOTAL, VECTOR};
use super::{DEALT, TOTALS, status};
use crate::operator::Operator;

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
        if is_aligned && !O::IS_SEGMENTED {
            run::<O, ITEMS, VECTORS, RESULTS, WORKERS, DELAY, AHEAD, false>(request);
        } else {
            run::<O, ITEMS, VECTORS, RESULTS, WORKERS, DELAY, AHEAD, true>(request);
        }
    }
}

/// Gives every warp its role.
///
/// # Safety
/// As for [`scan`]; unless `SHIFTED` both addresses are multiples of 16.
#[inline(always)]
unsafe fn run<
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
            segment_flags: segment_flags::room::<O>(ITEMS),
        }
    };
    // SAFETY: the caller's.
    unsafe {
        let (block, warp) = Block::enter(request, shape);
        if warp.is_worker(WORKERS) {
            worker::<O, ITEMS, VECTORS, RESULTS, DELAY, AHEAD>(&block, warp);
        } else if !SHIFTED && request.flags & (DEALT | TOTALS) != 0 {
            look_ahead_among::<O, Devices, WORKERS, DELAY>(&block);
        } else if O::IS_SEGMENTED {
            look_ahead_among::<O, Segments, WORKERS, DELAY>(&block);
        } else {
            look_ahead::<O, WORKERS, DELAY>(&block);
        }
    }
}

/// A worker: reduces its segment of every tile of the block, and `DELAY` rounds later scans it.
///
/// # Safety
/// As for [`scan`]; all lanes of worker `warp` call it.
#[inline(always)]
unsafe fn worker<
    O: Operator,
    const ITEMS: usize,
    const VECTORS: usize,
    const RESULTS: usize,
    const DELAY: usize,
    const AHEAD: usize,
>(
    block: &Block<O>,
    warp: Warp,
) {
    // SAFETY: the slots and barriers of this warp are its own; for everything else see
    // the caller's.
    unsafe {
        let mut pipeline = Pipeline::start::<AHEAD>(block, warp);
        // Totals are asked for where both addresses are multiples of 16, and of segments.
        let is_never_totalled = block.shape.shifted && !O::IS_SEGMENTED;
        let scans = is_never_totalled || block.request.flags & TOTALS == 0;
        // The exclusive prefixes of the lanes in their segments.
        let mut exclusive = Delayed::<O::Accumulator, DELAY>::new(unspecified());
        for round in 0..block.own + DELAY as u32 {
            let mut reduced = unspecified();
            if round < block.own {
                reduced = reduce::<O, VECTORS, ITEMS>(&pipeline.arrived());
            }

            // The lookahead warp gets this tile's aggregates, and we the prefix of an earlier one.
            thread::sync_threads_anywhere();

            if scans && round >= DELAY as u32 {
                let slot = pipeline.due();
                scan_and_store::<O, VECTORS, RESULTS, ITEMS>(&slot, exclusive.oldest(), round);
            }
            exclusive.push(reduced);
            if round + (AHEAD as u32) < block.own {
                pipeline.refill();
            }
        }
        pipeline.end();
    }
}

/// Combines a segment, for the lookahead warp. The lane's exclusive prefix in it.
///
/// # Safety
/// All lanes of the worker call it, before the round's barrier.
#[inline(always)]
unsafe fn reduce<O: Operator, const V: usize, const ITEMS: usize>(
    slot: &Slot<O>,
) -> O::Accumulator {
    let before = slot.items_below::<ITEMS>();
    // SAFETY: the caller's; the lookahead warp reads the aggregate behind the barrier.
    unsafe {
        let (items, flags) = (slot.items::<V>(), slot.flags::<ITEMS>());
        let inclusive = items::reduce_segment::<O, V, ITEMS>(&items, &flags, slot.count);
        // The last lane with elements has the segment's aggregate.
        if slot.count > before && slot.count <= before + ITEMS as u32 {
            *slot.aggregate() = inclusive;
        }
        lanes::shuffle_up(inclusive, 1)
    }
}

/// Scans a segment behind its prefix and those of its lanes, and has the results taken away.
///
/// # Safety
/// All lanes of the worker call it, behind the round's barrier; the segment was reduced.
#[inline(always)]
unsafe fn scan_and_store<O: Operator, const V: usize, const R: usize, const ITEMS: usize>(
    slot: &Slot<O>,
    exclusive: O::Accumulator,
    round: u32,
) {
    let before = slot.items_below::<ITEMS>();
    // SAFETY: the caller's; the lookahead warp has written the prefix before the barrier.
    unsafe {
        let items = slot.items::<V>();
        let prefix = slot
            .prefix()
            .of_lane::<O>(exclusive, || slot.count > before);
        let flags = slot.flags::<ITEMS>();
        let request = &slot.block.request;
        let results =
            items::scan_segment::<O, V, R, ITEMS>(request, &items, &flags, slot.count, prefix);
        slot.store(round, results);
    }
}

/// The lookahead warp: tells the other blocks of this block's tiles, and the workers what lies
/// before their segments.
///
/// # Safety
/// As for [`scan`]; all lanes of the warp behind the workers call it.
#[inline(always)]
pub(crate) unsafe fn look_ahead<O: Operator, const WORKERS: usize, const DELAY: usize>(
    block: &Block<O>,
) {
    // SAFETY: the caller's.
    unsafe { look_ahead_among::<O, OneDevice, WORKERS, DELAY>(block) }
}

/// The same, of tiles that are dealt as `D` says.
///
/// # Safety
/// As for [`look_ahead`].
#[inline(always)]
unsafe fn look_ahead_among<O: Operator, D: Dealing, const WORKERS: usize, const DELAY: usize>(
    block: &Block<O>,
) {
    let lane = warp::lane_id();
    let request = &block.request;
    // Tiles of this device.
    let mut look_tile = u64::from(thread::block_idx_x());
    // SAFETY: the caller's; a row of aggregates or prefixes is written and read on different
    // sides of a barrier.
    unsafe {
        let tag = block.tag(lane);
        let devices = D::read(block);
        let mut prefixes = Prefixes::<O, D>::new(request, tag);
        let mut window = Window::none();
        let (mut publishing, mut finding) = (Cursor::new(block.first), Cursor::new(block.first));
        let mut publish_tile = look_tile;
        // The exclusive prefixes of the workers in their tiles.
        let mut exclusive = Delayed::<O::Accumulator, DELAY>::new(unspecified());
        for round in 0..block.own + DELAY as u32 {
            if round >= DELAY as u32 {
                let prefix = prefixes.find(window);
                hand_over::<O, WORKERS>(block, &finding, prefix, exclusive.oldest());
                block.advance(&mut finding);
            }
            // The next look is under way while everybody meets.
            window = Window::none();
            if round + 1 >= DELAY as u32 && round + 1 < block.own + DELAY as u32 {
                window = prefixes.look(devices.tile(look_tile));
                look_tile += block.blocks;
            }

            thread::sync_threads_anywhere();

            let mut reduced = exclusive.newest();
            if round < block.own {
                reduced = publish::<O, D, WORKERS>(block, &devices, &publishing, publish_tile, tag);
                block.advance(&mut publishing);
                publish_tile += block.blocks;
            }
            exclusive.push(reduced);
        }
        if devices.are_totalled() {
            totals::write::<O, D>(block, tag);
        }
        status::clear_stale::<O::Accumulator>(
            request.scratch,
            request.words,
            devices.published(block.published()),
            tag,
        );
    }
}

/// Publishes the aggregate of a tile. The exclusive prefix of the lane's worker in it.
///
/// # Safety
/// All lanes of the lookahead warp call it, behind the barrier of the tile's round.
#[inline(always)]
unsafe fn publish<O: Operator, D: Dealing, const WORKERS: usize>(
    block: &Block<O>,
    devices: &D,
    at: &Cursor,
    tile: u64,
    tag: u32,
) -> O::Accumulator {
    let lane = warp::lane_id();
    let workers = block.workers_of(at);
    // SAFETY: the caller's.
    unsafe {
        let mut aggregate = unspecified();
        if lane < workers {
            let row = block.shape.aggregates_at(at.slot as usize);
            aggregate = *shared_at(row + lane as usize * TOTAL);
        }
        let inclusive = lanes::scan_first::<O, WORKERS>(aggregate, workers);
        // On one device nobody asks for a tile that is cut short.
        let last = if D::TELLS_ALL {
            workers
        } else {
            WORKERS as u32
        } - 1;
        devices.publish(block, tile, (inclusive, last), tag);
        lanes::shuffle_up(inclusive, 1)
    }
}

/// Gives the workers the exclusive prefixes of their segments of a tile, whose own is `prefix`.
///
/// # Safety
/// All lanes of the lookahead warp call it, before the barrier behind which the workers scan the
/// tile.
#[inline(always)]
unsafe fn hand_over<O: Operator, const WORKERS: usize>(
    block: &Block<O>,
    at: &Cursor,
    prefix: Partial<O::Accumulator>,
    exclusive: O::Accumulator,
) {
    let lane = warp::lane_id();
    let prefix = prefix.of_lane::<O>(exclusive, || lane < block.workers_of(at));
    if lane < WORKERS as u32 {
        let row = block.shape.prefixes_at(at.slot as usize);
        // SAFETY: the caller's.
        unsafe { *shared_at(row + lane as usize * TOTAL) = prefix.value };
    }
}

/// The place `at` bytes into the dynamic shared memory, for aggregates and prefixes.
#[inline(always)]
pub(crate) fn shared_at<T>(at: usize) -> *mut T {
    shared::dynamic_shared_mem::<u8>().wrapping_add(at).cast()
}
