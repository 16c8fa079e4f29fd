//! What the program can fail with: what the library says, and what only the program does.
//!
//! Every variant names the thing that was wrong and, where there is one, the allowed range; none
//! prints more than one sentence, and none decides what is printed where: `main.rs` does.

use std::io;
use std::path::PathBuf;

/// The result of everything in this crate that can fail.
pub type Result<T> = std::result::Result<T, Error>;

/// What went wrong.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The library's.
    #[error(transparent)]
    Quadscan(#[from] quadscan::Error),
    /// The clocks were asked of a device whose clocks nobody tells.
    #[error("the clocks of {device} are not known: {reason}")]
    NoClocks {
        /// The device's name.
        device: String,
        /// Why.
        reason: String,
    },
    /// The program that builds modules of PTX failed, and has said why.
    #[error("the kernels could not be built")]
    Build,
    /// The program that builds modules of PTX could not be started.
    #[error("{}, which builds the kernels, could not be started: {source}", path.display())]
    NoBuilder {
        /// The program.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// An argument of the command line that cannot be carried out.
    #[error("{argument} {problem}")]
    Argument {
        /// The argument as it is typed, such as `--threads`.
        argument: String,
        /// What is wrong with its value, and the allowed range.
        problem: String,
    },
    /// A formula that cannot be understood.
    #[error("{argument}, {error}")]
    Formula {
        /// The argument as it is typed.
        argument: String,
        /// What is wrong, and where.
        error: quadscan::integrate::FormulaError,
    },
    /// A folder or a file for results that cannot be written.
    #[error("--out {}: cannot write {}: {source}", folder.display(), path.display())]
    Unwritable {
        /// What `--out` names.
        folder: PathBuf,
        /// The file or folder that could not be written.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Records that cannot be used.
    #[error("cannot use the records in {}: {problem}", path.display())]
    Records {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The device cannot carry out the request, in the measuring process's words.
    #[error("{problem}")]
    Refused {
        /// What is wrong.
        problem: String,
    },
    /// The library of MPI, where several processes were started.
    #[error("MPI cannot be used: {problem}")]
    Mpi {
        /// What is wrong, and how to do without.
        problem: String,
    },
    /// An error that all processes have learnt of.
    #[error("{problem}")]
    Agreed {
        /// The words of the process that it is of.
        problem: String,
        /// Its exit code.
        code: u8,
    },
    /// The process that measures on the device could not be started.
    #[error("cannot start the measuring process: {problem}")]
    Worker {
        /// What is wrong.
        problem: String,
    },
}

impl Error {
    /// The exit code that `quadscan` ends with: 2 for a request that cannot be carried out, 1 for
    /// a kernel that faulted (its result is wrong, not its request), 101 for a build that failed.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Build => 101,
            Error::Agreed { code, .. } => *code,
            _ if self.is_context_lost() => 1,
            _ => 2,
        }
    }

    /// True when the device is beyond use; see [`quadscan::Error::is_context_lost`].
    pub fn is_context_lost(&self) -> bool {
        matches!(self, Error::Quadscan(error) if error.is_context_lost())
    }
}
