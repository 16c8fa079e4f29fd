//! An atomic in a thread's own memory.
//!
//! [rust-lang/rust#146686](https://github.com/rust-lang/rust/issues/146686), 2025-09-17.
//!
//! Safe Rust may have an atomic on the stack, which in a kernel is local memory, and PTX has
//! atomics for global and shared memory alone. The compiler wrote one all the same. A module with
//! `atom.local` is not loaded, and by a generic address, as here, the result is undefined. What one
//! thread alone has needs no atomic.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::AtomicU32;
use cuda_std::prelude::*;

/// `output[i] = i + 1`, counted in a variable of the thread; one warp.
///
/// # Safety
/// Not sound: that is the bug. `output` has 32 elements.
#[kernel]
pub unsafe fn atomic_on_local_broken(output: *mut u32) {
    let t = thread::thread_idx_x();
    let mut count = t;
    let place = core::hint::black_box(&raw mut count);
    // SAFETY: 32 elements, and a variable that lives; its memory has no atomics.
    unsafe {
        let count = AtomicU32::from_ptr(place);
        count.fetch_add(1, Relaxed); // caught
        *output.add(t as usize) = count.load(Relaxed);
    }
}

/// As [`atomic_on_local_broken`], with ordinary accesses.
///
/// # Safety
/// `output` has 32 elements.
#[kernel]
pub unsafe fn atomic_on_local_right(output: *mut u32) {
    let t = thread::thread_idx_x();
    let mut count = t;
    let place = core::hint::black_box(&raw mut count);
    // SAFETY: 32 elements, and a variable that lives.
    unsafe {
        *place += 1;
        *output.add(t as usize) = *place;
    }
}
