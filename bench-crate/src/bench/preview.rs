//! `--list` and `--dry-run`: what would be measured, without a time.

use super::console::Console;
use super::progress::Progress;
use super::request::Request;
use super::workers::Workers;
use super::{Outcome, say};
use crate::error::Result;
use crate::export::{COLUMNS, hanging};
use crate::host::HostOracle;
use crate::measure::Sampling;
use crate::record::{HostInfo, Record, Status};
use crate::table::{Judged, Table};
use crate::tables;

/// The tables that are offered, a line each, and how to see more of one.
fn all(width: usize) -> String {
    let tables = tables::all().into_iter();
    let lines = tables.map(|table| hanging(&format!("{}: {}", table.name, table.about), width));
    lines.collect::<String>() + "\n`bench TABLE --list` has the cells and the columns of one\n"
}

/// The tables that are offered; of those that are named the number of their cells, their axes and
/// the names of their columns.
pub(super) fn list(request: &Request, console: &mut dyn Console) -> Outcome {
    let width = console.width().unwrap_or(COLUMNS);
    if !request.names_tables {
        console.result(&all(width));
        return Outcome::Fine;
    }
    for (table, cells) in &request.tables {
        let mut lines = hanging(&format!("{}: {}", table.name, table.about), width);
        lines += &format!("  cells: {}\n", cells.len());
        for of in table.axes {
            let (axis, names) = (of.axis, of.names());
            let names = match names.is_empty() {
                true => String::new(),
                false => format!(": {}", names.join(",")),
            };
            let axis = format!("  axis {}, {}{names}", axis.name, axis.argument());
            lines += &hanging(&axis, width);
        }
        let columns = table.columns_of(&[]);
        let names: Vec<&str> = columns.iter().map(|column| &*column.name).collect();
        lines += &hanging(&format!("  columns: {}", names.join(",")), width);
        console.result(&lines);
    }
    Outcome::Fine
}

/// Every cell, and whether the answers to it are right: the host's where the
/// published tables or a closed form know it, and the device's, whose kernels are launched
/// once and compared with the host's.
pub(super) fn dry_run(mut request: Request, console: &mut dyn Console) -> Result<Outcome> {
    let (mut workers, introduction) = Workers::start(&request, 1)?;
    if workers.is_emulated() {
        request.adapt_to_emulator();
    }
    say(console, introduction);
    let mut host = HostOracle::default();
    let host_info = HostInfo::current();
    let mut outcome = Outcome::Fine;
    let cells = request
        .tables
        .iter()
        .flat_map(|(table, cells)| cells.iter().map(move |cell| (*table, cell)));
    for (done, (table, cell)) in cells.enumerate() {
        let mut record = Record::new("dry", table.name, cell, &host_info);
        let name = record.describe();
        console.progress(&Progress {
            done,
            total: request.cell_count(),
            cell: &name,
            left: None,
        });
        (table.host)(&mut record, &mut host);
        let on_host = (table.check)(&record);
        let on_device = answer(&request, &mut workers, table, &record);
        let is_wrong = |answer: &Judged| matches!(answer, Some(Err(_)));
        if is_wrong(&on_host) || is_wrong(&on_device) {
            outcome = Outcome::Wrong;
        }
        let mut line = format!("{name}: {}", words(on_host, "host", "not known in advance"));
        let on_device = words(on_device, "device", "");
        if !on_device.is_empty() {
            line.push_str("; ");
            line.push_str(&on_device);
        }
        console.result(&format!("{line}\n"));
    }
    console.finish();
    Ok(outcome)
}

fn words(answer: Judged, place: &str, unknown: &str) -> String {
    match answer {
        None => unknown.to_owned(),
        Some(Ok(())) => format!("right on the {place}"),
        Some(Err(wrong)) => format!("wrong on the {place}: {wrong}"),
    }
}

/// The device's answer, from one launch.
fn answer(request: &Request, workers: &mut Workers, table: &Table, record: &Record) -> Judged {
    if workers.device().is_err() || !(table.is_for_device)(&record.cell) {
        return None;
    }
    let patience = request.patience(table, &record.cell, workers.has_timer());
    let sampling = Sampling {
        repeat: Some(1),
        untimed: true,
        ..Sampling::default()
    };
    let found = match workers.measure((table, &record.cell), sampling, patience) {
        Ok(measurement) => measurement.record,
        Err(reason) => return Some(Err(reason)),
    };
    match found.status {
        Status::Ok => Some(Ok(())),
        Status::Failed => Some(Err(found.reason.unwrap_or_default())),
        Status::Skipped => None,
    }
}
