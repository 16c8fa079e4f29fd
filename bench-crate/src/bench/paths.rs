//! Checks, before anything is measured, that the files and folders named on the command line
//! exist. Errors in their contents may still be found when they are used.

use std::io;
use std::path::Path;

use crate::cli::BenchArguments;
use crate::error::{Error, Result};
use crate::files::reach;
use crate::modules::expect_artifact;
use crate::table::list::refused;

/// Err when the folder of records can be none; when the folder of another CUB, the Python or the
/// folder of the PTX is not there; and for what no file can be called.
pub(super) fn check(arguments: &BenchArguments) -> Result<()> {
    check_out(&arguments.out)?;
    let programs = [
        ("--python", &arguments.python),
        ("--worker", &arguments.worker),
    ];
    for (argument, path) in [("--peers", &arguments.peers)].iter().chain(&programs) {
        if let Some(path) = path
            && let Err(error) = reach(path)
        {
            let problem = format!("{} cannot be used: {error}", path.display());
            return Err(refused(argument, problem));
        }
    }
    if let Some(folder) = &arguments.cub
        && !folder.join("cub/version.cuh").is_file()
    {
        let problem = "has no cub/version.cuh, allowed is a folder of CUB's headers";
        return Err(refused("--cub", format!("{} {problem}", folder.display())));
    }
    if let Some(program) = &arguments.python
        && is_path(program)
        && !program.is_file()
    {
        let problem = "does not exist, allowed is a Python interpreter";
        let problem = format!("{} {problem}", program.display());
        return Err(refused("--python", problem));
    }
    expect_artifact(arguments.artifact.as_deref())
}

/// Err when it is there and no folder, or can never be there.
fn check_out(folder: &Path) -> Result<()> {
    let reached = match reach(folder) {
        Ok(Some(found)) if !found.is_dir() => Err(io::ErrorKind::NotADirectory.into()),
        reached => reached,
    };
    reached.map(drop).map_err(|source| Error::Unwritable {
        folder: folder.into(),
        path: folder.into(),
        source,
    })
}

/// Whether it is no name that is looked for where programs are.
fn is_path(program: &Path) -> bool {
    program.components().count() > 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_allowed_and_a_program_by_its_name() {
        let Ok(folder) = tempfile::tempdir() else {
            panic!("no folder")
        };
        let made = std::fs::create_dir(folder.path().join("cub"))
            .and_then(|()| std::fs::write(folder.path().join("cub/version.cuh"), ""))
            .and_then(|()| std::fs::write(folder.path().join("manifest.json"), ""));
        assert!(made.is_ok());
        let arguments = BenchArguments {
            cub: Some(folder.path().into()),
            artifact: Some(folder.path().into()),
            python: Some("python3".into()),
            ..BenchArguments::default()
        };
        assert!(check(&arguments).is_ok());
    }
}
