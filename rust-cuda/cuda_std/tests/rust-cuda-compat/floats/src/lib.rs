//! Floating-point functions of every kind.
#![allow(clippy::missing_safety_doc)]
use cuda_std::float::approx;
use cuda_std::{FloatExt, GpuFloat, kernel};

#[kernel]
pub unsafe fn float_instructions(x: f32, y: f64, out: *mut f32, wide: *mut f64) {
    *out = x.sqrt()
        + x.mul_add(x, 1.0)
        + x.floor()
        + x.ceil()
        + x.trunc()
        + x.round()
        + x.abs()
        + x.copysign(-1.0)
        + x.recip();
    *wide = y.sqrt()
        + y.mul_add(y, 1.0)
        + y.floor()
        + y.ceil()
        + y.trunc()
        + y.round()
        + y.abs()
        + y.min(3.0)
        + y.powi(5);
}

#[kernel]
pub unsafe fn float_functions(x: f32, y: f64, out: *mut f32, wide: *mut f64) {
    *out = x.sin()
        + x.cos()
        + x.tan()
        + x.exp()
        + x.exp2()
        + x.ln()
        + x.log2()
        + x.log10()
        + x.powf(x)
        + x.atan()
        + x.atan2(2.0);
    *wide = y.sin()
        + y.cos()
        + y.tan()
        + y.exp()
        + y.exp2()
        + y.ln()
        + y.log2()
        + y.log10()
        + y.powf(y)
        + y.atan()
        + y.atan2(2.0);
}

#[kernel]
pub unsafe fn float_rest(x: f32, y: f64, out: *mut f32, wide: *mut f64) {
    let (s, c) = x.sin_cos();
    *out = s
        + c
        + x.asin()
        + x.acos()
        + x.sinh()
        + x.cosh()
        + x.tanh()
        + x.asinh()
        + x.acosh()
        + x.atanh()
        + x.ln_1p()
        + x.exp_m1()
        + x.cbrt()
        + x.hypot(1.0);
    *wide = y.asin()
        + y.acos()
        + y.sinh()
        + y.cosh()
        + y.tanh()
        + y.asinh()
        + y.acosh()
        + y.atanh()
        + y.ln_1p()
        + y.exp_m1()
        + y.cbrt()
        + y.hypot(1.0)
        + y.rem_euclid(3.0);
}

#[kernel]
pub unsafe fn float_extensions(x: f32, y: f64, out: *mut f32, wide: *mut f64) {
    let (m, e) = x.frexp();
    *out = x.cospi()
        + x.error_function()
        + x.scaled_complementary_error_function()
        + m
        + e as f32
        + x.ldexp(3)
        + x.norm_cdf()
        + x.inv_norm_cdf()
        + x.saturate();
    *wide = y.sinpi()
        + y.complementary_error_function()
        + y.log1p()
        + y.rcbrt()
        + y.unbiased_exp() as f64;
}

#[kernel]
pub unsafe fn float_approximations(x: f32, y: f64, out: *mut f32, wide: *mut f64) {
    *out = approx::sqrt_approx_f32(x)
        + approx::rsqrt_approx_f32(x)
        + approx::rcp_approx_f32(x)
        + approx::sin_approx_f32(x)
        + approx::cos_approx_f32(x)
        + approx::ex2_approx_f32(x)
        + approx::lg2_approx_f32(x)
        + approx::tanh_approx_f32(x)
        + approx::div_approx_f32(x, 3.0);
    *wide = approx::rsqrt_approx_f64(y)
        + approx::rsqrt_approx_ftz_f64(y)
        + approx::rcp_approx_ftz_f64(y);
}

#[kernel]
pub unsafe fn trigonometry(x: f32, y: f64, out: *mut f32, wide: *mut f64) {
    *out = x.sin() + x.tan();
    *wide = y.sin() + y.cos() + y.sinpi();
}
