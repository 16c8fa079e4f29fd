//! The one error type of this crate, and the refusal of a kernel's name, which commands share.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why there is no PTX. Each message is one sentence and says what to do.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum CudaBuilderError {
    /// The folder of kernels given to [`CudaBuilder::new`](crate::CudaBuilder) holds no `Cargo.toml`.
    #[error("there is no crate of kernels at {0}: no Cargo.toml is there")]
    CratePathDoesntExist(PathBuf),
    /// cargo stopped; what it said stands above on stderr.
    #[error("the kernels in {crate_path} do not compile: see the errors above{advice}")]
    BuildFailed {
        /// The crate of kernels.
        crate_path: PathBuf,
        /// What to write instead of something that rustc no longer has, or nothing.
        advice: String,
    },
    /// The PTX was built, and could not be copied to where `copy_to` says.
    #[error("the PTX could not be copied to {path}: {source}")]
    FailedToCopyPtxFile {
        /// Where it was to go.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// No nightly that can build kernels is installed.
    #[error("{reason}: run `{remedy}`")]
    NoToolchain {
        /// What was looked for, and not found.
        reason: String,
        /// The command that mends it.
        remedy: String,
    },
    /// A package that the build needs is not on this machine, and builds do not use the network.
    #[error(
        "a package that the kernels in {crate_path} need has not been fetched yet, and builds do not use the network: run `{remedy}`"
    )]
    NotFetched {
        /// The crate of kernels.
        crate_path: PathBuf,
        /// The command that mends it.
        remedy: String,
    },
    /// `Cargo.lock` does not fit `Cargo.toml`, and builds do not change it.
    #[error("the lock file of the kernels in {crate_path} is out of date: run `{remedy}`")]
    LockFile {
        /// The crate of kernels.
        crate_path: PathBuf,
        /// The command that mends it.
        remedy: String,
    },
    /// rustc has no code generator for this architecture any more.
    #[error("{0} is too old for rustc's code generator: choose sm_70 or newer")]
    UnsupportedArch(&'static str),
    /// No architecture has this name.
    #[error("`{0}` is not an architecture: write one such as sm_75 or sm_90")]
    UnknownArch(String),
    /// The options contradict each other, or ask for what cannot be had.
    #[error("{0}")]
    BadOption(String),
    /// A name in [`CudaBuilder::only`](crate::CudaBuilder) stands for no kernel of the crate.
    #[error(transparent)]
    UnknownKernel(#[from] UnknownKernel),
    /// A file could not be read or written.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// `read`, `write`, ...
        action: &'static str,
        /// Which file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A program could not be started.
    #[error("cannot start {program}: {source}")]
    Start {
        /// Which one.
        program: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// cargo, rustc or rustup answered something that cannot be used.
    #[error("{program} answered something unexpected: {reason}")]
    Unexpected {
        /// Which one.
        program: &'static str,
        /// What it answered.
        reason: String,
    },
    /// The toolchain's LLVM cannot be used.
    #[error("LLVM cannot be used: {0}")]
    Llvm(String),
    /// Two kernels have one name, device code calls a kernel, or metadata is not what
    /// cuda_std writes.
    #[error("kernel `{entry}` cannot be built: {reason}")]
    BadKernel {
        /// The kernel, as far as it is known.
        entry: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A static is nothing that a GPU has.
    #[error("static `{name}` cannot be built: {reason}")]
    BadStatic {
        /// The static, by its path.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The text that LLVM made is no PTX; inline assembly goes into it as it is.
    #[error("{module} is not PTX, {source}: is it inline assembly that is wrong there?")]
    NotPtx {
        /// The file that it was to be.
        module: String,
        /// Line, column, and what was expected there.
        source: ptx_syntax::ParseError,
    },
    /// Lints that were set to deny have fired.
    #[error("the PTX is not acceptable:\n{0}")]
    Lints(String),
    /// `manifest.json` is not what this version reads.
    #[error("{path} is not a manifest of kernels: {reason}")]
    BadManifest {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

impl CudaBuilderError {
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        CudaBuilderError::Io {
            action,
            path: path.to_owned(),
            source,
        }
    }
}

/// The same sentence as `Display`: build scripts end in `build().unwrap()`,
/// and that is what their author reads.
impl fmt::Debug for CudaBuilderError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Names that a refusal tells.
pub(crate) const NAMED: usize = 12;

/// A name that stands for no kernel.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("KERNEL `{name}` is not a kernel's name{}", self.hint())]
pub struct UnknownKernel {
    /// What was asked for.
    pub name: String,
    /// The names with the most words of it, the first of them; none where no word fits.
    pub near: Vec<String>,
    /// How many more are as near.
    pub more: usize,
}

impl UnknownKernel {
    /// Refuses a name, and tells those that are meant, perhaps: of the `known` ones those with
    /// the most words of the name.
    ///
    /// ```
    /// use cuda_builder::names::UnknownKernel;
    ///
    /// let refused = UnknownKernel::among("scan_i64", ["scan_u32", "scan_f32", "reduce_f32"]);
    /// assert_eq!(
    ///     refused.to_string(),
    ///     "KERNEL `scan_i64` is not a kernel's name: near it are scan_u32, scan_f32"
    /// );
    /// ```
    pub fn among<'k>(name: &str, known: impl IntoIterator<Item = &'k str>) -> Self {
        let words: Vec<&str> = name.split('_').filter(|word| word.len() > 1).collect();
        let shared = |known: &str| {
            let parts: Vec<&str> = known.split('_').collect();
            words.iter().filter(|word| parts.contains(word)).count()
        };
        let known: Vec<(usize, &str)> = known
            .into_iter()
            .map(|known| (shared(known), known))
            .collect();
        let most = known.iter().map(|&(count, _)| count).max().unwrap_or(0);
        let near = known.iter().filter(|(count, _)| most > 0 && *count == most);
        let mut near: Vec<String> = near.map(|&(_, known)| known.to_owned()).collect();
        // Those with the fewest words besides come first.
        near.sort_by_key(|known| known.split('_').count());
        let more = near.len().saturating_sub(NAMED);
        near.truncate(NAMED);
        UnknownKernel {
            name: name.to_owned(),
            near,
            more,
        }
    }

    fn hint(&self) -> String {
        match (self.near.join(", "), self.more) {
            (near, _) if near.is_empty() => near,
            (near, 0) => format!(": near it are {near}"),
            (near, more) => format!(": near it are {near} and {more} more"),
        }
    }
}
