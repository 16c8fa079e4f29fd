//! Devices that agree by the fence of one device.
//!
//! [vllm-project/vllm#2760](https://github.com/vllm-project/vllm/pull/2760), 2024-02-05.
//!
//! vLLM adds up arrays of several GPUs in a kernel that runs on all of them: each writes sums, sets
//! a flag for the others, and reads their sums behind their flags. Users told of garbled text; the
//! pull request says that nothing ordered sums and flags, and that it takes a fence of the scope of
//! the system, or a release and an acquire. A fence that reaches its own device only is as good as
//! none between devices. Here the flag has the scope of the system, and the fences have not.

use core::sync::atomic::Ordering::Relaxed;

use cuda_std::atomic::SystemAtomicU32;
use cuda_std::prelude::*;

/// The first of two devices to come hands 42 to the other, which stores it to `output[0]`. Ticket
/// and flag are 0 before.
///
/// # Safety
/// Not sound: that is the bug. There is one thread on each of two devices, and the arrays have an
/// element.
#[kernel]
pub unsafe fn fence_of_one_device_broken(
    ticket: *mut u32,
    message: *mut u32,
    flag: *mut u32,
    output: *mut u32,
) {
    // SAFETY: one element each; the scope of the fences is what is too narrow.
    unsafe {
        let (ticket, flag) = (
            SystemAtomicU32::from_ptr(ticket),
            SystemAtomicU32::from_ptr(flag),
        );
        if ticket.fetch_add(1, Relaxed) == 0 {
            *message = 42; // caught
            thread::device_fence();
            flag.store(1, Relaxed);
        } else {
            while flag.load(Relaxed) == 0 {}
            thread::device_fence();
            *output = *message; // caught
        }
    }
}

/// As [`fence_of_one_device_broken`], with fences of the scope of the system.
///
/// # Safety
/// There is one thread on each of two devices, the arrays have an element, and ticket and flag are
/// 0.
#[kernel]
pub unsafe fn fence_of_one_device_right(
    ticket: *mut u32,
    message: *mut u32,
    flag: *mut u32,
    output: *mut u32,
) {
    // SAFETY: one element each, and the fences order message and flag on both devices.
    unsafe {
        let (ticket, flag) = (
            SystemAtomicU32::from_ptr(ticket),
            SystemAtomicU32::from_ptr(flag),
        );
        if ticket.fetch_add(1, Relaxed) == 0 {
            *message = 42;
            thread::system_fence();
            flag.store(1, Relaxed);
        } else {
            while flag.load(Relaxed) == 0 {}
            thread::system_fence();
            *output = *message;
        }
    }
}
