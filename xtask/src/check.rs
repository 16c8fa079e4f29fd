//! `cargo xtask check [KERNEL]`: every kernel under all checks of the emulator.
//!
//! The test program `conformance` of `quadscan-tests` does it, so that what is
//! checked is what the conformance tests launch.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::Context;

use crate::{bundle, setup};

/// The suite whose statements are run.
const SUITE: &str = "conformance";

pub(crate) fn run(arguments: &[OsString]) -> anyhow::Result<ExitCode> {
    setup::ensure()?;
    let suite = bundle::gpu_suites(&[SUITE])?
        .pop()
        .context("cargo built the tests and named no executable")?;
    // The program takes this process over: its exit code needs no handing on.
    let error = Command::new(&suite.path)
        .arg("check")
        .args(arguments)
        .exec();
    Err(error).with_context(|| format!("{} could not be started", suite.path.display()))
}
