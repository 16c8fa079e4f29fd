//! What every device knows of a table, a GPU or the emulator: whether its results are right, which
//! published values come out, and what its launches cost where they were counted.

use super::machines::Machine;
use super::words::short;
use crate::export::Grid;
use crate::record::{Record, Status};
use crate::table::agreement;
use crate::table::column::optional;
use crate::tables;
use quadscan::device::Counts;

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
    let published = tables::by_name(name).and_then(|table| agreement(table, rows));
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
