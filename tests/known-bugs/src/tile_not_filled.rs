//! A sum over shared memory that idle threads have not written.
//!
//! [lattice/quda#276](https://github.com/lattice/quda/pull/276), 2015-06-04.
//!
//! Threads without work left their element of shared memory as it was, and the reduction added all
//! of them. Shared memory is not zero when a block begins: it holds what the block before it left.
//! Threads without work write the neutral value.

use cuda_std::prelude::*;
use cuda_std::shared_array;

/// `output[0]` is the sum of 50 elements; a block of 64.
///
/// # Safety
/// Not sound: that is the bug. `input` has 50 elements and `output` one.
#[kernel]
pub unsafe fn tile_not_filled_broken(input: *const u32, output: *mut u32) {
    let (t, tile) = (thread::thread_idx_x() as usize, shared_array![u32; 64]);
    // SAFETY: every index is in its array; 14 elements have no value.
    unsafe {
        if t < 50 {
            *tile.add(t) = *input.add(t);
        }
        thread::sync_threads();
        if t == 0 {
            let mut sum = 0;
            for i in 0..64 {
                sum += *tile.add(i); // caught
            }
            *output = sum;
        }
    }
}

/// As [`tile_not_filled_broken`], with zeros by the threads without work.
///
/// # Safety
/// `input` has 50 elements and `output` one.
#[kernel]
pub unsafe fn tile_not_filled_right(input: *const u32, output: *mut u32) {
    let (t, tile) = (thread::thread_idx_x() as usize, shared_array![u32; 64]);
    // SAFETY: every index is in its array, and every element has a value.
    unsafe {
        *tile.add(t) = if t < 50 { *input.add(t) } else { 0 };
        thread::sync_threads();
        if t == 0 {
            let mut sum = 0;
            for i in 0..64 {
                sum += *tile.add(i);
            }
            *output = sum;
        }
    }
}
