//! `cargo xtask fixtures`: records, on this machine's GPU, the results that the emulator
//! has to reproduce.
//!
//! The test program `fixtures` of `quadscan-tests` does it, so recording and replay run
//! the same code; in the bundle it is
//! `run-gpu-tests.sh fixtures record DIR`.

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::Context;

use crate::error::Refused;
use crate::{bundle, cargo, ptx, setup};

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    // Refuse before building: that takes a second, a build minutes.
    if let Err(error) = libcuda_lazy::status() {
        return Err(Refused(format!("fixtures are recorded on a GPU: {error}")).into());
    }
    setup::ensure()?;
    let suite = bundle::gpu_suites(&[bundle::FIXTURES])?
        .pop()
        .context("cargo built the tests and named no executable")?;
    // The program takes this process over: its exit code needs no handing on.
    let error = Command::new(&suite.path)
        .arg("record")
        .arg(cargo::root().join("tests/fixtures/h200"))
        .env(ptx::ARTIFACT, ptx::modules(&ptx::ARCHS, &[])?)
        .exec();
    Err(error).with_context(|| format!("{} could not be started", suite.path.display()))
}
