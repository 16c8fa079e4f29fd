//! Sine, cosine and tangent for arguments of any size, without an array in local memory.
//!
//! The argument is reduced by Cody and Waite's method in three parts of pi. Sine and cosine take half
//! a period, from -pi / 2 to pi / 2, of which one odd polynomial gives the sine: no coefficient is
//! selected, and the sign is that of the number of half turns. What is left of the argument is a sum of
//! two numbers, and so is the factor `sin(r) / r`: a constant, which it has exactly at `z_0`, and a
//! polynomial in `r^2 - z_0`. So their roundings hardly count. A tangent is an odd polynomial on a
//! quarter of its period, or minus its reciprocal; `sin_cos` takes quarter turns, too. Minimax
//! polynomials by Remez's algorithm with 160 to 220 bits, 2026-11-22 to 26. Nothing branches but large
//! arguments (2^20 and more, in f32 2^13), which are functions of their own in `far`.

#[path = "trigonometry_far.rs"]
mod far;

use super::GpuFloat;
use super::arithmetic::{
    Times, constants, fma, loaded, recip_normal, recip_normal_f32, series, sum_and_rest, upper,
};

/// What both types have alike, in a module each. pi is given in three parts, the first two rounded
/// down: a multiple of the first is subtracted exactly, and one of the second is exact.
macro_rules! trigonometry {
    (
        $float:ident, $bits:ident, $far:ident, $recip:ident, shift: $shift:expr, ones: $ones:expr,
        pi: $pi:expr, half_pi: $half_pi:expr, is_near: $is_near:expr,
        sine: at $z_0:literal, $sines:expr, half_turns: at $z_0_pi:literal, $half_turns:expr,
        small_sine: $small_sine:expr, small_cosine: at $z_0_cosine:literal, $small_cosine:expr, tangent: $tangents:expr
    ) => {
        /// Quarter turns, in the last two bits of `count`, and `high + low` radians, at most pi / 4.
        #[derive(Clone, Copy)]
        pub(super) struct Angle {
            pub(super) count: $bits,
            pub(super) high: $float,
            pub(super) low: $float,
        }

        /// `x` less the nearest multiple of a period, in two parts, and the bits of a number whose
        /// last ones count the periods; for `x` that is near. A zero keeps its sign, and `low` has it.
        #[inline(always)]
        fn reduce(x: $float, per_period: $float, period: &[$float; 3]) -> Angle {
            let [shift] = loaded(constants!($float, [$shift]));
            let [first, second, third] = loaded(period);
            // What is added to 1.5 * 2^52 (2^23) is rounded to an integer, in the sum's last bits.
            let shifted = fma(x, per_period, shift);
            let turns = shifted - shift;
            let near = fma(-turns, first, x);
            let high = fma(-turns, second, near);
            let over = fma(turns, second, high - near);
            Angle {
                count: shifted.to_bits(),
                high,
                low: -fma(turns, third, over),
            }
        }

        /// By quarter turns.
        #[inline(always)]
        fn reduce_to_quarter(x: $float) -> Angle {
            let [per_quarter] = loaded(constants!($float, [core::$float::consts::FRAC_2_PI]));
            reduce(x, per_quarter, constants!($float, $half_pi))
        }

        /// A polynomial in `w` whose first coefficient is exact, in two parts.
        #[inline(always)]
        fn in_two_parts<const N: usize>(w: $float, coefficients: &[$float; N]) -> ($float, $float) {
            let coefficients = loaded(coefficients);
            let mut tail = coefficients[N - 1];
            let mut i = N - 1;
            while i > 1 {
                i -= 1;
                tail = fma(tail, w, coefficients[i]);
            }
            let high = fma(w, tail, coefficients[0]);
            (high, fma(w, tail, coefficients[0] - high))
        }

        /// `high` times such a polynomial, and `low`.
        #[inline(always)]
        fn odd<const N: usize>(
            high: $float,
            w: $float,
            coefficients: &[$float; N],
            low: $float,
        ) -> $float {
            let (factor, factor_low) = in_two_parts(w, coefficients);
            fma(high, factor, fma(high, factor_low, low))
        }

        /// The sine of `high + low`, at most pi / 2.
        #[inline(always)]
        fn sine(high: $float, low: $float) -> $float {
            // The slope is 1 - z / (pi / 2)^2, nearly; the numbers are that of z_0, and minus the factor.
            let [z_0, slope_0, slope] = loaded(constants!(
                $float,
                [$z_0, 1.0 - 0.405_284_73 * $z_0, -0.405_284_73]
            ));
            let w = fma(high, high, -z_0);
            odd(
                high,
                w,
                constants!($float, $sines),
                low * fma(w, slope, slope_0),
            )
        }

        /// The sine of `x` half turns, for `x` up to 1/2, and `low`.
        #[inline(always)]
        fn sine_of_half_turns(x: $float, low: $float) -> $float {
            let [z_0] = loaded(constants!($float, [$z_0_pi]));
            odd(x, fma(x, x, -z_0), constants!($float, $half_turns), low)
        }

        /// `value`, its sign changed where the last bit of `count` is set: a shift and a sum are one
        /// instruction.
        #[inline(always)]
        fn signed(value: $float, count: $bits) -> $float {
            $float::from_bits(value.to_bits().wrapping_add(count << ($bits::BITS - 1)))
        }

        /// `value`, its sign changed where that of `x` is negative.
        #[inline(always)]
        fn with_sign_of(value: $float, x: $float) -> $float {
            $float::from_bits(value.to_bits() ^ (x.to_bits() & 1 << ($bits::BITS - 1)))
        }

        impl Angle {
            /// Sine and cosine of the whole angle. Within 0.95 ulp.
            #[inline(always)]
            pub(super) fn sine_and_cosine(self) -> ($float, $float) {
                let square = self.high * self.high;
                let tail = series(square, constants!($float, $small_sine));
                let sine = self.high + fma(self.high * square, tail, self.low);
                let [z_0] = loaded(constants!($float, [$z_0_cosine]));
                let w = fma(self.high, self.high, -z_0);
                let (cosine, rest) = in_two_parts(w, constants!($float, $small_cosine));
                let cosine = cosine + fma(-self.high, self.low, rest);
                let (a, b) = if self.count & 1 == 0 {
                    (sine, cosine)
                } else {
                    (cosine, sine)
                };
                let half = self.count >> 1;
                (signed(a, half), signed(b, half ^ self.count))
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
            let [per_half] = loaded(constants!($float, [core::$float::consts::FRAC_1_PI]));
            let angle = reduce(x, per_half, constants!($float, $pi));
            let value = signed(sine(angle.high, angle.low), angle.count);
            if $is_near(x) {
                value
            } else {
                far::$far::sin(x)
            }
        }

        #[inline]
        pub(in super::super) fn cos(x: $float) -> $float {
            let size = x.abs();
            let [per_half, ones] =
                loaded(constants!($float, [core::$float::consts::FRAC_1_PI, $ones]));
            let [first, second, third] = loaded(constants!($float, $pi));
            // Half turns and a half, below which the angle is: it is the sine of what is missing.
            let shifted = size.mul_add_down(per_half, ones);
            let turns = shifted - (ones - 0.5);
            let near = fma(turns, first, -size);
            // Of sizes below 1, `near` is rounded.
            let lost = fma(turns, first, -near) - size;
            let high = fma(turns, second, near);
            let low = fma(turns, third, fma(turns, second, near - high)) + lost;
            let value = signed(sine(high, low), shifted.to_bits());
            if $is_near(x) {
                value
            } else {
                far::$far::cos(x)
            }
        }

        #[inline]
        pub(in super::super) fn sin_cos(x: $float) -> ($float, $float) {
            let (sine, cosine) = reduce_to_quarter(x.abs()).sine_and_cosine();
            if $is_near(x) {
                (with_sign_of(sine, x), cosine)
            } else {
                (far::$far::sin(x), far::$far::cos(x))
            }
        }

        #[inline]
        pub(in super::super) fn tan(x: $float) -> $float {
            let tangent = reduce_to_quarter(x).tangent();
            if $is_near(x) {
                tangent
            } else {
                far::$far::tan(x)
            }
        }

        /// `x` less the nearest even number.
        #[inline(always)]
        fn less_whole_turns(x: $float) -> $float {
            fma(-2.0, GpuFloat::round_ties_even(0.5 * x), x)
        }

        /// The sine of `x * pi`. A zero has the sign of `x`.
        #[inline]
        pub(in super::super) fn sinpi(x: $float) -> $float {
            let rest = less_whole_turns(x);
            let size = rest.abs();
            let mirrored = 1.0 - size;
            let size = if mirrored < size { mirrored } else { size };
            let sine = with_sign_of(sine_of_half_turns(size, 0.0), rest);
            if size == 0.0 {
                GpuFloat::copysign(0.0, x)
            } else {
                sine
            }
        }

        /// The cosine of `x * pi`. A zero is positive.
        #[inline]
        pub(in super::super) fn cospi(x: $float) -> $float {
            let rest = less_whole_turns(x).abs();
            let size = 0.5 - rest;
            // What the difference lost, where `rest` is small, times the slope, which is pi sin(pi rest).
            let lost = (0.5 - size) - rest;
            sine_of_half_turns(size, lost * 9.4 * rest)
        }

        /// Both, with their bits.
        #[inline]
        pub(in super::super) fn sincospi(x: $float) -> ($float, $float) {
            (sinpi(x), cospi(x))
        }
    };
}

pub(super) mod double {
    use super::*;

    trigonometry! {
        f64, u64, double, recip_normal,
        shift: 6_755_399_441_055_744.0, ones: 4_503_599_627_370_496.0,
        pi: [
            core::f64::consts::PI,
            f64::from_bits(0x3ca1_a626_3310_0000),
            f64::from_bits(0x3a81_701b_839a_2520),
        ],
        half_pi: [
            core::f64::consts::FRAC_PI_2,
            f64::from_bits(0x3c91_a626_3310_0000),
            f64::from_bits(0x3a71_701b_839a_2520),
        ],
        is_near: |x: f64| upper(x) & 0x7fff_ffff < 0x4130_0000,
        sine: at 1.406252, [
            0.7815630749192563,
            -0.14437607391478174,
            0.007528288721494641,
            -0.00018339827294803978,
            2.584273988592081e-06,
            -2.372844817909086e-08,
            1.5321653369552993e-10,
            -7.337366388966431e-13,
            2.6954206384684457e-15,
        ],
        half_turns: at 0.13855169999999997, [
            2.472987698233517,
            -4.4947046299409,
            2.3103447208876164,
            -0.5551290662893543,
            0.07717220942963886,
            -0.00699150595963334,
            0.0004454702804825946,
            -2.1050783167934994e-05,
            7.664130738178292e-07,
        ],
        small_sine: [
            -0.16666666666666632,
            0.00833333333332242,
            -0.00019841269829812378,
            2.7557313693546784e-06,
            -2.505075837798175e-08,
            1.5896811337034265e-10,
        ],
        small_cosine: at 0.281898, [
            0.8623311464495423,
            -0.47683739665688457,
            0.040503855501026434,
            -0.001361140872973186,
            2.4415649173384423e-05,
            -2.7206122363469714e-07,
            2.0651567787724777e-09,
            -1.1270463088868084e-11,
        ],
        tangent: [0.33333333333333126, 0.1333333333338093, 0.053968253939105225, 0.02186948936590038, 0.008863222057848707, 0.003592266458222848, 0.0014548793061620099, 0.0005946072437283668, 0.00022360339883756785, 0.0001342161769476632, -2.337890960747375e-05, 8.688138030261169e-05, -4.357800119760654e-05, 2.0569607474401896e-05]
    }
}

pub(super) mod single {
    use super::*;

    trigonometry! {
        f32, u32, single, recip_normal_f32,
        shift: 12_582_912.0, ones: 8_388_608.0,
        pi: [
            f32::from_bits(0x4049_0fda),
            f32::from_bits(0x3422_2000),
            f32::from_bits(0x2cb4_611a),
        ],
        half_pi: [
            f32::from_bits(0x3fc9_0fda),
            f32::from_bits(0x33a2_2000),
            f32::from_bits(0x2c34_611a),
        ],
        is_near: |x: f32| x.abs() < 8192.0,
        sine: at 1.38398, [
            0.78478235,
            -0.14471167,
            0.007540535,
            -0.00018366813,
            2.6028467e-06,
        ],
        half_turns: at 0.13862666, [2.4726508, -4.4943576, 2.3102188, -0.5552573, 0.07729912],
        small_sine: [-0.16666655, 0.008332189, -0.00019518285],
        small_cosine: at 0.28790668, [0.85946745, -0.47635078, 0.04047932, -0.0013607028, 2.4457211e-05],
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

pub(super) use double::{cos, cospi, sin, sin_cos, sincospi, sinpi, tan};
pub(super) use single::{
    cos as cosf, cospi as cospif, sin as sinf, sin_cos as sin_cosf, sincospi as sincospif,
    sinpi as sinpif, tan as tanf,
};

#[cfg(test)]
#[path = "trigonometry_tests.rs"]
mod tests;
