//! `cargo xtask cost`: sizes and build times of the project, compared with a budget.
//!
//! The budget is the list in [`ROWS`]. The figures that need no build are
//! measured each time, and `cargo xtask test` fails if one is over budget; `--all` measures the rest too,
//! in a clone of the last commit with an empty cargo home. `--write` makes `docs/build-cost.md` of
//! it.

mod clone;
mod lines;

use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};
use comfy_table::{CellAlignment, Table, presets};
use cuda_builder::manifest::{FILE_NAME, Manifest};

use crate::cargo;
use crate::ptx;
use crate::setup;
use crate::terminal;

/// How far to go.
#[derive(clap::Args, Debug)]
pub(crate) struct Options {
    /// Measure builds too, in a fresh clone: half an hour
    #[arg(long)]
    all: bool,
    /// Write docs/build-cost.md
    #[arg(long)]
    write: bool,
}

/// What is kept of the measurements.
const PAGE: &str = "docs/build-cost.md";

/// A line of the budget.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Row {
    Bench,
    BenchCpu,
    Target,
    Answers,
    Verdict,
    Check,
    Test,
    TestCpu,
    Bundle,
    Crates,
    CratesWithoutEmulator,
    Entries,
    Ptx,
    Lines,
}

/// What is said of a line.
struct Budget {
    row: Row,
    what: &'static str,
    unit: &'static str,
    /// On 2026-11-23, before there was a budget.
    once: &'static str,
    /// What it is meant to be,
    aim: f64,
    /// and the most that passes.
    most: f64,
}

const fn budget(
    row: Row,
    what: &'static str,
    unit: &'static str,
    once: &'static str,
    [aim, most]: [f64; 2],
) -> Budget {
    Budget {
        row,
        what,
        unit,
        once,
        aim,
        most,
    }
}

#[rustfmt::skip]
const ROWS: [Budget; 14] = [
    budget(Row::Bench, "`cargo xtask bench`, to the end of the six tables", "s", "490 to 660", [180.0, 300.0]),
    budget(Row::BenchCpu, "the same, of all cores", "CPU s", "840 to 1,200", [300.0, 420.0]),
    budget(Row::Target, "`target/` after it", "MB", "2,200", [800.0, 900.0]),
    budget(Row::Answers, "`bench --help`, `bench --list`, `integrate --list`: the slowest", "s", "minutes", [1.0, 1.0]),
    budget(Row::Verdict, "an edited kernel to the verdict of `cargo xtask check NAME`: the slowest", "s", "5 to 53", [5.0, 8.0]),
    budget(Row::Check, "`cargo xtask check`, all kernels", "s", "1,200", [300.0, 480.0]),
    budget(Row::Test, "`cargo xtask test`", "s", "1,600", [600.0, 840.0]),
    budget(Row::TestCpu, "the same, of all cores", "CPU s", "3,060", [1200.0, 1680.0]),
    budget(Row::Bundle, "`cargo xtask bundle`", "MB", "92", [30.0, 40.0]),
    budget(Row::Crates, "crates that an application compiles for `quadscan`", "", "134", [60.0, 60.0]),
    budget(Row::CratesWithoutEmulator, "the same without the emulator", "", "-", [40.0, 48.0]),
    budget(Row::Entries, "kernels of our PTX, one architecture", "", "618", [300.0, 300.0]),
    budget(Row::Ptx, "bytes of our PTX, both architectures", "MB", "some 60", [40.0, 45.0]),
    budget(Row::Lines, "lines of Rust that are not tests, comments or empty", "", "77,214", [55_000.0, 104_600.0]),
];

/// A line with its figure.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Measured(Row, f64);

pub(crate) fn run(options: &Options) -> anyhow::Result<ExitCode> {
    setup::ensure()?;
    let mut measured = read_off()?;
    if options.all {
        measured.extend(clone::measure()?);
    }
    if options.write {
        let page = cargo::root().join(PAGE);
        fs::write(&page, page_of(&measured)?)
            .with_context(|| format!("{} could not be written", page.display()))?;
    }
    println!("{}", table(&measured));
    let over = over(&measured);
    for complaint in &over {
        eprintln!("over budget: {complaint}");
    }
    Ok(ExitCode::from(u8::from(!over.is_empty())))
}

/// What needs no build but that of the PTX, and none where it is there.
fn read_off() -> anyhow::Result<Vec<Measured>> {
    let folder = ptx::modules(&ptx::ARCHS, &[])?;
    let manifest = fs::read_to_string(folder.join(FILE_NAME))?;
    let manifest = Manifest::from_json(&manifest).map_err(anyhow::Error::msg)?;
    let entries = manifest.modules.iter().map(|module| {
        let kernels = module.parts.iter().map(|part| part.kernels.len());
        kernels.sum::<usize>()
    });
    let parts = manifest.modules.iter().flat_map(|module| &module.parts);
    let bytes = parts.map(|part| bytes(&folder.join(&part.file)));
    let bytes: u64 = bytes.sum::<anyhow::Result<u64>>()?;
    let lines = lines::of_programs(cargo::root())?;
    Ok(vec![
        Measured(Row::Crates, crates(&[])? as f64),
        Measured(
            Row::CratesWithoutEmulator,
            crates(&["--no-default-features"])? as f64,
        ),
        Measured(Row::Entries, entries.max().unwrap_or_default() as f64),
        Measured(Row::Ptx, megabytes(bytes)),
        Measured(Row::Lines, lines as f64),
    ])
}

fn bytes(file: &Path) -> anyhow::Result<u64> {
    let there = fs::metadata(file).with_context(|| format!("{} is not there", file.display()))?;
    Ok(there.len())
}

fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}

/// Crates that are compiled for `quadscan`, itself among them.
fn crates(features: &[&str]) -> anyhow::Result<usize> {
    let output = Command::new(cargo::program())
        .args(["tree", "--offline", "--package", "quadscan"])
        .args(["--edges", "normal,build", "--prefix", "none"])
        .args(features)
        .current_dir(cargo::root())
        .output()
        .context("cargo could not be started")?;
    if !output.status.success() {
        bail!(
            "cargo tree failed: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(distinct(&String::from_utf8_lossy(&output.stdout)))
}

/// Packages of what `cargo tree` prints: `name v1.0.0 (how) (*)` a line.
fn distinct(tree: &str) -> usize {
    let name = |line: &str| {
        let words: Vec<&str> = line.split(' ').take(2).collect();
        words.join(" ")
    };
    let lines = tree.lines().filter(|line| !line.is_empty());
    lines.map(name).collect::<BTreeSet<_>>().len()
}

/// What is more than it may be, a sentence each.
fn over(measured: &[Measured]) -> Vec<String> {
    let complaint = |budget: &Budget, is: f64| {
        let (what, unit) = (budget.what, budget.unit);
        let (is, most) = (figure(is), figure(budget.most));
        format!("{what}: {is} {unit}, at most {most} {unit}")
    };
    let over = ROWS.iter().filter_map(|budget| {
        let is = value(measured, budget.row)?;
        (is > budget.most).then(|| complaint(budget, is))
    });
    over.collect()
}

fn value(measured: &[Measured], row: Row) -> Option<f64> {
    let found = measured.iter().find(|Measured(of, _)| *of == row);
    found.map(|Measured(_, value)| *value)
}

/// `0.32`, `4.7`, `41`, `76,530`: three digits at least.
fn figure(value: f64) -> String {
    if value < 1.0 {
        return format!("{value:.2}");
    }
    if value < 10.0 && value.fract() != 0.0 {
        return format!("{value:.1}");
    }
    let digits = format!("{value:.0}");
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index) % 3 == 0 {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// What is known, a row each; without what was not measured.
fn cells(measured: &[Measured]) -> Vec<[String; 6]> {
    let known = ROWS.iter().filter_map(|budget| {
        let is = value(measured, budget.row)?;
        let figures = [is, budget.aim, budget.most].map(figure);
        let [is, aim, most] = figures;
        let (what, unit) = (budget.what.to_owned(), budget.unit.to_owned());
        Some([what, unit, budget.once.to_owned(), is, aim, most])
    });
    known.collect()
}

const COLUMNS: [&str; 6] = ["what", "unit", "2026-11-23", "is", "aim", "at most"];

fn table(measured: &[Measured]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(COLUMNS);
    for row in cells(measured) {
        table.add_row(row);
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn page_of(measured: &[Measured]) -> anyhow::Result<String> {
    let mut page = String::from(
        "# What building and testing costs\n\n\
         The project has a budget for build times, sizes and lines. `cargo xtask cost --all --write` measures\n\
         all of it and makes this page; `cargo xtask test` counts crates, kernels, bytes and lines of each\n\
         commit, and fails if one is over.\n\n",
    );
    let machine = clone::machine()?;
    let _ = writeln!(page, "{machine}\n");
    let _ = writeln!(page, "| {} |", COLUMNS.join(" | "));
    let _ = writeln!(page, "| --- | --- | ---: | ---: | ---: | ---: |");
    for row in cells(measured) {
        let _ = writeln!(page, "| {} |", row.join(" | "));
    }
    page.push_str(
        "\n`bench` is the first command in a fresh clone with an empty cargo home; the pinned nightly is\n\
         installed. `test` runs in a second such clone. CPU seconds are user and system time of all\n\
         processes. The verdicts are those of a kernel in one file, and of code that kernels of a family\n\
         share. An application's crates are those of `cargo tree --edges normal,build`, `quadscan` among\n\
         them, without its feature `kernels`.\n",
    );
    Ok(page)
}

/// The step of `cargo xtask test`: what can be read off, and that answers need no build.
pub(crate) fn judge() -> anyhow::Result<Option<String>> {
    let measured = read_off()?;
    terminal::note(&format!(
        "{} of the budget read off",
        terminal::count(measured.len(), "line")
    ));
    let mut complaints = over(&measured);
    complaints.extend(clone::answers_without_cargo()?);
    Ok((!complaints.is_empty()).then(|| complaints.join("; ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_over_is_named_with_both_figures() {
        let measured = [Measured(Row::Entries, 301.0), Measured(Row::Crates, 60.0)];
        let expected = "kernels of our PTX, one architecture: 301 , at most 300 ";
        assert_eq!(over(&measured), [expected]);
        assert_eq!(over(&[Measured(Row::Entries, 300.0)]), [""; 0]);
    }

    #[test]
    fn a_package_counts_once_in_each_version() {
        let tree = "a v1.0.0 (/a)\nb v1.0.0\nb v2.0.0 (proc-macro)\nb v1.0.0 (*)\n\n[build]\n";
        assert_eq!(distinct(tree), 4);
    }

    #[test]
    fn figures_have_the_digits_that_count() {
        let figures = [0.42, 4.71, 7.0, 41.2, 76_530.0, 1_234_567.0].map(figure);
        assert_eq!(figures, ["0.42", "4.7", "7", "41", "76,530", "1,234,567"]);
    }

    #[test]
    fn each_line_of_the_budget_is_there_once_and_its_aim_is_no_more_than_what_passes() {
        let rows: BTreeSet<Row> = ROWS.iter().map(|budget| budget.row).collect();
        assert_eq!(rows.len(), ROWS.len());
        assert!(ROWS.iter().all(|budget| budget.aim <= budget.most));
    }

    #[test]
    fn the_page_has_a_row_of_what_was_measured() {
        let cells = cells(&[Measured(Row::Answers, 0.4)]);
        assert_eq!(cells.len(), 1);
        assert_eq!(cells[0][1..], ["s", "minutes", "0.40", "1", "1"]);
    }
}
