//! Compares a run with an earlier one: which rows are slower, which are faster, and what the
//! comparison could have detected; and the exact ratio of the counts of emulated kernels. The
//! text of the comparison is in `words`.
//!
//! - `kernel_ms` is compared by the test of [`crate::timing::comparison`], corrected for the number
//!   of rows; slower misses the baseline.
//! - `warp_instructions` of the emulator are compared exactly; more of them miss the baseline.
//! - `host_ms` is shown without a verdict: one measurement serves all cells of a size, and other
//!   programs on the machine change it by more than any useful margin.
//! - `gpu_ms` and the other times are not compared: the span's copies vary by 10 % from process to
//!   process (H200, 2026-11-21).
//!
//! **A factor common to all rows** (the device's clock, or a change of every kernel) is shown
//! as the median ratio, and no row is corrected for it: a run in which everything is slower is
//! slower, and only a person can say why. The clocks, and whether the PTX is the same, are
//! shown with it.

mod words;

use std::cmp::Ordering;

use super::console::Console;
use super::render;
use super::request::Request;
use super::side::Side;
use crate::export::Format;
use crate::record::{Cell, Record, Status};
use crate::timing::Timing;
use crate::timing::comparison::{Judge, Ratio, Verdict, is_time};

/// What a comparison found.
#[derive(Clone, Debug)]
pub(super) struct Comparison {
    /// What the baseline is called.
    name: String,
    /// Changes within this part are none.
    margin: f64,
    then: Side,
    now: Side,
    rows: Vec<Row>,
    /// Cells of the baseline that this run has not measured.
    unmeasured: usize,
    /// Kernels that were timed in another way then.
    other_ways: usize,
    /// The fewest and the most processes that measured a kernel, then and now.
    processes: Option<[(usize, usize); 2]>,
}

/// Something that a cell or a launch was compared by.
#[derive(Clone, Debug, PartialEq)]
struct Row {
    cell: String,
    /// The column.
    what: &'static str,
    finding: Finding,
}

#[derive(Clone, Debug, PartialEq)]
enum Finding {
    /// The kernel's time, ms.
    Time {
        before: f64,
        after: f64,
        ratio: Option<Ratio>,
        verdict: Verdict,
        /// The smallest slow-down, as a part, that would have been told.
        resolution: Option<f64>,
    },
    /// The host's time, ms, which has no verdict.
    Host { before: f64, after: f64 },
    /// Warp instructions.
    Count { before: u64, after: u64 },
    /// The baseline has it, and this run has none.
    Gone,
    /// The baseline's row has failed, and so has no time.
    FailedThen,
    /// Only this run has it.
    New,
}

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Slower,
    Faster,
    Equal,
    Undecided,
    TooFew,
    NoTime,
    FailedThen,
    Gone,
    More,
    Fewer,
    Same,
    New,
    /// It is told, and has no verdict.
    Told,
}

impl Finding {
    fn fate(&self) -> Fate {
        match self {
            Finding::Time { verdict, .. } => match verdict {
                Verdict::Faster => Fate::Faster,
                Verdict::Slower => Fate::Slower,
                Verdict::Undecided => Fate::Undecided,
                Verdict::NotDistinguishable => Fate::Equal,
                Verdict::TooFew => Fate::TooFew,
                Verdict::NoTime => Fate::NoTime,
            },
            Finding::Count { before, after } => match after.cmp(before) {
                Ordering::Greater => Fate::More,
                Ordering::Less => Fate::Fewer,
                Ordering::Equal => Fate::Same,
            },
            Finding::Gone => Fate::Gone,
            Finding::FailedThen => Fate::FailedThen,
            Finding::New => Fate::New,
            Finding::Host { .. } => Fate::Told,
        }
    }
}

impl Comparison {
    /// Rows that became one of these.
    fn count(&self, fates: &[Fate]) -> usize {
        let fates = |row: &&Row| fates.contains(&row.finding.fate());
        self.rows.iter().filter(fates).count()
    }

    /// Whether nothing could be compared.
    fn is_empty(&self) -> bool {
        let compared = [Fate::Faster, Fate::Slower, Fate::Equal];
        self.count(&compared) + self.count(&[Fate::More, Fate::Fewer, Fate::Same]) == 0
    }

    /// Whether the run falls short of the baseline, or the baseline says nothing
    /// about it.
    pub(super) fn is_missed(&self) -> bool {
        self.count(&[Fate::Slower, Fate::Gone, Fate::More]) > 0 || self.is_empty()
    }

    /// What `of` says of the rows that it says something of, the smallest first.
    fn sorted(&self, of: impl Fn(&Finding) -> Option<f64>) -> Vec<f64> {
        let mut values: Vec<f64> = self
            .rows
            .iter()
            .filter_map(|row| of(&row.finding))
            .collect();
        values.sort_by(f64::total_cmp);
        values
    }
}

/// now / then of two times, where both are one.
fn quotient(before: f64, after: f64) -> Option<f64> {
    (is_time(before) && is_time(after)).then(|| after / before)
}

/// The time that two rows of a cell stand for.
enum Times<'a> {
    /// Both have the kernel's.
    Kernel(&'a Timing, &'a Timing),
    /// Both have the host's, and neither the kernel's.
    Host(&'a Timing, &'a Timing),
    /// The kernel's is gone.
    Gone,
    /// Only this run has it.
    New(&'static str),
    /// No time belongs to the cell.
    Neither,
}

fn times<'a>(then: Option<&'a Record>, now: &'a Record) -> Times<'a> {
    let kernel = then.and_then(|then| then.timing("kernel"));
    let host = then.and_then(|then| then.timing("host"));
    match (kernel, now.timing("kernel")) {
        (Some(then), Some(now)) => Times::Kernel(then, now),
        (Some(_), None) => Times::Gone,
        (None, Some(_)) => Times::New("kernel_ms"),
        (None, None) => match (host, now.timing("host")) {
            (Some(then), Some(now)) => Times::Host(then, now),
            (None, Some(_)) => Times::New("host_ms"),
            (_, None) => Times::Neither,
        },
    }
}

/// The warp instructions of an earlier row and of this one: emulated ones have
/// them, so that a GPU's is not compared with an emulator's.
fn instructions(then: Option<&Record>, now: &Record) -> Option<Finding> {
    let of = |record: &Record| record.counts.map(|counts| counts.warp_instructions);
    match (then.and_then(of), of(now)) {
        (Some(before), Some(after)) => Some(Finding::Count { before, after }),
        (Some(_), None) => Some(Finding::Gone),
        (None, _) => None,
    }
}

/// How its kernel was launched for a sample, but for how often: `graph` of `graph of 343`.
fn way(record: &Record) -> Option<&str> {
    let method = record.metrics.time("kernel")?.method.as_deref()?;
    method.split(' ').next()
}

/// The launch that a row is of: that of all of its steps.
fn launch(record: &Record) -> (&str, Cell) {
    (&record.table, record.cell.clone().without("step"))
}

/// What two runs have of the same cells, before anything is judged.
#[derive(Default)]
struct Pairs<'a> {
    rows: Vec<Row>,
    /// The kernel's times of rows, by their index.
    kernels: Vec<(usize, &'a Timing, &'a Timing)>,
    /// Kernels that were timed in another way then.
    other_ways: usize,
}

/// Puts the rows of two runs together. The host's time is one measurement for all
/// cells of a size, and the instructions and the time of a launch with many steps
/// are in each of them: each is taken once.
fn pairs<'a>(baseline: &'a [Record], now: &'a [Record]) -> Pairs<'a> {
    let mut pairs = Pairs::default();
    let mut hosts: Vec<&Timing> = Vec::new();
    let mut kernels: Vec<((&str, Cell), &Timing)> = Vec::new();
    // A row without a step, such as that of a scan beside a second kernel, is of
    // another launch than the rows of its steps.
    let mut launches: Vec<((&str, Cell), bool)> = Vec::new();
    for record in now {
        let same = baseline.iter().filter(|other| other.is_of_cell_of(record));
        let (failed, measured): (Vec<_>, Vec<_>) =
            same.partition(|other| other.status == Status::Failed);
        let earlier = measured.first().copied();
        let cell = record.describe();
        let of_launch = (launch(record), record.cell.get("step").is_some());
        if !launches.contains(&of_launch)
            && let Some(finding) = instructions(earlier, record)
        {
            let cell = format!("{} {}", record.table, of_launch.0.1.describe());
            pairs.push(cell, "warp_instructions", finding);
            launches.push(of_launch);
        }
        match times(earlier, record) {
            Times::Neither => {}
            Times::New(what) if earlier.is_none() && !failed.is_empty() => {
                pairs.push(cell, what, Finding::FailedThen);
            }
            Times::New(what) => pairs.push(cell, what, Finding::New),
            Times::Gone => pairs.push(cell, "kernel_ms", Finding::Gone),
            Times::Kernel(_, after) if kernels.contains(&(launch(record), after)) => {}
            Times::Host(_, after) if hosts.contains(&after) => {}
            Times::Kernel(before, after) => {
                kernels.push((launch(record), after));
                let was_other = earlier.is_some_and(|earlier| way(earlier) != way(record));
                pairs.other_ways += usize::from(was_other);
                pairs.kernels.push((pairs.rows.len(), before, after));
                // Judged when the number of rows is known.
                pairs.push(cell, "kernel_ms", Finding::New);
            }
            Times::Host(before, after) => {
                hosts.push(after);
                let (before, after) = (before.median_ms, after.median_ms);
                pairs.push(cell, "host_ms", Finding::Host { before, after });
            }
        }
    }
    pairs
}

impl Pairs<'_> {
    fn push(&mut self, cell: String, what: &'static str, finding: Finding) {
        self.rows.push(Row {
            cell,
            what,
            finding,
        });
    }

    /// Judges the kernels' times, as many as there are.
    fn judged(mut self, margin: f64) -> Vec<Row> {
        let mut judge = Judge::new(margin, self.kernels.len());
        for (index, before, after) in self.kernels {
            let ratio = judge.ratio(before, after);
            self.rows[index].finding = Finding::Time {
                before: before.median_ms,
                after: after.median_ms,
                ratio: ratio.ok(),
                verdict: judge.verdict(before, ratio),
                resolution: ratio.ok().map(|ratio| judge.resolution(before, ratio)),
            };
        }
        self.rows
    }

    fn processes(&self) -> Option<[(usize, usize); 2]> {
        let range = |of: fn(&(usize, &Timing, &Timing)) -> usize| {
            let counts = self.kernels.iter().map(of);
            Some((counts.clone().min()?, counts.max()?))
        };
        Some([
            range(|(_, before, _)| before.draws().len())?,
            range(|(_, _, after)| after.draws().len())?,
        ])
    }
}

/// What `--save` says of rows that failed, if any did.
pub(super) fn of_failed(name: &str, records: &[Record]) -> Option<String> {
    let failed = records.iter().filter(|row| row.status == Status::Failed);
    let what = match failed.count() {
        0 => return None,
        1 => "1 row failed and has".to_owned(),
        n => format!("{n} rows failed and have"),
    };
    Some(format!("baseline `{name}`: {what} no time in it"))
}

/// Says how the run of that name compares with its baseline, and whether it falls short of it.
pub(super) fn is_missed(
    request: &Request,
    run: &str,
    (name, baseline): &(String, Vec<Record>),
    records: &[Record],
    console: &mut dyn Console,
) -> bool {
    if baseline.iter().any(|record| record.run == run) {
        // A run of `--save` that was interrupted after it was saved, and is resumed.
        let sentence = format!("baseline `{name}` is this run itself: nothing is compared");
        render::remarks(request, &[sentence], console);
        return false;
    }
    let comparison = compare_runs(name, request.margin, baseline, records);
    match request.format {
        Format::Markdown => console.result(&format!("\n{}", comparison.markdown())),
        Format::Table => console.result(&format!("\n{}\n", comparison.lines().join("\n"))),
        _ => render::remarks(request, &comparison.lines(), console),
    }
    comparison.is_missed()
}

/// Compares every row of this run with the baseline's. Changes within `margin`, a
/// part, are none.
fn compare_runs(name: &str, margin: f64, baseline: &[Record], now: &[Record]) -> Comparison {
    let pairs = pairs(baseline, now);
    let unmeasured = baseline
        .iter()
        .filter(|other| !now.iter().any(|record| other.is_of_cell_of(record)))
        .count();
    Comparison {
        name: name.to_owned(),
        margin,
        then: Side::of(baseline),
        now: Side::of(now),
        processes: pairs.processes(),
        other_ways: pairs.other_ways,
        rows: pairs.judged(margin),
        unmeasured,
    }
}

#[cfg(test)]
mod tests;
