//! Sine, cosine and tangent for arguments of any size, without an array in local memory.
//!
//! The argument is reduced to a quarter turn: by Cody and Waite's method in three parts of pi / 2
//! up to 2^20, beyond that by Payne and Hanek's with 192 bits of 2 / pi. What is left is a sum of
//! two doubles. One odd polynomial (minimax, Remez's algorithm with 220 bits, 2026-11-22) serves all
//! quarters: where the result is a cosine, it is 1 - 2 s^2, with the sine s of half the angle. So
//! nothing branches but large arguments, which are a function of their own beside the others' way.
//! `libm` has these functions too, but its reduction keeps arrays on the stack, which every thread
//! would pay for in local memory.

pub(super) use super::trigonometry_f32::{
    cos as cosf, sin as sinf, sin_cos as sin_cosf, sincospi as sincospif, tan as tanf,
};

use super::GpuFloat;
use super::arithmetic::{
    Times, constants, fma, loaded, quotient_and_rest, series, sum_and_rest, upper,
};

const HALF_PI: f64 = f64::from_bits(0x3ff9_21fb_5444_2d18);
const HALF_PI_2: f64 = f64::from_bits(0x3c91_a626_3314_5c07);
/// What `core`'s `PI` leaves of pi.
const PI_2: f64 = f64::from_bits(0x3ca1_a626_3314_5c07);
/// The upper half of 2^20, from where the reduction takes the bits of 2 / pi.
const LARGE: u32 = 0x4130_0000;
/// The upper half of 2^-27, below which a sine is its angle.
const TINY: u32 = 0x3e40_0000;

/// The bits of 2 / pi, after 64 zeros.
static TWO_OVER_PI: [u64; 21] = [
    0x0000_0000_0000_0000,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];

/// An angle: `quadrant` quarter turns and `high + low` radians, at most pi / 4. Functions that
/// return one are always inlined: three scalars are returned through memory.
#[derive(Clone, Copy)]
struct Angle {
    quadrant: u32,
    high: f64,
    low: f64,
}

/// Of `|x| < 2^20`; anything for others.
#[inline(always)]
fn reduce_near(x: f64) -> Angle {
    // 1.5 * 2^52: what is added to it is rounded to an integer, in the lower bits of the sum.
    // Then pi / 2 in three parts: the second has 33 bits, so that its product is exact.
    let [two_over_pi, shift, half_pi, half_pi_2, half_pi_3] = loaded(constants!(
        f64,
        [
            core::f64::consts::FRAC_2_PI,
            6_755_399_441_055_744.0,
            HALF_PI,
            f64::from_bits(0x3c91_a626_3310_0000),
            f64::from_bits(0x3a71_701b_839a_2520),
        ]
    ));
    let shifted = fma(x, two_over_pi, shift);
    let turns = shifted - shift;
    // Exact: a multiple of 2^-53 below 1, or `x` itself.
    let first = fma(-turns, half_pi, x);
    // Nothing is lost where the product is larger, either: 2^-53 is a multiple of its last bit
    // (Boldo, Graillat and Muller 2017).
    let (high, error) = sum_and_rest(first, -turns.times(half_pi_2));
    Angle {
        quadrant: shifted.to_bits() as u32,
        high,
        low: fma(-turns, half_pi_3, error),
    }
}

/// Of any `x`.
#[inline(always)]
fn reduce(x: f64) -> Angle {
    if is_near(x) {
        reduce_near(x)
    } else if x.is_finite() {
        reduce_large(x)
    } else {
        Angle {
            quadrant: 0,
            high: f64::NAN,
            low: 0.0,
        }
    }
}

#[inline(always)]
fn is_near(x: f64) -> bool {
    upper(x) & 0x7fff_ffff < LARGE
}

/// `|x| >= 2^20`: the product of the mantissa with those bits of 2 / pi that matter modulo 4.
#[inline(always)]
fn reduce_large(x: f64) -> Angle {
    let bits = x.to_bits();
    let mantissa = (bits & ((1 << 52) - 1)) | (1 << 52);
    // x = mantissa * 2^exponent; the bit of 2 / pi with weight 2^(1 - exponent) is the first.
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1075;
    let start = (exponent - 2 + 64) as u32;
    let (word, shift) = ((start / 64) as usize, start % 64);
    let take = |i: usize| {
        let i = (word + i).min(TWO_OVER_PI.len() - 2);
        ((u128::from(TWO_OVER_PI[i]) << 64 | u128::from(TWO_OVER_PI[i + 1])) << shift >> 64) as u64
    };
    let (w0, w1, w2) = (take(0), take(1), take(2));
    let p2 = u128::from(w2) * u128::from(mantissa);
    let p1 = u128::from(w1) * u128::from(mantissa) + (p2 >> 64);
    let r0 = w0.wrapping_mul(mantissa).wrapping_add((p1 >> 64) as u64);
    let (r1, r2) = (p1 as u64, p2 as u64);
    // r0 r1 r2: two bits of quadrant, then the fraction.
    let mut quadrant = (r0 >> 62) as u32;
    let mut fraction = (u128::from(r0) << 64 | u128::from(r1)) << 2 | u128::from(r2 >> 62);
    let mut negative = bits >> 63 == 1;
    if fraction >> 127 == 1 {
        quadrant += 1;
        fraction = fraction.wrapping_neg();
        if negative {
            quadrant = quadrant.wrapping_neg();
        }
        negative = !negative;
    } else if negative {
        quadrant = quadrant.wrapping_neg();
    }
    if fraction == 0 {
        return Angle {
            quadrant: quadrant & 3,
            high: 0.0,
            low: 0.0,
        };
    }
    let zeros = fraction.leading_zeros();
    let normal = fraction << zeros;
    let scale = f64::from_bits(u64::from(1023 - 53 - zeros) << 52);
    let high = (normal >> 75) as u64 as f64 * scale;
    let low = ((normal << 53) >> 75) as u64 as f64 * scale * f64::from_bits((1023 - 53) << 52);
    let product = high.times(HALF_PI);
    let rest = GpuFloat::mul_add(high, HALF_PI, -product)
        + GpuFloat::mul_add(high, HALF_PI_2, low * HALF_PI);
    let sign = if negative { -1.0 } else { 1.0 };
    Angle {
        quadrant: quadrant & 3,
        high: sign * product,
        low: sign * rest,
    }
}

/// `x * pi`, reduced, for `|x| < 2^50`; exact but for the last product.
#[inline(always)]
fn reduce_turns(x: f64) -> Angle {
    let [shift, pi, pi_2] = loaded(constants!(
        f64,
        [6_755_399_441_055_744.0, core::f64::consts::PI, PI_2]
    ));
    let shifted = fma(x, 2.0, shift);
    let rest = fma(-0.5, shifted - shift, x);
    let high = rest.times(pi);
    Angle {
        quadrant: shifted.to_bits() as u32,
        high,
        low: fma(rest, pi_2, fma(rest, pi, -high)),
    }
}

/// `(sin(x) - x) / x^3` of a square, for `|x|` up to pi / 4.
#[inline(always)]
fn odd_tail(z: f64) -> f64 {
    series(
        z,
        constants!(
            f64,
            [
                -0.16666666666666632,
                0.00833333333332242,
                -0.00019841269829812378,
                2.7557313693546784e-06,
                -2.505075837798175e-08,
                1.5896811337034265e-10,
            ]
        ),
    )
}

/// The sine of `angle + low`, at most pi / 4.
#[inline(always)]
fn small_sine(angle: f64, low: f64) -> f64 {
    let square = angle * angle;
    angle + fma(angle * square, odd_tail(square), low)
}

/// `value`, its sign changed in the last two of four quarters.
#[inline(always)]
fn signed(value: f64, quadrant: u32) -> f64 {
    f64::from_bits(value.to_bits() ^ u64::from(quadrant & 2) << 62)
}

impl Angle {
    /// The sine of the whole angle, `phase` quarter turns further. Within 0.95 ulp.
    #[inline(always)]
    fn sine(self, phase: u32) -> f64 {
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
    fn sine_and_cosine(self) -> (f64, f64) {
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

    /// Sine and cosine of `high + low`, each as a sum whose first number is the larger.
    #[inline(always)]
    fn kernels(self) -> ((f64, f64), (f64, f64)) {
        let (x, z) = (self.high, self.high * self.high);
        let even = series(
            z,
            constants!(
                f64,
                [
                    0.0416666666666666,
                    -0.0013888888888874131,
                    2.480158728948711e-05,
                    -2.755731435381031e-07,
                    2.08757234809281e-09,
                    -1.1359658894567207e-11,
                ]
            ),
        );
        let half = 0.5 * z;
        let sine = fma(x * z, odd_tail(z), fma(-half, self.low, self.low));
        let near = 1.0 - half;
        let cosine = ((1.0 - near) - half) + fma(z * z, even, -x * self.low);
        ((x, sine), (near, cosine))
    }

    #[inline(always)]
    fn tangent(self) -> f64 {
        let (sine, cosine) = self.kernels();
        let sine = sum_and_rest(sine.0, sine.1);
        let cosine = sum_and_rest(cosine.0, cosine.1);
        let (top, bottom) = if self.quadrant & 1 == 0 {
            (sine, cosine)
        } else {
            ((-cosine.0, -cosine.1), sine)
        };
        let (high, low) = quotient_and_rest(top, bottom);
        high + low
    }
}

/// The sine of `x` and `phase` quarter turns, for arguments that are not near: seldom, and so a
/// function that others call.
#[cold]
#[inline(never)]
pub(super) fn far(x: f64, phase: u32) -> f64 {
    reduce(x).sine(phase)
}

/// The tangent for the same arguments.
#[cold]
#[inline(never)]
pub(super) fn far_tangent(x: f64) -> f64 {
    reduce(x).tangent()
}

#[inline]
pub(super) fn sin(x: f64) -> f64 {
    let sine = reduce_near(x).sine(0);
    if upper(x) & 0x7fff_ffff < TINY {
        // The sign of -0, too.
        x
    } else if is_near(x) {
        sine
    } else {
        far(x, 0)
    }
}

#[inline]
pub(super) fn cos(x: f64) -> f64 {
    let cosine = reduce_near(x).sine(1);
    if is_near(x) { cosine } else { far(x, 1) }
}

#[inline]
pub(super) fn sin_cos(x: f64) -> (f64, f64) {
    let (sine, cosine) = reduce_near(x).sine_and_cosine();
    if upper(x) & 0x7fff_ffff < TINY {
        (x, cosine)
    } else if is_near(x) {
        (sine, cosine)
    } else {
        (far(x, 0), far(x, 1))
    }
}

#[inline]
pub(super) fn tan(x: f64) -> f64 {
    let tangent = reduce_near(x).tangent();
    if upper(x) & 0x7fff_ffff < TINY {
        x
    } else if is_near(x) {
        tangent
    } else {
        far_tangent(x)
    }
}

/// Sine and cosine of `x * pi`.
#[inline]
pub(super) fn sincospi(x: f64) -> (f64, f64) {
    // 2^50 and more are halves: what matters is the rest of 2.
    let nearer = if upper(x) & 0x7fff_ffff < 0x4310_0000 {
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

#[cfg(test)]
#[path = "trigonometry_tests.rs"]
mod tests;
