//! What must not be in the PTX of a good kernel, one file a lint.
//!
//! The lints read PTX, whatever made it. How loud a finding is, is the caller's choice.

mod atomic_order;
mod local_array;
mod local_atomic;
mod memory_size;
mod shared_generic;
mod undefined_function;
mod unlisted_entry;

use std::collections::BTreeMap;
use std::fmt;

use ptx_syntax::debug::{Id, Line, Locations};
use ptx_syntax::{Function, Instruction, Kind, Module, ParseError, Statement};

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
    /// `local-atomic`: an atomic operation on local memory, which PTX does not have.
    LocalAtomic,
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
pub(crate) struct Levels {
    of_all: BTreeMap<Lint, LintLevel>,
    /// Those of a part, which come first.
    of_parts: BTreeMap<(String, Lint), LintLevel>,
}

impl Lint {
    /// Every lint.
    pub const ALL: &'static [Lint] = &[
        Lint::LocalArray,
        Lint::AtomicOrder,
        Lint::LocalAtomic,
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
            Lint::LocalAtomic => "local-atomic",
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
        self.of_all.insert(lint, level);
    }

    pub(crate) fn set_of_part(&mut self, part: String, lint: Lint, level: LintLevel) {
        self.of_parts.insert((part, lint), level);
    }

    /// What was set for a part. Where nothing was, a module that no driver accepts is an error.
    pub(crate) fn get(&self, part: &str, lint: Lint) -> LintLevel {
        let default = match lint {
            Lint::LocalAtomic => LintLevel::Deny,
            _ => LintLevel::default(),
        };
        let of_part = self.of_parts.get(&(part.to_owned(), lint));
        let level = of_part.or_else(|| self.of_all.get(&lint));
        level.copied().unwrap_or(default)
    }
}

/// Runs every lint over PTX text; `entries` are the kernels that the manifest
/// lists. The findings come in the order of their lines.
///
/// # Errors
///
/// The first place at which the text is not PTX.
pub fn check(ptx: &str, entries: &[&str]) -> Result<Vec<Finding>, ParseError> {
    Ok(check_module(&ptx_syntax::parse(ptx)?, entries))
}

/// As [`check`], of a text that is parsed.
pub(crate) fn check_module(module: &Module<'_>, entries: &[&str]) -> Vec<Finding> {
    let mut locations = Locations::new(module);
    let functions = module.functions();
    let defined = functions.filter(|function| function.body.is_some());
    let statements: Vec<_> = defined.map(|one| (one, locations.of(one))).collect();
    let bodies = statements.into_iter().map(|(function, statements)| Body {
        function,
        statements,
        locations: &locations,
    });
    let bodies: Vec<Body<'_, '_>> = bodies.collect();
    let mut findings = Vec::new();
    for body in &bodies {
        local_array::check(body, &mut findings);
        atomic_order::check(body, &mut findings);
        local_atomic::check(body, &mut findings);
        shared_generic::check(body, &mut findings);
        unlisted_entry::check(body, entries, &mut findings);
        undefined_function::check(body, module, &mut findings);
        memory_size::shared(body, module, &mut findings);
    }
    memory_size::constant(&bodies, module, &mut findings);
    findings.sort_by_key(|finding| finding.line);
    findings
}

/// A function with a body, as the lints read it.
struct Body<'m, 't> {
    function: &'m Function<'t>,
    statements: Vec<(&'m Statement<'t>, Option<Id>)>,
    locations: &'m Locations,
}

impl<'m, 't> Body<'m, 't> {
    /// Each with the number of its statement.
    fn instructions(&self) -> impl Iterator<Item = (&'m Instruction<'t>, usize)> {
        let statements = self.statements.iter().enumerate();
        statements.filter_map(|(index, (statement, _))| Some((statement.instruction()?, index)))
    }

    /// The first `.loc`, if there is one.
    fn first_location(&self) -> Option<usize> {
        let mut statements = self.statements.iter();
        statements.position(|(one, _)| matches!(one.kind, Kind::Location(_)))
    }

    /// A finding at a statement, or else at the opening brace.
    fn finding(&self, lint: Lint, statement: Option<usize>, message: String) -> Finding {
        let begin = self.function.body.as_ref().map(|body| body.span);
        let span = statement.map_or(begin, |index| Some(self.statements[index].0.span));
        Finding {
            lint,
            kernel: self.function.name.to_owned(),
            line: span.map_or(0, |span| span.position.line as usize),
            source: statement.and_then(|index| self.source(index)),
            message,
        }
    }

    /// The source line that holds for a statement: `src/lib.rs:12`. It is the innermost one in
    /// the crates being built, above the statement if need be, rather than in the standard library
    /// or a package from elsewhere, where both are known.
    fn source(&self, statement: usize) -> Option<String> {
        let above = self.statements[..=statement].iter().rev();
        let locations = above.filter_map(|(_, location)| *location);
        let lines = || {
            locations
                .clone()
                .flat_map(|location| self.locations.lines(location))
        };
        let is_own = |line: &Line<'_>| {
            let elsewhere = ["/rustc", "/cargo"];
            !elsewhere.iter().any(|folder| line.file.starts_with(folder))
        };
        let line = lines().find(is_own).or(lines().next())?;
        let line = line.to_string();
        Some(line.strip_prefix("./").unwrap_or(&line).to_owned())
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
        let mut found = super::check(&text, &["k"]).unwrap();
        found.retain(|finding| finding.lint == lint);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::{Lint, testing::findings};

    const FILES: &str = "\tred.add.u32 [%rd1], 1;\n\tret;\n}\n.file\t1 \"src/lib.rs\"\n\
                         .file\t2 \"/rustc/7df81381d/library/core/src/ptr.rs\"\n//.call 1 1 9\n\
                         //.call 2 2 60 1\n.func f() {";

    fn source(locations: &str) -> Option<String> {
        let found = findings(Lint::AtomicOrder, &format!("{locations}\n{FILES}"));
        found[0].source.clone()
    }

    #[test]
    fn a_line_in_the_standard_library_is_told_by_where_it_was_inlined() {
        let inlined = ".loc\t2 70 3, function_name $L__info_string0, inlined_at 1 9 5";
        assert_eq!(source(inlined).as_deref(), Some("src/lib.rs:9"));
        assert_eq!(source(".loc\t2 70 0 //2").as_deref(), Some("src/lib.rs:9"));
    }

    #[test]
    fn a_line_in_the_standard_library_is_told_by_the_line_above_it_or_by_itself() {
        assert_eq!(source(".loc\t2 70 0").as_deref(), Some("src/lib.rs:7"));
    }
}
