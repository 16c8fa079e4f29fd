//! The reduction of an array of any size by one launch.
//!
//! Every warp combines a part of the array, every block the parts of its warps, and the
//! block that is done last those of the blocks. Blocks tell each other their totals in
//! tagged words ([`status`]), so that neither a fence nor a cleared scratch memory is
//! needed; they count themselves in the word from which the tag is made, and the last
//! one sets that up for the next launch. No block waits for one that may not have begun.
//!
//! Association: a warp its part, [`tile`]; the warps of a block in [pairs](tile::pairs); the
//! blocks of a group by [`gather`]; the groups in pairs. What is in a part
//! depends on the number of elements and, for large arrays, on that of blocks.
//!
//! Source of the last block's work: the sample `threadFenceReduction` of the CUDA
//! toolkit; the tags stand for its fence.

use cuda_std::{shared_array, thread, warp};

use super::request::Request;
use super::share::Share;
use super::tile;
use super::vectors::Vectors;
use crate::operator::Operator;
use crate::scan::lanes::{LANES, unspecified};
use crate::scan::scratch::GROUP;
use crate::scan::status::{self, arrive, gather, tag};

/// Reduces as `request` says.
///
/// # Safety
/// At most [`MAX_BLOCKS`](super::sizes::MAX_BLOCKS) blocks of `W` warps; input and output are the request's, and do
/// not overlap; the scratch memory has room for the totals of the blocks and is this
/// launch's alone.
#[inline(always)]
pub unsafe fn reduce<
    O: Operator,
    const W: usize,
    const R: usize,
    const U: usize,
    const E: usize,
>(
    request: Request<O>,
) {
    const { assert!(W <= LANES as usize, "a warp combines the warps' totals") };
    let is_last = shared_array![u32; 1];
    let groups = shared_array![u128; 32].cast::<O::Accumulator>();
    let block = thread::block_idx_x();
    let (warp, lane) = (thread::thread_idx_x() / LANES, warp::lane_id());
    // SAFETY: the caller's.
    let request = unsafe {
        prefetch::<O, W, R, U, E>(&request);
        request.begin()
    };
    let share = Share::new(request.tiles::<R, E>(), W as u32, thread::grid_dim_x());
    // SAFETY: the caller's; what is shared is written on one side of a barrier and read
    // on the other.
    unsafe {
        // While the elements are on their way.
        let tag = tag(request.scratch);
        let total = block_total::<O, W, R, U, E>(&request, &share);
        if warp == 0 {
            let blocks = u64::from(share.blocks());
            if lane == 0 {
                if block < share.blocks() {
                    status::publish(request.scratch, u64::from(block), total, tag);
                }
                *is_last = u32::from(arrive(request.scratch, thread::grid_dim_x()));
            }
            status::clear_stale::<O::Accumulator>(request.scratch, request.words, blocks, tag);
        }
        thread::sync_threads();
        if *is_last == 0 {
            return;
        }
        let count = share.blocks().div_ceil(GROUP as u32);
        let mut group = warp;
        while group < count {
            let in_group = (share.blocks() - group * GROUP as u32).min(GROUP as u32);
            let total = gather::<O>(request.scratch, u64::from(group), in_group, tag);
            if lane == 0 {
                *groups.add(group as usize) = total;
            }
            group += W as u32;
        }
        thread::sync_threads();
        if warp == 0 {
            let mut total = unspecified();
            if count > 0 {
                let own = *groups.add(lane.min(count - 1) as usize);
                total = tile::pairs::<O, { LANES as usize }>(own, count);
            }
            if lane == 0 {
                request.deliver(total, count > 0);
            }
        }
    }
}

/// Asks for the lines of this warp's first tile into the L2 cache, as far as it is known
/// before the earlier launches are done. This reads nothing of what they may write.
///
/// # Safety
/// The array is in global memory.
#[inline(always)]
unsafe fn prefetch<O: Operator, const W: usize, const R: usize, const U: usize, const E: usize>(
    request: &Request<O>,
) {
    let share = Share::new(request.tiles::<R, E>(), W as u32, thread::grid_dim_x());
    let warp = thread::thread_idx_x() / LANES;
    let first = share.tiles_of(thread::block_idx_x(), warp).start;
    let array = Vectors::new(request.input, request.n);
    // SAFETY: the caller's.
    unsafe { array.prefetch::<R, U>(u64::from(first) * R as u64 * u64::from(LANES)) };
}

/// This block's tiles combined, in every lane of warp 0; nothing in particular when there
/// is none.
///
/// # Safety
/// All threads of the block call it once, all blocks with the same share; the array may
/// be read.
#[inline(always)]
unsafe fn block_total<
    O: Operator,
    const W: usize,
    const R: usize,
    const U: usize,
    const E: usize,
>(
    request: &Request<O>,
    share: &Share,
) -> O::Accumulator {
    let totals = shared_array![u128; 32].cast::<O::Accumulator>();
    let (block, warp) = (thread::block_idx_x(), thread::thread_idx_x() / LANES);
    let lane = warp::lane_id();
    let own = share.tiles_of(block, warp);
    // SAFETY: the caller's; totals are written on one side of a barrier and read on the
    // other.
    unsafe {
        if !own.is_empty() {
            let array = Vectors::new(request.input, request.n);
            let total = tile::total::<O, R, U, E>(&array, request.n, own);
            if lane == 0 {
                *totals.add(warp as usize) = total;
            }
        }
        thread::sync_threads();
        let count = share.warps_of(block);
        if warp > 0 || count == 0 {
            return unspecified();
        }
        tile::pairs::<O, W>(*totals.add(lane.min(count - 1) as usize), count)
    }
}
