//! `cargo xtask bench ARGS`: builds `quadscan` and becomes `quadscan bench ARGS`; `formula`,
//! `integrate`, `scan`, `reduce`, `plan` and `report` likewise.
//!
//! The program gets the command that builds modules of PTX ([`crate::ptx`]), and runs it for the
//! modules that it needs.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::Context;
use clap::ColorChoice;

use crate::cargo::{self, Executable};
use crate::quadscan::{self, Manners};
use crate::setup;
use crate::terminal::Talk;

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
    /// Builds `quadscan`, unless the answer is known, and becomes `quadscan SUBCOMMAND ARGS`, with
    /// the manners that stand before them.
    pub(crate) fn hand_on(&self, subcommand: &str, manners: Manners) -> anyhow::Result<ExitCode> {
        let arguments = [typed(manners), self.all.clone()].concat();
        match quadscan::answer(subcommand, &arguments) {
            Ok(code) => return Ok(code),
            Err(manners) => Talk::from(manners).begin(),
        }
        setup::ensure()?;
        let quadscan = built(&["--release"])?;
        let builder = std::env::current_exe().context("this program has no name")?;
        // The program takes this process over, so that its exit code, and the
        // signals that interrupt a sweep, need no handing on.
        let error = Command::new(&quadscan.path)
            .arg(subcommand)
            .args(arguments)
            .env(BUILDER, builder)
            .envs(Talk::of_cargo())
            .exec();
        Err(error).with_context(|| format!("{} could not be started", quadscan.path.display()))
    }
}

/// Manners as they are typed, where they are not the usual ones.
fn typed(manners: Manners) -> Vec<OsString> {
    let color = format!("--color={}", manners.color);
    let words = [
        (manners.quiet, "--quiet"),
        (manners.verbose, "--verbose"),
        (manners.color != ColorChoice::Auto, &color),
    ];
    let given = words.into_iter().filter(|(is_given, _)| *is_given);
    given.map(|(_, word)| word.into()).collect()
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
