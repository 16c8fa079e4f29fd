//! `atan` and `atan2` without tables or local memory.
//!
//! With tan(pi/8) and tan(3 pi/8) as bounds, the angle of the point (x, y) is 0, pi/4 or pi/2 and
//! the arc tangent of a quotient between -tan(pi/8) and tan(pi/8): of y / x, (y - x) / (y + x) or
//! -x / y. The quotient is kept in two parts. Minimax polynomials by Remez's
//! algorithm with 200 bits, 2026-11-22.

use super::GpuFloat;
use super::arithmetic::{
    constants, fma, power_of_two, power_of_two_f32, quotient_and_rest, series, sum_and_rest,
};

macro_rules! arctangent {
    (
        $float:ident, $atan:ident, $atan2:ident, $angle:ident, $pi:expr, $near:expr, $far:expr,
        $exponent:expr, $shift:expr, $power:ident, $series:expr
    ) => {
        /// The angle of the point (x, y), neither of them negative, in two parts: for sizes of
        /// which neither the sum nor a quotient overflows or underflows.
        #[inline(always)]
        fn $angle(y: $float, x: $float) -> ($float, $float) {
            let (pi, pi_low): ($float, $float) = $pi;
            let (above, below) = (y > $near * x, y < $far * x);
            let middle = above && below;
            let (difference, difference_low) = if y > x {
                sum_and_rest(y, -x)
            } else {
                let (value, low) = sum_and_rest(x, -y);
                (-value, -low)
            };
            let (sum, sum_low) = if y > x {
                sum_and_rest(y, x)
            } else {
                sum_and_rest(x, y)
            };
            let (part, top, bottom) = if middle {
                (0.25, (difference, difference_low), (sum, sum_low))
            } else if above {
                (0.5, (-x, 0.0), (y, 0.0))
            } else {
                (0.0, (y, 0.0), (x, 0.0))
            };
            let (t, rest) = quotient_and_rest(top, bottom);
            let z = t * t;
            let small = fma(t * z, series(z, constants!($float, $series)), rest);
            let (high, low) = sum_and_rest(part * pi, t);
            sum_and_rest(high, low + (small + part * pi_low))
        }

        #[inline]
        pub(super) fn $atan(x: $float) -> $float {
            let size = x.abs();
            // Beyond the second bound the next term of pi/2 - 1/x + ... does not count.
            let value = if size < $near {
                let z = size * size;
                fma(size * z, series(z, constants!($float, $series)), size)
            } else if size < $power($exponent) {
                let (high, low) = $angle(size, 1.0);
                high + low
            } else if x.is_nan() {
                return x;
            } else {
                0.5 * $pi.0
            };
            GpuFloat::copysign(value, x)
        }

        #[inline]
        pub(super) fn $atan2(y: $float, x: $float) -> $float {
            let (pi, pi_low): ($float, $float) = $pi;
            let (height, width) = (y.abs(), x.abs());
            let (large, small) = if height > width {
                (height, width)
            } else {
                (width, height)
            };
            // Normal, and no more apart than the angle's own bits.
            let usual = small > large * $power(-$exponent) && large < $float::INFINITY;
            let (high, low) = if usual {
                let scale = if large > $power($exponent) {
                    $power(-$shift)
                } else if large < $power(-$exponent) {
                    $power($shift)
                } else {
                    1.0
                };
                $angle(height * scale, width * scale)
            } else if x.is_nan() || y.is_nan() {
                (x + y, 0.0)
            } else if height == width && height != 0.0 {
                (0.25 * pi, 0.25 * pi_low)
            } else if height > width {
                (0.5 * pi, 0.5 * pi_low)
            } else if height == 0.0 || width == $float::INFINITY {
                (0.0, 0.0)
            } else {
                (height / width, 0.0)
            };
            let angle = if x.is_sign_negative() {
                let (value, rest) = sum_and_rest(pi, -high);
                value + (rest + (pi_low - low))
            } else {
                high + low
            };
            GpuFloat::copysign(angle, y)
        }
    };
}

arctangent!(
    f64,
    atan,
    atan2,
    angle,
    (core::f64::consts::PI, f64::from_bits(0x3ca1_a626_3314_5c07)),
    0.41421356237309503,
    2.414213562373095,
    64,
    600,
    power_of_two,
    [
        -0.3333333333333319,
        0.1999999999995281,
        -0.142857142801138,
        0.11111110779112655,
        -0.09090897626975268,
        0.07692057790982534,
        -0.06663075419206545,
        0.058476734017208036,
        -0.050382989159516126,
        0.038038202097029454,
        -0.01787749912236829,
    ]
);

arctangent!(
    f32,
    atanf,
    atan2f,
    angle_f32,
    (core::f32::consts::PI, f32::from_bits(0xb3bb_bd2e)),
    0.414_213_57,
    2.414_213_7,
    30,
    80,
    power_of_two_f32,
    [
        -0.33333316,
        0.19998473,
        -0.14243527,
        0.10593464,
        -0.060766757,
    ]
);
