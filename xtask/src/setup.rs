//! `cargo xtask setup`: the device toolchain and every package, so that builds
//! after it work offline.
//!
//! Which toolchain, and how it is installed, is `cuda_builder`'s to know.

use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use anyhow::Context;
use cuda_builder::toolchain;

use crate::error::Refused;
use crate::{cargo, terminal};

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let start = Instant::now();
    terminal::begin("setup");
    install_toolchain()?;
    fetch_packages()?;
    terminal::took("set up", start);
    Ok(ExitCode::SUCCESS)
}

/// Sets up when something is missing; says nothing when nothing is.
pub(crate) fn ensure() -> anyhow::Result<()> {
    let status = toolchain::status();
    match status.toolchain {
        Ok(toolchain) if toolchain.warning.is_none() && status.packages_fetched => Ok(()),
        _ => run().map(drop),
    }
}

fn install_toolchain() -> anyhow::Result<()> {
    let start = Instant::now();
    match toolchain::install(&mut |line| terminal::note(line)) {
        Ok(toolchain) => {
            terminal::note(&format!(
                "kernels: rustc {}, LLVM {} ({})",
                toolchain.rustc,
                toolchain.llvm,
                terminal::duration(start.elapsed())
            ));
            Ok(())
        }
        Err(error) => {
            // Another nightly that can build kernels will do, with a warning.
            let status = toolchain::status();
            match status.toolchain {
                Ok(toolchain::Toolchain {
                    warning: Some(warning),
                    ..
                }) if status.packages_fetched => {
                    terminal::warning(&error.to_string());
                    terminal::warning(&warning.to_string());
                    Ok(())
                }
                _ => Err(Refused(error.to_string()).into()),
            }
        }
    }
}

fn fetch_packages() -> anyhow::Result<()> {
    let fetch = || {
        let mut fetch = cargo::command("fetch");
        fetch.arg("--locked");
        fetch
    };
    let there = fetch()
        .args(["--offline", "--quiet"])
        .stderr(Stdio::null())
        .status()
        .context("cargo could not be started")?;
    if there.success() {
        terminal::note("the workspace's packages are there");
        return Ok(());
    }
    let start = Instant::now();
    terminal::note("fetching the workspace's packages");
    let status = fetch().status().context("cargo could not be started")?;
    if !status.success() {
        let message = "cargo fetch --locked failed: see above what it lacks";
        return Err(Refused(message.into()).into());
    }
    terminal::took("fetched", start);
    Ok(())
}

/// Adds the components that are missing (rustup's minimal profile has none)
/// to the toolchain that the host side is built with.
pub(crate) fn ensure_components(components: &[&str]) -> anyhow::Result<()> {
    let missing: Vec<&str> = components
        .iter()
        .copied()
        .filter(|component| !component_works(component))
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let start = Instant::now();
    terminal::note(&format!("adding {}", missing.join(" and ")));
    let added = Command::new("rustup")
        .args(["component", "add"])
        .args(&missing)
        .status();
    if !added.is_ok_and(|status| status.success()) {
        let missing = missing.join(" ");
        return Err(Refused(format!(
            "install what is missing: rustup component add {missing}"
        ))
        .into());
    }
    terminal::took("added", start);
    Ok(())
}

fn component_works(component: &str) -> bool {
    // The component `rustfmt` is the subcommand `fmt`.
    let subcommand = component.strip_prefix("rust").unwrap_or(component);
    Command::new(cargo::program())
        .args([subcommand, "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_that_does_not_exist_does_not_work() {
        assert!(component_works("rustfmt"));
        assert!(!component_works("no-such-component"));
    }
}
