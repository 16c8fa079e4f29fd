//! Small arrays of short segments: a group of [`GROUP`] lanes has a segment, and what it is together is
//! known without any other. So the time is that of reading two offsets, and then the elements.
//!
//! What would keep one group long, the whole block does together.
//!
//! Association: a lane `ITEMS` neighbouring elements, in order; the lanes of a group in
//! [pairs](tile::pairs); what the group reads next behind that. Of a segment of more than `LONG`
//! elements a warp has a part, in the same way, and the warps are combined in pairs.

use core::array::from_fn;
use cuda_std::{grid, misc, shared_array, thread, warp};

use super::super::sizes::{
    SEGMENT_LANES as GROUP, SEGMENTED_WARPS as WARPS, SEGMENTS_EACH as SEGMENTS,
};
use super::super::tile;
use super::Request;
use super::offsets::Offsets;
use super::run::Maybe;
use crate::operator::Operator;
use crate::scan::lanes::{LANES, SECTOR, prefetch, unspecified};

/// Elements of a lane that are asked for together.
const ITEMS: usize = 4;

/// The same where a segment is long, and elements of a warp together.
const LONG_ITEMS: usize = 8;
const LONG_GO: u64 = LONG_ITEMS as u64 * LANES as u64;

/// The most elements that a group combines by itself.
const LONG: u64 = 256;

/// Reduces as `request` says, whose first [`offsets`](Offsets) are asked for into the L2 cache before
/// the launches ahead are done.
///
/// # Safety
/// As for [`reduce`](super::reduce), by a block for every [`SEGMENTS`] segments; the scratch memory is
/// not used.
#[inline(always)]
pub unsafe fn reduce<O: Operator>(request: &Request<O>) {
    let long = shared_array![u32; SEGMENTS as usize];
    let totals = shared_array![u128; WARPS as usize].cast::<O::Accumulator>();
    let warp = thread::thread_idx_x() / LANES;
    let group = thread::thread_idx_x() / GROUP;
    let first = thread::block_idx_x() * SEGMENTS;
    let segment = first.saturating_add(group);
    let lane = warp::lane_id() % GROUP;
    // SAFETY: the caller's; a segment that exists is asked for. Whether segments are long is
    // written on one side of a barrier and read on the other.
    unsafe {
        prefetch_likely(request, first);
        grid::wait_for_earlier();
        let offsets = Offsets::unread(request);
        let range = offsets.range(segment.min(request.segments.max(1) - 1));
        let is_there = segment < request.segments;
        let length = if is_there { range.1 - range.0 } else { 0 };
        let is_long = length > LONG;
        if lane == 0 {
            *long.wrapping_add(group as usize) = u32::from(is_long);
        }
        let own = if is_long { 0 } else { length };
        let total = of_lanes::<O, { GROUP as usize }, ITEMS>(request, range.0, own);
        if lane == 0 && is_there && !is_long {
            if total.is_there {
                request.deliver(segment, total.value);
            } else {
                *request.output.wrapping_add(segment as usize) = O::finish(request.initial);
            }
        }
        if thread::sync_threads_or(u32::from(is_long)) == 0 {
            return;
        }
        // Not unrolled: the number of segments of a block, as it is launched.
        for group in 0..thread::block_dim_x() / GROUP {
            if *long.wrapping_add(group as usize) != 0 {
                let (begin, end) = offsets.range(first + group);
                // Each warp has a part of whole goes.
                let part = (end - begin)
                    .div_ceil(u64::from(WARPS))
                    .next_multiple_of(LONG_GO);
                let own = begin + u64::from(warp) * part;
                let length = end.saturating_sub(own).min(part);
                let total = of_lanes::<O, { LANES as usize }, LONG_ITEMS>(request, own, length);
                if warp::lane_id() == 0 {
                    *totals.wrapping_add(warp as usize) = total.value;
                }
                thread::sync_threads();
                let parts = (end - begin).div_ceil(part) as u32;
                let own = *totals.wrapping_add(warp::lane_id().min(parts - 1) as usize);
                let total = tile::pairs::<O, { WARPS as usize }>(own, parts);
                if thread::thread_idx_x() == 0 {
                    request.deliver(first + group, total);
                }
                thread::sync_threads();
            }
        }
    }
}

/// Asks for the block's offsets, and for elements where they are if all segments are as long, into
/// the L2 cache. This reads nothing: it may be done before what earlier launches write is there.
///
/// # Safety
/// As for [`reduce`].
#[inline(always)]
unsafe fn prefetch_likely<O: Operator>(request: &Request<O>, first: u32) {
    let warp = thread::thread_idx_x() / LANES;
    let each = request.n / u64::from(request.segments.max(1));
    let segments = request.segments.saturating_sub(first).min(SEGMENTS);
    // What the groups read first, and each warp a part of it.
    let part = SEGMENTS * ITEMS as u32 * GROUP / WARPS;
    let begin = u64::from(first) * each + u64::from(warp * part);
    let count = request.n.saturating_sub(begin).min(part.into()) as u32;
    let size = size_of::<O::Input>() as u32;
    // SAFETY: the caller's; all of it is within the array and the offsets.
    unsafe {
        let from = request.input.wrapping_add(begin as usize);
        prefetch(from.cast(), count * size, part * size);
        if warp == 0 && !request.is_of_length() {
            let bytes = request.bytes_of_offset();
            let from = request
                .offsets
                .wrapping_add(first as usize * bytes as usize);
            prefetch(from, (segments + 1) * bytes, (SEGMENTS + 1) * 8 + SECTOR);
        }
    }
}

/// The `length` elements from `begin` on combined by a group of `SIZE` lanes, in all of which both are the
/// same; `ITEMS` of a lane are asked for together.
///
/// # Safety
/// All lanes of the warp call it; the elements are there.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "iterators are not unrolled early enough to ask for all elements together"
)]
unsafe fn of_lanes<O: Operator, const SIZE: usize, const ITEMS: usize>(
    request: &Request<O>,
    begin: u64,
    length: u64,
) -> Maybe<O::Accumulator> {
    let first = warp::lane_id() % SIZE as u32 * ITEMS as u32;
    let from = request.input.wrapping_add(begin as usize);
    let (mut total, mut done) = (Maybe::none(), 0);
    // SAFETY: the caller's; elements that exist are read, where there are any.
    unsafe {
        while warp::warp_vote_any(warp::FULL_MASK, done < length) {
            let left = length.saturating_sub(done).min((SIZE * ITEMS) as u64) as u32;
            let mine = left.saturating_sub(first);
            let mut own = unspecified();
            if left > 0 {
                let at = |i: usize| (first + i as u32).min(left - 1);
                let items: [O::Input; ITEMS] =
                    from_fn(|i| *from.wrapping_add(done as usize + at(i) as usize));
                own = O::transform(items[0]);
                for i in 1..ITEMS {
                    if (i as u32) < mine {
                        own = O::combine(own, O::transform(items[i]));
                    }
                }
            }
            let of_all = tile::pairs::<O, SIZE>(own, left.div_ceil(ITEMS as u32));
            total = total.then::<O>(Maybe {
                value: of_all,
                // Not known to the compiler, which would make two loops of this one.
                is_there: misc::in_register(left) > 0,
            });
            done += (SIZE * ITEMS) as u64;
        }
    }
    total
}
