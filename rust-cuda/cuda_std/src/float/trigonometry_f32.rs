//! Sine, cosine and tangent of f32 in f32 arithmetic, since few GPUs have as many units for f64.
//!
//! Up to 2^17 the argument is reduced to a quarter turn by Cody and Waite's method in three parts of
//! pi / 2; what is left, as a sum of two numbers, goes through minimax polynomials (Remez's
//! algorithm with 220 bits, 2026-11-22). Larger arguments, and what is not finite, take the way of
//! f64.

use super::arithmetic::{fma, polynomial, product_and_rest, quotient_and_rest, sum_and_rest};
use super::trigonometry;

const HALF_PI: f32 = core::f32::consts::FRAC_PI_2;
const HALF_PI_2: f32 = f32::from_bits(0xb33b_bd2e);
const HALF_PI_3: f32 = f32::from_bits(0xa6f7_2ced);
/// 1.5 * 2^23: what is added to it is rounded to an integer, in the lower bits of the sum.
const SHIFT: f32 = 12_582_912.0;
const LIMIT: f32 = 131_072.0;

/// Sine and cosine of `x` without its quarter turns, each as a sum whose first number is the larger,
/// and how many turns those were in the last two bits, for `|x|` up to
/// `LIMIT`.
#[inline(always)]
fn kernels(x: f32) -> ((f32, f32), (f32, f32), u32) {
    let shifted = fma(x, core::f32::consts::FRAC_2_PI, SHIFT);
    let turns = shifted - SHIFT;
    // Exact: a multiple of 2^-24 below 1.
    let first = fma(-turns, HALF_PI, x);
    let (product, lost) = product_and_rest(turns, HALF_PI_2);
    // Nothing is lost where the product is larger, either: 2^-24 is a multiple of its last bit.
    let (high, error) = sum_and_rest(first, -product);
    let low = error - fma(turns, HALF_PI_3, lost);
    let z = high * high;
    let odd = polynomial(z, [-0.16666667, 0.008333329, -0.00019839332, 2.7182755e-6]);
    let even = polynomial(z, [0.041666646, -0.0013887364, 2.4438112e-5]);
    let sine = fma(high * z, odd, low);
    let near = fma(-0.5, z, 1.0);
    let cosine = fma(z * z, even, fma(-high, low, fma(-0.5, z, 1.0 - near)));
    ((high, sine), (near, cosine), shifted.to_bits())
}

#[inline]
pub(super) fn sin_cos(x: f32) -> (f32, f32) {
    if x.abs() < LIMIT {
        let (sine, cosine, quadrant) = kernels(x);
        let (sine, cosine) = (sine.0 + sine.1, cosine.0 + cosine.1);
        let (a, b) = if quadrant & 1 == 0 {
            (sine, cosine)
        } else {
            (cosine, sine)
        };
        // The sine is negative in the last two quarters, the cosine in the middle two.
        let sign = (quadrant & 2) << 30;
        let a = f32::from_bits(a.to_bits() ^ sign);
        let b = f32::from_bits(b.to_bits() ^ (quadrant.wrapping_add(1) & 2) << 30);
        // Keeps the sign of -0.
        return (if x == 0.0 { x } else { a }, b);
    }
    let (sine, cosine) = trigonometry::sin_cos(f64::from(x));
    (sine as f32, cosine as f32)
}

#[inline]
pub(super) fn sin(x: f32) -> f32 {
    sin_cos(x).0
}

#[inline]
pub(super) fn cos(x: f32) -> f32 {
    sin_cos(x).1
}

#[inline]
pub(super) fn tan(x: f32) -> f32 {
    if x.abs() < LIMIT {
        let (sine, cosine, quadrant) = kernels(x);
        let sine = sum_and_rest(sine.0, sine.1);
        let cosine = sum_and_rest(cosine.0, cosine.1);
        let (high, low) = if quadrant & 1 == 0 {
            quotient_and_rest(sine, cosine)
        } else {
            quotient_and_rest((-cosine.0, -cosine.1), sine)
        };
        return if x == 0.0 { x } else { high + low };
    }
    trigonometry::tan(f64::from(x)) as f32
}
