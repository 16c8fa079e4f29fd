//! Sines, cosines and tangents at every exponent, beside quarter turns, and of special values.

use super::far::reduce_large;
use super::{cos, sin, sin_cos, sincospi, sinpi, tan};

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
        let (s, c) = (sin(x), cos(x));
        let both = sin_cos(x);
        assert!(ulps(both.0, libm::sin(x)) <= 1.0, "{x:e}");
        assert!(ulps(both.1, libm::cos(x)) <= 1.0, "{x:e}");
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
        assert!(ulps(angle.sine_and_cosine().0, libm::sin(x)) <= 1.0, "{x}");
    }
}

#[test]
fn special_values_are_ieee_754s() {
    let zeros = [sin(-0.0), tan(-0.0), sin_cos(-0.0).0, sinpi(-0.0)];
    assert!(
        zeros
            .iter()
            .all(|zero| zero.is_sign_negative() && *zero == 0.0)
    );
    let zeros = [
        super::sinf(-0.0),
        super::tanf(-0.0),
        super::sin_cosf(-0.0).0,
    ];
    assert!(
        zeros
            .iter()
            .all(|zero| zero.is_sign_negative() && *zero == 0.0)
    );
    assert_eq!((super::cosf(0.0), super::cospif(0.0)), (1.0, 1.0));
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
