//! `erf` and `erfc` without tables or local memory.
//!
//! The error function is `x` and `x` times a polynomial in `x^2 - 1/2` up to 1. Beyond it is 1 less
//! the exponential of a polynomial, in f32 another polynomial. Up to 3/4, `erfc` is `1 - x` less the same product, rounded once. Beyond it is
//! `exp(-x^2) f / (1 + 2 x)` with a polynomial `f` in `(x - k) / (x + k)`, which is near `f`'s first
//! coefficient; the square, the polynomial's sum, the quotient and `1 + r` of the exponential are
//! kept in two parts, and the product is rounded once. Of negative arguments it is `2 - erfc(-x)`.
//! Minimax polynomials by Remez's algorithm with 200 bits, 2026-11-26; `k` is where the first
//! coefficient is nearly a number of the type.

use super::GpuFloat;
use super::arithmetic::{
    Times, constants, fma, loaded, polynomial, power_of_two, product_and_rest, recip_normal,
    recip_normal_f32, series, sum_and_rest,
};
use super::exponential::{
    end, end_f32, exp_m1_tail, exp_m1_tail_f32, exp_parts, reduce, reduce_f32, rest_of, rest_of_f32,
};

macro_rules! error_function {
    (
        $float:ident, $erf:ident, $erfc:ident, $near:ident, $tail:ident, $reduce:ident,
        $rest_of:ident, $exp_m1_tail:ident, $end:ident, $recip:ident, middle: $middle:expr,
        near: $near_series:expr,
        shift: $shift:expr, first: $far_first:expr, far: $far_series:expr,
        normal: $normal:expr, zero: $zero:expr
    ) => {
        /// The error function over x, less 1, for `|x|` up to 1.
        #[inline(always)]
        fn $near(x: $float) -> $float {
            series(fma(x, x, -0.5), constants!($float, $near_series))
        }

        /// `erfc(x)` for `x` from 3/4 on, and of NaN.
        #[inline(always)]
        fn $tail(x: $float) -> $float {
            let (square, square_low) = product_and_rest(x, x);
            let (n, first, turns) = $reduce(-square);
            let (r, lost) = $rest_of(first, turns);
            // exp(-x^2) is 2^n (head + more), with head = 1 + r rounded.
            let more = (r * r).times(fma(r, $exp_m1_tail(r), 0.5));
            let head = 1.0 + r;
            let power = head + more;
            let more = more + fma(lost - square_low, power, (1.0 - head) + r);
            let below = x + $shift;
            let divisor = fma(2.0, x, 1.0);
            let divisor_low = 1.0 - fma(-2.0, x, divisor);
            let both = $recip(below * divisor);
            let z = (x - $shift) * (divisor * both);
            let rest = series(z, constants!($float, $far_series));
            let f = fma(z, rest, $far_first);
            let f_low = fma(z, rest, $far_first - f);
            let inverse = below * both;
            let high = f * inverse;
            let error = fma(-high, divisor_low, fma(-high, divisor, f));
            let low = (error + f_low) * inverse;
            let p = fma(high, head, fma(high, more, low * power));
            $end(p, n, -x, x < $normal, (1.0, -$zero))
        }

        /// The error function. Within 1 ulp.
        #[inline]
        pub(super) fn $erf(x: $float) -> $float {
            let size = x.abs();
            if size < 1.0 {
                return fma(x, $near(x), x);
            }
            GpuFloat::copysign($middle(size), x)
        }

        /// Its complement. Within 1 ulp.
        #[inline]
        pub(super) fn $erfc(x: $float) -> $float {
            let size = x.abs();
            if size < 0.75 {
                let (value, rest) = sum_and_rest(1.0, -x);
                return value + fma(-x, $near(x), rest);
            }
            let tail = $tail(size);
            if x < 0.0 { 2.0 - tail } else { tail }
        }
    };
}

/// The error function from 1 on: 1 less the exponential of a polynomial, which is the logarithm of `erfc`.
#[inline(always)]
fn middle(x: f64) -> f64 {
    // Beyond, the result is 1. Not `min`, which prefers numbers to NaN.
    let [one, last] = loaded(constants!(f64, [1.0, 6.0]));
    let size = if x > last { last } else { x };
    let log = series(
        size - one,
        constants!(
            f64,
            [
                -1.8496055099332482,
                -2.6389675142347757,
                -0.8431072563594127,
                -0.04156109802507658,
                0.010033825179090107,
                -0.0019779012156772987,
                0.00023731643459978753,
                2.6296326589579196e-05,
                -2.7198970901818977e-05,
                9.67137352491805e-06,
                -2.1319357780445606e-06,
                2.0480871742317215e-07,
                5.8013382222222734e-08,
                -3.339195896724424e-08,
                8.518961772754187e-09,
                -1.319136705993502e-09,
                1.1932944157119421e-10,
                -4.865188391826317e-12,
            ]
        ),
    );
    let (p, n) = exp_parts(log);
    fma(-p, power_of_two(n), one)
}

/// The same.
#[inline(always)]
fn middle_f32(x: f32) -> f32 {
    let series = polynomial(
        x - 2.461_914,
        [
            0.9995017,
            0.0026313304,
            -0.006478295,
            0.009756801,
            -0.009849123,
            0.0067658266,
            -0.0029314556,
            0.00046481227,
            0.00035145908,
            -0.00029824246,
            7.580664e-05,
            2.4348969e-05,
            -1.7130016e-05,
            1.16831245e-07,
            1.0656403e-06,
        ],
    );
    // NaN is not beyond.
    if x > 3.93 { 1.0 } else { series }
}

error_function!(
    f64, erf, erfc, near, tail, reduce, rest_of, exp_m1_tail, end, recip_normal,
    middle: middle,
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
    shift: 3.4375, first: 1.24360966005198,
    far: [
        -0.13978355901361736,
        -0.014505102270176986,
        0.10146381752840011,
        -0.11632837312381206,
        0.08637672991474829,
        -0.04602698491533868,
        0.01679634854121077,
        -0.0030458017311085187,
        -0.0006130029930696041,
        0.0005359913767880872,
        -6.639531450054177e-05,
        -5.4599917591266035e-05,
        1.845193750863773e-05,
        5.32964071238381e-06,
        -3.2786064470760394e-06,
        -6.160386335075768e-07,
        5.50799616709458e-07,
        9.324272328499679e-08,
        -9.086050963243763e-08,
        -1.2913493306593197e-08,
        1.1765565466637877e-08,
    ],
    normal: 26.0, zero: 28.0
);

error_function!(
    f32, erff, erfcf, near_f32, tail_f32, reduce_f32, rest_of_f32, exp_m1_tail_f32, end_f32,
    recip_normal_f32, middle: middle_f32,
    near: [
        -0.03453126,
        -0.2810722,
        0.07940998,
        -0.018283358,
        0.0034802991,
        -0.00056540477,
        7.85385e-05,
    ],
    shift: 2.21875, first: 1.2717445,
    far: [
        -0.10839684,
        -0.13501643,
        0.16567867,
        -0.0800119,
        0.008823904,
        0.008534131,
        -0.0022743228,
        -0.0011630371,
        0.0004439549,
    ],
    normal: 9.0, zero: 11.0
);
