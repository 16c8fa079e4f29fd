//! Geometric means of ratios to CUB. Pure.

use super::workload;
use crate::grouping::groups;
use crate::record::Record;
use crate::table::peers::{mean, ratio, words};

/// How the name of every CUB begins.
const CUB: &str = "CUB ";

/// The sizes and the width of the middle group: where a scan of 4-byte elements is short.
const SHORT: (u64, u64, u64) = (1 << 10, 1 << 24, 4);

/// The ratio to the faster CUB.
pub(super) fn of_cub(record: &Record) -> Option<f64> {
    let cubs = record.metrics.peers();
    let cubs = cubs.filter(|(peer, _)| peer.name.starts_with(CUB));
    let faster = cubs
        .map(|(_, timing)| timing)
        .min_by(|a, b| a.median_ms.total_cmp(&b.median_ms));
    ratio(record, faster)
}

/// The means of groups of rows, by what `name` says, in the order in which they come.
fn by<'a>(rows: &[(&'a Record, f64)], name: impl Fn(&'a Record) -> Option<&'a str>) -> String {
    let named = rows
        .iter()
        .filter_map(|(record, ratio)| Some((name(record)?, *ratio)));
    let of = |(group, rows): (&str, Vec<(&str, f64)>)| {
        let mean = mean(rows.into_iter().map(|(_, ratio)| ratio))?;
        Some(format!("{group} {}", words(mean)))
    };
    let groups = groups(named, |(group, _)| *group).into_iter();
    groups.filter_map(of).collect::<Vec<_>>().join(", ")
}

fn is_short(record: &Record) -> bool {
    let (least, most, bytes) = SHORT;
    let element = workload(&record.cell).map(|(_, element)| element);
    let has_width = |element: crate::workload::operation::Element| {
        element.input_bytes() == bytes && element.output_bytes() == bytes
    };
    element.is_some_and(has_width)
        && record
            .cell
            .number("n")
            .is_some_and(|n| (least..=most).contains(&n))
}

/// What is said below the table: of the rows whose algorithm the plan chose, and that have
/// both times. Nothing where none has.
pub(super) fn lines(records: &[Record]) -> Vec<String> {
    let table = records.first().map_or("", |record| record.table.as_str());
    let defaults = records
        .iter()
        .filter(|record| super::is_default(&record.cell));
    let rows: Vec<(&Record, f64)> = defaults
        .filter_map(|record| Some((record, of_cub(record)?)))
        .collect();
    let Some(whole) = mean(rows.iter().map(|(_, ratio)| *ratio)) else {
        return Vec::new();
    };
    let mut lines = vec![format!(
        "{table}: the faster CUB's time in units of ours, geometric mean over the whole table: {}",
        words(whole)
    )];
    let short = rows.iter().filter(|(record, _)| is_short(record));
    if let Some(short) = mean(short.map(|(_, ratio)| *ratio)) {
        let words = words(short);
        lines.push(format!("{table}: 4-byte types from 2^10 to 2^24: {words}"));
    }
    let operations = by(&rows, |record| record.cell.text("operation"));
    lines.push(format!("{table}: by operation: {operations}"));
    let types = by(&rows, |record| record.cell.text("type"));
    lines.push(format!("{table}: by type: {types}"));
    if let Some((record, lowest)) = rows.iter().min_by(|(_, a), (_, b)| a.total_cmp(b)) {
        let below = rows.iter().filter(|(_, ratio)| *ratio < 1.0).count();
        let cell = record.cell.describe();
        lines.push(format!(
            "{table}: rows below 1: {below}; the lowest is {lowest:.3}: {cell}"
        ));
    }
    lines
}
