//! `cargo xtask report ARGS`: builds `quadscan` and becomes `quadscan report ARGS`.

use std::ffi::OsString;
use std::process::ExitCode;

use crate::bench;

pub(crate) fn run(arguments: &[OsString]) -> anyhow::Result<ExitCode> {
    bench::become_quadscan("report", arguments)
}
