//! The trait, and how each method is computed.

use super::methods::{Sealed, methods};
use super::{arcsine, arctangent, exponential, hyperbolic, logarithm, power, trigonometry};

methods! {
    /// The floating-point methods that `core` does not have, on `f32` and `f64`; rust-cuda's names,
    /// and a few more at the end. Where `core` or `std` has a method of the same name, Rust prefers
    /// that one; it means the same.
    pub trait GpuFloat: Copy + PartialOrd + Sealed {
        /// The largest integer that is not greater.
        ///
        /// PTX: `cvt.rmi`.
        fn floor(self) -> Self { ptx floor(self) }

        /// The smallest integer that is not less.
        ///
        /// PTX: `cvt.rpi`.
        fn ceil(self) -> Self { ptx ceil(self) }

        /// The nearest integer; halves go away from zero.
        fn round(self) -> Self { ptx round(self) }

        /// The integer part.
        ///
        /// PTX: `cvt.rzi`.
        fn trunc(self) -> Self { ptx trunc(self) }

        /// `self - self.trunc()`.
        fn fract(self) -> Self { self - GpuFloat::trunc(self) }

        /// Without the sign.
        ///
        /// PTX: `abs`.
        fn abs(self) -> Self { core abs(self) }

        /// 1 with the sign of `self` (zeros have one too); NaN for NaN.
        fn signum(self) -> Self { core signum(self) }

        /// The magnitude of `self` with the sign of `sign`.
        ///
        /// PTX: `copysign`.
        fn copysign(self, sign: Self) -> Self { core copysign(self, sign) }

        /// `self * a + b`, rounded once.
        ///
        /// PTX: `fma.rn`.
        fn mul_add(self, a: Self, b: Self) -> Self { ptx fma(self, a, b) }

        /// The integer `n` with `self - n * rhs` in `0..|rhs|`.
        fn div_euclid(self, rhs: Self) -> Self {
            let n = GpuFloat::trunc(self / rhs);
            if self % rhs < 0.0 {
                if rhs > 0.0 { n - 1.0 } else { n + 1.0 }
            } else {
                n
            }
        }

        /// What [`div_euclid`](GpuFloat::div_euclid) leaves: 0 or positive, and less than `|rhs|` but for rounding.
        fn rem_euclid(self, rhs: Self) -> Self {
            let rest = self % rhs;
            if rest < 0.0 { rest + GpuFloat::abs(rhs) } else { rest }
        }

        /// `self` to the power `n`, by repeated squaring.
        fn powi(self, n: i32) -> Self { by_squaring(self, n) }

        /// `self` to the power `n`, with IEEE 754's special values. Within 1.2 ulp, in f32 1.
        fn powf(self, n: Self) -> Self { own power pow(self, n) }

        /// The square root, rounded correctly; NaN below -0.
        ///
        /// PTX: `sqrt.rn`.
        fn sqrt(self) -> Self { ptx sqrt(self) }

        /// e to the power `self`. Within 1 ulp.
        fn exp(self) -> Self { own exponential exp(self) }

        /// 2 to the power `self`. Within 1 ulp.
        fn exp2(self) -> Self { own exponential exp2(self) }

        /// The natural logarithm. Within 1 ulp.
        fn ln(self) -> Self { own logarithm ln(self) }

        /// The logarithm to `base`, as a quotient of two natural ones.
        fn log(self, base: Self) -> Self { GpuFloat::ln(self) / GpuFloat::ln(base) }

        /// The logarithm to base 2. Within 1 ulp.
        fn log2(self) -> Self { own logarithm log2(self) }

        /// The logarithm to base 10. Within 1 ulp.
        fn log10(self) -> Self { own logarithm log10(self) }

        /// The cube root. Within 0.501 ulp, in f32 0.9.
        fn cbrt(self) -> Self { own power cbrt(self) }

        /// The square root of `self^2 + other^2` without overflow on the way. Within 1 ulp.
        fn hypot(self, other: Self) -> Self { own power hypot(self, other) }

        /// The sine of `self` radians. Within 1 ulp, for arguments of any size.
        fn sin(self) -> Self { own trigonometry sin(self) }

        /// The cosine of `self` radians. Within 1 ulp, for arguments of any size.
        fn cos(self) -> Self { own trigonometry cos(self) }

        /// The tangent of `self` radians. Within 1.45 ulp, in f32 1.3, for arguments of any size.
        fn tan(self) -> Self { own trigonometry tan(self) }

        /// The arc sine, in radians, -pi/2 to pi/2; NaN outside -1..=1. Within 1 ulp.
        fn asin(self) -> Self { own arcsine asin(self) }

        /// The arc cosine, in radians, 0 to pi; NaN outside -1..=1. Within 1 ulp.
        fn acos(self) -> Self { own arcsine acos(self) }

        /// The arc tangent, in radians, -pi/2 to pi/2. Within 1 ulp, in f32 1.25.
        fn atan(self) -> Self { own arctangent atan(self) }

        /// The angle of the point (x = `other`, y = `self`), in radians, -pi to pi. Within 1.25 ulp, in
        /// f32 1.2.
        fn atan2(self, other: Self) -> Self { own arctangent atan2(self, other) }

        /// [`sin`](GpuFloat::sin) and [`cos`](GpuFloat::cos) for the cost of one reduction.
        fn sin_cos(self) -> (Self, Self) { own trigonometry sin_cos(self) }

        /// `exp(self) - 1`, accurate near 0. Within 1 ulp.
        fn exp_m1(self) -> Self { own exponential exp_m1(self) }

        /// `ln(1 + self)`, accurate near 0. Within 1 ulp.
        fn ln_1p(self) -> Self { own logarithm ln_1p(self) }

        /// The hyperbolic sine. Within 1 ulp.
        fn sinh(self) -> Self { own hyperbolic sinh(self) }

        /// The hyperbolic cosine. Within 1 ulp.
        fn cosh(self) -> Self { own hyperbolic cosh(self) }

        /// The hyperbolic tangent. Within 1.2 ulp, in f32 1.
        fn tanh(self) -> Self { own hyperbolic tanh(self) }

        /// The inverse hyperbolic sine. Within 2 ulp.
        fn asinh(self) -> Self { own hyperbolic asinh(self) }

        /// The inverse hyperbolic cosine; NaN below 1. Within 3 ulp.
        fn acosh(self) -> Self { own hyperbolic acosh(self) }

        /// The inverse hyperbolic tangent; NaN outside -1..=1. Within 3 ulp.
        fn atanh(self) -> Self { own hyperbolic atanh(self) }

        /// `1 / self`, rounded correctly.
        ///
        /// PTX: `rcp.rn`.
        fn recip(self) -> Self { 1.0 / self }

        /// `1 / self.sqrt()`, each rounded correctly.
        fn rsqrt(self) -> Self { 1.0 / GpuFloat::sqrt(self) }

        /// The lesser; a NaN loses to a number.
        ///
        /// PTX: `min`.
        fn min(self, other: Self) -> Self { core min(self, other) }

        /// The greater; a NaN loses to a number.
        ///
        /// PTX: `max`.
        fn max(self, other: Self) -> Self { core max(self, other) }

        /// The nearest integer; halves go to the even one.
        ///
        /// PTX: `cvt.rni`.
        fn round_ties_even(self) -> Self { ptx round_ties_even_ host roundeven(self) }
    }
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
