//! A lane that keeps a lock while it waits for the others of its warp.
//!
//! [NVIDIA-Merlin/HierarchicalKV#229](https://github.com/NVIDIA-Merlin/HierarchicalKV/issues/229),
//! 2025-08-15.
//!
//! Lanes of one warp worked on a table together, and each locked the entry that it was about.
//! Where two of them came to the same entry, one held the lock and waited for the group, and the
//! other waited for the lock. A lock has to be given back before its holder waits for lanes that
//! may want it.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU32;
use cuda_std::prelude::*;
use cuda_std::warp::{self, FULL_MASK};

/// Counts the lanes of a warp in `count[0]`. The lock is 0 before.
///
/// # Safety
/// Not sound: that is the bug. There is one block of a warp, and the arrays have an element.
#[kernel]
pub unsafe fn lock_across_warp_barrier_broken(lock: *mut u32, count: *mut u32) {
    // SAFETY: one element each; the barrier is at the wrong place.
    unsafe {
        let lock = AtomicU32::from_ptr(lock);
        while lock.compare_exchange(0, 1, Acquire, Relaxed).is_err() {} // caught
        *count += 1;
        warp::sync_warp(FULL_MASK); // caught
        lock.store(0, Release);
    }
}

/// As [`lock_across_warp_barrier_broken`], with the barrier behind the lock.
///
/// # Safety
/// There is one block of a warp, the arrays have an element, and the lock is 0.
#[kernel]
pub unsafe fn lock_across_warp_barrier_right(lock: *mut u32, count: *mut u32) {
    // SAFETY: one element each; who has the lock waits for nobody.
    unsafe {
        let lock = AtomicU32::from_ptr(lock);
        while lock.compare_exchange(0, 1, Acquire, Relaxed).is_err() {}
        *count += 1;
        lock.store(0, Release);
        warp::sync_warp(FULL_MASK);
    }
}
