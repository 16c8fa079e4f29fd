//! `cargo xtask test`: everything that CI checks.
//!
//! A failed step does not stop the later ones, so one run shows all failures. Only a missing
//! toolchain stops it, since nothing builds without it. Cargo's output is passed on at once. The
//! output of a test runner is passed on when it has ended, since several run at a time.

mod compiler;
mod summary;

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::Instant;

use anyhow::Context;

use crate::cargo::{self, Executable, Made};
use crate::cost;
use crate::ptx;
use crate::python;
use crate::runners;
use crate::setup;
use crate::terminal::{self, count};
use summary::{Report, Tally, print_summary};

/// How `cargo xtask test` goes about it.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Stop at the first step that fails
    #[arg(long)]
    fail_fast: bool,
}

/// The package whose runners take minutes.
const LONGEST: &str = "quadscan-tests";

/// A command of cargo's that CI runs.
struct Step {
    name: &'static str,
    command: Command,
    /// Whether it runs tests: one that ran none has failed.
    runs_tests: bool,
}

fn format() -> Step {
    step("format", "fmt", &["--all", "--check"])
}

/// Compiles the workspace, tests too, and looks at it with clippy and rustdoc ([`compiler`]).
fn lints(compiler: &Path) -> Step {
    let all = ["--locked", "--workspace", "--all-targets", "--keep-going"];
    let mut lints = step("lints", "build", &all);
    lints.command.env(WRAPPER, compiler);
    lints
}

fn doc_tests(compiler: &Path) -> Step {
    let mut tests = step(
        "doc tests",
        "test",
        &["--locked", "--workspace", "--doc", "--no-fail-fast"],
    );
    // As what is there was compiled.
    tests.command.env(WRAPPER, compiler);
    tests.runs_tests = true;
    tests
}

/// The compiler of the workspace's own packages.
const WRAPPER: &str = "RUSTC_WORKSPACE_WRAPPER";

/// The variable that names it to tests which build crates of the workspace.
const COMPILER: &str = "QUADSCAN_COMPILER";

/// The variable that names this program to tests that run it.
const XTASK: &str = "QUADSCAN_XTASK";

fn step(name: &'static str, subcommand: &str, arguments: &[&str]) -> Step {
    let mut command = cargo::command(subcommand);
    command.args(arguments);
    // Everything is built once here: what speeds up the next build takes gigabytes.
    command.env("CARGO_INCREMENTAL", "0");
    Step {
        name,
        command,
        runs_tests: false,
    }
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    setup::run()?;
    setup::ensure_components(&["rustfmt", "clippy"])?;

    let start = Instant::now();
    // Before the lints put what they build of it in its place.
    let own = std::env::current_exe().context("this program has no path")?;
    let artifact = ptx::folder(&ptx::ARCHS)?;
    let compiler = compiler::path()?;
    let command = |mut step: Step| {
        step.command.env(ptx::ARTIFACT, &artifact);
        step.run(&mut std::io::stdout())
    };
    let mut built = Err("they or the kernels were not built".to_owned());
    let mut reports = Vec::new();
    for name in ["format", "lints", "tests", "doc tests", "python", "budget"] {
        terminal::begin(name);
        let before = runners::cpu(std::process::id());
        let report = match name {
            "format" => command(format())?,
            "lints" => build(lints(&compiler), &mut built)?,
            "tests" => {
                let (artifact, compiler) = (artifact.clone(), compiler.clone());
                let variables = [
                    (ptx::ARTIFACT, artifact),
                    (COMPILER, compiler),
                    (XTASK, own.clone()),
                ];
                tests(&built, &variables, &mut std::io::stdout())?
            }
            "doc tests" => command(doc_tests(&compiler))?,
            "python" => of_python(&built, &artifact)?,
            _ => budget(),
        };
        let how = report
            .failure
            .as_ref()
            .map_or("passed in", |_| "FAILED after");
        let took = terminal::duration(report.duration);
        let cpu = runners::cpu(std::process::id());
        let cpu = of_cpu(cpu.zip(before).map(|(after, before)| after - before));
        terminal::note(&format!("{how} {took}{cpu}"));
        let stop = options.fail_fast && report.failure.is_some();
        reports.push(report);
        if stop {
            break;
        }
    }
    print_summary(&reports, start.elapsed())?;
    let failed = reports.iter().any(|report| report.failure.is_some());
    Ok(ExitCode::from(u8::from(failed)))
}

/// `, 12 s of CPU`, where it is known.
fn of_cpu(seconds: Option<u64>) -> String {
    seconds.map_or_else(String::new, |seconds| format!(", {seconds} s of CPU"))
}

/// Runs the tests of the package for Python, on its module that was built, where there is a Python.
fn of_python(built: &Built, artifact: &Path) -> anyhow::Result<Report> {
    let (name, start, mut tally) = ("python", Instant::now(), Tally::default());
    let tests = match built {
        Ok(made) => python::tests(made, artifact),
        Err(why) => Err(anyhow::anyhow!("{why}")),
    };
    let failure = match tests {
        Ok(Ok(command)) => {
            let runs_tests = true;
            let step = Step {
                name,
                command,
                runs_tests,
            };
            let ran = step.run(&mut std::io::stdout())?;
            return Ok(Report {
                duration: start.elapsed(),
                ..ran
            });
        }
        Ok(Err(why)) => {
            tally.read(&format!("test python ... ignored, {why}"));
            None
        }
        Err(error) => Some(format!("{error:#}")),
    };
    let (duration, tests) = (start.elapsed(), Some(tally));
    Ok(Report {
        name,
        duration,
        failure,
        tests,
    })
}

/// The step that is no command of cargo's: what the sources and the PTX weigh.
fn budget() -> Report {
    let (name, start) = ("budget", Instant::now());
    let failure = cost::judge().unwrap_or_else(|error| Some(format!("{error:#}")));
    Report {
        name,
        duration: start.elapsed(),
        failure,
        tests: None,
    }
}

impl Step {
    /// Runs the command; what it prints goes on to `terminal` line by line.
    fn run(mut self, terminal: &mut impl Write) -> anyhow::Result<Report> {
        let (start, mut tally) = (Instant::now(), Tally::default());
        let mut child = self
            .command
            .stdout(Stdio::piped())
            .spawn()
            .context("cargo could not be started")?;
        let output = child
            .stdout
            .take()
            .context("cargo's output could not be read")?;
        for line in BufReader::new(output).split(b'\n') {
            let line = line.context("cargo's output could not be read")?;
            terminal.write_all(&line)?;
            terminal.write_all(b"\n")?;
            tally.read(&String::from_utf8_lossy(&line));
        }
        let status = child.wait().context("cargo could not be waited for")?;
        let failure = (!status.success()).then(|| status.to_string());
        let tests = self.runs_tests.then_some(tally);
        let complaint = || tests.as_ref().and_then(Tally::complaint);
        Ok(Report {
            name: self.name,
            duration: start.elapsed(),
            failure: failure.or_else(complaint),
            tests,
        })
    }
}

/// What the lints have built, or why it is not there.
type Built = Result<Vec<Made>, String>;

/// Builds the tests' runners, and beside them the kernels that they launch: neither uses all
/// cores. The runners are there though their code has warnings.
fn build(step: Step, all: &mut Built) -> anyhow::Result<Report> {
    let start = Instant::now();
    let (built, kernels) = thread::scope(|scope| {
        let kernels = scope.spawn(|| ptx::modules(&ptx::ARCHS, &[]));
        (cargo::judged(step.command, "the workspace"), kernels.join())
    });
    let kernels = kernels.map_err(|_| anyhow::anyhow!("building the kernels panicked"))?;
    let failure = match (built, kernels) {
        (Ok((made, warnings)), Ok(_)) => {
            *all = Ok(made);
            (warnings > 0).then(|| count(warnings, "warning"))
        }
        (Err(error), _) | (_, Err(error)) => Some(error.to_string()),
    };
    Ok(Report {
        name: step.name,
        duration: start.elapsed(),
        failure,
        tests: None,
    })
}

/// Runs what was built.
fn tests(
    built: &Built,
    variables: &[(&str, PathBuf)],
    terminal: &mut impl Write,
) -> anyhow::Result<Report> {
    let (start, mut tally) = (Instant::now(), Tally::default());
    let failure = match built {
        Ok(made) => run_all(&cargo::executables(made), variables, &mut tally, terminal)?,
        Err(why) => Some(why.clone()),
    };
    Ok(Report {
        name: "tests",
        duration: start.elapsed(),
        failure: failure.or_else(|| tally.complaint()),
        tests: Some(tally),
    })
}

/// Which of the runners failed.
fn run_all(
    runners: &[Executable],
    variables: &[(&str, PathBuf)],
    tally: &mut Tally,
    terminal: &mut impl Write,
) -> anyhow::Result<Option<String>> {
    let mut runners: Vec<&Executable> = runners.iter().filter(|runner| runner.is_test).collect();
    // Those that take longest begin first: they run kernels, and build crates.
    runners.sort_by_key(|runner| runner.package != LONGEST);
    let mut failed = Vec::new();
    runners::run(&runners, runners::at_once(), variables, |ended| {
        let took = terminal::duration(ended.duration);
        let cpu = of_cpu(ended.cpu);
        writeln!(terminal, "     Ran {} in {took}{cpu}", ended.name)?;
        terminal.write_all(&ended.output)?;
        for line in String::from_utf8_lossy(&ended.output).lines() {
            tally.read(line);
        }
        if !ended.status.success() {
            failed.push(format!("{} ({})", ended.name, ended.status));
        }
        Ok(())
    })?;
    Ok((!failed.is_empty()).then(|| failed.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ran(script: &str, runs_tests: bool) -> Report {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        let step = Step {
            name: "step",
            command,
            runs_tests,
        };
        step.run(&mut std::io::sink()).expect("sh starts")
    }

    #[test]
    fn a_command_that_fails_fails_its_step_and_one_that_succeeds_does_not() {
        assert!(
            ran("exit 3", false)
                .failure
                .is_some_and(|why| why.contains('3'))
        );
        assert_eq!(ran("exit 0", false).failure, None);
        assert!(ran("exit 0", true).failure.is_some(), "no test ran in it");
        let passing = "echo 'test result: ok. 1 passed; 0 failed; 0 ignored'";
        assert_eq!(ran(passing, true).failure, None);
    }

    #[test]
    fn what_was_not_built_has_not_passed() {
        let none = Err("nothing was built".to_owned());
        let report = tests(&none, &[], &mut std::io::sink()).expect("nothing is run");
        assert_eq!(report.failure.as_deref(), Some("nothing was built"));
        let report = tests(&Ok(Vec::new()), &[], &mut std::io::sink());
        let report = report.expect("nothing is run");
        assert_eq!(report.failure.as_deref(), Some("no test ran"));
    }
}
