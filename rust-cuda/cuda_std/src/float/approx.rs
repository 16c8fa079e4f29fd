//! The instructions that trade accuracy for speed, by their PTX names (dots become underscores).
//! On the host each computes the accurate function, so results differ in the last digits.

#[cfg(not(target_os = "cuda"))]
use super::GpuFloat;
use crate::device::instruction;

macro_rules! approximate {
    ($($(#[$doc:meta])* $name:ident, $instruction:literal, $float:ident, $register:ident, |$x:ident| $host:expr;)*) => {$(
        $(#[$doc])*
        ///
        #[doc = concat!("PTX: `", $instruction, "`.")]
        #[inline(always)]
        #[must_use]
        pub fn $name($x: $float) -> $float {
            instruction!($instruction, $register $float, ($register $x), $host)
        }
    )*};
}

approximate! {
    /// The square root, within 2^-23 relative.
    sqrt_approx_f32, "sqrt.approx.f32", f32, reg32, |x| GpuFloat::sqrt(x);
    /// The square root, within 2^-23 relative; subnormal numbers count as 0.
    sqrt_approx_ftz_f32, "sqrt.approx.ftz.f32", f32, reg32, |x| GpuFloat::sqrt(x);
    /// The reciprocal of the square root, within 2^-22.9 relative.
    rsqrt_approx_f32, "rsqrt.approx.f32", f32, reg32, |x| GpuFloat::rsqrt(x);
    /// The reciprocal of the square root, within 2^-22.9 relative; subnormal numbers count as 0.
    rsqrt_approx_ftz_f32, "rsqrt.approx.ftz.f32", f32, reg32, |x| GpuFloat::rsqrt(x);
    /// The reciprocal of the square root: a start for an iteration of one's own. Emulated, and
    /// within about 1 ulp.
    rsqrt_approx_f64, "rsqrt.approx.f64", f64, reg64, |x| GpuFloat::rsqrt(x);
    /// The reciprocal of the square root of the argument's upper 32 bits, about 20 bits of it,
    /// the lower 32 bits 0: a start for an iteration of one's own. Subnormal numbers count as 0.
    rsqrt_approx_ftz_f64, "rsqrt.approx.ftz.f64", f64, reg64, |x| GpuFloat::rsqrt(x);
    /// The reciprocal, within 1 ulp.
    rcp_approx_f32, "rcp.approx.f32", f32, reg32, |x| GpuFloat::recip(x);
    /// The reciprocal, within 1 ulp; subnormal numbers count as 0.
    rcp_approx_ftz_f32, "rcp.approx.ftz.f32", f32, reg32, |x| GpuFloat::recip(x);
    /// The reciprocal of the argument's upper 32 bits, about 20 bits of it, the lower 32 bits 0.
    rcp_approx_ftz_f64, "rcp.approx.ftz.f64", f64, reg64, |x| GpuFloat::recip(x);
    /// The sine, within 2^-20.5 absolute between -2 pi and 2 pi.
    sin_approx_f32, "sin.approx.f32", f32, reg32, |x| GpuFloat::sin(x);
    /// The cosine, within 2^-20.5 absolute between -2 pi and 2 pi.
    cos_approx_f32, "cos.approx.f32", f32, reg32, |x| GpuFloat::cos(x);
    /// 2 to the power of the argument, within 2 ulp.
    ex2_approx_f32, "ex2.approx.f32", f32, reg32, |x| GpuFloat::exp2(x);
    /// 2 to the power of the argument, within 2 ulp; subnormal numbers count as 0.
    ex2_approx_ftz_f32, "ex2.approx.ftz.f32", f32, reg32, |x| GpuFloat::exp2(x);
    /// The logarithm to base 2, within 2^-22 absolute between 0.5 and 2, else 2^-22 relative.
    lg2_approx_f32, "lg2.approx.f32", f32, reg32, |x| GpuFloat::log2(x);
    /// The same; subnormal numbers count as 0.
    lg2_approx_ftz_f32, "lg2.approx.ftz.f32", f32, reg32, |x| GpuFloat::log2(x);
    /// The hyperbolic tangent, within 2^-11 relative. sm_75.
    tanh_approx_f32, "tanh.approx.f32", f32, reg32, |x| GpuFloat::tanh(x);
}

/// `x / y`, within 2 ulp for `y` between 2^-126 and 2^126.
///
/// PTX: `div.approx.f32`.
#[inline(always)]
#[must_use]
pub fn div_approx_f32(x: f32, y: f32) -> f32 {
    instruction!("div.approx.f32", reg32 f32, (reg32 x, reg32 y), x / y)
}
