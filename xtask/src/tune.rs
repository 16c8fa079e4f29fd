//! `cargo xtask tune scan`: sweeps the constants of scans on this machine's GPU, and writes
//! the table that the kernels are built from.
//!
//! `quadscan tune` knows which shapes are compared, times them, and chooses; here their kernels
//! are built, and the table is written.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::Context;
use clap::ValueEnum;

use crate::bundle::folder::Folder;
use crate::bundle::stripped;
use crate::cargo::Executable;
use crate::error::{BuildFailed, Refused, handed_on, path};
use crate::{bench, cargo, ptx, setup, terminal};

/// The table, below the root.
const TABLE: &str = "kernels-crate/src/scan/tuned.rs";

/// The argument that names a folder to write.
const BUNDLE: &str = "--bundle";

const README: &str = include_str!("tune/README.md");

/// How `cargo xtask tune` goes about it.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// What is tuned
    #[arg(value_enum, value_name = "KERNELS")]
    kernels: Kernels,

    /// Few sizes of three width classes: prints their rows, and writes no table
    #[arg(long, conflicts_with_all = ["bundle", "from"])]
    quick: bool,

    /// The file to write the record to
    #[arg(long, value_name = "FILE", value_parser = path(), default_value = "results/tune-scan.json")]
    out: PathBuf,

    /// Write a folder that sweeps on another machine with a GPU
    #[arg(long, value_name = "DIR", value_parser = path(), conflicts_with = "from")]
    bundle: Option<PathBuf>,

    /// Write the table from a record that was made elsewhere
    #[arg(long, value_name = "RECORD", value_parser = path())]
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
    // Refuse before building: that takes a second, a build minutes.
    if let Some(directory) = &options.bundle {
        Folder::check(BUNDLE, directory)?;
    } else if options.from.is_none()
        && let Err(error) = libcuda_lazy::status()
    {
        return Err(Refused(format!(
            "constants are tuned on a GPU ({error}): `cargo xtask tune scan --bundle DIR` writes a folder for a machine with one, and `--from RECORD` makes the table of the record from there"
        ))
        .into());
    }
    setup::ensure()?;
    let quadscan = bench::built(&["--release"])?;
    match (&options.bundle, &options.from) {
        (Some(directory), _) => bundle(&quadscan, directory),
        (_, Some(record)) => table(&quadscan, record, false),
        _ => sweep(&quadscan, options),
    }
}

/// Sweeps here, and makes the table of the record.
fn sweep(quadscan: &Executable, options: &Options) -> anyhow::Result<ExitCode> {
    let artifact = kernels(quadscan)?;
    let out = &options.out;
    if let Some(folder) = out.parent() {
        fs::create_dir_all(folder)
            .with_context(|| format!("{} could not be made", folder.display()))?;
    }
    terminal::begin("sweeping");
    let mut command = tune(quadscan);
    command.arg(&artifact).arg("--out").arg(out);
    command.args(options.quick.then_some("--quick"));
    let status = command.status().context("quadscan could not be started")?;
    if !status.success() {
        return Ok(handed_on(status));
    }
    table(quadscan, out, options.quick)
}

fn tune(quadscan: &Executable) -> Command {
    let mut command = Command::new(&quadscan.path);
    command.arg("tune").stderr(Stdio::inherit());
    command
}

/// Builds the candidates' PTX; where it is.
fn kernels(quadscan: &Executable) -> anyhow::Result<PathBuf> {
    terminal::begin("building the candidates");
    let source = tune(quadscan).arg("--kernels").output();
    let source = source.context("quadscan could not be started")?;
    let root = cargo::root();
    let manifest = format!(
        "[package]\nname = \"quadscan-tune\"\nedition = \"2024\"\n\n[dependencies]\n\
         cuda_std = {{ path = \"{0}/rust-cuda/cuda_std\", default-features = false }}\n\
         quadscan-kernels = {{ path = \"{0}/kernels-crate\", default-features = false }}\n\n[workspace]\n",
        root.display()
    );
    let folder = cargo::target_directory()?.join("tune-scan");
    let cannot = || format!("{} could not be written", folder.display());
    fs::create_dir_all(folder.join("src")).with_context(cannot)?;
    fs::write(folder.join("src/lib.rs"), source.stdout).with_context(cannot)?;
    fs::write(folder.join("Cargo.toml"), manifest).with_context(cannot)?;
    // The versions in it are on this machine; cargo takes out what the crate does not need.
    fs::copy(root.join("Cargo.lock"), folder.join("Cargo.lock")).with_context(cannot)?;
    let metadata = Command::new(cargo::program())
        .args(["metadata", "--offline", "--format-version=1"])
        .current_dir(&folder)
        .stdout(Stdio::null())
        .status();
    if !metadata.context("cargo could not be started")?.success() {
        return Err(BuildFailed("cargo metadata failed".to_owned()).into());
    }
    let builder = ptx::builder(&folder, &folder.join("artifact"))?.arch(ptx::NEWEST);
    let built = builder.build_all();
    Ok(built.map_err(|error| BuildFailed(error.to_string()))?.dir)
}

/// A folder that sweeps elsewhere.
fn bundle(quadscan: &Executable, directory: &Path) -> anyhow::Result<ExitCode> {
    let artifact = kernels(quadscan)?;
    terminal::begin(&format!("writing {}", directory.display()));
    let mut folder = Folder::replace(BUNDLE, directory)?;
    folder.write("README.md", README.as_bytes())?;
    folder.write_executable("quadscan", &stripped(&quadscan.path)?)?;
    for entry in fs::read_dir(&artifact)? {
        let name = entry?.file_name().to_string_lossy().into_owned();
        // Those beside them are the builder's.
        if name.ends_with(".ptx") || name.ends_with(".json") {
            folder.copy(&artifact.join(&name), &format!("artifact/{name}"))?;
        }
    }
    let bytes = folder.finish()?;
    terminal::note(&format!("{:.1} MB", bytes as f64 / 1e6));
    println!("{}", directory.display());
    Ok(ExitCode::SUCCESS)
}

/// Writes the table that a record gives; of a quick one prints the rows that it has.
fn table(quadscan: &Executable, record: &Path, quick: bool) -> anyhow::Result<ExitCode> {
    let output = tune(quadscan).arg("--table").arg(record).output();
    let output = output.context("quadscan could not be started")?;
    if !output.status.success() {
        return Ok(handed_on(output.status));
    }
    if quick {
        std::io::stdout().write_all(&output.stdout)?;
        terminal::note("--quick writes no table: it does not time all classes");
        return Ok(ExitCode::SUCCESS);
    }
    let path = cargo::root().join(TABLE);
    let cannot = || format!("{} could not be written", path.display());
    fs::write(&path, output.stdout).with_context(cannot)?;
    println!("{TABLE}");
    terminal::note("`git diff` shows what has changed");
    Ok(ExitCode::SUCCESS)
}
