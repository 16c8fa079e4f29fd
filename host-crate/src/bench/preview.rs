//! `--list` and `--dry-run`: what would be measured, without measuring.

use super::Outcome;
use super::console::Console;
use super::host_oracle::HostOracle;
use super::progress::Progress;
use super::request::Request;
use crate::record::{HostInfo, Key, Record, Status, Timings, Values, timestamp};
use crate::tables::Table;

/// Tables with the number of their cells and the names of their columns.
pub(super) fn list(request: &Request, console: &mut dyn Console) {
    for (table, cells) in &request.tables {
        let names: Vec<String> = table
            .columns()
            .into_iter()
            .map(|column| column.name)
            .collect();
        console.result(&format!(
            "{}: {}\n  cells: {}\n  columns: {}\n",
            table.name(),
            table.about(),
            cells.len(),
            names.join(",")
        ));
    }
}

/// Every cell, and whether the host's answer to it is right where the published
/// tables or a closed form know it.
pub(super) fn dry_run(request: &Request, console: &mut dyn Console) -> Outcome {
    let mut host = HostOracle::answering();
    let mut outcome = Outcome::Fine;
    for (done, (table, key)) in request
        .tables
        .iter()
        .flat_map(|(table, cells)| cells.iter().map(move |key| (*table, key)))
        .enumerate()
    {
        let name = format!("{} {}", table.name(), key.describe());
        console.progress(&Progress {
            done,
            total: request.cell_count(),
            cell: &name,
            left: None,
        });
        let answer = match answer(table, key, &mut host) {
            None => "not known in advance".to_owned(),
            Some(Ok(())) => "right on the host".to_owned(),
            Some(Err(wrong)) => {
                outcome = Outcome::Wrong;
                format!("wrong on the host: {wrong}")
            }
        };
        console.result(&format!("{name}: {answer}\n"));
    }
    console.finish();
    outcome
}

fn answer(
    table: &dyn Table,
    key: &Key,
    host: &mut HostOracle,
) -> Option<std::result::Result<(), String>> {
    let mut record = Record {
        run: "dry".into(),
        table: table.name().to_owned(),
        key: key.clone(),
        status: Status::Skipped,
        reason: None,
        values: Values::default(),
        timings: Timings::default(),
        counts: None,
        clocks: None,
        remarks: Vec::new(),
        device: None,
        host: HostInfo::current(),
        timestamp: timestamp(),
    };
    table.fill_from_host(&mut record, host);
    table.check_host(&record)
}
