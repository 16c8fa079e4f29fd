//! Errors in f64, over arguments of all sizes and over those where an error is large: beside the
//! ends of a reduced range, and where results are small differences.

use std::thread;

use cuda_std::{FloatExt, GpuFloat};
use dashu_float::ops::CubicRoot;

use super::exact::{Exact, Numbers, asked, exact, ulps};

/// Arguments between two bounds, or of any exponent: positive ones, or of either sign; or beside a
/// multiple of pi/2 up to 2^20, where a sine or cosine is as small as the argument's error.
enum From {
    Range(f64, f64),
    QuarterTurns,
    Positive,
    Anywhere,
}

use From::{Anywhere, Positive, QuarterTurns, Range};

/// The largest error over 400 arguments of each kind, or `FLOAT_ARGUMENTS`, is at most `bound` units
/// in the last place, and more than none at all. A core does a kind.
#[track_caller]
fn within(
    bound: f64,
    name: &str,
    function: fn(f64) -> f64,
    truth: impl Fn(&Exact) -> Exact + Sync,
    kinds: &[From],
) {
    let arguments = asked("FLOAT_ARGUMENTS", 400);
    let worst_of = |kind: &From| {
        let mut numbers = Numbers::new();
        let of = |_| {
            let x = match *kind {
                Range(low, high) => numbers.between(low, high),
                QuarterTurns => {
                    let turns = numbers.between(0.0, 19.3).exp2().round();
                    turns * core::f64::consts::FRAC_PI_2
                }
                Positive => numbers.anywhere().abs(),
                Anywhere => numbers.anywhere(),
            };
            (ulps(function(x), &truth(&exact(x))), x)
        };
        (0..arguments).map(of).max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let (error, x) = thread::scope(|scope| {
        let parts: Vec<_> = kinds
            .iter()
            .map(|kind| scope.spawn(|| worst_of(kind)))
            .collect();
        let worst = parts
            .into_iter()
            .filter_map(|part| part.join().expect("no panic"));
        worst
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .expect("some arguments")
    });
    println!("{name} of f64: {error:.3} ulp at {x:e}");
    assert!(error <= bound, "{name}({x:e}) is {error:.3} ulp away");
    assert!(
        error > 0.25,
        "{name} is nowhere more than {error:.3} ulp away"
    );
}

fn two_to(x: &Exact) -> Exact {
    exact(2.0).powf(x)
}

#[test]
fn exponentials_are_within_1_ulp() {
    let ranges = [
        Range(-1.0, 1.0),
        Range(-708.0, 709.7),
        Range(-745.0, -700.0),
    ];
    within(1.0, "exp", GpuFloat::exp, Exact::exp, &ranges);
    let ranges = [
        Range(-1.0, 1.0),
        Range(-1022.0, 1023.99),
        Range(-1074.0, -1020.0),
    ];
    within(1.0, "exp2", GpuFloat::exp2, two_to, &ranges);
    let ranges = [
        Range(-1.0, 1.0),
        Range(0.3465, 0.43),
        Range(-0.43, -0.3465),
        Range(-40.0, 60.0),
        Range(30.0, 709.7),
        Range(-1e-7, 1e-7),
    ];
    within(1.0, "exp_m1", GpuFloat::exp_m1, Exact::exp_m1, &ranges);
}

#[test]
fn logarithms_are_within_1_ulp() {
    let ranges = [
        Range(0.7, 1.5),
        Range(0.999, 1.001),
        Range(1.4, 3.0),
        Positive,
    ];
    within(1.0, "ln", GpuFloat::ln, Exact::ln, &ranges);
    within(1.0, "log2", GpuFloat::log2, Exact::log2, &ranges);
    within(1.0, "log10", GpuFloat::log10, Exact::log10, &ranges);
    let ranges = [
        Range(-0.3, 0.42),
        Range(-0.999_999, 4.0),
        Range(0.41, 0.45),
        Range(-1e-6, 1e-6),
        Range(1e15, 1e17),
        Positive,
    ];
    within(1.0, "ln_1p", GpuFloat::ln_1p, Exact::ln_1p, &ranges);
}

#[test]
fn the_cube_root_is_within_0_501_ulp() {
    let ranges = [Range(1.0, 8.0), Anywhere];
    within(0.501, "cbrt", GpuFloat::cbrt, Exact::cbrt, &ranges);
}

#[test]
fn hyperbolic_functions_are_within_1_or_1_2_ulp_and_their_inverses_within_2_or_3() {
    let ranges = [
        Range(-1.0, 1.0),
        Range(0.34, 1.1),
        Range(-40.0, 40.0),
        Range(-710.4, 710.4),
    ];
    within(1.0, "sinh", GpuFloat::sinh, Exact::sinh, &ranges);
    within(1.0, "cosh", GpuFloat::cosh, Exact::cosh, &ranges);
    let ranges = [
        Range(-1.0, 1.0),
        Range(0.9, 1.0),
        Range(0.34, 1.1),
        Range(-40.0, 40.0),
    ];
    within(1.2, "tanh", GpuFloat::tanh, Exact::tanh, &ranges);
    let ranges = [Range(-1.0, 1.0), Range(0.1, 4.0), Range(1e8, 1e9), Anywhere];
    within(2.0, "asinh", GpuFloat::asinh, Exact::asinh, &ranges);
    let ranges = [
        Range(1.0, 1.001),
        Range(1.0, 2.0),
        Range(1.0, 100.0),
        Range(1e8, 1e9),
    ];
    within(3.0, "acosh", GpuFloat::acosh, Exact::acosh, &ranges);
    let ranges = [Range(-0.01, 0.01), Range(-1.0, 1.0), Range(0.99, 1.0)];
    within(3.0, "atanh", GpuFloat::atanh, Exact::atanh, &ranges);
}

#[test]
fn arc_functions_are_within_1_ulp() {
    let ranges = [
        Range(-1.0, 1.0),
        Range(0.55, 0.6),
        Range(0.9, 2.1),
        Range(2.0, 3.0),
        Anywhere,
    ];
    within(1.0, "atan", GpuFloat::atan, Exact::atan, &ranges);
    let ranges = [Range(-1.0, 1.0), Range(0.99, 1.0)];
    within(1.0, "asin", GpuFloat::asin, Exact::asin, &ranges);
    within(1.0, "acos", GpuFloat::acos, Exact::acos, &ranges);
}

#[test]
fn sines_and_cosines_are_within_1_ulp_and_tangents_within_1_35() {
    let ranges = [
        Range(-1.0, 1.0),
        Range(-100.0, 100.0),
        Range(1e5, 1e8),
        QuarterTurns,
        Anywhere,
    ];
    within(1.0, "sin", GpuFloat::sin, Exact::sin, &ranges);
    within(1.0, "cos", GpuFloat::cos, Exact::cos, &ranges);
    within(1.35, "tan", GpuFloat::tan, Exact::tan, &ranges);
}

/// The largest that a search has found, each of which is more than 1 ulp away.
#[test]
fn the_largest_errors_known_are_within_1_45_ulp() {
    let (tan, tanh) = (-28_425.915_680_547_44, 0.997_302_466_061_462);
    let (y, x) = (1.607_219_077_470_196_4, 1.607_195_840_465_929_7);
    let (base, exponent) = (1.415_429_591_168_288, 1_439.704_285_956_551_5);
    let power = exact(base).powf(&exact(exponent));
    let errors = [
        (1.2, ulps(GpuFloat::powf(base, exponent), &power)),
        (1.45, ulps(GpuFloat::tan(tan), &exact(tan).tan())),
        (1.2, ulps(GpuFloat::tanh(tanh), &exact(tanh).tanh())),
        (
            1.25,
            ulps(GpuFloat::atan2(y, x), &exact(y).atan2(&exact(x))),
        ),
    ];
    let is_known = |(bound, error): &(f64, f64)| *error > 1.05 && error <= bound;
    assert!(errors.iter().all(is_known), "{errors:?}");
}

/// The error function by its sum of positive terms, with bits for a complement of 2^-220.
fn erf(x: &Exact, pi: &Exact) -> Exact {
    let wide = |x: Exact| x.with_precision(400).value();
    let x = wide(x.clone());
    let double_square = x.sqr() << 1;
    let (mut term, mut sum) = (x.clone(), x.clone());
    for n in 1.. {
        term = term * &double_square / wide(exact(f64::from(2 * n + 1)));
        sum += &term;
        if term.clone() << 420 < sum {
            break;
        }
    }
    (sum << 1) * (-x.sqr()).exp() / pi.sqrt()
}

/// The complement from 6 on, by its continued fraction.
fn far_complement(x: &Exact, pi: &Exact) -> Exact {
    let fraction = (1..200)
        .rev()
        .fold(x.clone(), |tail, k| x + (exact(f64::from(k)) >> 1) / tail);
    (-x.sqr()).exp() / fraction / pi.sqrt()
}

#[test]
fn error_functions_and_their_complements_are_within_1_ulp() {
    let pi = exact(1.0).with_precision(400).value().atan() << 2;
    let signed = |x: &Exact| match *x < Exact::ZERO {
        true => -erf(&-x.clone(), &pi),
        false => erf(x, &pi),
    };
    let ranges = [
        Range(-1.0, 1.0),
        Range(0.9, 1.1),
        Range(-1e-9, 1e-9),
        Range(1.0, 6.0),
    ];
    within(1.0, "erf", FloatExt::error_function, signed, &ranges);
    let complement = |x: &Exact| match *x < exact(6.0) {
        true => exact(1.0) - signed(x),
        false => far_complement(x, &pi),
    };
    let ranges = [
        Range(-2.0, 0.5),
        Range(0.4, 1.2),
        Range(1.0, 6.0),
        Range(6.0, 28.0),
    ];
    let erfc = FloatExt::complementary_error_function;
    within(1.0, "erfc", erfc, complement, &ranges);
    for (x, value) in [(f64::INFINITY, 0.0), (1e300, 0.0), (0.0, 1.0), (-40.0, 2.0)] {
        assert_eq!(erfc(x), value, "erfc({x})");
        assert_eq!(FloatExt::error_function(x), 1.0 - value, "erf({x})");
    }
    assert!(erfc(f64::NAN).is_nan() && FloatExt::error_function(f64::NAN).is_nan());
}

#[test]
fn sines_and_cosines_of_half_turns_are_within_1_ulp() {
    let pi = exact(1.0).atan() << 2;
    let ranges = [
        Range(-1.0, 1.0),
        Range(-100.0, 100.0),
        Range(0.99, 1.01),
        Range(-1e-9, 1e-9),
    ];
    let angle = |x: &Exact| x * &pi;
    within(1.0, "sinpi", FloatExt::sinpi, |x| angle(x).sin(), &ranges);
    within(1.0, "cospi", FloatExt::cospi, |x| angle(x).cos(), &ranges);
}

#[test]
fn powers_are_within_1_2_ulp_for_every_exponent_of_the_result() {
    let mut numbers = Numbers::new();
    let mut worst = (0.0, (0.0, 0.0));
    for i in 0..4000 {
        let x = match i % 4 {
            0 => numbers.between(0.9, 1.1),
            1 => numbers.between(0.5, 2.0),
            2 => numbers.between(1e-3, 1e3),
            _ => numbers.anywhere().abs(),
        };
        // The result is anywhere, subnormal numbers among it.
        let y = numbers.between(-1074.0, 1024.0) / x.log2();
        if !y.is_finite() || x == 0.0 {
            continue;
        }
        let error = ulps(GpuFloat::powf(x, y), &exact(x).powf(&exact(y)));
        if error > worst.0 {
            worst = (error, (x, y));
        }
    }
    let (error, (x, y)) = worst;
    assert!(error <= 1.2, "{x:e}^{y:e} is {error:.3} ulp away");
    assert!(error > 0.25);
}

#[test]
fn angles_are_within_1_25_ulp_for_points_of_any_size() {
    let mut numbers = Numbers::new();
    let mut worst = (0.0, (0.0, 0.0));
    for i in 0..4000 {
        let (y, x) = match i % 4 {
            0 => (numbers.between(-2.0, 2.0), numbers.between(-2.0, 2.0)),
            1 => (numbers.anywhere(), numbers.anywhere()),
            // Quotients just above 1, where errors are largest.
            2 => {
                let x = numbers.between(1.0, 2.0);
                (x * (1.0 + numbers.between(0.0, 2e-3)), x)
            }
            // Quotients of up to 3, of numbers of any size.
            _ => {
                let y = numbers.anywhere();
                (y, y * numbers.between(-3.0, 3.0))
            }
        };
        if !x.is_finite() || x == 0.0 {
            continue;
        }
        let error = ulps(GpuFloat::atan2(y, x), &exact(y).atan2(&exact(x)));
        if error > worst.0 {
            worst = (error, (y, x));
        }
    }
    let (error, (y, x)) = worst;
    assert!(error <= 1.25, "atan2({y:e}, {x:e}) is {error:.3} ulp away");
    assert!(error > 0.25);
}

#[test]
fn lengths_are_within_1_ulp_for_legs_of_any_size() {
    let mut numbers = Numbers::new();
    let mut worst = (0.0, (0.0, 0.0));
    for i in 0..4000 {
        let (x, y) = match i % 3 {
            0 => (numbers.between(-2.0, 2.0), numbers.between(-2.0, 2.0)),
            1 => (numbers.anywhere(), numbers.anywhere()),
            _ => {
                let x = numbers.anywhere();
                (x, x * numbers.between(-3.0, 3.0))
            }
        };
        if !y.is_finite() {
            continue;
        }
        let squares = exact(x).sqr() + exact(y).sqr();
        let error = ulps(GpuFloat::hypot(x, y), &squares.sqrt());
        if error > worst.0 {
            worst = (error, (x, y));
        }
    }
    let (error, (x, y)) = worst;
    assert!(error <= 1.0, "hypot({x:e}, {y:e}) is {error:.3} ulp away");
    assert!(error > 0.25);
}
