//! Sine, cosine and tangent of f32 in f32 arithmetic, since few GPUs have as many units for f64.
//!
//! Up to 2^17 the argument is reduced to a quarter turn by Cody and Waite's method in three parts of
//! pi / 2; what is left, as a sum of two numbers, goes through one odd polynomial, as in f64
//! (minimax, Remez's algorithm with 220 bits, 2026-11-22). Larger arguments, and what is not finite,
//! take the way of f64.

use super::GpuFloat;
use super::arithmetic::{
    Times, fma, polynomial, product_and_rest, quotient_and_rest, sum_and_rest,
};
use super::trigonometry;

const HALF_PI: f32 = core::f32::consts::FRAC_PI_2;
const HALF_PI_2: f32 = f32::from_bits(0xb33b_bd2e);
const HALF_PI_3: f32 = f32::from_bits(0xa6f7_2ced);
/// What `PI` leaves of pi.
const PI_2: f32 = f32::from_bits(0xb3bb_bd2e);
/// 1.5 * 2^23: what is added to it is rounded to an integer, in the lower bits of the sum.
const SHIFT: f32 = 12_582_912.0;
const LIMIT: f32 = 131_072.0;
/// Below 2^-12 a sine is its angle, and a tangent.
const TINY: f32 = 0.000_244_140_62;

/// `quadrant` quarter turns, in its last two bits, and `high + low` radians, at most pi / 4.
#[derive(Clone, Copy)]
struct Angle {
    quadrant: u32,
    high: f32,
    low: f32,
}

/// Of `|x|` below `LIMIT`; anything for others.
#[inline(always)]
fn reduce(x: f32) -> Angle {
    let shifted = fma(x, core::f32::consts::FRAC_2_PI, SHIFT);
    let turns = shifted - SHIFT;
    // Exact: a multiple of 2^-24 below 1.
    let first = fma(-turns, HALF_PI, x);
    let (product, lost) = product_and_rest(turns, HALF_PI_2);
    // Nothing is lost where the product is larger, either: 2^-24 is a multiple of its last bit.
    let (high, error) = sum_and_rest(first, -product);
    Angle {
        quadrant: shifted.to_bits(),
        high,
        low: error - fma(turns, HALF_PI_3, lost),
    }
}

/// `x * pi`, for `|x|` below 2^21.
#[inline(always)]
fn reduce_turns(x: f32) -> Angle {
    const PI: f32 = core::f32::consts::PI;
    let shifted = fma(x, 2.0, SHIFT);
    let rest = fma(-0.5, shifted - SHIFT, x);
    let high = rest.times(PI);
    Angle {
        quadrant: shifted.to_bits(),
        high,
        low: fma(rest, PI_2, fma(rest, PI, -high)),
    }
}

/// `(sin(x) - x) / x^3` of a square, for `|x|` up to pi / 4.
#[inline(always)]
fn odd_tail(z: f32) -> f32 {
    polynomial(z, [-0.16666667, 0.008333329, -0.00019839332, 2.7182755e-6])
}

/// The sine of `angle + low`, at most pi / 4.
#[inline(always)]
fn small_sine(angle: f32, low: f32) -> f32 {
    let square = angle * angle;
    angle + fma(angle * square, odd_tail(square), low)
}

/// `value`, its sign changed in the last two of four quarters.
#[inline(always)]
fn signed(value: f32, quadrant: u32) -> f32 {
    f32::from_bits(value.to_bits() ^ (quadrant & 2) << 30)
}

impl Angle {
    /// The sine of the whole angle, `phase` quarter turns further. Within 0.95 ulp.
    #[inline(always)]
    fn sine(self, phase: u32) -> f32 {
        let quadrant = self.quadrant.wrapping_add(phase);
        let is_odd = quadrant & 1 == 1;
        let half = if is_odd { 0.5 } else { 1.0 };
        let sine = small_sine(self.high * half, self.low * half);
        // 1 - 2 sine^2, or the sine itself.
        let (factor, rest) = if is_odd {
            (-2.0 * sine, 1.0)
        } else {
            (1.0, -0.0)
        };
        signed(fma(factor, sine, rest), quadrant)
    }

    /// Sine and cosine of the whole angle, with the bits of [`sine`](Angle::sine).
    #[inline(always)]
    fn sine_and_cosine(self) -> (f32, f32) {
        let sine = small_sine(self.high, self.low);
        let half = small_sine(0.5 * self.high, 0.5 * self.low);
        let cosine = fma(-2.0 * half, half, 1.0);
        let (a, b) = if self.quadrant & 1 == 0 {
            (sine, cosine)
        } else {
            (cosine, sine)
        };
        (
            signed(a, self.quadrant),
            signed(b, self.quadrant.wrapping_add(1)),
        )
    }

    #[inline(always)]
    fn tangent(self) -> f32 {
        let (x, z) = (self.high, self.high * self.high);
        let even = polynomial(z, [0.041666646, -0.0013887364, 2.4438112e-5]);
        let sine = sum_and_rest(x, fma(x * z, odd_tail(z), self.low));
        let near = fma(-0.5, z, 1.0);
        let cosine = fma(z * z, even, fma(-x, self.low, fma(-0.5, z, 1.0 - near)));
        let cosine = sum_and_rest(near, cosine);
        let (top, bottom) = if self.quadrant & 1 == 0 {
            (sine, cosine)
        } else {
            ((-cosine.0, -cosine.1), sine)
        };
        let (high, low) = quotient_and_rest(top, bottom);
        high + low
    }
}

#[inline]
pub(super) fn sin(x: f32) -> f32 {
    let sine = reduce(x).sine(0);
    if x.abs() < TINY {
        // The sign of -0, too.
        x
    } else if x.abs() < LIMIT {
        sine
    } else {
        trigonometry::far(f64::from(x), 0) as f32
    }
}

#[inline]
pub(super) fn cos(x: f32) -> f32 {
    let cosine = reduce(x).sine(1);
    if x.abs() < LIMIT {
        cosine
    } else {
        trigonometry::far(f64::from(x), 1) as f32
    }
}

#[inline]
pub(super) fn sin_cos(x: f32) -> (f32, f32) {
    let (sine, cosine) = reduce(x).sine_and_cosine();
    if x.abs() < TINY {
        (x, cosine)
    } else if x.abs() < LIMIT {
        (sine, cosine)
    } else {
        let far = |phase| trigonometry::far(f64::from(x), phase) as f32;
        (far(0), far(1))
    }
}

#[inline]
pub(super) fn tan(x: f32) -> f32 {
    let tangent = reduce(x).tangent();
    if x.abs() < TINY {
        x
    } else if x.abs() < LIMIT {
        tangent
    } else {
        trigonometry::far_tangent(f64::from(x)) as f32
    }
}

/// Sine and cosine of `x * pi`.
#[inline]
pub(super) fn sincospi(x: f32) -> (f32, f32) {
    // 2^21 and more are quarters: what matters is the rest of 2.
    let nearer = if x.abs() < 2_097_152.0 {
        x
    } else {
        x - 2.0 * GpuFloat::floor(0.5 * x)
    };
    let (sine, cosine) = reduce_turns(nearer).sine_and_cosine();
    // Multiples of pi have the sign of `x`.
    let sine = if sine == 0.0 {
        GpuFloat::copysign(0.0, x)
    } else {
        sine
    };
    (sine, cosine)
}
