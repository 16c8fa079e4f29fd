//! A batch of integrals: ours by a plan, every outcome compared with its closed form, and then
//! timed.

use bytemuck::Zeroable;

use super::integral::unknown;
use super::protocol::{Job, Reading, Task};
use crate::measure::{Rule, device as timing};
use crate::peers::operation::Element;
use crate::workload::integrals::Batch;
use crate::workload::integrals::kinds::{Kind, LIMITS, Method};
use quadscan::Result;
use quadscan::device::{Buffer, Module};
use quadscan::integrate::{
    Adaptive, CONVERGED, GaussKronrod, Items, Kernels, Options, Outcome, Real, TanhSinh,
    TanhSinhOptions,
};

/// How far an item that converged may be off, in units of the tolerance: what the tests of
/// batches demand.
const ALLOWED: f64 = 10.0;

/// Which batch.
#[derive(Clone, Copy)]
struct Asked {
    kind: &'static Kind,
    method: Method,
    items: u64,
    tolerance: f64,
}

/// Checks a batch, and times it where there is a timer and times are asked for.
pub(super) fn measure(module: &Module, job: &Job) -> Result<Reading> {
    let Task::Integrals {
        kind,
        rule,
        element,
        items,
        tolerance,
    } = &job.task
    else {
        return Err(unknown("task", "another"));
    };
    let asked = Asked {
        kind: Kind::by_name(kind).ok_or_else(|| unknown("kind", kind))?,
        method: Method::by_name(rule).ok_or_else(|| unknown("rule", rule))?,
        items: *items,
        tolerance: *tolerance,
    };
    let entry = asked.kind.entry().ok_or_else(|| unknown("kind", kind))?;
    match element {
        Element::F64 => of(module, entry.f64, asked, job),
        Element::F32 => of(module, entry.f32, asked, job),
        other => Err(unknown("type", other.name())),
    }
}

/// A plan of either kind of rules.
enum Plan<R: Real> {
    Adaptive(Adaptive<R>),
    TanhSinh(TanhSinh<R>),
}

impl<R: Real> Plan<R> {
    fn new(module: &Module, kernels: Kernels<R>, asked: &Asked) -> Result<Self> {
        let relative = R::from_f64(asked.tolerance);
        let absolute = if asked.kind.is_absolute {
            relative
        } else {
            R::ZERO
        };
        let adaptive = |rule| {
            let options = Options {
                rule,
                absolute,
                relative,
                ..Options::default()
            };
            Adaptive::new(module, kernels, options).map(Plan::Adaptive)
        };
        match asked.method {
            Method::G7K15 => adaptive(GaussKronrod::G7K15),
            Method::G10K21 => adaptive(GaussKronrod::G10K21),
            Method::TanhSinh => {
                let options = TanhSinhOptions {
                    absolute,
                    relative,
                    ..TanhSinhOptions::default()
                };
                TanhSinh::new(module, kernels, options).map(Plan::TanhSinh)
            }
        }
    }

    fn launch(&mut self, items: &Items<'_, R>, output: &mut Buffer<Outcome<R>>) -> Result<()> {
        match self {
            Plan::Adaptive(plan) => plan.integrate(items, output),
            Plan::TanhSinh(plan) => plan.integrate(items, output),
        }
    }
}

fn of<R: Real>(module: &Module, kernels: Kernels<R>, asked: Asked, job: &Job) -> Result<Reading> {
    let device = module.device();
    // An item's parameters one after another; those behind the first are 0.
    let each = kernels.parameters.len();
    let mut parameters = vec![R::ZERO; asked.items as usize * each];
    for (item, own) in (0..).zip(parameters.chunks_exact_mut(each)) {
        own[0] = R::from_f64(asked.kind.parameter(item));
    }
    let given = device.upload(&parameters)?;
    let items = Items::between(R::from_f64(LIMITS.0), R::from_f64(LIMITS.1)).with_each(&given);
    let mut plan = Plan::new(module, kernels, &asked)?;
    let mut output = device.alloc_zeroed(asked.items as usize)?;
    plan.launch(&items, &mut output)?;

    let mut outcomes = vec![Outcome::zeroed(); asked.items as usize];
    output.copy_to(&mut outcomes)?;
    let first = parameters.iter().step_by(each).map(|a| a.to_f64());
    let (batch, wrong) = judged(&asked, first.zip(&outcomes));
    let mut reading = Reading {
        integrals: Some(batch),
        wrong,
        ..Reading::default()
    };
    let is_timed = device.properties().has_timer && !job.untimed;
    if !is_timed || reading.wrong.is_some() {
        return Ok(reading);
    }
    let rule = Rule::new(job.repeat);
    let mut launch = || plan.launch(&items, &mut output);
    let launches: &mut [timing::Launch<'_>] = &mut [&mut launch];
    if let Some(ours) = timing::kernels_and_methods(&rule, device, launches)?.pop() {
        reading.kernel = Some(ours.timing);
        reading.kernel_method = Some(ours.method);
    }
    Ok(reading)
}

/// How a batch ended, and what is wrong with the item that is off the most, if it is too far.
fn judged<'a, R: Real>(
    asked: &Asked,
    outcomes: impl Iterator<Item = (f64, &'a Outcome<R>)>,
) -> (Batch, Option<String>) {
    let (mut batch, mut evaluations) = (Batch::default(), 0_u64);
    let mut worst: Option<(f64, f64, f64, f64)> = None;
    for (a, outcome) in outcomes {
        evaluations += u64::from(outcome.evaluations);
        if outcome.status != CONVERGED {
            batch.unconverged += 1;
            continue;
        }
        batch.converged += 1;
        let exact = asked.kind.exact(a);
        let found = outcome.value.to_f64();
        let error = (found - exact).abs() / (asked.tolerance * asked.kind.scale(exact));
        // What is no number is further off than anything.
        let error = if error.is_nan() { f64::INFINITY } else { error };
        if worst.is_none_or(|(largest, ..)| error > largest) {
            worst = Some((error, a, found, exact));
        }
    }
    batch.evaluations = evaluations as f64 / asked.items.max(1) as f64;
    batch.largest_error = worst
        .map(|(error, ..)| error)
        .filter(|error| error.is_finite());
    let named = format!("{} by {}", asked.kind.name, asked.method.name());
    let wrong = worst.filter(|(error, ..)| *error > ALLOWED);
    let wrong = wrong.map(|(error, a, found, exact)| {
        format!(
            "{named}: {found:e} for a = {a}, where {exact:e} is right: {error:.1} tolerances, \
             and {ALLOWED} are allowed"
        )
    });
    let none = || {
        let is_none = batch.converged == 0 && batch.unconverged > 0;
        is_none.then(|| format!("{named}: none of {} items converged", batch.unconverged))
    };
    let wrong = wrong.or_else(none);
    (batch, wrong)
}

#[cfg(test)]
#[path = "integrals_tests.rs"]
mod tests;
