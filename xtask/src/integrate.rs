//! `cargo xtask integrate ARGS`: builds `quadscan` and becomes `quadscan integrate ARGS`.
//!
//! Of the kernels, those of the integrand alone are built, for all architectures: seconds in
//! the place of minutes.

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use crate::{alone, bench, setup, terminal};

pub(crate) fn run(arguments: &[OsString]) -> anyhow::Result<ExitCode> {
    setup::ensure()?;
    let mut arguments = arguments.to_vec();
    if let Some(name) = integrand(&arguments).filter(|name| alone::is_integrand(name)) {
        terminal::begin(&format!("building {name} alone"));
        let artifact = alone::integrand(name)?;
        arguments.extend(["--artifact".into(), artifact.into()]);
    }
    let quadscan = bench::without_kernels(&["--release"])?;
    bench::become_program(&quadscan, "integrate", &arguments)
}

/// The integrand of a command line, where its kernels are needed and not brought along.
fn integrand(arguments: &[OsString]) -> Option<&str> {
    let mut words = arguments.iter().map(OsString::as_os_str).map(OsStr::to_str);
    let mut name = None;
    while let Some(word) = words.next() {
        match word {
            Some("--integrand") => name = words.next()?,
            Some("--artifact" | "--list" | "--help" | "-h") => return None,
            Some(word) if word.starts_with("--artifact=") => return None,
            Some(word) => name = word.strip_prefix("--integrand=").or(name),
            None => {}
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_integrand_is_known_where_its_kernels_are_needed() {
        let of = |line: &str| {
            let arguments: Vec<OsString> = line.split_whitespace().map(Into::into).collect();
            integrand(&arguments).map(str::to_owned)
        };
        for line in [
            "--integrand planck",
            "--integrand=planck --from 1",
            "--from 1 --integrand planck --rule tanh-sinh",
        ] {
            assert_eq!(of(line).as_deref(), Some("planck"), "{line}");
        }
        for line in [
            "",
            "--integrand",
            "--list",
            "--integrand planck --help",
            "--integrand planck --artifact folder",
            "--integrand planck --artifact=folder",
        ] {
            assert_eq!(of(line), None, "{line}");
        }
    }
}
