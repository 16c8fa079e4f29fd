//! The rules as exact as they should be.

use super::{composite, quarter_circle};
use quadscan_kernels::integrate::rules::Rule;

#[test]
fn the_closed_form_is_the_rules_sum() {
    for strips in [16, 17, 100, 1 << 10, 1 << 16, 1_000_003] {
        let sum = composite(Rule::Trapezoid, strips, (0.0, 1.0), |x| {
            ((1.0 - x) * (1.0 + x)).sqrt()
        });
        let error = (quarter_circle(strips) - sum).abs();
        assert!(error <= 2.3e-16, "{strips} strips: {error:e}");
    }
}

#[test]
fn rules_are_as_exact_as_they_should_be() {
    // The integral of x^4 from -1 to 3 is 244 / 5.
    let of = |rule| composite(rule, 2, (-1.0, 3.0), |x| x.powi(4)) - 48.8;
    assert!(of(Rule::GaussLegendre(3)).abs() < 1e-13);
    // -h^4 (b - a) f'''' / 2880, with strips of h = 2, and the other rules' as well known.
    assert!((of(Rule::Simpson) - 16.0 * 4.0 * 24.0 / 2880.0).abs() < 1e-13);
    assert!(of(Rule::Trapezoid) > 1.0);
    assert!(of(Rule::Midpoint) < -1.0);
}
