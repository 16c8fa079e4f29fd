//! `cargo xtask python`: a wheel of the package in `python/`, by maturin, with our PTX in it; and
//! the package's tests, on that wheel or on what plain cargo builds.
//!
//! What pip installs is in a virtual environment in the target folder.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::Context;

use crate::cargo::{self, Made};
use crate::error::{BuildFailed, Refused, handed_on};
use crate::setup;
use crate::terminal;

/// What to do with the wheel.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Install the wheel in a virtual environment, and run the package's tests there
    #[arg(long)]
    test: bool,
}

/// The package's folder.
fn folder() -> PathBuf {
    cargo::root().join("python")
}

/// A folder of ours in the target folder.
fn target(name: &str) -> anyhow::Result<PathBuf> {
    Ok(cargo::target_directory()?.join("python").join(name))
}

/// Prints the wheel's path; with `--test`, the exit code is the tests'.
pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    setup::ensure()?;
    terminal::begin("building the wheel");
    let python = environment(&["maturin"]).map_err(Refused)?;
    let wheels = target("wheels")?;
    if wheels.exists() {
        fs::remove_dir_all(&wheels).context("an earlier wheel could not be removed")?;
    }
    let built = Command::new(&python)
        .args(["-m", "maturin", "build", "--release", "--locked", "--out"])
        .arg(&wheels)
        // Where .cargo/config.toml is found.
        .current_dir(folder())
        // Where others' crates and PTX are.
        .env("CARGO_TARGET_DIR", cargo::target_directory()?)
        .stdout(Stdio::null())
        .status()
        .context("maturin could not be started")?;
    if !built.success() {
        return Err(BuildFailed("the wheel does not build".to_owned()).into());
    }
    let mut made = fs::read_dir(&wheels)?;
    let wheel = made.next().context("maturin made no wheel")??.path();
    println!("{}", wheel.display());
    if !options.test {
        return Ok(ExitCode::SUCCESS);
    }
    let python = environment(&["numpy", "pytest"]).map_err(Refused)?;
    pip(
        &python,
        &["--force-reinstall", "--no-deps"],
        &[&wheel.to_string_lossy()],
    )
    .map_err(Refused)?;
    let tests = pytest(&python)?.env_remove("QUADSCAN_ARTIFACT").status();
    Ok(handed_on(tests.context("pytest could not be started")?))
}

/// The tests of the package on its module among what plain cargo has `made`, and on the PTX in `artifact`;
/// or why they cannot run here. Err where there is no module.
pub(crate) fn tests(made: &[Made], artifact: &Path) -> anyhow::Result<Result<Command, String>> {
    let python = match environment(&["numpy", "pytest"]) {
        Ok(python) => python,
        Err(why) => return Ok(Err(why)),
    };
    let files = made
        .iter()
        .filter(|made| made.target.name == "_quadscan" && made.executable.is_none())
        .flat_map(|made| &made.filenames);
    let module = files.last().context("cargo named no module")?;
    let packages = assemble(module)?;
    let mut tests = pytest(&python)?;
    tests
        .env("PYTHONPATH", packages)
        .env("QUADSCAN_ARTIFACT", artifact);
    Ok(Ok(tests))
}

/// The package with its native module, in a folder of packages.
fn assemble(module: &Path) -> anyhow::Result<PathBuf> {
    let packages = target("packages")?;
    let package = packages.join("quadscan");
    if package.exists() {
        fs::remove_dir_all(&package)?;
    }
    fs::create_dir_all(&package)?;
    for file in fs::read_dir(folder().join("package/quadscan"))? {
        let file = file?;
        if file.file_type()?.is_file() {
            fs::copy(file.path(), package.join(file.file_name()))?;
        }
    }
    fs::copy(module, package.join("_quadscan.abi3.so"))?;
    Ok(packages)
}

fn pytest(python: &Path) -> anyhow::Result<Command> {
    let mut command = Command::new(python);
    command
        .args(["-m", "pytest", "-q", "tests"])
        .current_dir(folder())
        .env("QUADSCAN_PYTHON_PAGE", cargo::root().join("docs/python.md"))
        .env("PYTHONDONTWRITEBYTECODE", "1");
    Ok(command)
}

/// The interpreter of the virtual environment, which has these packages; or why it has not.
fn environment(packages: &[&str]) -> Result<PathBuf, String> {
    let folder = target("venv").map_err(|error| format!("{error:#}"))?;
    let python = folder.join("bin/python");
    if !python.is_file() {
        let mut make = Command::new("python3");
        quietly(make.args(["-m", "venv", "--clear"]).arg(&folder))
            .map_err(|why| format!("python3 cannot make a virtual environment: {why}"))?;
    }
    let imports = format!("import {}", packages.join(", "));
    if quietly(Command::new(&python).args(["-c", &imports])).is_err() {
        pip(&python, &[], packages)?;
    }
    Ok(python)
}

fn pip(python: &Path, options: &[&str], packages: &[&str]) -> Result<(), String> {
    let mut install = Command::new(python);
    install
        .args(["-m", "pip", "install", "--quiet"])
        .args(options)
        .args(packages);
    quietly(&mut install)
        .map_err(|why| format!("pip cannot install {}: {why}", packages.join(", ")))
}

/// Runs a command; where it fails, the last line that it says.
fn quietly(command: &mut Command) -> Result<(), String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    let last = said.lines().map(str::trim).rfind(|line| !line.is_empty());
    Err(last.unwrap_or("it says nothing").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_fails_is_told_by_its_last_line() {
        let said = |script: &str| quietly(Command::new("sh").args(["-c", script]));
        assert_eq!(said("exit 0"), Ok(()));
        assert_eq!(
            said("echo one; echo two >&2; echo; exit 3"),
            Err("two".to_owned())
        );
        assert_eq!(said("exit 3"), Err("it says nothing".to_owned()));
        assert!(quietly(&mut Command::new("/nonexistent")).is_err());
    }
}
