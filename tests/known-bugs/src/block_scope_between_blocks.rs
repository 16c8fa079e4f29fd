//! Blocks that agree by an atomic of one block.
//!
//! [Rust-GPU/rust-cuda#354](https://github.com/Rust-GPU/rust-cuda/issues/354), 2026-02-08, and
//! [alpaka-group/alpaka#222](https://github.com/alpaka-group/alpaka/issues/222), 2016-04-29.
//!
//! An atomic's scope says who takes part. rust-cuda's atomic loads and stores were given a scope
//! that PTX does not know, and no program with them was assembled; alpaka's lock was atomic within
//! a block, and was used by all blocks. Here a flag between blocks has the scope of one block: its
//! release and acquire promise nothing, and its accesses race themselves. The scope has to be the
//! device's.

use core::sync::atomic::Ordering::{Acquire, Release};

use cuda_std::atomic::{AtomicU32, BlockAtomicU32};
use cuda_std::prelude::*;

/// Block 0 hands 42 to block 1, which stores it to `output[0]`. The flag is 0 before.
///
/// # Safety
/// Not sound: that is the bug. There are two blocks of one thread, and the arrays have an element.
#[kernel]
pub unsafe fn block_scope_between_blocks_broken(
    message: *mut u32,
    flag: *mut u32,
    output: *mut u32,
) {
    // SAFETY: one element each; the scope is what is too narrow.
    unsafe {
        let flag = BlockAtomicU32::from_ptr(flag);
        if thread::block_idx_x() == 0 {
            *message = 42;
            flag.store(1, Release); // caught
        } else {
            while flag.load(Acquire) == 0 {} // caught
            *output = *message;
        }
    }
}

/// As [`block_scope_between_blocks_broken`], with the scope of the device.
///
/// # Safety
/// There are two blocks of one thread, the arrays have an element, and the flag is 0.
#[kernel]
pub unsafe fn block_scope_between_blocks_right(
    message: *mut u32,
    flag: *mut u32,
    output: *mut u32,
) {
    // SAFETY: one element each, and the message is read behind the flag.
    unsafe {
        let flag = AtomicU32::from_ptr(flag);
        if thread::block_idx_x() == 0 {
            *message = 42;
            flag.store(1, Release);
        } else {
            while flag.load(Acquire) == 0 {}
            *output = *message;
        }
    }
}
