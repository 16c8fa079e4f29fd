//! A barrier of the grid whose count runs past what others wait for.
//!
//! [NVIDIA/cuml#458](https://github.com/NVIDIA/cuml/issues/458), 2019-04-08.
//!
//! Blocks counted themselves and waited until the count was that of all blocks, and did so a second
//! time with the same count. A block that was through counted itself for the second time before
//! the others had looked: they waited for a number that had passed. A count that only rises is
//! compared by less-than, with a bound for each round.

use core::sync::atomic::Ordering::{AcqRel, Acquire};

use cuda_std::atomic::AtomicU32;
use cuda_std::prelude::*;

/// Every block stores to `output` what its right neighbour had in `input`, by way of `middle`, and
/// all have done so before any ends; one thread each. The count is 0 before.
///
/// # Safety
/// The arrays have an element a block.
#[kernel]
pub unsafe fn grid_barrier_used_twice_broken(
    input: *const u32,
    middle: *mut u32,
    count: *mut u32,
    output: *mut u32,
) {
    let (block, blocks) = (thread::block_idx_x(), thread::grid_dim_x());
    // SAFETY: every index is below the number of blocks.
    unsafe {
        let count = AtomicU32::from_ptr(count);
        *middle.add(block as usize) = *input.add(block as usize);
        count.fetch_add(1, AcqRel);
        while count.load(Acquire) != blocks {} // caught
        *output.add(block as usize) = *middle.add(((block + 1) % blocks) as usize);
        count.fetch_add(1, AcqRel);
        while count.load(Acquire) != 2 * blocks {} // caught
    }
}

/// As [`grid_barrier_used_twice_broken`], with bounds instead of equality.
///
/// # Safety
/// The arrays have an element a block, the count is 0, and all blocks run at once.
#[kernel]
pub unsafe fn grid_barrier_used_twice_right(
    input: *const u32,
    middle: *mut u32,
    count: *mut u32,
    output: *mut u32,
) {
    let (block, blocks) = (thread::block_idx_x(), thread::grid_dim_x());
    // SAFETY: every index is below the number of blocks, and a count orders the stores before it.
    unsafe {
        let count = AtomicU32::from_ptr(count);
        *middle.add(block as usize) = *input.add(block as usize);
        count.fetch_add(1, AcqRel);
        while count.load(Acquire) < blocks {}
        *output.add(block as usize) = *middle.add(((block + 1) % blocks) as usize);
        count.fetch_add(1, AcqRel);
        while count.load(Acquire) < 2 * blocks {}
    }
}
