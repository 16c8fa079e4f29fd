//! The reduction of an array of which every warp has one tile: by one block, or by blocks
//! that tell each other their totals.
//!
//! For arrays so small that the time of one access counts. All loads of a warp are asked
//! for together, behind one branch; where the array begins at a multiple of 16 and fills
//! the tile they are of vectors, else of elements. What a launch may do while the one before it
//! still runs is done there: the lines of the elements are asked for into the L2 cache,
//! which all SMs share, so that what the earlier launch writes is still seen.
//!
//! The blocks' totals are tagged words ([`status`]). With [`WAITS`] the first block waits for
//! those of the others, which needs neither a counter nor a fence; without, the block that
//! is done last gathers them as in [`device`](super::device). The result is the same, bit for
//! bit.
//!
//! Association: a tile as in [`tile`]; the warps of a block in [pairs](tile::pairs); the
//! blocks by [`gather`]. How many warps a block has
//! ([`warps`](super::sizes::warps)), and so what is in a part,
//! depends on the number of elements alone.

use cuda_std::{mem, shared_array, thread, warp};

use super::WAITS;
use super::request::Request;
use super::sizes::MAX_WARPS;
use super::tile::{self, Place};
use crate::operator::Operator;
use crate::scan::lanes::{self, LANES, unspecified};
use crate::scan::status::{self, Look, arrive, counted, gather, tag};

/// Reduces as `request` says.
///
/// # Safety
/// Up to [`ONE_WAVE_BLOCKS`](super::sizes::ONE_WAVE_BLOCKS) blocks of up to [`MAX_WARPS`] whole warps, which together have a tile
/// a warp for all elements; with [`WAITS`] all of them are resident at once. Input and output
/// are the request's, and do not overlap; the scratch memory has room for the totals of the
/// blocks and is this launch's alone.
#[inline(always)]
pub unsafe fn reduce<O: Operator, const R: usize, const U: usize, const E: usize>(
    request: Request<O>,
) {
    let totals = shared_array![u128; 32].cast::<O::Accumulator>();
    let shared_tag = shared_array![u32; 1];
    let (block, blocks) = (thread::block_idx_x(), thread::grid_dim_x());
    let (warp, lane) = (thread::thread_idx_x() / LANES, warp::lane_id());
    let warps = thread::block_dim_x() / LANES;
    let tile = block * warps + warp;
    // SAFETY: the caller's; totals and the tag are written on one side of a barrier and
    // read on the other.
    unsafe {
        // What can be known before earlier launches are done is.
        let mut place = Place::new::<R, E>(request.input, request.n, tile);
        place.prefetch::<R, E>();
        let request = request.begin();
        if !request.count.is_null() {
            place = Place::new::<R, E>(request.input, request.n, tile);
        }
        let items = place.read::<R, U, E>();
        // While the elements are on their way.
        if blocks > 1 && warp == warps - 1 && lane == 0 {
            *shared_tag = tag(request.scratch);
        }
        let total = place.total::<O, R, U, E>(&items);
        if lane == 0 {
            *totals.add(warp as usize) = total;
        }
        thread::sync_threads();
        if warp > 0 {
            return;
        }

        let tiles = request.tiles::<R, E>();
        let mine = tiles.saturating_sub(block * warps).min(warps);
        let own = *totals.add(lane.min(warps - 1) as usize);
        let total = tile::pairs::<O, { MAX_WARPS as usize }>(own, mine);
        if blocks > 1 {
            of_grid::<O>(&request, total, tiles.div_ceil(warps), *shared_tag);
        } else if lane == 0 {
            request.deliver(total, mine > 0);
        }
    }
}

/// Puts the blocks' totals together, of which the calling warp has its block's, and the
/// first `with` are of elements.
///
/// # Safety
/// As for [`reduce`]; all lanes of one warp of every block call it.
#[inline(always)]
unsafe fn of_grid<O: Operator>(request: &Request<O>, total: O::Accumulator, with: u32, tag: u32) {
    let (block, blocks) = (thread::block_idx_x(), thread::grid_dim_x());
    let (scratch, lane) = (request.scratch, warp::lane_id());
    let waits = request.flags & WAITS != 0;
    // SAFETY: the caller's. The tag is to be had until every block has published, which it
    // does behind its look at the tag, with elements or without.
    unsafe {
        let mut gathers = block == 0;
        if lane == 0 {
            status::publish(scratch, u64::from(block), total, tag);
            if !waits {
                gathers = arrive(scratch, blocks);
            }
        }
        status::clear_stale::<O::Accumulator>(scratch, request.words, u64::from(blocks), tag);
        if lanes::from_lane(u32::from(gathers), 0) == 0 {
            return;
        }
        let total = gathered::<O>(scratch, blocks, with, tag);
        if lane == 0 {
            if waits {
                mem::store_relaxed(scratch, counted(tag));
            }
            request.deliver(total, with > 0);
        }
    }
}

/// The totals of the first `with` of `blocks` blocks combined, in every lane, as soon as all
/// blocks have published.
///
/// # Safety
/// All lanes of the warp call it; all blocks publish.
#[inline(always)]
unsafe fn gathered<O: Operator>(
    scratch: *mut u64,
    blocks: u32,
    with: u32,
    tag: u32,
) -> O::Accumulator {
    // SAFETY: the caller's.
    unsafe {
        if with == blocks {
            return gather::<O>(scratch, 0, blocks, tag);
        }
        // The device's count has left blocks without elements.
        loop {
            let look = Look::<O::Accumulator>::at(scratch, 0, blocks);
            if warp::warp_vote_all(warp::FULL_MASK, look.is_there(tag)) {
                break;
            }
        }
        if with > 0 {
            Look::at(scratch, 0, with).combined::<O>()
        } else {
            unspecified()
        }
    }
}
