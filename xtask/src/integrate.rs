//! `cargo xtask integrate ARGS`: builds `quadscan` and becomes `quadscan integrate ARGS`.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::bench;

pub(crate) fn run(arguments: &[OsString]) -> anyhow::Result<ExitCode> {
    bench::become_quadscan("integrate", arguments)
}
