//! Floating point: what cuda_std's traits have, with the bits of the host.

use cuda_std::{FloatExt, GpuFloat};

/// An element as a number between 1/8 and 8.
fn small(x: f64) -> f64 {
    0.125 + GpuFloat::abs(x) % 7.875
}

per_element! {
    /// `lang/f32/signum`.
    fn signum(x: f32) -> f32 {
        GpuFloat::signum(x) + 3.0 * GpuFloat::signum(-0.0 * GpuFloat::abs(x).min(1.0))
    }

    /// `lang/core/intrinsics/log10`.
    fn log10(x: f64) -> f64 {
        GpuFloat::log10(small(x)) + f64::from(GpuFloat::log10(small(x) as f32))
    }

    /// `float/float_extensions`: the functions that CUDA has and Rust does not.
    fn float_extensions(x: f64) -> f64 {
        let x = small(x);
        let (fraction, exponent) = x.frexp();
        x.sinpi()
            + x.cospi()
            + x.rcbrt()
            + x.error_function()
            + x.complementary_error_function()
            + x.norm_cdf()
            + x.log1p()
            + fraction
            + f64::from(exponent)
            + x.ldexp(3)
            + f64::from(x.unbiased_exp())
    }

    /// Roots, roundings and fused products, which are exact or rounded once.
    fn exact_functions(x: f64) -> f64 {
        let y = small(x);
        GpuFloat::sqrt(y)
            + GpuFloat::mul_add(y, x % 1000.0, 0.5)
            + GpuFloat::floor(x % 1000.0)
            + GpuFloat::ceil(y)
            + GpuFloat::trunc(x % 1000.0)
            + GpuFloat::round(y)
            + GpuFloat::round_ties_even(y)
            + GpuFloat::copysign(y, x)
            + GpuFloat::rem_euclid(x % 1000.0, y)
            + f64::from(GpuFloat::sqrt(y as f32))
    }

    /// Powers, exponentials and logarithms.
    fn powers(x: f64) -> f64 {
        let y = small(x);
        GpuFloat::exp(y) + GpuFloat::exp2(-y) + GpuFloat::ln(y) + GpuFloat::log2(y)
            + GpuFloat::powf(y, 1.7) + GpuFloat::powi(y, -3) + GpuFloat::cbrt(y)
            + GpuFloat::hypot(y, 2.0) + GpuFloat::exp_m1(y) + GpuFloat::ln_1p(y)
    }

    /// Circular and hyperbolic functions and their inverses.
    fn trigonometry(x: f64) -> f64 {
        let y = small(x);
        let (sine, cosine) = GpuFloat::sin_cos(y);
        sine + 2.0 * cosine + GpuFloat::tan(y) + GpuFloat::atan(y) + GpuFloat::atan2(y, x % 10.0)
            + GpuFloat::asin(y / 8.0) + GpuFloat::acos(y / 8.0)
            + GpuFloat::sinh(y) + GpuFloat::cosh(y) + GpuFloat::tanh(y)
            + GpuFloat::asinh(y) + GpuFloat::acosh(1.0 + y) + GpuFloat::atanh(y / 9.0)
    }
}
