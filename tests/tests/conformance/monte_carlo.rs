//! Integrals from random points, lattices and Sobol points.
//!
//! Expected values: the closed forms of `quadscan_bench::oracle::cubature`.

use libtest_mimic::Failed;
use quadscan::Error;
use quadscan::device::EMULATOR;
use quadscan::device::emulator::Settings;
use quadscan::integrate::{
    Estimate, Lattice, LatticeOptions, PointSet, QuasiMonteCarlo, Rank1, SamplingStatus, Scrambled,
    Sobol, Vegas, VegasOptions,
};
use quadscan_bench::oracle::cubature::exact;
use quadscan_kernels::monte_carlo::integrand::{IntegrandKernels, Kernels, Parameters};
use quadscan_tests::suite::{Bench, Outcome};
use test_kernels::cubature::{Continuous, Discontinuous, GaussianPeak, Oscillatory};
use test_kernels::monte_carlo::{Gaussian, MONTE_CARLO, TwoPeaks};

/// An option, and what makes it one that is not allowed.
type Change<Options> = (&'static str, fn(&mut Options));

/// The same difficulty and place for all axes.
fn parameters(a: f64, u: f64) -> Parameters {
    [[a; 32], [u; 32]]
}

/// The integral over the unit cube.
fn closed_form(kernels: &Kernels, dimensions: usize, a: f64, u: f64) -> f64 {
    let exact = |name: &str, u: f64| {
        let (a, u) = (vec![a; dimensions], vec![u; dimensions]);
        exact(name, &a, &u).expect("a closed form")
    };
    match kernels.name {
        name if name.starts_with("gaussian") => exact("gaussian_peak", u),
        "two_peaks" => exact("gaussian_peak", 0.5 - u) + exact("gaussian_peak", 0.5 + u),
        name => exact(name, u),
    }
}

/// A difficulty and a place at which few points tell enough.
fn usual(kernels: &Kernels) -> (f64, f64) {
    match kernels.name {
        "oscillatory" => (1.0, 0.1),
        "discontinuous" => (2.0, 0.7),
        "two_peaks" => (5.0, 0.2),
        _ => (5.0, 0.5),
    }
}

/// Of so few evaluations that they can be emulated, and no tolerance.
const FEW: VegasOptions = VegasOptions {
    absolute: 0.0,
    relative: 1e-30,
    evaluations: 1 << 11,
    training: 3,
    iterations: 5,
    alpha: 1.0,
    beta: 0.75,
    seed: 2,
};

fn sampled(
    bench: &Bench,
    kernels: Kernels,
    dimensions: usize,
    options: VegasOptions,
    parameters: &Parameters,
) -> Result<Estimate, Failed> {
    let mut plan = Vegas::new(&bench.test_kernels()?, kernels, options)?;
    Ok(plan.integrate(&vec![(0.0, 1.0); dimensions], parameters)?)
}

pub(crate) fn every_integrand_is_within_five_standard_errors(bench: &Bench) -> Outcome {
    for kernels in MONTE_CARLO {
        let (a, u) = usual(kernels);
        // In one dimension one stratum has the jump, and its few samples mostly miss it.
        let dimensions = match kernels.name {
            "discontinuous" => [2, 3],
            _ => [1, 2],
        };
        for dimensions in dimensions {
            let exact = closed_form(kernels, dimensions, a, u);
            let of = sampled(bench, *kernels, dimensions, FEW, &parameters(a, u))?;
            let what = format!("{}, {dimensions}-D: {of:?}, {exact}", kernels.name);
            assert!((of.value - exact).abs() <= 5.0 * of.sigma, "{what}");
            assert!(of.sigma <= 0.05 * exact.abs(), "{what}");
            assert_eq!(of.status, SamplingStatus::OutOfRoom, "{what}");
            assert_eq!((of.evaluations, of.iterations), (8 << 11, 5), "{what}");
        }
    }
    Ok(())
}

/// Of 1000 integrals in 9 to 20 dimensions; where they are emulated, of 40 in 2.
pub(crate) fn standard_errors_are_as_large_as_errors(bench: &Bench) -> Outcome {
    let is_emulated = bench.device.properties().kind == EMULATOR;
    let cases: &[(Kernels, usize, f64, f64, u64)] = match is_emulated {
        true => &[(GaussianPeak::KERNELS, 2, 5.0, 0.5, 1 << 9)],
        false => &[
            (Gaussian::<9>::KERNELS, 9, 5.0, 0.5, 1 << 18),
            (Continuous::KERNELS, 9, 10.0, 0.5, 1 << 18),
            (TwoPeaks::KERNELS, 9, 8.0, 0.2, 1 << 20),
            (Gaussian::<16>::KERNELS, 16, 5.0, 0.5, 1 << 20),
            (Gaussian::<20>::KERNELS, 20, 5.0, 0.5, 1 << 20),
        ],
    };
    let (each, count) = if is_emulated {
        (40, 40)
    } else {
        (200, 1000_u32)
    };
    let module = bench.test_kernels()?;
    let (mut squares, mut disagree) = (0.0, 0);
    for &(kernels, dimensions, a, u, evaluations) in cases {
        let exact = closed_form(&kernels, dimensions, a, u);
        for seed in 0..each {
            let options = VegasOptions {
                evaluations,
                training: if is_emulated { 2 } else { 10 },
                iterations: if is_emulated { 5 } else { 10 },
                seed,
                ..FEW
            };
            let mut plan = Vegas::new(&module, kernels, options)?;
            let of = plan.integrate(&vec![(0.0, 1.0); dimensions], &parameters(a, u))?;
            squares += ((of.value - exact) / of.sigma).powi(2);
            disagree += u64::from(of.status == SamplingStatus::Disagree);
        }
    }
    let pulls = (squares / f64::from(count)).sqrt();
    let what = format!("{pulls}, {disagree} disagree");
    // A standard deviation of so many has an error of 11 % where they are emulated, and else of 2.
    let off = if is_emulated { 0.35 } else { 0.1 };
    assert!((pulls - 1.0).abs() <= off, "{what}");
    assert!(disagree <= u64::from(count) / 20, "{what}");
    Ok(())
}

/// Of a narrow peak, of which even bins see little. Strata are those of several blocks; shares are equal.
pub(crate) fn a_trained_grid_has_smaller_standard_errors(bench: &Bench) -> Outcome {
    let is_emulated = bench.device.properties().kind == EMULATOR;
    let sigma = |training| -> Result<f64, Failed> {
        let options = VegasOptions {
            evaluations: 1 << if is_emulated { 13 } else { 24 },
            training,
            beta: 0.0,
            ..FEW
        };
        let kernels = GaussianPeak::KERNELS;
        let exact = closed_form(&kernels, 3, 20.0, 0.5);
        let of = sampled(bench, kernels, 3, options, &parameters(20.0, 0.5))?;
        let what = format!("{training}: {of:?}, {exact}");
        assert!((of.value - exact).abs() <= 5.0 * of.sigma, "{what}");
        Ok(of.sigma)
    };
    // The first iteration tells the mean square alone.
    let (even, trained) = (sigma(1)?, sigma(4)?);
    assert!(5.0 * trained < even, "{even}, {trained}");
    Ok(())
}

/// Also where more of them were launched.
pub(crate) fn an_integral_ends_at_the_first_iteration_within_the_tolerance(
    bench: &Bench,
) -> Outcome {
    let of = |relative, iterations| {
        let options = VegasOptions {
            relative,
            iterations,
            ..FEW
        };
        sampled(
            bench,
            GaussianPeak::KERNELS,
            2,
            options,
            &parameters(5.0, 0.5),
        )
    };
    let few = of(1e-30, 5)?;
    let relative = 0.7 * few.sigma / few.value;
    let found = of(relative, 100)?;
    let count = found.iterations;
    assert_eq!(found.status, SamplingStatus::Converged, "{found:?}");
    assert!((7..30).contains(&count), "{found:?}");
    assert_eq!(found.evaluations, u64::from(3 + count) << 11);
    assert_eq!(of(relative, count)?, found);
    assert_eq!(of(relative, count - 1)?.status, SamplingStatus::OutOfRoom);
    Ok(())
}

/// Of another schedule and another number of SMs.
pub(crate) fn estimates_have_the_same_bits_again_and_on_other_devices(bench: &Bench) -> Outcome {
    let other = bench.emulated(Settings {
        schedule: Some(7),
        ..Settings::default()
    })?;
    let parameters = parameters(5.0, 0.2);
    let even = |bench: &Bench| -> Result<[Estimate; 2], Failed> {
        let options = LatticeOptions {
            points: 1 << 10,
            replicates: 4,
            ..LatticeOptions::default()
        };
        let (module, limits) = (bench.test_kernels()?, [(0.0, 1.0); 2]);
        let mut of_lattice = Lattice::of::<TwoPeaks>(&module, options)?;
        let mut of_sobol = Sobol::of::<TwoPeaks>(&module, options)?;
        Ok([
            of_lattice.integrate(&limits, &parameters)?,
            of_sobol.integrate(&limits, &parameters)?,
        ])
    };
    let sampled = |bench: &Bench, seed| {
        let options = VegasOptions { seed, ..FEW };
        sampled(bench, TwoPeaks::KERNELS, 2, options, &parameters)
    };
    let (first, of_even) = (sampled(bench, 1)?, even(bench)?);
    for bench in [bench, &other] {
        assert_eq!(sampled(bench, 1)?, first);
        assert_eq!(even(bench)?, of_even);
    }
    assert_ne!(sampled(bench, 2)?.value, first.value);
    Ok(())
}

pub(crate) fn even_points_have_smooth_integrals_to_many_digits(bench: &Bench) -> Outcome {
    have_smooth_integrals::<Rank1>(bench)?;
    have_smooth_integrals::<Scrambled>(bench)
}

fn have_smooth_integrals<P: PointSet>(bench: &Bench) -> Outcome {
    let is_emulated = bench.device.properties().kind == EMULATOR;
    for kernels in MONTE_CARLO {
        let (a, u) = match kernels.name {
            name if name.starts_with("gaussian") => (1.0, 0.5),
            "two_peaks" => (1.0, 0.1),
            _ => usual(kernels),
        };
        let is_smooth = !["continuous", "discontinuous"].contains(&kernels.name);
        let dimensions = if is_emulated { 2 } else { kernels.most.min(10) };
        let options = LatticeOptions {
            relative: match (is_smooth, is_emulated) {
                (true, false) => 1e-5,
                (true, true) => 1e-4,
                (false, _) => 2e-2,
            },
            points: 1 << if is_emulated { 11 } else { 22 },
            replicates: 8,
            ..LatticeOptions::default()
        };
        let exact = closed_form(kernels, dimensions, a, u);
        let mut plan = QuasiMonteCarlo::<P>::new(&bench.test_kernels()?, *kernels, options)?;
        let of = plan.integrate(&vec![(0.0, 1.0); dimensions], &parameters(a, u))?;
        let what = format!("{}, {dimensions}-D: {of:?}, {exact}", kernels.name);
        assert_eq!(of.status, SamplingStatus::Converged, "{what}");
        assert!((of.value - exact).abs() <= 5.0 * of.sigma, "{what}");
        assert!(of.sigma <= options.relative * exact.abs(), "{what}");
    }
    Ok(())
}

/// Of a smooth function standard errors fall like 1 / n at least, and are less than those of as many
/// random points.
pub(crate) fn standard_errors_of_sobol_points_fall_faster_than_they_are_many(
    bench: &Bench,
) -> Outcome {
    let (kernels, of) = (GaussianPeak::KERNELS, parameters(1.0, 0.5));
    let exact = closed_form(&kernels, 3, 1.0, 0.5);
    let sigma = |bits| -> Result<f64, Failed> {
        let options = LatticeOptions {
            relative: 1e-12,
            points: 1_u64 << bits,
            ..LatticeOptions::default()
        };
        let mut plan = Sobol::new(&bench.test_kernels()?, kernels, options)?;
        let of = plan.integrate(&[(0.0, 1.0); 3], &of)?;
        assert!(
            (of.value - exact).abs() <= 5.0 * of.sigma,
            "{of:?}, {exact}"
        );
        Ok(of.sigma)
    };
    let (few, many) = (sigma(8)?, sigma(11)?);
    assert!(8.0 * many <= few, "{few}, {many}");
    // 2^15 points in all, as those.
    let options = VegasOptions {
        evaluations: 1 << 12,
        ..FEW
    };
    let random = sampled(bench, kernels, 3, options, &of)?;
    assert!(4.0 * many < random.sigma, "{many}, {random:?}");
    Ok(())
}

pub(crate) fn boxes_go_either_way_and_converge_when_the_tolerance_is_met(bench: &Bench) -> Outcome {
    let options = VegasOptions {
        relative: 1e-2,
        iterations: 20,
        ..FEW
    };
    let mut plan = Vegas::of::<GaussianPeak>(&bench.test_kernels()?, options)?;
    let parameters = parameters(1.0, 0.0);
    // The square of the error function's integral from -1 to 2, by that from 0 to 1 and to 2.
    let half = |a: f64| exact("gaussian_peak", &[a], &[0.0]).expect("a closed form") * a;
    let exact = (half(1.0) + half(2.0)).powi(2);
    let forth = plan.integrate(&[(-1.0, 2.0); 2], &parameters)?;
    assert_eq!(
        (forth.status, forth.iterations),
        (SamplingStatus::Converged, 5)
    );
    assert!(
        (forth.value - exact).abs() <= 5.0 * forth.sigma,
        "{forth:?}, {exact}"
    );
    let back = plan.integrate(&[(-1.0, 2.0), (2.0, -1.0)], &parameters)?;
    assert_eq!((back.value, back.sigma), (-forth.value, forth.sigma));
    let none = plan.integrate(&[(-1.0, 2.0), (2.0, 2.0)], &parameters)?;
    assert_eq!((none.value, none.sigma, none.evaluations), (0.0, 0.0, 0));
    let mut lattice = Lattice::of::<GaussianPeak>(
        &bench.test_kernels()?,
        LatticeOptions {
            relative: 1e-3,
            replicates: 4,
            ..LatticeOptions::default()
        },
    )?;
    let forth = lattice.integrate(&[(-1.0, 2.0); 2], &parameters)?;
    assert!(
        (forth.value - exact).abs() <= 5.0 * forth.sigma,
        "{forth:?}, {exact}"
    );
    let back = lattice.integrate(&[(2.0, -1.0), (-1.0, 2.0)], &parameters)?;
    assert_eq!(back.value, -forth.value);
    // The product of whose widths is not a number, or underflows.
    for wide in [1e200, 1e-200] {
        let limits = [(0.0, wide); 2];
        for of in [
            plan.integrate(&limits, &parameters)?,
            lattice.integrate(&limits, &parameters)?,
        ] {
            assert_eq!(of.status, SamplingStatus::NotFinite, "{wide}: {of:?}");
        }
    }
    Ok(())
}

pub(crate) fn an_estimate_that_is_not_to_be_believed_says_why(bench: &Bench) -> Outcome {
    // Nearly all of it is in two peaks, which few of 128 points meet, and most iterations do not.
    let options = VegasOptions {
        evaluations: 128,
        training: 0,
        iterations: 10,
        relative: 1e-3,
        ..FEW
    };
    let narrow = sampled(bench, TwoPeaks::KERNELS, 8, options, &parameters(10.0, 0.2))?;
    assert_eq!(narrow.status, SamplingStatus::Disagree, "{narrow:?}");
    let nothing = sampled(
        bench,
        Discontinuous::KERNELS,
        2,
        options,
        &parameters(1.0, -1.0),
    )?;
    assert_eq!(
        (nothing.status, nothing.value),
        (SamplingStatus::Unseen, 0.0)
    );
    let infinite = sampled(
        bench,
        Discontinuous::KERNELS,
        2,
        options,
        &parameters(1000.0, 2.0),
    )?;
    assert_eq!(infinite.status, SamplingStatus::NotFinite);
    assert!(infinite.value.is_nan() && infinite.sigma == f64::INFINITY);
    let options = LatticeOptions {
        points: 256,
        relative: 1e-9,
        ..LatticeOptions::default()
    };
    let mut plan = Lattice::of::<Discontinuous>(&bench.test_kernels()?, options)?;
    for (a, u, status) in [
        (1.0, 0.5, SamplingStatus::OutOfRoom),
        (1.0, -1.0, SamplingStatus::Unseen),
        (1000.0, 2.0, SamplingStatus::NotFinite),
    ] {
        let of = plan.integrate(&[(0.0, 1.0); 2], &parameters(a, u))?;
        assert_eq!(of.status, status, "{of:?}");
    }
    Ok(())
}

pub(crate) fn boxes_and_options_of_samples_that_cannot_be_are_refused(bench: &Bench) -> Outcome {
    let module = bench.test_kernels()?;
    let is_refused = |error: Option<Error>, argument: &str| {
        let is_refused =
            matches!(&error, Some(Error::Argument { argument: name, .. }) if name == argument);
        assert!(is_refused, "{argument}: {error:?}");
    };
    let of = parameters(1.0, 0.0);
    let mut vegas = Vegas::of::<Oscillatory>(&module, FEW)?;
    let mut lattice = Lattice::of::<Oscillatory>(&module, LatticeOptions::default())?;
    for (limits, of, argument) in [
        (vec![], of, "limits"),
        (vec![(0.0, 1.0); 11], of, "limits"),
        (vec![(0.0, f64::INFINITY)], of, "limits"),
        (vec![(f64::NAN, 1.0)], of, "limits"),
        (vec![(0.0, 1.0)], parameters(f64::NAN, 0.0), "parameters"),
    ] {
        is_refused(vegas.integrate(&limits, &of).err(), argument);
        is_refused(lattice.integrate(&limits, &of).err(), argument);
    }
    let changed: [Change<VegasOptions>; 8] = [
        ("relative", |options| options.relative = 0.0),
        ("evaluations", |options| options.evaluations = 127),
        ("evaluations", |options| options.evaluations = 1 << 32),
        ("training", |options| options.training = 1001),
        ("iterations", |options| options.iterations = 1),
        ("alpha", |options| options.alpha = f64::NAN),
        ("alpha", |options| options.alpha = -0.1),
        ("beta", |options| options.beta = 1.1),
    ];
    for (argument, change) in changed {
        let mut options = FEW;
        change(&mut options);
        is_refused(Vegas::of::<Oscillatory>(&module, options).err(), argument);
    }
    let changed: [Change<LatticeOptions>; 3] = [
        ("absolute", |options| options.absolute = -1.0),
        ("points", |options| options.points = 1 << 25),
        ("replicates", |options| options.replicates = 3),
    ];
    for (argument, change) in changed {
        let mut options = LatticeOptions::default();
        change(&mut options);
        is_refused(Lattice::of::<Oscillatory>(&module, options).err(), argument);
    }
    Ok(())
}
