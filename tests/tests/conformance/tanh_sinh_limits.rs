//! Tanh-sinh rules next to limits: singularities just outside of the range, peaks closer to a
//! limit than a number's resolution, and numbers below the least normal one.
//!
//! Expected values: antiderivatives, and the closed forms of `quadscan_tests::integrals`.

use quadscan::device::Module;
use quadscan::integrate::{
    CONVERGED, IntegrandKernels, Items, Kernels, ROUNDOFF, TanhSinh, TanhSinhOptions,
};
use quadscan_kernels::integrate::catalogue::{GenzCornerPeak, PowerLog};
use quadscan_tests::integrals;
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::{Bench, Outcome as Conclusion};
use test_kernels::{Planck, SquareLog};

use crate::tanh_sinh::{options, outcome, outcomes};

/// What converges slowly is a small part of the integral, and its phase is any.
pub(crate) fn singularities_just_outside_of_a_limit_are_seen(bench: &Bench) -> Conclusion {
    // Of x^a ln(1 / x) and (ln x)^2, from x = 0 on.
    let of_power = |a: f64, x: f64| x.powf(1.0 + a) * (1.0 / (1.0 + a) - x.ln()) / (1.0 + a);
    let of_square = |x: f64| x * ((x.ln() - 2.0) * x.ln() + 2.0);
    let n = 300;
    let mut random = Random::named(35, "just outside");
    let mut between = |low: f64, high: f64| integrals::between(&mut random, low, high);
    let hard = bench.test_kernels()?;
    let powers: (&Module, Kernels<f64>) = (&bench.module, PowerLog::KERNELS);
    let squares = (&hard, SquareLog::KERNELS);
    for a in [Some(-0.8), Some(-0.5), Some(-0.25), Some(0.5), None] {
        let from: Vec<f64> = (0..n).map(|_| 10_f64.powf(between(-16.0, -1.0))).collect();
        let to: Vec<f64> = (0..n).map(|_| between(0.3, 12.0)).collect();
        let (each, each_to) = (bench.device.upload(&from)?, bench.device.upload(&to)?);
        let given: Vec<f64> = a.into_iter().collect();
        let items = Items::between(0.0, 0.0).with(&given);
        let items = items.from_each(&each).to_each(&each_to);
        let antiderivative = |x| a.map_or_else(|| of_square(x), |a| of_power(a, x));
        let (module, of) = if a.is_some() { powers } else { squares };
        for tolerance in [1e-4, 1e-8, 1e-12] {
            let mut plan = TanhSinh::new(module, of, options(tolerance))?;
            let found = outcomes(bench, &mut plan, &items, n)?;
            let mut within = 0;
            for ((&from, &to), of) in from.iter().zip(&to).zip(&found) {
                let [low, one, high] = [from, to.min(1.0), to].map(antiderivative);
                let size = (one - low).abs() + (high - one).abs();
                let error = (of.value - (high - low)).abs();
                let is_right = match of.status {
                    CONVERGED => error <= 10.0 * tolerance * size,
                    other => other == ROUNDOFF,
                };
                assert!(
                    is_right,
                    "{a:?} {from:e}..{to} {tolerance:e}: {of:?}, {error:e}"
                );
                within += usize::from(error <= of.error + 8.0 * f64::EPSILON * size);
            }
            assert!(within * 1000 >= n * 995, "{a:?} {tolerance:e}: {within}");
        }
    }
    Ok(())
}

/// Peaks that are closer to a limit than a number's resolution of the range.
pub(crate) fn what_one_level_saw_the_next_one_looks_at(bench: &Bench) -> Conclusion {
    let with = |absolute| TanhSinhOptions {
        absolute,
        ..options(1e-10)
    };
    let mut plan = TanhSinh::<f64>::of::<GenzCornerPeak>(&bench.module, with(1e-42))?;
    let of = outcome(bench, &mut plan, &Items::between(0.0, 1.0).with(&[1e40]))?;
    assert_eq!(of.status, CONVERGED, "{of:?}");
    assert!((of.value - 1e-40).abs() <= 1e-42, "{of:?}");
    let mut plan = TanhSinh::<f64>::of::<Planck>(&bench.test_kernels()?, with(1e102))?;
    let items = Items::between(0.0, f64::INFINITY).with(&[1e26]);
    let of = outcome(bench, &mut plan, &items)?;
    let error = integrals::exact("planck", &[1e26]).map(|exact| (of.value - exact).abs());
    assert_eq!(of.status, CONVERGED, "{of:?}");
    assert!(error <= Some(1e102), "{of:?}, {error:?}");
    Ok(())
}

/// Numbers below the least normal one have fewer digits.
pub(crate) fn the_least_numbers_have_errors(bench: &Bench) -> Conclusion {
    let mut plan = TanhSinh::<f64>::of::<PowerLog>(&bench.module, options(1e-10))?;
    for to in [1e-10_f64, 8e-11, 6e-11] {
        let of = outcome(bench, &mut plan, &Items::between(0.0, to).with(&[30.0]))?;
        // One rounding after the other would be another number.
        let exact = to.powi(15) * (to.powi(16) * (1.0 / 31.0 - to.ln()) / 31.0);
        assert!(
            (of.value - exact).abs() <= of.error,
            "{of:?}, not {exact:e}"
        );
        assert!(of.error < 1e-321, "{of:?}");
    }
    Ok(())
}
