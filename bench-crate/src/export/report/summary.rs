//! The summary in words: what was measured where, the best cells, the digits,
//! and what went wrong. Every number is a record's or a published one.

use super::activity;
use super::machines::Machine;
use super::published::{PublishedSweep, STRIPS};
use super::sweep::{Clock, KERNEL, SPAN, place, strips, with_strips};
use super::words::{count, factor, grouped, list};
use crate::export::footnotes;
use crate::number;
use crate::record::{Clocks, Record, Status};
use crate::table::Group;
use crate::tables;

/// Values that the published tables have and whose digits have to be the same.
/// (Times and what is computed from them are another machine's.)
const DIGITS: [&str; 3] = ["pi", "active_threads", "active_warps"];

/// `1 row failed`: how many rows ended in which way.
pub(super) fn outcome<'a>(records: impl Iterator<Item = &'a Record>) -> String {
    let mut counts = [0_usize; 3];
    let mut all = 0;
    for record in records {
        all += 1;
        counts[match record.status {
            Status::Ok => 0,
            Status::Failed => 1,
            Status::Skipped => 2,
        }] += 1;
    }
    if counts[0] == all {
        return format!("{}, all measured and right", count(all, "row"));
    }
    format!(
        "{}: {} measured and right, {} failed, {} skipped",
        count(all, "row"),
        counts[0],
        counts[1],
        counts[2]
    )
}

/// What is to say about the tables of a machine: the table, and sentences.
pub(super) fn sentences(machine: &Machine) -> Vec<(&str, Vec<String>)> {
    let mut all = Vec::new();
    for (table, rows) in &machine.tables {
        let mut said = match table.as_str() {
            "sweep-f64" | "sweep-f32" => sweep(table, rows),
            "activity" => activity::sentences(rows),
            "accuracy" => Vec::new(),
            // The rest of its lines is in its section.
            other => tables::by_name(other)
                .and_then(|table| (table.summary)(rows).into_iter().next())
                .into_iter()
                .collect(),
        };
        said.extend(digits(table, rows));
        if !said.is_empty() {
            all.push((table.as_str(), said));
        }
    }
    all
}

/// What went wrong and what has to be known, a sentence each.
pub(super) fn warnings(machine: &Machine) -> Vec<String> {
    let mut said = Vec::new();
    for (table, rows) in &machine.tables {
        let notes = footnotes(rows).into_iter();
        said.extend(notes.map(|note| format!("{table}: {note}.")));
    }
    said.extend(throttling(machine));
    said
}

/// Best cells of a sweep, beside the published best and nvcc's.
fn sweep(table: &str, rows: &[Record]) -> Vec<String> {
    let several = strips(rows).len() > 1;
    let mut said = Vec::new();
    for strips in strips(rows) {
        let right: Vec<Record> = with_strips(rows, strips)
            .into_iter()
            .filter(|row| row.status == Status::Ok)
            .collect();
        let of = if several {
            format!("With {} strips the", grouped(strips))
        } else {
            "The".to_owned()
        };
        said.extend(best_kernel(&of, &right));
        said.extend(best_span(&of, &right, table, strips));
    }
    said
}

fn best_kernel(of: &str, rows: &[Record]) -> Option<String> {
    let (ms, row) = KERNEL.best(rows)?;
    let mut text = format!(
        "{of} best kernel takes {} ms, at {} blocks × threads",
        number::milliseconds(ms),
        place(row)
    );
    let one = rows
        .iter()
        .find(|row| (row.cell.small("blocks"), row.cell.small("threads")) == (Some(1), Some(1)));
    if let Some(alone) = one.and_then(|row| KERNEL.ms(row)) {
        text.push_str(&format!(
            ", {} times as fast as one thread ({} ms)",
            factor(alone / ms),
            number::milliseconds(alone)
        ));
    }
    text.push('.');
    let mut compare = |what: &str, clock: Clock| {
        if let Some((theirs, at)) = clock.best(rows) {
            text.push_str(&format!(
                " {what} takes {} ms at {}: ours takes {:.3} of its time.",
                number::milliseconds(theirs),
                place(at),
                ms / theirs
            ));
        }
    };
    compare(
        "The best of nvcc, in the published form,",
        Clock {
            name: "",
            note: "",
            metric: "nvcc_kernel",
        },
    );
    compare(
        "The best of nvcc in our form",
        Clock {
            name: "",
            note: "",
            metric: "nvcc_dyadic_kernel",
        },
    );
    Some(text)
}

fn best_span(of: &str, rows: &[Record], table: &str, strips: u64) -> Option<String> {
    let (ms, row) = SPAN.best(rows)?;
    let mut text = format!(
        "{of} best span, with the copies in and out, takes {} ms, at {}",
        number::milliseconds(ms),
        place(row)
    );
    let sweep = PublishedSweep::of(table).filter(|_| strips == STRIPS);
    match sweep.and_then(|sweep| Some((sweep.device, sweep.best()?))) {
        Some((device, (blocks, threads, theirs))) => text.push_str(&format!(
            "; published for the {device} are {} ms, at {blocks} × {threads}: {} times as long.",
            number::milliseconds(theirs),
            factor(theirs / ms)
        )),
        None => text.push('.'),
    }
    Some(text)
}

/// How many values have the published digits.
fn digits(table: &str, rows: &[Record]) -> Option<String> {
    let columns = tables::by_name(table)?.columns_of(&[]);
    let (mut same, mut all, mut names) = (0, 0, Vec::new());
    for name in DIGITS {
        let reference = columns.iter().find(|column| {
            column.group == Group::Reference && column.name == format!("published_{name}")
        });
        let ours = columns.iter().find(|column| column.name == name);
        let (Some(reference), Some(ours)) = (reference, ours) else {
            continue;
        };
        let pairs = rows
            .iter()
            .map(|row| (ours.text(row), reference.text(row)))
            .filter(|(ours, published)| !ours.is_empty() && !published.is_empty());
        let before = all;
        for (ours, published) in pairs {
            all += 1;
            same += usize::from(ours == published);
        }
        if all > before {
            names.push(name);
        }
    }
    let what = list(&names).replace('_', " ");
    (all > 0).then(|| {
        if same == all {
            format!("All {all} values that were published ({what}) come out digit for digit.")
        } else {
            format!("{same} of {all} values that were published ({what}) come out digit for digit, the others do not.")
        }
    })
}

fn clocks(machine: &Machine) -> impl Iterator<Item = &Clocks> {
    machine.all().filter_map(|row| row.clocks.as_ref())
}

fn throttling(machine: &Machine) -> Option<String> {
    let held: Vec<&Clocks> = clocks(machine)
        .filter(|clocks| !clocks.throttled.is_empty())
        .collect();
    let mut reasons: Vec<&str> = held
        .iter()
        .flat_map(|clocks| &clocks.throttled)
        .map(String::as_str)
        .collect();
    reasons.sort_unstable();
    reasons.dedup();
    (!reasons.is_empty()).then(|| {
        let rows = count(held.len(), "row");
        format!("The clock was held down in {rows}: {}.", list(&reasons))
    })
}

/// The clocks of the multiprocessors over all rows, where they are known.
pub(super) fn clock_range(machine: &Machine) -> Option<String> {
    let seen = || {
        clocks(machine)
            .flat_map(|clocks| [clocks.sm_before_mhz, clocks.sm_after_mhz])
            .flatten()
    };
    let (low, high) = (seen().min()?, seen().max()?);
    let most = clocks(machine)
        .filter_map(|clocks| clocks.sm_most_mhz)
        .max();
    let most = most
        .map(|mhz| format!(", {mhz} MHz at most"))
        .unwrap_or_default();
    let range = if low == high {
        format!("{low} MHz")
    } else {
        format!("{low} to {high} MHz")
    };
    Some(format!("multiprocessors at {range}{most}"))
}
