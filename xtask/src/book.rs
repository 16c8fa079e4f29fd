//! `cargo xtask book`: builds and runs the package `quadscan-book`, which makes the pages in
//! `docs` a book. It is a separate program, so that `cargo xtask` itself compiles quickly.

use std::process::ExitCode;

use anyhow::Context;

use crate::error::handed_on;
use crate::{cargo, setup, terminal};

/// The package, and its program.
const BOOK: &str = "quadscan-book";

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    setup::ensure()?;
    terminal::begin("making the book");
    let mut build = cargo::command("build");
    build.args(["--package", BOOK]);
    let program = cargo::build(build, "the package quadscan-book")?
        .into_iter()
        .find(|executable| executable.name == BOOK)
        .context("cargo built the book's program and named no executable")?;
    let target = cargo::target_directory()?.join("book");
    let status = std::process::Command::new(&program.path)
        .arg(cargo::root())
        .arg(&target)
        .status()
        .with_context(|| format!("{} could not be started", program.path.display()))?;
    Ok(handed_on(status))
}
