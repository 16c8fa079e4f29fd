//! A barrier that stands on both sides of a branch.
//!
//! [rust-lang/rust#137086](https://github.com/rust-lang/rust/issues/137086) and
//! [NVlabs/cuda-oxide#403](https://github.com/NVlabs/cuda-oxide/pull/403), 2026-07-16.
//!
//! A pass of the compiler that moves code behind a branch into its sides copied a barrier with it.
//! The lanes of a warp then came to two barriers, an aligned one asks that they come to one, and
//! GPUs hung. The barrier belongs behind the branch, and the compiler has to leave it there (as
//! ours is told to).

use cuda_std::prelude::*;
use cuda_std::shared_array;

/// `output[i] = 7`, which thread 0 tells the others; one warp.
///
/// # Safety
/// Not sound: that is the bug. `output` has 32 elements.
#[kernel]
pub unsafe fn barrier_on_both_branches_broken(output: *mut u32) {
    let (t, word) = (thread::thread_idx_x(), shared_array![u32; 1]);
    // SAFETY: one word, 32 elements; half of the warp waits at either barrier.
    unsafe {
        if t == 0 {
            *word = 7;
            thread::sync_threads(); // caught
            *output = *word;
        } else {
            thread::sync_threads(); // caught
            *output.add(t as usize) = *word;
        }
    }
}

/// As [`barrier_on_both_branches_broken`], with one barrier.
///
/// # Safety
/// `output` has 32 elements.
#[kernel]
pub unsafe fn barrier_on_both_branches_right(output: *mut u32) {
    let (t, word) = (thread::thread_idx_x(), shared_array![u32; 1]);
    // SAFETY: one word, 32 elements, and the barrier before others read.
    unsafe {
        if t == 0 {
            *word = 7;
        }
        thread::sync_threads();
        *output.add(t as usize) = *word;
    }
}
