//! `powf`, `cbrt` and `hypot` without tables or local memory.
//!
//! `x^y` is 2 to the power of `y log2 x`. The logarithm is a sum of two numbers that is right to
//! 66 bits (in f32 to 36), since its error is multiplied by up to 1075 (150): it comes from
//! `s = f / (2 + f)` in two parts, and all but the end of the series in `s^2` is summed in two parts
//! (Dekker 1971). The cube root goes through `x^(-1/3)`, which Householder's iterations reach
//! without a division, and is corrected by the residual of its cube. Minimax polynomials by Remez's
//! algorithm with 200 bits, 2026-11-22.

use super::GpuFloat;
use super::arithmetic::{
    Times, constants, fma, is_ordinary, is_ordinary_f32, power_of_two, power_of_two_f32,
    product_and_rest, recip_normal, recip_normal_f32, series, sum_and_rest, upper,
};
use super::exponential::{exp2_of_sum, exp2_of_sum_f32};
use super::logarithm::{SQRT_HALF_F32, split, split_f32};

macro_rules! power {
    (
        $float:ident, $power:ident, $log2:ident, $magnitude:ident, $unusual:ident, $split:expr, $recip:ident,
        $ordinary:ident, $exp2:ident, $subnormal:expr, $series:expr, $third:expr, $scale:expr
    ) => {
        /// log2 of the positive normal number `x`, and `k_0`, in two parts.
        #[inline(always)]
        fn $log2(x: $float, k_0: i32) -> ($float, $float) {
            let (k, f) = $split(x);
            let (d, d_low) = sum_and_rest(2.0, f);
            let inverse = $recip(d);
            let s = f.times(inverse);
            let s_low = inverse.times(fma(-s, d_low, fma(-s, d, f)));
            let (z, z_low) = product_and_rest(s, s);
            let z_low = fma(2.0 * s, s_low, z_low);
            // atanh(s) = s (1 + z (1/3 + z (1/5 + ...))).
            let (third, third_low): ($float, $float) = $third;
            let (inner, inner_low) =
                sum_and_rest(third, z.times(series(z, constants!($float, $series))));
            let inner_low = inner_low + third_low;
            let (t, t_low) = product_and_rest(inner, z);
            let t_low = t_low + fma(inner, z_low, inner_low * z);
            let (p, p_low) = product_and_rest(s, t);
            let p_low = p_low + fma(s, t_low, s_low * t);
            let (sum, sum_low) = sum_and_rest(s, p);
            let sum_low = sum_low + (s_low + p_low);
            let (scale, scale_low): ($float, $float) = $scale;
            let (log, log_low) = product_and_rest(sum, scale);
            let log_low = log_low + fma(sum, scale_low, sum_low * scale);
            let (high, low) = sum_and_rest((k + k_0) as $float, log);
            (high, low + log_low)
        }

        /// `(x 2^k_0)^y` for a positive normal `x`.
        #[inline(always)]
        fn $magnitude(x: $float, k_0: i32, y: $float) -> $float {
            let (log, log_low) = $log2(x, k_0);
            let (high, lost) = product_and_rest(y, log);
            $exp2(high, fma(y, log_low, lost))
        }

        /// `x` to the power `y`, with IEEE 754-2019's special values (section 9.2.1).
        #[inline]
        pub(super) fn $power(x: $float, y: $float) -> $float {
            if $ordinary(x) && y.abs() < $float::INFINITY {
                $magnitude(x, 0, y)
            } else {
                $unusual(x, y)
            }
        }

        /// Of an `x` that is not positive, normal and finite, or an infinite `y`, or NaN.
        #[cold]
        #[inline(never)]
        fn $unusual(x: $float, y: $float) -> $float {
            if y == 0.0 || x == 1.0 {
                return 1.0;
            }
            if x.is_nan() || y.is_nan() {
                return $float::NAN;
            }
            let whole = GpuFloat::trunc(y) == y;
            let is_odd = whole && GpuFloat::trunc(0.5 * y) != 0.5 * y;
            let sign = if x.is_sign_negative() && is_odd {
                -1.0
            } else {
                1.0
            };
            let size = x.abs();
            if y.abs() == $float::INFINITY {
                return if size == 1.0 {
                    1.0
                } else if (size > 1.0) == (y > 0.0) {
                    $float::INFINITY
                } else {
                    0.0
                };
            }
            if size == 0.0 || size == $float::INFINITY {
                let large = (size == 0.0) == (y < 0.0);
                return sign * if large { $float::INFINITY } else { 0.0 };
            }
            if x < 0.0 && !whole {
                return $float::NAN;
            }
            let (factor, exponent) = $subnormal;
            let (size, k_0) = if size < $float::MIN_POSITIVE {
                (size * factor, -exponent)
            } else {
                (size, 0)
            };
            sign * $magnitude(size, k_0, y)
        }
    };
}

power!(
    f64,
    pow,
    log2_parts,
    magnitude,
    unusual,
    split,
    recip_normal,
    is_ordinary,
    exp2_of_sum,
    (18_014_398_509_481_984.0, 54),
    [
        0.20000000000001128,
        0.14285714285049403,
        0.11111111260036231,
        0.09090892176603044,
        0.0769337900214953,
        0.06628400708318982,
        0.06598242911486442,
    ],
    (
        f64::from_bits(0x3fd5_5555_5555_5555),
        f64::from_bits(0x3c75_5555_5555_5555)
    ),
    (
        f64::from_bits(0x4007_1547_652b_82fe),
        f64::from_bits(0x3c87_77d0_ffda_0d24)
    )
);

power!(
    f32,
    powf,
    log2_parts_f32,
    magnitude_f32,
    unusual_f32,
    |x| {
        let (k, f) = split_f32(x, SQRT_HALF_F32);
        (k >> 23, f)
    },
    recip_normal_f32,
    is_ordinary_f32,
    exp2_of_sum_f32,
    (33_554_432.0, 25),
    [0.20000076, 0.14273563, 0.117093965],
    (f32::from_bits(0x3eaa_aaab), f32::from_bits(0xb22a_aaab)),
    (f32::from_bits(0x4038_aa3b), f32::from_bits(0x3325_7060))
);

/// `1 - x s^3`, of which nothing overflows or underflows for a normal `x` and `s` about `x^(-1/3)`.
macro_rules! cube_error {
    ($x:expr, $s:expr) => {
        fma(-$x * $s, $s * $s, 1.0)
    };
}

/// About `x^(-1/3)` for a positive normal `x`: within 2^-15 relative.
#[inline(always)]
fn inverse_cube_root_f32(x: f32) -> f32 {
    // A third of the exponent and of the fraction, as integers: within 4 percent (Kahan 1991).
    let start = f32::from_bits(0x54a2_fa8c - x.to_bits() / 3);
    // Householder's third order.
    let error = cube_error!(x, start);
    let series = fma(error, fma(error, 14.0 / 81.0, 2.0 / 9.0), 1.0 / 3.0);
    fma(start * error, series, start)
}

/// The same, within 2^-43.
#[inline(always)]
fn inverse_cube_root(x: f64) -> f64 {
    let start = f64::from_bits(u64::from(0x553e_e000 - upper(x) / 3) << 32);
    let error = cube_error!(x, start);
    let series = fma(error, fma(error, 14.0 / 81.0, 2.0 / 9.0), 1.0 / 3.0);
    let start = fma(start * error, series, start);
    let error = cube_error!(x, start);
    fma(start * error, fma(error, 2.0 / 9.0, 1.0 / 3.0), start)
}

/// The root is within 0.501 ulp.
#[inline(always)]
fn cbrt_of_normal(x: f64) -> f64 {
    let inverse = inverse_cube_root(x);
    let square = inverse * inverse;
    let root = x * square;
    // x - root^3, but for its last bits.
    let (root_2, root_2_low) = product_and_rest(root, root);
    let residual = fma(-root_2_low, root, fma(-root_2, root, x));
    fma(residual, square * (1.0 / 3.0), root)
}

/// The root is within 0.9 ulp.
#[inline(always)]
fn cbrt_of_normal_f32(x: f32) -> f32 {
    let inverse = inverse_cube_root_f32(x);
    let square = inverse * inverse;
    let root = x * square;
    let residual = fma(-root * root, root, x);
    fma(residual, square * (1.0 / 3.0), root)
}

macro_rules! cbrt {
    ($float:ident, $cbrt:ident, $others:ident, $of_normal:ident, $is_ordinary:ident, $factor:expr, $third:expr) => {
        #[inline]
        pub(super) fn $cbrt(x: $float) -> $float {
            let size = x.abs();
            let root = $of_normal(size);
            if $is_ordinary(size) {
                GpuFloat::copysign(root, x)
            } else {
                $others(x)
            }
        }

        /// Of what is small or not finite: seldom, and so a function that is called.
        #[cold]
        #[inline(never)]
        fn $others(x: $float) -> $float {
            let size = x.abs();
            if size > 0.0 && size < $float::INFINITY {
                GpuFloat::copysign($of_normal(size * $factor) * $third, x)
            } else {
                x
            }
        }
    };
}

/// From 2^-900 on, so that what a cube leaves is normal, too.
#[inline(always)]
fn has_normal_cube_error(x: f64) -> bool {
    upper(x).wrapping_sub(0x07b0_0000) < 0x7840_0000
}

// 2^300 and 2^-100, 2^24 and 2^-8.
cbrt!(
    f64,
    cbrt,
    other_cbrt,
    cbrt_of_normal,
    has_normal_cube_error,
    f64::from_bits(0x52b0_0000_0000_0000),
    f64::from_bits(0x39b0_0000_0000_0000)
);
cbrt!(
    f32,
    cbrtf,
    other_cbrtf,
    cbrt_of_normal_f32,
    is_ordinary_f32,
    16_777_216.0,
    0.00390625
);

macro_rules! hypot {
    ($float:ident, $hypot:ident, $power:ident, $limit:expr, $shift:expr) => {
        /// The root of the squares' sum, which is rounded once, but for its last bits.
        #[inline]
        pub(super) fn $hypot(x: $float, y: $float) -> $float {
            let (x, y) = (x.abs(), y.abs());
            let (large, small) = if x > y { (x, y) } else { (y, x) };
            // Squares that neither overflow nor underflow.
            let (up, down) = if large > $power($limit) {
                ($power(-$shift), $power($shift))
            } else if large < $power(-$limit) {
                ($power($shift), $power(-$shift))
            } else {
                (1.0, 1.0)
            };
            if x == $float::INFINITY || y == $float::INFINITY {
                return $float::INFINITY;
            }
            if large == 0.0 {
                return large + small;
            }
            let (a, a_low) = product_and_rest(large * up, large * up);
            let (b, b_low) = product_and_rest(small * up, small * up);
            let (sum, rest) = sum_and_rest(a, b);
            GpuFloat::sqrt(sum + (rest + (a_low + b_low))) * down
        }
    };
}

hypot!(f64, hypot, power_of_two, 400, 600);
hypot!(f32, hypotf, power_of_two_f32, 50, 80);
