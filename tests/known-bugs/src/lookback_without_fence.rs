//! A look-back scan that publishes without a fence.
//!
//! [matteospanio/torchfx#96](https://github.com/matteospanio/torchfx/issues/96), 2026-06-11.
//!
//! Tiles set their status with an atomic addition and other tiles polled it, with no fence between
//! a tile's total and its status, and none between the status that was seen and the total that was
//! read. An atomic addition without an order is no fence. One belongs on both sides.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;
use cuda_std::prelude::*;

/// `output[i]` is the sum of `input[..=i]`; one block of one thread an element. Status is 0 before.
///
/// # Safety
/// Not sound: that is the bug. The arrays have an element a block.
#[kernel]
pub unsafe fn lookback_without_fence_broken(
    input: *const u32,
    totals: *mut u32,
    status: *mut u32,
    output: *mut u32,
) {
    let tile = thread::block_idx_x() as usize;
    // SAFETY: every index is below the number of blocks; the order is what is missing.
    unsafe {
        let mut total = *input.add(tile);
        if tile > 0 {
            while status.add(tile - 1).read_volatile() == 0 {}
            total += *totals.add(tile - 1); // caught
        }
        *totals.add(tile) = total; // caught
        AtomicU32::from_ptr(status.add(tile)).fetch_add(1, Relaxed);
        *output.add(tile) = total;
    }
}

/// As [`lookback_without_fence_broken`], with a fence on both sides.
///
/// # Safety
/// The arrays have an element a block, and the status is 0.
#[kernel]
pub unsafe fn lookback_without_fence_right(
    input: *const u32,
    totals: *mut u32,
    status: *mut u32,
    output: *mut u32,
) {
    let tile = thread::block_idx_x() as usize;
    // SAFETY: every index is below the number of blocks; the fences order total and status.
    unsafe {
        let mut total = *input.add(tile);
        if tile > 0 {
            while status.add(tile - 1).read_volatile() == 0 {}
            thread::device_fence();
            total += *totals.add(tile - 1);
        }
        *totals.add(tile) = total;
        thread::device_fence();
        AtomicU32::from_ptr(status.add(tile)).fetch_add(1, Relaxed);
        *output.add(tile) = total;
    }
}
