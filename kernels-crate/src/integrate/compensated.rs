//! The trapezoid rule of `trapezoid`, everything in f32, with sums that lose less
//! than a running f32 sum.
//!
//! | kernel | sum | error of a sum of n positive terms, u = 2^-24 |
//! | --- | --- | --- |
//! | `trapezoid_f32_pure_kahan` | what an addition lost is taken off the next term | 2 u |
//! | `trapezoid_f32_pure_pairwise` | sums of equally many terms added to each other | u log2 n |
//! | `trapezoid_f32_pure_double_float` | in two f32, about 48 bits | 2^-45 n at worst |
//!
//! Kahan, Further remarks on reducing truncation errors, CACM 8 (1965) 40; Higham,
//! Accuracy and Stability of Numerical Algorithms, 2nd edition (2002), chapter 4;
//! Knuth, The Art of Computer Programming 2, section 4.2.2; Dekker, A
//! floating-point technique for extending the available precision, Numer. Math. 18
//! (1971) 224. The bounds are Higham's; the last one is n times what a
//! renormalised addition can lose.
//!
//! Nothing here may be contracted to a fused operation or reordered: the rests
//! that these sums keep are differences that are 0 in real numbers.

use cuda_std::prelude::*;

// Of the launch contracts, which the host checks.
#[cfg(not(target_os = "cuda"))]
use super::trapezoid::MAX_STRIPS;

/// The most threads of a block of the pairwise kernel.
pub const MAX_PAIRWISE_THREADS: u32 = 256;

/// Strip `i`: its height divided by the strips, every operation rounded to f32.
#[inline(always)]
fn term(i: u32, strips: f32) -> f32 {
    let x = i as f32 / strips;
    (1.0 - x * x).sqrt() / strips
}

entries! {
    /// Partial sums by Kahan's compensated summation; any number of strips.
    ///
    /// # Parameters
    /// - `partials`: one partial sum a thread, `grid * block` of them.
    /// - `count`: strips a thread.
    /// - `strips`: strips in all, `count * grid * block`, as a float.
    ///
    /// # Safety
    /// `partials` holds `grid * block` elements, and grid and block are
    /// one-dimensional.
    unsafe fn trapezoid_f32_pure_kahan(partials: *mut f32, count: u32, strips: f32) {
        let thread = thread::index_1d();
        let first = thread * count;
        let (mut sum, mut excess) = (0.0, 0.0);
        for i in 0..count {
            let corrected = term(first + i, strips) - excess;
            let next = sum + corrected;
            excess = (next - sum) - corrected;
            sum = next;
        }
        // SAFETY: `partials` has an element for every thread.
        unsafe { *partials.add(thread as usize) = sum };
    }

    /// Partial sums by pairwise summation; any number of strips.
    ///
    /// A binary counter of the terms: its digit k is the sum of 2^k of them, and a
    /// carry adds two such sums. What is left in the end is added from the lowest
    /// digit up. The digits take so many registers that a block has at most
    /// [`MAX_PAIRWISE_THREADS`] threads.
    ///
    /// # Safety
    /// As [`trapezoid_f32_pure_kahan`].
    #[launch_bounds(MAX_PAIRWISE_THREADS)]
    unsafe fn trapezoid_f32_pure_pairwise(partials: *mut f32, count: u32, strips: f32) {
        let thread = thread::index_1d();
        let first = thread * count;
        let term = |i: u32| term(first + i, strips);
        let mut digits = [0.0_f32; 32];
        // Spelled out digit by digit: what is indexed by constants stays in registers.
        macro_rules! carry_on {
            ($carry:ident, $last:ident; $k:literal) => {
                digits[$k] = $carry;
            };
            ($carry:ident, $last:ident; $k:literal $($higher:literal)+) => {
                if $last >> $k & 1 == 0 {
                    digits[$k] = $carry;
                } else {
                    $carry += digits[$k];
                    carry_on!($carry, $last; $($higher)+);
                }
            };
        }
        // Eight terms at a time, whose three carries are known.
        for group in 0..count / 8 {
            let i = 8 * group;
            let pair = |i: u32| term(i) + term(i + 1);
            let four = |i: u32| pair(i) + pair(i + 2);
            let (last, mut carry) = (i + 7, four(i) + four(i + 4));
            carry_on!(carry, last;
                3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
        }
        for last in count / 8 * 8..count {
            let mut carry = term(last);
            carry_on!(carry, last; 0 1 2);
        }
        let mut sum = 0.0;
        macro_rules! add_what_is_left {
            ($($k:literal)*) => {$(
                if count >> $k & 1 == 1 {
                    sum += digits[$k];
                }
            )*};
        }
        add_what_is_left!(
            0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15
            16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31
        );
        // SAFETY: `partials` has an element for every thread.
        unsafe { *partials.add(thread as usize) = sum };
    }

    /// Partial sums in two f32, the rounded sum and the rest; any number of strips.
    ///
    /// # Safety
    /// As [`trapezoid_f32_pure_kahan`]; an element is a pair, the sum first.
    unsafe fn trapezoid_f32_pure_double_float(partials: *mut [f32; 2], count: u32, strips: f32) {
        let thread = thread::index_1d();
        let first = thread * count;
        let (mut high, mut low) = (0.0, 0.0);
        for i in 0..count {
            let term = term(first + i, strips);
            // Knuth's two_sum: `sum + rest` is exactly `high + term`.
            let sum = high + term;
            let term_in_sum = sum - high;
            let rest = (high - (sum - term_in_sum)) + (term - term_in_sum);
            // Dekker's fast form moves what fits of both rests into the sum.
            let rest = rest + low;
            high = sum + rest;
            low = rest - (high - sum);
        }
        // SAFETY: `partials` has an element for every thread.
        unsafe { *partials.add(thread as usize) = [high, low] };
    }
}

#[cfg(test)]
mod tests {
    use super::{
        MAX_STRIPS, trapezoid_f32_pure_double_float, trapezoid_f32_pure_kahan,
        trapezoid_f32_pure_pairwise,
    };
    use cuda_std::launch::{Actual, LaunchShape, SafeLaunch};

    fn check<K: SafeLaunch>(_: K, elements: usize, count: u32) -> Result<(), &'static str> {
        let count = count.to_ne_bytes();
        let argument = |bytes, elements| Actual { bytes, elements };
        let arguments = [
            argument(&[0; 8][..], Some(elements)),
            argument(&count[..], None),
            argument(&[0; 4][..], None),
        ];
        // SAFETY: the bytes are those of a pointer, a `u32` and an `f32`.
        unsafe { K::check(&LaunchShape::new(2, 64), &arguments) }
    }

    fn refuses_what_it_should<K: SafeLaunch>(kernel: K) {
        let most = (MAX_STRIPS / 128) as u32;
        assert_eq!(check(kernel, 128, most), Ok(()));
        assert!(check(kernel, 127, 3).is_err());
        assert!(check(kernel, 128, most + 1).is_err());
    }

    #[test]
    fn contracts_count_threads_and_strips() {
        refuses_what_it_should(trapezoid_f32_pure_kahan);
        refuses_what_it_should(trapezoid_f32_pure_pairwise);
        refuses_what_it_should(trapezoid_f32_pure_double_float);
    }
}
