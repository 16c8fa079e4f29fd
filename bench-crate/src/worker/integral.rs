//! One integral: ours by a plan, and the peers', each compared with what the rule gives and
//! then timed beside the others.

use std::path::{Path, PathBuf};

use super::libraries::Libraries;
use super::protocol::{Job, Peer, Reading, Task};
use crate::measure::device as timing;
use crate::peers::integral::{Peer as Library, Request};
use crate::peers::operation::Element;
use crate::record::PeerTime;
use crate::workload::integrals::Integral;
use crate::workload::integrals::single::{
    LIMITS, Single, evaluations, plain_bound, relative_bound,
};
use quadscan::device::{Buffer, Module};
use quadscan::integrate::names::{name_of, rule_by_name};
use quadscan::integrate::{Composite, Kernels, Parameters, Real, Rule};
use quadscan::{Error, Result};

/// What a job does not know of.
pub(super) fn unknown(argument: &str, name: &str) -> Error {
    Error::Argument {
        argument: argument.to_owned(),
        problem: format!("`{name}` is unknown to the measuring process"),
    }
}

/// Which integral.
#[derive(Clone, Copy)]
struct Asked {
    single: &'static Single,
    rule: Rule,
    strips: u64,
}

impl Asked {
    fn request(&self) -> Request {
        Request {
            limits: LIMITS,
            parameters: self.single.parameters(),
            strips: self.strips,
        }
    }

    fn name(&self) -> String {
        format!("{} by {}", self.single.name, name_of(self.rule))
    }
}

/// Checks an integral, and times it where there is a timer and times are asked for.
pub(super) fn measure(
    module: &Module,
    libraries: &mut Libraries<Library>,
    job: &Job,
) -> Result<Reading> {
    let Task::Integral {
        integrand,
        rule,
        element,
        strips,
    } = &job.task
    else {
        return Err(unknown("task", "another"));
    };
    let asked = Asked {
        single: Single::by_name(integrand).ok_or_else(|| unknown("integrand", integrand))?,
        rule: rule_by_name(rule).ok_or_else(|| unknown("rule", rule))?,
        strips: *strips,
    };
    let entry = asked
        .single
        .entry()
        .ok_or_else(|| unknown("integrand", integrand))?;
    match element {
        Element::F64 => of::<f64>(module, entry.f64, libraries, asked, job),
        Element::F32 => of::<f32>(module, entry.f32, libraries, asked, job),
        other => Err(unknown("type", other.name())),
    }
}

fn of<R: Real>(
    module: &Module,
    kernels: Kernels<R>,
    libraries: &mut Libraries<Library>,
    asked: Asked,
    job: &Job,
) -> Result<Reading> {
    let mut ours = Ours::new(module, kernels, &asked)?;
    ours.launch(&asked)?;
    let found = value(&ours.output)?;
    let expected = asked.single.expected(asked.rule, asked.strips);
    let integral = compared::<R>(&asked, found, expected);
    let mut reading = Reading {
        wrong: wrong::<R>(&asked, &integral, found),
        integral: Some(integral),
        ..Reading::default()
    };
    let is_timed = module.device().properties().has_timer && !job.untimed;
    if !is_timed || reading.wrong.is_some() {
        return Ok(reading);
    }
    let paths: &[PathBuf] = match &job.peer {
        Some(Peer::Libraries(paths)) => paths,
        _ => &[],
    };
    // SAFETY: the run has built it from `peers/integrate`, or has been told that it did.
    let load = |path: &Path| unsafe { Library::load(path) };
    let mut peers = Vec::new();
    for library in libraries.of(paths, load) {
        let found = match library {
            Ok(library) => Contestant::<R>::new(module, library, &asked, expected),
            Err(reason) => Ok(Err(reason.clone())),
        };
        match found {
            Ok(Ok(contestant)) => peers.extend(contestant),
            Ok(Err(problem)) => reading.peer_problem = Some(format!("--peers: {problem}")),
            Err(error) if error.is_context_lost() => return Err(error),
            Err(error) => reading.peer_problem = Some(format!("--peers: {error}")),
        }
    }
    let mut launch = || ours.launch(&asked);
    times(module, job, &mut launch, &peers, &asked, &mut reading)?;
    Ok(reading)
}

/// Our plan of an integral.
struct Ours<R: Real> {
    plan: Composite<R>,
    parameters: Parameters<R>,
    output: Buffer<R>,
}

impl<R: Real> Ours<R> {
    fn new(module: &Module, kernels: Kernels<R>, asked: &Asked) -> Result<Self> {
        Ok(Ours {
            plan: Composite::new(module, kernels, asked.strips)?,
            parameters: asked.single.parameters().map(R::from_f64),
            output: module.device().alloc_zeroed(1)?,
        })
    }

    fn launch(&mut self, asked: &Asked) -> Result<()> {
        let limits = (R::from_f64(LIMITS.0), R::from_f64(LIMITS.1));
        let own = &self.parameters[..asked.single.parameter_count()];
        let Ours { plan, output, .. } = self;
        plan.integrate(asked.rule, asked.strips, limits, own, output)
    }
}

/// The number of a buffer that has one.
fn value<R: Real>(buffer: &Buffer<R>) -> Result<f64> {
    let mut value = [R::ZERO];
    buffer.copy_to(&mut value)?;
    Ok(value[0].to_f64())
}

/// How far a result is from what it should be.
fn compared<R: Real>(asked: &Asked, found: f64, expected: f64) -> Integral {
    // A number's neighbours differ by one in their bits, as long as the sign is the same.
    let bits = |number: f64| match size_of::<R>() {
        8 => number.to_bits(),
        _ => u64::from((number as f32).to_bits()),
    };
    let is_comparable =
        found.is_finite() && found.is_sign_negative() == expected.is_sign_negative();
    Integral {
        value: Some(found).filter(|value| value.is_finite()),
        expected,
        relative_error: Some((found - expected).abs() / expected.abs())
            .filter(|error| error.is_finite()),
        ulps: is_comparable.then(|| bits(found).abs_diff(bits(expected))),
        evaluations: evaluations(asked.rule),
    }
}

/// What is wrong with a result of ours, if anything is.
fn wrong<R: Real>(asked: &Asked, integral: &Integral, found: f64) -> Option<String> {
    let is_double = size_of::<R>() == 8;
    let promised = asked.single.ulps(asked.rule, asked.strips);
    let (is_right, allowed) = match promised.filter(|_| !is_double) {
        Some(ulps) => (
            integral.ulps.is_some_and(|found| found <= ulps),
            format!("{ulps} ulp"),
        ),
        None => {
            let bound = relative_bound(is_double);
            (
                integral.relative_error.is_some_and(|error| error <= bound),
                format!("{bound:e} of it"),
            )
        }
    };
    (!is_right).then(|| {
        format!(
            "{}: {found:e}, where the rule gives {:e}, and {allowed} is allowed",
            asked.name(),
            integral.expected
        )
    })
}

/// A peer whose result is right, as far as a plain sum can be.
struct Contestant<'a, R: Real> {
    library: &'a Library,
    name: String,
    scratch: Buffer<u8>,
    output: Buffer<R>,
}

impl<'a, R: Real> Contestant<'a, R> {
    /// Launches a peer once and compares its result. `None` when it has not the integral; the
    /// inner Err says what is wrong.
    fn new(
        module: &Module,
        library: &'a Library,
        asked: &Asked,
        expected: f64,
    ) -> Result<std::result::Result<Option<Self>, String>> {
        let Some(name) = library.integral::<R>(asked.single.name, &name_of(asked.rule)) else {
            return Ok(Ok(None));
        };
        let contestant = Contestant {
            library,
            scratch: library.scratch(module.device())?,
            output: module.device().alloc_zeroed(1)?,
            name,
        };
        contestant.launch(module, asked)?;
        let found = value(&contestant.output)?;
        let bound = plain_bound(size_of::<R>() == 8, asked.strips, evaluations(asked.rule));
        let error = (found - expected).abs() / expected.abs();
        if error <= bound {
            return Ok(Ok(Some(contestant)));
        }
        Ok(Err(format!(
            "{} of {} is wrong and not timed: {found:e}, where the rule gives {expected:e}, and \
             {bound:.1e} of it is allowed",
            contestant.name,
            library.name()
        )))
    }

    fn launch(&self, module: &Module, asked: &Asked) -> Result<()> {
        let (device, request) = (module.device(), asked.request());
        // SAFETY: the buffers are this contestant's own, whose launches are one after the
        // other, and the output is of the name's type. A device gives nothing back while one
        // of its graphs lives.
        unsafe {
            self.library
                .enqueue(device, &self.name, &self.scratch, &request, &self.output)
        }
    }
}

/// Times all of them, a sample of each in every round.
fn times<R: Real>(
    module: &Module,
    job: &Job,
    ours: &mut dyn FnMut() -> Result<()>,
    peers: &[Contestant<'_, R>],
    asked: &Asked,
    reading: &mut Reading,
) -> Result<()> {
    let rule = crate::measure::Rule::new(job.repeat);
    let mut theirs: Vec<_> = peers
        .iter()
        .map(|peer| || peer.launch(module, asked))
        .collect();
    let mut launches: Vec<timing::Launch<'_>> = vec![ours];
    launches.extend(theirs.iter_mut().map(|launch| launch as timing::Launch<'_>));
    let measured = timing::kernels_and_methods(&rule, module.device(), &mut launches)?;
    let mut measured = measured.into_iter();
    if let Some(ours) = measured.next() {
        reading.kernel = Some(ours.timing);
        reading.kernel_method = Some(ours.method);
    }
    let of = |(peer, measured): (&Contestant<'_, R>, timing::Measured)| PeerTime {
        name: peer.library.name().to_owned(),
        version: peer.library.version().to_owned(),
        timing: measured.timing,
        method: measured.method.to_string(),
    };
    reading.peers = peers.iter().zip(measured).map(of).collect();
    Ok(())
}

#[cfg(test)]
#[path = "integral_tests.rs"]
mod tests;
