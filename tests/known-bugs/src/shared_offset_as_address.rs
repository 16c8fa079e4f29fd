//! An offset in shared memory that is used as a generic address.
//!
//! [Rust-GPU/rust-cuda#402](https://github.com/Rust-GPU/rust-cuda/issues/402), 2026-07-22.
//!
//! Of two shared variables one was written with `st.shared`, the other with a plain `st` whose
//! address was the variable's offset in shared memory: a small number, which as a generic address
//! is outside of all memory. The offset has to become a generic address first, or the store has to
//! name the space.

use cuda_std::prelude::*;
use cuda_std::ptr::shared_address;
use cuda_std::shared_array;

/// `output[i] = input[i] + 1`, by way of shared memory; one warp.
///
/// # Safety
/// Not sound: that is the bug. The arrays have 32 elements.
#[kernel]
pub unsafe fn shared_offset_as_address_broken(input: *const u32, output: *mut u32) {
    let (t, tile) = (thread::thread_idx_x() as usize, shared_array![u32; 32]);
    // SAFETY: 32 elements each; the offset is not an address.
    unsafe {
        let offset = shared_address(tile.add(t)) as usize;
        let slot = core::ptr::with_exposed_provenance_mut::<u32>(offset);
        slot.write_volatile(*input.add(t) + 1); // caught
        *output.add(t) = *tile.add(t);
    }
}

/// As [`shared_offset_as_address_broken`], with the generic address.
///
/// # Safety
/// The arrays have 32 elements.
#[kernel]
pub unsafe fn shared_offset_as_address_right(input: *const u32, output: *mut u32) {
    let (t, tile) = (thread::thread_idx_x() as usize, shared_array![u32; 32]);
    // SAFETY: 32 elements each, one a thread.
    unsafe {
        let slot = tile.add(t);
        slot.write_volatile(*input.add(t) + 1);
        *output.add(t) = *slot;
    }
}
