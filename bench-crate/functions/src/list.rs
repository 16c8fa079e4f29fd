//! Which functions there are.

/// `$with! { name, low, high, second argument, |x, y| value; ... }`: each function with the bounds
/// of its first argument. `x` and `y` are of either type.
#[macro_export]
macro_rules! for_each_function {
    ($with:ident) => {
        $with! {
            exp, 0.0, 16.0, 0.0, |x, _y| $crate::GpuFloat::exp(x);
            exp2, 0.0, 16.0, 0.0, |x, _y| $crate::GpuFloat::exp2(x);
            expm1, 0.0, 16.0, 0.0, |x, _y| $crate::GpuFloat::exp_m1(x);
            ln, 0.0, 16.0, 0.0, |x, _y| $crate::GpuFloat::ln(x);
            log2, 0.0, 16.0, 0.0, |x, _y| $crate::GpuFloat::log2(x);
            log10, 0.0, 16.0, 0.0, |x, _y| $crate::GpuFloat::log10(x);
            log1p, 0.0, 16.0, 0.0, |x, _y| $crate::GpuFloat::ln_1p(x);
            sin, 0.0, 16.0, 0.0, |x, _y| $crate::GpuFloat::sin(x);
            cos, 0.0, 16.0, 0.0, |x, _y| $crate::GpuFloat::cos(x);
            sincos, 0.0, 16.0, 0.0, |x, _y| { let (s, c) = $crate::GpuFloat::sin_cos(x); s + c };
            tan, 0.0, 16.0, 0.0, |x, _y| $crate::GpuFloat::tan(x);
            sinpi, 0.0, 16.0, 0.0, |x, _y| $crate::FloatExt::sinpi(x);
            cospi, 0.0, 16.0, 0.0, |x, _y| $crate::FloatExt::cospi(x);
            asin, 0.0, 0.8, 0.0, |x, _y| $crate::GpuFloat::asin(x);
            acos, 0.0, 0.8, 0.0, |x, _y| $crate::GpuFloat::acos(x);
            atan, 0.0, 16.0, 0.0, |x, _y| $crate::GpuFloat::atan(x);
            atan2, 0.0, 16.0, 3.0, |x, y| $crate::GpuFloat::atan2(x, y);
            sinh, 0.0, 16.0, 0.0, |x, _y| $crate::GpuFloat::sinh(x);
            cosh, 0.0, 16.0, 0.0, |x, _y| $crate::GpuFloat::cosh(x);
            tanh, 0.0, 16.0, 0.0, |x, _y| $crate::GpuFloat::tanh(x);
            pow, 0.0, 16.0, 1.7, |x, y| $crate::GpuFloat::powf(x, y);
            cbrt, 0.0, 16.0, 0.0, |x, _y| $crate::GpuFloat::cbrt(x);
            erf, 0.0, 16.0, 0.0, |x, _y| $crate::FloatExt::error_function(x);
            erfc, 0.0, 16.0, 0.0, |x, _y| $crate::FloatExt::complementary_error_function(x);
        }
    };
}

/// The same of the functions of f32 whose bits are the device's: `cuda_std::float::fast`.
#[macro_export]
macro_rules! for_each_fast_function {
    ($with:ident) => {
        $with! {
            fast_exp, 0.0, 16.0, 0.0, |x, _y| $crate::fast::exp(x);
            fast_exp2, 0.0, 16.0, 0.0, |x, _y| $crate::fast::exp2(x);
            fast_ln, 0.0, 16.0, 0.0, |x, _y| $crate::fast::ln(x);
            fast_log2, 0.0, 16.0, 0.0, |x, _y| $crate::fast::log2(x);
            fast_sin, 0.0, 16.0, 0.0, |x, _y| $crate::fast::sin(x);
            fast_cos, 0.0, 16.0, 0.0, |x, _y| $crate::fast::cos(x);
            fast_tanh, 0.0, 16.0, 0.0, |x, _y| $crate::fast::tanh(x);
            fast_pow, 0.0, 16.0, 1.7, |x, y| $crate::fast::pow(x, y);
        }
    };
}
