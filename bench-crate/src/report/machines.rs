//! Records by machine: of each table the newest run on it.
//!
//! A file of records holds all runs that wrote to its folder, on whatever device. A machine is a
//! device with its host; where a run had no device, the host alone.

use super::Source;
use crate::grouping::groups;
use crate::model::{self, Explanation};
use crate::record::{DeviceInfo, Record};
use crate::table::figure::{KERNEL, SPAN};
use crate::tables;

/// What the emulator is called: it is not the GPU whose limits it has.
const EMULATOR: &str = "PTX emulator";

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
        let found = self.tables.iter().find(|(name, _)| name == table);
        found.map_or(&[], |(_, rows)| rows)
    }

    /// All rows.
    pub(super) fn all(&self) -> impl Iterator<Item = &Record> {
        self.tables.iter().flat_map(|(_, rows)| rows)
    }
}

/// Rows of one table of a machine, which figures are made of.
pub(super) struct Measured<'a> {
    pub(super) machine: &'a Machine,
    pub(super) rows: Vec<Record>,
    /// What the model says of them, if they are a sweep.
    pub(super) explanation: Option<Explanation>,
}

impl<'a> Measured<'a> {
    /// Those rows of a table; `None` without any.
    pub(super) fn new(
        machine: &'a Machine,
        table: &str,
        is_wanted: impl Fn(&Record) -> bool,
    ) -> Option<Self> {
        let rows = machine.rows(table).iter().filter(|row| is_wanted(row));
        let rows: Vec<Record> = rows.cloned().collect();
        (!rows.is_empty()).then(|| Measured {
            explanation: model::explain(&rows),
            machine,
            rows,
        })
    }

    /// The machine's name.
    pub(super) fn name(&self) -> &'a str {
        &self.machine.name
    }

    /// The machine, its driver, and the day: `NVIDIA H200, driver 580.159.04, 2026-11-22`.
    pub(super) fn origin(&self) -> String {
        let device = self.machine.device.as_ref();
        let driver = device.and_then(|device| device.driver.as_ref());
        let driver = driver.map(|driver| format!("driver {driver}"));
        let stamp = self.rows.iter().map(|row| row.timestamp.as_str()).max();
        let day = stamp.map(|stamp| stamp.chars().take(10).collect());
        let parts = [Some(self.name().to_owned()), driver, day].into_iter();
        parts.flatten().collect::<Vec<String>>().join(", ")
    }

    /// Why the rows have no time of the device, in a sentence; `None` when one has.
    pub(super) fn no_times(&self) -> Option<String> {
        let is_timed = |row: &Record| KERNEL.ms(row).or(SPAN.ms(row)).is_some();
        if self.rows.iter().any(is_timed) {
            return None;
        }
        let (name, device) = (self.name(), self.machine.device.as_ref());
        if device.is_some_and(DeviceInfo::is_emulated) {
            let why = "runs the kernels on the CPU: it has results and counts, and no times.";
            return Some(format!("{name} {why}"));
        }
        Some(
            match self.rows.iter().find_map(|row| row.reason.as_deref()) {
                Some(reason) => format!("{name}: no times of a device; {reason}."),
                None => format!("{name}: no times of a device are in the records."),
            },
        )
    }
}

/// Sorts by the names of tables, in the order in which tables are listed; others come last.
pub(super) fn sort_by_table<T>(items: &mut [T], name: impl Fn(&T) -> &str) {
    let known = tables::all();
    let place = |name: &str| known.iter().position(|table| table.name == name);
    items.sort_by_key(|item| place(name(item)).unwrap_or(known.len()));
}

/// The name and the kind that tell devices apart.
fn device(record: &Record) -> Option<(&str, &str)> {
    let device = record.device.as_ref()?;
    Some((&device.name, &device.kind))
}

/// The records of one run of one table on one machine.
type Run<'a> = Vec<&'a Record>;

/// The runs of a file. Rows without a device are of the first device of the run that they name.
fn runs(records: &[Record]) -> Vec<Run<'_>> {
    fn of_devices<'a>(rows: Run<'a>) -> impl Iterator<Item = Run<'a>> {
        let first = rows.iter().find_map(|row| device(row));
        let runs = groups(rows, |row: &&'a Record| device(row).or(first));
        runs.into_iter().map(|(_, rows)| rows)
    }
    let named = groups(records, |row| (&row.run, &row.table, &row.host.cpu));
    named
        .into_iter()
        .flat_map(|(_, rows)| of_devices(rows))
        .collect()
}

/// The machines of all sources, in their order.
pub(super) fn machines(sources: &[Source]) -> Vec<Machine> {
    let mut machines: Vec<(Machine, &str)> = Vec::new();
    for source in sources {
        let identity = |run: &Run<'_>| {
            let cpu = run.first().map(|row| row.host.cpu.as_str());
            let found = run.iter().find_map(|row| device(row));
            (
                found.map(|(name, kind)| (name.to_owned(), kind.to_owned())),
                cpu.map(str::to_owned),
            )
        };
        for ((_, cpu), runs) in groups(runs(&source.records), identity) {
            machines.push((of_runs(&cpu.unwrap_or_default(), runs), &source.name));
        }
    }
    told_apart(machines)
}

/// A machine's newest run of each table. Of two of the same time the later one in the file is the
/// newer; of a cell that was measured again the last row stands in the first one's place.
fn of_runs(cpu: &str, runs: Vec<Run<'_>>) -> Machine {
    let of_tables = groups(runs, |run| run[0].table.clone()).into_iter();
    let newest = |run: &Run<'_>| run.iter().map(|row| row.timestamp.clone()).max();
    let mut tables: Vec<(String, Vec<Record>)> = of_tables
        .map(|(table, runs)| {
            let run = runs.into_iter().max_by_key(newest).unwrap_or_default();
            let cells = groups(run, |row| row.cell.clone()).into_iter();
            let rows = cells.filter_map(|(_, rows)| rows.last().copied().cloned());
            (table, rows.collect())
        })
        .collect();
    sort_by_table(&mut tables, |(name, _)| name);
    let mut rows = tables.iter().flat_map(|(_, rows)| rows);
    let device = rows.find_map(|row| row.device.clone());
    let name = device.as_ref().map(|device| match device.is_emulated() {
        true => EMULATOR.to_owned(),
        false => device.name.clone(),
    });
    Machine {
        name: name.unwrap_or_else(|| format!("no device, {cpu}")),
        device,
        tables,
    }
}

/// Machines of the same name get their source's name, and a number where that is the same too.
fn told_apart(machines: Vec<(Machine, &str)>) -> Vec<Machine> {
    let names: Vec<String> = machines.iter().map(|(m, _)| m.name.clone()).collect();
    let mut apart: Vec<Machine> = Vec::new();
    for (mut machine, source) in machines {
        if names.iter().filter(|&name| *name == machine.name).count() > 1 {
            machine.name = format!("{} ({source})", machine.name);
        }
        let numbered = (2..).map(|number| format!("{} {number}", machine.name));
        let mut free = [machine.name.clone()].into_iter().chain(numbered);
        let is_free = |name: &String| apart.iter().all(|other| other.name != *name);
        machine.name = free.find(is_free).unwrap_or_default();
        apart.push(machine);
    }
    apart
}
