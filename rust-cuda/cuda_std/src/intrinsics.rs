//! libdevice's functions under the names that rust-cuda has for them: NVIDIA's without `__nv_`,
//! `sin` of `f64` and `sinf` of `f32`.
//!
//! libdevice itself is not here: each is this library's own function of the same meaning, with the
//! same bits on the host and on the device, and within the bound that its method states. There is
//! no name here for what this library has no function of: arithmetic and conversions with a
//! rounding mode (`fadd_rz`, `double2int_rd`), `fast_` forms but for the single instructions in
//! [`float::approx`](crate::float::approx), and results behind pointers (`sincos`, `frexp`),
//! which are methods that return both.

use crate::{FloatExt, GpuFloat};

/// Functions of `f64` and of `f32`, and the method that each is.
macro_rules! floats {
    ($($double:ident $single:ident $trait:ident::$method:ident ($($argument:ident $(: $type:ty)?),*) $(-> $result:ty)?;)*) => {$(
        floats! { @ f64 $double $trait::$method ($($argument $(: $type)?),*) $(-> $result)? }
        floats! { @ f32 $single $trait::$method ($($argument $(: $type)?),*) $(-> $result)? }
    )*};
    (@ $float:ident $name:ident $trait:ident::$method:ident ($($argument:ident $(: $type:ty)?),*) $(-> $result:ty)?) => {
        #[doc = concat!("[`", stringify!($method), "`](", stringify!($trait), "::", stringify!($method), ") of `", stringify!($float), "`.")]
        #[inline(always)]
        #[must_use]
        pub fn $name($($argument: floats!(@ or $float $(, $type)?)),*) -> floats!(@ or $float $(, $result)?) {
            $trait::$method($($argument),*)
        }
    };
    (@ or $float:ident) => { $float };
    (@ or $float:ident, $type:ty) => { $type };
}

floats! {
    acos acosf GpuFloat::acos(x);
    acosh acoshf GpuFloat::acosh(x);
    asin asinf GpuFloat::asin(x);
    asinh asinhf GpuFloat::asinh(x);
    atan atanf GpuFloat::atan(x);
    atan2 atan2f GpuFloat::atan2(x, y);
    atanh atanhf GpuFloat::atanh(x);
    cbrt cbrtf GpuFloat::cbrt(x);
    ceil ceilf GpuFloat::ceil(x);
    copysign copysignf GpuFloat::copysign(x, y);
    cos cosf GpuFloat::cos(x);
    cosh coshf GpuFloat::cosh(x);
    cospi cospif FloatExt::cospi(x);
    erf erff FloatExt::error_function(x);
    erfc erfcf FloatExt::complementary_error_function(x);
    erfcinv erfcinvf FloatExt::inv_complementary_error_function(x);
    erfcx erfcxf FloatExt::scaled_complementary_error_function(x);
    exp expf GpuFloat::exp(x);
    exp2 exp2f GpuFloat::exp2(x);
    expm1 expm1f GpuFloat::exp_m1(x);
    fabs fabsf GpuFloat::abs(x);
    floor floorf GpuFloat::floor(x);
    fma fmaf GpuFloat::mul_add(x, y, z);
    fmax fmaxf GpuFloat::max(x, y);
    fmin fminf GpuFloat::min(x, y);
    hypot hypotf GpuFloat::hypot(x, y);
    ilogb ilogbf FloatExt::unbiased_exp(x) -> i32;
    j0 j0f FloatExt::j0(x);
    j1 j1f FloatExt::j1(x);
    ldexp ldexpf FloatExt::ldexp(x, y: i32);
    lgamma lgammaf FloatExt::log_gamma(x);
    log logf GpuFloat::ln(x);
    log10 log10f GpuFloat::log10(x);
    log1p log1pf GpuFloat::ln_1p(x);
    log2 log2f GpuFloat::log2(x);
    nearbyint nearbyintf GpuFloat::round_ties_even(x);
    normcdf normcdff FloatExt::norm_cdf(x);
    normcdfinv normcdfinvf FloatExt::inv_norm_cdf(x);
    pow powf GpuFloat::powf(x, y);
    powi powif GpuFloat::powi(x, y: i32);
    rcbrt rcbrtf FloatExt::rcbrt(x);
    rint rintf GpuFloat::round_ties_even(x);
    round roundf GpuFloat::round(x);
    rsqrt rsqrtf GpuFloat::rsqrt(x);
    scalbn scalbnf FloatExt::scale_by_n(x, y: i32);
    sin sinf GpuFloat::sin(x);
    sinh sinhf GpuFloat::sinh(x);
    sinpi sinpif FloatExt::sinpi(x);
    sqrt sqrtf GpuFloat::sqrt(x);
    tan tanf GpuFloat::tan(x);
    tanh tanhf GpuFloat::tanh(x);
    tgamma tgammaf FloatExt::gamma(x);
    trunc truncf GpuFloat::trunc(x);
    y0 y0f FloatExt::y0(x);
    y1 y1f FloatExt::y1(x);
}

/// Functions of integers.
macro_rules! integers {
    ($($(#[$doc:meta])* $name:ident($($argument:ident: $type:ident),*) -> $result:ident { $body:expr })*) => {$(
        $(#[$doc])*
        #[inline(always)]
        #[must_use]
        pub fn $name($($argument: $type),*) -> $result {
            $body
        }
    )*};
}

integers! {
    /// The magnitude; of the least number itself.
    abs(x: i32) -> i32 { x.wrapping_abs() }
    /// The magnitude; of the least number itself.
    llabs(x: i64) -> i64 { x.wrapping_abs() }
    /// The bits in reverse.
    brev(x: i32) -> i32 { x.reverse_bits() }
    /// The bits in reverse.
    brevll(x: i64) -> i64 { x.reverse_bits() }
    /// Zeros before the first bit.
    clz(x: i32) -> i32 { x.leading_zeros() as i32 }
    /// Zeros before the first bit.
    clzll(x: i64) -> i32 { x.leading_zeros() as i32 }
    /// Bits that are 1.
    popc(x: i32) -> i32 { x.count_ones() as i32 }
    /// Bits that are 1.
    popcll(x: i64) -> i32 { x.count_ones() as i32 }
    /// The place of the last bit, from 1; 0 where there is none.
    ffs(x: i32) -> i32 { if x == 0 { 0 } else { x.trailing_zeros() as i32 + 1 } }
    /// The place of the last bit, from 1; 0 where there is none.
    ffsll(x: i64) -> i32 { if x == 0 { 0 } else { x.trailing_zeros() as i32 + 1 } }
    /// The greater.
    max(x: i32, y: i32) -> i32 { x.max(y) }
    /// The lesser.
    min(x: i32, y: i32) -> i32 { x.min(y) }
    /// The upper half of the product.
    mulhi(x: i32, y: i32) -> i32 { ((i64::from(x) * i64::from(y)) >> 32) as i32 }
    /// The upper half of the product.
    mul64hi(x: i64, y: i64) -> i64 { ((i128::from(x) * i128::from(y)) >> 64) as i64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_the_method_of_its_meaning_in_the_width_of_its_suffix() {
        let x = 0.7_f64;
        assert_eq!(sin(x).to_bits(), GpuFloat::sin(x).to_bits());
        assert_eq!(sinf(0.7).to_bits(), GpuFloat::sin(0.7_f32).to_bits());
        assert_eq!(erf(x).to_bits(), FloatExt::error_function(x).to_bits());
        assert_eq!(
            pow(2.0, 0.5).to_bits(),
            GpuFloat::powf(2.0_f64, 0.5).to_bits()
        );
        assert_eq!((powif(3.0, 3), powi(2.0, -1)), (27.0, 0.5));
        assert_eq!((rint(2.5), round(2.5), ilogb(8.0)), (2.0, 3.0, 3));
    }

    #[test]
    fn integers_have_the_values_of_their_definitions() {
        assert_eq!((abs(i32::MIN), llabs(-3)), (i32::MIN, 3));
        assert_eq!((clz(1), clzll(0), popc(-1), popcll(6)), (31, 64, 32, 2));
        assert_eq!((ffs(0), ffs(8), ffsll(1 << 40)), (0, 4, 41));
        assert_eq!((brev(1), brevll(1)), (i32::MIN, i64::MIN));
        assert_eq!((mulhi(i32::MAX, 4), mul64hi(-1, 1)), (1, -1));
        assert_eq!((max(-1, 2), min(-1, 2)), (2, -1));
    }
}
