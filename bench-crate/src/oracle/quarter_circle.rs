//! The trapezoid rule on `f(x) = sqrt(1 - x^2)`, 0..1, four times of which is pi.
//!
//! Two forms, both published in 2010:
//! - [`plain`]: one loop over the inner points i = 1 .. n-1, to which half of the
//!   term of x = 0 is added (the term of x = 1 is 0); the table `accuracy`.
//! - [`partials`]: one sub-range of strips a thread with its left end included,
//!   one partial sum each; the sums are added in order and half of the term of
//!   x = 0 is taken off; the tables `sweep-f32` and `sweep-f64`.
//!
//! Every term is divided by n before it is added, as published.
//!
//! The published `f32` and `f64` add each term to a running sum. The ways beyond
//! the page (`f32-kahan`, `f32-pairwise`, `f32-double-float`) evaluate everything
//! in f32, as a device without f64 would, and add as `summation` says; partial sums
//! are added in the same manner.
//!
//! The published `f32` values come out digit for digit when the integrand is
//! evaluated in f64, rounded to f32 and summed in f32. For `accuracy` the excess
//! precision of the x87 unit of that time explains it; the sweep's GPU had no
//! f64, and why the same model fits there is not established.

use serde::{Deserialize, Serialize};

use super::summation::{DoubleFloat, Kahan, Pairwise, Plain, Summation, in_order};

/// How the integrand is evaluated and how it is summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Precision {
    /// Everything in f64.
    #[serde(rename = "f64")]
    F64,
    /// The integrand in f64, rounded to f32; divided and summed in f32. The
    /// published `f32`.
    #[serde(rename = "f32")]
    F32,
    /// Everything in f32.
    #[serde(rename = "f32-pure")]
    F32Pure,
    /// Everything in f32, summed by Kahan's compensated summation.
    #[serde(rename = "f32-kahan")]
    F32Kahan,
    /// Everything in f32, summed in pairs.
    #[serde(rename = "f32-pairwise")]
    F32Pairwise,
    /// Everything in f32, summed in two f32 whose sum is the running sum.
    #[serde(rename = "f32-double-float")]
    F32DoubleFloat,
}

impl std::fmt::Display for Precision {
    /// As serde has it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

/// The partial sums of the sub-ranges, in the type that they are summed in.
#[derive(Clone, Debug, PartialEq)]
pub enum Partials {
    /// Of [`Precision::F64`].
    F64(Vec<f64>),
    /// Of [`Precision::F32`] and [`Precision::F32Pure`].
    F32(Vec<f32>),
    /// Of [`Precision::F32Kahan`].
    F32Kahan(Vec<f32>),
    /// Of [`Precision::F32Pairwise`].
    F32Pairwise(Vec<f32>),
    /// Of [`Precision::F32DoubleFloat`]: the higher part, then the lower one.
    F32DoubleFloat(Vec<[f32; 2]>),
}

impl Partials {
    /// The partial sums added in order, in the manner in which they were summed.
    pub fn sum(&self) -> f64 {
        match self {
            Partials::F64(sums) => sums.iter().fold(0.0, |total, x| total + x),
            Partials::F32(sums) => f64::from(in_order::<Plain>(sums)),
            Partials::F32Kahan(sums) => f64::from(in_order::<Kahan>(sums)),
            Partials::F32Pairwise(sums) => f64::from(in_order::<Pairwise>(sums)),
            Partials::F32DoubleFloat(sums) => both(in_order::<DoubleFloat>(sums)),
        }
    }
}

/// The value of two f32.
fn both([high, low]: [f32; 2]) -> f64 {
    f64::from(high) + f64::from(low)
}

/// The height of strip `i` of `n`, divided by `n`: in f64.
#[inline(always)]
fn term_f64(i: i64, n: i64) -> f64 {
    let x = i as f64 / n as f64;
    (1.0 - x * x).sqrt() / n as f64
}

/// The same, the height rounded to f32 before it is divided.
#[inline(always)]
fn term_f32(i: i64, n: i64) -> f32 {
    let x = i as f64 / n as f64;
    (1.0 - x * x).sqrt() as f32 / n as f32
}

/// The same, all in f32.
#[inline(always)]
fn term_f32_pure(i: i64, n: i64) -> f32 {
    let x = i as f32 / n as f32;
    (1.0 - x * x).sqrt() / n as f32
}

/// The terms of `first .. end`, added from left to right.
#[inline(always)]
fn sum_f64(first: i64, end: i64, n: i64) -> f64 {
    (first..end).fold(0.0, |sum, i| sum + term_f64(i, n))
}

/// The terms of `first .. end` in the manner of `S`.
#[inline(always)]
fn sum_f32<S: Summation>(term: impl Fn(i64, i64) -> f32, first: i64, end: i64, n: i64) -> S {
    let mut sum = S::default();
    for i in first..end {
        sum.add(term(i, n));
    }
    sum
}

/// The single loop: the inner points, and half of the term of x = 0.
fn loop_f32<S: Summation>(term: impl Fn(i64, i64) -> f32, n: i64) -> S::Partial {
    let mut sum: S = sum_f32(term, 1, n, n);
    sum.add(0.5_f32 / n as f32);
    sum.partial()
}

fn parts_of<T>(n: i64, parts: i64, sum: impl Fn(i64, i64) -> T) -> Vec<T> {
    let count = n / parts;
    (0..parts)
        .map(|part| sum(part * count, (part + 1) * count))
        .collect()
}

fn parts_f32<S: Summation>(term: impl Fn(i64, i64) -> f32, n: i64, parts: i64) -> Vec<S::Partial> {
    parts_of(n, parts, |first, end| {
        sum_f32::<S>(&term, first, end, n).partial()
    })
}

/// The page's single loop: pi from `strips` strips, rounded to the precision's
/// sum. `strips` is at least 1; one pass of `strips` square roots.
pub fn plain(precision: Precision, strips: u64) -> f64 {
    let n = strips as i64;
    let sum = match precision {
        Precision::F64 => sum_f64(1, n, n) + 0.5 / n as f64,
        Precision::F32 => f64::from(loop_f32::<Plain>(term_f32, n)),
        Precision::F32Pure => f64::from(loop_f32::<Plain>(term_f32_pure, n)),
        Precision::F32Kahan => f64::from(loop_f32::<Kahan>(term_f32_pure, n)),
        Precision::F32Pairwise => f64::from(loop_f32::<Pairwise>(term_f32_pure, n)),
        Precision::F32DoubleFloat => both(loop_f32::<DoubleFloat>(term_f32_pure, n)),
    };
    // Exact in either type.
    sum * 4.0
}

/// The page's host loop over the ranges of `parts` threads: `parts` partial sums
/// of `strips / parts` strips each. Strips that `parts` does not divide are
/// dropped by the integer division, as published; callers refuse such sizes.
pub fn partials(precision: Precision, strips: u64, parts: u64) -> Partials {
    let (n, parts) = (strips as i64, parts as i64);
    match precision {
        Precision::F64 => Partials::F64(parts_of(n, parts, |first, end| sum_f64(first, end, n))),
        Precision::F32 => Partials::F32(parts_f32::<Plain>(term_f32, n, parts)),
        Precision::F32Pure => Partials::F32(parts_f32::<Plain>(term_f32_pure, n, parts)),
        Precision::F32Kahan => Partials::F32Kahan(parts_f32::<Kahan>(term_f32_pure, n, parts)),
        Precision::F32Pairwise => {
            Partials::F32Pairwise(parts_f32::<Pairwise>(term_f32_pure, n, parts))
        }
        Precision::F32DoubleFloat => {
            Partials::F32DoubleFloat(parts_f32::<DoubleFloat>(term_f32_pure, n, parts))
        }
    }
}

/// Pi from the total of the partial sums: half of the term of x = 0 taken off,
/// times four, in the type that the partial sums have; f64 holds both halves of a
/// double-float sum.
pub fn pi(precision: Precision, total: f64, strips: u64) -> f64 {
    match precision {
        Precision::F64 | Precision::F32DoubleFloat => (total - 0.5 / strips as f64) * 4.0,
        Precision::F32 | Precision::F32Pure | Precision::F32Kahan | Precision::F32Pairwise => {
            f64::from((total as f32 - 0.5_f32 / strips as f32) * 4.0)
        }
    }
}

/// Pi by the formula of the page's f32 program, slip included.
///
/// There `STRIPS` is the macro `65536*256` without parentheses, so that its
/// `0.5/(float)STRIPS` is (0.5 / 65536) * 256: 2^-9 and not 2^-25, and the value
/// printed is 2^-7 too small. A number of strips that is not a multiple of 65536
/// is not written as such a product, and has no slip.
pub fn pi_as_published_f32(total: f64, strips: u64) -> f64 {
    const FACTOR: u64 = 65536;
    let correction = if strips.is_multiple_of(FACTOR) {
        0.5_f32 / FACTOR as f32 * (strips / FACTOR) as f32
    } else {
        0.5_f32 / strips as f32
    };
    f64::from((total as f32 - correction) * 4.0)
}

/// The trapezoid rule's own error on four times this integrand, which has a
/// square-root end point: 4 sqrt(2) zeta(-1/2) n^-1.5 + ..., its first three terms.
/// The remainder is of the order of n^-4.5.
pub fn rule_error(strips: u64) -> f64 {
    let n = strips as f64;
    -1.175_982_075_174_077_2 * n.powf(-1.5) + 0.036_041_518_152_418_3 * n.powf(-2.5)
        - 0.001_505_594_5 * n.powf(-3.5)
}

/// What [`plain`] and the sweeps tend to in exact arithmetic: pi and the rule's
/// error.
pub fn trapezoid_limit(strips: u64) -> f64 {
    std::f64::consts::PI + rule_error(strips)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STRIPS: u64 = 65536 * 256;

    #[test]
    fn f64_follows_the_asymptotic_error_of_the_rule() {
        for strips in [16, 1000, 65536, 196608, 1 << 20] {
            let got = plain(Precision::F64, strips);
            let want = trapezoid_limit(strips);
            // The sum of n positive terms below 1: n ulps at worst, sqrt(n) as a rule.
            let rounding = 8.0 * f64::EPSILON * (strips as f64).sqrt();
            let remainder = (strips as f64).powf(-4.5);
            assert!(
                (got - want).abs() < rounding + remainder,
                "{strips}: {got} {want}"
            );
        }
    }

    #[test]
    fn one_thread_in_f32_gives_twice_the_root_of_three() {
        // Past x = 0.5 the sum's ulp is one term: every term above a half counts
        // as one and every term below as none.
        let total = partials(Precision::F32, STRIPS, 1).sum();
        assert_eq!(
            format!("{:.6}", pi(Precision::F32, total, STRIPS)),
            "3.464102"
        );
        assert_eq!(format!("{:.6}", 2.0 * 3.0_f64.sqrt()), "3.464102");
    }

    #[test]
    fn what_a_summation_can_hold_decides_its_digits() {
        let error = |precision| plain(precision, STRIPS) - std::f64::consts::PI;
        // The f32 next to pi is off by 8.74e-8: no sum that ends in one is nearer.
        let best = f64::from(std::f32::consts::PI) - std::f64::consts::PI;
        assert_eq!(error(Precision::F32Kahan), best);
        assert_eq!(error(Precision::F32Pairwise), best);
        // The f32 integrand's own rounding is what two f32 leave.
        let rest = error(Precision::F32DoubleFloat);
        assert_eq!(format!("{rest:.1e}"), "-7.8e-10");
        // And the plain sum ends at 2 sqrt(3), at that of two units more or less.
        let plain = error(Precision::F32Pure) - (2.0 * 3.0_f64.sqrt() - std::f64::consts::PI);
        assert!(plain.abs() < 2.0_f64.powi(-21), "{plain}");
    }

    #[test]
    fn the_slip_of_the_page_is_two_to_the_minus_seven() {
        let total = partials(Precision::F32, STRIPS, 64).sum();
        let slip = pi(Precision::F32, total, STRIPS) - pi_as_published_f32(total, STRIPS);
        assert!(
            (slip - 2.0_f64.powi(-7)).abs() < 2.0_f64.powi(-21),
            "{slip}"
        );
        assert_eq!(
            pi(Precision::F32, 0.785, 1000),
            pi_as_published_f32(0.785, 1000)
        );
    }

    #[test]
    fn every_way_to_divide_the_strips_gives_the_same_twelve_digits_in_f64() {
        for parts in [1, 64, 16384, 1 << 20] {
            let total = partials(Precision::F64, STRIPS, parts).sum();
            assert_eq!(
                format!("{:.12}", pi(Precision::F64, total, STRIPS)),
                "3.141592653573",
                "{parts} parts"
            );
        }
    }

    #[test]
    fn sizes_that_are_no_power_of_two_lose_no_strip() {
        let total = partials(Precision::F64, 196608, 96).sum();
        let got = pi(Precision::F64, total, 196608);
        assert!((got - trapezoid_limit(196608)).abs() < 1e-13, "{got}");
    }
}
