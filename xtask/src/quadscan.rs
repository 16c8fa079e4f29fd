//! The answers of `quadscan` that need no build: its help, errors of the command line, and the
//! lists of its tables and integrands.
//!
//! The command line and the integrands are the program's own files, included here; the tables are
//! those of the page that the program makes of them, which a test keeps up to date.

#[allow(dead_code, unreachable_pub, reason = "the program uses all of it")]
#[path = "../../bench-crate/src/axes.rs"]
mod axes;
#[path = "../../kernels-crate/src/integrate/catalogue.rs"]
mod catalogue;
#[allow(dead_code, unreachable_pub, reason = "the program uses all of it")]
#[path = "../../bench-crate/src/cli.rs"]
mod cli;
#[allow(dead_code, unreachable_pub, reason = "the program uses all of it")]
#[path = "../../bench-crate/src/export/fit.rs"]
mod fit;
#[path = "../../bench-crate/src/export/lines.rs"]
mod lines;

use std::ffi::OsString;
use std::process::ExitCode;

pub(crate) use cli::{Manners, choose_color, help, sentence};

use clap::CommandFactory;

use crate::terminal::{self, Talk};

/// The pages of the manual of `quadscan`, by the names of their files.
pub(crate) fn manual() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let folder = tempfile::tempdir()?;
    clap_mangen::generate_to(cli::Cli::command(), folder.path())?;
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(folder.path())? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        pages.push((name.into_owned(), std::fs::read(&path)?));
    }
    Ok(pages)
}

/// The columns of the list of integrands.
const COLUMNS: [&str; 6] = ["name", "formula", "parameters", "from", "to", "breaks"];

/// Of the entries of `quadscan_kernels::integrands!` what a list says of them.
macro_rules! integrands {
    ($(
        $(#[$doc:meta])*
        $name:ident = $type:ident {
            formula: $formula:literal,
            limits: ($from:expr, $to:expr),
            parameters: [$($parameter:ident),*],
            $(short: $short:literal,)?
            eval: |$x:ident| $eval:expr,
            $(at: |$point:ident| $at:expr,)?
            $(breaks: [$($break:expr),+],)?
            $(rules: [$($rule:ident),+] by $text:literal,)?
        }
    )*) => {
        /// A row an integrand.
        pub(super) fn rows() -> Vec<Vec<String>> {
            #[allow(unused_imports, reason = "limits may need no constants")]
            use std::f64::consts;
            type R = f64;
            let limit = |limit: R| format!("{limit:?}");
            vec![$({
                let parameters: &[&str] = &[$(stringify!($parameter)),*];
                let breaks: &[&str] = &[$($(stringify!($break)),+)?];
                vec![
                    stringify!($name).to_owned(),
                    $formula.to_owned(),
                    parameters.join(", "),
                    limit($from),
                    limit($to),
                    breaks.join(", "),
                ]
            }),*]
        }
    };
}
pub(crate) use integrands;

/// The same of entries of `quadscan_kernels::formulas!`.
macro_rules! formulas {
    ($(
        $(#[$doc:meta])*
        $name:ident {
            formula: $formula:literal,
            text: $text:literal,
            limits: ($from:expr, $to:expr),
            parameters: [$($parameter:ident),*],
        }
    )*) => {
        /// A row a formula.
        pub(super) fn formulas() -> Vec<Vec<String>> {
            let limit = |limit: f64| format!("{limit:?}");
            vec![$({
                let parameters: &[&str] = &[$(stringify!($parameter)),*];
                let (name, formula) = (stringify!($name).to_owned(), $formula.to_owned());
                vec![name, formula, parameters.join(", "), limit($from), limit($to), String::new()]
            }),*]
        }
    };
}
pub(crate) use formulas;

/// The page that lists the tables.
const TABLES: &str = include_str!("../../docs/tables/axes.md");

/// The tables, a line each: those that the page lists, as "- `NAME`: what it is".
fn tables() -> String {
    let width = help::said().unwrap_or(fit::COLUMNS);
    let line = |line: &str| {
        let (name, about) = line.strip_prefix("- `")?.split_once("`: ")?;
        Some(fit::hanging(&format!("{name}: {about}"), width))
    };
    let lines: String = TABLES.lines().filter_map(line).collect();
    lines + "\n`bench TABLE --list` has the cells and the columns of one\n"
}

/// The integrands, without columns in which none has anything.
fn list_of_integrands(rows: &[Vec<String>]) -> String {
    let is_used = |k: &usize| rows.iter().any(|row| !row[*k].is_empty());
    let used: Vec<usize> = (0..COLUMNS.len()).filter(is_used).collect();
    let pick = |row: &[String]| used.iter().map(|&k| row[k].clone()).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(|row| pick(row)).collect();
    lines::lines(&pick(&COLUMNS.map(str::to_owned)), &rows)
}

impl From<Manners> for Talk {
    fn from(manners: Manners) -> Self {
        Talk {
            is_quiet: manners.quiet,
            is_verbose: manners.verbose,
            color: manners.color,
        }
    }
}

/// The program's answer to `quadscan SUBCOMMAND ARGS`, printed; how it is to talk where it has to be
/// built.
pub(crate) fn answer(subcommand: &str, arguments: &[OsString]) -> Result<ExitCode, Manners> {
    let line = ["quadscan", subcommand].map(OsString::from);
    let line = [&line, arguments].concat();
    let manners = match help::parsed::<cli::Cli>(&line) {
        Ok(parsed) => parsed.manners,
        // Help and version are no errors.
        Err(error) if !error.use_stderr() => {
            let code = u8::from(error.print().is_err()) * 2;
            return Ok(ExitCode::from(code));
        }
        Err(error) => {
            terminal::refusal(&cli::one_sentence(error, &line));
            return Ok(ExitCode::from(2));
        }
    };
    match (subcommand, arguments) {
        ("bench", [list]) if list == "--list" || list == "-l" => print!("{}", tables()),
        ("integrate", [list]) if list == "--list" || list == "-l" => {
            print!(
                "{}",
                list_of_integrands(&[catalogue::rows(), catalogue::formulas()].concat())
            );
        }
        _ => return Err(manners),
    }
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_that_is_offered_has_a_page_of_the_manual() {
        let pages = manual().expect("a folder");
        let page = |name: &str| pages.iter().find(|(file, _)| file == name);
        let bench = page("quadscan-bench.1").expect("a page of bench");
        let text = String::from_utf8_lossy(&bench.1);
        assert!(
            text.contains("strips") && text.contains(".SH EXTRA"),
            "{text}"
        );
        assert!(page("quadscan.1").is_some() && page("quadscan-worker.1").is_none());
    }
}
