//! The integrands that this crate's own PTX has: one entry makes a function available to
//! every rule, to `quadscan::integrate`, to the command line and to the tests.
//!
//! Sources: QUADPACK's and SciPy's test functions; Genz, Testing multidimensional
//! integration routines, 1984 (the six families, in one dimension); the rest as named.

use cuda_std::GpuFloat;
use cuda_std::float::Root;

use crate::integrands;

integrands! {
    /// A quarter of the unit circle: the published integrand.
    quarter_circle = QuarterCircle {
        formula: "sqrt(1 - x^2)",
        limits: (0.0, 1.0),
        parameters: [],
        short: true,
        eval: |x| Root(x.mul_add(-x, 1.0)),
    }

    /// Runge's function, whose integral over all numbers is pi.
    runge = Runge {
        formula: "1/(1 + x^2)",
        limits: (0.0, R::INFINITY),
        parameters: [],
        short: true,
        eval: |x| cuda_std::float::Reciprocal(x.mul_add(x, 1.0)),
    }

    /// Genz's oscillating family.
    genz_oscillatory = GenzOscillatory {
        formula: "cos(2 pi u + a x)",
        limits: (0.0, 1.0),
        parameters: [a, u],
        eval: |x| (consts::TAU * u + a * x).cos(),
    }
}
