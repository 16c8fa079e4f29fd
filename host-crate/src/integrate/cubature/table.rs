//! The table of nodes that kernels read, and what their sums tell of errors. Functions are those of
//! `cuda_std`: the host's own need not have the same bits everywhere.

use std::f64::consts::PI;

use cuda_std::GpuFloat;
use quadscan_kernels::cubature::region::{
    COEFFICIENTS, FINE_NODES, LOOK_NODES, MAX_NODES, MIN_NODES, NODE, TABLE, tails,
};

/// Legendre polynomials of degrees 0 to `degree` at x.
pub(super) fn legendre(degree: usize, x: f64) -> Vec<f64> {
    let mut p = vec![1.0, x];
    for m in 2..=degree {
        let (m, last) = (m as f64, p.len() - 1);
        p.push(((2.0 * m - 1.0) * x * p[last] - (m - 1.0) * p[last - 1]) / m);
    }
    p
}

/// The nodes of the rule of `n`, largest first, and their weights, whose sum is 2.
fn gauss(n: usize) -> Vec<(f64, f64)> {
    let of = |i: usize| {
        let mut x = GpuFloat::cos(PI * (i as f64 + 0.75) / (n as f64 + 0.5));
        let slope = |x: f64| {
            let p = legendre(n, x);
            (p[n], n as f64 * (x * p[n] - p[n - 1]) / (x * x - 1.0))
        };
        // Newton's steps end where rounding does.
        for _ in 0..8 {
            let (value, slope) = slope(x);
            x -= value / slope;
        }
        let (_, slope) = slope(x);
        (x, 2.0 / ((1.0 - x * x) * slope * slope))
    };
    let nodes: Vec<_> = (0..n).map(of).collect();
    let sum: f64 = nodes.iter().map(|&(_, weight)| weight).sum();
    let scaled = |(x, weight)| (x, weight * 2.0 / sum);
    nodes.into_iter().map(scaled).collect()
}

/// Numbers of all nodes, rule by rule: see [`NODE`].
pub(super) fn nodes() -> Vec<f64> {
    let mut table = Vec::with_capacity(TABLE);
    for n in MIN_NODES..=MAX_NODES {
        for (x, weight) in gauss(n) {
            let p = legendre(n - 1, x);
            table.extend([x, weight]);
            table.extend((1..=COEFFICIENTS).map(|m| (2 * (n - m) + 1) as f64 * p[n - m]));
        }
    }
    for n in [LOOK_NODES, FINE_NODES] {
        for (x, weight) in gauss(n as usize) {
            let p = legendre(n as usize - 1, x);
            table.extend([x, weight]);
            table.extend(tails(n).map(|m| f64::from(2 * m + 1) * p[m as usize]));
        }
    }
    debug_assert_eq!(table.len(), TABLE, "{NODE} a node");
    table
}
