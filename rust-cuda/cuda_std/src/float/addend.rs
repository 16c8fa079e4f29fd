//! Numbers on their way into a running sum, and fast forms of root and quotient.
//!
//! An integrand of a quadrature ends in a square root or a quotient more often than not, and IEEE
//! 754's rounding of it costs a GPU more than all the rest, to be lost in the sum at once.
//! [`Addend`] leaves the last product and the scale to the sum: `x.mul_add(-x, 1.0).root()` goes in
//! with four instructions of f64 arithmetic, a reciprocal with three. What is right everywhere, to
//! the last bit, is [`Addend::value`]. `fast_sqrt` and its like are for authors who need the number
//! itself.
//!
//! The starts are the device's approximations, right to 2^-19.9 (f64) or 2^-22.9 (f32); on the host
//! they are the accurate functions, so that last bits differ between the two, within the errors that
//! stand here. Those hold for each start within 2^-19.9, which the tests try.

use super::{GpuFloat, approx};

/// A number that a running sum takes in one instruction: `SCALE * p * q`, not multiplied out.
pub trait Addend<R>: Copy {
    /// What the sum of [`add_to`](Addend::add_to) is multiplied by at the end.
    const SCALE: R;

    /// The number itself, accurate everywhere.
    #[must_use = "the method returns a new number"]
    fn value(self) -> R;

    /// `sum + self / SCALE`, where the type says how accurate it is and for which numbers.
    #[must_use = "the method returns a new number"]
    fn add_to(self, sum: R) -> R;

    /// [`add_to`](Addend::add_to) of two, each to its own sum: step by step, so that neither waits
    /// for itself alone.
    #[inline(always)]
    #[must_use = "the method returns new numbers"]
    fn add_both(pair: (Self, Self), sums: (R, R)) -> (R, R) {
        (pair.0.add_to(sums.0), pair.1.add_to(sums.1))
    }
}

/// The square root of the number in it, which is not taken yet.
///
/// [`add_to`](Addend::add_to) is meant for positive normal numbers. In f64 it is
/// `rsqrt.approx.ftz.f64` and four instructions, and adds a number that is within 2^-52.3 of the
/// root, relatively, and on average right to 2^-60; in f32 it is `sqrt.approx.ftz.f32` and an
/// addition, within 2^-23. In f64, zeros, infinity and negative numbers make the sum NaN, and
/// subnormal numbers make it infinite; in f32 zeros and subnormal numbers of either sign add 0,
/// infinity adds infinity, and what is less than the subnormal numbers makes it NaN.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Root<R>(pub R);

/// 1 over the number in it, which is not divided yet.
///
/// [`add_to`](Addend::add_to) is meant for normal numbers of either sign up to 2^1021 (2^126 in
/// f32). In f64 it is `rcp.approx.ftz.f64` and three instructions, and adds a number that is within
/// 2^-52.3 of the reciprocal, relatively; in f32 it is `rcp.approx.ftz.f32` and an addition, within
/// 1 ulp. In f64, zeros and infinities make the sum NaN, and subnormal numbers add an infinity of
/// their sign; in f32 so do zeros, and infinities add 0. Beyond those bounds the reciprocal may
/// count as 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reciprocal<R>(pub R);

/// A quotient that is not divided yet.
///
/// [`add_to`](Addend::add_to) is a [`Reciprocal`]'s and one product: in f64 four instructions, within
/// 2^-51.6 relatively, for denominators as there and where `numerator / denominator` is a normal
/// number; in f32 one `fma`, within 2^-23.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quotient<R> {
    /// What is divided.
    pub numerator: R,
    /// What it is divided by.
    pub denominator: R,
}

mod private {
    /// How a precision adds what is not computed yet.
    pub trait Terms: Sized {
        const ROOT_SCALE: Self;
        const ONE: Self;
        fn plus(self, other: Self) -> Self;
        fn divided_by(self, other: Self) -> Self;
        fn add_roots<const N: usize>(squares: [Self; N], sums: [Self; N]) -> [Self; N];
        fn add_reciprocals<const N: usize>(denominators: [Self; N], sums: [Self; N]) -> [Self; N];
        fn add_quotients<const N: usize>(
            numerators: [Self; N],
            denominators: [Self; N],
            sums: [Self; N],
        ) -> [Self; N];
    }
}

use private::Terms;

/// `f32` and `f64` as what roots and quotients are taken of when they are summed; and roots,
/// reciprocals and quotients at once, not quite rounded correctly.
///
/// ```
/// use cuda_std::float::{Addend, LazyFloat};
/// use cuda_std::GpuFloat;
///
/// /// The quarter circle, in either precision.
/// fn circle<R: LazyFloat>(x: R, one: R) -> impl Addend<R> {
///     (one - x * x).root()
/// }
/// assert_eq!(circle(0.6f64, 1.0).value(), 0.8);
/// assert_eq!(1.0f32.over(4.0).value(), 0.25);
/// ```
pub trait LazyFloat:
    GpuFloat
    + Terms
    + core::ops::Add<Output = Self>
    + core::ops::Sub<Output = Self>
    + core::ops::Mul<Output = Self>
    + core::ops::Div<Output = Self>
    + core::ops::Neg<Output = Self>
{
    /// The square root, for a sum.
    #[inline(always)]
    fn root(self) -> Root<Self> {
        Root(self)
    }

    /// 1 over the number, for a sum.
    #[inline(always)]
    fn reciprocal(self) -> Reciprocal<Self> {
        Reciprocal(self)
    }

    /// `self / denominator`, for a sum.
    #[inline(always)]
    fn over(self, denominator: Self) -> Quotient<Self> {
        Quotient {
            numerator: self,
            denominator,
        }
    }

    /// The square root of a positive normal number, within 1 ulp (f64, five instructions) or 2^-23
    /// relatively (f32, one). In f64 NaN for zeros, infinity and negative numbers, and infinity for
    /// subnormal ones; in f32 0 for zeros and subnormal numbers,
    /// infinity for infinity, NaN below.
    #[must_use = "the method returns a new number"]
    fn fast_sqrt(self) -> Self;

    /// 1 over a normal number of at most 2^1021 (f32: 2^126), within 1 ulp; three instructions in
    /// f64, one in f32. In f64 NaN for zeros, subnormal numbers and infinities; in f32 infinity for
    /// the former two, 0 for the latter. 0 may come of what is larger than that bound.
    #[must_use = "the method returns a new number"]
    fn fast_recip(self) -> Self;

    /// `self / denominator` with [`fast_recip`](LazyFloat::fast_recip)'s denominators, where the
    /// quotient is a normal number: within 1.51 ulp in four
    /// instructions (f64), within 2^-22.4 relatively in two (f32).
    #[must_use = "the method returns a new number"]
    fn fast_div(self, denominator: Self) -> Self;
}

/// One thing of each of several, step by step. (Iterators over arrays by value would put them into
/// a device's local memory.)
#[inline(always)]
fn each<const N: usize>(of: impl Fn(usize) -> f64) -> [f64; N] {
    core::array::from_fn(of)
}

/// `(p, q)` with `ROOT_SCALE * p * q` the roots of `squares`, from starts for 1 over the roots.
///
/// With `w = square * start^2`, which is nearly 1, the root is `square * start` times
/// `1 - (w - 1) / 2 + 3/8 (w - 1)^2 = 3/8 ((w - 5/3)^2 + 20/9)`; the constants are rounded so that
/// the errors of the terms have no mean.
#[inline(always)]
fn root_factors<const N: usize>(squares: [f64; N], starts: [f64; N]) -> ([f64; N], [f64; N]) {
    const FIVE_THIRDS: f64 = f64::from_bits(0x3ffa_aaaa_aaaa_aaac);
    const TWENTY_NINTHS: f64 = f64::from_bits(0x4001_c71c_71c7_1c70);
    let roots: [f64; N] = each(|i| squares[i] * starts[i]);
    let t: [f64; N] = each(|i| GpuFloat::mul_add(roots[i], starts[i], -FIVE_THIRDS));
    (
        roots,
        each(|i| GpuFloat::mul_add(t[i], t[i], TWENTY_NINTHS)),
    )
}

/// What `starts` have to be multiplied by to become `1 / denominators`: with
/// `e = 1 - denominator * start`, `1 + e + e^2 = (e + 1/2)^2 + 3/4`.
#[inline(always)]
fn reciprocal_factors<const N: usize>(denominators: [f64; N], starts: [f64; N]) -> [f64; N] {
    let s: [f64; N] = each(|i| GpuFloat::mul_add(-denominators[i], starts[i], 1.5));
    each(|i| GpuFloat::mul_add(s[i], s[i], 0.75))
}

/// The root from a start for 1 over it, by one step of third order.
#[inline(always)]
fn root_from(square: f64, start: f64) -> f64 {
    let root = square * start;
    let error = GpuFloat::mul_add(-root, start, 1.0);
    GpuFloat::mul_add(root * error, GpuFloat::mul_add(error, 0.375, 0.5), root)
}

/// `numerator / denominator` from a start for `1 / denominator`, by one step of third order.
#[inline(always)]
fn quotient_from(numerator: f64, denominator: f64, start: f64) -> f64 {
    let quotient = numerator * start;
    let error = GpuFloat::mul_add(-denominator, start, 1.0);
    GpuFloat::mul_add(quotient, GpuFloat::mul_add(error, error, error), quotient)
}

impl Terms for f64 {
    /// 3/8, and the half ulp that the constants of [`root_factors`] take.
    const ROOT_SCALE: f64 = f64::from_bits(0x3fd8_0000_0000_0001);
    const ONE: f64 = 1.0;

    #[inline(always)]
    fn plus(self, other: f64) -> f64 {
        self + other
    }

    #[inline(always)]
    fn divided_by(self, other: f64) -> f64 {
        self / other
    }

    #[inline(always)]
    fn add_roots<const N: usize>(squares: [f64; N], sums: [f64; N]) -> [f64; N] {
        let starts: [f64; N] = each(|i| approx::rsqrt_approx_ftz_f64(squares[i]));
        let (p, q) = root_factors(squares, starts);
        each(|i| GpuFloat::mul_add(p[i], q[i], sums[i]))
    }

    #[inline(always)]
    fn add_reciprocals<const N: usize>(denominators: [f64; N], sums: [f64; N]) -> [f64; N] {
        let starts: [f64; N] = each(|i| approx::rcp_approx_ftz_f64(denominators[i]));
        let factors = reciprocal_factors(denominators, starts);
        each(|i| GpuFloat::mul_add(starts[i], factors[i], sums[i]))
    }

    #[inline(always)]
    fn add_quotients<const N: usize>(
        numerators: [f64; N],
        denominators: [f64; N],
        sums: [f64; N],
    ) -> [f64; N] {
        let starts: [f64; N] = each(|i| approx::rcp_approx_ftz_f64(denominators[i]));
        let factors = reciprocal_factors(denominators, starts);
        let products: [f64; N] = each(|i| numerators[i] * starts[i]);
        each(|i| GpuFloat::mul_add(products[i], factors[i], sums[i]))
    }
}

impl Terms for f32 {
    const ROOT_SCALE: f32 = 1.0;
    const ONE: f32 = 1.0;

    #[inline(always)]
    fn plus(self, other: f32) -> f32 {
        self + other
    }

    #[inline(always)]
    fn divided_by(self, other: f32) -> f32 {
        self / other
    }

    #[inline(always)]
    fn add_roots<const N: usize>(squares: [f32; N], sums: [f32; N]) -> [f32; N] {
        core::array::from_fn(|i| sums[i] + approx::sqrt_approx_ftz_f32(squares[i]))
    }

    #[inline(always)]
    fn add_reciprocals<const N: usize>(denominators: [f32; N], sums: [f32; N]) -> [f32; N] {
        core::array::from_fn(|i| sums[i] + approx::rcp_approx_ftz_f32(denominators[i]))
    }

    #[inline(always)]
    fn add_quotients<const N: usize>(
        numerators: [f32; N],
        denominators: [f32; N],
        sums: [f32; N],
    ) -> [f32; N] {
        core::array::from_fn(|i| {
            let start = approx::rcp_approx_ftz_f32(denominators[i]);
            GpuFloat::mul_add(numerators[i], start, sums[i])
        })
    }
}

impl LazyFloat for f64 {
    #[inline(always)]
    fn fast_sqrt(self) -> f64 {
        root_from(self, approx::rsqrt_approx_ftz_f64(self))
    }

    #[inline(always)]
    fn fast_recip(self) -> f64 {
        let start = approx::rcp_approx_ftz_f64(self);
        let error = GpuFloat::mul_add(-self, start, 1.0);
        GpuFloat::mul_add(start, GpuFloat::mul_add(error, error, error), start)
    }

    #[inline(always)]
    fn fast_div(self, denominator: f64) -> f64 {
        quotient_from(self, denominator, approx::rcp_approx_ftz_f64(denominator))
    }
}

impl LazyFloat for f32 {
    #[inline(always)]
    fn fast_sqrt(self) -> f32 {
        approx::sqrt_approx_ftz_f32(self)
    }

    #[inline(always)]
    fn fast_recip(self) -> f32 {
        approx::rcp_approx_ftz_f32(self)
    }

    #[inline(always)]
    fn fast_div(self, denominator: f32) -> f32 {
        self * approx::rcp_approx_ftz_f32(denominator)
    }
}

/// Itself: a plain addition.
impl<R: LazyFloat> Addend<R> for R {
    const SCALE: R = R::ONE;

    #[inline(always)]
    fn value(self) -> R {
        self
    }

    #[inline(always)]
    fn add_to(self, sum: R) -> R {
        sum.plus(self)
    }
}

impl<R: LazyFloat> Addend<R> for Root<R> {
    const SCALE: R = R::ROOT_SCALE;

    #[inline(always)]
    fn value(self) -> R {
        GpuFloat::sqrt(self.0)
    }

    #[inline(always)]
    fn add_to(self, sum: R) -> R {
        let [sum] = R::add_roots([self.0], [sum]);
        sum
    }

    #[inline(always)]
    fn add_both(pair: (Self, Self), sums: (R, R)) -> (R, R) {
        R::add_roots([pair.0.0, pair.1.0], sums.into()).into()
    }
}

impl<R: LazyFloat> Addend<R> for Reciprocal<R> {
    const SCALE: R = R::ONE;

    #[inline(always)]
    fn value(self) -> R {
        GpuFloat::recip(self.0)
    }

    #[inline(always)]
    fn add_to(self, sum: R) -> R {
        let [sum] = R::add_reciprocals([self.0], [sum]);
        sum
    }

    #[inline(always)]
    fn add_both(pair: (Self, Self), sums: (R, R)) -> (R, R) {
        R::add_reciprocals([pair.0.0, pair.1.0], sums.into()).into()
    }
}

impl<R: LazyFloat> Addend<R> for Quotient<R> {
    const SCALE: R = R::ONE;

    #[inline(always)]
    fn value(self) -> R {
        self.numerator.divided_by(self.denominator)
    }

    #[inline(always)]
    fn add_to(self, sum: R) -> R {
        let [sum] = R::add_quotients([self.numerator], [self.denominator], [sum]);
        sum
    }

    #[inline(always)]
    fn add_both(pair: (Self, Self), sums: (R, R)) -> (R, R) {
        let (one, two) = pair;
        let numerators = [one.numerator, two.numerator];
        let denominators = [one.denominator, two.denominator];
        R::add_quotients(numerators, denominators, sums.into()).into()
    }
}

#[cfg(test)]
mod tests;
