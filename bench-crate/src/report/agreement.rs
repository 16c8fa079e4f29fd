//! What every device knows of a table, a GPU or the emulator: whether its results are right, which
//! published values come out, and what its launches cost where they were counted.

use super::machines::Machine;
use super::words::short;
use crate::export::Grid;
use crate::record::{Record, Status};
use crate::table::column::optional;
use crate::table::{Group, Table};
use crate::tables;
use quadscan::device::Counts;

/// Values that the published tables have and whose digits have to be the same.
/// (Times and what is computed from them are another machine's.)
const DIGITS: [&str; 3] = ["pi", "active_threads", "active_warps"];

/// Values of a table that were published.
pub(super) struct Published {
    /// Those that have the published digits.
    pub(super) same: usize,
    pub(super) all: usize,
    /// What they are.
    pub(super) names: Vec<&'static str>,
}

/// How many values have the published digits; `None` where none was published.
pub(super) fn published(table: &Table, rows: &[Record]) -> Option<Published> {
    let columns = table.columns_of(&[]);
    let mut found = Published {
        same: 0,
        all: 0,
        names: Vec::new(),
    };
    for name in DIGITS {
        let published = format!("published_{name}");
        let of_page = columns
            .iter()
            .find(|column| column.group == Group::Reference && column.name == published);
        let ours = columns.iter().find(|column| column.name == name);
        let Some((ours, reference)) = ours.zip(of_page) else {
            continue;
        };
        let pairs = rows.iter().map(|row| (ours.text(row), reference.text(row)));
        let pairs = pairs.filter(|(ours, theirs)| !ours.is_empty() && !theirs.is_empty());
        let pairs: Vec<(String, String)> = pairs.collect();
        found.same += pairs.iter().filter(|(ours, theirs)| ours == theirs).count();
        found.all += pairs.len();
        found.names.extend((!pairs.is_empty()).then_some(name));
    }
    (found.all > 0).then_some(found)
}

/// The tables of all machines, a row each.
pub(super) fn grid(machines: &[Machine]) -> Grid {
    let header = [
        "machine",
        "table",
        "rows",
        "right",
        "failed",
        "skipped",
        "published values",
        "warp instructions",
        "shared-memory wavefronts, × ideal",
        "global-memory sectors, × ideal",
    ];
    let rows = machines.iter().flat_map(|machine| {
        let tables = machine.tables.iter();
        tables.map(|(table, rows)| row(machine, table, rows))
    });
    Grid::new(&header, rows.collect()).without_empty_columns()
}

fn row(machine: &Machine, name: &str, rows: &[Record]) -> Vec<String> {
    let of = |status| rows.iter().filter(|row| row.status == status).count();
    let published = tables::by_name(name).and_then(|table| published(table, rows));
    let published = published.map(|found| format!("{} of {}", found.same, found.all));
    let counts: Vec<&Counts> = rows.iter().filter_map(|row| row.counts.as_ref()).collect();
    let instructions = counts.iter().map(|counts| counts.warp_instructions);
    let shared = counts
        .iter()
        .map(|c| (c.shared_wavefronts, c.ideal_shared_wavefronts));
    let global = counts
        .iter()
        .map(|c| (c.global_sectors, c.ideal_global_sectors));
    vec![
        machine.name.clone(),
        name.to_owned(),
        rows.len().to_string(),
        of(Status::Ok).to_string(),
        of(Status::Failed).to_string(),
        of(Status::Skipped).to_string(),
        published.unwrap_or_default(),
        optional((!counts.is_empty()).then(|| instructions.sum::<u64>())),
        optional(excess(shared)),
        optional(excess(global)),
    ]
}

/// Counts of all launches in units of what they are at best: 1 is without conflicts and waste.
fn excess(counts: impl Iterator<Item = (Option<u64>, Option<u64>)>) -> Option<String> {
    let known = counts.filter_map(|(count, ideal)| Some((count?, ideal?)));
    let (count, ideal) = known.fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    (ideal > 0).then(|| short(count as f64 / ideal as f64))
}
