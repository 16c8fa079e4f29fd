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

#[cfg(test)]
#[path = "quadrature_tests.rs"]
pub(super) mod tests;
