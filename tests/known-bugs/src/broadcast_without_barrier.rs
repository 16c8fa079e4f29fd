//! A value for all threads, read before it is there.
//!
//! [ORNL/HeCBench#254](https://github.com/ORNL/HeCBench/issues/254), 2026-06-15.
//!
//! One thread stored two sums to shared memory and all threads of the block read them at once. A
//! race checker that watches the machine code found nothing, because that compiler happened to move
//! the read behind a later barrier. A barrier has to stand between the store and the reads.

use cuda_std::prelude::*;
use cuda_std::shared_array;

/// `output[i] = input[0] + i`; a block of 64.
///
/// # Safety
/// Not sound: that is the bug. `input` has an element and `output` 64.
#[kernel]
pub unsafe fn broadcast_without_barrier_broken(input: *const u32, output: *mut u32) {
    let (t, sum) = (thread::thread_idx_x(), shared_array![u32; 1]);
    // SAFETY: every index is in its array; the barrier is missing.
    unsafe {
        if t == 0 {
            *sum = *input; // caught
        }
        *output.add(t as usize) = *sum + t; // caught
    }
}

/// As [`broadcast_without_barrier_broken`], with the barrier.
///
/// # Safety
/// `input` has an element and `output` 64.
#[kernel]
pub unsafe fn broadcast_without_barrier_right(input: *const u32, output: *mut u32) {
    let (t, sum) = (thread::thread_idx_x(), shared_array![u32; 1]);
    // SAFETY: every index is in its array, and the sum is there before it is read.
    unsafe {
        if t == 0 {
            *sum = *input;
        }
        thread::sync_threads();
        *output.add(t as usize) = *sum + t;
    }
}
