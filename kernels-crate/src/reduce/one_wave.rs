//! The reduction of an array of which every warp has one tile: by one block, or by blocks
//! that tell each other their totals.
//!
//! For arrays so small that the time of one access counts. All loads of a warp are asked
//! for together, behind one branch; where the array begins at a multiple of 16 and fills
//! the tile they are of vectors, else of elements. What a launch may do while the one before it
//! still runs is done there: the lines of the elements are asked for into the L2 cache,
//! which all multiprocessors share, so that what the earlier launch writes is still seen.
//!
//! The blocks' totals are tagged words ([`status`]). With [`WAITS`] the last block waits for
//! those of the others, which needs neither a counter nor a fence; without, the block that
//! is done last gathers them as in [`device`](super::device). The result is the same, bit for
//! bit.
//!
//! Association: a tile as in [`tile`]; the warps of a block in [pairs](tile::pairs); blocks
//! and groups as in [`device`](super::device). What is in a part depends on the number of
//! elements alone.

use cuda_std::{mem, shared_array, thread, warp};

use super::device::{self, arrive, tag};
use super::tile::{self, Place};
use super::{Request, WAITS};
use crate::operator::Operator;
use crate::scan::lanes::{LANES, anything};
use crate::scan::status;

/// Reduces as `request` says.
///
/// # Safety
/// One block of at most `W` whole warps, or up to [`device::MAX_BLOCKS`] of `W`, which
/// together have a tile a warp for all elements; with [`WAITS`] all of them are resident
/// at once. Input and output are the request's, and do not overlap; the scratch memory has
/// room for the totals of the blocks and is this launch's alone.
#[inline(always)]
pub unsafe fn reduce<
    O: Operator,
    const HINT: u32,
    const W: usize,
    const R: usize,
    const U: usize,
    const E: usize,
>(
    request: Request<O>,
) {
    const { assert!(W <= LANES as usize, "a warp combines the warps' totals") };
    let totals = shared_array![u128; 32].cast::<O::Accumulator>();
    let shared_tag = shared_array![u32; 1];
    let (block, blocks) = (thread::block_idx_x(), thread::grid_dim_x());
    let (warp, lane) = (thread::thread_idx_x() / LANES, warp::lane_id());
    let tile = block * W as u32 + warp;
    // SAFETY: the caller's; totals and the tag are written on one side of a barrier and
    // read on the other.
    unsafe {
        // What can be known before earlier launches are done is.
        let mut place = Place::new::<R, E>(request.input, request.n, tile);
        place.ask_ahead::<R, E>();
        let request = request.begin();
        if !request.count.is_null() {
            place = Place::new::<R, E>(request.input, request.n, tile);
        }
        let items = place.read::<HINT, R, U, E>();
        // While the elements are on their way.
        if blocks > 1 && warp == W as u32 - 1 && lane == 0 {
            *shared_tag = tag(request.scratch);
        }
        let total = place.total::<O, R, U, E>(&items);
        if lane == 0 {
            *totals.add(warp as usize) = total;
        }
        thread::sync_threads();

        let tiles = request.tiles::<R, E>();
        let mine = tiles.saturating_sub(block * W as u32).min(W as u32);
        let mut total = anything();
        if warp == 0 {
            let own = *totals.add(lane.min(W as u32 - 1) as usize);
            total = tile::pairs::<O, W>(own, mine);
        }
        if blocks > 1 {
            of_grid::<O, W>(&request, total, tiles.div_ceil(W as u32), *shared_tag);
        } else if thread::thread_idx_x() == 0 {
            request.deliver(total, mine > 0);
        }
    }
}

/// Puts the blocks' totals together, of which warp 0 has the own one and the first `with`
/// are of elements.
///
/// # Safety
/// As for [`reduce`]; all threads of the launch call it.
#[inline(always)]
unsafe fn of_grid<O: Operator, const W: usize>(
    request: &Request<O>,
    total: O::Accumulator,
    with: u32,
    tag: u32,
) {
    let is_last = shared_array![u32; 1];
    let (block, blocks) = (thread::block_idx_x(), thread::grid_dim_x());
    let (scratch, words) = (request.scratch, request.words);
    let waits = request.flags & WAITS != 0;
    // SAFETY: the caller's. The tag is to be had until every block has published, which it
    // does behind its look at the tag, with elements or without.
    unsafe {
        if thread::thread_idx_x() == 0 {
            status::publish(scratch, u64::from(block), total, tag);
            if !waits {
                *is_last = u32::from(arrive(scratch, blocks));
            }
        }
        if thread::thread_idx_x() < LANES {
            status::forget::<O::Accumulator>(scratch, words, u64::from(blocks), tag);
        }
        if waits {
            if block < blocks - 1 {
                return;
            }
        } else {
            thread::sync_threads();
            if *is_last == 0 {
                return;
            }
        }
        let total = device::gathered::<O, W>(scratch, with, blocks, tag);
        if thread::thread_idx_x() == 0 {
            if waits {
                mem::store_relaxed(scratch, device::counted(tag));
            }
            request.deliver(total, with > 0);
        }
    }
}
