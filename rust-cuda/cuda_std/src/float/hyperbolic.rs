//! Hyperbolic functions and their inverses, without local memory.
//!
//! With `|x| = n ln 2 + r`, `sinh` and `cosh` follow from those of `r` by the addition theorem, in
//! which `sinh(n ln 2)` and `cosh(n ln 2)` are sums of two powers of 2: no division. `tanh` comes
//! from `exp_m1`, or beyond 1.5 from `exp`; the inverses come from `ln_1p`. Minimax polynomials by
//! Remez's algorithm with 200 bits, 2026-11-22.

use super::GpuFloat;
use super::arithmetic::{
    Times, constants, fma, power_of_two, power_of_two_f32, quotient_and_rest, series, sum_and_rest,
};
use super::exponential::{
    exp, exp_m1_parts, exp_m1_parts_f32, expf, reduce, reduce_f32, rest_of, rest_of_f32,
};
use super::logarithm::{ln, ln_1p, ln_1pf, lnf};

macro_rules! hyperbolic {
    (
        $float:ident, $sinh:ident, $cosh:ident, $both:ident, $tanh:ident, $asinh:ident,
        $acosh:ident, $atanh:ident, $reduce:ident, $rest_of:ident, $power:ident, $exp_m1:ident,
        $exp:ident, $ln:ident, $ln_1p:ident, $odd:expr, $even:expr,
        overflow: $overflow:expr, far: $far:expr, square: $square:expr
    ) => {
        /// sinh and cosh of `|x|`, divided by 2 where `halved`.
        #[inline(always)]
        fn $both(x: $float) -> ($float, $float, bool) {
            let (n, first, turns) = $reduce(x.abs());
            let (r, lost) = $rest_of(first, turns);
            let z = r * r;
            let sinh = fma(r * z, series(z, constants!($float, $odd)), lost);
            let cosh = fma(z * z, series(z, constants!($float, $even)), 0.5 * z);
            // sinh(n ln 2) and cosh(n ln 2), and what their sums lost.
            let halved = n > $far;
            let large = $power(n - 1 - i32::from(halved));
            let small = if n < 100 { $power(-n - 1) } else { 0.0 };
            let (sinh_n, sinh_n_low) = sum_and_rest(large, -small);
            let (cosh_n, cosh_n_low) = sum_and_rest(large, small);
            // sinh_n + cosh_n * r, exact in two parts, and the smaller terms.
            let high = fma(cosh_n, r, sinh_n);
            let low = fma(cosh_n, r, sinh_n - high) + sinh_n_low;
            let odd = high + fma(cosh_n, sinh, fma(sinh_n, cosh, low));
            let high = fma(sinh_n, r, cosh_n);
            let low = fma(sinh_n, r, cosh_n - high) + cosh_n_low;
            let even = high + fma(sinh_n, sinh, fma(cosh_n, cosh, low));
            (odd, even, halved)
        }

        #[inline]
        pub(super) fn $sinh(x: $float) -> $float {
            if x.abs() < $overflow {
                let (sinh, _, halved) = $both(x);
                return GpuFloat::copysign(if halved { sinh * 2.0 } else { sinh }, x);
            }
            x * $float::INFINITY
        }

        #[inline]
        pub(super) fn $cosh(x: $float) -> $float {
            if x.abs() < $overflow {
                let (_, cosh, halved) = $both(x);
                return if halved { cosh * 2.0 } else { cosh };
            }
            x.abs() * $float::INFINITY
        }

        #[inline]
        pub(super) fn $tanh(x: $float) -> $float {
            let size = x.abs();
            if size >= 1.5 {
                // The quotient is below 0.1, and infinity's is 0.
                let quotient = 2.0 * GpuFloat::recip($exp(2.0 * size) + 1.0);
                return GpuFloat::copysign(1.0 - quotient, x);
            }
            if size < 1.5 {
                // With t = exp(2 |x|) - 1: t / (t + 2), or 1 - 2 / (t + 2), in two parts.
                let (t, t_low) = $exp_m1(2.0 * size);
                let (t, t_low) = sum_and_rest(t, t_low);
                let (start, top, (bottom, bottom_low)) = if t < 2.0 {
                    (0.0, (t, t_low), sum_and_rest(2.0, t))
                } else {
                    (1.0, (-2.0, 0.0), sum_and_rest(t, 2.0))
                };
                let (quotient, rest) = quotient_and_rest(top, (bottom, bottom_low + t_low));
                let (sum, sum_low) = sum_and_rest(start, quotient);
                return GpuFloat::copysign(sum + (rest + sum_low), x);
            }
            x
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
    f64, sinh, cosh, both, tanh, asinh, acosh, atanh, reduce, rest_of, power_of_two, exp_m1_parts,
    exp, ln, ln_1p,
    [
        0.16666666666666677,
        0.00833333333332153,
        0.0001984126988640287,
        2.755724390981723e-06,
        2.5109148044549848e-08,
    ],
    [
        0.041666666666666685,
        0.0013888888888873368,
        2.480158734901686e-05,
        2.7557251990342237e-07,
        2.0921713963551484e-09,
    ],
    overflow: 710.5, far: 1000, square: 268_435_456.0
);

hyperbolic!(
    f32, sinhf, coshf, both_f32, tanhf, asinhf, acoshf, atanhf, reduce_f32, rest_of_f32,
    power_of_two_f32, exp_m1_parts_f32, expf, lnf, ln_1pf,
    [0.16666667, 0.008333289, 0.00019905047],
    [0.04166646, 0.0013935306],
    overflow: 89.5, far: 100, square: 8192.0
);
