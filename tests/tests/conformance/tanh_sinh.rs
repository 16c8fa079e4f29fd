//! Batches of integrals by tanh-sinh rules.
//!
//! Expected values: the closed forms of `quadscan_tests::integrals`.

use quadscan::device::Module;
use quadscan::integrate::formula::Number;
use quadscan::integrate::{
    CONVERGED, IntegrandKernels, Items, Kernels, NO_LIMITS, NOT_FINITE, OUT_OF_INTERVALS, OVERFLOW,
    Outcome, ROUNDOFF, Real, TanhSinh, TanhSinhOptions,
};
use quadscan_kernels::integrate::catalogue::{GenzCornerPeak, PowerLog, QuarterCircle, Runge};
use quadscan_tests::integrals;
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::{Bench, Outcome as Conclusion};
use test_kernels::{
    DampedSine, ExponentialRoot, GenzContinuous, GenzDiscontinuous, GenzGaussian, LogCosine,
    Planck, RootLog, RootOfDistance, RootTangent, SquareLog, XLog,
};

use crate::batches::{self, Families, judged, nothing};

/// The outcomes of `n` items.
pub(crate) fn outcomes<R: Real>(
    bench: &Bench,
    plan: &mut TanhSinh<R>,
    items: &Items<'_, R>,
    n: usize,
) -> quadscan::Result<Vec<Outcome<R>>> {
    batches::outcomes(bench, n, |output| plan.integrate(items, output))
}

/// The outcome of one.
pub(crate) fn outcome<R: Real>(
    bench: &Bench,
    plan: &mut TanhSinh<R>,
    items: &Items<'_, R>,
) -> quadscan::Result<Outcome<R>> {
    Ok(outcomes(bench, plan, items, 1)?[0])
}

pub(crate) fn options<R: Real>(relative: f64) -> TanhSinhOptions<R> {
    TanhSinhOptions {
        relative: R::from_f64(relative),
        ..TanhSinhOptions::default()
    }
}

pub(crate) fn every_integrand_has_its_closed_form(bench: &Bench) -> Conclusion {
    // What is small because it cancels has fewer digits than 13.
    let cancels = ["bessel", "damped_sine", "genz_oscillatory"];
    for (module, entry) in bench.integrands()? {
        let of = &entry.f64;
        let mut random = Random::named(31, of.name);
        let given = integrals::parameters(of.name, of.parameters.len(), &mut random);
        let items = Items::between(of.limits.0, of.limits.1).with(&given);
        for tolerance in [1e-6, 1e-10, 1e-13] {
            let mut plan = TanhSinh::new(&module, *of, options(tolerance))?;
            let found = outcome(bench, &mut plan, &items)?;
            let (wrong, is_within) = judged(of.name, &found, &given, tolerance);
            assert_eq!(wrong, None);
            assert!(is_within, "{} {tolerance:e}: {found:?}", of.name);
            let expected = match tolerance < 1e-12 && cancels.contains(&of.name) {
                true => &[CONVERGED, ROUNDOFF][..],
                false => &[CONVERGED],
            };
            assert!(
                expected.contains(&found.status),
                "{} {tolerance:e}: {found:?}",
                of.name
            );
        }
    }
    Ok(())
}

/// Functions that are infinite at an end, or steep, by few nodes; and how strong a
/// singularity may be, where the least distance is about 10^-308.
pub(crate) fn singular_ends_cost_no_digits_as_far_as_numbers_reach(bench: &Bench) -> Conclusion {
    let hard = bench.test_kernels()?;
    for (module, of, most) in [
        (&hard, SquareLog::KERNELS, 130),
        (&hard, RootLog::KERNELS, 130),
        (&hard, LogCosine::KERNELS, 130),
        (&hard, RootTangent::KERNELS, 150),
        (&hard, ExponentialRoot::KERNELS, 260),
        (&bench.module, QuarterCircle::KERNELS, 130),
        (&hard, RootOfDistance::KERNELS, 260),
    ] {
        let name = of.name;
        let mut plan = TanhSinh::<f64>::new(module, of, options(1e-13))?;
        let items = Items::between(of.limits.0, of.limits.1);
        let found = outcome(bench, &mut plan, &items)?;
        let exact = integrals::exact(name, &[]).expect("has a closed form");
        assert_eq!(found.status, CONVERGED, "{name}: {found:?}");
        assert!(found.evaluations <= most, "{name}: {found:?}");
        let error = (found.value - exact).abs();
        assert!(error <= 2e-15 * exact.abs(), "{name}: {error:e}, {found:?}");
    }
    let mut plan = TanhSinh::<f64>::of::<PowerLog>(&bench.module, options(1e-13))?;
    for (power, expected) in [
        (-0.5, CONVERGED),
        (-0.7, CONVERGED),
        (-0.9, CONVERGED),
        (-0.97, ROUNDOFF),
        (-0.99, ROUNDOFF),
    ] {
        let items = Items::between(0.0, 1.0).with(&[power]);
        let found = outcome(bench, &mut plan, &items)?;
        let (wrong, is_within) = judged("power_log", &found, &[power], 1e-14);
        assert_eq!(wrong, None);
        assert!(is_within, "{power}: {found:?}");
        assert_eq!(found.status, expected, "{power}: {found:?}");
    }
    Ok(())
}

/// Poles at a limit, at 0 and where `x` cannot come as close.
pub(crate) fn what_has_no_integral_does_not_converge(bench: &Bench) -> Conclusion {
    let mut plan = TanhSinh::<f64>::of::<PowerLog>(&bench.module, options(1e-3))?;
    for power in [-1.0, -1.01, -1.5, -3.0] {
        let items = Items::between(0.0, 1.0).with(&[power]);
        let found = outcome(bench, &mut plan, &items)?;
        assert_ne!(found.status, CONVERGED, "{power}: {found:?}");
    }
    let mut plan = TanhSinh::<f64>::of::<GenzCornerPeak>(&bench.module, options(1e-3))?;
    for limits in [(-1.0, 1.0), (-2.0, -1.0), (-1.0, f64::INFINITY)] {
        let items = Items::between(limits.0, limits.1).with(&[1.0]);
        let found = outcome(bench, &mut plan, &items)?;
        assert_ne!(found.status, CONVERGED, "{limits:?}: {found:?}");
    }
    // 1 / x, from 1 on.
    let mut plan = TanhSinh::<f64>::of::<GenzGaussian>(&bench.test_kernels()?, options(1e-3))?;
    let items = Items::between(0.0, f64::INFINITY).with(&[0.0, 0.0]);
    let found = outcome(bench, &mut plan, &items)?;
    assert_ne!(found.status, CONVERGED, "{found:?}");
    Ok(())
}

pub(crate) fn random_members_of_families_are_right_and_their_errors_within_the_estimates(
    bench: &Bench,
) -> Conclusion {
    let families = Families {
        seed: 32,
        members: 1000,
        parameters: integrals::parameters,
        tolerances: &[1e-2, 1e-6, 1e-10, 1e-13],
        converge: |name, tolerance| match name {
            // What is small because it cancels has fewer digits.
            "bessel" | "genz_oscillatory" if tolerance < 1e-12 => 300,
            "bessel" | "genz_oscillatory" => 995,
            _ => 1000,
        },
        within: 995,
    };
    families.hold(bench, |module, kernels, tolerance, items, output| {
        TanhSinh::new(module, kernels, options(tolerance))?.integrate(items, output)
    })
}

/// Peaks and steps of any width down to what 16 intervals' nodes see, fast oscillations and
/// singularities: what a rule cannot do it says.
pub(crate) fn narrow_and_steep_members_are_right_or_say_that_they_are_not(
    bench: &Bench,
) -> Conclusion {
    let families = Families {
        seed: 52,
        members: 200,
        parameters: |name, count, random| integrals::wide_parameters(name, count, random, 300.0),
        tolerances: &[1e-2, 1e-6, 1e-10],
        converge: |name, _| match name {
            "genz_product_peak" => 890,
            "genz_oscillatory" | "genz_gaussian" => 950,
            _ => 980,
        },
        within: 990,
    };
    families.hold(bench, |module, kernels, tolerance, items, output| {
        TanhSinh::new(module, kernels, options(tolerance))?.integrate(items, output)
    })
}

pub(crate) fn single_precision_has_its_digits(bench: &Bench) -> Conclusion {
    for (module, entry) in bench.integrands()? {
        let of = &entry.f32;
        let mut random = Random::named(33, of.name);
        let given = integrals::parameters(of.name, of.parameters.len(), &mut random);
        let given: Vec<f32> = given.iter().map(|&value| value as f32).collect();
        let items = Items::between(of.limits.0, of.limits.1).with(&given);
        let mut plan = TanhSinh::new(&module, *of, options(2e-5))?;
        let found = outcome(bench, &mut plan, &items)?;
        let given: Vec<f64> = given.iter().map(|&value| value.into()).collect();
        let exact = integrals::exact(of.name, &given).expect("has a closed form");
        let size = integrals::magnitude(of.name, &given).unwrap_or(exact.abs());
        let error = (f64::from(found.value) - exact).abs();
        assert!(
            [CONVERGED, ROUNDOFF].contains(&found.status),
            "{} {given:?}: {found:?}, not {exact:?}",
            of.name
        );
        assert!(
            error <= 2e-5 * size,
            "{} {given:?}: {found:?}, not {exact:?}",
            of.name
        );
    }
    Ok(())
}

pub(crate) fn an_outcome_does_not_depend_on_the_batch_or_the_launch(bench: &Bench) -> Conclusion {
    fn check<R: Number>(
        bench: &Bench,
        module: &Module,
        kernels: Kernels<R>,
        relative: f64,
    ) -> Conclusion {
        let n = 151;
        let mut random = Random::named(34, "batches");
        let given: Vec<R> = (0..n)
            .flat_map(|_| integrals::parameters(kernels.name, 2, &mut random))
            .map(R::from_f64)
            .collect();
        let to: Vec<R> = (0..n).map(|i| R::from_f64(0.1 + i as f64 / 40.0)).collect();
        let zero = R::ZERO;
        let (uploaded, uploaded_to) = (bench.device.upload(&given)?, bench.device.upload(&to)?);
        let items = Items::between(zero, zero)
            .to_each(&uploaded_to)
            .with_each(&uploaded);
        let mut plan = TanhSinh::new(module, kernels, options(relative))?;
        let all = outcomes(bench, &mut plan, &items, n)?;
        let evaluations = all.iter().map(|of| of.evaluations);
        assert!(
            evaluations.clone().max() > evaluations.min(),
            "all are alike"
        );
        assert_eq!(outcomes(bench, &mut plan, &items, n)?, all, "again");
        for (blocks, warps) in [(1, 1), (2, 3), (50, 1)] {
            let plan = TanhSinh::new(module, kernels, options(relative))?;
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
        let none = Items::between(zero, zero).with(&given[..2]);
        assert_eq!(outcomes(bench, &mut plan, &none, 0)?, []);
        Ok(())
    }
    // One that has a break.
    let module = bench.test_kernels()?;
    check::<f64>(bench, &module, GenzContinuous::KERNELS, 1e-10)?;
    check::<f32>(bench, &module, GenzContinuous::KERNELS, 1e-4)
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
        (-f64::MAX, f64::MAX, 4.0 * quarter),
        (2.5, 2.5, 0.0),
        (infinite, infinite, 0.0),
    ];
    let from: Vec<f64> = cases.iter().map(|case| case.0).chain([nan, 0.0]).collect();
    let to: Vec<f64> = cases.iter().map(|case| case.1).chain([0.0, nan]).collect();
    let (from, to) = (bench.device.upload(&from)?, bench.device.upload(&to)?);
    let items = Items::between(0.0, 0.0).from_each(&from).to_each(&to);
    let mut plan = TanhSinh::<f64>::of::<Runge>(&bench.module, options(1e-12))?;
    let found = outcomes(bench, &mut plan, &items, cases.len() + 2)?;
    for ((from, to, expected), of) in cases.iter().zip(&found) {
        if *to == f64::MAX {
            // The peak is too narrow to be seen; but nothing wrong is returned as right.
            assert_ne!(of.status, CONVERGED, "{of:?}");
            continue;
        }
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
    Ok(())
}

pub(crate) fn what_cannot_converge_says_why(bench: &Bench) -> Conclusion {
    let hard = bench.test_kernels()?;
    // The root of a negative number, from the first look on.
    let mut plan = TanhSinh::<f64>::of::<RootLog>(&hard, options(1e-6))?;
    let found = outcomes(bench, &mut plan, &Items::between(-1.0, 0.5), 3)?;
    for of in &found {
        assert_eq!((of.status, of.evaluations), (NOT_FINITE, 8), "{of:?}");
        assert!(of.value.is_nan() && of.error == f64::INFINITY);
        assert!((-1.0..0.0).contains(&of.at), "{of:?}");
    }
    // Fifty oscillations by too few nodes.
    let few = TanhSinhOptions {
        levels: 4,
        ..options(1e-10)
    };
    let mut plan = TanhSinh::<f64>::of::<DampedSine>(&hard, few)?;
    let of = outcome(bench, &mut plan, &Items::between(0.0, 1.0))?;
    assert_eq!(of.status, OUT_OF_INTERVALS, "{of:?}");
    // The antiderivative is -exp(-x) (sin 50x + 50 cos 50x) / 2501.
    let exact = (50.0 - (-1.0_f64).exp() * (50_f64.sin() + 50.0 * 50_f64.cos())) / 2501.0;
    assert!((of.value - exact).abs() <= of.error, "{of:?}");
    // Less than rounding leaves.
    let mut plan = TanhSinh::<f64>::of::<GenzGaussian>(&bench.test_kernels()?, options(1e-15))?;
    let items = Items::between(0.0, 1.0).with(&[2.0, 0.5]);
    let of = outcome(bench, &mut plan, &items)?;
    assert_eq!(of.status, ROUNDOFF, "{of:?}");
    // No number is as close to the ends as the nodes.
    let items = Items::between(0.0, f64::MIN_POSITIVE / 4.0).with(&[2.0, 0.5]);
    let of = outcome(bench, &mut plan, &items)?;
    assert_ne!(of.status, CONVERGED, "{of:?}");
    assert_eq!(of.error, f64::INFINITY, "{of:?}");
    Ok(())
}

/// Values that are numbers, and sums that are none; but not where only the sums of terms
/// before they are multiplied by their distance would be.
pub(crate) fn what_overflows_is_no_result(bench: &Bench) -> Conclusion {
    let mut plan = TanhSinh::<f64>::of::<Planck>(&bench.test_kernels()?, options(1e-6))?;
    let items = Items::between(0.0, 1e80).with(&[1e78]);
    let of = outcome(bench, &mut plan, &items)?;
    assert_eq!(of.status, OVERFLOW, "{of:?}");
    assert!(of.value.is_nan() && of.error == f64::INFINITY);
    // x ln(1 + x), whose integral is x^2 (ln x - 1 / 2) / 2 where x is large.
    let hard = bench.test_kernels()?;
    let mut plan = TanhSinh::<f64>::of::<XLog>(&hard, options(1e-10))?;
    let of = outcome(bench, &mut plan, &Items::between(0.0, 1e155))?;
    assert_eq!(of.status, OVERFLOW, "{of:?}");
    let of = outcome(bench, &mut plan, &Items::between(0.0, 9e152))?;
    let exact = 9e152 * 9e152 * (9e152_f64.ln() / 2.0 - 0.25);
    assert_eq!(of.status, CONVERGED, "{of:?}");
    assert!((of.value / exact - 1.0).abs() <= 1e-10, "{of:?}");
    Ok(())
}

/// A jump that the integrand knows of costs nothing; the same point given by hand neither,
/// and a point elsewhere changes the intervals and not the integral.
pub(crate) fn breaks_begin_intervals(bench: &Bench) -> Conclusion {
    let with = |breaks: &[f64]| {
        let options = TanhSinhOptions {
            breaks: breaks.to_vec(),
            ..options(1e-12)
        };
        let mut plan = TanhSinh::<f64>::of::<Runge>(&bench.module, options)?;
        outcome(bench, &mut plan, &Items::between(0.0, 1.0))
    };
    let quarter = std::f64::consts::FRAC_PI_4;
    let plain = with(&[])?;
    assert_eq!(with(&[0.0, 1.0, -3.0, 7.0])?, plain);
    for breaks in [&[0.5][..], &[0.75, 0.25, 0.5, 0.5]] {
        let of = with(breaks)?;
        assert_eq!(of.status, CONVERGED, "{breaks:?}: {of:?}");
        assert!((of.value - quarter).abs() < 1e-14, "{breaks:?}: {of:?}");
        assert_ne!(of.evaluations, plain.evaluations, "{breaks:?}");
    }
    let hard = bench.test_kernels()?;
    let mut plan = TanhSinh::<f64>::of::<GenzDiscontinuous>(&hard, options(1e-12))?;
    let items = Items::between(0.0, 1.0).with(&[1.25, 0.3]);
    let of = outcome(bench, &mut plan, &items)?;
    assert_eq!(of.status, CONVERGED, "{of:?}");
    // To 0.3 it is analytic, and behind there is nothing: two intervals of few nodes.
    assert!(of.evaluations < 260, "{of:?}");
    let exact = integrals::exact("genz_discontinuous", &[1.25, 0.3]).expect("has a closed form");
    assert!((of.value - exact).abs() < 1e-15, "{of:?}, not {exact}");
    Ok(())
}

pub(crate) fn batches_that_cannot_be_are_refused_and_nothing_is_written(
    bench: &Bench,
) -> Conclusion {
    let module = bench.test_kernels()?;
    let of = |options| TanhSinh::<f64>::of::<GenzGaussian>(&module, options);
    let usual = TanhSinhOptions::default;
    let levels = |levels| TanhSinhOptions { levels, ..usual() };
    for (options, expected) in [
        (
            options(-1.0),
            "relative is -1.0, allowed are 0 and positive numbers",
        ),
        (
            options(0.0),
            "relative and absolute are 0, and one of them has to be positive",
        ),
        (levels(1), "levels is 1, allowed are 2 to 10"),
        (levels(11), "levels is 11, allowed are 2 to 10"),
        (
            TanhSinhOptions {
                breaks: vec![f64::NAN],
                ..usual()
            },
            "breaks has NaN at 0, allowed are numbers",
        ),
    ] {
        let error = of(options).map(|_| ()).expect_err(expected);
        assert_eq!(error.to_string(), expected);
    }
    let error = of(usual())?.with_shape(1, 9).map(|_| ()).expect_err("9");
    assert_eq!(error.to_string(), "warps is 9, allowed are 1 to 8");

    let mut plan = of(usual())?;
    let mut output = bench.device.upload(&[nothing(); 3])?;
    let two = bench.device.upload(&[0.5; 2])?;
    let unit = || Items::between(0.0, 1.0);
    for (items, expected) in [
        (unit(), "parameters are 0, genz_gaussian has 2: a, u"),
        (
            unit().with(&[1.0, 0.5]).to_each(&two),
            "to has 2 elements, allowed are one for each of 3 outcomes",
        ),
    ] {
        let error = plan.integrate(&items, &mut output).expect_err(expected);
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(output.to_vec()?, vec![nothing(); 3]);
    Ok(())
}
