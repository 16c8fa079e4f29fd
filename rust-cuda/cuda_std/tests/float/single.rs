//! Errors in f32, against the host's own functions of f64, which are exact in comparison: over
//! arguments spread over all bit patterns.

use std::thread;

use cuda_std::float::{LazyFloat, fast};
use cuda_std::{FloatExt, GpuFloat};

use super::exact::{Numbers, asked};

/// How many units in the last place of the f32 at `truth` lie between that and `value`; 0 where
/// both are NaN, or infinite, or `truth` rounds to infinity.
fn ulps(value: f32, truth: f64) -> f64 {
    let near = truth as f32;
    if value.is_nan() && truth.is_nan() || value == near && near.is_infinite() {
        return 0.0;
    }
    let exponent = ((near.to_bits() >> 23) & 0xff).max(1) as i32 - 150;
    let error = (f64::from(value) - truth).abs() / 2f64.powi(exponent);
    if error.is_nan() { f64::INFINITY } else { error }
}

/// Of every so many patterns of bits, on all cores; of all of them where `FLOAT_STEP` is 1.
#[track_caller]
fn within(bound: f64, name: &str, function: fn(f32) -> f32, truth: fn(f64) -> f64) {
    // A prime step, and so all exponents.
    let step = asked("FLOAT_STEP", 40_009);
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let worst_from = |first: usize| {
        let of = |bits: u64| {
            let x = f32::from_bits(bits as u32);
            (ulps(function(x), truth(f64::from(x))), x)
        };
        let bits = (first as u64 * step..1 << 32).step_by(step as usize * cores);
        bits.map(of).max_by(|a, b| a.0.total_cmp(&b.0))
    };
    let (error, x) = thread::scope(|scope| {
        let parts: Vec<_> = (0..cores)
            .map(|first| scope.spawn(move || worst_from(first)))
            .collect();
        let worst = parts
            .into_iter()
            .filter_map(|part| part.join().expect("no panic"));
        worst.max_by(|a, b| a.0.total_cmp(&b.0)).expect("some bits")
    });
    println!("{name} of f32: {error:.3} ulp at {x:e}");
    assert!(error <= bound, "{name}({x:e}) is {error:.3} ulp away");
    assert!(
        error > 0.25,
        "{name} is nowhere more than {error:.3} ulp away"
    );
}

#[test]
fn exponentials_and_logarithms_of_f32_are_within_1_ulp() {
    within(1.0, "exp", GpuFloat::exp, f64::exp);
    within(1.0, "exp2", GpuFloat::exp2, f64::exp2);
    within(1.0, "exp_m1", GpuFloat::exp_m1, f64::exp_m1);
    within(1.0, "ln", GpuFloat::ln, f64::ln);
    within(1.0, "log2", GpuFloat::log2, f64::log2);
    within(1.0, "log10", GpuFloat::log10, f64::log10);
    within(1.0, "ln_1p", GpuFloat::ln_1p, f64::ln_1p);
}

#[test]
fn roots_and_trigonometry_of_f32_are_within_1_ulp_and_tangents_within_1_3() {
    within(0.9, "cbrt", GpuFloat::cbrt, f64::cbrt);
    within(1.25, "atan", GpuFloat::atan, f64::atan);
    within(1.0, "asin", GpuFloat::asin, f64::asin);
    within(1.0, "acos", GpuFloat::acos, f64::acos);
    within(1.0, "sin", GpuFloat::sin, f64::sin);
    within(1.0, "cos", GpuFloat::cos, f64::cos);
    within(1.0, "sin of both", |x| GpuFloat::sin_cos(x).0, f64::sin);
    within(1.0, "cos of both", |x| GpuFloat::sin_cos(x).1, f64::cos);
    within(1.3, "tan", GpuFloat::tan, f64::tan);
}

#[test]
fn hyperbolic_functions_of_f32_are_within_1_ulp_and_their_inverses_within_2_or_3() {
    within(1.0, "sinh", GpuFloat::sinh, f64::sinh);
    within(1.0, "cosh", GpuFloat::cosh, f64::cosh);
    within(1.0, "tanh", GpuFloat::tanh, f64::tanh);
    within(2.0, "asinh", GpuFloat::asinh, f64::asinh);
    within(3.0, "acosh", GpuFloat::acosh, f64::acosh);
    within(3.0, "atanh", GpuFloat::atanh, f64::atanh);
}

/// The sine of `x` half turns, of a whole circle less and mirrored at its quarters.
fn half_turns(x: f64) -> f64 {
    let rest = x - 2.0 * (0.5 * x).round();
    let mirrored = if rest.abs() > 0.5 {
        1.0 - rest.abs()
    } else {
        rest.abs()
    };
    (std::f64::consts::PI * mirrored.copysign(rest)).sin()
}

/// An argument, or 0 in place of one whose sine of half turns is below 2^-125.
fn large(x: f64) -> f64 {
    if half_turns(x).abs() < 2f64.powi(-125) {
        0.0
    } else {
        x
    }
}

#[test]
fn half_turns_and_error_functions_of_f32_are_within_1_ulp() {
    within(1.2, "sinpi", FloatExt::sinpi, half_turns);
    let of_large = |x: f32| FloatExt::sinpi(large(x.into()) as f32);
    within(1.0, "sinpi of more", of_large, |x| half_turns(large(x)));
    within(1.0, "cospi", FloatExt::cospi, |x| half_turns(x % 2.0 + 0.5));
    within(1.0, "erf", FloatExt::error_function, libm::erf);
    within(
        1.0,
        "erfc",
        FloatExt::complementary_error_function,
        libm::erfc,
    );
}

#[test]
fn powers_and_lengths_of_f32_are_within_1_ulp_and_angles_within_1_2() {
    let mut numbers = Numbers::new();
    let (mut power, mut angle, mut length) = (0.0f64, 0.0f64, 0.0f64);
    for _ in 0..100_000 {
        let x = f32::from_bits(numbers.bits() as u32 >> 1);
        let exponent = numbers.between(-150.0, 129.0);
        let y = (exponent / f64::from(x).log2()) as f32;
        if x.is_finite() && y.is_finite() {
            let truth = f64::from(x).powf(f64::from(y));
            power = power.max(ulps(GpuFloat::powf(x, y), truth));
        }
        let (y, x) = (f32::from_bits(numbers.bits() as u32), x * exponent as f32);
        if !y.is_nan() && !x.is_nan() {
            let truth = f64::from(y).atan2(f64::from(x));
            angle = angle.max(ulps(GpuFloat::atan2(y, x), truth));
            // Quotients about 1, where errors are largest.
            let x = numbers.between(1.0, 2.0) as f32;
            let y = x * (1.0 + numbers.between(-2e-3, 2e-3) as f32);
            let truth = f64::from(y).atan2(f64::from(x));
            angle = angle.max(ulps(GpuFloat::atan2(y, x), truth));
            let truth = f64::from(y).hypot(f64::from(x));
            length = length.max(ulps(GpuFloat::hypot(y, x), truth));
        }
    }
    assert!(
        power > 0.25 && power <= 1.0,
        "powers are {power:.3} ulp away"
    );
    assert!(
        angle > 0.25 && angle <= 1.2,
        "angles are {angle:.3} ulp away"
    );
    assert!(
        length > 0.25 && length <= 1.0,
        "lengths are {length:.3} ulp away"
    );
}

/// The largest that a search has found, each of which is more than 1 ulp away.
#[test]
fn the_largest_errors_known_of_f32_are_within_1_3_ulp() {
    let angle = f32::from_bits(0x45ed_f397);
    let tangent = ulps(GpuFloat::tan(angle), f64::from(angle).tan());
    assert!(tangent > 1.2 && tangent <= 1.3, "{tangent:.3}");
    let x = f32::from_bits(0x3f80_faaf);
    let arc = ulps(GpuFloat::atan(x), f64::from(x).atan());
    assert!(arc > 1.2 && arc <= 1.25, "{arc:.3}");
    let (y, x) = (1.868_687_2f32, 1.869_261_9f32);
    let angle = ulps(GpuFloat::atan2(y, x), f64::from(y).atan2(f64::from(x)));
    assert!(angle > 1.1 && angle <= 1.2, "{angle:.3}");
}

#[test]
fn the_fast_exponential_ends_where_it_says() {
    assert_eq!(fast::exp(88.75), f32::INFINITY);
    assert_eq!(fast::exp(1_048_576.0), f32::INFINITY);
    assert_eq!(fast::exp(-1_048_576.0), 0.0);
    assert!(fast::exp(f32::NAN).is_nan());
}

#[test]
fn fast_forms_of_f32_are_within_their_bounds() {
    let mut numbers = Numbers::new();
    for _ in 0..100_000 {
        let (p, d) = (
            numbers.between(1.0, 4.0) as f32,
            numbers.between(1.0, 4.0) as f32,
        );
        let (wide_p, wide_d) = (f64::from(p), f64::from(d));
        let root = f64::from(d.fast_sqrt()) / wide_d.sqrt() - 1.0;
        assert!(root.abs() <= 2f64.powi(-23), "{d}");
        assert!(ulps(d.fast_recip(), 1.0 / wide_d) <= 1.0, "{d}");
        let quotient = f64::from(p.fast_div(d)) / (wide_p / wide_d) - 1.0;
        assert!(quotient.abs() <= 2f64.powf(-22.4), "{p} / {d}");
    }
}
