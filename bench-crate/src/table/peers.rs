//! What tables say of peers: a time and a ratio each, and geometric means of ratios. Pure.

use super::column::{self, Column, decimals};
use crate::grouping::distinct;
use crate::number;
use crate::record::{Record, Status};
use crate::timing::Timing;

/// A peer's time in a record.
pub fn peer<'a>(record: &'a Record, name: &str) -> Option<&'a Timing> {
    let mut peers = record.metrics.peers();
    let found = peers.find(|(peer, _)| peer.name == name);
    found.map(|(_, timing)| timing)
}

/// A time in units of ours: above 1 ours is faster. `None` unless there are both, of a
/// result that is right.
pub fn ratio(record: &Record, theirs: Option<&Timing>) -> Option<f64> {
    let ours = record.ms("kernel")?;
    let is_right = record.status == Status::Ok && ours > 0.0;
    Some(theirs?.median_ms / ours).filter(|_| is_right)
}

/// The geometric mean, and of how many; `None` without any.
pub fn mean(ratios: impl Iterator<Item = f64>) -> Option<(f64, usize)> {
    let logarithms: Vec<f64> = ratios.map(f64::ln).collect();
    let count = logarithms.len();
    let sum: f64 = logarithms.iter().sum();
    (count > 0).then(|| ((sum / count as f64).exp(), count))
}

/// `1.234 (56 rows)`.
pub fn words((mean, count): (f64, usize)) -> String {
    let rows = if count == 1 { "row" } else { "rows" };
    format!("{mean:.3} ({count} {rows})")
}

/// A count in a time, both metrics of a record, in 10^9 a second.
pub fn rate(record: &Record, count: &str, time: &str) -> Option<f64> {
    Some(record.metrics.count(count)? as f64 / record.ms(time)? * 1e-6)
}

/// The names of the peers of any record, in the order in which they were timed.
pub fn names(records: &[Record]) -> Vec<String> {
    let peers = records.iter().flat_map(|record| record.metrics.peers());
    distinct(peers.map(|(peer, _)| peer.name.clone()))
}

/// How the names of a peer's columns begin.
pub fn head(name: &str) -> String {
    name.to_lowercase().replace(' ', "_")
}

/// A peer's time, and its ratio to ours: above 1 ours is faster.
fn of_peer(name: &str) -> [Column; 2] {
    let head = head(name);
    let (timed, compared) = (name.to_owned(), name.to_owned());
    [
        column::with(format!("{head}_us"), "a peer's time, us", move |record| {
            let us = peer(record, &timed).map(|timing| 1e3 * timing.median_ms);
            us.map(number::significant).unwrap_or_default()
        }),
        column::with(
            format!("{head}_ratio"),
            "the same in units of ours",
            move |record| decimals(ratio(record, peer(record, &compared)), 3),
        ),
    ]
}

/// The columns of all peers of the records.
pub fn columns(records: &[Record]) -> Vec<Column> {
    let names = names(records);
    names.iter().flat_map(|name| of_peer(name)).collect()
}

/// What is said below a table: of each peer the mean of the rows that have both times, and
/// the row with the lowest ratio.
pub fn lines(records: &[Record]) -> Vec<String> {
    let line = |name: &String| {
        let ratios = records.iter().filter_map(|record| {
            let ratio = ratio(record, peer(record, name))?;
            Some((record, ratio))
        });
        let rows: Vec<(&Record, f64)> = ratios.collect();
        let (record, lowest) = rows.iter().min_by(|(_, a), (_, b)| a.total_cmp(b))?;
        Some(format!(
            "{}: {name}'s time in units of ours, geometric mean: {}; the lowest is {lowest:.3}: {}",
            record.table,
            words(mean(rows.iter().map(|(_, ratio)| *ratio))?),
            record.cell.describe()
        ))
    };
    names(records).iter().filter_map(line).collect()
}
