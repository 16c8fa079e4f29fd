//! `cargo xtask check --known-bugs`: kernels with bugs that others reported.

use std::fs;
use std::process::ExitCode;

use anyhow::Context;

use super::{Options, program_checking, status, suite};
use crate::error::Refused;
use crate::{cargo, terminal};

/// The program that runs them.
const PROGRAM: &str = "known_bugs";
/// Where their sources are.
const BUGS: &str = "tests/known-bugs/src";

/// Refuses what is no known bug before anything is built: each has a file of its own.
pub(super) fn is_one(name: &str) -> anyhow::Result<()> {
    let folder = cargo::root().join(BUGS);
    let files =
        fs::read_dir(&folder).with_context(|| format!("{} could not be read", folder.display()))?;
    let mut names: Vec<String> = files
        .filter_map(|file| Some(file.ok()?.path().file_stem()?.to_str()?.to_owned()))
        .filter(|name| name != "lib")
        .collect();
    names.sort();
    match names.iter().any(|known| known == name) {
        true => Ok(()),
        false => {
            let allowed = names.join(", ");
            Err(Refused(format!("`{name}` is no known bug: allowed are {allowed}")).into())
        }
    }
}

/// Runs the kernels with known bugs; the program that does so builds their PTX.
pub(super) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    terminal::begin("building kernels with known bugs");
    let (program, _) = suite(PROGRAM)?;
    let code = status(program_checking(&program, options))?;
    let code = code.and_then(|code| u8::try_from(code).ok());
    Ok(ExitCode::from(code.unwrap_or(1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_known_bug_is_refused_with_those_that_are() {
        assert!(is_one("tile_not_filled").is_ok());
        for name in ["tile_not_fill", "lib"] {
            let error = is_one(name).expect_err("it is none");
            assert!(error.is::<Refused>());
            let said = error.to_string();
            let begins = format!("`{name}` is no known bug: allowed are atomic_on_local, ");
            assert!(
                said.starts_with(&begins) && said.contains(", tile_not_filled, "),
                "{said}"
            );
        }
    }
}
