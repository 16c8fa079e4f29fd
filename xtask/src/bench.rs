//! `cargo xtask bench ARGS`: builds `quadscan` and becomes `quadscan bench ARGS`.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::Context;

use crate::cargo::{self, Executable};
use crate::setup;

pub(crate) fn run(arguments: &[OsString]) -> anyhow::Result<ExitCode> {
    if arguments.iter().any(|argument| argument == "--list") {
        return become_program(&without_kernels()?, "bench", arguments);
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

fn become_program(
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
    program(&["--release"])
}

/// The program that can say what there is, and launch nothing: no kernels are built for it.
fn without_kernels() -> anyhow::Result<Executable> {
    // With the suite's package, so that its library is this one's too.
    program(&["--no-default-features", "--package", "quadscan-tests"])
}

/// The program, built with these options.
pub(crate) fn program(options: &[&str]) -> anyhow::Result<Executable> {
    let mut build = cargo::command("build");
    build.args(["--package", "quadscan", "--bin", "quadscan"]);
    build.args(options);
    cargo::build(build, "quadscan")?
        .into_iter()
        .find(|executable| executable.name == "quadscan" && !executable.is_test)
        .context("cargo built quadscan and named no executable")
}
