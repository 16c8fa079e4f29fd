//! `ln`, `log2`, `log10` and `ln_1p` without tables, divisions or local memory.
//!
//! `x = 2^k (1 + f)` with `1 + f` between sqrt(1/2) and sqrt 2, taken apart in integers. In f64,
//! with `s = f / (2 + f)`, `ln(1 + f) = f - (f^2/2 - s (f^2/2 + R(s^2)))`: the form of fdlibm (Sun
//! Microsystems, 1993), which keeps the error of `s` out of the result, so that `s` need not be
//! rounded correctly and takes no division. In f32, a polynomial of `f` is shorter. Minimax
//! polynomials by Remez's algorithm with 200 bits, 2026-11-22; the last bits of those to base 2 and 10
//! of f32 are such that the rounded results are nearest, 2026-11-26. What is no positive normal number
//! is seldom, and goes through functions that the others call.

use core::ops::{Add, Mul, Neg, Sub};

use super::arithmetic::{
    Times, constants, fma, is_ordinary, is_ordinary_f32, polynomial, product_and_rest, recip_start,
    series, sum_and_rest, upper,
};

const LN_2: f64 = core::f64::consts::LN_2;
const LN_2_LOW: f64 = f64::from_bits(0x3c7a_bc9e_3b39_803f);
/// The upper half of sqrt(1/2), rounded up.
const SQRT_HALF: u64 = 0x3fe6_a09e << 32;
/// sqrt(1/2), rounded up.
pub(super) const SQRT_HALF_F32: u32 = 0x3f35_04f4;
/// `(log2(1 + f) - f log2 e) / f^2`, for `1 + f` between sqrt(1/2) and sqrt 2, and the same to 10.
const LOG2_TAIL_F32: [f32; 9] = [
    -0.7213474,
    0.48089802,
    -0.36069542,
    0.28858185,
    -0.23964942,
    0.2043377,
    -0.19056322,
    0.18763334,
    -0.11287757,
];
const LOG10_TAIL_F32: [f32; 9] = [
    -0.21714719,
    0.14476474,
    -0.1085803,
    0.086871915,
    -0.07214181,
    0.061512865,
    -0.057364717,
    0.056486543,
    -0.033995587,
];
/// 2/3.
const TWO_THIRDS_F32: u32 = 0x3f2a_aaab;

/// 1 over the logarithm's natural one, and log 2, in two parts each.
struct Base<T> {
    scale: T,
    scale_low: T,
    of_two: T,
    of_two_low: T,
}

impl<T: Times + Add<Output = T> + Sub<Output = T> + Mul<Output = T> + Neg<Output = T>> Base<T> {
    /// The logarithm of the number whose natural one is `high + low + k ln 2`.
    #[inline(always)]
    fn of(&self, high: T, low: T, k: T) -> T {
        let (product, lost) = product_and_rest(high, self.scale);
        let lost = lost + fma(high, self.scale_low, low * self.scale);
        let (whole, whole_lost) = product_and_rest(k, self.of_two);
        let (sum, rest) = sum_and_rest(whole, product);
        sum + (rest + (lost + fma(k, self.of_two_low, whole_lost)))
    }
}

const BASE_2: Base<f64> = Base {
    scale: core::f64::consts::LOG2_E,
    scale_low: f64::from_bits(0x3c77_77d0_ffda_0d24),
    of_two: 1.0,
    of_two_low: 0.0,
};
const BASE_10: Base<f64> = Base {
    scale: core::f64::consts::LOG10_E,
    scale_low: f64::from_bits(0x3c69_5355_baaa_fad3),
    of_two: core::f64::consts::LOG10_2,
    of_two_low: f64::from_bits(0xbc49_dc1d_a994_fd21),
};
const BASE_2_F32: Base<f32> = Base {
    scale: core::f32::consts::LOG2_E,
    scale_low: f32::from_bits(0x32a5_7060),
    of_two: 1.0,
    of_two_low: 0.0,
};
const BASE_10_F32: Base<f32> = Base {
    scale: core::f32::consts::LOG10_E,
    scale_low: f32::from_bits(0xb22d_91af),
    of_two: core::f32::consts::LOG10_2,
    of_two_low: f32::from_bits(0xb276_0860),
};

/// `(k, f)` of a positive normal number; anything for others.
#[inline(always)]
pub(super) fn split(x: f64) -> (i32, f64) {
    let moved = x.to_bits().wrapping_add((0x3ff0_0000 << 32) - SQRT_HALF);
    let k = (moved >> 52) as i32 - 1023;
    (
        k,
        f64::from_bits((moved & ((1 << 52) - 1)) + SQRT_HALF) - 1.0,
    )
}

/// `2^23 k` of a positive normal number, where `1 + f` is between `lowest` and its double.
#[inline(always)]
pub(super) fn exponent_f32(x: f32, lowest: u32) -> i32 {
    (x.to_bits().wrapping_sub(lowest) & 0xff80_0000) as i32
}

/// The same, and `f`.
#[inline(always)]
pub(super) fn split_f32(x: f32, lowest: u32) -> (i32, f32) {
    let k = exponent_f32(x, lowest);
    (k, f32::from_bits(x.to_bits().wrapping_sub(k as u32)) - 1.0)
}

/// 2^-23, by which what `2^23 k` is multiplied with is scaled.
const SCALE_F32: f32 = f32::EPSILON;

/// `(f^2/2, s (f^2/2 + R))`.
#[inline(always)]
fn terms(f: f64) -> (f64, f64) {
    let (start, error) = recip_start(2.0 + f);
    // 1 + e + e^2 times the start has 66 bits.
    let s = f * fma(start, fma(error, error, error), start);
    let z = s * s;
    let r = z.times(series(
        z,
        constants!(
            f64,
            [
                0.6666666666666734,
                0.3999999999941399,
                0.28571428742558724,
                0.22222198554028108,
                0.18183565399771429,
                0.15314021187244445,
                0.14796261619850062,
            ]
        ),
    ));
    let half_square = f.times(0.5 * f);
    (half_square, s.times(half_square + r))
}

/// `(ln(1 + f) - f + f^2/2) / f^3`, for `|f|` up to 1/3.
const LN_TAIL_F32: [f32; 8] = [
    0.33333215,
    -0.24999797,
    0.20010439,
    -0.16680537,
    0.14005251,
    -0.12183493,
    0.13987784,
    -0.12895346,
];
/// The same, for `f` from -1/4 to 1/2.
const LN_1P_TAIL_F32: [f32; 9] = [
    0.3333334,
    -0.25000134,
    0.1999973,
    -0.16655347,
    0.1427625,
    -0.12737858,
    0.11686227,
    -0.08977762,
    0.036185928,
];

/// A logarithm of `x 2^-k_0`, for a positive normal `x`.
#[inline(always)]
fn ln_of_normal(x: f64, k_0: i32) -> f64 {
    let (k, f) = split(x);
    let k = f64::from(k - k_0);
    let (half_square, rest) = terms(f);
    let near = f - (half_square - fma(k, LN_2_LOW, rest));
    fma(k, LN_2, near)
}

/// The same to `base`, of the natural one and `k` in two parts each.
#[inline(always)]
fn to_base(x: f64, k_0: i32, base: &Base<f64>) -> f64 {
    let (k, f) = split(x);
    let k = f64::from(k - k_0);
    let high = fma(-0.5 * f, f, f);
    // The difference is exact: `high` is between f / 2 and 2 f.
    let low = fma(-0.5 * f, f, f - high) + terms(f).1;
    base.of(high, low, k)
}

#[inline(always)]
fn ln_of_normal_f32(x: f32, k_0: i32) -> f32 {
    let (k, f) = split_f32(x, TWO_THIRDS_F32);
    ln_of_parts_f32(k - (k_0 << 23), f, LN_TAIL_F32)
}

/// The natural logarithm of `2^k (1 + f)`, of `2^23 k`.
#[inline(always)]
fn ln_of_parts_f32<const N: usize>(k: i32, f: f32, tail: [f32; N]) -> f32 {
    let near = fma(f * f, fma(f, polynomial(f, tail), -0.5), f);
    fma(k as f32, core::f32::consts::LN_2 * SCALE_F32, near)
}

/// `tail` is the logarithm of `1 + f`, less `f` times the scale, over `f^2`.
#[inline(always)]
fn to_base_f32<const N: usize>(x: f32, k_0: i32, base: &Base<f32>, tail: [f32; N]) -> f32 {
    let (k, f) = split_f32(x, SQRT_HALF_F32);
    let k = (k - (k_0 << 23)) as f32;
    let slope = fma(f, polynomial(f, tail), base.scale_low);
    let low = fma(f, slope, k.times(base.of_two_low * SCALE_F32));
    fma(k, base.of_two * SCALE_F32, fma(f, base.scale, low))
}

/// Logarithms of any number from those of positive normal ones. Others are seldom, and so in a
/// function that is called.
macro_rules! logarithms {
    ($($float:ident $is_ordinary:ident $name:ident $others:ident $factor:literal $power:literal |$x:ident, $k_0:ident| $value:expr;)*) => {$(
        #[inline]
        pub(super) fn $name($x: $float) -> $float {
            let $k_0 = 0;
            let value = $value;
            if $is_ordinary($x) { value } else { $others($x) }
        }

        #[cold]
        #[inline(never)]
        fn $others(x: $float) -> $float {
            if x > 0.0 && x < $float::INFINITY {
                let ($x, $k_0) = (x * $factor, $power);
                $value
            } else if x == 0.0 {
                $float::NEG_INFINITY
            } else if x < 0.0 {
                $float::NAN
            } else {
                x
            }
        }
    )*};
}

logarithms! {
    f64 is_ordinary ln other_ln 18_014_398_509_481_984.0 54 |x, k_0| ln_of_normal(x, k_0);
    f64 is_ordinary log2 other_log2 18_014_398_509_481_984.0 54 |x, k_0| to_base(x, k_0, &BASE_2);
    f64 is_ordinary log10 other_log10 18_014_398_509_481_984.0 54 |x, k_0| to_base(x, k_0, &BASE_10);
    f32 is_ordinary_f32 lnf other_lnf 33_554_432.0 25 |x, k_0| ln_of_normal_f32(x, k_0);
    f32 is_ordinary_f32 log2f other_log2f 33_554_432.0 25 |x, k_0| to_base_f32(x, k_0, &BASE_2_F32, LOG2_TAIL_F32);
    f32 is_ordinary_f32 log10f other_log10f 33_554_432.0 25 |x, k_0| to_base_f32(x, k_0, &BASE_10_F32, LOG10_TAIL_F32);
}

#[inline]
pub(super) fn ln_1p(x: f64) -> f64 {
    let value = ln_1p_of_middle(x);
    // -1 < x < 2^1023, and 2^-54 or more in size.
    let size = upper(x) & 0x7fff_ffff;
    if size.wrapping_sub(0x3c90_0000) < 0x7fe0_0000 - 0x3c90_0000 && x > -1.0 {
        value
    } else {
        other_ln_1p(x)
    }
}

macro_rules! other_ln_1p {
    ($($float:ident $other:ident $ln:ident;)*) => {$(
        /// Of other numbers: seldom, and so a function that is called.
        #[cold]
        #[inline(never)]
        fn $other(x: $float) -> $float {
            if x.abs() < 0.5 {
                x
            } else if x > 0.0 {
                $ln(x)
            } else if x == -1.0 {
                $float::NEG_INFINITY
            } else if x < -1.0 {
                $float::NAN
            } else {
                x
            }
        }
    )*};
}

other_ln_1p! {
    f64 other_ln_1p ln;
    f32 other_ln_1pf lnf;
}

#[inline(always)]
fn ln_1p_of_middle(x: f64) -> f64 {
    let sum = 1.0 + x;
    // What the sum lost: the greater of 1 and x is subtracted first.
    let lost = if x < 1.0 {
        x - (sum - 1.0)
    } else {
        1.0 - (sum - x)
    };
    let (k, f) = split(sum);
    // Times 2^-k: `sum` has at most 2^1023, and where `lost` is scaled to nothing it is nothing.
    let lost = lost * f64::from_bits(((1023 - k.min(1000)) as u64) << 52);
    let (f, lost) = sum_and_rest(f, lost);
    // Over 1 + f, nearly.
    let lost = fma(-f, lost, lost);
    let k = f64::from(k);
    let (half_square, rest) = terms(f);
    let near = f - (half_square - (rest + fma(k, LN_2_LOW, lost)));
    fma(k, LN_2, near)
}

#[inline]
pub(super) fn ln_1pf(x: f32) -> f32 {
    let value = ln_1p_of_middle_f32(x);
    // From 2^-25 in size on, and above -1.
    let size = x.abs();
    if (2.980_232_2e-8..1.0e38).contains(&size) && x > -1.0 {
        value
    } else {
        other_ln_1pf(x)
    }
}

#[inline(always)]
fn ln_1p_of_middle_f32(x: f32) -> f32 {
    /// 3/4, so that `f` is exact: where it is negative, `x` is 1/2 at least.
    const LOWEST: u32 = 0x3f40_0000;
    let k = exponent_f32(1.0 + x, LOWEST);
    // (1 + x) 2^-k - 1.
    let scale = f32::from_bits(0x3f80_0000_u32.wrapping_sub(k as u32));
    ln_of_parts_f32(k, fma(scale, x, scale - 1.0), LN_1P_TAIL_F32)
}
