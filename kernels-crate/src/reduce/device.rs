//! The reduction of an array of any size by one launch.
//!
//! Every warp combines a part of the array, every block the parts of its warps, and the
//! block that is done last those of the blocks. Blocks tell each other their totals in
//! tagged words ([`status`]), so that neither a fence nor a cleared scratch memory is
//! needed; they count themselves in the word from which the tag is made, and the last
//! one sets that up for the next launch. No block waits for one that may not have begun.
//!
//! Association: a block as in [`one_block`](super::one_block); the blocks of a group by
//! [`gather`]; the groups by [`lanes::scan`]. What is in a part
//! depends on the number of elements and, for large arrays, on that of blocks.
//!
//! Source of the last block's work: the sample `threadFenceReduction` of the CUDA
//! toolkit; the tags stand for its fence.

use cuda_std::{mem, shared_array, thread, warp};

use super::Request;
use super::one_block::{block_total, in_order};
use super::share::Share;
use crate::operator::Operator;
use crate::scan::lanes::{self, LANES};
use crate::scan::status::{self, GROUP, gather};

/// The most blocks: one warp combines the totals of the groups.
pub const MAX_BLOCKS: u32 = LANES * GROUP as u32;

/// Tags of one cycle: 1 to this, as in [`status`].
const TAGS: u64 = u32::MAX as u64;

/// Reduces as `request` says.
///
/// # Safety
/// At most [`MAX_BLOCKS`] blocks of `W` warps; input and output are the request's, and do
/// not overlap; the scratch memory has room for the totals of the blocks and is this
/// launch's alone.
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
    let is_last = shared_array![u32; 1];
    let groups = shared_array![u128; 32].cast::<O::Accumulator>();
    let block = thread::block_idx_x();
    let (warp, lane) = (thread::thread_idx_x() / LANES, warp::lane_id());
    let share = Share::new(request.tiles::<R, E>(), W as u32, thread::grid_dim_x());
    // SAFETY: the caller's; what is shared is written on one side of a barrier and read
    // on the other.
    unsafe {
        // While the elements are on their way.
        let tag = tag(request.scratch);
        let total = block_total::<O, HINT, R, U, E>(&request, &share);
        if warp == 0 {
            let blocks = u64::from(share.blocks());
            if lane == 0 {
                if block < share.blocks() {
                    status::publish(request.scratch, u64::from(block), total, tag);
                }
                *is_last = u32::from(arrive(request.scratch, thread::grid_dim_x()));
            }
            status::forget::<O::Accumulator>(request.scratch, request.words, blocks, tag);
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
            let total = if count > 0 {
                in_order::<O>(groups, count)
            } else {
                lanes::anything()
            };
            if lane == 0 {
                request.deliver(total, count > 0);
            }
        }
    }
}

/// The tag of this launch, as [`status::begin`] would say it. It is to be had until all
/// blocks have [arrived](arrive).
///
/// # Safety
/// `scratch` is this launch's alone.
#[inline(always)]
unsafe fn tag(scratch: *const u64) -> u32 {
    // SAFETY: the caller's.
    let count = unsafe { mem::load_relaxed(scratch) };
    (count >> 32) as u32 + 1
}

/// Counts the calling block among those that are done, and says whether it is the last of
/// `blocks`: then the launch is counted, and the blocks begin at none again.
///
/// # Safety
/// As for [`tag`]; one thread of every block calls it, which has asked for the tag before.
#[inline(always)]
unsafe fn arrive(scratch: *mut u64, blocks: u32) -> bool {
    // SAFETY: the caller's.
    let before = unsafe { mem::fetch_add_relaxed(scratch, 1) };
    let is_last = before as u32 == blocks - 1;
    if is_last {
        let launch = before >> 32;
        let next = if launch == TAGS - 1 { 0 } else { launch + 1 };
        // SAFETY: the caller's.
        unsafe { mem::store_relaxed(scratch, next << 32) };
    }
    is_last
}
