//! What must not be in the PTX of a good kernel, one file a lint.
//!
//! The lints read PTX text, whatever made it; see [`crate::ptx`]. How loud a
//! finding is, is the caller's choice.

mod atomic_order;
mod local_array;
mod memory_size;
mod shared_generic;
mod undefined_function;
mod unlisted_entry;

use std::collections::BTreeMap;
use std::fmt;

use crate::ptx::{Function, Ptx};

/// A property of PTX that is checked after code generation.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Lint {
    /// `local-array`: an array in local memory, which is a thread's share of
    /// device memory; it should be in registers.
    LocalArray,
    /// `atomic-order`: an atomic operation without a memory order.
    AtomicOrder,
    /// `shared-generic`: a shared variable accessed through a generic address.
    SharedGeneric,
    /// `unlisted-entry`: an `.entry` that the manifest lacks.
    UnlistedEntry,
    /// `undefined-function`: a call of a function that nothing defines.
    UndefinedFunction,
    /// `memory-size`: more shared or constant variables than a GPU has room for.
    MemorySize,
}

/// What a finding leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum LintLevel {
    /// Nothing.
    Allow,
    /// A warning.
    #[default]
    Warn,
    /// The build fails.
    Deny,
}

/// One place where a lint fires.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[non_exhaustive]
pub struct Finding {
    /// Which lint.
    pub lint: Lint,
    /// The kernel or function.
    pub kernel: String,
    /// The line of the PTX, from 1.
    pub line: usize,
    /// The place in the Rust source, `src/scan.rs:12`, where the PTX tells it.
    pub source: Option<String>,
    /// What is wrong there and what helps.
    pub message: String,
}

/// The level of each lint.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Levels(BTreeMap<Lint, LintLevel>);

impl Lint {
    /// Every lint.
    pub const ALL: &'static [Lint] = &[
        Lint::LocalArray,
        Lint::AtomicOrder,
        Lint::SharedGeneric,
        Lint::UnlistedEntry,
        Lint::UndefinedFunction,
        Lint::MemorySize,
    ];

    /// The name that findings carry.
    pub fn name(self) -> &'static str {
        match self {
            Lint::LocalArray => "local-array",
            Lint::AtomicOrder => "atomic-order",
            Lint::SharedGeneric => "shared-generic",
            Lint::UnlistedEntry => "unlisted-entry",
            Lint::UndefinedFunction => "undefined-function",
            Lint::MemorySize => "memory-size",
        }
    }
}

impl fmt::Display for Lint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Finding {
            lint,
            kernel,
            line,
            source,
            message,
        } = self;
        write!(f, "{kernel}: {message} [{lint}] (PTX line {line}")?;
        match source {
            Some(source) => write!(f, ", {source})"),
            None => write!(f, ")"),
        }
    }
}

impl Levels {
    pub(crate) fn set(&mut self, lint: Lint, level: LintLevel) {
        self.0.insert(lint, level);
    }

    pub(crate) fn get(&self, lint: Lint) -> LintLevel {
        self.0.get(&lint).copied().unwrap_or_default()
    }
}

/// Runs every lint over PTX text; `entries` are the kernels that the manifest
/// lists. The findings come in the order of their lines.
pub fn check(ptx: &str, entries: &[&str]) -> Vec<Finding> {
    let ptx = Ptx::read(ptx);
    let mut findings = Vec::new();
    for function in &ptx.functions {
        local_array::check(&ptx, function, &mut findings);
        atomic_order::check(&ptx, function, &mut findings);
        shared_generic::check(&ptx, function, &mut findings);
        unlisted_entry::check(&ptx, function, entries, &mut findings);
        undefined_function::check(&ptx, function, &mut findings);
        memory_size::shared(&ptx, function, &mut findings);
    }
    memory_size::constant(&ptx, &mut findings);
    findings.sort_by_key(|finding| finding.line);
    findings
}

/// A finding at the line with that index.
fn finding(
    lint: Lint,
    ptx: &Ptx<'_>,
    function: &Function,
    index: usize,
    message: String,
) -> Finding {
    Finding {
        lint,
        kernel: function.name.clone(),
        line: index + 1,
        source: ptx.source(function, index),
        message,
    }
}

#[cfg(test)]
mod testing {
    use super::{Finding, Lint};

    /// What one lint finds in a kernel `k` of that body.
    pub(super) fn findings(lint: Lint, body: &str) -> Vec<Finding> {
        let text = format!(
            ".version 8.0\n.target sm_90\n.shared .align 4 .b8 TILE[64];\n\
             .visible .entry k(\n\t.param .u64 k_param_0\n)\n{{\n\t.loc\t1 7 1\n{body}\n\tret;\n}}\n\
             .file\t1 \"src/lib.rs\"\n"
        );
        let mut found = super::check(&text, &["k"]);
        found.retain(|finding| finding.lint == lint);
        found
    }
}
