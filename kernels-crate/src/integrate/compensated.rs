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

#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod sums;

use cuda_std::prelude::*;

// Of the launch contracts, which the host checks.
#[cfg(not(target_os = "cuda"))]
use super::trapezoid::MAX_STRIPS;

/// The most threads of a block of the pairwise kernel.
pub const MAX_PAIRWISE_THREADS: u32 = 256;

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
    unsafe fn trapezoid_f32_pure_kahan(partials: *mut f32, count: u32, strips: f32) = sums::kahan;

    /// Partial sums by pairwise summation; any number of strips.
    ///
    /// Sums of 2^k terms take so many registers that a block has at most
    /// [`MAX_PAIRWISE_THREADS`] threads.
    ///
    /// # Safety
    /// As [`trapezoid_f32_pure_kahan`].
    #[launch_bounds(MAX_PAIRWISE_THREADS)]
    unsafe fn trapezoid_f32_pure_pairwise(partials: *mut f32, count: u32, strips: f32) = sums::pairwise;

    /// Partial sums in two f32, the rounded sum and the rest; any number of strips.
    ///
    /// # Safety
    /// As [`trapezoid_f32_pure_kahan`]; an element is a pair, the sum first.
    unsafe fn trapezoid_f32_pure_double_float(partials: *mut [f32; 2], count: u32, strips: f32) = sums::double_float;
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
