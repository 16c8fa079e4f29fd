//! Threads that leave before a barrier.
//!
//! [numba/numba#2655](https://github.com/numba/numba/issues/2655), 2017-12-20.
//!
//! A check of a divisor, put in by the compiler, sent threads with a zero to the end of the kernel,
//! past a barrier that the others waited at. What was read behind the barrier was not what had been
//! written before it. Threads that have nothing to do still have to come to every barrier.

use cuda_std::prelude::*;
use cuda_std::shared_array;

/// `output[i] = 1000 / input[31 - i]`, 0 for a zero; a block of 32.
///
/// # Safety
/// Not sound: that is the bug. The arrays have 32 elements.
#[kernel] // caught
pub unsafe fn exit_before_barrier_broken(input: *const u32, output: *mut u32) {
    let (t, tile) = (thread::thread_idx_x() as usize, shared_array![u32; 32]);
    // SAFETY: 32 elements each; who has a zero leaves the others alone.
    unsafe {
        *tile.add(t) = 0;
        let Some(quotient) = 1000u32.checked_div(*input.add(t)) else {
            return;
        };
        *tile.add(t) = quotient;
        thread::sync_threads(); // caught
        *output.add(t) = *tile.add(31 - t);
    }
}

/// As [`exit_before_barrier_broken`], with all threads at the barrier.
///
/// # Safety
/// The arrays have 32 elements.
#[kernel]
pub unsafe fn exit_before_barrier_right(input: *const u32, output: *mut u32) {
    let (t, tile) = (thread::thread_idx_x() as usize, shared_array![u32; 32]);
    // SAFETY: 32 elements each, and a barrier between writing and reading.
    unsafe {
        *tile.add(t) = 1000u32.checked_div(*input.add(t)).unwrap_or(0);
        thread::sync_threads();
        *output.add(t) = *tile.add(31 - t);
    }
}
