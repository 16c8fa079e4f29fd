//! A sum by the lanes of a warp, which are taken to run in step.
//!
//! [UoB-HPC/CloverLeaf#16](https://github.com/UoB-HPC/CloverLeaf/issues/16), 2025-04-29, and
//! [kaldi-asr/kaldi#3211](https://github.com/kaldi-asr/kaldi/pull/3211), 2019-04.
//!
//! Reductions left out the barrier once no more than a warp was at work, because the lanes of a
//! warp run together. Since compute capability 7.0 they need not: one lane may read what another is
//! about to write. Every step needs a barrier of the warp.

use cuda_std::prelude::*;
use cuda_std::shared_array;
use cuda_std::warp::{self, FULL_MASK};

/// `output[0]` is the sum of 64 elements; one warp.
///
/// # Safety
/// Not sound: that is the bug. `input` has 64 elements and `output` one.
#[kernel]
pub unsafe fn warp_without_barrier_broken(input: *const u32, output: *mut u32) {
    let (t, tile) = (thread::thread_idx_x() as usize, shared_array![u32; 32]);
    // SAFETY: every index is in its array; the barriers of the warp are missing.
    unsafe {
        *tile.add(t) = *input.add(t) + *input.add(t + 32);
        warp::sync_warp(FULL_MASK);
        for step in [16, 8, 4, 2, 1] {
            if t < step {
                *tile.add(t) += *tile.add(t + step); // caught
            }
        }
        if t == 0 {
            *output = *tile;
        }
    }
}

/// As [`warp_without_barrier_broken`], with a barrier of the warp in every step.
///
/// # Safety
/// `input` has 64 elements and `output` one.
#[kernel]
pub unsafe fn warp_without_barrier_right(input: *const u32, output: *mut u32) {
    let (t, tile) = (thread::thread_idx_x() as usize, shared_array![u32; 32]);
    // SAFETY: every index is in its array, and steps follow each other.
    unsafe {
        *tile.add(t) = *input.add(t) + *input.add(t + 32);
        warp::sync_warp(FULL_MASK);
        for step in [16, 8, 4, 2, 1] {
            if t < step {
                *tile.add(t) += *tile.add(t + step);
            }
            warp::sync_warp(FULL_MASK);
        }
        if t == 0 {
            *output = *tile;
        }
    }
}
