//! The integrands that this crate's own PTX has: those that tables time, with the kernels that they
//! time. One entry makes a function available to every rule, to `quadscan::integrate`, to the command
//! line and to the tests: rules without a kernel take its formula. An application has its own in a
//! crate of its own, by the same macro. Those that nothing times are formulas, which need no kernels
//! of their own.
//!
//! Sources: Piessens and others, QUADPACK, 1983; Bailey, Jeyabalan and Li, A comparison of
//! three high-precision quadrature schemes, 2005; Genz, Testing multidimensional integration
//! routines, 1984 (three of the six families, in one dimension); Planck, Über das Gesetz der
//! Energieverteilung im Normalspectrum, 1901.

// `cargo xtask integrate --list` includes this file, with macros of its own.
use crate::{formulas, integrands};

integrands! {
    /// A quarter of the unit circle: the published integrand.
    quarter_circle = QuarterCircle {
        formula: "sqrt(1 - x^2)",
        limits: (0.0, 1.0),
        parameters: [],
        short: true,
        eval: |x| x.mul_add(-x, 1.0).root(),
        rules: [composite] by "root(fma(x, -x, 1))",
    }

    /// Runge's function.
    runge = Runge {
        formula: "1 / (1 + x^2)",
        limits: (0.0, R::INFINITY),
        parameters: [],
        short: true,
        eval: |x| x.mul_add(x, 1.0).reciprocal(),
        rules: [composite] by "reciprocal(fma(x, x, 1))",
    }

    /// Bailey's twelfth: the normal distribution, not normalised.
    gaussian = Gaussian {
        formula: "exp(-x^2 / 2)",
        limits: (R::NEG_INFINITY, R::INFINITY),
        parameters: [],
        short: true,
        eval: |x| (-0.5 * x * x).exp(),
        rules: [composite] by "exp(-0.5*x*x)",
    }

    /// QUADPACK's first: singular at 0 for a below 0.
    power_log = PowerLog {
        formula: "x^a ln(1 / x)",
        limits: (0.0, 1.0),
        parameters: [a],
        eval: |x| -x.powf(a) * x.ln(),
        rules: [tanh_sinh] by "-pow(x, a)*ln(x)",
    }

    /// Genz's oscillatory family.
    genz_oscillatory = GenzOscillatory {
        formula: "cos(2 pi u + a x)",
        limits: (0.0, 1.0),
        parameters: [a, u],
        eval: |x| a.mul_add(x, consts::TAU * u).cos(),
    }

    /// Genz's family with a peak in a corner.
    genz_corner_peak = GenzCornerPeak {
        formula: "(1 + a x)^-2",
        limits: (0.0, 1.0),
        parameters: [a],
        short: true,
        eval: |x| {
            let base = a.mul_add(x, 1.0);
            (base * base).reciprocal()
        },
        rules: [adaptive, tanh_sinh] by "reciprocal(fma(a, x, 1)^2)",
    }
}

formulas! {
    /// Genz's Gaussian family.
    genz_gaussian {
        formula: "exp(-a^2 (x - u)^2)",
        text: "let scaled = a*(x - u); exp(-scaled*scaled)",
        limits: (0.0, 1.0),
        parameters: [a, u],
    }

    /// Planck's spectrum of a black body, whose x is the photons' energy and whose parameter
    /// is k T in the same unit: times 2 / (h^3 c^2) the radiance of a unit of energy.
    planck {
        formula: "x^3 / (exp(x / kT) - 1)",
        // At 0 it is 0.
        text: "if(x == 0, x, x*x*x / exp_m1(x/kt))",
        limits: (0.0, f64::INFINITY),
        parameters: [kt],
    }
}
