//! Integrands that rules are tested with, beside those of `quadscan_kernels`' own catalogue:
//! infinite or steep at a limit, with corners, jumps and peaks, oscillating, over infinite
//! ranges.
//!
//! A crate of kernels as an application has one, built once, by the build script of
//! `quadscan-tests`. Nothing here compares; their integrals in closed form are in
//! `quadscan_tests::integrals`.
//!
//! Sources: Piessens and others, QUADPACK, 1983; Bailey, Jeyabalan and Li, A comparison of
//! three high-precision quadrature schemes, 2005; Genz, Testing multidimensional integration
//! routines, 1984; Planck, Über das Gesetz der Energieverteilung im Normalspectrum, 1901.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `chained`: a kernel of one's own with a chained scan.
//! - `cubature`: functions of several variables.
//! - `monte_carlo`: functions of many.
#![cfg_attr(not(target_os = "cuda"), no_std)]

pub mod chained;
pub mod cubature;
pub mod monte_carlo;

use quadscan_kernels::integrands;

/// Whether the upper limit is pi / 2, as the kind of number has it: where `x` has been
/// rounded to it, or been kept off it, `x + to_upper` is a neighbour.
macro_rules! is_at_right_angle {
    ($point:ident) => {
        $point.x > 1.0 && ($point.x + $point.to_upper - consts::FRAC_PI_2).abs() < 2.0 * R::EPSILON
    };
}

integrands! {
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
