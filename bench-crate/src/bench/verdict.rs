//! The verdict of a run, its last lines on a terminal: how many rows are right, on which device;
//! of each table whether its values are the published ones, its best time beside the published one
//! and beside those of others, and what was skipped; and where the report lies.

use std::path::Path;

use crate::export::{reasons, wrapped};
use crate::number::{count, milliseconds, rounded};
use crate::record::{Record, Status};
use crate::table::figure::Time;
use crate::table::published::Published;
use crate::table::{Table, agreement, peers};

/// The most lines.
const LINES: usize = 12;

/// The lines, at most [`LINES`] of at most `width` columns, but for longer words.
pub(super) fn lines(measured: &[(&Table, Vec<Record>)], page: &Path, width: usize) -> Vec<String> {
    // What went wrong is told first.
    let mut tables: Vec<&(&Table, Vec<Record>)> = measured.iter().collect();
    tables.sort_by_key(|(_, records)| number_of(records.iter(), Status::Failed) == 0);
    let names = tables.iter().map(|(table, _)| table.name.len());
    let longest = names.max().unwrap_or_default();
    let entry = |(table, records): &&(&Table, Vec<Record>)| {
        let head = format!("  {:longest$}  ", table.name);
        let text = wrapped(&sentence(table, records), width.saturating_sub(head.len()));
        let indent = " ".repeat(head.len());
        let starts = [head].into_iter().chain(std::iter::repeat(indent));
        starts.zip(text).map(|(head, line)| head + &line).collect()
    };
    let entries: Vec<Vec<String>> = tables.iter().map(entry).collect();
    let folder = page.parent().unwrap_or(page).display();
    let page = page.display();
    let last = format!("  report: {page}; all rows: {folder}/*.csv, --full-tables");
    let last = wrapped(&last, width);
    let mut lines = wrapped(&whole(measured), width);
    let left = LINES.saturating_sub(lines.len() + last.len()).max(1);
    lines.extend(cut(&entries, left, width));
    lines.extend(last);
    lines
}

/// Entries in so many lines: each has its first line, and more as long as there are some left;
/// those that have no line are counted.
fn cut(entries: &[Vec<String>], most: usize, width: usize) -> Vec<String> {
    const MORE: &str = " ...";
    let told = match entries.len() {
        all if all > most => most - 1,
        all => all,
    };
    let mut spare = most.saturating_sub(entries.len());
    let mut lines = Vec::new();
    for entry in &entries[..told] {
        let (taken, left) = entry.split_at(entry.len().min(1 + spare));
        spare -= taken.len() - 1;
        lines.extend_from_slice(taken);
        if let (false, Some(last)) = (left.is_empty(), lines.last_mut()) {
            while last.chars().count() + MORE.len() > width
                && let Some((shorter, _)) = last.rsplit_once(' ')
            {
                *last = shorter.to_owned();
            }
            last.push_str(MORE);
        }
    }
    let rest = entries.len() - told;
    lines.extend((rest > 0).then(|| format!("  and {}", count(rest, "further table"))));
    lines
}

fn number_of<'a>(records: impl Iterator<Item = &'a Record>, status: Status) -> usize {
    records.filter(|record| record.status == status).count()
}

/// How many rows are right, and what measured them.
fn whole(measured: &[(&Table, Vec<Record>)]) -> String {
    let records = || measured.iter().flat_map(|(_, records)| records);
    let of = |status| number_of(records(), status);
    let mut text = format!(
        "verdict: {} of {} right",
        of(Status::Ok),
        count(records().count(), "row")
    );
    let is_remarked = |record: &&Record| !record.remarks.is_empty();
    let remarked = records().filter(is_remarked).count();
    let (failed, skipped) = (of(Status::Failed), of(Status::Skipped));
    let others = [
        (failed, "failed"),
        (skipped, "skipped"),
        (remarked, "with remarks"),
    ];
    for (number, word) in others.iter().filter(|(number, _)| *number > 0) {
        text += &format!(", {number} {word}");
    }
    match records().find_map(|record| record.device.as_ref()) {
        None => text + "; no device was used",
        Some(device) if device.is_emulated() => {
            format!("{text}; device: {}, no times", device.name)
        }
        Some(device) => format!("{text}; device: {}", device.name),
    }
}

/// What is said of a table.
fn sentence(table: &Table, records: &[Record]) -> String {
    let of = |status| reasons(records.iter().filter(move |record| record.status == status));
    let (equal, best) = (published(table, records), best(table, records));
    let right = right(records).filter(|_| equal.is_none() && best.is_none());
    let told = [right, equal, best, rivals(table, records), counted(records)];
    let mut parts = of(Status::Failed);
    parts.extend(told.into_iter().flatten());
    parts.extend(of(Status::Skipped));
    parts.join("; ")
}

/// How many rows are right, where any is.
fn right(records: &[Record]) -> Option<String> {
    let right = number_of(records.iter(), Status::Ok);
    (right > 0).then(|| format!("{right} of {} right", count(records.len(), "row")))
}

/// How many of the values are the published ones, and how many of their digits; and the first
/// that is another.
fn published(table: &Table, records: &[Record]) -> Option<String> {
    let found = agreement(table, records)?;
    let values = format!("{} of {} published values", found.same, found.all);
    let mut told = format!("{values}, {} of {} digits", found.same_digits, found.digits);
    if let Some((ours, theirs, cell)) = found.other {
        told += &format!(", the first other one is {ours}, published {theirs}: {cell}");
    }
    Some(told)
}

/// The best time, and how much faster it is than the best published one.
fn best(table: &Table, records: &[Record]) -> Option<String> {
    let time = table.short.best?;
    let (ms, record) = time.best(records)?;
    let is_varying = |axis: &&str| {
        let mut others = records.iter().map(|other| other.cell.get(axis));
        others.any(|value| value != record.cell.get(axis))
    };
    let axes = table.axes.iter().map(|of| of.axis.name).filter(is_varying);
    let cell = axes.filter_map(|axis| Some(format!(" {axis}={}", record.cell.get(axis)?)));
    let place = cell.collect::<String>();
    let at = if place.is_empty() { "" } else { " at" };
    let mut text = format!("best {}_ms {}{at}{place}", time.metric, milliseconds(ms));
    // A sweep over other strips has no time beside it.
    let has_row = |one: &&Published| records.iter().any(|row| one.row(&row.cell).is_some());
    let published = table.figures.published.filter(has_row);
    if let Some((_, theirs)) = published.and_then(Published::best) {
        let ratio = rounded(&(theirs / ms).to_string(), 3);
        text += &format!(", {ratio} times as fast as published");
    }
    Some(text)
}

/// The times of others in units of our kernel's: those of a sweep by its best cells, as the
/// summary has them, those of peers by the geometric mean of all rows.
fn rivals(table: &Table, records: &[Record]) -> Option<String> {
    let best = |metric| Some(Time::of(metric).best(records)?.0);
    let named = table.short.rivals.iter().map(|&(name, metric)| {
        let ratio = best(metric).zip(best("kernel"));
        (name.to_owned(), ratio.map(|(theirs, ours)| theirs / ours))
    });
    let peers = peers::names(records).into_iter().map(|name| {
        let time = |record: &Record| peers::ratio(record, peers::peer(record, &name));
        let mean = peers::mean(records.iter().filter_map(time));
        (name, mean.map(|(mean, _)| mean))
    });
    let ratios = named.chain(peers);
    let told = ratios.filter_map(|(name, ratio)| Some(format!("{name} {:.2}", ratio?)));
    let told: Vec<String> = told.collect();
    (!told.is_empty()).then(|| format!("{} times our kernel", told.join(", ")))
}

/// What the emulator counted.
fn counted(records: &[Record]) -> Option<String> {
    let counts = records.iter().filter_map(|record| record.counts.as_ref());
    let sum: u64 = counts.map(|counts| counts.warp_instructions).sum();
    (sum > 0).then(|| format!("{} warp instructions", rounded(&sum.to_string(), 3)))
}

#[cfg(test)]
#[path = "verdict_tests.rs"]
mod tests;
