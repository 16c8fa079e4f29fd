//! A look-back scan that polls its flag by ordinary loads.
//!
//! [tracel-ai/cubecl#863](https://github.com/tracel-ai/cubecl/pull/863), 2025-09-06.
//!
//! A look-back scan ran with two backends and hung for ever with CUDA; its author suspected the
//! memory order of totals and flags. Here is the shortest way to that hang: a flag that is polled
//! by an ordinary load, of which the compiler may assume that nobody else changes it. It loads once
//! and then goes round an empty loop. A flag is polled by atomic loads, which acquire.

use core::sync::atomic::Ordering::{Acquire, Release};

use cuda_std::atomic::AtomicU32;
use cuda_std::prelude::*;

/// `output[i]` is the sum of `input[..=i]`; one block of one thread an element. Flags are 0 before.
///
/// # Safety
/// Not sound: that is the bug. The arrays have an element a block.
#[kernel]
pub unsafe fn lookback_polls_once_broken(
    input: *const u32,
    totals: *mut u32,
    flags: *mut u32,
    output: *mut u32,
) {
    let tile = thread::block_idx_x() as usize;
    // SAFETY: every index is below the number of blocks; the flag is what is not atomic.
    unsafe {
        let mut total = *input.add(tile);
        if tile > 0 {
            while *flags.add(tile - 1) == 0 {} // caught
            total += *totals.add(tile - 1);
        }
        *totals.add(tile) = total;
        AtomicU32::from_ptr(flags.add(tile)).store(1, Release);
        *output.add(tile) = total;
    }
}

/// As [`lookback_polls_once_broken`], with atomic loads.
///
/// # Safety
/// The arrays have an element a block, and the flags are 0.
#[kernel]
pub unsafe fn lookback_polls_once_right(
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
