//! `cargo xtask tune scan`: sweeps the constants of scans on this machine's GPU, and writes
//! the table that the kernels are built from, with the record that justifies it.
//!
//! - `candidates`: the shapes that are compared.
//! - `kernels`: the crate that has an entry for each, and its PTX.
//! - `record`: what `quadscan tune` measured.
//! - `choose`: from a record to the rows of the table. Pure.
//! - `table`: the rows as a source file. Pure.

mod candidates;
mod choose;
mod kernels;
mod record;
mod table;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{fs, io};

use anyhow::Context;
use clap::ValueEnum;
use quadscan_kernels::scan::tuned;

use crate::bundle::folder::Folder;
use crate::bundle::stripped;
use crate::{Refused, bench, cargo, setup, terminal};
use record::Record;

/// The table, below the root.
const TABLE: &str = "kernels-crate/src/scan/tuned.rs";

/// Where records are kept, below the root.
const RECORDS: &str = "docs/records";

/// The argument that names a folder to write.
const BUNDLE: &str = "--bundle";

const README: &str = include_str!("tune/README.md");

/// How `cargo xtask tune` goes about it.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// What is tuned
    #[arg(value_enum, value_name = "KERNELS")]
    kernels: Kernels,

    /// Few sizes of three width classes: prints what they would change, and writes no table
    #[arg(long, conflicts_with_all = ["bundle", "from"])]
    quick: bool,

    /// Write a folder that sweeps on another machine with a GPU
    #[arg(long, value_name = "DIR", conflicts_with = "from")]
    bundle: Option<PathBuf>,

    /// Write the table from a record that was made elsewhere
    #[arg(long, value_name = "RECORD")]
    from: Option<PathBuf>,
}

/// What can be tuned.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Kernels {
    /// Device-wide scans
    Scan,
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let Kernels::Scan = options.kernels;
    match (&options.bundle, &options.from) {
        (Some(directory), _) => bundle(directory),
        (_, Some(path)) => {
            let text = fs::read_to_string(path)
                .map_err(|error| Refused(format!("--from {}: {error}", path.display())))?;
            adopt(&format!("--from {}", path.display()), &text)
        }
        _ => sweep(options.quick),
    }
}

/// Sweeps here, and adopts the record.
fn sweep(quick: bool) -> anyhow::Result<ExitCode> {
    // Refuse before building: that takes a second, a build minutes.
    if let Err(error) = libcuda_lazy::status() {
        return Err(Refused(format!(
            "constants are tuned on a GPU ({error}): `cargo xtask tune scan --bundle DIR` writes a folder for a machine with one, and `--from RECORD` makes the table of the record from there"
        ))
        .into());
    }
    setup::ensure()?;
    let artifact = kernels()?;
    let quadscan = bench::build()?;
    let record = folder()?.join("record.json");
    terminal::begin("sweeping");
    let mut command = Command::new(&quadscan.path);
    command.arg("tune").arg(&artifact).arg("--out").arg(&record);
    if quick {
        command.arg("--quick");
    }
    let status = command
        .status()
        .with_context(|| format!("{} could not be started", quadscan.path.display()))?;
    if !status.success() {
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        return Ok(ExitCode::from(code.unwrap_or(1)));
    }
    let text = fs::read_to_string(&record)
        .with_context(|| format!("{} could not be read", record.display()))?;
    let name = record.display().to_string();
    match quick {
        true => preview(&name, &text),
        false => adopt(&name, &text),
    }
}

/// The folder of the generated crate.
fn folder() -> anyhow::Result<PathBuf> {
    Ok(cargo::target_directory()?.join("tune-scan"))
}

/// The candidates' PTX.
fn kernels() -> anyhow::Result<PathBuf> {
    let all = candidates::all();
    terminal::begin(&format!("building {} candidates", all.len()));
    kernels::build(&folder()?, &all)
}

/// A folder that sweeps elsewhere.
fn bundle(directory: &Path) -> anyhow::Result<ExitCode> {
    Folder::check(BUNDLE, directory)?;
    setup::ensure()?;
    let artifact = kernels()?;
    let quadscan = bench::build()?;
    terminal::begin(&format!("writing {}", directory.display()));
    let mut folder = Folder::replace(BUNDLE, directory)?;
    folder.write("README.md", README.as_bytes())?;
    folder.write_executable("quadscan", &stripped(&quadscan.path)?)?;
    for name in artifact_files(&artifact)? {
        folder.copy(&artifact.join(&name), &format!("artifact/{name}"))?;
    }
    let bytes = folder.finish()?;
    terminal::note(&format!("{:.1} MB", bytes as f64 / 1e6));
    println!("{}", directory.display());
    Ok(ExitCode::SUCCESS)
}

/// The names of the files that `quadscan tune` reads: those beside them are the builder's.
fn artifact_files(artifact: &Path) -> anyhow::Result<Vec<String>> {
    let entries = fs::read_dir(artifact)
        .with_context(|| format!("{} could not be read", artifact.display()))?;
    let mut names = Vec::new();
    for entry in entries {
        let name = entry?.file_name().to_string_lossy().into_owned();
        if name.ends_with(".ptx") || name.ends_with(".json") {
            names.push(name);
        }
    }
    Ok(names)
}

/// Writes the table that a record gives, and keeps the record. Nothing is written of one
/// that is refused.
fn adopt(name: &str, text: &str) -> anyhow::Result<ExitCode> {
    let refuse = |problem: String| Refused(format!("{name}: {problem}"));
    let record = parse(name, text)?;
    let rows = choose::rows(&record, &tuned::ROWS).map_err(refuse)?;
    let kept = format!("{RECORDS}/{}", record.file_name());
    let path = cargo::root().join(&kept);
    if fs::read_to_string(&path).is_ok_and(|there| there != text) {
        let problem = format!("began when that in {kept} did, and is another: remove one of them");
        return Err(refuse(problem).into());
    }
    let source = table::source(&kept, &rows);
    write(&path, text)?;
    write(&cargo::root().join(TABLE), &source)?;
    for line in table::changes(&tuned::ROWS, &rows) {
        println!("{line}");
    }
    println!("{kept}");
    Ok(ExitCode::SUCCESS)
}

/// Prints what the classes of a record would change.
fn preview(name: &str, text: &str) -> anyhow::Result<ExitCode> {
    let record = parse(name, text)?;
    let before = choose::present(&record, &tuned::ROWS);
    let rows =
        choose::rows(&record, &before).map_err(|problem| Refused(format!("{name}: {problem}")))?;
    for line in table::changes(&before, &rows) {
        println!("{line}");
    }
    terminal::note("--quick writes no table: it has not all classes");
    println!("{name}");
    Ok(ExitCode::SUCCESS)
}

fn parse(name: &str, text: &str) -> anyhow::Result<Record> {
    let refuse = |error| Refused(format!("{name}: is no record of `quadscan tune`: {error}"));
    Ok(serde_json::from_str(text).map_err(refuse)?)
}

/// A file, whole or not at all.
fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    let new = path.with_extension("new");
    let written: io::Result<()> = fs::write(&new, text).and_then(|()| fs::rename(&new, path));
    written.with_context(|| format!("{} could not be written", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_what_the_command_would_write() {
        let there = fs::read_to_string(cargo::root().join(TABLE)).expect("there is a table");
        assert_eq!(table::source(tuned::RECORD, &tuned::ROWS), there);
    }

    #[test]
    fn the_record_that_the_table_names_is_there() {
        assert!(cargo::root().join(tuned::RECORD).is_file());
    }

    #[test]
    fn what_is_no_record_is_refused_by_its_name() {
        let error = adopt("some.json", "{}").expect_err("it is none");
        assert!(error.is::<Refused>());
        assert!(
            error.to_string().starts_with("some.json: is no record"),
            "{error}"
        );
    }

    /// The record in use with its candidates changed; those that become null are gone.
    fn record(change: impl FnMut(&mut serde_json::Value)) -> String {
        let path = cargo::root().join(tuned::RECORD);
        let text = fs::read_to_string(path).expect("there is a record");
        let mut record: serde_json::Value = serde_json::from_str(&text).expect("it is one");
        let candidates = record["candidates"].as_array_mut().expect("a list");
        candidates.iter_mut().for_each(change);
        candidates.retain(|one| !one.is_null());
        record.to_string()
    }

    /// The table, and how many records there are.
    fn kept() -> (String, usize) {
        let table = fs::read_to_string(cargo::root().join(TABLE)).expect("there is a table");
        let records = fs::read_dir(cargo::root().join(RECORDS)).expect("there are records");
        (table, records.count())
    }

    fn refused(change: impl FnMut(&mut serde_json::Value)) -> String {
        let before = kept();
        let error = adopt("some.json", &record(change)).expect_err("it lacks classes");
        assert!(error.is::<Refused>());
        assert_eq!(kept(), before);
        error.to_string()
    }

    #[test]
    fn a_quick_record_is_looked_at_and_changes_nothing() {
        let few = record(|one| {
            if one["element"] != 4 {
                *one = serde_json::Value::Null;
            }
        });
        let before = kept();
        preview("some.json", &few).expect("it has a class of the table");
        assert_eq!(kept(), before);
        assert!(preview("some.json", "{}").is_err());
    }

    #[test]
    fn a_record_that_lacks_classes_is_no_ground_for_a_table() {
        let fewer = refused(|one| {
            if one["element"] == 16 || one["result"] == 4 {
                *one = serde_json::Value::Null;
            }
        });
        assert_eq!(
            fewer,
            "some.json: has no candidates of 1 to 4, 4 to 4, 16 to 16 bytes, and the table has \
             a row of each: a record of all classes is needed"
        );
        let foreign = refused(|one| one["element"] = 3.into());
        let start = "some.json: has no candidates of 1 to 1, 1 to 4, 1 to 8, 2 to 2, ";
        assert!(foreign.starts_with(start), "{foreign}");
    }
}
