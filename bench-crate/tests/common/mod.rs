//! Running the program, and measuring processes that are shell scripts.

// Each test file uses its own part of this.
#![allow(dead_code)]

use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_quadscan");

/// A script's line: there is no device.
pub(crate) const NO_DEVICE: &str = r#"echo '{"no_device":{"reason":"none"}}'"#;

/// A script's line: a device is ready.
pub(crate) const READY: &str = r#"echo '{"ready":{"name":"fake","kind":"cuda","compute_capability":"9.0","driver":null,"cuda_version":null,"ptx_sha256":"0","ptx_arch":"sm_90","rustc":"1","llvm":"1"}}'"#;

/// How the program ended.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// Exit code, -1 after a signal.
    pub(crate) code: i32,
    /// Standard output.
    pub(crate) output: String,
    /// Standard error, but for the next.
    pub(crate) errors: String,
    /// The line that says where the report is, the last of every run that comes to
    /// its end.
    pub(crate) report: Option<String>,
}

impl Outcome {
    fn of(output: &Output) -> Self {
        let (report, errors): (Vec<String>, Vec<String>) = String::from_utf8_lossy(&output.stderr)
            .split_inclusive('\n')
            .map(str::to_owned)
            .partition(|line| line.starts_with("report: "));
        Outcome {
            code: output.status.code().unwrap_or(-1),
            output: String::from_utf8_lossy(&output.stdout).into_owned(),
            errors: errors.concat(),
            report: report.into_iter().next_back(),
        }
    }
}

/// An empty folder.
pub(crate) fn folder() -> tempfile::TempDir {
    match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(e) => panic!("{e}"),
    }
}

/// Runs the program in a folder.
pub(crate) fn quadscan(folder: &Path, arguments: &[&str]) -> Outcome {
    let output = assert_cmd::Command::new(PROGRAM)
        .args(arguments)
        .current_dir(folder)
        .env_remove("COLUMNS")
        .timeout(std::time::Duration::from_secs(120))
        .output();
    match output {
        Ok(output) => Outcome::of(&output),
        Err(e) => panic!("{e}"),
    }
}

/// The program in a folder, to be changed before it [`ends`].
pub(crate) fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command
        .args(arguments)
        .current_dir(folder)
        .env_remove("COLUMNS");
    command
}

/// How a command ends: what goes elsewhere is not in it.
pub(crate) fn ends(command: &mut Command) -> Outcome {
    match command.stdin(Stdio::null()).spawn() {
        Ok(process) => match process.wait_with_output() {
            Ok(output) => Outcome::of(&output),
            Err(e) => panic!("{e}"),
        },
        Err(e) => panic!("{e}"),
    }
}

/// A place where everything that is written is lost.
pub(crate) fn full() -> Stdio {
    match std::fs::OpenOptions::new().write(true).open("/dev/full") {
        Ok(file) => file.into(),
        Err(e) => panic!("{e}"),
    }
}

/// A line of shell that answers the job `$id` with a record of these metrics.
pub(crate) fn done(metrics: &str) -> String {
    let record = format!(
        r#"{{"schema":2,"run":"","table":"","cell":{{}},"status":"ok","metrics":{metrics},"host":{{"cpu":"","version":"","git_revision":""}},"timestamp":""}}"#
    );
    let measurement = format!(r#"{{"record":{record},"notices":[],"bits":null}}"#);
    format!(r#"echo '{{"done":{{"id":'$id',"measurement":{measurement}}}}}'"#)
}

/// A measuring process that is this shell script; its path.
pub(crate) fn fake(folder: &Path, script: &str) -> String {
    let path = folder.join("worker.sh");
    let draft = folder.join("worker.new");
    let text = format!("#!/bin/sh\n{script}\n");
    let written = std::fs::write(&draft, text)
        .and_then(|()| std::fs::set_permissions(&draft, std::fs::Permissions::from_mode(0o755)))
        .and_then(|()| std::fs::rename(&draft, &path));
    match written {
        Ok(()) => path.display().to_string(),
        Err(e) => panic!("{e}"),
    }
}

/// `quadscan bench` in a folder of its own, on a machine that has no device.
pub(crate) fn without_device(arguments: &[&str]) -> (tempfile::TempDir, Outcome) {
    let folder = folder();
    let outcome = without_device_in(folder.path(), arguments);
    (folder, outcome)
}

/// The same in a given folder.
pub(crate) fn without_device_in(folder: &Path, arguments: &[&str]) -> Outcome {
    let worker = fake(folder, NO_DEVICE);
    let mut all = vec!["bench", "--worker", &worker];
    all.extend(arguments);
    quadscan(folder, &all)
}
