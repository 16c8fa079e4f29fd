//! What the functions of this folder share: polynomials, exact sums, powers of two, and a
//! reciprocal that has the same bits on the host and on the device. No function of its own lives
//! here.
//!
//! Everything is built from operations that IEEE 754 rounds correctly, and inlined: a function
//! that returns three scalars returns them through memory.

use super::GpuFloat;
#[cfg(target_os = "cuda")]
use super::approx;
use crate::device::instruction;

/// `a * b + c`, rounded once.
#[inline(always)]
pub(super) fn fma<T: GpuFloat>(a: T, b: T, c: T) -> T {
    GpuFloat::mul_add(a, b, c)
}

/// Operations that LLVM leaves alone. A product stays one: LLVM and ptxas may contract `a * b + c` to
/// one operation with one rounding, as they do by default: that would give other bits than the
/// host's, and take the ground from under what a product lost.
pub(super) trait Times: GpuFloat {
    /// `self * other`, rounded.
    ///
    /// PTX: `mul.rn`, which is never contracted.
    fn times(self, other: Self) -> Self;

    /// `self * factor + whole`, rounded down, where the product is not negative and `whole` the least
    /// number of which an ulp is 1: `whole` and the product's integer part. Anything for others.
    ///
    /// PTX: `fma.rm`.
    fn mul_add_down(self, factor: Self, whole: Self) -> Self;
}

macro_rules! times {
    ($($float:ident, $instruction:literal, $down:literal, $register:ident;)*) => {$(
        impl Times for $float {
            #[inline(always)]
            fn times(self, other: Self) -> Self {
                instruction!($instruction, $register Self, ($register self, $register other), self * other)
            }

            #[inline(always)]
            fn mul_add_down(self, factor: Self, whole: Self) -> Self {
                instruction!($down, $register Self, ($register self, $register factor, $register whole), {
                    // What the rounded product lost is less than 0 where it is an integer too high.
                    let (product, rest) = product_and_rest(self, factor);
                    let floor = GpuFloat::floor(product);
                    let is_above = floor == product && rest < 0.0;
                    whole + if is_above { floor - 1.0 } else { floor }
                })
            }
        }
    )*};
}

times! {
    f32, "mul.rn.f32", "fma.rm.f32", reg32;
    f64, "mul.rn.f64", "fma.rm.f64", reg64;
}

/// Numbers, those of f64 in the device's constant memory, from where an instruction takes an operand at no cost.
/// As numbers of the program's text they would be in registers, which are filled again after every
/// branch.
macro_rules! constants {
    // An instruction has room for one.
    (f32, $values:expr) => {
        &$values
    };
    ($float:ident, $values:expr) => {{
        const COUNT: usize = $values.len();
        #[cfg_attr(target_os = "cuda", unsafe(link_section = ".constant.loaded"))]
        static VALUES: [$float; COUNT] = $values;
        &VALUES
    }};
}
pub(super) use constants;

/// The numbers, loaded: one by one, since rustc puts the elements of an array that is copied whole
/// into the program's text.
#[inline(always)]
pub(super) fn loaded<T: Copy, const N: usize>(constants: &[T; N]) -> [T; N] {
    core::array::from_fn(|i| constants[i])
}

/// [`polynomial`] of coefficients in constant memory.
#[inline(always)]
pub(super) fn series<T: GpuFloat, const N: usize>(z: T, coefficients: &[T; N]) -> T {
    polynomial(z, loaded(coefficients))
}

/// `coefficients[0] + coefficients[1] * z + ...`, one `fma` a coefficient.
#[inline(always)]
pub(super) fn polynomial<T: GpuFloat, const N: usize>(z: T, coefficients: [T; N]) -> T {
    let mut sum = coefficients[N - 1];
    let mut i = N - 1;
    while i > 0 {
        i -= 1;
        sum = fma(sum, z, coefficients[i]);
    }
    sum
}

/// `big + small` as a rounded sum and what that lost, where `big` is 0 or has no lesser exponent
/// (Dekker 1971).
#[inline(always)]
pub(super) fn sum_and_rest<T>(big: T, small: T) -> (T, T)
where
    T: GpuFloat + core::ops::Add<Output = T> + core::ops::Sub<Output = T>,
{
    let sum = big + small;
    (sum, (big - sum) + small)
}

/// `a * b` as a rounded product and what that lost.
#[inline(always)]
pub(super) fn product_and_rest<T>(a: T, b: T) -> (T, T)
where
    T: Times + core::ops::Neg<Output = T>,
{
    let product = a.times(b);
    (product, fma(a, b, -product))
}

/// `2^n`, for `n` from -1022 to 1023; anything for others.
#[inline(always)]
pub(super) fn power_of_two(n: i32) -> f64 {
    f64::from_bits((n.wrapping_add(1023) as u64) << 52)
}

/// `2^n`, for `n` from -126 to 127; anything for others.
#[inline(always)]
pub(super) fn power_of_two_f32(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

/// The sign, the exponent and twenty bits of the fraction.
#[inline(always)]
pub(super) fn upper(x: f64) -> u32 {
    (x.to_bits() >> 32) as u32
}

/// Whether `x` is positive, normal and finite; in integers, beside the floating-point units.
#[inline(always)]
pub(super) fn is_ordinary(x: f64) -> bool {
    upper(x).wrapping_sub(0x0010_0000) < 0x7fe0_0000
}

/// Whether `x` is positive, normal and finite.
#[inline(always)]
pub(super) fn is_ordinary_f32(x: f32) -> bool {
    x.to_bits().wrapping_sub(0x0080_0000) < 0x7f00_0000
}

/// `1 / d`, rounded correctly, where both are normal; anything for other `d`, and not the same on
/// the host.
///
/// The device's approximation is within 1 ulp and its error an f32, so that one step of Newton's
/// method ends at the rounded reciprocal, but for a fraction of ones alone (Markstein 1990; all
/// fractions from all starts were tried), for which the approximation is the rounded reciprocal:
/// `rcp.rn.f32` itself is these instructions, behind a test of the exponent.
#[inline(always)]
pub(super) fn recip_normal_f32(d: f32) -> f32 {
    #[cfg(target_os = "cuda")]
    {
        let start = approx::rcp_approx_ftz_f32(d);
        fma(start, fma(-d, start, 1.0), start)
    }
    #[cfg(not(target_os = "cuda"))]
    {
        1.0 / d
    }
}

/// `sqrt(x)`, rounded correctly, for `x` from 2^-101 on; 0 of 0, NaN below, anything for others, and
/// not the same on the host.
///
/// `sqrt.rn.f32` itself is these instructions on every device from sm_75 to sm_120, behind a test of
/// the exponent (ptxas 13.0).
#[inline(always)]
pub(super) fn sqrt_normal_f32(x: f32) -> f32 {
    #[cfg(target_os = "cuda")]
    {
        // Of 0 the approximation is infinite.
        let start = approx::rsqrt_approx_ftz_f32(x + 1.0e-30);
        let root = x * start;
        fma(fma(-root, root, x), 0.5 * start, root)
    }
    #[cfg(not(target_os = "cuda"))]
    {
        GpuFloat::sqrt(x)
    }
}

/// About `1 / (2 d)` for `d` up to 1, within 13 percent; finite of 0. The exponent and the fraction
/// are subtracted as one integer.
#[inline(always)]
pub(super) fn half_over_f32(d: f32) -> f32 {
    f32::from_bits(0x7e73_11c7_u32.wrapping_sub(d.to_bits()))
}

/// The same.
#[inline(always)]
pub(super) fn half_over(d: f64) -> f64 {
    f64::from_bits(0x7fce_6238_0000_0000_u64.wrapping_sub(d.to_bits()))
}

/// About `1 / d`, for `d` from 2^-125 to 2^125: within 2^-22 relative, and 1 less `d` times it.
#[inline(always)]
pub(super) fn recip_start(d: f64) -> (f64, f64) {
    let start = f64::from(recip_normal_f32(d as f32));
    (start, fma(-d, start, 1.0))
}

/// `1 / d` within 0.501 ulp, for `d` from 2^-125 to 2^125.
#[inline(always)]
pub(super) fn recip_normal(d: f64) -> f64 {
    let (start, error) = recip_start(d);
    fma(start, fma(error, error, error), start)
}

#[cfg(test)]
mod tests {
    use super::{power_of_two, product_and_rest, sum_and_rest};

    #[test]
    fn sums_and_products_lose_nothing() {
        let (a, b) = (1.0 + power_of_two(-52), power_of_two(-60));
        assert_eq!(sum_and_rest(a, b), (a, b));
        let (product, rest) = product_and_rest(a, a);
        assert_eq!(
            (product, rest),
            (1.0 + power_of_two(-51), power_of_two(-104))
        );
    }

    /// A start within 1 ulp, whichever it is, becomes the rounded reciprocal.
    #[test]
    fn one_step_from_any_start_ends_at_the_rounded_reciprocal() {
        for fraction in (0..1 << 23).step_by(2 * 37) {
            let d = f32::from_bits(0x3f80_0000 | fraction);
            let exact = 1.0 / d;
            for start in [exact.next_down(), exact, exact.next_up()] {
                if (f64::from(start) * f64::from(d) - 1.0).abs() > 2f64.powi(-24) * 2.0 {
                    continue;
                }
                let step = start.mul_add((-d).mul_add(start, 1.0), start);
                assert_eq!(step, exact, "1 / {d} from {start}");
            }
        }
    }
}
