//! Integers of 128 bits.

use cuda_std::prelude::*;

/// Results of a pair.
pub const RESULTS: usize = 8;

/// Sum, difference, product, quotient, remainder, and what shifts make of `a`. By 0, quotient and
/// remainder are those by 1.
pub fn arithmetic(a: i128, b: i128) -> [i128; RESULTS] {
    let divisor = if b == 0 { 1 } else { b };
    let shift = (b & 127) as u32;
    [
        a.wrapping_add(b),
        a.wrapping_sub(b),
        a.wrapping_mul(b),
        a.wrapping_div(divisor),
        a.wrapping_rem(divisor),
        a << shift,
        a >> shift,
        ((a as u128) >> shift) as i128,
    ]
}

/// A pair a thread.
#[kernel]
#[allow(improper_ctypes_definitions, clippy::missing_safety_doc)]
pub unsafe fn wide_integers(a: &[i128], b: &[i128], results: *mut i128) {
    let i = thread::index_1d() as usize;
    if i < a.len() {
        for (k, result) in arithmetic(a[i], b[i]).into_iter().enumerate() {
            unsafe { *results.add(RESULTS * i + k) = result };
        }
    }
}
