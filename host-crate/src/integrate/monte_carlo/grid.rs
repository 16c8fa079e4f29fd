//! The grid of importance sampling: bins of each axis, narrow where the function is large.
//!
//! Source: Lepage, Adaptive multidimensional integration: VEGAS enhanced, J. Comput. Phys. 439,
//! 2021, section 2.1.

use cuda_std::GpuFloat;
use quadscan_kernels::monte_carlo::sizes::{BINS, EDGES};

/// Edges of the bins of all axes, [`EDGES`] each, from the lower limit to the upper one.
pub(super) struct Grid {
    pub(super) edges: Vec<f64>,
}

impl Grid {
    /// Equal bins between the limits of each axis.
    pub(super) fn even(limits: &[(f64, f64)]) -> Self {
        let axis = |&(from, to): &(f64, f64)| {
            let edge = move |index| from + (to - from) * (index as f64 / BINS as f64);
            (0..BINS).map(edge).chain([to])
        };
        Self {
            edges: limits.iter().flat_map(axis).collect(),
        }
    }

    /// Moves the edges, so that the squares of the function, weighted, come to more equal sums in the bins;
    /// `alpha` says how fast: not at all if it is 0.
    ///
    /// Sums of neighbours are averaged, by 1, 6 and 1; a bin's share s of them all counts as
    /// ((1 - s) / ln(1 / s))^alpha.
    pub(super) fn refine(&mut self, squares: &[u64], alpha: f64) {
        for (edges, squares) in self.edges.chunks_mut(EDGES).zip(squares.chunks(BINS)) {
            let square = |bin: usize| squares[bin] as f64;
            let smooth = |bin: usize| match bin {
                0 => (7.0 * square(0) + square(1)) / 8.0,
                _ if bin == BINS - 1 => (square(bin - 1) + 7.0 * square(bin)) / 8.0,
                _ => (square(bin - 1) + 6.0 * square(bin) + square(bin + 1)) / 8.0,
            };
            let all: f64 = (0..BINS).map(smooth).sum();
            if all > 0.0 {
                let counts: Vec<f64> = (0..BINS)
                    .map(|bin| damped(smooth(bin) / all, alpha))
                    .collect();
                divide(edges, &counts);
            }
        }
    }
}

/// What a share of the sums counts. The functions are those of kernels: with the same bits on every host.
fn damped(share: f64, alpha: f64) -> f64 {
    if share <= 0.0 || share >= 1.0 {
        return share.clamp(0.0, 1.0);
    }
    let factor = (share - 1.0) / GpuFloat::ln(share);
    GpuFloat::exp(alpha * GpuFloat::ln(factor))
}

/// Moves the edges between the first and the last, so that all bins have as much of the counts, which are
/// spread evenly in the old bins.
fn divide(edges: &mut [f64], counts: &[f64]) {
    let old = edges.to_vec();
    let each = counts.iter().sum::<f64>() / BINS as f64;
    let (mut bin, mut before) = (0, 0.0);
    for (index, edge) in edges.iter_mut().enumerate().take(BINS).skip(1) {
        let wanted = each * index as f64;
        while bin < BINS - 1 && before + counts[bin] < wanted {
            before += counts[bin];
            bin += 1;
        }
        let share = if counts[bin] > 0.0 {
            ((wanted - before) / counts[bin]).clamp(0.0, 1.0)
        } else {
            1.0
        };
        *edge = (old[bin + 1] - old[bin])
            .mul_add(share, old[bin])
            .clamp(old[bin], old[bin + 1]);
    }
}
