//! `atan` and `atan2` without tables or local memory.
//!
//! Up to 1 the arc tangent is an odd polynomial; beyond, pi / 2 less that of the reciprocal. In f64 it
//! takes one more step, and half of the coefficients. The
//! angle of a point is that of the quotient of its lesser coordinate by the greater, and 0, pi / 2
//! or pi more or less. What the quotient's rounding lost is kept. Minimax polynomials by Remez's
//! algorithm with 160 bits, 2026-11-26.

use super::GpuFloat;
use super::arithmetic::{
    Times, constants, fma, power_of_two, power_of_two_f32, recip_normal, recip_normal_f32, series,
    sum_and_rest, upper,
};

macro_rules! arctangent {
    (
        $float:ident, $atan2:ident, $angle:ident, $odd:ident,
        $unusual:ident, $recip:ident, $power:ident, half_pi: $half_pi:expr,
        exponent: $exponent:expr, exponent_of: $exponent_of:expr, $series:expr
    ) => {
        /// `atan(t) / t - 1` of a square, for `t` up to 1.
        #[inline(always)]
        fn $odd(square: $float) -> $float {
            square * series(square, constants!($float, $series))
        }

        /// The angle of the point (x, y) for sizes of which no quotient overflows or underflows.
        #[inline(always)]
        fn $angle(y: $float, x: $float) -> $float {
            let (half_pi, half_pi_low): ($float, $float) = $half_pi;
            let (height, width) = (y.abs(), x.abs());
            let (is_left, is_steep) = (x < 0.0, height >= width);
            let large = GpuFloat::max(height, width);
            let small = GpuFloat::min(height, width);
            let small = if is_left == is_steep { small } else { -small };
            let start = if is_steep {
                half_pi
            } else if is_left {
                2.0 * half_pi
            } else {
                0.0
            };
            let inverse = $recip(large);
            let t = small.times(inverse);
            let low = fma(-t, large, small) * inverse;
            let square = t * t;
            // Nearly the slope there.
            let low = low * fma(-0.5, square, 1.0);
            let more = $odd(square);
            // What the rounding of pi / 2 left, too.
            let low = fma(start, half_pi_low / half_pi, low);
            let (high, rest) = sum_and_rest(start, t);
            let tail = fma(t, more, low);
            GpuFloat::copysign(high + (rest + tail), y)
        }

        #[inline]
        pub(super) fn $atan2(y: $float, x: $float) -> $float {
            let (height, width) = (y.abs(), x.abs());
            let small = GpuFloat::min(height, width);
            // Of middle size, both. A sum with NaN is not.
            let (least, most) = ($power(-$exponent), $power($exponent));
            let is_usual = small > least && height + width < most;
            if is_usual {
                $angle(y, x)
            } else {
                $unusual(y, x)
            }
        }

        /// The angle of other points.
        #[cold]
        #[inline(never)]
        fn $unusual(y: $float, x: $float) -> $float {
            let (half_pi, _): ($float, $float) = $half_pi;
            let (height, width) = (y.abs(), x.abs());
            if x.is_nan() || y.is_nan() {
                return x + y;
            }
            let (large, small) = (GpuFloat::max(height, width), GpuFloat::min(height, width));
            let size = if small > large * $power(-$exponent) && large < $float::INFINITY {
                let scale = $power((-$exponent_of(large)).max($float::MIN_EXP - 1));
                return $angle(y * scale, x * scale);
            } else if height == width && height != 0.0 {
                return GpuFloat::copysign($angle(1.0, GpuFloat::copysign(1.0, x)), y);
            } else if height > width {
                half_pi
            } else if x.is_sign_negative() {
                2.0 * half_pi
            } else if height == 0.0 || width == $float::INFINITY {
                0.0
            } else {
                height / width
            };
            GpuFloat::copysign(size, y)
        }
    };
}

/// Below 9/16 a polynomial, about 1 the one of `(x - 1) / (x + 1)` and beyond 2 of `-1 / x`, which are
/// as small. What is compared is so without the units of f64.
#[inline]
pub(super) fn atan(x: f64) -> f64 {
    use core::f64::consts::{FRAC_PI_2, FRAC_PI_4};
    /// What `FRAC_PI_4` leaves of pi / 4.
    const LOW: f64 = f64::from_bits(0x3c81_a626_3314_5c07);
    // Not of NaN, which therefore goes the way of what is small.
    let is_beyond = x.abs() >= 0.5625;
    let upper_half = upper(x) & 0x7fff_ffff;
    let is_large = is_beyond & (upper_half >= 0x4000_0000);
    // Selected, and not branches around the reciprocal.
    let select = core::hint::select_unpredictable::<f64>;
    // No more than 2^64, in its upper half.
    let size =
        f64::from_bits(u64::from(upper_half.min(0x43f0_0000)) << 32 | x.to_bits() & 0xffff_ffff);
    let (less, more) = (size - 1.0, size + 1.0);
    // Not the size, which were an operation of f64: the result takes the sign of x.
    let numerator = select(is_large, -1.0, select(is_beyond, less, x));
    let denominator = select(is_large, size, select(is_beyond, more, 1.0));
    let start = select(is_large, FRAC_PI_2, select(is_beyond, FRAC_PI_4, 0.0));
    let start_low = select(is_large, 2.0 * LOW, select(is_beyond, LOW, 0.0));
    let inverse = recip_normal(denominator);
    let t = numerator.times(inverse);
    let low = fma(fma(-t, denominator, numerator), inverse, start_low);
    let square = t * t;
    let tail = square
        * series(
            square,
            constants!(
                f64,
                [
                    -0.33333333333333204,
                    0.1999999999995069,
                    -0.14285714280549325,
                    0.11111110857632985,
                    -0.09090901970928489,
                    0.07692180883585258,
                    -0.06665147620187327,
                    0.05869679532630301,
                    -0.05188096448844029,
                    0.04443969367211314,
                    -0.03386651673861075,
                    0.019422483277765763,
                    -0.005927635310445601,
                ]
            ),
        );
    GpuFloat::copysign(start + (t + fma(t, tail, low)), x)
}

/// Beyond 1 it is pi / 2 less that of the reciprocal, whose rounding is most of the error.
#[inline]
pub(super) fn atanf(x: f32) -> f32 {
    const HALF_PI: f32 = core::f32::consts::FRAC_PI_2;
    /// What `HALF_PI` leaves of pi / 2, over it.
    const LOW: f32 = f32::from_bits(0xb33b_bd2e) / HALF_PI;
    let size = x.abs();
    // Of NaN it is anything, and not taken.
    let inverse = recip_normal_f32(-GpuFloat::min(size, power_of_two_f32(60)));
    // Not `if`, of which LLVM makes a branch around the reciprocal.
    let is_beyond = size >= 1.0;
    let start = if is_beyond { HALF_PI } else { 0.0 };
    let t = core::hint::select_unpredictable(is_beyond, inverse, size);
    let more = odd_f32(t * t);
    let (high, rest) = sum_and_rest(start, t);
    // What the rounding of pi / 2 left, too.
    let rest = fma(start, LOW, rest);
    GpuFloat::copysign(high + fma(t, more, rest), x)
}

arctangent!(
    f64, atan2, angle, odd, unusual, recip_normal, power_of_two,
    half_pi: (core::f64::consts::FRAC_PI_2, f64::from_bits(0x3c91_a626_3314_5c07)),
    exponent: 64, exponent_of: |x: f64| (x.to_bits() >> 52) as i32 - 1023,
    [
        -0.3333333333333307,
        0.1999999999995149,
        -0.14285714282576514,
        0.11111111007358555,
        -0.09090907016874195,
        0.0769228011244585,
        -0.06666407258634452,
        0.05880552652668721,
        -0.05253654015546004,
        0.04722861169493811,
        -0.04220780846788343,
        0.03667799639361873,
        -0.029965895849424246,
        0.022066241568404425,
        -0.013981418334957496,
        0.007256292539082974,
        -0.002916800042106817,
        0.0008429066324691517,
        -0.00015472832065528442,
        1.3486929358396239e-05]
);

arctangent!(
    f32, atan2f, angle_f32, odd_f32, unusual_f32, recip_normal_f32, power_of_two_f32,
    half_pi: (core::f32::consts::FRAC_PI_2, f32::from_bits(0xb33b_bd2e)),
    exponent: 60, exponent_of: |x: f32| (x.to_bits() >> 23) as i32 - 127,
    [
        -0.33333313,
        0.19998907,
        -0.1426757,
        0.10967876,
        -0.08445624,
        0.05863169,
        -0.031811874,
        0.011238634,
        -0.0018630401,
    ]
);
