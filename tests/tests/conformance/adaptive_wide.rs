//! Batches by adaptive rules between limits far from where the function is, to tolerances next
//! to what rounding leaves.
//!
//! Expected values: closed forms.

use std::f64::consts::{FRAC_PI_2, SQRT_2};

use quadscan::device::Module;
use quadscan::integrate::formula::Number;
use quadscan::integrate::{
    Adaptive, CONVERGED, GaussKronrod, IntegrandKernels, Items, Kernels, OUT_OF_INTERVALS, Options,
    Outcome, ROUNDOFF, Real,
};
use quadscan_kernels::integrate::catalogue::Gaussian;
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::{Bench, Outcome as Conclusion};
use test_kernels::GenzContinuous;

use crate::batches;

/// How many of each family.
const MEMBERS: usize = 300;

/// A member of a family: limits and parameters, as numbers of `R`, and its integral.
struct Member<R> {
    limits: (R, R),
    parameters: Vec<R>,
    exact: f64,
}

/// A power of 10, its logarithm evenly in `low..high`.
fn power(random: &mut Random, low: f64, high: f64) -> f64 {
    let unit = random.below(1 << 53) as f64 / (1_u64 << 53) as f64;
    10_f64.powf(low + (high - low) * unit)
}

/// exp(-a |x - u|), whose corner is up to 1000 away from the limits; a is 0.1 to 100.
fn corner<R: Real>(random: &mut Random) -> Member<R> {
    let u = power(random, -1.0, 0.5) - power(random, -1.0, 0.5);
    let a = R::from_f64(power(random, -1.0, 2.0));
    let from = R::from_f64(u - power(random, -1.0, 3.0));
    let to = R::from_f64(u + power(random, -1.0, 3.0));
    let u = R::from_f64(u);
    let [at, lower, upper, corner] = [a, from, to, u].map(Real::to_f64);
    let (below, above) = (corner - lower, upper - corner);
    Member {
        limits: (from, to),
        parameters: vec![a, u],
        exact: -((-at * below).exp_m1() + (-at * above).exp_m1()) / at,
    }
}

/// exp(-x^2 / 2), whose peak is up to 300 away from the limits.
fn bell<R: Real>(random: &mut Random) -> Member<R> {
    let from = R::from_f64(-power(random, -1.0, 2.5));
    let to = R::from_f64(power(random, -1.0, 2.5));
    let half = |to: R| FRAC_PI_2.sqrt() * libm::erf(to.to_f64() / SQRT_2);
    Member {
        limits: (from, to),
        parameters: Vec::new(),
        exact: half(to) + half(-from),
    }
}

/// Members of a family are right or say that they are not, whatever they end with; how many
/// end with [`ROUNDOFF`].
fn hold<R: Number>(
    bench: &Bench,
    (module, kernels): (&Module, Kernels<R>),
    member: fn(&mut Random) -> Member<R>,
    options: &Options<R>,
) -> quadscan::Result<usize> {
    let mut random = Random::named(61, kernels.name);
    let members: Vec<Member<R>> = (0..MEMBERS).map(|_| member(&mut random)).collect();
    let from: Vec<R> = members.iter().map(|of| of.limits.0).collect();
    let to: Vec<R> = members.iter().map(|of| of.limits.1).collect();
    let parameters: Vec<R> = members
        .iter()
        .flat_map(|of| of.parameters.clone())
        .collect();
    let (from, to) = (bench.device.upload(&from)?, bench.device.upload(&to)?);
    let parameters = bench.device.upload(&parameters)?;
    let mut items = Items::between(R::ZERO, R::ZERO)
        .from_each(&from)
        .to_each(&to);
    if !kernels.parameters.is_empty() {
        items = items.with_each(&parameters);
    }
    let mut plan = Adaptive::new(module, kernels, options.clone())?;
    let found = batches::outcomes(bench, MEMBERS, |output| plan.integrate(&items, output))?;
    // Of each status, items and those that are off by more than they say.
    let (mut all, mut beyond) = ([0; 4], [0; 4]);
    for (of, member) in found.iter().zip(&members) {
        let Outcome { value, error, .. } = *of;
        let off = (value.to_f64() - member.exact).abs();
        let says = error.to_f64() + 4.0 * f64::EPSILON * member.exact;
        let allowed = says.max(options.relative.to_f64() * member.exact);
        let complaint = format!("{} {of:?}, not {:?}", kernels.name, member.exact);
        assert!(
            of.status != CONVERGED || off <= 10.0 * allowed,
            "{complaint}"
        );
        assert!(
            [CONVERGED, OUT_OF_INTERVALS, ROUNDOFF].contains(&of.status),
            "{complaint}"
        );
        all[of.status as usize] += 1;
        beyond[of.status as usize] += usize::from(off > says);
    }
    for status in [CONVERGED, ROUNDOFF].map(|status| status as usize) {
        assert!(
            beyond[status] * 100 <= all[status],
            "{}, status {status}: {} of {} are off by more than they say",
            kernels.name,
            beyond[status],
            all[status]
        );
    }
    Ok(all[ROUNDOFF as usize])
}

/// An interval that is as right as rounding lets it be is no reason to end where next to it
/// nodes may have missed what it saw.
pub(crate) fn errors_of_roundoff_hold_between_wide_limits(bench: &Bench) -> Conclusion {
    let hard = bench.test_kernels()?;
    for rule in [GaussKronrod::G7K15, GaussKronrod::G10K21] {
        let fine = Options {
            rule,
            relative: 1.3e-14,
            ..Options::default()
        };
        assert!(
            hold(
                bench,
                (&hard, GenzContinuous::KERNELS),
                corner::<f64>,
                &fine
            )? > 20
        );
        hold(
            bench,
            (&bench.module, Gaussian::KERNELS),
            bell::<f64>,
            &fine,
        )?;
        let fine = Options {
            rule,
            relative: 1e-5,
            ..Options::default()
        };
        assert!(
            hold(
                bench,
                (&hard, GenzContinuous::KERNELS),
                corner::<f32>,
                &fine
            )? > 20
        );
        hold(
            bench,
            (&bench.module, Gaussian::KERNELS),
            bell::<f32>,
            &fine,
        )?;
    }
    Ok(())
}
