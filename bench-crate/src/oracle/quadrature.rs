//! Composite rules in twice the digits of f64, on one thread.

use quadscan_kernels::integrate::rules::{FAMILIES, Rule};

/// A sum whose additions lose nothing that twice the digits of f64 would keep.
///
/// Source: Neumaier, Rundungsfehleranalyse einiger Verfahren zur Summation endlicher Summen,
/// ZAMM 54 (1974) 39.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    high: f64,
    low: f64,
}

impl Sum {
    fn add(&mut self, term: f64) {
        let sum = self.high + term;
        self.low += if self.high.abs() >= term.abs() {
            (self.high - sum) + term
        } else {
            (term - sum) + self.high
        };
        self.high = sum;
    }

    fn value(self) -> f64 {
        self.high + self.low
    }
}

/// The integral of `f` from `from` to `to` by `rule` over `strips` strips. `f` sees nodes as
/// f64 has them, and the limits where the rule does.
pub fn composite(
    rule: Rule,
    strips: u64,
    (from, to): (f64, f64),
    mut f: impl FnMut(f64) -> f64,
) -> f64 {
    let step = (to - from) / strips as f64;
    let (first, count) = rule.families();
    let mut sum = Sum::default();
    for &(offset, weight) in &FAMILIES[first as usize..][..count as usize] {
        let is_right_end = offset == 1.0;
        for strip in 0..strips - u64::from(is_right_end) {
            // Of the interval: exact at its ends, and close to either of them.
            let part = (strip as f64 + offset) / strips as f64;
            sum.add(weight * f(from + (to - from) * part));
        }
    }
    if rule.ends() != 0.0 {
        sum.add(rule.ends() * f(from));
        sum.add(rule.ends() * f(to));
    }
    step * sum.value()
}

/// What the trapezoid rule gives for sqrt(1 - x^2) on 0..1, to the last digit of f64, for 16
/// strips and more.
///
/// Near x = 1 the function is sum a_j (1 - x)^(j + 1/2), near 0 even: the rule's error is sum
/// a_j zeta(-j - 1/2) h^(j + 3/2). Source: Navot, An extension of the Euler-Maclaurin
/// summation formula to functions with a branch singularity, J. Math. and Phys. 40 (1961)
/// 271. The values of zeta were computed with 50 digits.
pub fn quarter_circle(strips: u64) -> f64 {
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

#[cfg(test)]
#[path = "quadrature_tests.rs"]
mod tests;
