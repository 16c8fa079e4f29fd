//! `cargo xtask bench ARGS`: builds `quadscan` and becomes `quadscan bench ARGS`.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::Context;

use crate::cargo::{self, Executable};
use crate::setup;

pub(crate) fn run(arguments: &[OsString]) -> anyhow::Result<ExitCode> {
    if arguments.iter().any(|argument| argument == "--list") {
        // With the suite's package, so that its library is this one's too.
        let quadscan = without_kernels(&["--package", "quadscan-tests"])?;
        return become_program(&quadscan, "bench", arguments);
    }
    become_quadscan("bench", arguments)
}

/// Builds `quadscan` and becomes `quadscan SUBCOMMAND ARGS`.
pub(crate) fn become_quadscan(
    subcommand: &str,
    arguments: &[OsString],
) -> anyhow::Result<ExitCode> {
    setup::ensure()?;
    become_program(&build()?, subcommand, arguments)
}

pub(crate) fn become_program(
    quadscan: &Executable,
    subcommand: &str,
    arguments: &[OsString],
) -> anyhow::Result<ExitCode> {
    // The program takes this process over, so that its exit code, and the
    // signals that interrupt a sweep, need no handing on.
    let error = Command::new(&quadscan.path)
        .arg(subcommand)
        .args(arguments)
        .exec();
    Err(error).with_context(|| format!("{} could not be started", quadscan.path.display()))
}

/// The program in release, its PTX inside.
pub(crate) fn build() -> anyhow::Result<Executable> {
    built(build_command(&["--release"]))
}

/// The program without kernels, which launches what it is given. It has a place of its own, apart
/// from the one with kernels, which may be running; what it is made of is shared.
pub(crate) fn without_kernels(options: &[&str]) -> anyhow::Result<Executable> {
    let target = cargo::target_directory()?;
    let mut build = build_command(&["--no-default-features"]);
    build.args(options);
    build
        .arg("--target-dir")
        .arg(target.join("without_kernels"));
    if std::env::var_os("CARGO_BUILD_BUILD_DIR").is_none() {
        build.env("CARGO_BUILD_BUILD_DIR", target);
    }
    built(build)
}

fn build_command(options: &[&str]) -> Command {
    let mut build = cargo::command("build");
    build.args(["--package", "quadscan", "--bin", "quadscan"]);
    build.args(options);
    build
}

fn built(build: Command) -> anyhow::Result<Executable> {
    cargo::build(build, "quadscan")?
        .into_iter()
        .find(|executable| executable.name == "quadscan" && !executable.is_test)
        .context("cargo built quadscan and named no executable")
}
