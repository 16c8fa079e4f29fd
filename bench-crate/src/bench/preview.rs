//! `--list` and `--dry-run`: what would be measured, without a time.

use super::Outcome;
use super::console::Console;
use super::host_oracle::HostOracle;
use super::progress::Progress;
use super::request::Request;
use super::run::Measuring;
use crate::record::{HostInfo, Key, Record, Status, Timings, Values, timestamp};
use crate::tables::Table;
use crate::worker::protocol::Job;

/// Tables with the number of their cells and the names of their columns.
pub(super) fn list(request: &Request, console: &mut dyn Console) {
    for (table, cells) in &request.tables {
        let names: Vec<String> = table
            .columns()
            .into_iter()
            .map(|column| column.name)
            .collect();
        console.result(&format!(
            "{}: {}\n  cells: {}\n",
            table.name(),
            table.about(),
            cells.len()
        ));
        let subjects = table.subjects();
        if !subjects.is_empty() {
            console.result(&format!("  of: {}\n", subjects.join(",")));
        }
        console.result(&format!("  columns: {}\n", names.join(",")));
    }
}

/// Every cell, and whether the answers to it are right: the host's where the
/// published tables or a closed form know it, and the device's, whose kernels are launched
/// once and compared with the host's.
pub(super) fn dry_run(
    request: &Request,
    mut measuring: Measuring,
    console: &mut dyn Console,
) -> Outcome {
    let mut host = HostOracle::answering();
    let mut outcome = Outcome::Fine;
    let cells = request
        .tables
        .iter()
        .flat_map(|(table, cells)| cells.iter().map(move |key| (*table, key)));
    for (done, (table, key)) in cells.enumerate() {
        let name = format!("{} {}", table.name(), key.describe());
        console.progress(&Progress {
            done,
            total: request.cell_count(),
            cell: &name,
            left: None,
        });
        let mut record = record(table, key);
        table.fill_from_host(&mut record, &mut host);
        let on_host = table.check_host(&record);
        let on_device = answer(request, &mut measuring, table, &mut record, done as u64);
        if [&on_host, &on_device]
            .into_iter()
            .flatten()
            .any(|answer| answer.is_err())
        {
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
    outcome
}

/// Nothing wrong, or what it is; `None` where nobody knows.
type Answer = Option<std::result::Result<(), String>>;

fn words(answer: Answer, place: &str, unknown: &str) -> String {
    match answer {
        None => unknown.to_owned(),
        Some(Ok(())) => format!("right on the {place}"),
        Some(Err(wrong)) => format!("wrong on the {place}: {wrong}"),
    }
}

/// The device's answer, from one launch.
fn answer(
    request: &Request,
    measuring: &mut Measuring,
    table: &dyn Table,
    record: &mut Record,
    id: u64,
) -> Answer {
    let Measuring::Device(executor, info) = measuring else {
        return None;
    };
    let task = table.task(&record.key)?;
    if table.skipped_on(&record.key, info).is_some() {
        return None;
    }
    let limit = request.limit(&task, !info.is_emulated());
    let job = Job {
        id,
        task,
        repeat: Some(1),
        peer: None,
        cold: false,
        checked: false,
        untimed: true,
    };
    let reading = match executor.run(&job, limit) {
        Ok(reading) => reading,
        Err(reason) => return Some(Err(reason)),
    };
    match (table.fill_from_device(record, &reading), reading.missing) {
        (Some(wrong), _) => Some(Err(wrong)),
        (None, Some(_)) => None,
        (None, None) => Some(Ok(())),
    }
}

fn record(table: &dyn Table, key: &Key) -> Record {
    Record {
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
    }
}
