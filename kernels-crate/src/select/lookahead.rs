//! The selection from a large array: the blocks, slots and lookahead warps of the
//! [scan](crate::scan::lookahead), whose sums are the places of what is chosen.
//!
//! In round k the workers find which elements of their segments of the block's k-th tile are
//! chosen, and count them; `DELAY` rounds later, when the lookahead warp knows how many were
//! chosen before, they put them one behind the other in the slot, and a bulk copy takes them
//! away. Of a partition, the other elements follow in the same way, once the slot is free.

use cuda_std::{bulk, thread, warp};

use super::chosen::Chosen;
use super::predicate::{Counts, Predicate};
use super::request::Request;
use crate::LANES;
use crate::scan::lanes;
use crate::scan::lookahead::block::Block;
use crate::scan::lookahead::cursor::Delayed;
use crate::scan::lookahead::pipeline::Pipeline;
use crate::scan::lookahead::role::Warp;
use crate::scan::lookahead::slot::Slot;
use crate::scan::lookahead::{look_ahead, shared_at};
use crate::scan::shape::Lookahead;

/// Selects as `request` says, in the [`Lookahead`] of the constants.
///
/// # Safety
/// The grid has one dimension and its blocks are resident at once; blocks have
/// [`Lookahead::threads`] threads and [`Lookahead::shared_bytes`] of dynamic shared memory; the
/// input, flags that are asked for and the output are the request's, which has an element at
/// least; the output overlaps neither; the scratch memory has room for the tiles and is this
/// launch's alone.
#[inline(always)]
pub unsafe fn select<
    P: Predicate,
    const ITEMS: usize,
    const VECTORS: usize,
    const RESULTS: usize,
    const WORKERS: usize,
    const DELAY: usize,
    const AHEAD: usize,
>(
    request: Request<P>,
) {
    let shape = const {
        Lookahead {
            items: ITEMS,
            vectors: VECTORS,
            results: RESULTS,
            workers: WORKERS,
            delay: DELAY,
            ahead: AHEAD,
            shifted: true,
            segment_flags: 0,
        }
    };
    // SAFETY: the caller's.
    unsafe {
        let (block, warp) = Block::enter(request.scanned(), shape);
        if warp.is_worker(WORKERS) {
            worker::<P, ITEMS, VECTORS, DELAY, AHEAD>(&request.begin(), &block, warp);
        } else {
            look_ahead::<Counts<P>, WORKERS, DELAY>(&block);
        }
    }
}

/// What a lane knows of its items until they leave.
#[derive(Clone, Copy)]
struct Held {
    chosen: Chosen,
    /// How many are chosen of the lanes below.
    below: u32,
}

/// A worker: counts what is chosen of its segment of every tile of the block, and `DELAY` rounds
/// later stores it.
///
/// # Safety
/// As for [`select`]; all lanes of worker `warp` call it.
#[inline(always)]
unsafe fn worker<
    P: Predicate,
    const ITEMS: usize,
    const VECTORS: usize,
    const DELAY: usize,
    const AHEAD: usize,
>(
    request: &Request<P>,
    block: &Block<Counts<P>>,
    warp: Warp,
) {
    // SAFETY: the slots and barriers of this warp are its own; for everything else see the
    // caller's.
    unsafe {
        let nothing = Held {
            chosen: Chosen::none(),
            below: 0,
        };
        let mut pipeline = Pipeline::start::<AHEAD>(block, warp);
        let mut held = Delayed::<Held, DELAY>::new(nothing);
        let mut first = block.first + u64::from(warp.0 * block.segment());
        for round in 0..block.own + DELAY as u32 {
            let mut found = nothing;
            let request = request.of_round();
            if round < block.own {
                found = count::<P, VECTORS, ITEMS>(&request, block, first, || pipeline.arrived());
                first += block.stride;
            }

            // The lookahead warp gets this tile's counts, and we the places of an earlier one.
            thread::sync_threads_anywhere();

            if round >= DELAY as u32 {
                store::<P, VECTORS, ITEMS>(&request, &pipeline.due(), held.oldest());
            }
            held.push(found);
            if round + (AHEAD as u32) < block.own {
                pipeline.refill();
            }
        }
        pipeline.end();
    }
}

/// Finds which elements of a segment, whose first one is `first`, are chosen, and counts them for
/// the lookahead warp.
///
/// # Safety
/// All lanes of the worker call it, before the round's barrier; `arrived` gives the segment.
#[inline(always)]
unsafe fn count<'a, P: Predicate, const V: usize, const ITEMS: usize>(
    request: &Request<P>,
    block: &Block<Counts<P>>,
    first: u64,
    arrived: impl FnOnce() -> Slot<'a, Counts<P>>,
) -> Held {
    let at = u64::from(warp::lane_id()) * ITEMS as u64;
    let mine = block.count(first + at, ITEMS as u32);
    // SAFETY: the caller's; the lookahead warp reads the count behind the barrier.
    unsafe {
        // What is not in the slot is under way while that is waited for.
        let before = request.item_before(first);
        let mut chosen = Chosen::none();
        if request.is_by_flags() {
            let flags = request.flags.wrapping_add((first + at) as usize);
            chosen = Chosen::by_flags::<ITEMS>(flags, mine);
        }
        let slot = arrived();
        if !request.is_by_flags() {
            let items = slot.items::<V>();
            chosen = Chosen::by_items::<P, V, ITEMS>(request, &items, first + at, mine, before);
        }
        let own = chosen.count();
        let inclusive = lanes::scan::<Counts<P>>(own, LANES);
        if warp::lane_id() == LANES - 1 {
            *slot.aggregate() = inclusive;
        }
        Held {
            chosen,
            below: inclusive - own,
        }
    }
}

/// Has the chosen elements of a segment taken away, and of a partition the others.
///
/// # Safety
/// All lanes of the worker call it, behind the round's barrier; the segment was counted.
#[inline(always)]
unsafe fn store<P: Predicate, const V: usize, const ITEMS: usize>(
    request: &Request<P>,
    slot: &Slot<'_, Counts<P>>,
    held: Held,
) {
    let Held { chosen, below } = held;
    // SAFETY: the caller's; the lookahead warp has written the prefix before the barrier.
    unsafe {
        let items = slot.items::<V>();
        let count = lanes::from_lane(below + chosen.count(), LANES - 1);
        let prefix = slot.prefix();
        let before = if prefix.exists { prefix.value } else { 0 };
        put::<P, V, ITEMS>(
            slot,
            &items,
            chosen,
            [below, 1],
            request.place(before),
            count,
        );
        if request.is_partition() {
            // The copy has read the slot.
            bulk::wait_read::<0>();
            let all = Chosen::first(slot.count.saturating_sub(slot.items_below::<ITEMS>()));
            let others = chosen.others().and(all);
            let rest = slot.count - count;
            let earlier = slot.items_below::<ITEMS>().min(slot.count) - below;
            let last = rest.wrapping_sub(1).wrapping_sub(earlier);
            let to = request.place_of_rest(slot.first - u64::from(before), rest);
            put::<P, V, ITEMS>(slot, &items, others, [last, u32::MAX], to, rest);
        }
        let is_last = slot.count > 0 && slot.first + u64::from(slot.count) == request.n;
        if is_last && warp::lane_id() == 0 {
            request.tell(before + count);
        }
    }
}

/// Puts `count` elements of a segment one behind the other in its slot, the lane's first one at a
/// place and those behind it a step further each, and has them taken away to `to`.
///
/// # Safety
/// All lanes of the worker call it; nothing takes the slot's elements away.
#[inline(always)]
unsafe fn put<P: Predicate, const V: usize, const ITEMS: usize>(
    slot: &Slot<'_, Counts<P>>,
    items: &crate::scan::items::Items<P::Item, V>,
    chosen: Chosen,
    [place, step]: [u32; 2],
    to: *mut P::Item,
    count: u32,
) {
    let size = size_of::<P::Item>() as u32;
    // SAFETY: the caller's.
    unsafe {
        // Others have read what is written over.
        warp::sync_warp(warp::FULL_MASK);
        let (at, shift) = slot.room(to.cast());
        chosen.put_items::<_, V, ITEMS>(items, shared_at(at + shift), place, step);
        bulk::fence();
        warp::sync_warp(warp::FULL_MASK);
        slot.leave(at, to.cast(), count * size);
    }
}
