//! The trait, and how each method is computed.

use super::{
    arcsine, arctangent, exponential, hyperbolic, logarithm, power, trigonometry, trigonometry_f32,
};

mod private {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// An operation that IEEE 754 rounds correctly: LLVM's on the device, `libm`'s on the host (this
/// crate does without `std`). Both give the same bits.
macro_rules! instruction {
    ($device:ident($($argument:expr),*), $host:path) => {{
        #[cfg(target_os = "cuda")]
        let value = core::intrinsics::$device($($argument),*);
        #[cfg(not(target_os = "cuda"))]
        let value = $host($($argument),*);
        value
    }};
}

/// The floating-point methods that `core` does not have, on `f32` and `f64`; rust-cuda's names,
/// and a few more at the end. Where `core` or `std` has a method of the same name, Rust prefers
/// that one; it means the same.
pub trait GpuFloat: Copy + PartialOrd + private::Sealed {
    /// The largest integer that is not greater.
    ///
    /// PTX: `cvt.rmi`.
    #[must_use = "the method returns a new number"]
    fn floor(self) -> Self;

    /// The smallest integer that is not less.
    ///
    /// PTX: `cvt.rpi`.
    #[must_use = "the method returns a new number"]
    fn ceil(self) -> Self;

    /// The nearest integer; halves go away from zero.
    #[must_use = "the method returns a new number"]
    fn round(self) -> Self;

    /// The integer part.
    ///
    /// PTX: `cvt.rzi`.
    #[must_use = "the method returns a new number"]
    fn trunc(self) -> Self;

    /// `self - self.trunc()`.
    #[must_use = "the method returns a new number"]
    fn fract(self) -> Self;

    /// Without the sign.
    ///
    /// PTX: `abs`.
    #[must_use = "the method returns a new number"]
    fn abs(self) -> Self;

    /// 1 with the sign of `self` (zeros have one too); NaN for NaN.
    #[must_use = "the method returns a new number"]
    fn signum(self) -> Self;

    /// The magnitude of `self` with the sign of `sign`.
    ///
    /// PTX: `copysign`.
    #[must_use = "the method returns a new number"]
    fn copysign(self, sign: Self) -> Self;

    /// `self * a + b`, rounded once.
    ///
    /// PTX: `fma.rn`.
    #[must_use = "the method returns a new number"]
    fn mul_add(self, a: Self, b: Self) -> Self;

    /// The integer `n` with `self - n * rhs` in `0..|rhs|`.
    #[must_use = "the method returns a new number"]
    fn div_euclid(self, rhs: Self) -> Self;

    /// What [`div_euclid`](GpuFloat::div_euclid) leaves: 0 or positive, and less than `|rhs|` but for rounding.
    #[must_use = "the method returns a new number"]
    fn rem_euclid(self, rhs: Self) -> Self;

    /// `self` to the power `n`, by repeated squaring.
    #[must_use = "the method returns a new number"]
    fn powi(self, n: i32) -> Self;

    /// `self` to the power `n`, with IEEE 754's special values. Within 1 ulp.
    #[must_use = "the method returns a new number"]
    fn powf(self, n: Self) -> Self;

    /// The square root, rounded correctly; NaN below -0.
    ///
    /// PTX: `sqrt.rn`.
    #[must_use = "the method returns a new number"]
    fn sqrt(self) -> Self;

    /// e to the power `self`. Within 1 ulp.
    #[must_use = "the method returns a new number"]
    fn exp(self) -> Self;

    /// 2 to the power `self`. Within 1 ulp.
    #[must_use = "the method returns a new number"]
    fn exp2(self) -> Self;

    /// The natural logarithm. Within 1 ulp.
    #[must_use = "the method returns a new number"]
    fn ln(self) -> Self;

    /// The logarithm to `base`, as a quotient of two natural ones.
    #[must_use = "the method returns a new number"]
    fn log(self, base: Self) -> Self;

    /// The logarithm to base 2. Within 1 ulp.
    #[must_use = "the method returns a new number"]
    fn log2(self) -> Self;

    /// The logarithm to base 10. Within 1 ulp.
    #[must_use = "the method returns a new number"]
    fn log10(self) -> Self;

    /// The cube root. Within 0.501 ulp.
    #[must_use = "the method returns a new number"]
    fn cbrt(self) -> Self;

    /// The square root of `self^2 + other^2` without overflow on the way. Within 1 ulp.
    #[must_use = "the method returns a new number"]
    fn hypot(self, other: Self) -> Self;

    /// The sine of `self` radians. Within 1 ulp, for arguments of any size.
    #[must_use = "the method returns a new number"]
    fn sin(self) -> Self;

    /// The cosine of `self` radians. Within 1 ulp, for arguments of any size.
    #[must_use = "the method returns a new number"]
    fn cos(self) -> Self;

    /// The tangent of `self` radians. Within 1.2 ulp, for arguments of any size.
    #[must_use = "the method returns a new number"]
    fn tan(self) -> Self;

    /// The arc sine, in radians, -pi/2 to pi/2; NaN outside -1..=1. Within 1 ulp.
    #[must_use = "the method returns a new number"]
    fn asin(self) -> Self;

    /// The arc cosine, in radians, 0 to pi; NaN outside -1..=1. Within 1 ulp.
    #[must_use = "the method returns a new number"]
    fn acos(self) -> Self;

    /// The arc tangent, in radians, -pi/2 to pi/2. Within 1 ulp.
    #[must_use = "the method returns a new number"]
    fn atan(self) -> Self;

    /// The angle of the point (x = `other`, y = `self`), in radians, -pi to pi. Within 1 ulp.
    #[must_use = "the method returns a new number"]
    fn atan2(self, other: Self) -> Self;

    /// [`sin`](GpuFloat::sin) and [`cos`](GpuFloat::cos) for the cost of one reduction.
    #[must_use = "the method returns a new number"]
    fn sin_cos(self) -> (Self, Self);

    /// `exp(self) - 1`, accurate near 0. Within 1 ulp.
    #[must_use = "the method returns a new number"]
    fn exp_m1(self) -> Self;

    /// `ln(1 + self)`, accurate near 0. Within 1 ulp.
    #[must_use = "the method returns a new number"]
    fn ln_1p(self) -> Self;

    /// The hyperbolic sine. Within 1 ulp.
    #[must_use = "the method returns a new number"]
    fn sinh(self) -> Self;

    /// The hyperbolic cosine. Within 1 ulp.
    #[must_use = "the method returns a new number"]
    fn cosh(self) -> Self;

    /// The hyperbolic tangent. Within 1 ulp.
    #[must_use = "the method returns a new number"]
    fn tanh(self) -> Self;

    /// The inverse hyperbolic sine. Within 2 ulp.
    #[must_use = "the method returns a new number"]
    fn asinh(self) -> Self;

    /// The inverse hyperbolic cosine; NaN below 1. Within 3 ulp.
    #[must_use = "the method returns a new number"]
    fn acosh(self) -> Self;

    /// The inverse hyperbolic tangent; NaN outside -1..=1. Within 3 ulp.
    #[must_use = "the method returns a new number"]
    fn atanh(self) -> Self;

    /// `1 / self`, rounded correctly.
    ///
    /// PTX: `rcp.rn`.
    #[must_use = "the method returns a new number"]
    fn recip(self) -> Self;

    /// `1 / self.sqrt()`, each rounded correctly.
    #[must_use = "the method returns a new number"]
    fn rsqrt(self) -> Self;

    /// The lesser; a NaN loses to a number.
    ///
    /// PTX: `min`.
    #[must_use = "the method returns a new number"]
    fn min(self, other: Self) -> Self;

    /// The greater; a NaN loses to a number.
    ///
    /// PTX: `max`.
    #[must_use = "the method returns a new number"]
    fn max(self, other: Self) -> Self;

    /// The nearest integer; halves go to the even one.
    ///
    /// PTX: `cvt.rni`.
    #[must_use = "the method returns a new number"]
    fn round_ties_even(self) -> Self;
}

/// `base` to the power `n` by squaring, from the lowest bit of `n` up.
#[inline]
fn by_squaring<T: Copy + core::ops::Mul<Output = T> + core::ops::Div<Output = T> + From<f32>>(
    base: T,
    n: i32,
) -> T {
    let mut square = base;
    let mut rest = n.unsigned_abs();
    let mut product = T::from(1.0);
    while rest != 0 {
        if rest & 1 == 1 {
            product = product * square;
        }
        square = square * square;
        rest >>= 1;
    }
    if n < 0 {
        T::from(1.0) / product
    } else {
        product
    }
}

macro_rules! implement {
    ($float:ident $(, $suffix:ident)?) => {
        pastey::paste! {
            impl GpuFloat for $float {
                #[inline]
                fn floor(self) -> Self {
                    instruction!([<floor $float>](self), libm::[<floor $($suffix)?>])
                }

                #[inline]
                fn ceil(self) -> Self {
                    instruction!([<ceil $float>](self), libm::[<ceil $($suffix)?>])
                }

                #[inline]
                fn round(self) -> Self {
                    instruction!([<round $float>](self), libm::[<round $($suffix)?>])
                }

                #[inline]
                fn trunc(self) -> Self {
                    instruction!([<trunc $float>](self), libm::[<trunc $($suffix)?>])
                }

                #[inline]
                fn fract(self) -> Self {
                    self - GpuFloat::trunc(self)
                }

                #[inline]
                fn abs(self) -> Self {
                    $float::abs(self)
                }

                #[inline]
                fn signum(self) -> Self {
                    $float::signum(self)
                }

                #[inline]
                fn copysign(self, sign: Self) -> Self {
                    $float::copysign(self, sign)
                }

                #[inline]
                fn mul_add(self, a: Self, b: Self) -> Self {
                    instruction!([<fma $float>](self, a, b), libm::[<fma $($suffix)?>])
                }

                #[inline]
                fn div_euclid(self, rhs: Self) -> Self {
                    let n = GpuFloat::trunc(self / rhs);
        if self % rhs < 0.0 { if rhs > 0.0 { n - 1.0 } else { n + 1.0 } } else { n }
                }

                #[inline]
                fn rem_euclid(self, rhs: Self) -> Self {
                    let rest = self % rhs;
        if rest < 0.0 { rest + $float::abs(rhs) } else { rest }
                }

                #[inline]
                fn powi(self, n: i32) -> Self {
                    by_squaring(self, n)
                }

                #[inline]
                fn powf(self, n: Self) -> Self {
                    power::[<pow $($suffix)?>](self, n)
                }

                #[inline]
                fn sqrt(self) -> Self {
                    instruction!([<sqrt $float>](self), libm::[<sqrt $($suffix)?>])
                }

                #[inline]
                fn exp(self) -> Self {
                    exponential::[<exp $($suffix)?>](self)
                }

                #[inline]
                fn exp2(self) -> Self {
                    exponential::[<exp2 $($suffix)?>](self)
                }

                #[inline]
                fn ln(self) -> Self {
                    logarithm::[<ln $($suffix)?>](self)
                }

                #[inline]
                fn log(self, base: Self) -> Self {
                    logarithm::[<ln $($suffix)?>](self) / logarithm::[<ln $($suffix)?>](base)
                }

                #[inline]
                fn log2(self) -> Self {
                    logarithm::[<log2 $($suffix)?>](self)
                }

                #[inline]
                fn log10(self) -> Self {
                    logarithm::[<log10 $($suffix)?>](self)
                }

                #[inline]
                fn cbrt(self) -> Self {
                    power::[<cbrt $($suffix)?>](self)
                }

                #[inline]
                fn hypot(self, other: Self) -> Self {
                    power::[<hypot $($suffix)?>](self, other)
                }

                #[inline]
                fn sin(self) -> Self {
                    [<trigonometry $(_ $suffix 32)?>]::sin(self)
                }

                #[inline]
                fn cos(self) -> Self {
                    [<trigonometry $(_ $suffix 32)?>]::cos(self)
                }

                #[inline]
                fn tan(self) -> Self {
                    [<trigonometry $(_ $suffix 32)?>]::tan(self)
                }

                #[inline]
                fn asin(self) -> Self {
                    arcsine::[<asin $($suffix)?>](self)
                }

                #[inline]
                fn acos(self) -> Self {
                    arcsine::[<acos $($suffix)?>](self)
                }

                #[inline]
                fn atan(self) -> Self {
                    arctangent::[<atan $($suffix)?>](self)
                }

                #[inline]
                fn atan2(self, other: Self) -> Self {
                    arctangent::[<atan2 $($suffix)?>](self, other)
                }

                #[inline]
                fn sin_cos(self) -> (Self, Self) {
                    [<trigonometry $(_ $suffix 32)?>]::sin_cos(self)
                }

                #[inline]
                fn exp_m1(self) -> Self {
                    exponential::[<exp_m1 $($suffix)?>](self)
                }

                #[inline]
                fn ln_1p(self) -> Self {
                    logarithm::[<ln_1p $($suffix)?>](self)
                }

                #[inline]
                fn sinh(self) -> Self {
                    hyperbolic::[<sinh $($suffix)?>](self)
                }

                #[inline]
                fn cosh(self) -> Self {
                    hyperbolic::[<cosh $($suffix)?>](self)
                }

                #[inline]
                fn tanh(self) -> Self {
                    hyperbolic::[<tanh $($suffix)?>](self)
                }

                #[inline]
                fn asinh(self) -> Self {
                    hyperbolic::[<asinh $($suffix)?>](self)
                }

                #[inline]
                fn acosh(self) -> Self {
                    hyperbolic::[<acosh $($suffix)?>](self)
                }

                #[inline]
                fn atanh(self) -> Self {
                    hyperbolic::[<atanh $($suffix)?>](self)
                }

                #[inline]
                fn recip(self) -> Self {
                    1.0 / self
                }

                #[inline]
                fn rsqrt(self) -> Self {
                    1.0 / GpuFloat::sqrt(self)
                }

                #[inline]
                fn min(self, other: Self) -> Self {
                    $float::min(self, other)
                }

                #[inline]
                fn max(self, other: Self) -> Self {
                    $float::max(self, other)
                }

                #[inline]
                fn round_ties_even(self) -> Self {
                    instruction!([<round_ties_even_ $float>](self), libm::[<roundeven $($suffix)?>])
                }
            }
        }
    };
}

implement!(f32, f);
implement!(f64);
