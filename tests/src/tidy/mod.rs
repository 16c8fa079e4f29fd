//! The house rules that a compiler does not know.
//!
//! A rule is a function from a file to what is wrong with it, so that a test
//! can show it a bad sample; `tests/tidy.rs` runs all of them on the
//! repository, and each on a sample that must set it off.

mod dependencies;
mod documents;
mod files;
mod layers;
mod modules;
mod sources;
mod words;

pub use dependencies::{
    anyhow_in_a_library, dependency_outside_the_table, kernel_dependency, tests_that_nobody_runs,
    upward_dependency,
};
pub use documents::home_folder;
pub use files::{File, files};
pub use layers::{Layers, import_cycles, roots, upward_imports};
pub use sources::{
    MAX_LINES, MAX_LINES_OF_TESTS, clock_in_export, missing_module_docs, pinned_nightly,
    quadscan_in_the_toolchain, stub, terminal_in_the_library, too_long,
};
pub use words::{Text, Word, words};

/// Something that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file, from the root of the repository.
    pub path: String,
    /// The line, from 1; 0 when it is about the whole file.
    pub line: usize,
    /// What is wrong, and what to do instead.
    pub message: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Finding {
            path,
            line,
            message,
        } = self;
        match line {
            0 => write!(formatter, "{path}: {message}"),
            _ => write!(formatter, "{path}:{line}: {message}"),
        }
    }
}

/// A rule: what is wrong with a file.
pub type Rule = fn(&File) -> Vec<Finding>;
