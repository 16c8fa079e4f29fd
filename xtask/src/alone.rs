//! One kernel of `kernels-crate` built alone, and what is launched of it: the loop of
//! somebody who writes it takes seconds, while the whole artifact takes minutes.
//!
//! Kernels that macros make for our operators and integrands are left out before rustc sees
//! them (features `instances` and `catalogue`), all others than the one that is asked for
//! before LLVM optimises. The architecture is the newest one of the artifact.

use std::fs::File;
use std::io::{IsTerminal, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::Context;
use cuda_builder::{CudaBuilder, LintLevel};
use quadscan_kernels::integrate::catalogue::CATALOGUE;

use crate::cargo::{self, Executable};
use crate::{BuildFailed, ptx, terminal};

/// The suite that states what kernels promise.
pub(crate) const SUITE: &str = "conformance";

/// The exit code of the suite when statements need other kernels too.
pub(crate) const OTHERS_NEEDED: u8 = 3;

/// The exit code of the suite when quick statements hold and others are left.
pub(crate) const MORE: u8 = 4;

/// The folder of its modules, below the root.
pub(crate) const STATEMENTS: &str = "tests/tests/conformance";

/// Whether the suite has a module of this name: statements about this kernel alone.
pub(crate) fn has_statements(kernel: &str) -> bool {
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    let file = cargo::root().join(STATEMENTS).join(format!("{kernel}.rs"));
    !kernel.is_empty() && kernel.chars().all(is_name) && file.is_file() && is_own(kernel)
}

/// Whether a module of the suite is named after a kernel, a part or an integrand: some are
/// named after what they are about.
fn is_own(name: &str) -> bool {
    if is_integrand(name) {
        return true;
    }
    let source = cargo::root().join(format!("kernels-crate/src/{name}.rs"));
    std::fs::read_to_string(source).is_ok_and(|text| text.contains(&format!("fn {name}(")))
}

/// Whether the catalogue has an integrand of this name.
pub(crate) fn is_integrand(name: &str) -> bool {
    CATALOGUE.iter().any(|entry| entry.f64.name == name)
}

/// The features of `kernels-crate` that a kernel needs, as arguments for cargo.
pub(crate) fn features(kernel: &str) -> &'static [&'static str] {
    match is_integrand(kernel) {
        true => &["--no-default-features", "--features=catalogue"],
        false => &["--no-default-features"],
    }
}

/// The PTX of one kernel, or of all kernels of an integrand; where it is.
pub(crate) fn artifact(kernel: &str) -> anyhow::Result<PathBuf> {
    let folder = cargo::target_directory()?.join("alone").join(kernel);
    let name = match is_integrand(kernel) {
        true => format!("integrate_{kernel}"),
        false => kernel.to_owned(),
    };
    build_in(&folder, |builder| {
        builder.only(&[name]).build_args(features(kernel))
    })?;
    Ok(folder)
}

/// The PTX of all kernels of an integrand for all architectures; where it is.
pub(crate) fn integrand(name: &str) -> anyhow::Result<PathBuf> {
    let folder = cargo::target_directory()?.join("integrate").join(name);
    build_in(&folder, |builder| {
        builder
            .archs(&ptx::ARCHS)
            .only(&[format!("integrate_{name}")])
            .build_args(features(name))
    })?;
    Ok(folder)
}

/// Builds the kernels of these entries into a folder; all there are where none is named.
pub(crate) fn entries(names: &[String], folder: &Path) -> anyhow::Result<()> {
    build_in(folder, |builder| builder.only(names))
}

fn build_in(folder: &Path, with: impl FnOnce(CudaBuilder) -> CudaBuilder) -> anyhow::Result<()> {
    let builder = ptx::builder(&cargo::root().join("kernels-crate"), folder)?
        .arch(ptx::NEWEST)
        .lints(LintLevel::Deny);
    let built = with(builder).build_all();
    built.map_err(|error| BuildFailed(error.to_string()))?;
    Ok(())
}

/// The artifact of one kernel, and the suite's program: built at once, since neither uses all
/// cores. What is wrong with the kernel is told first, and once.
pub(crate) fn build(kernel: &str) -> anyhow::Result<(PathBuf, Executable)> {
    terminal::begin(&format!("building {kernel} alone, and its statements"));
    let mut said = tempfile::tempfile().context("no temporary file")?;
    let log = said.try_clone().context("no temporary file")?;
    let (artifact, suite) = thread::scope(|scope| {
        let suite = scope.spawn(|| suite(log));
        (artifact(kernel), suite.join())
    });
    let artifact = artifact?;
    let mut text = String::new();
    said.rewind()
        .and_then(|()| said.read_to_string(&mut text))
        .context("cargo's messages could not be read")?;
    eprint!("{text}");
    let suite = suite.map_err(|_| anyhow::anyhow!("building the statements panicked"))??;
    Ok((artifact, suite))
}

/// The suite's program, without any kernels; what cargo says goes to `log`.
pub(crate) fn suite(log: File) -> anyhow::Result<Executable> {
    let mut build = quiet("test", log);
    build.args([
        "--no-run",
        "--no-default-features",
        "--package",
        "quadscan-tests",
        "--test",
        SUITE,
    ]);
    let suites = cargo::build(build, "the package quadscan-tests")?;
    let mut suites = suites.into_iter();
    suites
        .find(|suite| suite.is_test && suite.name == SUITE)
        .context("cargo built the tests and named no executable")
}

/// Cargo, which says to `log` alone what a compiler says.
pub(crate) fn quiet(subcommand: &str, log: File) -> Command {
    let mut command = cargo::command(subcommand);
    command.arg("--quiet").stderr(log);
    if std::io::stderr().is_terminal() {
        command.env("CARGO_TERM_COLOR", "always");
    }
    command
}
