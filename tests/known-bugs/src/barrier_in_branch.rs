//! A barrier that half of the threads come to.
//!
//! [tile-ai/tilelang#1026](https://github.com/tile-ai/tilelang/issues/1026), 2025-10-14.
//!
//! A compiler put a barrier where it saw that shared memory is read and then written, which was
//! within a branch that every other thread takes. The GPU hung. A barrier belongs where all threads
//! of the block come, so before or behind the branch.

use cuda_std::prelude::*;
use cuda_std::shared_array;

/// Even threads hand their number to the odd neighbour; a block of 32.
///
/// # Safety
/// Not sound: that is the bug. `output` has 32 elements.
#[kernel]
pub unsafe fn barrier_in_branch_broken(output: *mut u32) {
    let (t, tile) = (thread::thread_idx_x() as usize, shared_array![u32; 32]);
    // SAFETY: 32 elements each; the odd threads do not come to the inner barrier.
    unsafe {
        *tile.add(t) = t as u32;
        thread::sync_threads();
        if t.is_multiple_of(2) {
            let own = *tile.add(t);
            thread::sync_threads(); // caught
            *tile.add(t ^ 1) = own;
        }
        thread::sync_threads(); // caught
        *output.add(t) = *tile.add(t);
    }
}

/// As [`barrier_in_branch_broken`], with the barrier before the branch.
///
/// # Safety
/// `output` has 32 elements.
#[kernel]
pub unsafe fn barrier_in_branch_right(output: *mut u32) {
    let (t, tile) = (thread::thread_idx_x() as usize, shared_array![u32; 32]);
    // SAFETY: 32 elements each, and barriers that all threads come to.
    unsafe {
        *tile.add(t) = t as u32;
        thread::sync_threads();
        let own = *tile.add(t);
        thread::sync_threads();
        if t.is_multiple_of(2) {
            *tile.add(t ^ 1) = own;
        }
        thread::sync_threads();
        *output.add(t) = *tile.add(t);
    }
}
