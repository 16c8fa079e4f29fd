//! A barrier for more blocks than run at once.
//!
//! [NVIDIA/cub#369](https://github.com/NVIDIA/cub/issues/369), 2021-09-06.
//!
//! Every block counted itself and waited until all had come. The grid had more blocks than the GPU
//! can run at once: those that waited never made room for those that had yet to begin, and the GPU
//! hung. Without a cooperative launch, which refuses such a grid, a block may wait for none that
//! begins after it. The right kernel lets the last block to come do the rest.

use core::sync::atomic::Ordering::{AcqRel, Acquire};

use cuda_std::atomic::AtomicU32;
use cuda_std::prelude::*;

/// Block 0 stores the number of blocks when all have come. The count is 0 before.
///
/// # Safety
/// The arrays have an element.
#[kernel]
pub unsafe fn grid_barrier_of_too_many_broken(count: *mut u32, output: *mut u32) {
    if thread::thread_idx_x() > 0 {
        return;
    }
    // SAFETY: one element each, and one block alone stores.
    unsafe {
        let count = AtomicU32::from_ptr(count);
        count.fetch_add(1, AcqRel);
        while count.load(Acquire) < thread::grid_dim_x() {} // caught
        if thread::block_idx_x() == 0 {
            *output = count.load(Acquire);
        }
    }
}

/// The last block to come stores the number of blocks.
///
/// # Safety
/// The arrays have an element, and the count is 0.
#[kernel]
pub unsafe fn grid_barrier_of_too_many_right(count: *mut u32, output: *mut u32) {
    if thread::thread_idx_x() > 0 {
        return;
    }
    // SAFETY: one element each, and one block alone is the last.
    unsafe {
        let before = AtomicU32::from_ptr(count).fetch_add(1, AcqRel);
        if before == thread::grid_dim_x() - 1 {
            *output = before + 1;
        }
    }
}
