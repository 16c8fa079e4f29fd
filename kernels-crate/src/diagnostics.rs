//! Kernels that misbehave on purpose, so that the handling of faults and hangs
//! can be shown on a real GPU.

use cuda_std::misc::global_timer;
use cuda_std::prelude::*;

/// Stores `value` through an address that no allocation has: the driver answers
/// with an illegal address, and the context is lost.
///
/// # Safety
/// The context is unusable afterwards.
#[kernel]
pub unsafe fn fault(address: u64, value: u32) {
    // SAFETY: not sound on purpose; the launch is unsafe for that reason.
    unsafe {
        core::ptr::with_exposed_provenance_mut::<u32>(address as usize).write_volatile(value)
    };
}

/// Spins for `nanoseconds` by the GPU's global timer, and stores the time spent
/// to `spent` (one element): bounded, so that a process that nobody stops ends.
///
/// # Safety
/// `spent` holds one element.
#[kernel]
#[launch_contract(!spent.is_empty(), grid.count().saturating_mul(block.count()) == 1)]
pub unsafe fn hang(nanoseconds: u64, spent: *mut u64) {
    let start = global_timer();
    let mut elapsed = 0;
    while elapsed < nanoseconds {
        thread::nanosleep(1000);
        elapsed = global_timer() - start;
    }
    // SAFETY: `spent` has one element, and there is one thread.
    unsafe { *spent = elapsed };
}
