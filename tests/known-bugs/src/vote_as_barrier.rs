//! A vote that is taken for a barrier.
//!
//! [NVIDIA/cuCollections#337](https://github.com/NVIDIA/cuCollections/pull/337), 2023-07-28.
//!
//! Lanes of a warp wrote to shared memory, voted, and read what others had written. A vote waits
//! for all lanes, but what is written before it need not be seen behind it: it is no barrier. The
//! right kernel has one.

use cuda_std::prelude::*;
use cuda_std::shared_array;
use cuda_std::warp::{self, FULL_MASK};

/// `output[i] = input[31 - i]` where some element is not 0, else 0; one warp.
///
/// # Safety
/// Not sound: that is the bug. The arrays have 32 elements.
#[kernel]
pub unsafe fn vote_as_barrier_broken(input: *const u32, output: *mut u32) {
    let (t, slots) = (thread::thread_idx_x() as usize, shared_array![u32; 32]);
    // SAFETY: 32 elements each, and all lanes vote; the barrier is missing.
    unsafe {
        let own = *input.add(t);
        *slots.add(t) = own; // caught
        let some = warp::warp_vote_any(FULL_MASK, own != 0);
        *output.add(t) = match some {
            true => *slots.add(31 - t), // caught
            false => 0,
        };
    }
}

/// As [`vote_as_barrier_broken`], with a barrier of the warp.
///
/// # Safety
/// The arrays have 32 elements.
#[kernel]
pub unsafe fn vote_as_barrier_right(input: *const u32, output: *mut u32) {
    let (t, slots) = (thread::thread_idx_x() as usize, shared_array![u32; 32]);
    // SAFETY: 32 elements each, and a barrier between writing and reading.
    unsafe {
        let own = *input.add(t);
        *slots.add(t) = own;
        let some = warp::warp_vote_any(FULL_MASK, own != 0);
        warp::sync_warp(FULL_MASK);
        *output.add(t) = match some {
            true => *slots.add(31 - t),
            false => 0,
        };
    }
}
