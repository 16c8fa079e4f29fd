//! Integrals over the unit cube in closed form, of the integrands of several variables.
//!
//! Source of the families: Genz, Testing multidimensional integration routines, 1984. Functions are those
//! of `cuda_std`: the host's own need not have the same bits everywhere.

use std::f64::consts::{PI, TAU};

use cuda_std::GpuFloat;

/// The integral over the unit cube of the integrand of this name, with a difficulty and a place for
/// each dimension; `None` for other names.
pub fn exact(name: &str, a: &[f64], u: &[f64]) -> Option<f64> {
    let axes = || a.iter().zip(u);
    let product = |of: fn((&f64, &f64)) -> f64| axes().map(of).product();
    Some(match name {
        "oscillatory" => {
            let phase = TAU * u[0] + a.iter().sum::<f64>() / 2.0;
            let sinc = |a: &f64| GpuFloat::sin(a / 2.0) / (a / 2.0);
            GpuFloat::cos(phase) * a.iter().map(sinc).product::<f64>()
        }
        "product_peak" => {
            product(|(a, u)| a * (GpuFloat::atan(a * (1.0 - u)) + GpuFloat::atan(a * u)))
        }
        "corner_peak" => corner_peak(a),
        "gaussian_peak" => {
            product(|(a, u)| PI.sqrt() / (2.0 * a) * (erf(a * (1.0 - u)) + erf(a * u)))
        }
        "continuous" => {
            product(|(a, u)| -(GpuFloat::exp_m1(-a * u) + GpuFloat::exp_m1(-a * (1.0 - u))) / a)
        }
        "discontinuous" => product(|(a, u)| GpuFloat::exp_m1(a * u.min(1.0)) / a),
        "power_of_squares" => power_of_squares(a.len(), 11),
        _ => return None,
    })
}

/// The antiderivative at all corners, each with the sign of its side.
fn corner_peak(a: &[f64]) -> f64 {
    let corner = |corner: usize| {
        let sum: f64 = a
            .iter()
            .enumerate()
            .map(|(k, a)| (corner >> k & 1) as f64 * a)
            .sum();
        let sign = if corner.count_ones().is_multiple_of(2) {
            1.0
        } else {
            -1.0
        };
        sign / (1.0 + sum)
    };
    let corners: f64 = (0..1 << a.len()).map(corner).sum();
    let scale = a.iter().enumerate().map(|(k, a)| (k + 1) as f64 * a);
    corners / scale.product::<f64>()
}

/// A series of positive terms: 2 x exp(-x^2) / sqrt(pi) times the sum of (2 x^2)^n / (2 n + 1)!!; from 6
/// on it is 1 to the last digit, and the terms overflow later.
fn erf(x: f64) -> f64 {
    if x > 6.0 {
        return 1.0;
    }
    let (mut term, mut sum, mut n) = (1.0, 1.0, 0.0);
    while term > 1e-18 * sum {
        n += 1.0;
        term *= 2.0 * x * x / (2.0 * n + 1.0);
        sum += term;
    }
    2.0 / PI.sqrt() * x * GpuFloat::exp(-x * x) * sum
}

/// The mean of (x_1^2 + ... + x_d^2)^n: that of the other variables' powers, by the binomial theorem.
fn power_of_squares(dimensions: usize, n: u32) -> f64 {
    let mut moments = vec![0.0; n as usize + 1];
    moments[0] = 1.0;
    for _ in 0..dimensions {
        let next = |power: usize| {
            let mut binomial = 1.0;
            (0..=power)
                .map(|own| {
                    let term = binomial * moments[power - own] / (2 * own + 1) as f64;
                    binomial = binomial * (power - own) as f64 / (own + 1) as f64;
                    term
                })
                .sum()
        };
        moments = (0..=n as usize).map(next).collect();
    }
    moments[n as usize]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// In one dimension of the closed forms, by the midpoint rule.
    #[test]
    fn closed_forms_are_what_many_midpoints_come_near_to() {
        let n = 2000;
        let sum = |f: &dyn Fn(f64, f64) -> f64| {
            let at = |i: usize| (i as f64 + 0.5) / n as f64;
            let points = (0..n * n).map(|i| f(at(i % n), at(i / n)));
            points.sum::<f64>() / (n * n) as f64
        };
        let (a, u) = ([2.0, 3.0], [0.25, 0.625]);
        let [d, e] = a;
        let [v, w] = u;
        let near = |name: &str, f: &dyn Fn(f64, f64) -> f64| {
            let (found, expected) = (exact(name, &a, &u).expect("a known name"), sum(f));
            assert!(
                (found / expected - 1.0).abs() < 1e-5,
                "{name}: {found}, {expected}"
            );
        };
        near("oscillatory", &|x, y| (TAU * v + d * x + e * y).cos());
        let peak = |a: f64, x: f64| 1.0 / (1.0 / (a * a) + x * x);
        near("product_peak", &|x, y| peak(d, x - v) * peak(e, y - w));
        near("corner_peak", &|x, y| (1.0 + d * x + e * y).powi(-3));
        let square = |x: f64| x * x;
        near("gaussian_peak", &|x, y| {
            (-square(d * (x - v)) - square(e * (y - w))).exp()
        });
        near("continuous", &|x, y| {
            (-d * (x - v).abs() - e * (y - w).abs()).exp()
        });
        near("discontinuous", &|x, y| {
            if x < v && y < w {
                (d * x + e * y).exp()
            } else {
                0.0
            }
        });
        near("power_of_squares", &|x, y| (x * x + y * y).powi(11));
        assert_eq!(exact("flat", &a, &u), None);
    }
}
