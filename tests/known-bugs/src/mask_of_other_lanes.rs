//! A member mask that its own lane is not in.
//!
//! [kokkos/kokkos#1958](https://github.com/kokkos/kokkos/issues/1958), 2019-01-12.
//!
//! Groups of lanes of a warp added up their values, each with a mask of its own. The mask was
//! made of the remainder of the thread's number where the quotient was meant, so that lanes named
//! others' groups. A lane has to be in the mask that it gives, and the lanes of a mask have to give
//! the same one.

use cuda_std::prelude::*;
use cuda_std::warp;

/// `output[i]` is the sum of the 8 elements of lane `i`'s group; one warp.
///
/// # Safety
/// Not sound: that is the bug. The arrays have 32 elements.
#[kernel]
pub unsafe fn mask_of_other_lanes_broken(input: *const u32, output: *mut u32) {
    let t = thread::thread_idx_x();
    let mask = 0xff << (t % (32 / 8) * 8);
    // SAFETY: 32 elements each; the mask is a wrong one.
    unsafe {
        let mut sum = *input.add(t as usize);
        for step in [4, 2, 1] {
            sum += warp::warp_shuffle_xor(mask, sum, step, 8).0; // caught
        }
        *output.add(t as usize) = sum;
    }
}

/// As [`mask_of_other_lanes_broken`], with the group's mask.
///
/// # Safety
/// The arrays have 32 elements.
#[kernel]
pub unsafe fn mask_of_other_lanes_right(input: *const u32, output: *mut u32) {
    let t = thread::thread_idx_x();
    let mask = 0xff << (t / 8 * 8);
    // SAFETY: 32 elements each, and the eight lanes of a group give its mask.
    unsafe {
        let mut sum = *input.add(t as usize);
        for step in [4, 2, 1] {
            sum += warp::warp_shuffle_xor(mask, sum, step, 8).0;
        }
        *output.add(t as usize) = sum;
    }
}
