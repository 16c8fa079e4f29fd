//! Records by machine: of each table the newest run on it.
//!
//! A file of records holds all runs that wrote to its folder, on whatever device.
//! A machine is a device with its host; where a run had no device, the host alone.

use super::Source;
use crate::record::{DeviceInfo, Record};

/// The newest rows of a machine.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    /// What it is called; no other machine of the page has the name.
    pub(super) name: String,
    /// The device, where there was one.
    pub(super) device: Option<DeviceInfo>,
    /// Its tables in the order in which they are shown: name and rows.
    pub(super) tables: Vec<(String, Vec<Record>)>,
}

impl Machine {
    /// The rows of a table, none where it was not measured.
    pub(super) fn rows(&self, table: &str) -> &[Record] {
        self.tables
            .iter()
            .find(|(name, _)| name == table)
            .map_or(&[], |(_, rows)| rows)
    }

    /// The machine with those rows of a table alone; `None` without any.
    pub(super) fn only(&self, table: &str, wanted: impl Fn(&Record) -> bool) -> Option<Machine> {
        let rows = self.rows(table).iter();
        let rows: Vec<Record> = rows.filter(|row| wanted(row)).cloned().collect();
        (!rows.is_empty()).then(|| Machine {
            name: self.name.clone(),
            device: self.device.clone(),
            tables: vec![(table.to_owned(), rows)],
        })
    }

    /// All rows.
    pub(super) fn all(&self) -> impl Iterator<Item = &Record> {
        self.tables.iter().flat_map(|(_, rows)| rows)
    }
}

/// The records of one run of one table.
struct Run<'a> {
    name: &'a str,
    table: &'a str,
    device: Option<&'a DeviceInfo>,
    cpu: &'a str,
    records: Vec<&'a Record>,
}

impl Run<'_> {
    /// Whether a record is one more row of it. Rows without a device are of the run
    /// that they name.
    fn holds(&self, record: &Record) -> bool {
        let devices = self.device.zip(record.device.as_ref());
        let differs = devices.is_some_and(|(a, b)| (&a.name, &a.kind) != (&b.name, &b.kind));
        let named = (self.name, self.table, self.cpu);
        named == (&record.run, &record.table, &record.host.cpu) && !differs
    }

    fn newest(&self) -> &str {
        let stamps = self.records.iter().map(|record| record.timestamp.as_str());
        stamps.max().unwrap_or_default()
    }

    /// The device and the host that make a machine.
    fn machine(&self) -> (Option<(&str, &str)>, &str) {
        let device = self.device.map(|info| (&*info.name, &*info.kind));
        (device, self.cpu)
    }

    /// Its rows: a cell that was measured again is its last row, in the first
    /// one's place.
    fn rows(&self) -> Vec<Record> {
        let mut rows: Vec<Record> = Vec::new();
        for &record in &self.records {
            match rows.iter_mut().find(|row| row.cell == record.cell) {
                Some(row) => *row = record.clone(),
                None => rows.push(record.clone()),
            }
        }
        rows
    }
}

fn runs(records: &[Record]) -> Vec<Run<'_>> {
    let mut runs: Vec<Run<'_>> = Vec::new();
    for record in records {
        let same = |run: &&mut Run<'_>| run.holds(record);
        match runs.iter_mut().find(same) {
            Some(run) => {
                run.device = run.device.or(record.device.as_ref());
                run.records.push(record);
            }
            None => runs.push(Run {
                name: &record.run,
                table: &record.table,
                device: record.device.as_ref(),
                cpu: &record.host.cpu,
                records: vec![record],
            }),
        }
    }
    runs
}

/// The machines of all sources, in their order. Of two runs with the same time
/// the later one in the file is the newer.
pub(super) fn machines(sources: &[Source]) -> Vec<Machine> {
    let mut machines: Vec<(Machine, &str)> = Vec::new();
    for source in sources {
        let runs = runs(&source.records);
        let mut seen: Vec<(Option<(&str, &str)>, &str)> = Vec::new();
        for run in &runs {
            if !seen.contains(&run.machine()) {
                seen.push(run.machine());
            }
        }
        for machine in seen {
            let here: Vec<&Run<'_>> = runs.iter().filter(|run| run.machine() == machine).collect();
            machines.push((of_runs(machine.1, &here), &source.name));
        }
    }
    told_apart(machines)
}

fn of_runs(cpu: &str, runs: &[&Run<'_>]) -> Machine {
    let mut newest: Vec<&Run<'_>> = Vec::new();
    for &run in runs {
        match newest.iter_mut().find(|other| other.table == run.table) {
            Some(other) if other.newest() <= run.newest() => *other = run,
            Some(_) => {}
            None => newest.push(run),
        }
    }
    let known = crate::tables::all();
    let place = |name: &str| known.iter().position(|table| table.name == name);
    newest.sort_by_key(|run| place(run.table).unwrap_or(known.len()));
    let device = newest.iter().find_map(|run| run.device).cloned();
    Machine {
        name: device
            .as_ref()
            .map_or_else(|| format!("no device, {cpu}"), |info| info.name.clone()),
        device,
        tables: newest
            .iter()
            .map(|run| (run.table.to_owned(), run.rows()))
            .collect(),
    }
}

/// Machines of the same name get their source's name, and a number where that is
/// the same too.
fn told_apart(machines: Vec<(Machine, &str)>) -> Vec<Machine> {
    let names: Vec<String> = machines.iter().map(|(m, _)| m.name.clone()).collect();
    let mut taken: Vec<String> = Vec::new();
    machines
        .into_iter()
        .map(|(mut machine, source)| {
            if names.iter().filter(|&name| *name == machine.name).count() > 1 {
                machine.name = format!("{} ({source})", machine.name);
            }
            let plain = machine.name.clone();
            let mut number = 2;
            while taken.contains(&machine.name) {
                machine.name = format!("{plain} {number}");
                number += 1;
            }
            taken.push(machine.name.clone());
            machine
        })
        .collect()
}
