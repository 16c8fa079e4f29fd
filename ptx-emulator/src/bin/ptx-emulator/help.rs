//! A command line whose help fits the terminal.
//!
//! It depends on clap alone: other programs of the workspace include this file by its path.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};

use clap::{Command, Parser};

/// Columns where there is no terminal.
const COLUMNS: usize = 80;

/// What a command line says.
///
/// # Errors
///
/// clap's: the answer to `--help` and `--version`, or what it objects to.
pub fn parsed<P: Parser>(line: &[OsString]) -> Result<P, clap::Error> {
    let mut matches = fitted(P::command()).try_get_matches_from(line)?;
    P::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut P::command()))
}

/// A command with help as wide as `COLUMNS` says, else as the terminal, else 80 columns.
pub fn fitted(command: Command) -> Command {
    let is_terminal =
        io::stdout().is_terminal() || io::stderr().is_terminal() || io::stdin().is_terminal();
    let without = (!is_terminal).then_some(COLUMNS);
    match said().or(without) {
        Some(width) => command.term_width(width),
        // clap asks the terminal.
        None => command,
    }
}

/// The columns that `COLUMNS` says.
pub fn said() -> Option<usize> {
    let said = env::var("COLUMNS").ok()?;
    said.trim().parse().ok().filter(|width| *width > 0)
}
