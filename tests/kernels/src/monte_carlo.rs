//! Integrands of many variables that Monte Carlo is tested with.
//!
//! Sources: [`cubature`](crate::cubature) for Genz's families, which are up to ten variables' there; the
//! ridge of two peaks on the diagonal is after Lepage, Adaptive multidimensional integration: VEGAS
//! enhanced, J. Comput. Phys. 439, 2021, section 4.

use cuda_std::GpuFloat;

use quadscan_kernels::monte_carlo::integrand::{Integrand, Parameters, Point, sum};
use quadscan_kernels::monte_carlo_kernels;

use crate::cubature::{Continuous, Discontinuous, GaussianPeak, Oscillatory};

/// exp(-sum a_k^2 (x_k - u_k)^2), of up to so many variables.
#[derive(Clone, Copy, Debug)]
pub struct Gaussian<const MOST: usize>;

impl<const MOST: usize> Integrand for Gaussian<MOST> {
    const MOST: usize = MOST;

    #[inline(always)]
    fn at(x: &Point, dimensions: usize, [a, u]: &Parameters) -> f64 {
        GpuFloat::exp(-sum(dimensions, |k| {
            let scaled = a[k] * (x[k] - u[k]);
            scaled * scaled
        }))
    }
}

/// Two Gaussian peaks, at 1/2 - u_k and 1/2 + u_k: no grid of axes can follow them.
#[derive(Clone, Copy, Debug)]
pub struct TwoPeaks;

impl Integrand for TwoPeaks {
    const MOST: usize = 16;

    #[inline(always)]
    fn at(x: &Point, dimensions: usize, [a, u]: &Parameters) -> f64 {
        let peak = |sign: f64| {
            GpuFloat::exp(-sum(dimensions, |k| {
                let scaled = a[k] * (x[k] - sign.mul_add(u[k], 0.5));
                scaled * scaled
            }))
        };
        peak(-1.0) + peak(1.0)
    }
}

monte_carlo_kernels! {
    oscillatory = Oscillatory,
    gaussian_peak = GaussianPeak,
    continuous = Continuous,
    discontinuous = Discontinuous,
    gaussian_9 = Gaussian<9>,
    gaussian_16 = Gaussian<16>,
    gaussian_20 = Gaussian<20>,
    two_peaks = TwoPeaks,
}
