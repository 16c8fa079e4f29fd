//! `exp`, `exp2` and `exp_m1` without tables, divisions or local memory.
//!
//! The argument is `n ln 2 + r` with `|r| <= ln 2 / 2`: `n` comes from an addition that leaves the
//! integer in the last bits, `r` from two `fma` with ln 2 in two parts (Cody and Waite). `exp(r)` is
//! a minimax polynomial (Remez's algorithm with 200 bits, 2026-11-22, for the relative error), and
//! an integer addition puts `n` into the exponent. Arguments whose result is no normal number go
//! another way, which no thread takes otherwise. `libm` has these functions too, but its own raise
//! IEEE 754's flags by stores to the stack, which a kernel pays for in local memory.

use super::GpuFloat;
use super::arithmetic::{
    constants, fma, loaded, power_of_two, power_of_two_f32, series, sum_and_rest, upper,
};

/// 1.5 * 2^52: what is added to it is rounded to an integer, in the lower bits of the sum.
const SHIFT: f64 = 6_755_399_441_055_744.0;
/// What `LN_2` leaves of ln 2.
const LN_2_LOW: f64 = f64::from_bits(0x3c7a_bc9e_3b39_803f);

/// 1.5 * 2^23.
const SHIFT_F32: f32 = 12_582_912.0;
const LN_2_LOW_F32: f32 = f32::from_bits(0xb102_e308);

/// The integer that a sum with `SHIFT` holds.
#[inline(always)]
fn integer_of(shifted: f64) -> i32 {
    shifted.to_bits() as i32
}

/// The integer that a sum with `SHIFT_F32` holds. Shifted into an exponent, the sum's other bits are
/// out of the number.
#[inline(always)]
fn integer_of_f32(shifted: f32) -> i32 {
    (shifted.to_bits() as i32) << 10 >> 10
}

/// What both types have alike; `$is_normal` says where `2^x` is a normal number, `$bounds` from where
/// on it is infinite or 0.
macro_rules! exponential {
    (
        $float:ident, $bits:ident << $fraction:literal, $integer_of:ident, $power_of_two:ident,
        $shift:expr, $ln_2_low:expr, $reduce:ident, $rest_of:ident, $scale:ident,
        $end:ident, $beyond:ident $inline:meta, $exp2:ident, $exp2_of_sum:ident, $tail:ident,
        $exp_parts:ident, $exp:ident, $exp_m1:ident,
        exp2: $exp2_tail:expr, exp_m1: $exp_m1_tail:expr,
        is_normal: $is_normal:expr, bounds: $bounds:expr,
        exp: $exp_series:expr, is_middle: $is_middle:expr, exp_bounds: $exp_bounds:expr,
        exp_m1_near: $exp_m1_near:expr, from $least:literal to $most:literal
    ) => {
        /// `(n, first, turns)` with `x = n ln 2 + first - turns * LN_2_LOW`; the first two are
        /// exact, and `turns` is `n`. For `|x|` up to 2^31 (f32: 2^21).
        #[inline(always)]
        pub(super) fn $reduce(x: $float) -> (i32, $float, $float) {
            let [log2_e, shift, ln_2] = loaded(constants!(
                $float,
                [
                    core::$float::consts::LOG2_E,
                    $shift,
                    core::$float::consts::LN_2
                ]
            ));
            let shifted = fma(x, log2_e, shift);
            let turns = shifted - shift;
            ($integer_of(shifted), fma(-turns, ln_2, x), turns)
        }

        /// `first - turns * LN_2_LOW`, rounded, and what the rounding lost.
        #[inline(always)]
        pub(super) fn $rest_of(first: $float, turns: $float) -> ($float, $float) {
            let rest = fma(-turns, $ln_2_low, first);
            (rest, fma(-turns, $ln_2_low, first - rest))
        }

        /// `p * 2^n` where both are normal.
        #[inline(always)]
        fn $scale(p: $float, n: i32) -> $float {
            $float::from_bits(p.to_bits().wrapping_add((n as $bits) << $fraction))
        }

        /// `p 2^n`, which is the function of `x`, infinite above the first bound and 0 below the
        /// other; whatever `p` is there.
        #[inline(always)]
        pub(super) fn $end(
            p: $float,
            n: i32,
            x: $float,
            is_normal: bool,
            bounds: ($float, $float),
        ) -> $float {
            let value = $scale(p, n);
            if is_normal {
                value
            } else {
                $beyond(p, n, x, bounds.0, bounds.1)
            }
        }

        /// As `end`, for what is no normal number.
        #[$inline]
        fn $beyond(p: $float, n: i32, x: $float, above: $float, below: $float) -> $float {
            if x > above {
                $float::INFINITY
            } else if x < below {
                0.0
            } else if x.is_nan() {
                x
            } else {
                // Rounded once, `p` being near 1.
                p * $power_of_two(n >> 1) * $power_of_two(n - (n >> 1))
            }
        }

        #[inline]
        pub(super) fn $exp2(x: $float) -> $float {
            const LN_2: $float = core::$float::consts::LN_2;
            let shifted = x + $shift;
            let r = x - (shifted - $shift);
            let p = fma(
                r,
                fma(r, series(r, constants!($float, $exp2_tail)), LN_2),
                1.0,
            );
            $end(p, $integer_of(shifted), x, $is_normal(x), $bounds)
        }

        /// `2^(high + low)`, for `|low|` below an ulp of `high`, with less error than `exp2`;
        /// `low` may be anything where `high` is beyond 1100 (f32: 160).
        #[inline(always)]
        pub(super) fn $exp2_of_sum(high: $float, low: $float) -> $float {
            const LN_2: $float = core::$float::consts::LN_2;
            let shifted = high + $shift;
            let (r, r_low) = sum_and_rest(high - (shifted - $shift), low);
            let head = fma(r, LN_2, 1.0);
            let head_low = fma(r, LN_2, 1.0 - head);
            let tail = series(r, constants!($float, $exp2_tail));
            let p = head + fma(r * r, tail, fma(r_low, LN_2, head_low));
            $end(p, $integer_of(shifted), high, $is_normal(high), $bounds)
        }

        /// `(exp(r) - 1 - r - r^2 / 2) / r^3`, for `|r|` up to ln 2 / 2.
        #[inline(always)]
        pub(super) fn $tail(r: $float) -> $float {
            series(r, constants!($float, $exp_m1_tail))
        }

        /// `(p, n)` with `exp(x) = p 2^n`.
        #[inline(always)]
        pub(super) fn $exp_parts(x: $float) -> ($float, i32) {
            let (n, first, turns) = $reduce(x);
            let [ln_2_low] = loaded(constants!($float, [$ln_2_low]));
            let p = series(
                fma(-turns, ln_2_low, first),
                constants!($float, $exp_series),
            );
            (p, n)
        }

        #[inline]
        pub(super) fn $exp(x: $float) -> $float {
            let (p, n) = $exp_parts(x);
            $end(p, n, x, $is_middle(x), $exp_bounds)
        }

        #[inline]
        pub(super) fn $exp_m1(x: $float) -> $float {
            // The results are -1 and infinity there. Not `clamp`, which costs more.
            let within = if x < $least { $least } else { x };
            let within = if x > $most { $most } else { within };
            let (n, first, turns) = $reduce(within);
            let is_near = x.abs() < 0.5;
            let (rest, rest_low) = $rest_of(first, turns);
            let r = if is_near { x } else { rest };
            let (square, series) = (r * r, series(r, constants!($float, $exp_m1_near)));
            let tail = square * series;
            // 2^n (1 + r + tail) - 1, by halves.
            let power = $power_of_two(n.wrapping_sub(1));
            let (less, lost) = sum_and_rest(power, -0.5);
            let low = fma(power, tail, fma(power, rest_low, lost));
            let value = if is_near {
                fma(square, series, r)
            } else {
                2.0 * (less + fma(power, r, low))
            };
            // Of -0, too.
            GpuFloat::copysign(value, x)
        }
    };
}

exponential!(
    f64, u64 << 52, integer_of, power_of_two, SHIFT, LN_2_LOW, reduce, rest_of, scale, end,
    // Seldom, and so a function that the others call: inlined, its numbers took registers.
    beyond inline(never), exp2, exp2_of_sum, exp_m1_tail, exp_parts, exp, exp_m1,
    // (2^r - 1 - r ln 2) / r^2, for |r| up to 1/2.
    exp2: [
        0.2402265069591013,
        0.055504108664820084,
        0.009618129107594117,
        0.0013333558146774581,
        0.00015403530457117398,
        1.5252733493162434e-05,
        1.321543527921582e-06,
        1.0178199557882028e-07,
        7.073783844982063e-09,
        4.434773460269483e-10,
    ],
    exp_m1: [
        0.16666666666666677,
        0.0416666666666667,
        0.008333333333321615,
        0.0013888888888866728,
        0.00019841269886158402,
        2.480158736073158e-05,
        2.7557244181991197e-06,
        2.7557242632587336e-07,
        2.5109044888320275e-08,
        2.092447773111693e-09,
    ],
    is_normal: |x| upper(x) & 0x7fff_ffff < 0x408f_f000, bounds: (1025.0, -1077.0),
    exp: [
        1.0,
        1.0,
        0.5000000000000011,
        0.16666666666666413,
        0.041666666666530155,
        0.008333333333494399,
        0.0013888888943631085,
        0.00019841269506688846,
        2.4801493097828538e-05,
        2.755758629088442e-06,
        2.7630248795880813e-07,
        2.500008442577436e-08,
    ],
    is_middle: |x| upper(x) & 0x7fff_ffff < 0x4086_2000, exp_bounds: (710.0, -746.0),
    // (exp(r) - 1 - r) / r^2, for |r| up to 1/2.
    exp_m1_near: [0.5000000000000001,
        0.1666666666666708,
        0.04166666666665615,
        0.008333333333102039,
        0.001388888889139025,
        0.00019841270262039874,
        2.480158500150239e-05,
        2.755698537889781e-06,
        2.7558173751841014e-07,
        2.5172259858745032e-08,
        2.079700521345795e-09], from -60.0 to 710.0
);

exponential!(
    f32, u32 << 23, integer_of_f32, power_of_two_f32, SHIFT_F32, LN_2_LOW_F32, reduce_f32,
    rest_of_f32, scale_f32, end_f32, beyond_f32 inline(always), exp2f, exp2_of_sum_f32, exp_m1_tail_f32,
    exp_parts_f32, expf, exp_m1f,
    exp2: [0.24022648, 0.055503324, 0.009618438, 0.00133989, 0.00015353349],
    exp_m1: [0.16666667, 0.041666355, 0.008333273, 0.0013941103, 0.00019914334],
    is_normal: |x: f32| x.abs() < 126.0, bounds: (129.0, -151.0),
    exp: [
        1.0,
        1.0,
        0.49999994,
        0.1666652,
        0.041668393,
        0.00836878,
        0.0013814496,
    ],
    is_middle: |x: f32| x.abs() < 87.0, exp_bounds: (89.0, -104.0),
    exp_m1_near: [
        0.50000006,
        0.1666668,
        0.041664947,
        0.008331243,
        0.0014010598,
        0.00020555696,
    ], from -30.0 to 89.0
);
