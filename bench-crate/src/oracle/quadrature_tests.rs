//! The rules as exact as they should be, and what the trapezoid rule gives for the quarter circle in
//! closed form.

use super::{Sum, composite};
use quadscan_kernels::integrate::rules::Rule;

/// What the trapezoid rule gives for sqrt(1 - x^2) on 0..1, to the last digit of f64, for 16
/// strips and more.
///
/// Near x = 1 the function is sum a_j (1 - x)^(j + 1/2), near 0 even: the rule's error is sum
/// a_j zeta(-j - 1/2) h^(j + 3/2). Source: Navot, An extension of the Euler-Maclaurin
/// summation formula to functions with a branch singularity, J. Math. and Phys. 40 (1961)
/// 271. The values of zeta were computed with 50 digits.
pub(in crate::oracle) fn quarter_circle(strips: u64) -> f64 {
    // zeta(-1/2), zeta(-3/2), ...
    const ZETA: [f64; 8] = [
        -0.20788622497735457,
        -0.025485201889833036,
        0.008516928777850331,
        0.004441011335479432,
        -0.0030916692472158338,
        -0.0026714580198992244,
        0.0027467679395368687,
        0.00326903957260022,
    ];
    let step = 1.0 / strips as f64;
    let mut sum = Sum::default();
    sum.add(std::f64::consts::FRAC_PI_4);
    // What f64 does not hold of pi / 4.
    sum.add(3.061616997868383e-17);
    // sqrt(2) binomial(1/2, j) (-1/2)^j.
    let mut coefficient = std::f64::consts::SQRT_2;
    let mut power = step * step.sqrt();
    for (j, zeta) in ZETA.iter().enumerate() {
        sum.add(coefficient * zeta * power);
        coefficient *= (0.5 - j as f64) / (j as f64 + 1.0) * -0.5;
        power *= step;
    }
    sum.value()
}

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
