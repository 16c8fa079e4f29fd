//! A kernel that selects elements by a chained scan. `docs/chained-scans.md` shows it.

use cuda_std::{kernel, shared_array, thread, warp};
use quadscan_kernels::operator::Sum;
use quadscan_kernels::scan::chained::Chained;

/// Threads of a block, and elements of its tile.
pub const THREADS: u32 = 256;

/// Writes the elements above `limit` to `output`, in their order, and how many there are to `count`.
///
/// # Safety
/// A block of [`THREADS`] threads for every as many elements, at least one; `output` holds
/// `input.len()` elements, `count` one. `scratch` has `words` words, the
/// [`scratch_words`](quadscan_kernels::scan::chained::scratch_words) of the blocks and 8 bytes, which were
/// 0 before the first launch, and is this launch's alone.
#[kernel]
pub unsafe fn select_above(
    input: &[f32],
    limit: f32,
    output: *mut f32,
    count: *mut u64,
    scratch: *mut u64,
    words: u64,
) {
    let kept_by_warps = shared_array![u32; THREADS as usize / 32];
    // SAFETY: the kernel's own contract; what warps keep is written on one side of a barrier and read
    // on the other.
    unsafe {
        let chain = Chained::<Sum<u64>>::begin(scratch, words);
        let tile = chain.tile();
        let own = tile as usize * THREADS as usize + thread::thread_idx_x() as usize;
        let is_kept = own < input.len() && input[own] > limit;

        // The element's place among those that the block keeps.
        let (own_warp, lane) = (thread::thread_idx_x() / 32, warp::lane_id());
        let kept = warp::warp_vote_ballot(warp::FULL_MASK, is_kept);
        if lane == 0 {
            *kept_by_warps.add(own_warp as usize) = kept.count_ones();
        }
        thread::sync_threads();
        let mut place = (kept & ((1 << lane) - 1)).count_ones();
        let mut all = 0;
        for other in 0..THREADS / 32 {
            if other == own_warp {
                place += all;
            }
            all += *kept_by_warps.add(other as usize);
        }

        // What the tiles before this one keep.
        let before = chain.exclusive_prefix(u64::from(all)).unwrap_or(0);
        if is_kept {
            *output.add(before as usize + place as usize) = input[own];
        }
        if tile + 1 == u64::from(thread::grid_dim_x()) && thread::thread_idx_x() == 0 {
            *count = before + u64::from(all);
        }
    }
}
