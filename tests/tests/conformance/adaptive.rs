//! Batches of integrals by adaptive rules.
//!
//! Expected values: the closed forms of `quadscan_tests::integrals`.

use quadscan::integrate::formula::Number;
use quadscan::integrate::{
    Adaptive, CONVERGED, GaussKronrod, IntegrandKernels, Items, Kernels, NO_LIMITS, NOT_FINITE,
    OUT_OF_INTERVALS, OVERFLOW, Options, Outcome, ROUNDOFF, Real,
};
use quadscan_kernels::integrate::catalogue::{Gaussian, Runge};
use quadscan_tests::integrals;
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::{Bench, Outcome as Conclusion};
use test_kernels::{GenzDiscontinuous, GenzGaussian, Planck, RootLog, SquareLog};

use crate::batches::{self, Families, judged, nothing};

const RULES: [GaussKronrod; 2] = [GaussKronrod::G7K15, GaussKronrod::G10K21];

/// Functions that are infinite at an end.
const HARD: [&str; 5] = [
    "square_log",
    "log_cosine",
    "root_tangent",
    "exponential_root",
    "power_log",
];

/// The outcomes of `n` items.
fn outcomes<R: Real>(
    bench: &Bench,
    plan: &mut Adaptive<R>,
    items: &Items<'_, R>,
    n: usize,
) -> quadscan::Result<Vec<Outcome<R>>> {
    batches::outcomes(bench, n, |output| plan.integrate(items, output))
}

fn options<R: Real>(rule: GaussKronrod, relative: f64) -> Options<R> {
    Options {
        rule,
        relative: R::from_f64(relative),
        ..Options::default()
    }
}

pub(crate) fn every_integrand_has_its_closed_form_or_says_that_it_has_not(
    bench: &Bench,
) -> Conclusion {
    for (module, entry) in bench.integrands()? {
        let of = &entry.f64;
        let mut random = Random::named(21, of.name);
        let given = integrals::parameters(of.name, of.parameters.len(), &mut random);
        let items = Items::between(of.limits.0, of.limits.1).with(&given);
        for tolerance in [1e-6, 1e-10, 1e-13] {
            for rule in RULES {
                let mut plan = Adaptive::new(&module, *of, options(rule, tolerance))?;
                let found = outcomes(bench, &mut plan, &items, 1)?;
                let (wrong, is_within) = judged(of.name, &found[0], &given, tolerance);
                assert_eq!(wrong, None, "{rule:?}");
                assert!(
                    is_within,
                    "{} {tolerance:e} {rule:?}: {:?}",
                    of.name, found[0]
                );
                assert!(
                    [CONVERGED, OUT_OF_INTERVALS, ROUNDOFF].contains(&found[0].status),
                    "{} {:?}",
                    of.name,
                    found[0]
                );
                // Only functions that are infinite at an end are hard at this tolerance.
                let is_hard = HARD.contains(&of.name);
                assert!(
                    is_hard || tolerance < 1e-6 || found[0].status == CONVERGED,
                    "{} {rule:?}: {:?}",
                    of.name,
                    found[0]
                );
            }
        }
    }
    Ok(())
}

pub(crate) fn random_members_of_families_are_right_and_their_errors_within_the_estimates(
    bench: &Bench,
) -> Conclusion {
    let families = Families {
        seed: 22,
        members: 1000,
        parameters: integrals::parameters,
        tolerances: &[1e-2, 1e-6, 1e-10, 1e-13],
        converge: |name, tolerance| match name {
            // Infinite at 0 for a below 0: too much for 64 intervals.
            "power_log" => 930,
            // What is small because it cancels has fewer digits.
            "bessel" | "genz_oscillatory" if tolerance < 1e-12 => 200,
            "bessel" | "genz_oscillatory" => 995,
            _ => 1000,
        },
        within: 995,
    };
    families.hold(bench, |module, kernels, tolerance, items, output| {
        let options = options(GaussKronrod::G10K21, tolerance);
        Adaptive::new(module, kernels, options)?.integrate(items, output)
    })
}

pub(crate) fn single_precision_has_its_digits(bench: &Bench) -> Conclusion {
    for (module, entry) in bench.integrands()? {
        let of = &entry.f32;
        let mut random = Random::named(43, of.name);
        let given = integrals::parameters(of.name, of.parameters.len(), &mut random);
        let given: Vec<f32> = given.iter().map(|&value| value as f32).collect();
        let items = Items::between(of.limits.0, of.limits.1).with(&given);
        let given: Vec<f64> = given.iter().map(|&value| value.into()).collect();
        let exact = integrals::exact(of.name, &given).expect("has a closed form");
        let cancels = integrals::magnitude(of.name, &given);
        let size = cancels.unwrap_or(exact.abs());
        for rule in RULES {
            let mut plan = Adaptive::new(&module, *of, options(rule, 2e-5))?;
            let found = outcomes(bench, &mut plan, &items, 1)?[0];
            let error = (f64::from(found.value) - exact).abs();
            let complaint = format!("{} {given:?} {rule:?}: {found:?}, not {exact:?}", of.name);
            let allowed = match found.status {
                CONVERGED => 2e-5 * size,
                // More than 64 intervals, or than f32 can say next to an end, or of a small sum.
                OUT_OF_INTERVALS | ROUNDOFF => f64::from(found.error),
                _ => panic!("{complaint}"),
            };
            assert!(error <= allowed, "{complaint}");
            let is_hard = HARD.contains(&of.name) || cancels.is_some();
            assert!(is_hard || found.status == CONVERGED, "{complaint}");
        }
    }
    Ok(())
}

/// Peaks and steps of any width down to what 16 intervals' nodes see, fast oscillations and
/// singularities: what a rule cannot do it says.
pub(crate) fn narrow_and_steep_members_are_right_or_say_that_they_are_not(
    bench: &Bench,
) -> Conclusion {
    let families = Families {
        seed: 42,
        members: 500,
        parameters: |name, count, random| integrals::wide_parameters(name, count, random, 4e3),
        tolerances: &[1e-2, 1e-6, 1e-10],
        converge: |name, _| match name {
            "bessel" => 850,
            "genz_oscillatory" => 910,
            _ => 980,
        },
        within: 990,
    };
    families.hold(bench, |module, kernels, tolerance, items, output| {
        let options = options(GaussKronrod::G10K21, tolerance);
        Adaptive::new(module, kernels, options)?.integrate(items, output)
    })
}

pub(crate) fn an_outcome_does_not_depend_on_the_batch_or_the_launch(bench: &Bench) -> Conclusion {
    fn check<R: Number>(bench: &Bench, kernels: Kernels<R>, relative: f64) -> Conclusion {
        let (n, module) = (151, bench.test_kernels()?);
        let mut random = Random::named(23, "batches");
        let given: Vec<R> = (0..n)
            .flat_map(|_| integrals::parameters(kernels.name, 2, &mut random))
            .map(R::from_f64)
            .collect();
        let to: Vec<R> = (0..n).map(|i| R::from_f64(0.1 + i as f64 / 40.0)).collect();
        let zero = R::ZERO;
        let (uploaded, uploaded_to) = (bench.device.upload(&given)?, bench.device.upload(&to)?);
        let of_rule = || options::<R>(GaussKronrod::G7K15, relative);
        let items = Items::between(zero, zero)
            .to_each(&uploaded_to)
            .with_each(&uploaded);
        let mut plan = Adaptive::new(&module, kernels, of_rule())?;
        let all = outcomes(bench, &mut plan, &items, n)?;
        assert!(all.iter().any(|of| of.evaluations > 15), "all are easy");
        assert_eq!(outcomes(bench, &mut plan, &items, n)?, all, "again");
        for (blocks, warps) in [(1, 1), (2, 3), (50, 1)] {
            let plan = Adaptive::new(&module, kernels, of_rule())?;
            let mut plan = plan.with_shape(blocks, warps)?;
            assert_eq!(
                outcomes(bench, &mut plan, &items, n)?,
                all,
                "{blocks}x{warps}"
            );
        }
        for i in [0, 1, 76, n - 1] {
            let alone = Items::between(zero, to[i]).with(&given[2 * i..2 * i + 2]);
            assert_eq!(outcomes(bench, &mut plan, &alone, 1)?, [all[i]], "item {i}");
        }
        assert_eq!(
            outcomes(
                bench,
                &mut plan,
                &Items::between(zero, zero).with(&given[..2]),
                0
            )?,
            []
        );
        Ok(())
    }
    check::<f64>(bench, GenzGaussian::KERNELS, 1e-10)?;
    check::<f32>(bench, GenzGaussian::KERNELS, 1e-4)
}

pub(crate) fn ranges_go_either_way_and_as_far_as_infinity(bench: &Bench) -> Conclusion {
    let (nan, infinite) = (f64::NAN, f64::INFINITY);
    let quarter = std::f64::consts::FRAC_PI_4;
    // Of 1 / (1 + x^2).
    let cases = [
        (0.0, 1.0, quarter),
        (1.0, 0.0, -quarter),
        (1.0, infinite, quarter),
        (infinite, 1.0, -quarter),
        (-infinite, -1.0, quarter),
        (-1.0, -infinite, -quarter),
        (-infinite, infinite, 4.0 * quarter),
        (infinite, -infinite, -4.0 * quarter),
        (-infinite, 1.0, 3.0 * quarter),
        (2.5, 2.5, 0.0),
        (infinite, infinite, 0.0),
    ];
    let from: Vec<f64> = cases.iter().map(|case| case.0).chain([nan, 0.0]).collect();
    let to: Vec<f64> = cases.iter().map(|case| case.1).chain([0.0, nan]).collect();
    let (from, to) = (bench.device.upload(&from)?, bench.device.upload(&to)?);
    let items = Items::between(0.0, 0.0).from_each(&from).to_each(&to);
    for rule in RULES {
        let mut plan = Adaptive::<f64>::of::<Runge>(&bench.module, options(rule, 1e-12))?;
        let found = outcomes(bench, &mut plan, &items, cases.len() + 2)?;
        for ((from, to, expected), of) in cases.iter().zip(&found) {
            assert_eq!(of.status, CONVERGED, "{from} to {to}: {of:?}");
            assert!(
                (of.value - expected).abs() <= 1e-12,
                "{from} to {to}: {of:?}"
            );
            assert_eq!(of.evaluations == 0, from == to);
        }
        for of in &found[cases.len()..] {
            assert_eq!((of.status, of.evaluations), (NO_LIMITS, 0));
            assert!(of.value.is_nan() && of.error == infinite);
        }
    }
    Ok(())
}

pub(crate) fn what_cannot_converge_says_why(bench: &Bench) -> Conclusion {
    let hard = bench.test_kernels()?;
    // The root of a negative number, from the first look on.
    let mut plan = Adaptive::<f64>::of::<RootLog>(&hard, Options::default())?;
    let found = outcomes(bench, &mut plan, &Items::between(-1.0, 1.0), 3)?;
    for of in &found {
        assert_eq!((of.status, of.evaluations), (NOT_FINITE, 23));
        assert!(of.value.is_nan() && of.error == f64::INFINITY);
        assert!((-1.0..0.0).contains(&of.at), "{of:?}");
    }
    // An infinite end, and few intervals.
    let few = Options {
        intervals: 5,
        ..options(GaussKronrod::G7K15, 1e-12)
    };
    let mut plan = Adaptive::<f64>::of::<SquareLog>(&hard, few)?;
    let [of] = outcomes(bench, &mut plan, &Items::between(0.0, 1.0), 1)?[..] else {
        panic!("one")
    };
    assert_eq!((of.status, of.evaluations), (OUT_OF_INTERVALS, 9 * 15));
    assert!(
        (of.value - 2.0).abs() <= of.error && of.error > 2e-12,
        "{of:?}"
    );
    // Less than rounding leaves.
    let fine = options(GaussKronrod::G10K21, 1e-15);
    let mut plan = Adaptive::<f64>::of::<GenzGaussian>(&bench.test_kernels()?, fine)?;
    let items = Items::between(0.0, 1.0).with(&[2.0, 0.5]);
    let [of] = outcomes(bench, &mut plan, &items, 1)?[..] else {
        panic!("one")
    };
    assert_eq!(of.status, ROUNDOFF, "{of:?}");
    // Breaks for more intervals than there are.
    let breaks: Vec<f64> = (1..10).map(|i| f64::from(i) / 10.0).collect();
    let many = Options {
        intervals: 4,
        breaks,
        ..options(GaussKronrod::G7K15, 1e-3)
    };
    let mut plan = Adaptive::<f64>::of::<Runge>(&bench.module, many)?;
    let [of] = outcomes(bench, &mut plan, &Items::between(0.0, 1.0), 1)?[..] else {
        panic!("one")
    };
    assert_eq!(of.status, OUT_OF_INTERVALS);
    assert!(of.value.is_nan());
    Ok(())
}

/// Values and limits that are numbers, and sums that are none.
pub(crate) fn what_overflows_is_no_result(bench: &Bench) -> Conclusion {
    for rule in RULES {
        let mut plan = Adaptive::<f64>::of::<Planck>(&bench.test_kernels()?, options(rule, 1e-6))?;
        let items = Items::between(0.0, 1e80).with(&[1e78]);
        let of = outcomes(bench, &mut plan, &items, 1)?[0];
        assert_eq!(of.status, OVERFLOW, "{of:?}");
        assert!(of.value.is_nan() && of.error == f64::INFINITY);
        let mut plan = Adaptive::<f32>::of::<Planck>(&bench.test_kernels()?, options(rule, 1e-3))?;
        let items = Items::between(0.0, 3e11).with(&[1e10]);
        let of = outcomes(bench, &mut plan, &items, 1)?[0];
        assert_eq!(of.status, OVERFLOW, "{of:?}");
        assert!(of.value.is_nan() && of.error == f32::INFINITY);
        // The length of the range is more than a number can be, its half is not.
        let mut plan = Adaptive::<f64>::of::<Runge>(&bench.module, options(rule, 1e-6))?;
        let items = Items::between(-f64::MAX, f64::MAX);
        let of = outcomes(bench, &mut plan, &items, 1)?[0];
        assert!(of.status != CONVERGED && of.status != OVERFLOW, "{of:?}");
    }
    Ok(())
}

/// The first look at a symmetric range sees a peak in its middle, and the next ones do not.
pub(crate) fn a_peak_that_was_seen_once_is_not_lost(bench: &Bench) -> Conclusion {
    let exact = integrals::exact("gaussian", &[]).expect("has a closed form");
    for rule in RULES {
        let mut plan = Adaptive::<f64>::of::<Gaussian>(&bench.module, options(rule, 1e-8))?;
        for decade in 1..12 {
            let far = 10_f64.powi(decade);
            // By the first look at a symmetric range the peak is seen however far it goes.
            let ranges = [(-far, far), (-far, 0.7 * far), (-10.0, far), (-far, 10.0)];
            for (from, to) in ranges.into_iter().take(if far > 1e4 { 1 } else { 4 }) {
                let of = outcomes(bench, &mut plan, &Items::between(from, to), 1)?[0];
                let error = (of.value - exact).abs();
                assert!(
                    error <= 1e-7 || of.status != CONVERGED && error <= of.error,
                    "{from:e} to {to:e}: {of:?}"
                );
                assert!(
                    far > 1e4 || of.status == CONVERGED,
                    "{from:e} to {to:e}: {of:?}"
                );
            }
        }
    }
    Ok(())
}

/// A function is asked for its values between the limits, and not at them.
pub(crate) fn ends_are_no_nodes_however_close_they_are(bench: &Bench) -> Conclusion {
    // Infinite at 0.
    let module = bench.test_kernels()?;
    for rule in RULES {
        let mut plan = Adaptive::<f64>::of::<SquareLog>(&module, options(rule, 1e-6))?;
        let least = f64::from_bits(1);
        for ends in [2, 3, 10, 100, 1000] {
            let to = f64::from_bits(ends);
            let of = outcomes(bench, &mut plan, &Items::between(0.0, to), 1)?[0];
            assert_ne!(of.status, NOT_FINITE, "0 to {to:e}: {of:?}");
        }
        let of = outcomes(bench, &mut plan, &Items::between(0.0, least), 1)?[0];
        assert_eq!((of.status, of.evaluations), (ROUNDOFF, 0), "{of:?}");
        assert_eq!((of.value, of.error), (0.0, f64::INFINITY));
    }
    Ok(())
}

/// A jump that the integrand knows of costs nothing; the same point given by hand neither,
/// and a point elsewhere changes the intervals and not the integral.
pub(crate) fn breaks_begin_intervals(bench: &Bench) -> Conclusion {
    let with = |breaks: &[f64]| {
        let options = Options {
            breaks: breaks.to_vec(),
            ..options(GaussKronrod::G10K21, 1e-12)
        };
        let mut plan = Adaptive::<f64>::of::<Runge>(&bench.module, options)?;
        let found = outcomes(bench, &mut plan, &Items::between(0.0, 1.0), 1)?;
        Ok::<_, quadscan::Error>(found[0])
    };
    let quarter = std::f64::consts::FRAC_PI_4;
    for (breaks, intervals) in [
        (&[][..], 1),
        (&[0.5], 2),
        (&[0.75, 0.25, 0.5, 0.5], 4),
        (&[0.0, 1.0, -3.0, 7.0], 1),
    ] {
        let of = with(breaks)?;
        assert_eq!(
            (of.status, of.evaluations),
            (CONVERGED, intervals * 23),
            "{breaks:?}"
        );
        assert!((of.value - quarter).abs() < 1e-14, "{breaks:?}: {of:?}");
    }
    let (module, options) = (bench.test_kernels()?, options(GaussKronrod::G10K21, 1e-12));
    let mut plan = Adaptive::<f64>::of::<GenzDiscontinuous>(&module, options)?;
    let items = Items::between(0.0, 1.0).with(&[1.25, 0.3]);
    let [of] = outcomes(bench, &mut plan, &items, 1)?[..] else {
        panic!("one")
    };
    assert_eq!((of.status, of.evaluations), (CONVERGED, 46), "{of:?}");
    Ok(())
}

pub(crate) fn batches_that_cannot_be_are_refused_and_nothing_is_written(
    bench: &Bench,
) -> Conclusion {
    let module = bench.test_kernels()?;
    let of = |options| Adaptive::<f64>::of::<GenzGaussian>(&module, options);
    let refused = |options, expected: &str| {
        let error = of(options).map(|_| ()).expect_err(expected);
        assert_eq!(error.to_string(), expected);
    };
    let usual = Options::default;
    refused(
        Options {
            relative: -1.0,
            ..usual()
        },
        "relative is -1.0, allowed are 0 and positive numbers",
    );
    refused(
        Options {
            absolute: f64::NAN,
            ..usual()
        },
        "absolute is NaN, allowed are 0 and positive numbers",
    );
    refused(
        Options {
            relative: 0.0,
            ..usual()
        },
        "relative and absolute are 0, and one of them has to be positive",
    );
    refused(
        Options {
            intervals: 0,
            ..usual()
        },
        "intervals is 0, allowed are 1 to 1024",
    );
    refused(
        Options {
            intervals: 1025,
            ..usual()
        },
        "intervals is 1025, allowed are 1 to 1024",
    );
    refused(
        Options {
            breaks: vec![0.5, f64::INFINITY],
            ..usual()
        },
        "breaks has inf at 1, allowed are numbers",
    );

    let mut plan = of(usual())?;
    let mut output = bench.device.upload(&[nothing(); 3])?;
    let (two, six) = (
        bench.device.upload(&[0.0; 2])?,
        bench.device.upload(&[0.5; 6])?,
    );
    let unit = || Items::between(0.0, 1.0);
    for (items, expected) in [
        (unit(), "parameters are 0, genz_gaussian has 2: a, u"),
        (
            unit().with(&[1.0]),
            "parameters are 1, genz_gaussian has 2: a, u",
        ),
        (
            unit().with_each(&two),
            "parameters has 2 elements, allowed are 2 for each of 3 outcomes",
        ),
        (
            unit().with_each(&six).from_each(&two),
            "from has 2 elements, allowed are one for each of 3 outcomes",
        ),
        (
            unit().with_each(&six).to_each(&six),
            "to has 6 elements, allowed are one for each of 3 outcomes",
        ),
    ] {
        let error = plan.integrate(&items, &mut output).expect_err(expected);
        assert_eq!(error.to_string(), expected);
    }
    let mut none = Adaptive::<f64>::of::<Runge>(&bench.module, usual())?;
    let error = none
        .integrate(&unit().with_each(&six), &mut output)
        .expect_err("has none");
    assert_eq!(error.to_string(), "parameters are given, runge has none");
    assert_eq!(output.to_vec()?, vec![nothing(); 3]);
    Ok(())
}
