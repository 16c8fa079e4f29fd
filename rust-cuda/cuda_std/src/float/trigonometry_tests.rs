//! Sines, cosines and tangents at every exponent, beside quarter turns, and of special values.

use super::far::reduce_large;
use super::{GpuFloat, cos, sin, sin_cos, sincospi, tan};

/// Units in the last place between `a` and the reference `b`.
fn ulps(a: f64, b: f64) -> f64 {
    let ulp = f64::from_bits(b.abs().to_bits() + 1) - b.abs();
    ((a - b) / ulp).abs()
}

/// Bits spread over all exponents by a Weyl sequence.
fn arguments() -> impl Iterator<Item = f64> {
    (1u64..200_000)
        .map(|i| f64::from_bits(i.wrapping_mul(0x9e37_79b9_7f4a_7c15) & 0xffef_ffff_ffff_ffff))
}

#[test]
fn sine_and_cosine_agree_with_libm_at_every_exponent() {
    for x in arguments() {
        let (s, c) = sin_cos(x);
        assert_eq!(
            (s.to_bits(), c.to_bits()),
            (sin(x).to_bits(), cos(x).to_bits())
        );
        let (s32, c32) = GpuFloat::sin_cos(x as f32);
        let apart = (GpuFloat::sin(x as f32), GpuFloat::cos(x as f32));
        assert!((s32, c32) == apart || !(x as f32).is_finite());
        assert!(
            ulps(s, libm::sin(x)) <= 1.0,
            "sin({x:e}) = {s:e}, not {:e}",
            libm::sin(x)
        );
        assert!(
            ulps(c, libm::cos(x)) <= 1.0,
            "cos({x:e}) = {c:e}, not {:e}",
            libm::cos(x)
        );
        assert!(ulps(tan(x), libm::tan(x)) <= 1.5, "tan({x:e})");
    }
}

#[test]
fn the_worst_argument_is_reduced_to_the_last_bit() {
    // The double next to a multiple of pi / 2: 6381956970095103 * 2^797.
    let x = f64::from_bits(0x7506_ac5b_262c_a1ff);
    assert!(
        ulps(cos(x), -4.687_165_924_254_628e-19) <= 1.0,
        "{:e}",
        cos(x)
    );
    assert_eq!(sin(x), 1.0);
}

#[test]
fn both_reductions_agree_where_they_meet() {
    for i in 0..10_000 {
        let x = 1_048_576.0 + f64::from(i) * 1_234.567_89;
        let angle = reduce_large(x);
        assert!(ulps(angle.sine(0), libm::sin(x)) <= 1.0, "{x}");
    }
}

#[test]
fn special_values_are_ieee_754s() {
    assert!(sin(-0.0).is_sign_negative() && sin(-0.0) == 0.0);
    assert_eq!(cos(0.0), 1.0);
    assert!(
        sin(f64::INFINITY).is_nan() && cos(f64::NEG_INFINITY).is_nan() && tan(f64::NAN).is_nan()
    );
}

#[test]
fn turns_are_exact_at_quarters() {
    for (x, sine, cosine) in [
        (0.5, 1.0, 0.0),
        (1.0, 0.0, -1.0),
        (-0.5, -1.0, 0.0),
        (1e300, 0.0, 1.0),
        (-7.5, 1.0, 0.0),
    ] {
        let (s, c) = sincospi(x);
        assert_eq!((s, c), (sine, cosine), "{x}");
    }
}
