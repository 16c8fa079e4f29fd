//! How a command fails: the two errors that have exit codes of their own.

use std::io;
use std::path::PathBuf;
use std::process::{ExitCode, ExitStatus};

use clap::builder::{PathBufValueParser, TypedValueParser};

/// A request that cannot be carried out as it stands: exit code 2.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Refused(pub(crate) String);

/// A build failed, and cargo has said why: exit code 101, as cargo's own.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct BuildFailed(pub(crate) String);

/// Paths on the command line, without those that no file can have: builds take minutes, and are
/// not to be in vain.
pub(crate) fn path() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path: PathBuf| match path.metadata() {
        Err(error) if error.kind() == io::ErrorKind::InvalidFilename => Err(error),
        _ => Ok(path),
    })
}

/// A program's exit code as our own; 1 when a signal ended it.
pub(crate) fn handed_on(status: ExitStatus) -> ExitCode {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    ExitCode::from(code.unwrap_or(1))
}

/// The exit code of a command that failed: 1 unless the error has its own.
pub(crate) fn exit_code(error: &anyhow::Error) -> ExitCode {
    if error.is::<Refused>() {
        ExitCode::from(2)
    } else if error.is::<BuildFailed>() {
        ExitCode::from(101)
    } else {
        ExitCode::FAILURE
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exit_codes_tell_a_refusal_from_a_failed_build_from_a_failed_check() {
        let code = |error: anyhow::Error| format!("{:?}", exit_code(&error));
        let expected = |code: u8| format!("{:?}", ExitCode::from(code));
        assert_eq!(code(Refused("no".into()).into()), expected(2));
        assert_eq!(code(BuildFailed("no".into()).into()), expected(101));
        assert_eq!(code(anyhow::anyhow!("no")), expected(1));
    }
}
