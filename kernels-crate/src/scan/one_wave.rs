//! The scan of an array whose tiles are all in registers at once: a tile a block, all
//! blocks resident.
//!
//! Every block reduces its tile first and publishes the aggregate; then its warps fetch those
//! of all tiles before it, a group of [`GROUP`] each, at the same time. So the time is
//! that of one read, one exchange and one write. A tile that begins with a segment waits for none.
//!
//! Shared memory: an aggregate a warp, one a group of tiles, and the tag.
//!
//! Association: a tile as in [`one_block`](super::one_block), the tiles of a group by
//! [`gather`], the groups in order.

use cuda_std::mem::prefetch_l2;
use cuda_std::shared::SharedPtr;
use cuda_std::{shared_array, thread, warp};

use super::WIDE_OFFSETS;
use super::lanes::{self, LANES, SECTOR};
use super::partial::Partial;
use super::request::Request;
use super::rows;
use super::scratch::GROUP;
use super::segment_flags::{EACH, offsets};
use super::shape::{elements_of_block, elements_of_warp};
use super::status::{self, gather};
use crate::operator::Operator;

/// Scans as `request` says.
///
/// # Safety
/// A block of `W` warps for every tile, at most
/// [`max_blocks`](super::shape::Registers::max_blocks), all resident at once;
/// input and output hold `n` elements, and are the same or do not overlap; the scratch
/// memory has room for the tiles and is this launch's alone.
#[inline(always)]
pub unsafe fn scan<
    O: Operator,
    const W: usize,
    const R: usize,
    const E: usize,
    const VECTORS: usize,
    const RESULTS: usize,
>(
    request: Request<O>,
) {
    const { assert!(W <= LANES as usize, "a warp scans the warps' aggregates") };
    let aggregates = shared_array![u128; 64].cast::<O::Accumulator>();
    let groups = shared_array![u128; 64].cast::<O::Accumulator>();
    let shared_tag = shared_array![u32; 1];
    let shared_begins = shared_array![u32; 1];
    let (warp, lane) = (thread::thread_idx_x() / LANES, warp::lane_id());
    let block = u64::from(thread::block_idx_x());
    let first = block * elements_of_block(W, R, E) + u64::from(warp) * elements_of_warp(R, E);
    // SAFETY: the caller's; aggregates, groups and the tag are written on one side of a
    // barrier and read on the other.
    unsafe {
        // Load, and reduce.
        prefetch_offsets(&request);
        request.prefetch(first, elements_of_warp(R, E) as u32);
        let request = request.begin();
        let mut read = rows::Read::<O, R, E, VECTORS>::start(&request, first);
        // While the elements are on their way.
        if thread::grid_dim_x() > 1 && warp == W as u32 - 1 && lane == 0 {
            *shared_tag = status::begin(request.scratch);
        }
        // Larger tiles are for more elements, and more offsets than it is worth for.
        if W * R <= ROWS && request.is_by_offsets() {
            let of_block = block * elements_of_block(W, R, E);
            read.mark(words_by_offsets::<O, W, R, E>(&request, of_block), of_block);
        }
        // What lies before a segment is of no use to it.
        if O::IS_SEGMENTED && warp == 0 && lane == 0 {
            *shared_begins = u32::from(read.begins_segment());
        }
        let rows = read.scan();
        if lane == 0 {
            *aggregates.add(warp as usize) = rows.aggregate();
        }
        thread::sync_threads();

        // Publish.
        let tag = *shared_tag;
        let published = u64::from(thread::grid_dim_x()) - 1;
        // All but those behind the last element.
        let rest = request.n.saturating_sub(block * elements_of_block(W, R, E));
        let warps = rest.div_ceil(elements_of_warp(R, E)).min(W as u64) as u32;
        let aggregate = *aggregates.add((lane as usize).min(W - 1));
        let in_tile = lanes::scan_first::<O, W>(aggregate, warps);
        if warp == 0 && lane == W as u32 - 1 && block < published {
            status::publish(request.scratch, block, in_tile, tag);
        }

        // Look: a group of tiles a warp.
        let group = u64::from(warp);
        let looks = !O::IS_SEGMENTED || *shared_begins == 0;
        if looks && group * GROUP < block && rest > 0 {
            let count = (block - group * GROUP).min(GROUP) as u32;
            let aggregate = gather::<O>(request.scratch, group, count, tag);
            if lane == 0 {
                *groups.add(warp as usize) = aggregate;
            }
        }
        let below = lanes::from_lane(in_tile, warp.max(1) - 1);
        thread::sync_threads();

        if warp == 0 && published > 0 {
            status::clear_stale::<O::Accumulator>(request.scratch, request.words, published, tag);
        }
        if !rows.is_any() {
            return;
        }

        // Scan behind all of that, and store.
        let mut prefix = request.initial();
        let before = if looks { block.div_ceil(GROUP) } else { 0 };
        for group in 0..before as usize {
            prefix = Partial::some(prefix.then::<O>(*groups.add(group)));
        }
        if warp > 0 {
            prefix = Partial::some(prefix.then::<O>(below));
        }
        rows.store::<RESULTS>(&request, prefix);
    }
}

/// Bytes of an offset.
#[inline(always)]
fn bytes_of_offset<O: Operator>(request: &Request<O>) -> u64 {
    match request.flags & WIDE_OFFSETS {
        0 => 4,
        _ => 8,
    }
}

/// Asks for the offsets into the L2 cache, before the launches ahead are done: each block for a share.
///
/// # Safety
/// They are in global memory.
#[inline(always)]
unsafe fn prefetch_offsets<O: Operator>(request: &Request<O>) {
    if request.is_by_offsets() {
        let thread = thread::block_idx_x() * thread::block_dim_x() + thread::thread_idx_x();
        let at = u64::from(thread) * u64::from(SECTOR);
        if at < request.segments * bytes_of_offset(request) {
            let offsets = request.segment_flags.cast::<u8>();
            // SAFETY: the caller's; it is one of them.
            unsafe { prefetch_l2(offsets.wrapping_add(at as usize)) };
        }
    }
}

/// The most rows of a block that looks at offsets itself.
const ROWS: usize = 16;

/// Words that a block has room for.
const WORDS: usize = 1024;

/// Where segments begin among the block's elements, of which the first has index `first`, by the
/// offsets of all segments.
///
/// # Safety
/// All threads of the block call it, once; the offsets may be read.
#[inline(always)]
unsafe fn words_by_offsets<O: Operator, const W: usize, const R: usize, const E: usize>(
    request: &Request<O>,
    first: u64,
) -> SharedPtr<u32> {
    const { assert!(W * R * E <= WORDS) };
    let words = shared_array![u32; WORDS];
    let own = request
        .n
        .saturating_sub(first)
        .min(elements_of_block(W, R, E));
    let mut word = thread::thread_idx_x();
    // SAFETY: the caller's; words are cleared, set and read between barriers.
    unsafe {
        while u64::from(word) * EACH < elements_of_block(W, R, E) {
            let is_first = first == 0 && word == 0;
            *words.wrapping_add(word as usize) = u32::from(is_first);
            word += thread::block_dim_x();
        }
        thread::sync_threads();
        let at = request.segment_flags;
        let are_wide = bytes_of_offset(request) == 8;
        offsets::mark::<4>(words, (first, own), request.segments, |i| match are_wide {
            true => i.map(|i| *at.cast::<u64>().wrapping_add(i as usize)),
            false => i.map(|i| u64::from(*at.wrapping_add(i as usize))),
        });
        thread::sync_threads();
        SharedPtr::new(words)
    }
}
