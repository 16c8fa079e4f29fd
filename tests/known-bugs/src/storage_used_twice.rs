//! Shared memory with two uses and no barrier between them.
//!
//! [NVIDIA/cccl#2699](https://github.com/NVIDIA/cccl/pull/2699), 2024-11-04.
//!
//! A block's reduction puts values into a grid in shared memory, and one warp adds them up row by
//! row; the reduction within the warp then used the same memory. Lanes wrote there while others
//! were still adding up their rows. A barrier of the warp has to stand between the two uses.

use cuda_std::prelude::*;
use cuda_std::shared_array;
use cuda_std::warp::{self, FULL_MASK};

/// `output[0]` is the sum of 64 elements; a block of 64.
///
/// # Safety
/// Not sound: that is the bug. `input` has 64 elements and `output` one.
#[kernel]
pub unsafe fn storage_used_twice_broken(input: *const u32, output: *mut u32) {
    let (t, grid) = (thread::thread_idx_x() as usize, shared_array![u32; 64]);
    // SAFETY: every index is in its array; the barrier between the uses is missing.
    unsafe {
        *grid.add(t) = *input.add(t);
        thread::sync_threads();
        if t < 32 {
            let row = *grid.add(2 * t) + *grid.add(2 * t + 1); // caught
            *grid.add(t) = row; // caught
            warp::sync_warp(FULL_MASK);
            if t == 0 {
                *output = (0..32).fold(0, |sum, i| sum + *grid.add(i));
            }
        }
    }
}

/// As [`storage_used_twice_broken`], with a barrier of the warp between the uses.
///
/// # Safety
/// `input` has 64 elements and `output` one.
#[kernel]
pub unsafe fn storage_used_twice_right(input: *const u32, output: *mut u32) {
    let (t, grid) = (thread::thread_idx_x() as usize, shared_array![u32; 64]);
    // SAFETY: every index is in its array, and the first use has ended before the second.
    unsafe {
        *grid.add(t) = *input.add(t);
        thread::sync_threads();
        if t < 32 {
            let row = *grid.add(2 * t) + *grid.add(2 * t + 1);
            warp::sync_warp(FULL_MASK);
            *grid.add(t) = row;
            warp::sync_warp(FULL_MASK);
            if t == 0 {
                *output = (0..32).fold(0, |sum, i| sum + *grid.add(i));
            }
        }
    }
}
