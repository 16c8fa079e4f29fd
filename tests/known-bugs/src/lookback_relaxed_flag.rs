//! A look-back scan whose flags order nothing.
//!
//! [JuliaGPU/AcceleratedKernels.jl#91](https://github.com/JuliaGPU/AcceleratedKernels.jl/pull/91)
//! and [#98](https://github.com/JuliaGPU/AcceleratedKernels.jl/pull/98), 2026-06-30 and 2026-07-15.
//!
//! A block publishes its total by an ordinary store and sets a flag, which the next block polls
//! before it reads the total. The flag was atomic and had no order, so that a block could see the
//! flag and an old total: on a small GPU two runs of five had wrong results. The flag's store has
//! to release and its load to acquire.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU32;
use cuda_std::prelude::*;

/// `output[i]` is the sum of `input[..=i]`; one block of one thread an element. Flags are 0 before.
///
/// # Safety
/// Not sound: that is the bug. The arrays have an element a block.
#[kernel]
pub unsafe fn lookback_relaxed_flag_broken(
    input: *const u32,
    totals: *mut u32,
    flags: *mut u32,
    output: *mut u32,
) {
    let tile = thread::block_idx_x() as usize;
    // SAFETY: every index is below the number of blocks; the order is what is missing.
    unsafe {
        let mut total = *input.add(tile);
        if tile > 0 {
            let flag = AtomicU32::from_ptr(flags.add(tile - 1));
            while flag.load(Relaxed) == 0 {}
            total += *totals.add(tile - 1); // caught
        }
        *totals.add(tile) = total; // caught
        AtomicU32::from_ptr(flags.add(tile)).store(1, Relaxed);
        *output.add(tile) = total;
    }
}

/// As [`lookback_relaxed_flag_broken`], with flags that release and acquire.
///
/// # Safety
/// The arrays have an element a block, and the flags are 0.
#[kernel]
pub unsafe fn lookback_relaxed_flag_right(
    input: *const u32,
    totals: *mut u32,
    flags: *mut u32,
    output: *mut u32,
) {
    let tile = thread::block_idx_x() as usize;
    // SAFETY: every index is below the number of blocks, and a total is read behind its flag.
    unsafe {
        let mut total = *input.add(tile);
        if tile > 0 {
            let flag = AtomicU32::from_ptr(flags.add(tile - 1));
            while flag.load(Acquire) == 0 {}
            total += *totals.add(tile - 1);
        }
        *totals.add(tile) = total;
        AtomicU32::from_ptr(flags.add(tile)).store(1, Release);
        *output.add(tile) = total;
    }
}
