//! `cargo xtask check [KERNEL]`: every kernel under all checks of the emulator.
//!
//! The test program `conformance` of `quadscan-tests` does it, so that what is
//! checked is what the conformance tests launch. A KERNEL that has a module of its own there
//! is built [`alone`], and its own statements are run: the suite says when those need other
//! kernels too, and then all are built, as for any other KERNEL.

use std::ffi::{OsStr, OsString};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};

use anyhow::Context;

use crate::{alone, bundle, setup, terminal};

pub(crate) fn run(arguments: &[OsString]) -> anyhow::Result<ExitCode> {
    setup::ensure()?;
    if let Some(kernel) = kernel(arguments).filter(|kernel| alone::has_statements(kernel))
        && let Some(code) = check_alone(kernel, arguments)?
    {
        return Ok(code);
    }
    let suite = bundle::gpu_suites(&[alone::SUITE])?
        .pop()
        .context("cargo built the tests and named no executable")?;
    // The program takes this process over: its exit code needs no handing on.
    let error = Command::new(&suite.path)
        .arg("check")
        .args(arguments)
        .exec();
    Err(error).with_context(|| format!("{} could not be started", suite.path.display()))
}

/// Checks one kernel by its own statements; none where these need others too.
fn check_alone(kernel: &str, arguments: &[OsString]) -> anyhow::Result<Option<ExitCode>> {
    let (artifact, suite) = alone::build(kernel)?;
    terminal::begin(&format!("checking {kernel}"));
    let status = Command::new(&suite.path)
        .arg("check")
        .args(arguments)
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

/// The KERNEL of a command line, where there is one and nothing is strange.
fn kernel(arguments: &[OsString]) -> Option<&str> {
    let mut arguments = arguments.iter().map(OsString::as_os_str).map(OsStr::to_str);
    let mut kernel = None;
    while let Some(argument) = arguments.next() {
        match argument? {
            "--schedules" => {
                arguments.next()?;
            }
            option if option.starts_with("--schedules=") => {}
            option if option.starts_with('-') => return None,
            _ if kernel.is_some() => return None,
            name => kernel = Some(name),
        }
    }
    kernel
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_is_found_among_the_arguments_and_what_is_strange_is_the_suites() {
        let of = |line: &str| {
            let arguments: Vec<OsString> = line.split_whitespace().map(Into::into).collect();
            kernel(&arguments).map(str::to_owned)
        };
        for line in [
            "scale",
            "scale --schedules 3",
            "--schedules 3 scale",
            "--schedules=3 scale",
        ] {
            assert_eq!(of(line).as_deref(), Some("scale"), "{line}");
        }
        for line in [
            "",
            "--help",
            "scale --help",
            "scale other",
            "scale --schedules",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }

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
