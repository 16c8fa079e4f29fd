//! Sine, cosine and tangent for arguments of any size, without an array in local memory.
//!
//! The argument is reduced to a quarter turn by Cody and Waite's method in three parts of pi / 2. What
//! is left is a sum of two numbers. One odd polynomial (minimax, Remez's algorithm with 220 bits,
//! 2026-11-22) serves all quarters: where the result is a cosine, it is 1 - 2 s^2, with the sine s of
//! half the angle. So no coefficient is selected. A tangent is an odd polynomial (160 bits,
//! 2026-11-26) or minus its reciprocal. The way is that of the argument's size, and the sign comes
//! last: so a zero keeps its own. Nothing branches but large arguments (2^20 and more, in f32 2^17),
//! which are functions of their own in `far`.

#[path = "trigonometry_far.rs"]
mod far;

use super::GpuFloat;
use super::arithmetic::{
    Times, constants, fma, loaded, product_and_rest, recip_normal, recip_normal_f32, series,
    sum_and_rest, upper,
};

/// What both types have alike, in a module each. pi / 2 is given in three parts, the first rounded
/// down; a multiple of it is subtracted exactly. In f64 the second has 33 bits, so that its product
/// is exact, too.
macro_rules! trigonometry {
    (
        $float:ident, $bits:ident, $far:ident, $recip:ident, $rest_of:ident, shift: $shift:expr,
        half_pi: $half_pi:expr, pi_low: $pi_low:expr, is_near: $is_near:expr,
        sine: $sine:expr, tangent: $tangents:expr
    ) => {
        /// Quarter turns, in the last two bits of `count`, and `high + low` radians, at most pi / 4.
        #[derive(Clone, Copy)]
        pub(super) struct Angle {
            pub(super) count: $bits,
            pub(super) high: $float,
            pub(super) low: $float,
        }

        /// Of a size that is near; anything for others.
        #[inline(always)]
        fn reduce(size: $float) -> Angle {
            let [shift, per_turn] = loaded(constants!(
                $float,
                [$shift, core::$float::consts::FRAC_2_PI]
            ));
            let [first, second, third] = loaded(constants!($float, $half_pi));
            // What is added to 1.5 * 2^52 (2^23) is rounded to an integer, in the sum's last bits.
            let shifted = fma(size, per_turn, shift);
            let turns = shifted - shift;
            let (high, low) = $rest_of(fma(-turns, first, size), turns, second, third);
            Angle {
                count: shifted.to_bits(),
                high,
                low,
            }
        }

        /// The sine of `high + low`, at most pi / 4.
        #[inline(always)]
        fn small_sine(high: $float, low: $float) -> $float {
            let square = high * high;
            let tail = series(square, constants!($float, $sine));
            high + fma(high * square, tail, low)
        }

        /// `value`, its sign changed in the last two of four quarters.
        #[inline(always)]
        fn signed(value: $float, count: $bits) -> $float {
            $float::from_bits(value.to_bits() ^ (count & 2) << ($bits::BITS - 2))
        }

        /// `value`, its sign changed where that of `x` is negative.
        #[inline(always)]
        fn with_sign_of(value: $float, x: $float) -> $float {
            $float::from_bits(value.to_bits() ^ (x.to_bits() & 1 << ($bits::BITS - 1)))
        }

        impl Angle {
            /// The sine of the whole angle, `phase` quarter turns further. Within 0.95 ulp.
            #[inline(always)]
            pub(super) fn sine(self, phase: $bits) -> $float {
                let count = self.count.wrapping_add(phase);
                let is_odd = count & 1 == 1;
                let half = if is_odd { 0.5 } else { 1.0 };
                let sine = small_sine(self.high * half, self.low * half);
                // 1 - 2 sine^2, or the sine itself.
                let (factor, rest) = if is_odd {
                    (-2.0 * sine, 1.0)
                } else {
                    (1.0, -0.0)
                };
                signed(fma(factor, sine, rest), count)
            }

            /// Sine and cosine of the whole angle, with the bits of [`sine`](Angle::sine).
            #[inline(always)]
            fn sine_and_cosine(self) -> ($float, $float) {
                let sine = small_sine(self.high, self.low);
                let half = small_sine(0.5 * self.high, 0.5 * self.low);
                let cosine = fma(-2.0 * half, half, 1.0);
                let (a, b) = if self.count & 1 == 0 {
                    (sine, cosine)
                } else {
                    (cosine, sine)
                };
                (signed(a, self.count), signed(b, self.count.wrapping_add(1)))
            }

            /// The tangent of the whole angle.
            #[inline(always)]
            pub(super) fn tangent(self) -> $float {
                let square = self.high * self.high;
                let tail = series(square, constants!($float, $tangents));
                // The tangent's slope is 1 and its square, nearly that of the angle.
                let low = fma(self.low, square, self.low);
                let more = fma(self.high * square, tail, low);
                let (tangent, rest) = sum_and_rest(self.high, more);
                // 1 over the sum of both, by the residual of 1 over the first.
                let inverse = $recip(tangent);
                let residual = fma(-inverse, rest, fma(-inverse, tangent, 1.0));
                let other = -fma(inverse, residual, inverse);
                if self.count & 1 == 0 { tangent } else { other }
            }
        }

        #[inline]
        pub(in super::super) fn sin(x: $float) -> $float {
            let sine = with_sign_of(reduce(x.abs()).sine(0), x);
            if $is_near(x) { sine } else { far::$far::sin(x) }
        }

        #[inline]
        pub(in super::super) fn cos(x: $float) -> $float {
            let cosine = reduce(x.abs()).sine(1);
            if $is_near(x) {
                cosine
            } else {
                far::$far::cos(x)
            }
        }

        #[inline]
        pub(in super::super) fn sin_cos(x: $float) -> ($float, $float) {
            let (sine, cosine) = reduce(x.abs()).sine_and_cosine();
            if $is_near(x) {
                (with_sign_of(sine, x), cosine)
            } else {
                (far::$far::sin(x), far::$far::cos(x))
            }
        }

        #[inline]
        pub(in super::super) fn tan(x: $float) -> $float {
            let tangent = with_sign_of(reduce(x.abs()).tangent(), x);
            if $is_near(x) {
                tangent
            } else {
                far::$far::tan(x)
            }
        }

        /// Sine and cosine of `x * pi`.
        #[inline]
        pub(in super::super) fn sincospi(x: $float) -> ($float, $float) {
            const PI: $float = core::$float::consts::PI;
            let size = x.abs();
            // Less whole turns, and then quarters, exactly.
            let rest = fma(-2.0, GpuFloat::round_ties_even(0.5 * size), size);
            let shifted = fma(rest, 2.0, $shift);
            let rest = fma(-0.5, shifted - $shift, rest);
            let high = rest.times(PI);
            let angle = Angle {
                count: shifted.to_bits(),
                high,
                low: fma(rest, $pi_low, fma(rest, PI, -high)),
            };
            let (sine, cosine) = angle.sine_and_cosine();
            // A sine of zero has the sign of `x`, a cosine none.
            (with_sign_of(sine + 0.0, x), cosine + 0.0)
        }
    };
}

/// `first - turns * (second + third)` as a sum of two numbers, where the product with the second is
/// exact: then nothing is lost but the third part's last bits.
#[inline(always)]
fn rest_of(first: f64, turns: f64, second: f64, third: f64) -> (f64, f64) {
    let high = fma(-turns, second, first);
    let low = fma(-turns, second, first - high);
    (high, fma(-turns, third, low))
}

/// The same for any second part. Nothing is lost where the product is larger than `first`, either:
/// that is a multiple of the product's last bit (Boldo, Graillat and Muller 2017).
#[inline(always)]
fn rest_of_f32(first: f32, turns: f32, second: f32, third: f32) -> (f32, f32) {
    let (product, lost) = product_and_rest(turns, second);
    let (high, error) = sum_and_rest(first, -product);
    (high, error - fma(turns, third, lost))
}

pub(super) mod double {
    use super::*;

    trigonometry! {
        f64, u64, double, recip_normal, rest_of,
        shift: 6_755_399_441_055_744.0,
        half_pi: [
            core::f64::consts::FRAC_PI_2,
            f64::from_bits(0x3c91_a626_3310_0000),
            f64::from_bits(0x3a71_701b_839a_2520),
        ],
        pi_low: f64::from_bits(0x3ca1_a626_3314_5c07),
        is_near: |x: f64| upper(x) & 0x7fff_ffff < 0x4130_0000,
        sine: [
            -0.16666666666666632,
            0.00833333333332242,
            -0.00019841269829812378,
            2.7557313693546784e-06,
            -2.505075837798175e-08,
            1.5896811337034265e-10,
        ],
        tangent: [0.33333333333333126, 0.1333333333338093, 0.053968253939105225, 0.02186948936590038, 0.008863222057848707, 0.003592266458222848, 0.0014548793061620099, 0.0005946072437283668, 0.00022360339883756785, 0.0001342161769476632, -2.337890960747375e-05, 8.688138030261169e-05, -4.357800119760654e-05, 2.0569607474401896e-05]
    }
}

pub(super) mod single {
    use super::*;

    trigonometry! {
        f32, u32, single, recip_normal_f32, rest_of_f32,
        shift: 12_582_912.0,
        half_pi: [
            f32::from_bits(0x3fc9_0fda),
            f32::from_bits(0x33a2_2169),
            f32::from_bits(0xa6f7_2ced),
        ],
        pi_low: f32::from_bits(0xb3bb_bd2e),
        is_near: |x: f32| x.abs() < 131_072.0,
        sine: [-0.16666667, 0.008333329, -0.00019839332, 2.7182755e-6],
        tangent: [
            0.33333343,
            0.1333282,
            0.05404625,
            0.021339519,
            0.010710861,
            0.00022589903,
            0.004317375,
        ]
    }
}

pub(super) use double::{cos, sin, sin_cos, sincospi, tan};
pub(super) use single::{
    cos as cosf, sin as sinf, sin_cos as sin_cosf, sincospi as sincospif, tan as tanf,
};

#[cfg(test)]
#[path = "trigonometry_tests.rs"]
mod tests;
