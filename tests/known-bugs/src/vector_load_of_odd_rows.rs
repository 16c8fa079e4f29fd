//! Vector loads of rows that have an odd length.
//!
//! [apache/mahout#1107](https://github.com/apache/mahout/issues/1107), 2026-03-02, and
//! [NVIDIA/cutlass#49](https://github.com/NVIDIA/cutlass/issues/49), 2019-05-16.
//!
//! Kernels read two elements at a time, whatever the length of a row. Where it is odd, every other
//! row begins at an address that such a load must not have. The right kernel reads pairs in rows
//! that begin at a pair, and single elements in the others.

use cuda_std::prelude::*;

/// Elements of a row.
const LENGTH: usize = 5;

/// Two elements in one load.
#[repr(C, align(8))]
#[derive(Clone, Copy)]
struct Pair([u32; 2]);

/// `output[r]` is the sum of row `r`; a block of 4.
///
/// # Safety
/// Not sound: that is the bug. `input` has 4 rows and `output` 4 elements.
#[kernel]
pub unsafe fn vector_load_of_odd_rows_broken(input: *const u32, output: *mut u32) {
    let t = thread::thread_idx_x() as usize;
    // SAFETY: every index is in its array; every other row is misaligned.
    unsafe {
        let row = input.add(t * LENGTH);
        let mut sum = *row.add(LENGTH - 1);
        for i in 0..LENGTH / 2 {
            let Pair([a, b]) = *row.cast::<Pair>().add(i); // caught
            sum += a + b;
        }
        *output.add(t) = sum;
    }
}

/// As [`vector_load_of_odd_rows_broken`], with pairs where rows begin at one.
///
/// # Safety
/// `input` has 4 rows and `output` 4 elements.
#[kernel]
pub unsafe fn vector_load_of_odd_rows_right(input: *const u32, output: *mut u32) {
    let t = thread::thread_idx_x() as usize;
    // SAFETY: every index is in its array, and a pair is read where one may be.
    unsafe {
        let row = input.add(t * LENGTH);
        let mut sum = *row.add(LENGTH - 1);
        for i in 0..LENGTH / 2 {
            let Pair([a, b]) = match row.cast::<Pair>().is_aligned() {
                true => *row.cast::<Pair>().add(i),
                false => Pair([*row.add(2 * i), *row.add(2 * i + 1)]),
            };
            sum += a + b;
        }
        *output.add(t) = sum;
    }
}
