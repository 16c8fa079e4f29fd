//! A tile that is written again while it is read.
//!
//! [NVIDIA/cuml#6578](https://github.com/NVIDIA/cuml/pull/6578), 2025-04-23.
//!
//! In a loop all threads wrote to shared memory, waited, and one thread added up what was there.
//! The others went on and wrote the next round's values over those that were still to be added. A
//! loop with shared memory has two barriers: one before the reading and one behind it.

use cuda_std::prelude::*;
use cuda_std::shared_array;

/// `output[r]` is the sum of the 64 elements of row `r`; a block of 64, four rows.
///
/// # Safety
/// Not sound: that is the bug. `input` has 256 elements and `output` 4.
#[kernel]
pub unsafe fn tile_reused_in_loop_broken(input: *const u32, output: *mut u32) {
    let (t, tile) = (thread::thread_idx_x() as usize, shared_array![u32; 64]);
    for row in 0..4 {
        // SAFETY: every index is in its array; the second barrier is missing.
        unsafe {
            *tile.add(t) = *input.add(row * 64 + t); // caught
            thread::sync_threads();
            if t == 0 {
                let mut sum = 0;
                for i in 0..64 {
                    sum += *tile.add(i); // caught
                }
                *output.add(row) = sum;
            }
        }
    }
}

/// As [`tile_reused_in_loop_broken`], with both barriers.
///
/// # Safety
/// `input` has 256 elements and `output` 4.
#[kernel]
pub unsafe fn tile_reused_in_loop_right(input: *const u32, output: *mut u32) {
    let (t, tile) = (thread::thread_idx_x() as usize, shared_array![u32; 64]);
    for row in 0..4 {
        // SAFETY: every index is in its array, and nobody writes while thread 0 reads.
        unsafe {
            *tile.add(t) = *input.add(row * 64 + t);
            thread::sync_threads();
            if t == 0 {
                let mut sum = 0;
                for i in 0..64 {
                    sum += *tile.add(i);
                }
                *output.add(row) = sum;
            }
            thread::sync_threads();
        }
    }
}
