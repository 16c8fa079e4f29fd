//! A shuffle that names lanes which have left.
//!
//! [uzh-rpg/vilib#5](https://github.com/uzh-rpg/vilib/pull/5), 2020-04-15.
//!
//! A shuffle with a mask of all lanes stood behind a check that some lanes had failed. Since
//! compute capability 7.0 a shuffle waits for the lanes of its mask: GPUs hung, or had values of
//! lanes that were gone. All lanes come to the shuffle, those without work with a neutral value.

use cuda_std::prelude::*;
use cuda_std::warp::{self, FULL_MASK};

/// `output[0]` is the sum of `n` elements, 32 at most; one warp.
///
/// # Safety
/// Not sound: that is the bug. `input` has 20 elements and `output` one.
#[kernel] // caught
pub unsafe fn shuffle_of_absent_lanes_broken(input: *const u32, output: *mut u32) {
    let t = thread::thread_idx_x() as usize;
    if t >= 20 {
        return;
    }
    // SAFETY: every index is in its array; twelve lanes of the mask are gone.
    unsafe {
        let mut sum = *input.add(t);
        for step in [16, 8, 4, 2, 1] {
            sum += warp::warp_shuffle_down(FULL_MASK, sum, step, 32).0; // caught
        }
        if t == 0 {
            *output = sum;
        }
    }
}

/// As [`shuffle_of_absent_lanes_broken`], with all lanes at the shuffle.
///
/// # Safety
/// `input` has 20 elements and `output` one.
#[kernel]
pub unsafe fn shuffle_of_absent_lanes_right(input: *const u32, output: *mut u32) {
    let t = thread::thread_idx_x() as usize;
    // SAFETY: every index is in its array, and the whole warp takes part.
    unsafe {
        let mut sum = if t < 20 { *input.add(t) } else { 0 };
        for step in [16, 8, 4, 2, 1] {
            sum += warp::warp_shuffle_down(FULL_MASK, sum, step, 32).0;
        }
        if t == 0 {
            *output = sum;
        }
    }
}
