//! The summary in words: what was measured where, the best cells, the digits, and what went
//! wrong. Every number is a record's or a published one.

use super::machines::Machine;
use super::steps;
use super::subject::{Subject, subjects};
use super::words::{factor, list, place};
use crate::export::footnotes;
use crate::grouping::rising;
use crate::number::{self, count, milliseconds};
use crate::record::{Clocks, Record, Status};
use crate::table::figure::{Figure, KERNEL, SPAN, Time};
use crate::table::{Table, agreement};
use crate::tables;

/// `1 row failed`: how many rows ended in which way.
pub(super) fn outcome<'a>(records: impl Iterator<Item = &'a Record>) -> String {
    let statuses: Vec<Status> = records.map(|record| record.status).collect();
    let of = |wanted: Status| statuses.iter().filter(|&&status| status == wanted).count();
    let (all, right) = (count(statuses.len(), "row"), of(Status::Ok));
    if right == statuses.len() {
        return format!("{all}, all measured and right");
    }
    let (failed, skipped) = (of(Status::Failed), of(Status::Skipped));
    format!("{all}: {right} measured and right, {failed} failed, {skipped} skipped")
}

/// What is to say about the tables of a machine: the table, and sentences.
pub(super) fn sentences(machine: &Machine) -> Vec<(&str, Vec<String>)> {
    let of_table = |(name, rows): &'_ (String, Vec<Record>)| {
        let table = tables::by_name(name);
        table.map_or(Vec::new(), |table| {
            let mut told = headlines(table, machine, rows);
            told.extend(digits(table, rows));
            told
        })
    };
    let told = machine
        .tables
        .iter()
        .map(|table| (table.0.as_str(), of_table(table)));
    told.filter(|(_, told)| !told.is_empty()).collect()
}

/// The best cells of a sweep, the totals of scans; else the first line of the table's own.
fn headlines(table: &'static Table, machine: &Machine, rows: &[Record]) -> Vec<String> {
    for figure in table.figures.rows.iter().copied().flatten() {
        match figure {
            Figure::Best(_) => return of_sweep(&subjects(table, &[machine])),
            Figure::Steps(published) => return of_scans(&subjects(table, &[machine]), *published),
            _ => {}
        }
    }
    // The rest of its lines is in its section.
    (table.summary)(rows).into_iter().take(1).collect()
}

/// What went wrong and what has to be known, a sentence each.
pub(super) fn warnings(machine: &Machine) -> Vec<String> {
    let of_table = |(table, rows): &(String, Vec<Record>)| {
        let notes = footnotes(rows).into_iter();
        notes
            .map(|note| format!("{table}: {note}."))
            .collect::<Vec<_>>()
    };
    let notes = machine.tables.iter().flat_map(of_table);
    notes.chain(throttling(machine)).collect()
}

/// The totals of the scans of the published size, a sentence each, and how many other sizes there
/// are: their totals are in the figures.
fn of_scans(sizes: &[Subject<'_>], published: u64) -> Vec<String> {
    let (mut told, mut others) = (Vec::new(), Vec::new());
    for size in sizes {
        let rows = size.measured.iter().flat_map(|one| &one.rows);
        let mut sizes = rows.filter_map(|row| row.cell.number("n"));
        let Some(n) = sizes.next() else { continue };
        let scans = size.measured.iter().find_map(|one| steps::scans(&one.rows));
        match scans.unwrap_or_default() {
            scans if n == published => {
                let of_scan = |scan| format!("A scan of {n} elements, {}.", steps::totals(scan));
                told.extend(scans.iter().map(of_scan));
            }
            scans if !scans.is_empty() => others.push(n),
            _ => {}
        }
    }
    match others[..] {
        [] => {}
        [n] => told.push(format!("Scans of {n} elements are in the figures.")),
        [..] => told.push(format!(
            "Scans of {} other sizes are in the figures.",
            others.len()
        )),
    }
    told
}

/// Best cells of a sweep, beside the published best and nvcc's.
fn of_sweep(sizes: &[Subject<'_>]) -> Vec<String> {
    let mut told = Vec::new();
    for size in sizes {
        let rows = size.measured.iter().flat_map(|one| &one.rows);
        let right = rows.filter(|row| row.status == Status::Ok);
        let right: Vec<Record> = right.cloned().collect();
        let of = match (sizes.len(), size.strips()) {
            (2.., Some(strips)) => format!("With {} strips the", number::grouped(strips)),
            _ => "The".to_owned(),
        };
        told.extend(best_kernel(&of, &right));
        told.extend(best_span(&of, &right, size));
    }
    told
}

fn best_kernel(of: &str, rows: &[Record]) -> Option<String> {
    let (ms, row) = KERNEL.best(rows)?;
    let (best, at) = (milliseconds(ms), place(row));
    let mut text = format!("{of} best kernel takes {best} ms, at {at} blocks × threads");
    let is_one_thread = |axis: &str, row: &Record| row.cell.small(axis) == Some(1);
    let mut alone = rows
        .iter()
        .filter(|row| is_one_thread("blocks", row) && is_one_thread("threads", row));
    if let Some(alone) = alone.find_map(|row| KERNEL.ms(row)) {
        let (times, alone) = (factor(alone / ms), milliseconds(alone));
        text += &format!(", {times} times as fast as one thread ({alone} ms)");
    }
    text.push('.');
    for (what, metric) in [
        ("The best of nvcc, in the published form,", "nvcc_kernel"),
        ("The best of nvcc in our form", "nvcc_dyadic_kernel"),
    ] {
        if let Some((theirs, at)) = Time::of(metric).best(rows) {
            let (part, theirs, at) = (ms / theirs, milliseconds(theirs), place(at));
            text +=
                &format!(" {what} takes {theirs} ms at {at}: ours takes {part:.3} of its time.");
        }
    }
    Some(text)
}

fn best_span(of: &str, rows: &[Record], size: &Subject<'_>) -> Option<String> {
    let (ms, row) = SPAN.best(rows)?;
    let (best, at) = (milliseconds(ms), place(row));
    let text = format!("{of} best span, with the copies in and out, takes {best} ms, at {at}");
    let published = size.published();
    Some(
        match published.and_then(|sweep| Some((sweep.device, sweep.best()?))) {
            None => format!("{text}."),
            Some((device, ((blocks, threads), theirs))) => format!(
                "{text}; published for the {device} are {} ms, at {blocks} × {threads}: {} times as \
             long.",
                milliseconds(theirs),
                factor(theirs / ms)
            ),
        },
    )
}

/// How many values have the published digits.
fn digits(table: &Table, rows: &[Record]) -> Option<String> {
    let found = agreement(table, rows)?;
    let (same, all, names) = (found.same, found.all, found.names);
    let what = list(&names).replace('_', " ");
    let values = format!("values that were published ({what}) come out digit for digit");
    Some(match same == all {
        true => format!("All {all} {values}."),
        false => format!("{same} of {all} {values}, the others do not."),
    })
}

fn clocks(machine: &Machine) -> impl Iterator<Item = &Clocks> {
    machine.all().filter_map(|row| row.clocks.as_ref())
}

fn throttling(machine: &Machine) -> Option<String> {
    let held = clocks(machine).filter(|clocks| !clocks.throttled.is_empty());
    let held: Vec<&Clocks> = held.collect();
    let reasons = held.iter().flat_map(|clocks| &clocks.throttled);
    let reasons = rising(reasons.map(String::as_str));
    let rows = count(held.len(), "row");
    (!reasons.is_empty()).then(|| format!("The clock was held down in {rows}: {}.", list(&reasons)))
}

/// The clocks of the SMs over all rows, where they are known.
pub(super) fn clock_range(machine: &Machine) -> Option<String> {
    let ends = |clocks: &Clocks| [clocks.sm_before_mhz, clocks.sm_after_mhz];
    let seen = || clocks(machine).flat_map(ends).flatten();
    let range = match (seen().min()?, seen().max()?) {
        (low, high) if low == high => format!("{low} MHz"),
        (low, high) => format!("{low} to {high} MHz"),
    };
    let most = clocks(machine)
        .filter_map(|clocks| clocks.sm_most_mhz)
        .max();
    let most = most.map_or(String::new(), |mhz| format!(", {mhz} MHz at most"));
    Some(format!("SMs at {range}{most}"))
}
