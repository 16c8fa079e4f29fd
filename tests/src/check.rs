//! `conformance check [KERNEL] [--schedules N]`: what every kernel promises, under all checks
//! of the emulator and under several schedules.
//!
//! Each test runs once a schedule, on a device of its own; under the second schedule and later
//! ones, those alone that launched something to check. Every other seed explores weak memory; the
//! old values that loads gave are told where a test fails. A finding fails the command whether the
//! test passes or not. The PTX is that which an H200 loads.
//!
//! Of all kernels' tests, those that take long are run under the first schedule alone, unless
//! they are asked for: each kernel is launched under every schedule, by its quickest tests.
//!
//! With a KERNEL the tests are those that launch it (`launches`), and where that takes long,
//! the quick ones of them. A KERNEL that has a module of its own in the suite has the tests of
//! that module. Below a finding stand the lines that led to it (`leading`). With `--trace` nothing
//! is checked: a thread of the kernel is followed (`trace`). What the tests need and `--artifact`
//! lacks is told ([`OTHERS_NEEDED`]), and `cargo xtask check` builds it.

mod findings;
mod launches;
mod leading;
mod steps;
mod trace;
mod variables;

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{self, AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use clap::Parser;
use cuda_builder::manifest::Kernel;
use cuda_builder::names;
use quadscan::device::emulator::ptx_emulator::Checks;
use quadscan::device::emulator::{Checking, Emulator, Verdict};
use quadscan::device::{Artifact, Device};
use quadscan_bench::modules;

use crate::suite::{self, Bench, Case, skipped};
use findings::Findings;
use launches::{Known, Launches};
use trace::{Index, Thread};
use variables::Variables;

/// What the tests of a kernel may take together while somebody waits, in seconds.
const PATIENCE: f64 = 2.0;

/// What the tests of all kernels may take under the second schedule and later ones.
const PATIENCE_FOR_ALL: f64 = 30.0;

/// The exit code when tests need kernels that are not in `--artifact`.
pub const OTHERS_NEEDED: u8 = 3;

/// Check every kernel on the emulator
///
/// Runs the conformance tests under all checks: accesses out of bounds, misaligned or freed,
/// reads of memory that nobody has written, data races, barriers and warp collectives that not
/// all threads come to, deadlocks and livelocks.
#[derive(Parser, Debug)]
#[command(name = "check", bin_name = "cargo xtask check", no_binary_name = true)]
struct Arguments {
    /// Check launches of this kernel alone, or of those of the module of PTX, the integrand or
    /// the family (what their names begin with) of this name, or run this module of tests
    #[arg(value_name = "KERNEL")]
    kernel: Option<String>,
    /// Interleavings of warps, blocks and divergent paths to run
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=1000))]
    schedules: u64,
    /// Run the tests that take long too; without KERNEL, under every schedule
    #[arg(long)]
    slow: bool,
    /// Print the lines that one thread of KERNEL goes through, instead of checking
    #[arg(long, requires = "kernel")]
    trace: bool,
    /// The thread's block
    #[arg(
        long,
        value_name = "X[,Y[,Z]]",
        default_value = "0",
        requires = "trace"
    )]
    block: Index,
    /// The thread
    #[arg(
        long,
        value_name = "X[,Y[,Z]]",
        default_value = "0",
        requires = "trace"
    )]
    thread: Index,
    /// The folder of the PTX
    #[arg(long, value_name = "DIR", hide = true)]
    artifact: Option<PathBuf>,
    /// The folder of the PTX of KERNEL that tells variables
    #[arg(long, value_name = "DIR", requires = "trace", hide = true)]
    variables: Option<PathBuf>,
    /// The file that says what each test launches; written anew
    #[arg(long, value_name = "FILE", hide = true)]
    launches: Option<PathBuf>,
}

/// What one run of a test gave.
struct Run {
    case: usize,
    /// The seed of its schedule; none of the one that is always the same.
    schedule: Option<u64>,
    known: Known,
    /// The message of a test that fails.
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
            eprintln!("tests launch {} too", needed.join(", "));
            ExitCode::from(OTHERS_NEEDED)
        }
        Ok(report) => {
            print!("{}", report.text);
            ExitCode::from(u8::from(!report.clean))
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

/// The artifact that is checked.
fn artifact(arguments: &Arguments) -> Result<Artifact, String> {
    let artifact = match &arguments.artifact {
        // SAFETY: `cargo xtask check` has built it from the kernels of this program.
        Some(folder) => unsafe { Artifact::read(folder) },
        None => modules::ours(),
    };
    artifact.map_err(|error| error.to_string())
}

#[derive(Default)]
struct Report {
    text: String,
    clean: bool,
    /// Kernels that tests need and the artifact lacks.
    needed: Vec<String>,
}

/// What is checked.
struct Chosen<'a> {
    /// The kernels whose launches are watched; all where none is named.
    entries: Option<Vec<&'a str>>,
    /// The tests, by their places.
    tests: Vec<usize>,
    /// Those that take long and are left out.
    left: Vec<usize>,
}

fn check(cases: &[Case], arguments: &Arguments) -> Result<Report, String> {
    let artifact = artifact(arguments)?;
    let file = arguments.launches.as_deref();
    let mut launches = file.map(Launches::read).unwrap_or_default();
    let chosen = match &arguments.kernel {
        None => Ok(Chosen {
            entries: None,
            tests: (0..cases.len()).collect(),
            left: Vec::new(),
        }),
        Some(name) => choose(cases, name, arguments, &artifact, &mut launches)?,
    };
    let chosen = match chosen {
        Ok(chosen) => chosen,
        Err(needed) => return Ok(lacks(needed)),
    };
    let only = chosen.entries.as_deref();
    if arguments.trace {
        return followed(cases, &chosen, arguments, &artifact);
    }
    let all: Vec<_> = chosen.tests.iter().map(|&case| (case, None)).collect();
    eprintln!("schedule 1: {}", count_of(all.len()));
    let mut runs = run_jobs(cases, launches.longest_first(cases, all), only, &artifact);
    let needed = needed(&runs);
    if arguments.artifact.is_some() && !needed.is_empty() {
        return Ok(lacks(needed));
    }
    for run in &runs {
        launches
            .0
            .insert(cases[run.case].name.to_owned(), run.known.clone());
    }
    keep(&launches, file)?;
    let launching = runs.iter().filter(|run| !run.verdicts.is_empty());
    let tests: Vec<usize> = launching.map(|run| run.case).collect();
    let entries: Vec<&str> = kernels(&artifact).map(|one| &*one.entry).collect();
    let (tests, once) = under_all(cases, tests, arguments, &entries, &launches);
    let further = arguments.schedules - 1;
    if further > 0 {
        eprintln!("{further} more: {} under each", count_of(tests.len()));
        let seeds = 1..=further;
        let jobs = seeds.flat_map(|seed| tests.iter().map(move |&case| (case, Some(seed))));
        let jobs = launches.longest_first(cases, jobs.collect());
        runs.extend(run_jobs(cases, jobs, only, &artifact));
    }
    let findings = Findings::of(runs);
    let is_asked = |kernel: &&Kernel| match only {
        None if arguments.kernel.is_some() => findings.verdicts.contains_key(&kernel.entry),
        _ => is_among(only, &kernel.entry),
    };
    let asked: Vec<&Kernel> = kernels(&artifact).filter(is_asked).collect();
    let mut report = Report {
        clean: findings.failures.is_empty(),
        ..Report::default()
    };
    findings.lines(&asked, arguments.kernel.is_some(), &mut report);
    findings.details(cases, &artifact, &mut report.text);
    let left = match (chosen.left.len(), once.len()) {
        (0, 0) => String::new(),
        (0, count) => format!(
            "; {count} that take long under the first one alone, --slow takes about {:.0} s more",
            launches.seconds_of(cases, &once, further)
        ),
        (count, _) => format!(
            "; --slow runs {count} more, of about {:.0} s",
            launches.seconds_of(cases, &chosen.left, arguments.schedules)
        ),
    };
    findings::ended(&mut report, chosen.tests.len(), arguments.schedules, &left);
    Ok(report)
}

/// The way of the thread that is asked for.
fn followed(
    cases: &[Case],
    chosen: &Chosen<'_>,
    arguments: &Arguments,
    artifact: &Artifact,
) -> Result<Report, String> {
    let entries = chosen.entries.as_deref();
    let entries = entries.ok_or("--trace follows a thread of a kernel: name one")?;
    let thread = Thread {
        block: arguments.block,
        thread: arguments.thread,
    };
    let folder = arguments.variables.as_deref();
    let variables = folder.map(|folder| Variables::read(entries, artifact, folder));
    let variables = variables.transpose().map_err(|error| error.to_string())?;
    let text = trace::trace(cases, &chosen.tests, entries, thread, artifact, variables)?;
    Ok(Report {
        text,
        clean: true,
        ..Report::default()
    })
}

/// Of tests that launch something to check, those that run under every schedule, and those that
/// run under the first one alone: without a name, what takes long. What they take is known.
fn under_all(
    cases: &[Case],
    mut tests: Vec<usize>,
    arguments: &Arguments,
    entries: &[&str],
    launches: &Launches,
) -> (Vec<usize>, Vec<usize>) {
    if arguments.kernel.is_some() || arguments.slow {
        return (tests, Vec::new());
    }
    launches.sort(cases, &mut tests);
    let further = arguments.schedules - 1;
    let quick = launches.quick(cases, &tests, entries, further, PATIENCE_FOR_ALL);
    tests.retain(|place| !quick.contains(place));
    (quick, tests)
}

fn lacks(needed: Vec<String>) -> Report {
    Report {
        needed,
        ..Report::default()
    }
}

fn keep(launches: &Launches, file: Option<&Path>) -> Result<(), String> {
    let cannot = |path: &Path, error| format!("{} could not be written: {error}", path.display());
    file.map_or(Ok(()), |path| {
        launches.write(path).map_err(|error| cannot(path, error))
    })
}

/// The tests of a name, or else the kernels that have to be built before they are known.
fn choose<'a>(
    cases: &[Case],
    name: &str,
    arguments: &Arguments,
    artifact: &'a Artifact,
    launches: &mut Launches,
) -> Result<Result<Chosen<'a>, Vec<String>>, String> {
    let module = artifact.manifest().modules.last().into_iter();
    let found = names::entries(name, module.flat_map(|module| &module.parts));
    let is_own = |place: &usize| cases[*place].name.split("::").next() == Some(name);
    let own: Vec<usize> = (0..cases.len()).filter(is_own).collect();
    let is_entry = kernels(artifact).any(|kernel| kernel.entry == name);
    let entries: Option<Vec<&str>> = match found {
        // Where names begin like a module of the suite, that is what is meant.
        Ok(entries) if own.is_empty() || is_entry => Some(entries.into_iter().collect()),
        Ok(_) => None,
        // A module of the suite that is about several kernels.
        Err(_) if !own.is_empty() => None,
        Err(unknown) => return Err(unknown.to_string()),
    };
    let mut tests = own;
    if tests.is_empty() {
        let unknown = launches.unknown(cases);
        if !unknown.is_empty() {
            eprintln!("finding out what {} tests launch", unknown.len());
            let jobs = unknown.iter().map(|&case| (case, None)).collect();
            // What fails here is no matter of this kernel's, and is told when it is.
            let hook = panic::take_hook();
            panic::set_hook(Box::new(|_| {}));
            let runs = run_jobs(cases, jobs, Some(&[]), artifact);
            panic::set_hook(hook);
            let needed = needed(&runs);
            if arguments.artifact.is_some() && !needed.is_empty() {
                return Ok(Err(needed));
            }
            for run in runs {
                launches
                    .0
                    .insert(cases[run.case].name.to_owned(), run.known);
            }
            keep(launches, arguments.launches.as_deref())?;
        }
        tests = launches.launching(cases, entries.as_deref().unwrap_or_default());
    }
    launches.sort(cases, &mut tests);
    let quick = match arguments.slow {
        true => tests.clone(),
        false => {
            let entries = entries.as_deref().unwrap_or_default();
            launches.quick(cases, &tests, entries, arguments.schedules, PATIENCE)
        }
    };
    tests.retain(|place| !quick.contains(place));
    Ok(Ok(Chosen {
        entries,
        tests: quick,
        left: tests,
    }))
}

fn is_among(only: Option<&[&str]>, entry: &str) -> bool {
    only.is_none_or(|only| only.contains(&entry))
}

/// The kernels whose absence ended a test.
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

/// A test and the seed of its schedule; without one, the schedule that is always the same.
type Job = (usize, Option<u64>);

fn count_of(tests: usize) -> String {
    format!("{tests} test{}", if tests == 1 { "" } else { "s" })
}

/// Runs tests on all cores, in this order.
fn run_jobs(
    cases: &[Case],
    jobs: Vec<Job>,
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
    runs.sort_by_key(|run: &Run| (run.case, run.schedule));
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
    let emulator = Emulator::observed(suite::checked(schedule), Box::new(checking));
    let device = Device::from_backend(Box::new(emulator));
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
        schedule,
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
