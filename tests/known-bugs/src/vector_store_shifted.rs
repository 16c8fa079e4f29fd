//! A vector store to results that begin one element further on.
//!
//! [NVIDIA/cccl#8838](https://github.com/NVIDIA/cccl/issues/8838), 2026-05-06.
//!
//! A scan of two elements of 32 bits into results of 64 bits, which were to begin at the second
//! element of their array, ended in an illegal memory access; cuVS and cuOpt turned that scan off.
//! Here the two results go out in one store of 16 bytes, which wants an address that is a multiple
//! of 16. The right kernel stores elements one by one.

use cuda_std::prelude::*;

/// Two results in one store.
#[repr(C, align(16))]
struct Pair([u64; 2]);

/// `output[1]` and `output[2]` are the sums of one and of two elements; one thread.
///
/// # Safety
/// Not sound: that is the bug. `input` has 2 elements and `output` 6 words of 32 bits.
#[kernel]
pub unsafe fn vector_store_shifted_broken(input: *const u32, output: *mut u64) {
    // SAFETY: both arrays are long enough; the address is not a multiple of 16.
    unsafe {
        let first = u64::from(*input);
        let pair = Pair([first, first + u64::from(*input.add(1))]);
        output.add(1).cast::<Pair>().write(pair); // caught
    }
}

/// As [`vector_store_shifted_broken`], element by element.
///
/// # Safety
/// `input` has 2 elements and `output` 6 words of 32 bits.
#[kernel]
pub unsafe fn vector_store_shifted_right(input: *const u32, output: *mut u64) {
    // SAFETY: both arrays are long enough.
    unsafe {
        let first = u64::from(*input);
        *output.add(1) = first;
        *output.add(2) = first + u64::from(*input.add(1));
    }
}
