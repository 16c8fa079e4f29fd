//! `asin` and `acos` without tables or local memory.
//!
//! Up to 1/2 the arc sine is a polynomial; beyond, half of the angle is the arc sine of
//! `sqrt((1 - x) / 2)`, which is kept in two parts. Minimax polynomials by Remez's algorithm with
//! 220 bits, 2026-11-22.

use super::GpuFloat;
use super::arithmetic::{
    constants, fma, half_over, half_over_f32, series, sqrt_normal_f32, sum_and_rest,
};

macro_rules! arcsine {
    ($float:ident, $asin:ident, $acos:ident, $tail:ident, $half:ident, $sqrt:path, $half_over:ident, $pi_low:expr, $series:expr) => {
        /// `asin(s) - s`, over `s`, of a square up to 1/4.
        #[inline(always)]
        fn $tail(square: $float) -> $float {
            square * series(square, constants!($float, $series))
        }

        /// Half of the arc cosine of a number between 1/2 and 1, in two parts; NaN above 1.
        #[inline(always)]
        fn $half(size: $float) -> ($float, $float) {
            let square = fma(-0.5, size, 0.5);
            let root = $sqrt(square);
            // Half an ulp of the root at most, of which a tenth does not matter.
            let lost = fma(-root, root, square) * $half_over(root);
            (root, fma(root, $tail(square), lost))
        }

        #[inline]
        pub(super) fn $asin(x: $float) -> $float {
            let size = x.abs();
            let angle = if size <= 0.5 {
                fma(size, $tail(size * size), size)
            } else {
                let (root, low) = $half(size);
                let (high, rest) = sum_and_rest(core::$float::consts::FRAC_PI_2, -2.0 * root);
                high + fma(-2.0, low, rest + 0.5 * $pi_low)
            };
            GpuFloat::copysign(angle, x)
        }

        #[inline]
        pub(super) fn $acos(x: $float) -> $float {
            let size = x.abs();
            if size <= 0.5 {
                let (high, rest) = sum_and_rest(core::$float::consts::FRAC_PI_2, -x);
                return high + fma(-x, $tail(x * x), rest + 0.5 * $pi_low);
            }
            let (root, low) = $half(size);
            if x > 0.0 {
                return 2.0 * (root + low);
            }
            let (high, rest) = sum_and_rest(core::$float::consts::PI, -2.0 * root);
            high + fma(-2.0, low, rest + $pi_low)
        }
    };
}

arcsine!(
    f64,
    asin,
    acos,
    tail,
    half_angle,
    GpuFloat::sqrt,
    half_over,
    f64::from_bits(0x3ca1_a626_3314_5c07),
    [
        0.1666666666666538,
        0.07500000000343482,
        0.04464285682310183,
        0.03038195934754029,
        0.022371753121462824,
        0.01735977731262903,
        0.013884535870898895,
        0.012173698340999854,
        0.006509008194633191,
        0.019579041480862158,
        -0.016302261058043152,
        0.031964662988475424,
    ]
);

arcsine!(
    f32,
    asinf,
    acosf,
    tail_f32,
    half_angle_f32,
    sqrt_normal_f32,
    half_over_f32,
    f32::from_bits(0xb3bb_bd2e),
    [0.16666754, 0.0749524, 0.045477364, 0.024146186, 0.04222117]
);
