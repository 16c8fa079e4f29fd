//! Functions beyond the usual ones: error functions, gamma, Bessel, half turns; rust-cuda's names.

use core::f64::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI};

use super::error_function::erfc;
use super::methods::{Sealed, methods};
use super::{GpuFloat, error_function, trigonometry};

methods! {
    /// Less usual functions of `f32` and `f64`. They compute the same on the host.
    pub trait FloatExt: Sized + Sealed {
        /// The cosine of `self * pi`. Within 1 ulp.
        fn cospi(self) -> Self { own trigonometry cospi(self) }

        /// The sine of `self * pi`. Within 1 ulp; results of f32 below 2^-125 within 1.2.
        fn sinpi(self) -> Self { own trigonometry sinpi(self) }

        /// [`sinpi`](FloatExt::sinpi) and [`cospi`](FloatExt::cospi), with their bits.
        fn sincospi(self) -> (Self, Self) { own trigonometry sincospi(self) }

        /// `2 / sqrt(pi)` times the integral of `exp(-t^2)` from 0 to `self`. Within 1 ulp.
        fn error_function(self) -> Self { own error_function erf(self) }

        /// `1 - self.error_function()`, accurate where that is small. Within 1 ulp.
        fn complementary_error_function(self) -> Self { own error_function erfc(self) }

        /// The `x` whose complementary error function is `self`, for `self` between 0 and 2.
        fn inv_complementary_error_function(self) -> Self { (-normal_quantile(0.5 * f64::from(self)) * FRAC_1_SQRT_2) as Self }

        /// `exp(self^2) * self.complementary_error_function()`.
        fn scaled_complementary_error_function(self) -> Self { scaled_erfc(self.into()) as Self }

        /// `(m, e)` with `self == m * 2^e` and `m` 0 or between 0.5 and 1.
        fn frexp(self) -> (Self, i32) { libm frexp(self) }

        /// The exponent `e` with `2^e <= |self| < 2^(e + 1)`.
        fn unbiased_exp(self) -> i32 { libm ilogb(self) }

        /// The Bessel function of the first kind, order 0.
        fn j0(self) -> Self { libm j0(self) }

        /// The Bessel function of the first kind, order 1.
        fn j1(self) -> Self { libm j1(self) }

        /// The Bessel function of the first kind, of any order.
        fn jn(self, order: i32) -> Self { libm jn(order, self) }

        /// The Bessel function of the second kind, order 0.
        fn y0(self) -> Self { libm y0(self) }

        /// The Bessel function of the second kind, order 1.
        fn y1(self) -> Self { libm y1(self) }

        /// The Bessel function of the second kind, of any order.
        fn yn(self, order: i32) -> Self { libm yn(order, self) }

        /// `self * 2^exp`, rounded once.
        fn ldexp(self, exp: i32) -> Self { libm ldexp(self, exp) }

        /// `self * 2^exp`, rounded once.
        fn scale_by_n(self, exp: i32) -> Self { libm scalbn(self, exp) }

        /// The gamma function.
        fn gamma(self) -> Self { libm tgamma(self) }

        /// The natural logarithm of the gamma function's magnitude.
        fn log_gamma(self) -> Self { libm lgamma(self) }

        /// `ln(1 + self)`, accurate near 0.
        fn log1p(self) -> Self { GpuFloat::ln_1p(self) }

        /// The standard normal distribution: the probability of a value up to `self`.
        fn norm_cdf(self) -> Self { (0.5 * erfc(-f64::from(self) * FRAC_1_SQRT_2)) as Self }

        /// The `x` whose [`norm_cdf`](FloatExt::norm_cdf) is `self`, for `self` between 0 and 1.
        fn inv_norm_cdf(self) -> Self { normal_quantile(self.into()) as Self }

        /// `1 / self.cbrt()`.
        fn rcbrt(self) -> Self { 1.0 / GpuFloat::cbrt(self) }

        /// `self` clamped to 0..=1; 0 for NaN.
        fn saturate(self) -> Self { if self.is_nan() { 0.0 } else { self.clamp(0.0, 1.0) } }
    }
}

/// `exp(x^2) erfc(x)` for all x: the square in two parts below 10, the continued fraction above.
fn scaled_erfc(x: f64) -> f64 {
    if x < 10.0 {
        let square = x * x;
        let rest = GpuFloat::mul_add(x, x, -square);
        let scale = GpuFloat::exp(square);
        return erfc(x) * GpuFloat::mul_add(scale, rest, scale);
    }
    // 1 / (x + (1/2) / (x + (2/2) / (x + (3/2) / (x + ...)))) / sqrt(pi), from the 24th level up.
    let mut tail = x;
    let mut level = 24.0;
    while level > 0.5 {
        tail = x + 0.5 * level / tail;
        level -= 1.0;
    }
    0.5 * FRAC_2_SQRT_PI / tail
}

/// The x below which a standard normal value lies with probability `p`, by Newton's method with
/// Halley's correction from the asymptotic start; NaN outside 0..=1.
fn normal_quantile(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    // The lower tail, where `p` has all its digits.
    let (tail, sign) = if p <= 0.5 { (p, 1.0) } else { (1.0 - p, -1.0) };
    if tail == 0.0 {
        return sign * f64::NEG_INFINITY;
    }
    // Hastings' rational start (Abramowitz and Stegun 26.2.23), within 4.5e-4.
    let t = GpuFloat::sqrt(-2.0 * GpuFloat::ln(tail));
    let mut x = (2.515_517 + t * (0.802_853 + t * 0.010_328))
        / (1.0 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308)))
        - t;
    let mut step = 0;
    while step < 3 {
        // The error relative to the density, so that nothing underflows.
        let scaled = 0.5 * scaled_erfc(-x * FRAC_1_SQRT_2);
        let log_error = GpuFloat::ln(scaled) - 0.5 * x * x - GpuFloat::ln(tail);
        let slope = FRAC_2_SQRT_PI * 0.5 * FRAC_1_SQRT_2 / scaled;
        x -= log_error / slope;
        step += 1;
    }
    sign * x
}

#[cfg(test)]
mod tests {
    use super::FloatExt;

    fn near(a: f64, b: f64, relative: f64) {
        assert!((a - b).abs() <= relative * b.abs(), "{a:e} is not {b:e}");
    }

    #[test]
    fn the_scaled_error_function_has_its_tabulated_values() {
        near(
            1.0f64.scaled_complementary_error_function(),
            0.427_583_576_155_807,
            1e-15,
        );
        near(0.0f64.scaled_complementary_error_function(), 1.0, 1e-15);
        near(
            10.0f64.scaled_complementary_error_function(),
            0.056_140_992_743_822_6,
            1e-15,
        );
        near(
            30.0f64.scaled_complementary_error_function(),
            0.018_795_888_861_416_75,
            1e-14,
        );
    }

    #[test]
    fn quantiles_are_the_inverse_of_the_distribution() {
        near(0.975f64.inv_norm_cdf(), 1.959_963_984_540_054, 1e-14);
        near(1e-10f64.inv_norm_cdf(), -6.361_340_902_404_056, 1e-14);
        assert!(0.5f64.inv_norm_cdf().abs() < 1e-15);
        assert_eq!(0.0f64.inv_norm_cdf(), f64::NEG_INFINITY);
        assert!(1.5f64.inv_norm_cdf().is_nan());
        near(
            0.1f64.inv_complementary_error_function(),
            1.163_087_153_676_674,
            1e-14,
        );
    }

    #[test]
    fn saturation_clamps() {
        assert_eq!(
            [
                2.0f32.saturate(),
                (-1.0f32).saturate(),
                0.25f32.saturate(),
                f32::NAN.saturate()
            ],
            [1.0, 0.0, 0.25, 0.0]
        );
    }
}
