//! A sum by the last block, which is found without an order.
//!
//! [kokkos/kokkos#2681](https://github.com/kokkos/kokkos/issues/2681), 2020-01-27, and
//! [NVIDIA/Fuser#2391](https://github.com/NVIDIA/Fuser/pull/2391), 2024-06-12.
//!
//! Every block stores its part and counts itself; the last one reads all parts. Both projects left
//! out the fence between the store and the count, so that the last block could miss a part that was
//! counted, and results were wrong now and then. The count has to release and to acquire.

use core::sync::atomic::Ordering::{AcqRel, Relaxed};

use cuda_std::atomic::AtomicU32;
use cuda_std::prelude::*;

/// `output[0]` is the sum of `input`; one block of one thread an element. The count is 0 before.
///
/// # Safety
/// Not sound: that is the bug. `input` and `parts` have an element a block.
#[kernel]
pub unsafe fn last_block_without_order_broken(
    input: *const u32,
    parts: *mut u32,
    count: *mut u32,
    output: *mut u32,
) {
    let (block, blocks) = (thread::block_idx_x(), thread::grid_dim_x());
    // SAFETY: every index is below the number of blocks; the order is what is missing.
    unsafe {
        *parts.add(block as usize) = 3 * *input.add(block as usize); // caught
        if AtomicU32::from_ptr(count).fetch_add(1, Relaxed) == blocks - 1 {
            let mut sum = 0;
            for i in 0..blocks as usize {
                sum += *parts.add(i); // caught
            }
            *output = sum;
        }
    }
}

/// As [`last_block_without_order_broken`], with a count that releases and acquires.
///
/// # Safety
/// `input` and `parts` have an element a block, and the count is 0.
#[kernel]
pub unsafe fn last_block_without_order_right(
    input: *const u32,
    parts: *mut u32,
    count: *mut u32,
    output: *mut u32,
) {
    let (block, blocks) = (thread::block_idx_x(), thread::grid_dim_x());
    // SAFETY: every index is below the number of blocks; who counts last has seen all parts.
    unsafe {
        *parts.add(block as usize) = 3 * *input.add(block as usize);
        if AtomicU32::from_ptr(count).fetch_add(1, AcqRel) == blocks - 1 {
            let mut sum = 0;
            for i in 0..blocks as usize {
                sum += *parts.add(i);
            }
            *output = sum;
        }
    }
}
