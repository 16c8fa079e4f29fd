//! Hyperbolic functions and their inverses, without local memory.
//!
//! With `|x| = n ln 2 + r`, `sinh` and `cosh` are sums of `2^n exp(r)` and `2^-n exp(-r)`, of which
//! `r` and the rest of its even and odd series are added one after the other: no division. Below 1
//! `sinh` and `tanh` are odd polynomials; beyond, `tanh` is `1 - 2 / (exp(2 |x|) + 1)`. The inverses
//! come from `ln_1p`. Minimax polynomials by Remez's algorithm with 160 bits and more, 2026-11-26.

use super::GpuFloat;
use super::arithmetic::{
    Times, constants, fma, power_of_two, power_of_two_f32, recip_normal, recip_normal_f32, series,
};
use super::exponential::{exp_parts, exp_parts_f32, reduce, reduce_f32, rest_of, rest_of_f32};
use super::logarithm::{ln, ln_1p, ln_1pf, lnf};

macro_rules! hyperbolic {
    (
        $float:ident, $sinh:ident, $cosh:ident, $half:ident, $tanh:ident, $asinh:ident,
        $acosh:ident, $atanh:ident, $reduce:ident, $rest_of:ident, $power:ident,
        $exp_parts:ident, $recip:ident, $ln:ident, $ln_1p:ident, odd: $odd:expr,
        even: $even:expr, infinite: $infinite:expr, sinh: $sinh_near:expr,
        tanh: $tanh_near:expr, from $tanh_from:literal to $tanh_to:literal, square: $square:expr
    ) => {
        /// Half of the sine, of `sign` -1, or of the cosine, of 1, up to where both are infinite,
        /// which they are from there on.
        #[inline(always)]
        fn $half(size: $float, sign: $float) -> $float {
            // Not `min`, which prefers numbers to NaN.
            let size = if size > $infinite { $infinite } else { size };
            let (n, first, turns) = $reduce(size);
            let (r, lost) = $rest_of(first, turns);
            let z = r * r;
            let even = fma(z, z * series(z, constants!($float, $even)), 0.5 * z);
            let odd = fma(r * z, series(z, constants!($float, $odd)), lost);
            // large exp(r) and small exp(-r) are a fourth of exp(size) and exp(-size).
            let (large, small) = (
                $power(n.wrapping_sub(2)),
                sign * $power(i32::wrapping_sub(-2, n.min(60))),
            );
            let smaller = fma(small, (even - odd) - r, small);
            large + fma(large, r, fma(large, even + odd, smaller))
        }

        #[inline]
        pub(super) fn $sinh(x: $float) -> $float {
            let size = x.abs();
            let sinh = if size < 1.0 {
                let square = size * size;
                fma(
                    size * square,
                    series(square, constants!($float, $sinh_near)),
                    size,
                )
            } else {
                2.0 * $half(size, -1.0)
            };
            GpuFloat::copysign(sinh, x)
        }

        #[inline]
        pub(super) fn $cosh(x: $float) -> $float {
            2.0 * $half(x.abs(), 1.0)
        }

        #[inline]
        pub(super) fn $tanh(x: $float) -> $float {
            let size = x.abs();
            let tanh = if size < $tanh_from {
                let square = size * size;
                fma(
                    size * square,
                    series(square, constants!($float, $tanh_near)),
                    size,
                )
            } else if size < $tanh_to {
                // 1 - 2 / (exp(2 |x|) + 1).
                let (p, n) = $exp_parts(2.0 * size);
                fma(-2.0, $recip(fma(p, $power(n), 1.0)), 1.0)
            } else if size >= $tanh_to {
                1.0
            } else {
                return x;
            };
            GpuFloat::copysign(tanh, x)
        }

        #[inline]
        pub(super) fn $asinh(x: $float) -> $float {
            let size = x.abs();
            let value = if size < $square {
                let square = size.times(size);
                $ln_1p(size + square / (1.0 + GpuFloat::sqrt(1.0 + square)))
            } else {
                $ln(size) + core::$float::consts::LN_2
            };
            GpuFloat::copysign(value, x)
        }

        #[inline]
        pub(super) fn $acosh(x: $float) -> $float {
            if x < 1.0 {
                $float::NAN
            } else if x < $square {
                let t = x - 1.0;
                $ln_1p(t + GpuFloat::sqrt(fma(t, t, 2.0 * t)))
            } else {
                $ln(x) + core::$float::consts::LN_2
            }
        }

        #[inline]
        pub(super) fn $atanh(x: $float) -> $float {
            let size = x.abs();
            GpuFloat::copysign(0.5 * $ln_1p(2.0 * size / (1.0 - size)), x)
        }
    };
}

hyperbolic!(
    f64, sinh, cosh, half, tanh, asinh, acosh, atanh, reduce, rest_of, power_of_two,
    exp_parts, recip_normal, ln, ln_1p,
    odd: [
        0.16666666666666677,
        0.00833333333332153,
        0.0001984126988640287,
        2.755724390981723e-06,
        2.5109148044549848e-08,
    ],
    even: [
        0.041666666666666685,
        0.0013888888888873368,
        2.480158734901686e-05,
        2.7557251990342237e-07,
        2.0921713963551484e-09,
    ],
    infinite: 710.6,
    sinh: [0.16666666666666669, 0.008333333333332868, 0.00019841269841637803, 2.755731909026727e-06, 2.505213384365733e-08, 1.6056427504233278e-10, 7.783803779118858e-13],
    tanh: [
        -0.33333333333332943,
        0.1333333333329289,
        -0.05396825395343281,
        0.021869488259926663,
        -0.00886323245266754,
        0.0035921056121847174,
        -0.001455721350762861,
        0.000589618753819234,
        -0.0002380440022273452,
        9.476837307676806e-05,
        -3.608683610467897e-05,
        1.2341488032850529e-05,
        -3.4197579980820273e-06,
        6.545185619338708e-07,
        -6.269624342357131e-08,
    ], from 1.0 to 19.1,
    square: 268_435_456.0
);

hyperbolic!(
    f32, sinhf, coshf, half_f32, tanhf, asinhf, acoshf, atanhf, reduce_f32, rest_of_f32,
    power_of_two_f32, exp_parts_f32, recip_normal_f32, lnf, ln_1pf,
    odd: [0.16666667, 0.008333289, 0.00019905047],
    even: [0.04166646, 0.0013935306],
    infinite: 89.6,
    sinh: [0.16666667, 0.008333307, 0.00019843873, 2.7760586e-6],
    tanh: [
        -0.33333308,
        0.13332525,
        -0.05388959,
        0.0215123,
        -0.007981104,
        0.0023253385,
        -0.00036496503,
    ], from 1.0 to 9.1,
    square: 8192.0
);
