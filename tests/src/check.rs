//! `conformance check [KERNEL] [--schedules N] [--artifact DIR]`: what every kernel
//! promises, under all checks of the emulator and under several schedules.
//!
//! Each statement runs once a schedule, on a device of its own; under the second
//! schedule and later ones, those alone that launched something to check. A finding
//! fails the command whether the statement holds or not. The PTX is that which an
//! H200 loads.
//!
//! With `--artifact` the PTX of KERNEL alone was built there, and the statements are those
//! of its own module in the suite. Where one of them launches another kernel too, nothing
//! can be said ([`OTHERS_NEEDED`]): `cargo xtask check` then builds all of them.
//!
//! With `--launches FILE` the artifact has all kernels, some of them built anew
//! (`--entries`), and the statements are those that launch one of these: the quick ones, and
//! with `--rest` the others. Which those are is found out and kept in FILE (`launches`).

mod findings;
mod launches;
mod watched;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use clap::Parser;
use cuda_builder::manifest::Kernel;
use cuda_builder::names;
use quadscan::device::emulator::ptx_emulator::Checks;
use quadscan::device::emulator::{Checking, Emulator, Settings, Verdict};
use quadscan::device::{Artifact, Device};

use crate::suite::{Bench, Case, skipped};
use findings::{Findings, ended};
use launches::Known;
use watched::watched;

/// The exit code when a statement needs kernels that are not in `--artifact`.
pub const OTHERS_NEEDED: u8 = 3;

/// The exit code when the quick statements hold and others are left to `--rest`.
pub const MORE: u8 = 4;

/// Check every kernel on the emulator
///
/// Runs what the conformance tests state under all checks: accesses out of
/// bounds, misaligned or freed, reads of memory that nobody has written, data
/// races, barriers and warp collectives that not all threads come to,
/// deadlocks and livelocks.
#[derive(Parser, Debug)]
#[command(name = "check", bin_name = "cargo xtask check", no_binary_name = true)]
struct Arguments {
    /// Check launches of this kernel alone, or of those of the part, the integrand, the family
    /// (what their names begin with) or the module of this name
    #[arg(value_name = "KERNEL")]
    kernel: Option<String>,
    /// Interleavings of warps, blocks and divergent paths to run
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=1000))]
    schedules: u64,
    /// The PTX of KERNEL alone; its own statements are run
    #[arg(long, value_name = "DIR", requires = "kernel", hide = true)]
    artifact: Option<PathBuf>,
    /// The entries that KERNEL stands for, among those of an artifact with all kernels
    #[arg(long, value_name = "LIST", value_delimiter = ',', requires_all = ["artifact", "launches"], hide = true)]
    entries: Vec<String>,
    /// Run the quick statements that launch one of these; FILE says which, and is written anew
    #[arg(long, value_name = "FILE", requires = "entries", hide = true)]
    launches: Option<PathBuf>,
    /// Run the others
    #[arg(long, requires = "launches", hide = true)]
    rest: bool,
}

/// What one run of a statement gave.
struct Run {
    case: usize,
    /// The first schedule's is the one that is always the same.
    is_first: bool,
    known: Known,
    /// The message of a statement that does not hold.
    failure: Option<String>,
    verdicts: BTreeMap<String, Verdict>,
}

/// Runs the command with these arguments; its exit code.
pub fn main(cases: &[Case], arguments: &[String]) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) if !error.use_stderr() => {
            print!("{error}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            // The first line says what is wrong and what is allowed.
            let text = error.to_string();
            eprintln!("{}", text.lines().next().unwrap_or_default());
            return ExitCode::from(2);
        }
    };
    match check(cases, &arguments) {
        Ok(Report { needed, .. }) if !needed.is_empty() => {
            eprintln!("statements need {} too", needed.join(", "));
            ExitCode::from(OTHERS_NEEDED)
        }
        Ok(report) => {
            print!("{}", report.text);
            ExitCode::from(match (report.clean, report.more) {
                (false, _) => 1,
                (true, true) => MORE,
                (true, false) => 0,
            })
        }
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::from(2)
        }
    }
}

/// Those that an H200 loads: of the newest architecture, the last one.
fn kernels(artifact: &Artifact) -> impl Iterator<Item = &Kernel> {
    let module = artifact.manifest().modules.last();
    module.into_iter().flat_map(|module| module.kernels())
}

/// The entries that an argument names.
fn named<'a>(artifact: &'a Artifact, name: &str) -> Result<Vec<&'a str>, String> {
    let module = artifact.manifest().modules.last().into_iter();
    let entries = names::entries(name, module.flat_map(|module| &module.parts));
    let entries = entries.map_err(|unknown| match unknown.near.is_empty() {
        true => format!("{unknown}: `cargo xtask inspect --all` lists those that there are"),
        false => unknown.to_string(),
    })?;
    Ok(entries.into_iter().collect())
}

/// The artifact that is checked.
fn artifact(arguments: &Arguments) -> Result<Artifact, String> {
    let artifact = match &arguments.artifact {
        // SAFETY: `cargo xtask check` has built it from the kernels of this program.
        Some(folder) => unsafe { Artifact::read(folder) },
        None => Artifact::embedded(),
    };
    artifact.map_err(|error| error.to_string())
}

/// The statements that are run: of a kernel that was built alone its own.
fn statements(cases: &[Case], arguments: &Arguments) -> Result<Vec<Case>, String> {
    let (Some(kernel), Some(_)) = (&arguments.kernel, &arguments.artifact) else {
        return Ok(cases.to_vec());
    };
    let is_own = |case: &&Case| case.name.split("::").next() == Some(kernel);
    let own: Vec<Case> = cases.iter().filter(is_own).copied().collect();
    if own.is_empty() {
        return Err(format!(
            "no statement is of a module `{kernel}`: list those of tests/tests/conformance/{kernel}.rs in main.rs there"
        ));
    }
    Ok(own)
}

#[derive(Default)]
struct Report {
    text: String,
    clean: bool,
    /// Statements are left to `--rest`.
    more: bool,
    /// Kernels that statements need and the artifact lacks.
    needed: Vec<String>,
}

fn check(cases: &[Case], arguments: &Arguments) -> Result<Report, String> {
    let artifact = artifact(arguments)?;
    if let Some(file) = &arguments.launches {
        return watched(cases, arguments, file, &artifact);
    }
    let cases = &statements(cases, arguments)?[..];
    let name = arguments.kernel.as_deref();
    let only = name.map(|name| named(&artifact, name)).transpose()?;
    let only = only.as_deref();
    let all: Vec<usize> = (0..cases.len()).collect();
    let runs = run_all(cases, &all, arguments, only, &artifact);
    if arguments.artifact.is_some() {
        let needed = needed(&runs);
        if !needed.is_empty() {
            return Ok(Report {
                needed,
                ..Report::default()
            });
        }
    }
    let asked = kernels(&artifact).filter(|kernel| is_among(only, &kernel.entry));
    let asked: Vec<&Kernel> = asked.collect();
    let findings = Findings::of(runs);
    let mut report = Report {
        clean: findings.failures.is_empty(),
        ..Report::default()
    };
    findings.lines(&asked, arguments.kernel.is_some(), &mut report);
    findings.details(cases, &mut report.text);
    ended(&mut report, cases.len(), arguments.schedules, "");
    Ok(report)
}

fn is_among(only: Option<&[&str]>, entry: &str) -> bool {
    only.is_none_or(|only| only.contains(&entry))
}

/// The kernels whose absence ended a statement.
fn needed(runs: &[Run]) -> Vec<String> {
    let said = quadscan::Error::UnknownKernel {
        kernel: String::new(),
    };
    let said = said.to_string();
    let before = said.find('`').map_or(said.as_str(), |tick| &said[..=tick]);
    let failures = runs.iter().filter_map(|run| run.failure.as_deref());
    let names = failures.filter_map(|failure| {
        let (_, rest) = failure.split_once(before)?;
        rest.split('`').next().map(str::to_owned)
    });
    let names: BTreeSet<String> = names.collect();
    names.into_iter().collect()
}

/// These statements under the first schedule; under the others, those that
/// launched what is asked for.
fn run_all(
    cases: &[Case],
    places: &[usize],
    arguments: &Arguments,
    only: Option<&[&str]>,
    artifact: &Artifact,
) -> Vec<Run> {
    let all: Vec<(usize, Option<u64>)> = places.iter().map(|&case| (case, None)).collect();
    eprintln!("schedule 1: {} statements", all.len());
    let mut runs = run_jobs(cases, &all, only, artifact);
    let launching = runs.iter().filter(|run| !run.verdicts.is_empty());
    let launching: Vec<usize> = launching.map(|run| run.case).collect();
    for seed in 1..arguments.schedules {
        eprintln!("schedule {}: {} statements", seed + 1, launching.len());
        let jobs: Vec<_> = launching.iter().map(|&case| (case, Some(seed))).collect();
        runs.extend(run_jobs(cases, &jobs, only, artifact));
    }
    runs
}

/// Runs statements, each under the schedule of a seed or the one that is always
/// the same, on all cores.
fn run_jobs(
    cases: &[Case],
    jobs: &[(usize, Option<u64>)],
    only: Option<&[&str]>,
    artifact: &Artifact,
) -> Vec<Run> {
    let (next, runs) = (
        AtomicUsize::new(0),
        Mutex::new(Vec::with_capacity(jobs.len())),
    );
    let work = || {
        while let Some(&(case, seed)) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let run = run_one(cases, case, seed, only, artifact);
            if let Ok(mut runs) = runs.lock() {
                runs.push(run);
            }
        }
    };
    thread::scope(|scope| {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        for _ in 1..cores {
            scope.spawn(work);
        }
        work();
    });
    let mut runs = runs.into_inner().unwrap_or_default();
    runs.sort_by_key(|run: &Run| run.case);
    runs
}

fn run_one(
    cases: &[Case],
    case: usize,
    schedule: Option<u64>,
    only: Option<&[&str]>,
    artifact: &Artifact,
) -> Run {
    let checking = Checking::new(Checks::all(), kernels(artifact), only);
    let verdicts = checking.verdicts();
    let settings = Settings {
        schedule,
        cores: 1,
        ..Settings::default()
    };
    let device = Device::from_backend(Box::new(Emulator::observed(settings, Box::new(checking))));
    let start = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        (cases[case].run)(&Bench::new(device, artifact.clone())?)
    }));
    let failure = match outcome {
        Ok(Ok(())) => None,
        Ok(outcome) if skipped(&outcome).is_some() => None,
        Ok(Err(failed)) => Some(failed.message().unwrap_or("no message").to_owned()),
        Err(panic) => Some(
            panic
                .downcast_ref::<String>()
                .cloned()
                .or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()))
                .unwrap_or_else(|| "it panicked".to_owned()),
        ),
    };
    Run {
        case,
        is_first: schedule.is_none(),
        known: Known {
            kernels: verdicts.take_launched(),
            seconds: start.elapsed().as_secs_f64(),
        },
        failure,
        verdicts: verdicts.take(),
    }
}

#[cfg(test)]
#[path = "check_tests.rs"]
mod tests;
