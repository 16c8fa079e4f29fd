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
//! With [`TOTALS`] the array is cut as for more blocks than there are. A block combines several of
//! these *slices* in turn, its warps without waiting for each other, and the slices' totals are the
//! results: nothing then depends on how many blocks there are.
//!
//! Source of the last block's work: the sample `threadFenceReduction` of the CUDA
//! toolkit; the tags stand for its fence.

use cuda_std::{shared_array, thread, warp};

use super::request::Request;
use super::share::Share;
use super::sizes::MAX_SLICES;
use super::vectors::Vectors;
use super::{TOTALS, tile};
use crate::operator::Operator;
use crate::scan::lanes::{LANES, unspecified};
use crate::scan::scratch::GROUP;
use crate::scan::status::{self, arrive, gather, tag};

/// Reduces as `request` says.
///
/// # Safety
/// At most [`MAX_BLOCKS`](super::sizes::MAX_BLOCKS) blocks of `W` warps; input and output are the request's, and do
/// not overlap; the scratch memory has room for the totals of the blocks and is this
/// launch's alone. With [`TOTALS`], as many blocks as leave each no more than [`MAX_SLICES`] slices, and the
/// output has room for an accumulator a slice.
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
    let share = share::<O, W, R, E>(&request);
    let are_totals = request.flags & TOTALS != 0;
    // SAFETY: the caller's; what is shared is written on one side of a barrier and read
    // on the other.
    unsafe {
        // While the elements are on their way.
        let tag = if are_totals { 0 } else { tag(request.scratch) };
        let totals = warp_totals::<O, W, R, U, E>(&request, &share);
        if are_totals {
            let output = request.output.cast::<O::Accumulator>();
            let (blocks, mut own) = (thread::grid_dim_x(), warp);
            while block + own * blocks < share.blocks() {
                let slice = block + own * blocks;
                let total = slice_total::<O, W>(&share, slice, totals.add(own as usize * W));
                if lane == 0 {
                    *output.add(slice as usize) = total;
                }
                own += W as u32;
            }
            return;
        }
        if warp == 0 {
            let total = slice_total::<O, W>(&share, block, totals);
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
    let share = share::<O, W, R, E>(request);
    let warp = thread::thread_idx_x() / LANES;
    let first = share.tiles_of(thread::block_idx_x(), warp).start;
    let array = Vectors::new(request.input, request.n);
    // SAFETY: the caller's.
    unsafe { array.prefetch::<R, U>(u64::from(first) * R as u64 * u64::from(LANES)) };
}

/// Who has which tiles.
#[inline(always)]
fn share<O: Operator, const W: usize, const R: usize, const E: usize>(
    request: &Request<O>,
) -> Share {
    let slices = if request.flags & TOTALS != 0 {
        request.words as u32
    } else {
        thread::grid_dim_x()
    };
    Share::new(request.tiles::<R, E>(), W as u32, slices)
}

/// What each warp of this block combines its tiles to, of each of the block's slices: `W` totals a
/// slice, in shared memory, behind a barrier.
///
/// # Safety
/// All threads of the block call it once, all blocks with the same share; the array may
/// be read.
#[inline(always)]
unsafe fn warp_totals<
    O: Operator,
    const W: usize,
    const R: usize,
    const U: usize,
    const E: usize,
>(
    request: &Request<O>,
    share: &Share,
) -> *mut O::Accumulator {
    const { assert!(W * MAX_SLICES as usize <= 128, "there is room") };
    let totals = shared_array![u128; 128].cast::<O::Accumulator>();
    let warp = thread::thread_idx_x() / LANES;
    let (mut slice, mut place) = (thread::block_idx_x(), warp as usize);
    // SAFETY: the caller's; a block has no more slices than there is room for.
    unsafe {
        while slice < share.blocks() {
            let own = share.tiles_of(slice, warp);
            if !own.is_empty() {
                let array = Vectors::new(request.input, request.n);
                let total = tile::total::<O, R, U, E>(&array, request.n, own);
                if warp::lane_id() == 0 {
                    *totals.add(place) = total;
                }
            }
            slice += thread::grid_dim_x();
            place += W;
        }
    }
    thread::sync_threads();
    totals
}

/// What the tiles of a slice are together, of whose warps these are the totals: in every lane. Nothing in
/// particular when there is no such slice.
///
/// # Safety
/// All lanes of the warp call it.
#[inline(always)]
unsafe fn slice_total<O: Operator, const W: usize>(
    share: &Share,
    slice: u32,
    totals: *const O::Accumulator,
) -> O::Accumulator {
    let count = share.warps_of(slice);
    if count == 0 {
        return unspecified();
    }
    // SAFETY: the caller's.
    unsafe { tile::pairs::<O, W>(*totals.add(warp::lane_id().min(count - 1) as usize), count) }
}
