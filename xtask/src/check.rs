//! `cargo xtask check [KERNEL]`: every kernel under all checks of the emulator.
//!
//! The test program `conformance` of `quadscan-tests` does it, so that what is
//! checked is what the conformance tests launch. A KERNEL that has a module of its own there
//! is built [`alone`], and its own statements are run: the suite says when those need other
//! kernels too, and then all are built, as for any other KERNEL.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::Context;

use crate::cargo::Executable;
use crate::{alone, bundle, setup, subject, terminal};

/// What is checked, and how often.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Check launches of this kernel alone, or of those of the part, the integrand, the family
    /// (what their names begin with) or the module of this name
    #[arg(value_name = "KERNEL")]
    kernel: Option<String>,
    /// Interleavings of warps, blocks and divergent paths to run
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=1000))]
    schedules: u64,
}

impl Options {
    /// The suite's command.
    fn command(&self, suite: &Executable) -> Command {
        let mut command = Command::new(&suite.path);
        command.arg("check").args(&self.kernel);
        command.args(["--schedules", &self.schedules.to_string()]);
        command
    }
}

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    let kernel = options.kernel.as_deref();
    let own = kernel.filter(|kernel| alone::has_statements(kernel));
    if let (Some(kernel), None) = (kernel, own) {
        subject::can_be(kernel)?;
    }
    setup::ensure()?;
    if let Some(kernel) = own
        && let Some(code) = check_alone(kernel, options)?
    {
        return Ok(code);
    }
    let suite = bundle::gpu_suites(&[alone::SUITE])?
        .pop()
        .context("cargo built the tests and named no executable")?;
    // The program takes this process over: its exit code needs no handing on.
    let error = options.command(&suite).exec();
    Err(error).with_context(|| format!("{} could not be started", suite.path.display()))
}

/// Checks one kernel by its own statements; none where these need others too.
fn check_alone(kernel: &str, options: &Options) -> anyhow::Result<Option<ExitCode>> {
    let (artifact, suite) = alone::build(kernel)?;
    terminal::begin(&format!("checking {kernel}"));
    let status = options
        .command(&suite)
        .arg("--artifact")
        .arg(&artifact)
        .status()
        .with_context(|| format!("{} could not be started", suite.path.display()))?;
    if status.code() == Some(alone::OTHERS_NEEDED.into()) {
        terminal::note("building all kernels");
        return Ok(None);
    }
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(Some(ExitCode::from(code.unwrap_or(1))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_the_suite_that_are_about_something_else_are_no_kernels() {
        for name in [
            "block_scan",
            "adaptive",
            "main",
            "",
            "../main",
            "no_such_kernel",
        ] {
            assert!(!alone::has_statements(name), "{name}");
        }
    }
}
