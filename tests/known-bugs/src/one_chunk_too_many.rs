//! A chunk too many where the size is a multiple.
//!
//! [NVIDIA/cccl#9771](https://github.com/NVIDIA/cccl/issues/9771), 2026.
//!
//! CUB read out of bounds where the number of elements is a multiple of 2^31 - 1. Here is a usual
//! way to such a bug: work is divided into chunks, here of 64 elements, and their number is taken
//! to be one more than the quotient. That is right for every size but the multiples, whose last
//! chunk is empty and has no first element. The quotient has to be rounded up.

use cuda_std::prelude::*;

/// Elements of a chunk.
const CHUNK: u32 = 64;

/// `output[c]` is the first element of chunk `c` of 256 elements; 5 blocks of one thread.
///
/// # Safety
/// Not sound: that is the bug. `input` has 256 elements and `output` 5.
#[kernel]
pub unsafe fn one_chunk_too_many_broken(input: *const u32, output: *mut u32) {
    let (chunk, chunks) = (thread::block_idx_x(), 256 / CHUNK + 1);
    if chunk < chunks {
        // SAFETY: 5 elements; the last chunk is not there.
        unsafe {
            *output.add(chunk as usize) = *input.add((chunk * CHUNK) as usize); // caught
        }
    }
}

/// As [`one_chunk_too_many_broken`], with the quotient rounded up.
///
/// # Safety
/// `input` has 256 elements and `output` 5.
#[kernel]
pub unsafe fn one_chunk_too_many_right(input: *const u32, output: *mut u32) {
    let (chunk, chunks) = (thread::block_idx_x(), 256u32.div_ceil(CHUNK));
    if chunk < chunks {
        // SAFETY: 5 elements, and every chunk has a first one.
        unsafe {
            *output.add(chunk as usize) = *input.add((chunk * CHUNK) as usize);
        }
    }
}
