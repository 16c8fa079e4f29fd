//! Errors of terms from every start that a device's approximation may give, and what sums make of
//! terms.

use super::super::arithmetic::product_and_rest;
use super::{
    Addend, GpuFloat, LazyFloat, quotient_from, reciprocal_factors, root_factors, root_from,
};

/// What the device's approximations may be off, relatively.
const START: f64 = 1.022_338e-6; // 2^-19.9

/// Arguments over many exponents, each with starts over the whole interval that
/// `2^-19.9` allows, with all bits and with the upper word alone.
fn with_starts(exact: fn(f64) -> f64, mut check: impl FnMut(f64, f64)) {
    let mut bits = 0x2545_f491_4f6c_dd1d_u64;
    for i in 0..20_000 {
        bits = bits
            .wrapping_mul(0x5851_f42d_4c95_7f2d)
            .wrapping_add(0x1405_7b7e_f767_814f);
        let exponent = 1023 - 300 + i % 600;
        let x = f64::from_bits((bits >> 12) | (exponent << 52));
        for step in -8..=8 {
            let start = exact(x) * (1.0 + START * f64::from(step) / 8.0);
            check(x, start);
            let upper = f64::from_bits(start.to_bits() & !0 << 32);
            if (upper / exact(x) - 1.0).abs() <= START {
                check(x, upper);
            }
        }
    }
}

/// `|(high + low) * factor - 1|`, where that is small.
fn error(high: f64, low: f64, factor: f64) -> f64 {
    (GpuFloat::mul_add(high, factor, -1.0) + low * factor).abs()
}

#[test]
fn a_root_in_a_sum_is_within_2_to_the_minus_52_point_3_from_every_start() {
    let (mut worst, mut sum, mut count) = (0.0f64, 0.0, 0.0);
    with_starts(
        |x| 1.0 / x.sqrt(),
        |x, start| {
            let ([p], [q]) = root_factors([x], [start]);
            // The term before it is rounded: root = K p q.
            let (product, low) = product_and_rest(p, q);
            let (high, rest) = product_and_rest(product, super::Root::<f64>::SCALE);
            let low = rest + low * super::Root::<f64>::SCALE;
            // root^2 - x = (root - sqrt x) 2 sqrt x, nearly.
            let square = GpuFloat::mul_add(high, high, -x) + 2.0 * high * low;
            let error = 0.5 * square / x;
            worst = worst.max(error.abs());
            sum += error;
            count += 1.0;
        },
    );
    assert!(worst <= 2f64.powf(-52.3), "2^{}", worst.log2());
    assert!(worst > 2f64.powi(-54));
    assert!((sum / count).abs() <= 2f64.powi(-60), "{:e}", sum / count);
}

#[test]
fn a_reciprocal_or_quotient_in_a_sum_keeps_its_bound_from_every_start() {
    let (mut reciprocal, mut quotient) = (0.0f64, 0.0f64);
    with_starts(
        |d| 1.0 / d,
        |d, start| {
            let [q] = reciprocal_factors([d], [start]);
            let (high, low) = product_and_rest(start, q);
            reciprocal = reciprocal.max(error(high, low, d));
            // 5/3 of a number of all bits: nothing is exact by chance.
            let numerator = 5.0 / 3.0 * d;
            let (high, low) = product_and_rest(numerator * start, q);
            let rest = GpuFloat::mul_add(high, d, -numerator) + low * d;
            quotient = quotient.max((rest / numerator).abs());
        },
    );
    assert!(reciprocal <= 2f64.powf(-52.3), "2^{}", reciprocal.log2());
    assert!(quotient <= 2f64.powf(-51.6), "2^{}", quotient.log2());
    assert!(reciprocal > 2f64.powi(-54) && quotient > 2f64.powi(-54));
}

#[test]
fn roots_and_quotients_at_once_are_within_1_and_1_and_a_half_ulp_from_every_start() {
    let ulp = |x: f64| x.abs().next_up() - x.abs();
    let (mut root, mut quotient) = (0.0f64, 0.0f64);
    with_starts(
        |x| 1.0 / x.sqrt(),
        |x, start| {
            let value = root_from(x, start);
            let error = 0.5 * GpuFloat::mul_add(value, value, -x) / value;
            root = root.max(error.abs() / ulp(x.sqrt()));
        },
    );
    with_starts(
        |d| 1.0 / d,
        |d, start| {
            let numerator = 5.0 / 3.0 * d;
            for numerator in [numerator, 1.0, d.next_down()] {
                let value = quotient_from(numerator, d, start);
                let error = GpuFloat::mul_add(value, d, -numerator) / d;
                quotient = quotient.max(error.abs() / ulp(numerator / d));
            }
        },
    );
    assert!(root > 0.4 && root <= 1.0, "{root}");
    assert!(quotient > 0.4 && quotient <= 1.51, "{quotient}");
}

#[test]
fn values_are_ieee_754s_everywhere() {
    assert_eq!(0.0f64.root().value(), 0.0);
    assert_eq!(2.0f64.root().value(), core::f64::consts::SQRT_2);
    assert_eq!(f64::INFINITY.root().value(), f64::INFINITY);
    assert!((-1.0f32).root().value().is_nan());
    assert_eq!(0.0f32.reciprocal().value(), f32::INFINITY);
    assert_eq!(1.0f64.over(3.0).value(), 1.0 / 3.0);
    assert_eq!(2.5f32.value(), 2.5);
}

/// A sum in either precision, of an integrand that is written once.
fn sum<R: LazyFloat, A: Addend<R>>(terms: [A; 4], zero: R) -> R {
    terms.into_iter().fold(zero, |sum, term| term.add_to(sum)) * A::SCALE
}

#[test]
fn sums_of_terms_are_sums_of_values() {
    let near = |a: f64, b: f64, bound: f64| assert!((a / b - 1.0).abs() < bound, "{a} is not {b}");
    let exact = 1.0 + 2.0 + 3.0 + 4.0;
    near(
        sum([1.0f64, 4.0, 9.0, 16.0].map(LazyFloat::root), 0.0),
        exact,
        1e-15,
    );
    near(
        sum([1.0f32, 4.0, 9.0, 16.0].map(LazyFloat::root), 0.0).into(),
        exact,
        1e-6,
    );
    near(
        sum([1.0f64, 0.5, 0.25, 0.125].map(LazyFloat::reciprocal), 0.0),
        15.0,
        1e-15,
    );
    near(
        sum([1.0f32, 0.5, 0.25, 0.125].map(|d| 3.0f32.over(d)), 0.0).into(),
        45.0,
        1e-6,
    );
    near(
        sum([1.0f64, 0.5, 0.25, 0.125].map(|d| 3.0f64.over(d)), 0.0),
        45.0,
        1e-15,
    );
    assert_eq!(sum([1.0f64, 2.0, 3.0, 4.0], 0.0), exact);
}

#[test]
fn two_at_once_are_added_as_one_by_one() {
    let (one, two) = (0.3f64.root(), 0.7f64.root());
    let sums = Addend::add_both((one, two), (1.0, 2.0));
    assert_eq!(sums, (one.add_to(1.0), two.add_to(2.0)));
    let (one, two) = (0.3f32.reciprocal(), 0.7f32.reciprocal());
    let sums = Addend::add_both((one, two), (1.0, 2.0));
    assert_eq!(sums, (one.add_to(1.0), two.add_to(2.0)));
    let (one, two) = (0.3f64.over(0.9), 0.7f64.over(1.1));
    let sums = Addend::add_both((one, two), (1.0, 2.0));
    assert_eq!(sums, (one.add_to(1.0), two.add_to(2.0)));
    assert_eq!(Addend::add_both((0.5f64, 0.25), (1.0, 2.0)), (1.5, 2.25));
}
