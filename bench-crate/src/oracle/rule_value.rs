//! What composite rules give over many strips, without going through them: the integral in
//! closed form plus the rule's own error, by the Euler-Maclaurin formula where the function
//! is smooth, and by its extension where it ends like a square root.

use quadscan_kernels::integrate::rules::{FAMILIES, Rule};

/// Terms of Hurwitz' zeta function that are added up before the asymptotic series.
const ADDED: u32 = 8;

/// B_2k / (2 k)! for k from 1.
const SERIES: [f64; 6] = [
    1.0 / 12.0,
    -1.0 / 720.0,
    1.0 / 30_240.0,
    -1.0 / 1_209_600.0,
    1.0 / 47_900_160.0,
    -691.0 / 1_307_674_368_000.0,
];

/// Where in a strip a rule's nodes are, and their weights, both of a strip's width.
fn families(rule: Rule) -> &'static [(f64, f64)] {
    let (first, count) = rule.families();
    &FAMILIES[first as usize..][..count as usize]
}

/// What a rule over `strips` strips gives for a smooth function on 0..1, of 2^14 strips and
/// more: where the fourth power of the step is nothing. `integral` is exact, and `slopes` the
/// derivative at 1 less that at 0.
///
/// The rule's error is step^2 slopes B_2(c) / 2, its nodes' places c weighed as they are.
/// Source: Davis and Rabinowitz, Methods of numerical integration, 2nd edition, 1984, section
/// 2.9.
pub fn smooth(rule: Rule, strips: u64, integral: f64, slopes: f64) -> f64 {
    let bernoulli = |c: f64| c * c - c + 1.0 / 6.0;
    let terms = families(rule)
        .iter()
        .map(|&(c, weight)| weight * bernoulli(c) / 2.0);
    let step = 1.0 / strips as f64;
    terms.sum::<f64>().mul_add(step * step * slopes, integral)
}

/// What a rule over `strips` strips gives for sqrt(1 - x^2) on 0..1, of 64 strips and more.
///
/// Near x = 1 the function is sum a_j (1 - x)^(j + 1/2), near 0 even: the rule's error is sum
/// a_j step^(j + 3/2) zeta(-j - 1/2, 1 - c), its nodes' places c weighed as they are. Source:
/// Navot, An extension of the Euler-Maclaurin summation formula to functions with a branch
/// singularity, J. Math. and Phys. 40 (1961) 271.
pub fn quarter_circle(rule: Rule, strips: u64) -> f64 {
    let step = 1.0 / strips as f64;
    // sqrt(2) binomial(1/2, j) (-1/2)^j.
    let mut coefficient = std::f64::consts::SQRT_2;
    let mut power = step * step.sqrt();
    let mut error = 0.0;
    for j in 0..5 {
        let s = -(f64::from(j) + 0.5);
        // A node at the end of a strip is the next one's beginning; the last has none.
        let distance = |c: f64| if c == 1.0 { 1.0 } else { 1.0 - c };
        let terms = families(rule)
            .iter()
            .map(|&(c, weight)| weight * zeta(s, distance(c)));
        error += coefficient * terms.sum::<f64>() * power;
        coefficient *= (0.5 - f64::from(j)) / (f64::from(j) + 1.0) * -0.5;
        power *= step;
    }
    // What f64 does not hold of pi / 4 comes first.
    std::f64::consts::FRAC_PI_4 + (3.061_616_997_868_383e-17 + error)
}

/// Hurwitz' zeta function of s below 0 and 0 < a <= 1, by the Euler-Maclaurin formula.
///
/// Source: NIST Digital Library of Mathematical Functions, 25.11.5.
fn zeta(s: f64, a: f64) -> f64 {
    let sum: f64 = (0..ADDED).map(|k| (a + f64::from(k)).powf(-s)).sum();
    let end = a + f64::from(ADDED);
    let mut value = sum + end.powf(1.0 - s) / (s - 1.0) + 0.5 * end.powf(-s);
    // s (s + 1) ... (s + 2 k - 2) end^(-s - 2 k + 1).
    let mut factor = s * end.powf(-s - 1.0);
    for (k, coefficient) in (1_u32..).zip(SERIES) {
        value += coefficient * factor;
        let next = s + f64::from(2 * k) - 1.0;
        factor *= next * (next + 1.0) / (end * end);
    }
    value
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::quadrature;

    const RULES: [Rule; 6] = [
        Rule::Trapezoid,
        Rule::Midpoint,
        Rule::Simpson,
        Rule::GaussLegendre(2),
        Rule::GaussLegendre(5),
        Rule::GaussLegendre(16),
    ];

    /// Expected: zeta(-1/2), and by zeta(s, 1/2) = (2^s - 1) zeta(s) that of 1/2; values of
    /// zeta were computed with 50 digits.
    #[test]
    fn zeta_has_its_known_values() {
        for (s, known) in [
            (-0.5, -0.207_886_224_977_354_57),
            (-1.5, -0.025_485_201_889_833_036),
            (-2.5, 0.008_516_928_777_850_331),
        ] {
            assert!((zeta(s, 1.0) - known).abs() < 2e-13, "{}", zeta(s, 1.0));
            let half = (s.exp2() - 1.0) * known;
            assert!((zeta(s, 0.5) - half).abs() < 2e-13, "{}", zeta(s, 0.5));
        }
    }

    #[test]
    fn the_quarter_circle_has_the_rules_own_sum() {
        for rule in RULES {
            for strips in [64, 101, 1 << 12, 50_001] {
                let sum = quadrature::composite(rule, strips, (0.0, 1.0), |x| {
                    ((1.0 - x) * (1.0 + x)).sqrt()
                });
                let error = (quarter_circle(rule, strips) - sum).abs();
                assert!(error <= 4.5e-16, "{rule:?}, {strips} strips: {error:e}");
            }
        }
        for strips in [1 << 20, 1 << 34, 1 << 40] {
            let found = quarter_circle(Rule::Trapezoid, strips);
            assert!((found - quadrature::quarter_circle(strips)).abs() <= 1.2e-16);
        }
    }

    /// x^3 has slopes that differ by 3, and rules of degree 3 are exact for it.
    #[test]
    fn a_smooth_function_has_the_rules_own_sum() {
        for rule in RULES {
            for strips in [1 << 14, 40_001] {
                let sum = quadrature::composite(rule, strips, (0.0, 1.0), |x| x * x * x);
                let error = (smooth(rule, strips, 0.25, 3.0) - sum).abs();
                assert!(error <= 1.2e-16, "{rule:?}, {strips} strips: {error:e}");
            }
        }
        let off = smooth(Rule::Trapezoid, 1 << 14, 0.25, 3.0) - 0.25;
        assert!(
            (off * 2.0_f64.powi(28) - 0.25).abs() < 1e-6,
            "h^2 / 4: {off:e}"
        );
    }
}
