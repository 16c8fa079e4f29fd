//! Test runners, several at a time.
//!
//! Cargo runs them one after the other, but many of ours wait for a process or build a crate and
//! leave most cores idle. The output of a runner is passed on when it has ended, so that lines
//! of two do not mix. The environment is that of cargo: its own path and the package's folder
//! and name.

use std::io::Read;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;

use crate::cargo::{self, Executable};

/// What came of a runner.
pub(crate) struct Ended {
    /// The runner's name: `conformance`.
    pub(crate) name: String,
    pub(crate) output: Vec<u8>,
    pub(crate) status: ExitStatus,
    pub(crate) duration: Duration,
    /// [`cpu`] of it.
    pub(crate) cpu: Option<u64>,
}

/// Seconds of CPU that a process and those that it started and waited for have used, where the
/// system tells (`proc_pid_stat(5)`).
pub(crate) fn cpu(process: u32) -> Option<u64> {
    seconds(&std::fs::read_to_string(format!("/proc/{process}/stat")).ok()?)
}

fn seconds(stat: &str) -> Option<u64> {
    /// Of which a second has so many on Linux.
    const TICKS: u64 = 100;
    // The name of the program, in brackets, may have blanks.
    let (_, fields) = stat.rsplit_once(')')?;
    let times: Vec<u64> = fields
        .split_whitespace()
        .skip(11)
        .take(4)
        .map_while(|field| field.parse().ok())
        .collect();
    (times.len() == 4).then(|| times.iter().sum::<u64>() / TICKS)
}

/// How many at a time: two more than there are cores, since some only wait, for a process or
/// for a cargo that builds in the same folder.
pub(crate) fn at_once() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get) + 2
}

/// Runs all of `runners`, `at_once` at a time, with these variables, and hands each to `ended` as it ends.
pub(crate) fn run(
    runners: &[&Executable],
    at_once: usize,
    variables: &[(&str, PathBuf)],
    mut ended: impl FnMut(Ended) -> std::io::Result<()>,
) -> anyhow::Result<()> {
    let left = Mutex::new(runners.iter());
    let next = || left.lock().ok().and_then(|mut left| left.next());
    let (sender, results) = mpsc::channel();
    thread::scope(|scope| {
        for _ in 0..at_once.min(runners.len()) {
            let sender = sender.clone();
            scope.spawn(move || {
                while let Some(runner) = next() {
                    if sender.send(one(runner, variables)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for result in results {
            ended(result?).context("what a test runner said could not be printed")?;
        }
        Ok(())
    })
}

fn one(runner: &Executable, variables: &[(&str, PathBuf)]) -> anyhow::Result<Ended> {
    let start = Instant::now();
    let folder = runner.manifest.parent().unwrap_or(cargo::root());
    let cannot = || format!("{} could not be started", runner.path.display());
    let mut child = Command::new(&runner.path)
        .current_dir(folder)
        .env("CARGO", cargo::program())
        // For those that run cargo, as for the build of themselves.
        .env("CARGO_INCREMENTAL", "0")
        .envs(variables.iter().map(|(name, value)| (name, value)))
        .env("CARGO_MANIFEST_DIR", folder)
        .env("CARGO_PKG_NAME", &runner.package)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(cannot)?;
    let mut output = Vec::new();
    if let Some(mut said) = child.stdout.take() {
        said.read_to_end(&mut output).with_context(cannot)?;
    }
    // It has said all, and is there until it is waited for.
    let cpu = cpu(child.id());
    Ok(Ended {
        name: runner.name.clone(),
        output,
        status: child.wait().with_context(cannot)?,
        duration: start.elapsed(),
        cpu,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn script(name: &str, text: &str) -> (tempfile::TempDir, Executable) {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{text}\n")).expect("written");
        let runs = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(&path, runs).expect("may be run");
        let runner = Executable {
            name: name.into(),
            is_test: true,
            path,
            manifest: folder.path().join("Cargo.toml"),
            package: "package".into(),
        };
        (folder, runner)
    }

    #[test]
    fn every_runner_runs_once_in_its_packages_folder_and_keeps_its_lines_together() {
        let says = "echo $CARGO_PKG_NAME; pwd -P; sleep 0.01; echo end; test $0 != ${0%3}";
        let scripts = (0..7).map(|i| script(&format!("runner{i}"), says));
        let (folders, runners): (Vec<_>, Vec<_>) = scripts.unzip();
        let mut seen = Vec::new();
        run(&runners.iter().collect::<Vec<_>>(), 3, &[], |ended| {
            let text = String::from_utf8_lossy(&ended.output).into_owned();
            seen.push((ended.name, text, ended.status.success()));
            Ok(())
        })
        .expect("all start");
        seen.sort();
        assert_eq!(seen.len(), 7);
        for ((name, text, success), folder) in seen.iter().zip(&folders) {
            let folder = folder.path().canonicalize().expect("is there");
            assert_eq!(*text, format!("package\n{}\nend\n", folder.display()));
            assert_eq!(*success, name == "runner3");
        }
    }

    /// Expected: fields 14 to 17 of `proc_pid_stat(5)`, hundredths of a second.
    #[test]
    fn the_cpu_of_a_process_and_of_its_children_is_added_up() {
        let stat = "7 (a b) c) S 1 7 7 0 -1 4194560 9 8 0 0 150 50 1000 900 20 0 1 0 5 6 7";
        assert_eq!(seconds(stat), Some(21));
        assert_eq!(seconds("7 (a) S 1"), None);
        assert_eq!(seconds(""), None);
        assert_eq!(cpu(std::process::id()).is_some(), cfg!(target_os = "linux"));
    }

    #[test]
    fn a_runner_that_is_not_there_is_an_error_with_its_path() {
        let (_folder, mut runner) = script("gone", "");
        runner.path.set_file_name("elsewhere");
        let error = run(&[&runner], 1, &[], |_| Ok(())).expect_err("cannot start");
        assert!(error.to_string().contains("elsewhere"), "{error}");
    }
}
