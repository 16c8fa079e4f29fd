//! A spin lock that orders nothing.
//!
//! J. Alglave and others, [GPU concurrency: weak behaviours and programming
//! assumptions](https://doi.org/10.1145/2694344.2694391), ASPLOS 2015, section 3.
//!
//! The lock of a well-known text book was taken by a compare-and-swap and given back by an
//! exchange, without fences. The authors ran it on GPUs of the day and saw the value of an earlier
//! critical section. Taking the lock has to acquire, and giving it back to release.

use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use cuda_std::atomic::AtomicU32;
use cuda_std::prelude::*;

/// Counts the blocks in `count[0]`; one thread each. The lock is 0 before.
///
/// # Safety
/// Not sound: that is the bug. The arrays have an element.
#[kernel]
pub unsafe fn lock_without_order_broken(lock: *mut u32, count: *mut u32) {
    // SAFETY: one element each; the order is what is missing.
    unsafe {
        let lock = AtomicU32::from_ptr(lock);
        while lock.compare_exchange(0, 1, Relaxed, Relaxed).is_err() {}
        *count += 1; // caught
        lock.store(0, Relaxed);
    }
}

/// As [`lock_without_order_broken`], with a lock that acquires and releases.
///
/// # Safety
/// The arrays have an element, and the lock is 0.
#[kernel]
pub unsafe fn lock_without_order_right(lock: *mut u32, count: *mut u32) {
    // SAFETY: one element each; who has the lock has the count.
    unsafe {
        let lock = AtomicU32::from_ptr(lock);
        while lock.compare_exchange(0, 1, Acquire, Relaxed).is_err() {}
        *count += 1;
        lock.store(0, Release);
    }
}
