//! `erf` and `erfc` without tables or local memory.
//!
//! The error function is `x` and `x` times a polynomial in `x^2 - 1/2` up to 1, and `1 - erfc`
//! beyond. From 1/2 on, `erfc(x)` is `exp(-x^2) u H(u)` with `u = 1 / (x + k)` and a polynomial `H`,
//! in which the square, the reciprocal and the product are kept in two parts; below, it is
//! `1 - erf`, and of negative arguments `2 - erfc(-x)`. Minimax polynomials by Remez's algorithm
//! with 200 bits, 2026-11-26.

use super::GpuFloat;
use super::arithmetic::{Times, constants, fma, product_and_rest, series, sum_and_rest};
use super::exponential::{
    end, end_f32, exp_m1_tail, exp_m1_tail_f32, reduce, reduce_f32, rest_of, rest_of_f32,
};

macro_rules! error_function {
    (
        $float:ident, $erf:ident, $erfc:ident, $near:ident, $tail:ident, $reduce:ident,
        $rest_of:ident, $exp_m1_tail:ident, $end:ident, near: $near_series:expr,
        shift: $shift:expr, far: $far_series:expr, normal: $normal:expr, zero: $zero:expr
    ) => {
        /// The error function of `|x|` up to 1.
        #[inline(always)]
        fn $near(x: $float) -> $float {
            fma(
                x,
                series(fma(x, x, -0.5), constants!($float, $near_series)),
                x,
            )
        }

        /// `erfc(x)` for `x` from 1/2 on, and of NaN.
        #[inline(always)]
        fn $tail(x: $float) -> $float {
            let (square, square_low) = product_and_rest(x, x);
            let (n, first, turns) = $reduce(-square);
            let (r, lost) = $rest_of(first, turns);
            // exp(-x^2) is 2^n (1 + q).
            let q = fma(r * r, fma(r, $exp_m1_tail(r), 0.5), r);
            let low = lost - square_low;
            let low = fma(low, q, low);
            let sum = x + $shift;
            let sum_low = x - (sum - $shift);
            let u = GpuFloat::recip(sum);
            let u_low = u * fma(-u, sum_low, fma(-u, sum, 1.0));
            let h = series(u, constants!($float, $far_series));
            let product = h.times(u);
            let product_low = fma(h, u_low, fma(h, u, -product));
            let rest = fma(product, low, fma(product_low, q, product_low));
            let p = fma(product, q, rest) + product;
            $end(p, n, -x, x < $normal, (1.0, -$zero))
        }

        /// The error function. Within 1.1 ulp.
        #[inline]
        pub(super) fn $erf(x: $float) -> $float {
            let size = x.abs();
            if size < 1.0 {
                return $near(x);
            }
            GpuFloat::copysign(1.0 - $tail(size), x)
        }

        /// Its complement. Within 5 ulp.
        #[inline]
        pub(super) fn $erfc(x: $float) -> $float {
            let size = x.abs();
            if size < 0.5 {
                return 1.0 - $near(x);
            }
            let tail = $tail(size);
            if x < 0.0 {
                let (value, rest) = sum_and_rest(2.0, -tail);
                value + rest
            } else {
                tail
            }
        }
    };
}

error_function!(
    f64, erf, erfc, near, tail, reduce, rest_of, exp_m1_tail, end,
    near: [
        -0.03453126133013269,
        -0.2810721780454342,
        0.07940998675593483,
        -0.018283884489152902,
        0.0034802744966653987,
        -0.0005611894221160443,
        7.829649525828765e-05,
        -9.614808686393428e-06,
        1.0536449241804712e-06,
        -1.042036961542753e-07,
        9.387731832811591e-09,
        -7.798517321293067e-10,
        5.945255584223488e-11,
    ],
    shift: 3.0,
    far: [
        0.5641895835603425,
        1.692568747927578,
        4.795611728968456,
        12.69424940835225,
        30.890048567809604,
        67.25959216489805,
        125.06585849678693,
        164.21397670741518,
        184.7803954896091,
        -1552.1238052410936,
        7329.615108799347,
        -59441.92162768491,
        260526.37432968637,
        -757560.3976325163,
        821983.6152824132,
        5535647.594523264,
        -32872879.000672396,
        86310203.95605983,
        -128484834.97477567,
        105813617.17770441,
        -37854451.74659107,
    ],
    normal: 26.0, zero: 28.0
);

error_function!(
    f32, erff, erfcf, near_f32, tail_f32, reduce_f32, rest_of_f32, exp_m1_tail_f32, end_f32,
    near: [
        -0.03453126,
        -0.2810722,
        0.07940998,
        -0.018283358,
        0.0034802991,
        -0.00056540477,
        7.85385e-05,
    ],
    shift: 1.0,
    far: [
        0.56419367,
        0.5639783,
        0.2868169,
        -0.34210098,
        -0.22591142,
        -2.6387126,
        10.035316,
        -14.824601,
        10.333228,
        -1.606146,
        -2.114673,
        0.97337544,
    ],
    normal: 9.0, zero: 11.0
);
