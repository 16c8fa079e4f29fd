//! The integrands that this crate's own PTX has: one entry makes a function available to
//! every rule, to `quadscan::integrate`, to the command line and to the tests.
//!
//! Sources: Piessens and others, QUADPACK, 1983; Bailey, Jeyabalan and Li, A comparison of
//! three high-precision quadrature schemes, 2005; Genz, Testing multidimensional integration
//! routines, 1984 (the six families, in one dimension); Planck, Über das Gesetz der
//! Energieverteilung im Normalspectrum, 1901.

#[cfg_attr(test, allow(unused_imports, reason = "a test has std's functions"))]
use cuda_std::GpuFloat;
use cuda_std::float::LazyFloat;

use crate::integrands;

/// Whether the upper limit is pi / 2, as the kind of number has it: where `x` has been
/// rounded to it, or been kept off it, `x + to_upper` is a neighbour.
macro_rules! is_at_right_angle {
    ($point:ident) => {
        $point.x > 1.0 && ($point.x + $point.to_upper - consts::FRAC_PI_2).abs() < 2.0 * R::EPSILON
    };
}

integrands! {
    /// A quarter of the unit circle: the published integrand.
    quarter_circle = QuarterCircle {
        formula: "sqrt(1 - x^2)",
        limits: (0.0, 1.0),
        parameters: [],
        short: true,
        eval: |x| x.mul_add(-x, 1.0).root(),
    }

    /// Runge's function.
    runge = Runge {
        formula: "1 / (1 + x^2)",
        limits: (0.0, R::INFINITY),
        parameters: [],
        short: true,
        eval: |x| x.mul_add(x, 1.0).reciprocal(),
    }

    /// A rational function with four poles at the eighth roots of 1.
    quartic = Quartic {
        formula: "1 / (1 + x^4)",
        limits: (0.0, 1.0),
        parameters: [],
        short: true,
        eval: |x| (x * x).mul_add(x * x, 1.0).reciprocal(),
    }

    /// Bailey's first.
    x_log = XLog {
        formula: "x ln(1 + x)",
        limits: (0.0, 1.0),
        parameters: [],
        eval: |x| x * x.ln_1p(),
    }

    /// Bailey's second.
    square_arctangent = SquareArctangent {
        formula: "x^2 atan x",
        limits: (0.0, 1.0),
        parameters: [],
        eval: |x| x * x * x.atan(),
    }

    /// Bailey's third.
    exponential_cosine = ExponentialCosine {
        formula: "exp(x) cos x",
        limits: (0.0, consts::FRAC_PI_2),
        parameters: [],
        eval: |x| x.exp() * x.cos(),
    }

    /// Bailey's fourth.
    arctangent_root = ArctangentRoot {
        formula: "atan(sqrt(2 + x^2)) / ((1 + x^2) sqrt(2 + x^2))",
        limits: (0.0, 1.0),
        parameters: [],
        eval: |x| {
            let root = x.mul_add(x, 2.0).sqrt();
            root.atan() / (x.mul_add(x, 1.0) * root)
        },
    }

    /// Bailey's fifth: its derivative is infinite at 0.
    root_log = RootLog {
        formula: "sqrt(x) ln x",
        limits: (0.0, 1.0),
        parameters: [],
        eval: |x| x.sqrt() * x.ln(),
    }

    /// Bailey's seventh: infinite at 0.
    square_log = SquareLog {
        formula: "(ln x)^2",
        limits: (0.0, 1.0),
        parameters: [],
        eval: |x| x.ln() * x.ln(),
    }

    /// Bailey's eighth: infinite at pi / 2.
    log_cosine = LogCosine {
        formula: "ln(cos x)",
        limits: (0.0, consts::FRAC_PI_2),
        parameters: [],
        eval: |x| x.cos().ln(),
        at: |p| if is_at_right_angle!(p) {
            p.to_upper.sin().ln()
        } else {
            p.x.cos().ln()
        },
    }

    /// Bailey's ninth: infinite at pi / 2.
    root_tangent = RootTangent {
        formula: "sqrt(tan x)",
        limits: (0.0, consts::FRAC_PI_2),
        parameters: [],
        eval: |x| x.tan().sqrt(),
        at: |p| if is_at_right_angle!(p) {
            (1.0 / p.to_upper.tan()).sqrt()
        } else {
            p.x.tan().sqrt()
        },
    }

    /// Bailey's eleventh: infinite at 0, over an infinite range.
    exponential_root = ExponentialRoot {
        formula: "exp(-x) / sqrt(x)",
        limits: (0.0, R::INFINITY),
        parameters: [],
        eval: |x| (-x).exp() / x.sqrt(),
    }

    /// Bailey's fourteenth: oscillates to infinity.
    damped_cosine = DampedCosine {
        formula: "exp(-x) cos x",
        limits: (0.0, R::INFINITY),
        parameters: [],
        eval: |x| (-x).exp() * x.cos(),
    }

    /// Bailey's twelfth: the normal distribution, not normalised.
    gaussian = Gaussian {
        formula: "exp(-x^2 / 2)",
        limits: (R::NEG_INFINITY, R::INFINITY),
        parameters: [],
        short: true,
        eval: |x| (-0.5 * x * x).exp(),
    }

    /// QUADPACK's first: singular at 0 for a below 0.
    power_log = PowerLog {
        formula: "x^a ln(1 / x)",
        limits: (0.0, 1.0),
        parameters: [a],
        eval: |x| -x.powf(a) * x.ln(),
    }

    /// QUADPACK's oscillating one, an integral representation of the Bessel function J0.
    bessel = Bessel {
        formula: "cos(2^a sin x)",
        limits: (0.0, consts::PI),
        parameters: [a],
        eval: |x| (a.exp2() * x.sin()).cos(),
    }

    /// A periodic function with poles near the axis.
    periodic = Periodic {
        formula: "2 / (2 + sin(10 pi x))",
        limits: (0.0, 1.0),
        parameters: [],
        eval: |x| 2.0 / (2.0 + (10.0 * consts::PI * x).sin()),
    }

    /// A root with a corner inside of its range.
    root_of_distance = RootOfDistance {
        formula: "sqrt(|x + 1/2|)",
        limits: (-1.0, 1.0),
        parameters: [],
        eval: |x| (x + 0.5).abs().sqrt(),
        breaks: [-0.5],
    }

    /// An entire periodic function, an integral representation of the Bessel function I0.
    exponential_of_cosine = ExponentialOfCosine {
        formula: "exp(cos x)",
        limits: (0.0, consts::TAU),
        parameters: [],
        eval: |x| x.cos().exp(),
    }

    /// Fifty oscillations that die out.
    damped_sine = DampedSine {
        formula: "exp(-x) sin(50 x)",
        limits: (0.0, consts::TAU),
        parameters: [],
        eval: |x| (-x).exp() * (50.0 * x).sin(),
    }

    /// Three peaks, the last one a thousandth wide.
    peaks = Peaks {
        formula: "sech(10 (x - 0.2))^2 + sech(100 (x - 0.4))^4 + sech(1000 (x - 0.6))^6",
        limits: (0.0, 1.0),
        parameters: [],
        eval: |x| {
            let first = 1.0 / (10.0 * (x - 0.2)).cosh();
            let second = 1.0 / (100.0 * (x - 0.4)).cosh();
            let third = 1.0 / (1000.0 * (x - 0.6)).cosh();
            let second = second * second;
            let third = third * third * third;
            first * first + second * second + third * third
        },
        breaks: [0.2, 0.4, 0.6],
    }

    /// Genz's oscillatory family.
    genz_oscillatory = GenzOscillatory {
        formula: "cos(2 pi u + a x)",
        limits: (0.0, 1.0),
        parameters: [a, u],
        eval: |x| a.mul_add(x, consts::TAU * u).cos(),
    }

    /// Genz's family with a peak.
    genz_product_peak = GenzProductPeak {
        formula: "1 / (a^-2 + (x - u)^2)",
        limits: (0.0, 1.0),
        parameters: [a, u],
        short: true,
        eval: |x| {
            let distance = x - u;
            distance.mul_add(distance, 1.0 / (a * a)).reciprocal()
        },
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
    }

    /// Genz's Gaussian family.
    genz_gaussian = GenzGaussian {
        formula: "exp(-a^2 (x - u)^2)",
        limits: (0.0, 1.0),
        parameters: [a, u],
        short: true,
        eval: |x| {
            let scaled = a * (x - u);
            (-scaled * scaled).exp()
        },
    }

    /// Genz's family with a corner.
    genz_continuous = GenzContinuous {
        formula: "exp(-a |x - u|)",
        limits: (0.0, 1.0),
        parameters: [a, u],
        short: true,
        eval: |x| (-a * (x - u).abs()).exp(),
        breaks: [u],
    }

    /// Genz's family with a jump.
    genz_discontinuous = GenzDiscontinuous {
        formula: "exp(a x) for x < u, else 0",
        limits: (0.0, 1.0),
        parameters: [a, u],
        eval: |x| if x < u { (a * x).exp() } else { 0.0 },
        breaks: [u],
    }

    /// Planck's spectrum of a black body, whose x is the photons' energy and whose parameter
    /// is k T in the same unit: times 2 / (h^3 c^2) the radiance of a unit of energy.
    planck = Planck {
        formula: "x^3 / (exp(x / kT) - 1)",
        limits: (0.0, R::INFINITY),
        parameters: [kt],
        // At 0 it is 0.
        eval: |x| if x == 0.0 { x } else { x * x * x / (x / kt).exp_m1() },
    }
}
