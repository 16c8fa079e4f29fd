//! Integrands of several variables that rules are tested with.
//!
//! Source: Genz, Testing multidimensional integration routines, 1984: six families of difficulties
//! a and places u, which codes of cubature are compared on; the last is the seventh of the
//! comparison of PAGANI (Sakiotis and others, PAGANI: a parallel adaptive GPU algorithm for
//! numerical integration, 2021).

use cuda_std::GpuFloat;

use quadscan_kernels::cubature::integrand::{product, sum};
use quadscan_kernels::cubature_integrands;

cubature_integrands! {
    /// Genz's oscillatory family; its phase is that of the first place.
    oscillatory = Oscillatory {
        formula: "cos(2 pi u_1 + sum a_k x_k)",
        at: |x, dimensions, a, u| {
            let phase = core::f64::consts::TAU * u[0];
            GpuFloat::cos(phase + sum(dimensions, |k| a[k] * x[k]))
        },
    }

    /// Genz's family with a peak of every axis.
    product_peak = ProductPeak {
        formula: "product of 1 / (a_k^-2 + (x_k - u_k)^2)",
        at: |x, dimensions, a, u| 1.0 / product(dimensions, |k| {
            let (width, from) = (1.0 / a[k], x[k] - u[k]);
            width.mul_add(width, from * from)
        }),
    }

    /// Genz's family with a peak in a corner.
    corner_peak = CornerPeak {
        formula: "(1 + sum a_k x_k)^-(d + 1)",
        at: |x, dimensions, a, u| {
            let base = 1.0 + sum(dimensions, |k| a[k] * x[k]);
            1.0 / (base * product(dimensions, |_| base))
        },
    }

    /// Genz's Gaussian family.
    gaussian_peak = GaussianPeak {
        formula: "exp(-sum a_k^2 (x_k - u_k)^2)",
        at: |x, dimensions, a, u| GpuFloat::exp(-sum(dimensions, |k| {
            let scaled = a[k] * (x[k] - u[k]);
            scaled * scaled
        })),
    }

    /// Genz's continuous family, with a corner at u_k.
    continuous = Continuous {
        formula: "exp(-sum a_k |x_k - u_k|)",
        at: |x, dimensions, a, u| {
            GpuFloat::exp(-sum(dimensions, |k| a[k] * GpuFloat::abs(x[k] - u[k])))
        },
    }

    /// Genz's discontinuous family: 0 from u_k on, in every axis whose u_k is between its limits.
    discontinuous = Discontinuous {
        formula: "exp(sum a_k x_k) below all u_k, else 0",
        at: |x, dimensions, a, u| {
            let inside = product(dimensions, |k| if x[k] < u[k] { 1.0 } else { 0.0 });
            if inside == 0.0 {
                0.0
            } else {
                GpuFloat::exp(sum(dimensions, |k| a[k] * x[k]))
            }
        },
    }

    /// A polynomial of degree 22 in every variable.
    power_of_squares = PowerOfSquares {
        formula: "(sum x_k^2)^11",
        at: |x, dimensions, a, u| {
            let squares = sum(dimensions, |k| x[k] * x[k]);
            let second = squares * squares;
            let fourth = second * second;
            fourth * fourth * second * squares
        },
    }
}
