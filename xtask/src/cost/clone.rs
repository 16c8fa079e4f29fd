//! What builds cost: each in a clone of the last commit, as somebody who has just fetched it.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::{Measured, Row, megabytes};
use crate::cargo;
use crate::terminal;

/// What is asked of xtask that needs no kernel and no program.
const ANSWERS: [&[&str]; 4] = [
    &["bench", "--help"],
    &["bench", "--list"],
    &["integrate", "--help"],
    &["integrate", "--list"],
];

/// Kernels that are edited: in one file with its launch, and shared by a family.
const EDITED: [(&str, &str); 2] = [
    ("limit_copy", "kernels-crate/src/limits.rs"),
    (
        "lookahead_sum_f32",
        "kernels-crate/src/scan/lookahead/mod.rs",
    ),
];

/// Variables of the cargo that started this program, which are none of a fresh clone's.
const INHERITED: [&str; 8] = [
    "CARGO",
    "CARGO_TARGET_DIR",
    "CARGO_MANIFEST_DIR",
    "CARGO_INCREMENTAL",
    "CUDA_BUILDER_TARGET_DIR",
    "CUDA_LIBRARY_PATH",
    "QUADSCAN_ARTIFACT",
    "RUSTUP_TOOLCHAIN",
];

/// A clone with its own cargo home.
struct Clone {
    folder: tempfile::TempDir,
}

impl Clone {
    fn new() -> anyhow::Result<Self> {
        let folder = tempfile::tempdir().context("no temporary folder can be made")?;
        let status = Command::new("git")
            .args(["clone", "--quiet"])
            .arg(cargo::root())
            .arg(folder.path().join("quadscan"))
            .status()
            .context("git could not be started")?;
        if !status.success() {
            bail!("git clone failed");
        }
        Ok(Self { folder })
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("quadscan")
    }

    fn command(&self, program: impl Into<OsString>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program.into());
        command
            .args(arguments)
            .current_dir(self.root())
            .env("CARGO_HOME", self.folder.path().join("cargo-home"))
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        for inherited in INHERITED {
            command.env_remove(inherited);
        }
        command
    }

    /// Runs `cargo xtask` with these arguments, to its end.
    fn xtask(&self, arguments: &[&str]) -> anyhow::Result<Took> {
        terminal::begin(&format!("cargo xtask {}", arguments.join(" ")));
        let command = self.command("cargo", &[&["xtask"], arguments].concat());
        took(command, arguments)
    }
}

/// Wall time, and user and system time of the process and all that it waited for.
struct Took {
    wall: Duration,
    cpu: Option<f64>,
}

fn took(mut command: Command, what: &[&str]) -> anyhow::Result<Took> {
    let (start, before) = (Instant::now(), cpu_of_children());
    let status = command.status().context("cargo could not be started")?;
    let (wall, after) = (start.elapsed(), cpu_of_children());
    if !status.success() {
        bail!("cargo xtask {} failed ({status})", what.join(" "));
    }
    let cpu = before.zip(after).map(|(before, after)| after - before);
    Ok(Took { wall, cpu })
}

/// Seconds, on Linux; its files count in hundredths.
fn cpu_of_children() -> Option<f64> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    cpu_in(&stat)
}

/// The user and system time of children in the text of proc_pid_stat(5), its fields 16 and 17;
/// a program's name, the second, may have spaces.
fn cpu_in(stat: &str) -> Option<f64> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_whitespace().skip(13);
    let mut next = || fields.next()?.parse::<f64>().ok();
    Some((next()? + next()?) / 100.0)
}

/// All that takes a build.
pub(super) fn measure() -> anyhow::Result<Vec<Measured>> {
    let clone = Clone::new()?;
    let mut measured = Vec::new();
    let mut add = |row: Row, seconds: f64| measured.push(Measured(row, seconds));

    let bench = clone.xtask(&["bench"])?;
    add(Row::Bench, bench.wall.as_secs_f64());
    bench
        .cpu
        .into_iter()
        .for_each(|cpu| add(Row::BenchCpu, cpu));
    add(
        Row::Target,
        megabytes(bytes_in(&clone.root().join("target"))?),
    );

    let mut slowest = Duration::ZERO;
    for answer in ANSWERS {
        slowest = slowest.max(clone.xtask(answer)?.wall);
    }
    add(Row::Answers, slowest.as_secs_f64());

    // The first check builds what checks.
    clone.xtask(&["check", EDITED[0].0])?;
    let mut slowest = Duration::ZERO;
    for (kernel, file) in EDITED {
        clone.xtask(&["check", kernel])?;
        edit(&clone.root().join(file))?;
        slowest = slowest.max(clone.xtask(&["check", kernel])?.wall);
    }
    add(Row::Verdict, slowest.as_secs_f64());
    add(Row::Check, clone.xtask(&["check"])?.wall.as_secs_f64());

    clone.xtask(&["bundle"])?;
    add(
        Row::Bundle,
        megabytes(bytes_in(&clone.root().join("target/bundle"))?),
    );

    let clone = Clone::new()?;
    let test = clone.xtask(&["test"])?;
    add(Row::Test, test.wall.as_secs_f64());
    test.cpu.into_iter().for_each(|cpu| add(Row::TestCpu, cpu));
    Ok(measured)
}

/// A line more at the beginning: each line of the code is another then.
fn edit(file: &Path) -> anyhow::Result<()> {
    let text =
        fs::read_to_string(file).with_context(|| format!("{} cannot be read", file.display()))?;
    fs::write(file, format!("//! \n{text}"))?;
    Ok(())
}

fn bytes_in(folder: &Path) -> anyhow::Result<u64> {
    let mut bytes = 0;
    let entries =
        fs::read_dir(folder).with_context(|| format!("{} cannot be read", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let metadata = entry.metadata()?;
        bytes += match metadata.is_dir() {
            true => bytes_in(&entry.path())?,
            false => metadata.len(),
        };
    }
    Ok(bytes)
}

/// Of [`ANSWERS`] those that fail where there is no cargo, and so nothing can be built.
pub(super) fn answers_without_cargo() -> anyhow::Result<Vec<String>> {
    // The file may be another one by now: a test builds xtask.
    let running = Path::new("/proc/self/exe");
    let own = match running.exists() {
        true => running.to_owned(),
        false => env::current_exe().context("a program has a path")?,
    };
    let mut complaints = Vec::new();
    for answer in ANSWERS {
        let output = Command::new(&own)
            .args(answer)
            .env("CARGO", "/nonexistent")
            .env("PATH", "/nonexistent")
            .output()
            .context("xtask could not be started")?;
        if !output.status.success() {
            complaints.push(format!("`cargo xtask {}` needs a build", answer.join(" ")));
        }
    }
    Ok(complaints)
}

/// When and on what was measured, in a sentence.
pub(super) fn machine() -> anyhow::Result<String> {
    let said = |program: &str, arguments: &[&str]| {
        let output = Command::new(program)
            .args(arguments)
            .current_dir(cargo::root())
            .output()
            .with_context(|| format!("{program} could not be started"))?;
        anyhow::Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let commit = said("git", &["rev-parse", "--short", "HEAD"])?;
    let date = said("date", &["--utc", "+%Y-%m-%d"])?;
    let cores = std::thread::available_parallelism()?;
    let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = model(&processors).unwrap_or("unknown processors");
    Ok(format!(
        "Measured {date}, commit {commit}, {cores} cores of {model}."
    ))
}

/// The first processor's name in the text of `/proc/cpuinfo`.
fn model(processors: &str) -> Option<&str> {
    let line = processors
        .lines()
        .find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_edited_is_there() {
        for (kernel, file) in EDITED {
            assert!(cargo::root().join(file).is_file(), "{kernel}: {file}");
        }
    }

    #[test]
    fn the_time_of_children_is_read_behind_any_name() {
        let stat = "7 (a) b) R 1 2 3 4 5 6 7 8 9 10 11 12 250 50 20 0";
        assert_eq!(cpu_in(stat), Some(3.0));
        assert_eq!(cpu_in("7 (a) R"), None);
    }

    #[test]
    fn a_processor_has_its_name() {
        assert_eq!(
            model("processor : 0\nmodel name\t: A 9\nmodel name: B"),
            Some("A 9")
        );
    }

    #[test]
    fn a_folders_bytes_are_those_of_all_files_below() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join("a")).expect("made");
        fs::write(folder.path().join("a/b"), "123").expect("written");
        fs::write(folder.path().join("c"), "4").expect("written");
        assert_eq!(bytes_in(folder.path()).expect("readable"), 4);
    }
}
