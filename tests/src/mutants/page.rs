//! `docs/mutants.md`: what became of every mutant.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use quadscan::device::emulator::ptx_emulator::{Finding, FindingKind};

use super::SOURCE;
use super::change::{Change, Mutant};
use super::run::Fate;
use super::survived::{Survivor, Verdict};

/// A mutant that was launched.
#[derive(Clone, Debug)]
pub struct Launched {
    /// The kernel.
    pub kernel: String,
    /// The change.
    pub mutant: Mutant,
    /// The text of its line in the source.
    pub text: String,
    /// What became of it.
    pub fate: Fate,
    /// Why it has no fault.
    pub listed: Option<&'static Survivor>,
}

const HEAD: &str = "\
# Mutants of the kernels

This page shows what the emulator's checks find. A mutant is a kernel with one fault: one barrier,
one fence, one memory order or one condition is removed from its PTX. The checks have to report the
fault, with its kind and its line. The test `mutants` makes this page
(`UPDATE_MUTANTS=1 cargo test -p quadscan-tests --test mutants`). It also runs the unchanged
kernels under 20 schedules, and the checks report nothing.

A report counts only with the right line. If a barrier was removed, the right report is a race, or a
read of unwritten memory, between an access just before the barrier and one just after it. If a
check was removed, the right line is in the code that the check guards. The test finds the expected
lines by a second reader of the PTX.

Each mutant has one of these changes:

- *barrier removed*: a `bar.sync` is removed.
- *fence removed*, *order weakened*: the kernels have no fence. They have one memory order, that of
  the atomic addition which finds the last block. The test has a kernel of its own for both changes.
- *check removed*: a conditional branch no longer skips the code that it guards.
- *loop end removed*: a conditional branch no longer leaves its loop.
- *one condition of two removed*: the compiler joined two conditions by `and.pred` or `or.pred`
  before a branch, and one of them is removed.

If the compiler gave a branch no line, the page shows the line of its condition.

Some checks of the source have no branch in the PTX, so there is no mutant of them. The index check
of `input[i]` follows from the loop's `i < n`, and the compiler leaves it out. The `max` in
`next_power_of_two` and in `steps` is arithmetic.

The kernel `trapezoid_f32_pure_pairwise` has no mutants here. Its branches are the digits of a binary
counter: they decide which numbers are added, and not where these are in memory.

";

/// The page.
pub fn page(all: &[Launched]) -> String {
    let mut text = HEAD.to_owned();
    // Writing to a string cannot fail.
    let _ = counts(&mut text, all);
    let _ = caught(&mut text, all);
    let _ = survivors(&mut text, all);
    text
}

/// How a mutant's row is called.
fn outcome(fate: &Fate) -> String {
    match fate {
        Fate::Caught(finding) => finding.kind.to_string(),
        Fate::Misplaced(_) => "misplaced".to_owned(),
        other => Verdict::of(other)
            .map(|v| v.to_string())
            .unwrap_or_default(),
    }
}

fn counts(text: &mut String, all: &[Launched]) -> std::fmt::Result {
    const COLUMNS: [&str; 7] = [
        "race",
        "uninitialised read",
        "bounds",
        "livelock",
        "stopped",
        "wrong result",
        "harmless",
    ];
    writeln!(text, "| change | mutants | {} |", COLUMNS.join(" | "))?;
    writeln!(text, "| --- |{}", " ---: |".repeat(COLUMNS.len() + 1))?;
    for change in Change::ALL {
        let of = || {
            all.iter()
                .filter(|launched| launched.mutant.change == change)
        };
        write!(text, "| {change} | {} |", of().count())?;
        for column in COLUMNS {
            let count = of()
                .filter(|launched| outcome(&launched.fate) == column)
                .count();
            write!(text, " {count} |")?;
        }
        writeln!(text)?;
    }
    Ok(())
}

/// File and line below the kernels' source.
fn short(line: &str) -> &str {
    line.strip_prefix(SOURCE).unwrap_or(line)
}

fn place(mutant: &Mutant) -> (String, usize) {
    let line = mutant.source.as_ref();
    let file = line.map(|line| short(&line.file).to_owned());
    (file.unwrap_or_default(), line.map_or(0, |line| line.line))
}

/// `60 and 42`, the lines of both parties of a race; else that of the one.
fn lines(finding: &Finding, file: &str) -> String {
    let other = finding
        .other
        .as_ref()
        .filter(|_| finding.kind == FindingKind::Race);
    let places = [&finding.at].into_iter().chain(other);
    let sources = places.filter_map(|place| place.source.as_deref());
    let own = format!("{file}:");
    let lines: Vec<&str> = sources.map(|s| short(s).trim_start_matches(&own)).collect();
    lines.join(" and ")
}

fn caught(text: &mut String, all: &[Launched]) -> std::fmt::Result {
    type Reports = BTreeMap<FindingKind, BTreeSet<String>>;
    let mut rows: BTreeMap<_, (usize, Reports, &str)> = BTreeMap::new();
    for launched in all {
        if let Fate::Caught(finding) = &launched.fate {
            let place = place(&launched.mutant);
            let lines = lines(finding, &place.0);
            let row = rows.entry((place, launched.mutant.change)).or_default();
            row.0 += 1;
            row.1.entry(finding.kind).or_default().insert(lines);
            row.2 = launched.text.trim();
        }
    }
    writeln!(text, "\n## Reported\n")?;
    writeln!(text, "| line | source | change | mutants | first report |")?;
    writeln!(text, "| --- | --- | --- | ---: | --- |")?;
    for (((file, line), change), (count, reports, source)) in rows {
        let reports: Vec<String> = reports
            .into_iter()
            .map(|(kind, lines)| format!("{kind} {}", Vec::from_iter(lines).join(", ")))
            .collect();
        let reports = reports.join("; ");
        writeln!(
            text,
            "| {file}:{line} | `{source}` | {change} | {count} | {reports} |"
        )?;
    }
    Ok(())
}

fn survivors(text: &mut String, all: &[Launched]) -> std::fmt::Result {
    let mut rows: BTreeMap<_, (usize, &str)> = BTreeMap::new();
    for launched in all {
        if let (Some(verdict), Some(listed)) = (Verdict::of(&launched.fate), launched.listed) {
            let mutant = &launched.mutant;
            let key = (verdict, place(mutant), mutant.change, listed.reason);
            let row = rows.entry(key).or_default();
            *row = (row.0 + 1, launched.text.trim());
        }
    }
    text.push_str(
        "\n## Survived: no fault of these kinds\n
- *Harmless*: all results are right.
- *Wrong result*: the kernel computes other values, without a race and within its memory. The
  conformance tests find this.
- *Stopped*: the kernel has two checks, and the other one stops it. The report is a `trap` at the line
  of that check. Without both checks it is *bounds*, at the same line.

| line | source | change | mutants | becomes | because |
| --- | --- | --- | ---: | --- | --- |
",
    );
    for ((verdict, (file, line), change, reason), (count, source)) in rows {
        let source = format!("`{source}`");
        writeln!(
            text,
            "| {file}:{line} | {source} | {change} | {count} | {verdict} | {reason} |"
        )?;
    }
    Ok(())
}
