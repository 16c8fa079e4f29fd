//! `conformance check [KERNEL] [--schedules N]`: what every kernel promises,
//! under all checks of the emulator and under several schedules.
//!
//! Each statement runs once a schedule, on a device of its own. A finding fails
//! the command whether the statement holds or not.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use clap::Parser;
use quadscan::device::emulator::ptx_emulator::Checks;
use quadscan::device::emulator::{Checking, Emulator, Settings, Verdict};
use quadscan::device::{Artifact, Device};

use crate::suite::{Bench, Case};

/// The module of the kernels that misbehave on purpose.
const DIAGNOSTICS: &str = "diagnostics";

/// Check every kernel on the emulator
///
/// Runs what the conformance tests state under all checks: accesses out of
/// bounds, misaligned or freed, reads of memory that nobody has written, data
/// races, barriers and warp collectives that not all threads come to,
/// deadlocks and livelocks.
#[derive(Parser, Debug)]
#[command(name = "check", no_binary_name = true)]
struct Arguments {
    /// Check launches of this kernel alone
    #[arg(value_name = "KERNEL")]
    kernel: Option<String>,
    /// Interleavings of warps, blocks and divergent paths to run
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=1000))]
    schedules: u64,
}

/// What one run of a statement gave.
struct Run {
    case: usize,
    /// The message of a statement that does not hold.
    failure: Option<String>,
    verdicts: BTreeMap<String, Verdict>,
}

/// Runs the command with these arguments; its exit code.
pub fn main(cases: &[Case], arguments: &[String]) -> ExitCode {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help goes to stdout and ends well, all else to stderr.
            let _ = error.print();
            return ExitCode::from(error.exit_code().clamp(0, 2) as u8);
        }
    };
    match check(cases, &arguments) {
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

struct Report {
    text: String,
    clean: bool,
}

fn check(cases: &[Case], arguments: &Arguments) -> Result<Report, String> {
    let artifact = Artifact::embedded().map_err(|error| error.to_string())?;
    let kernels: Vec<(String, bool)> = artifact
        .manifest()
        .modules
        .first()
        .into_iter()
        .flat_map(|module| &module.kernels)
        .map(|kernel| (kernel.entry.clone(), kernel.module.ends_with(DIAGNOSTICS)))
        .collect();
    if let Some(asked) = &arguments.kernel
        && !kernels.iter().any(|(known, _)| known == asked)
    {
        let known: Vec<&str> = kernels.iter().map(|(known, _)| known.as_str()).collect();
        return Err(format!(
            "there is no kernel `{asked}`, allowed are {}",
            known.join(", ")
        ));
    }
    let runs = run_all(cases, arguments, &artifact);
    let mut verdicts: BTreeMap<String, Verdict> = BTreeMap::new();
    let mut failures: BTreeMap<usize, String> = BTreeMap::new();
    for run in runs {
        if let Some(failure) = run.failure {
            failures.entry(run.case).or_insert(failure);
        }
        for (kernel, verdict) in run.verdicts {
            match verdicts.get_mut(&kernel) {
                Some(all) => {
                    all.launches += verdict.launches;
                    all.checked.merge(verdict.checked);
                }
                None => {
                    verdicts.insert(kernel, verdict);
                }
            }
        }
    }
    let asked = kernels.iter().filter(|(kernel, _)| {
        arguments
            .kernel
            .as_ref()
            .is_none_or(|asked| asked == kernel)
    });
    let mut text = String::new();
    let mut clean = failures.is_empty();
    for (kernel, on_purpose) in asked {
        let line = match verdicts.get(kernel) {
            Some(Verdict { launches, checked }) => {
                clean &= checked.is_clean();
                let ran = checked.report.warp_instructions;
                let found = match checked.findings.len() {
                    0 => "nothing found".to_owned(),
                    1 => "1 finding".to_owned(),
                    count => format!("{count} findings"),
                };
                format!("{found} in {launches} launches, {ran} warp instructions")
            }
            None if *on_purpose => "not launched: it misbehaves on purpose".to_owned(),
            None => {
                clean = false;
                "not launched by any statement".to_owned()
            }
        };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{kernel}: {line}");
    }
    for Verdict { checked, .. } in verdicts.values().filter(|v| !v.checked.is_clean()) {
        let _ = writeln!(text, "\n{checked}");
    }
    for (case, failure) in &failures {
        let _ = writeln!(text, "\n{} does not hold: {failure}", cases[*case].name);
    }
    let (count, schedules) = (cases.len(), arguments.schedules);
    let verdict = if clean { "nothing found" } else { "FAILED" };
    let _ = writeln!(
        text,
        "\n{count} statements under {schedules} schedules: {verdict}"
    );
    Ok(Report { text, clean })
}

/// Every statement under every schedule, on all cores.
fn run_all(cases: &[Case], arguments: &Arguments, artifact: &Artifact) -> Vec<Run> {
    let jobs = cases.len() * arguments.schedules as usize;
    let (next, runs) = (AtomicUsize::new(0), Mutex::new(Vec::with_capacity(jobs)));
    let work = || {
        loop {
            let job = next.fetch_add(1, Ordering::Relaxed);
            if job >= jobs {
                return;
            }
            let (schedule, case) = (job / cases.len(), job % cases.len());
            // The first schedule is the one that is always the same.
            let seed = (schedule > 0).then_some(schedule as u64);
            let run = run_one(cases, case, seed, arguments.kernel.as_deref(), artifact);
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
    only: Option<&str>,
    artifact: &Artifact,
) -> Run {
    let kernels = artifact.manifest().modules.first();
    let kernels = kernels.map_or(&[][..], |module| &module.kernels);
    let checking = Checking::new(Checks::all(), kernels, only);
    let verdicts = checking.verdicts();
    let settings = Settings {
        schedule,
        cores: 1,
        ..Settings::default()
    };
    let device = Device::from_backend(Box::new(Emulator::observed(settings, Box::new(checking))));
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        let module = device.load(artifact)?;
        (cases[case].run)(&Bench { device, module })
    }));
    let failure = match outcome {
        Ok(Ok(())) => None,
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
        failure,
        verdicts: verdicts.take(),
    }
}
