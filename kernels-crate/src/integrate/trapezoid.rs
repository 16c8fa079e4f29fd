//! The trapezoid rule on the quarter circle, `f(x) = sqrt(1 - x^2)` on 0..1,
//! with one contiguous sub-range of strips a thread, as published in 2010.
//!
//! Thread `i` of `grid * block` threads sums the strips `i * count ..
//! (i + 1) * count` from left to right and stores one partial sum; the host adds
//! the partial sums in order. Every sub-range includes its left end in full, so
//! the host takes `0.5 / strips` off for x = 0 (and f(1) is 0).
//!
//! Three ways to evaluate and to sum:
//!
//! | kernel | integrand | sum |
//! | --- | --- | --- |
//! | `trapezoid_f64` | f64 | f64 |
//! | `trapezoid_f32` | f64, rounded to f32 | f32 |
//! | `trapezoid_f32_pure` | f32 | f32 |
//!
//! Each has a `_dyadic` form for strips = 2^p. There every abscissa is an integer
//! times 2^-p: a multiplication replaces the division by the strips, adding
//! 2^-p to x is exact, and scaling the finished sum rounds as scaling every
//! term would. With at most 2^26 strips x^2 is exact in f64 as well, so the fused
//! `1 - x^2` is the published one: **both forms give the same bits**, the dyadic
//! one with fewer instructions.

#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod sums;

use cuda_std::prelude::*;

/// The largest number of strips: a strip's index is a `u32`.
pub const MAX_STRIPS: u64 = 1 << 31;

/// Up to this many strips (a power of two) the `_dyadic` kernels in f64 give the
/// bits of the published loop: x has 26 bits, and x^2 fits into 53.
pub const MAX_EXACT_DYADIC_STRIPS: u64 = 1 << 26;

entries! {
    /// Partial sums in f64; any number of strips.
    ///
    /// # Parameters
    /// - `partials`: one partial sum a thread, `grid * block` of them.
    /// - `count`: strips a thread.
    /// - `strips`: strips in all, `count * grid * block`, as a float.
    ///
    /// # Safety
    /// `partials` holds `grid * block` elements, and grid and block are
    /// one-dimensional.
    unsafe fn trapezoid_f64(partials: *mut f64, count: u32, strips: f64) = sums::f64_in_order;

    /// Partial sums in f64; strips = 2^p, `step` = 2^-p.
    ///
    /// # Safety
    /// As [`trapezoid_f64`].
    unsafe fn trapezoid_f64_dyadic(partials: *mut f64, count: u32, step: f64) = sums::f64_dyadic;

    /// Partial sums in f32 of the integrand in f64, the published `f32`; any number
    /// of strips.
    ///
    /// # Safety
    /// As [`trapezoid_f64`].
    unsafe fn trapezoid_f32(partials: *mut f32, count: u32, strips: f64) = sums::f32_in_order;

    /// Partial sums in f32 of the integrand in f64; strips = 2^p, `step` = 2^-p.
    ///
    /// # Safety
    /// As [`trapezoid_f64`].
    unsafe fn trapezoid_f32_dyadic(partials: *mut f32, count: u32, step: f64) = sums::f32_dyadic;

    /// Partial sums with everything in f32; any number of strips.
    ///
    /// # Safety
    /// As [`trapezoid_f64`].
    unsafe fn trapezoid_f32_pure(partials: *mut f32, count: u32, strips: f32) = sums::f32_pure;

    /// Partial sums with everything in f32; strips = 2^p, `step` = 2^-p.
    ///
    /// # Safety
    /// As [`trapezoid_f64`].
    unsafe fn trapezoid_f32_pure_dyadic(partials: *mut f32, count: u32, step: f32) = sums::f32_pure_dyadic;
}

#[cfg(test)]
mod tests {
    use super::{
        MAX_STRIPS, trapezoid_f32, trapezoid_f32_dyadic, trapezoid_f32_pure,
        trapezoid_f32_pure_dyadic, trapezoid_f64, trapezoid_f64_dyadic,
    };
    use cuda_std::launch::{Actual, LaunchShape, SafeLaunch};

    fn check<K: SafeLaunch>(
        _: K,
        shape: LaunchShape,
        elements: usize,
        count: u32,
    ) -> Result<(), &'static str> {
        let (address, count) = ([0; 8], count.to_ne_bytes());
        let strips = &[0; 8][..K::PARAMETERS[2].ty[1..].parse::<usize>().unwrap() / 8];
        let argument = |bytes, elements| Actual { bytes, elements };
        let arguments = [
            argument(&address[..], Some(elements)),
            argument(&count[..], None),
            argument(strips, None),
        ];
        // SAFETY: the bytes are those of a pointer, a `u32` and a float.
        unsafe { K::check(&shape, &arguments) }
    }

    fn refuses_what_it_should<K: SafeLaunch>(kernel: K) {
        let strips = "u64::from(count).saturating_mul(grid.count()).saturating_mul(block.count()) <= MAX_STRIPS";
        let line = |grid: u32, block: u32| LaunchShape::new(grid, block);
        assert_eq!(check(kernel, line(2, 64), 128, 3), Ok(()));
        assert!(check(kernel, line(2, 64), 127, 3).is_err());
        assert!(check(kernel, LaunchShape::new((1, 2), 64), 128, 3).is_err());
        let most = (MAX_STRIPS / 128) as u32;
        assert_eq!(check(kernel, line(2, 64), 128, most), Ok(()));
        assert_eq!(check(kernel, line(2, 64), 128, most + 1), Err(strips));
        // 2^31 * 2^30 * 2^3 strips are 0 in 64 bits.
        assert_eq!(
            check(kernel, line(1 << 30, 8), 1 << 33, 1 << 31),
            Err(strips)
        );
    }

    #[test]
    fn every_contract_counts_threads_and_strips_without_wrapping() {
        refuses_what_it_should(trapezoid_f64);
        refuses_what_it_should(trapezoid_f64_dyadic);
        refuses_what_it_should(trapezoid_f32);
        refuses_what_it_should(trapezoid_f32_dyadic);
        refuses_what_it_should(trapezoid_f32_pure);
        refuses_what_it_should(trapezoid_f32_pure_dyadic);
    }
}
