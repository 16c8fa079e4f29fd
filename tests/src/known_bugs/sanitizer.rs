//! What compute-sanitizer says of the kernels on a GPU.
//!
//! Every kernel is launched in a process of its own, under each of the tools, and for a limited
//! time: some hang. The verdicts are kept in a file, `tests/known-bugs/compute-sanitizer.json`.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde::{Deserialize, Serialize};

use super::pairs::PAIRS;
use super::report::in_parallel;
use super::run::Sibling;
use super::source;

/// compute-sanitizer's tools.
pub const TOOLS: [&str; 4] = ["memcheck", "racecheck", "initcheck", "synccheck"];

/// What a kernel may take under a tool, in seconds.
const SECONDS: &str = "20";

/// Kernels at a time: those that hang leave the GPU to others now and then.
const AT_A_TIME: usize = 8;

/// The exit code of `timeout` when time is up.
const TIMED_OUT: i32 = 124;

/// The exit code that compute-sanitizer is asked for when it has found something.
const FOUND: i32 = 99;

/// What was said of each kernel, by tool, and of which GPU.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdicts {
    /// The GPU and the version of compute-sanitizer.
    pub with: String,
    /// By the kernel's entry, then by tool.
    pub verdicts: BTreeMap<String, BTreeMap<String, String>>,
}

/// The file of the verdicts.
pub fn file() -> PathBuf {
    source::folder().join("compute-sanitizer.json")
}

impl Verdicts {
    /// The recorded ones; none before a GPU was asked.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn read() -> io::Result<Self> {
        match fs::read(file()) {
            Ok(text) => Ok(serde_json::from_slice(&text)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Verdicts::default()),
            Err(error) => Err(error),
        }
    }

    /// What is said of a kernel, in a line; of one that needs several `devices`, why nothing is.
    pub fn of(&self, entry: &str, devices: usize) -> String {
        let Some(said) = self.verdicts.get(entry) else {
            return match devices {
                1 => "not run yet".to_owned(),
                _ => format!("not run, as it needs {devices} GPUs"),
            };
        };
        let said: Vec<String> = said
            .iter()
            .filter(|(_, verdict)| *verdict != NOTHING)
            .map(|(tool, verdict)| format!("{tool}: {verdict}"))
            .collect();
        match said.is_empty() {
            true => NOTHING.to_owned(),
            false => said.join("; "),
        }
    }

    /// Has every tool watch every kernel, which `program launch ENTRY` launches; stderr has each
    /// verdict as it comes.
    ///
    /// # Errors
    ///
    /// A compute-sanitizer that does not start.
    pub fn record(program: &Path) -> io::Result<Self> {
        let siblings = [Sibling::Broken, Sibling::Right];
        let of_one = PAIRS.iter().filter(|pair| pair.devices == 1);
        let entries = of_one.flat_map(|pair| siblings.map(|sibling| sibling.entry(pair)));
        let runs: Vec<(String, &str)> = entries
            .flat_map(|entry| TOOLS.map(|tool| (entry.clone(), tool)))
            .collect();
        let with = with()?;
        let said = in_parallel(&runs, AT_A_TIME, |(entry, tool)| -> io::Result<String> {
            let verdict = verdict(&watched(program, tool, entry)?);
            eprintln!("{entry}: {tool}: {verdict}");
            Ok(verdict)
        });
        let mut verdicts = BTreeMap::<String, BTreeMap<String, String>>::new();
        for ((entry, tool), verdict) in runs.into_iter().zip(said) {
            let said = verdicts.entry(entry).or_default();
            said.insert(tool.to_owned(), verdict?);
        }
        Ok(Verdicts { with, verdicts })
    }
}

/// The GPU with its driver, and the version of compute-sanitizer.
fn with() -> io::Result<String> {
    let version = Command::new("compute-sanitizer")
        .arg("--version")
        .output()?;
    let version = String::from_utf8_lossy(&version.stdout);
    let version = version.lines().find(|line| line.contains("ersion"));
    let gpu = Command::new("nvidia-smi")
        .args(["--query-gpu=name,driver_version", "--format=csv,noheader"])
        .output()?;
    let gpu = String::from_utf8_lossy(&gpu.stdout);
    let gpu = gpu.lines().next().unwrap_or_default();
    Ok(format!(
        "{}; {}",
        gpu.trim(),
        version.unwrap_or_default().trim()
    ))
}

/// What a tool says that has found nothing.
const NOTHING: &str = "nothing found";

/// Launches a kernel while a tool watches.
fn watched(program: &Path, tool: &str, entry: &str) -> io::Result<Output> {
    Command::new("timeout")
        .args(["--kill-after=5", SECONDS, "compute-sanitizer"])
        .args(["--tool", tool, "--error-exitcode", &FOUND.to_string()])
        .arg(program)
        .args(["launch", entry])
        .output()
}

/// What the output of a tool comes to: its first finding.
fn verdict(output: &Output) -> String {
    if output.status.code() == Some(TIMED_OUT) {
        return format!("hangs, stopped after {SECONDS} s");
    }
    let text = String::from_utf8_lossy(&output.stdout);
    let said = text
        .lines()
        .filter_map(|line| line.strip_prefix("========="));
    let said = said.map(str::trim);
    let mut findings = said.filter(|line| {
        let is_about_itself = ["COMPUTE-SANITIZER", "ERROR SUMMARY", "RACECHECK SUMMARY"];
        !line.is_empty() && !is_about_itself.iter().any(|word| line.starts_with(word))
    });
    match (output.status.code(), findings.next()) {
        (Some(0), None) => NOTHING.to_owned(),
        (_, Some(finding)) => finding.to_owned(),
        (code, None) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.lines().next().unwrap_or_default();
            format!("ended with {code:?}: {said}")
        }
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;

    use super::*;

    fn said(code: i32, stdout: &str) -> String {
        verdict(&Output {
            status: ExitStatus::from_raw(code << 8),
            stdout: stdout.into(),
            stderr: b"error: no device\n".to_vec(),
        })
    }

    #[test]
    fn the_first_finding_is_the_verdict() {
        let clean = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n";
        assert_eq!(said(0, clean), NOTHING);
        let found = "========= COMPUTE-SANITIZER\n========= Invalid __global__ read of size 4 bytes\n=========     at k+0x10\n";
        assert_eq!(
            said(FOUND, found),
            "Invalid __global__ read of size 4 bytes"
        );
        assert_eq!(said(TIMED_OUT, clean), "hangs, stopped after 20 s");
        assert_eq!(said(1, clean), "ended with Some(1): error: no device");
    }

    #[test]
    fn a_kernel_has_the_verdicts_of_the_tools_that_found_something() {
        let mut all = Verdicts::default();
        assert_eq!(all.of("k", 1), "not run yet");
        assert_eq!(all.of("k", 2), "not run, as it needs 2 GPUs");
        let tools = [("memcheck", NOTHING), ("racecheck", "Race reported")];
        let tools = tools.map(|(tool, said)| (tool.to_owned(), said.to_owned()));
        all.verdicts.insert("k".to_owned(), tools.into());
        assert_eq!(all.of("k", 1), "racecheck: Race reported");
    }
}
