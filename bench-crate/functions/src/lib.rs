//! A kernel for each elementary function and type: it adds up values of the function, so that the
//! time of a launch is that of so many evaluations.
//!
//! The list is [`for_each_function`]. On the device it makes the kernels, on the host
//! [`Function::ALL`]. They are a crate of their own, built when the table `functions` asks for
//! them, because nothing else needs them.
#![cfg_attr(not(target_os = "cuda"), no_std)]

#[cfg(target_os = "cuda")]
mod kernels;
#[cfg(not(target_os = "cuda"))]
mod list;

#[cfg(not(target_os = "cuda"))]
pub use list::Function;

/// Independent sums of a thread.
pub const SUMS: u32 = 4;

/// `$with! { NAME, low, high, second argument, |x, y| value; ... }`: each function with the range
/// of its first argument. `x` and `y` are of either type.
macro_rules! for_each_function {
    ($with:ident) => {
        $with! {
            exp, 0.0, 16.0, 0.0, |x, y| GpuFloat::exp(x);
            exp2, 0.0, 16.0, 0.0, |x, y| GpuFloat::exp2(x);
            expm1, 0.0, 16.0, 0.0, |x, y| GpuFloat::exp_m1(x);
            ln, 0.0, 16.0, 0.0, |x, y| GpuFloat::ln(x);
            log2, 0.0, 16.0, 0.0, |x, y| GpuFloat::log2(x);
            log10, 0.0, 16.0, 0.0, |x, y| GpuFloat::log10(x);
            log1p, 0.0, 16.0, 0.0, |x, y| GpuFloat::ln_1p(x);
            sin, 0.0, 16.0, 0.0, |x, y| GpuFloat::sin(x);
            cos, 0.0, 16.0, 0.0, |x, y| GpuFloat::cos(x);
            sincos, 0.0, 16.0, 0.0, |x, y| { let (s, c) = GpuFloat::sin_cos(x); s + c };
            tan, 0.0, 16.0, 0.0, |x, y| GpuFloat::tan(x);
            sinpi, 0.0, 16.0, 0.0, |x, y| FloatExt::sinpi(x);
            cospi, 0.0, 16.0, 0.0, |x, y| FloatExt::cospi(x);
            asin, 0.0, 0.8, 0.0, |x, y| GpuFloat::asin(x);
            acos, 0.0, 0.8, 0.0, |x, y| GpuFloat::acos(x);
            atan, 0.0, 16.0, 0.0, |x, y| GpuFloat::atan(x);
            atan2, 0.0, 16.0, 3.0, |x, y| GpuFloat::atan2(x, y);
            sinh, 0.0, 16.0, 0.0, |x, y| GpuFloat::sinh(x);
            cosh, 0.0, 16.0, 0.0, |x, y| GpuFloat::cosh(x);
            tanh, 0.0, 16.0, 0.0, |x, y| GpuFloat::tanh(x);
            pow, 0.0, 16.0, 1.7, |x, y| GpuFloat::powf(x, y);
            cbrt, 0.0, 16.0, 0.0, |x, y| GpuFloat::cbrt(x);
        }
    };
}
pub(crate) use for_each_function;
