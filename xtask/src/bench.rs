//! `cargo xtask bench ARGS`: builds `quadscan` and becomes `quadscan bench ARGS`; `integrate`,
//! `scan`, `reduce` and `report` likewise.
//!
//! The program gets the command that builds modules of PTX ([`crate::ptx`]), and runs it for the
//! modules that it needs.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::Context;

use crate::cargo::{self, Executable};
use crate::{quadscan, setup};

/// The variable that names this program to `quadscan`.
const BUILDER: &str = "QUADSCAN_BUILDER";

/// What a command hands on as it stands, `--help` included.
#[derive(clap::Args, Debug)]
pub(crate) struct Arguments {
    /// Arguments of `quadscan`'s command
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    pub(crate) all: Vec<OsString>,
}

impl Arguments {
    /// Builds `quadscan`, unless the answer is known, and becomes `quadscan SUBCOMMAND ARGS`.
    pub(crate) fn hand_on(&self, subcommand: &str) -> anyhow::Result<ExitCode> {
        if let Some(code) = quadscan::answer(subcommand, &self.all) {
            return Ok(code);
        }
        setup::ensure()?;
        let quadscan = built(&["--release"])?;
        let builder = std::env::current_exe().context("this program has no name")?;
        // The program takes this process over, so that its exit code, and the
        // signals that interrupt a sweep, need no handing on.
        let error = Command::new(&quadscan.path)
            .arg(subcommand)
            .args(&self.all)
            .env(BUILDER, builder)
            .exec();
        Err(error).with_context(|| format!("{} could not be started", quadscan.path.display()))
    }
}

/// The program in release, with all PTX inside.
pub(crate) fn embedding() -> anyhow::Result<Executable> {
    built(&["--release", "--features=embed"])
}

pub(crate) fn built(options: &[&str]) -> anyhow::Result<Executable> {
    let mut build = cargo::command("build");
    build.args(["--package", "quadscan-bench", "--bin", "quadscan"]);
    build.args(options);
    cargo::build(build, "quadscan")?
        .into_iter()
        .find(|executable| executable.name == "quadscan" && !executable.is_test)
        .context("cargo built quadscan and named no executable")
}
