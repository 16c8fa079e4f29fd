//! An offset that does not fit into 32 bits.
//!
//! [microsoft/onnxruntime#28107](https://github.com/microsoft/onnxruntime/issues/28107), 2026-04-17.
//!
//! Rows were gathered from a table of 262,144 rows of 8,960 elements. The product of row and width
//! was computed in 32 bits and became negative from row 239,674 on: an illegal memory access. Here
//! the table is a part of the whole one, which begins at row 239,672. An index is widened before it
//! is multiplied.

use cuda_std::prelude::*;

/// Elements of a row.
const WIDTH: u32 = 8960;

/// The part's first row.
const FIRST: u32 = 239_672;

/// `output[i]` is the last element of row `239_672 + i`; a block of 4.
///
/// # Safety
/// Not sound: that is the bug. `table` has 4 rows and `output` 4 elements.
#[kernel]
pub unsafe fn offset_of_32_bits_broken(table: *const u32, output: *mut u32) {
    let t = thread::thread_idx_x();
    let offset = ((FIRST + t) as i32).wrapping_mul(WIDTH as i32);
    let offset = offset.wrapping_add(WIDTH as i32 - 1);
    let place = i64::from(offset) - i64::from(FIRST) * i64::from(WIDTH);
    // SAFETY: 4 elements; the place is a wrong one in two rows.
    unsafe {
        *output.add(t as usize) = *table.offset(place as isize); // caught
    }
}

/// As [`offset_of_32_bits_broken`], in 64 bits.
///
/// # Safety
/// `table` has 4 rows and `output` 4 elements.
#[kernel]
pub unsafe fn offset_of_32_bits_right(table: *const u32, output: *mut u32) {
    let t = thread::thread_idx_x();
    let offset = i64::from(FIRST + t) * i64::from(WIDTH) + i64::from(WIDTH - 1);
    let place = offset - i64::from(FIRST) * i64::from(WIDTH);
    // SAFETY: 4 elements, and a place in each of the 4 rows.
    unsafe {
        *output.add(t as usize) = *table.offset(place as isize);
    }
}
