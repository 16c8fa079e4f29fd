//! An asynchronous copy that nobody waits for.
//!
//! [NVIDIA/Fuser#3428](https://github.com/NVIDIA/Fuser/issues/3428), 2024-11-17.
//!
//! One row of threads started an asynchronous copy into shared memory, and then the block had a
//! barrier. A barrier waits for threads and not for copies: others read what had not arrived. The
//! copy has to be waited for before the barrier. Here it is a bulk copy, which arrives at a barrier
//! of its own.

use cuda_std::bulk::{self, Barrier};
use cuda_std::prelude::*;
use cuda_std::shared::SharedPtr;
use cuda_std::shared_array;

/// `output[i] = input[63 - i]`, by way of shared memory; a block of 64.
///
/// # Safety
/// Not sound: that is the bug. The arrays have 64 elements.
#[kernel]
pub unsafe fn copy_not_awaited_broken(input: *const u32, output: *mut u32) {
    let (t, tile) = (thread::thread_idx_x() as usize, shared_array![u128; 16]);
    // SAFETY: 64 elements each; the copy may not have arrived.
    unsafe {
        let barrier = SharedPtr::new(shared_array![Barrier; 1]);
        if t == 0 {
            Barrier::init(barrier, 1);
            bulk::fence_barriers();
            Barrier::arrive_expecting(barrier, 256);
            bulk::to_shared(SharedPtr::new(tile.cast()), input.cast(), 256, barrier);
        }
        thread::sync_threads();
        *output.add(t) = *tile.cast::<u32>().add(63 - t); // caught
    }
}

/// As [`copy_not_awaited_broken`], with all threads waiting for the copy.
///
/// # Safety
/// The arrays have 64 elements.
#[kernel]
pub unsafe fn copy_not_awaited_right(input: *const u32, output: *mut u32) {
    let (t, tile) = (thread::thread_idx_x() as usize, shared_array![u128; 16]);
    // SAFETY: 64 elements each, and the copy has arrived when the wait ends.
    unsafe {
        let barrier = SharedPtr::new(shared_array![Barrier; 1]);
        if t == 0 {
            Barrier::init(barrier, 1);
            bulk::fence_barriers();
            Barrier::arrive_expecting(barrier, 256);
            bulk::to_shared(SharedPtr::new(tile.cast()), input.cast(), 256, barrier);
        }
        thread::sync_threads();
        Barrier::wait(barrier, 0);
        *output.add(t) = *tile.cast::<u32>().add(63 - t);
    }
}
