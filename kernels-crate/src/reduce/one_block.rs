//! The reduction of an array that one block reads.
//!
//! Association: a warp its part, [`tile`]; the warps by [`lanes::scan`].

use cuda_std::{shared_array, thread, warp};

use super::Request;
use super::share::Share;
use super::tile;
use super::vectors::Vectors;
use crate::operator::Operator;
use crate::scan::lanes::{self, LANES, anything};

/// Reduces as `request` says.
///
/// # Safety
/// One block of whole warps; input and output are the request's, and do not overlap.
#[inline(always)]
pub unsafe fn reduce<
    O: Operator,
    const HINT: u32,
    const R: usize,
    const U: usize,
    const E: usize,
>(
    request: Request<O>,
) {
    let warps = thread::block_dim_x() / LANES;
    let share = Share::new(request.tiles::<R, E>(), warps, 1);
    // SAFETY: the caller's.
    unsafe {
        let total = block_total::<O, HINT, R, U, E>(&request, &share);
        if thread::thread_idx_x() == 0 {
            request.deliver(total, share.blocks() > 0);
        }
    }
}

/// This block's tiles combined, in every lane of warp 0; nothing in particular when there
/// is none.
///
/// # Safety
/// All threads of the block call it once, all blocks with the same share; the array may
/// be read.
#[inline(always)]
pub unsafe fn block_total<
    O: Operator,
    const HINT: u32,
    const R: usize,
    const U: usize,
    const E: usize,
>(
    request: &Request<O>,
    share: &Share,
) -> O::Accumulator {
    let totals = shared_array![u128; 32].cast::<O::Accumulator>();
    let (block, warp) = (thread::block_idx_x(), thread::thread_idx_x() / LANES);
    let own = share.tiles_of(block, warp);
    // SAFETY: the caller's; totals are written on one side of a barrier and read on the
    // other.
    unsafe {
        if !own.is_empty() {
            let array = Vectors::new(request.input, request.n);
            let total = tile::total::<O, HINT, R, U, E>(&array, request.n, own);
            if warp::lane_id() == 0 {
                *totals.add(warp as usize) = total;
            }
        }
        thread::sync_threads();
        let count = share.warps_of(block);
        if warp > 0 || count == 0 {
            return anything();
        }
        in_order::<O>(totals, count)
    }
}

/// The first `count` values combined by a warp, in every lane. There is at least one, and
/// at most as many as lanes.
///
/// # Safety
/// All lanes of the warp call it; the values are there.
#[inline(always)]
pub unsafe fn in_order<O: Operator>(values: *const O::Accumulator, count: u32) -> O::Accumulator {
    let lane = warp::lane_id();
    // SAFETY: the caller's: the value of a lane that has none is the last one's.
    unsafe {
        let value = *values.add(lane.min(count - 1) as usize);
        lanes::of_lane(lanes::scan::<O>(value, count), count - 1)
    }
}
