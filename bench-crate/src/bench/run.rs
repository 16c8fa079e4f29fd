//! One run over the cells: each is measured on the host and on the device, judged,
//! and kept before the next one begins.

use std::time::Instant;

use super::console::Console;
use super::host_oracle::HostOracle;
use super::peers::Peers;
use super::progress::{self, Estimate, Progress};
use super::request::Request;
use super::store::Store;
use crate::error::Result;
use crate::measure::remarks;
use crate::record::{DeviceInfo, HostInfo, Key, Record, Status, Timings, Values, timestamp};
use crate::tables::Table;
use crate::worker::Executor;
use crate::worker::protocol::{Job, Peer, Task};

/// What measures the device's part of a cell.
pub(super) enum Measuring {
    /// This does.
    Device(Box<dyn Executor>, Box<DeviceInfo>),
    /// Nothing does, for this reason.
    Nothing(String),
}

impl Measuring {
    /// The device, when there is one.
    pub(super) fn info(&self) -> Option<&DeviceInfo> {
        match self {
            Measuring::Device(_, info) => Some(info),
            Measuring::Nothing(_) => None,
        }
    }
}

/// The row of a cell that an interrupted process has measured.
fn earlier<'a>(store: &'a Store, table: &dyn Table, key: &Key) -> Option<&'a Record> {
    let mut rows = store.resumed().iter();
    rows.find(|record| record.table == table.name() && record.key == *key)
}

/// What the cells of a run weigh, those that are still to be measured.
fn weights(request: &Request, measuring: &Measuring, store: &Store) -> Vec<Option<f64>> {
    let has_timer = measuring.info().is_some_and(|info| !info.is_emulated());
    let mut weights = Vec::new();
    for (table, cells) in &request.tables {
        for key in cells {
            let weight = progress::weight(table.task(key).as_ref(), key, has_timer);
            weights.push(earlier(store, *table, key).is_none().then_some(weight));
        }
    }
    weights
}

/// A run in progress.
pub(super) struct Run<'a> {
    request: &'a Request,
    measuring: Measuring,
    store: Store,
    peers: Peers,
    host: HostOracle,
    host_info: HostInfo,
    jobs: u64,
    done: usize,
    estimate: Estimate,
    said: Vec<String>,
}

impl<'a> Run<'a> {
    pub(super) fn new(
        request: &'a Request,
        measuring: Measuring,
        store: Store,
        peers: Peers,
    ) -> Self {
        Run {
            estimate: Estimate::new(weights(request, &measuring, &store)),
            request,
            measuring,
            store,
            peers,
            host: HostOracle::measuring(request.repeat),
            host_info: HostInfo::current(),
            jobs: 0,
            done: 0,
            said: Vec::new(),
        }
    }

    /// The records that were kept.
    pub(super) fn into_store(self) -> Store {
        self.store
    }

    /// Measures the cells of a table that were not measured before the run was
    /// interrupted. Err when a record cannot be kept.
    pub(super) fn table(
        &mut self,
        table: &dyn Table,
        cells: &[Key],
        console: &mut dyn Console,
    ) -> Result<Vec<Record>> {
        let begin = Instant::now();
        let mut resumed = 0;
        let mut records = Vec::with_capacity(cells.len());
        console.milestone(&progress::begins(table.name(), cells.len()));
        for key in cells {
            let name = format!("{} {}", table.name(), key.describe());
            console.progress(&Progress {
                done: self.done,
                total: self.request.cell_count(),
                cell: &name,
                left: self.estimate.left(self.done),
            });
            let record = match earlier(&self.store, table, key).cloned() {
                Some(record) => {
                    resumed += 1;
                    record
                }
                None => {
                    let begin = Instant::now();
                    let record = self.cell(table, key, console);
                    self.store.append(&record)?;
                    self.estimate.measured(self.done, begin.elapsed());
                    record
                }
            };
            if let (Status::Failed, Some(reason)) = (record.status, &record.reason) {
                console.notice(&format!("failed: {name}: {reason}"));
            }
            self.done += 1;
            records.push(record);
        }
        let failed = records
            .iter()
            .filter(|r| r.status == Status::Failed)
            .count();
        let took = begin.elapsed();
        console.milestone(&progress::ends(
            table.name(),
            cells.len(),
            resumed,
            failed,
            took,
        ));
        Ok(records)
    }

    fn cell(&mut self, table: &dyn Table, key: &Key, console: &mut dyn Console) -> Record {
        let mut record = Record {
            run: self.store.run().to_owned(),
            table: table.name().to_owned(),
            key: key.clone(),
            status: Status::Ok,
            reason: None,
            values: Values::default(),
            timings: Timings::default(),
            counts: None,
            clocks: None,
            remarks: Vec::new(),
            device: None,
            host: self.host_info.clone(),
            timestamp: timestamp(),
        };
        table.fill_from_host(&mut record, &mut self.host);
        let (status, reason) = self.device_part(table, &mut record, console);
        (record.status, record.reason) = (status, reason);
        if let Some(Err(wrong)) = table.check_host(&record) {
            record.status = Status::Failed;
            record.reason = Some(format!("on the host: {wrong}"));
        }
        remark(&mut record);
        record
    }

    /// Measures the device's part, and says how the row ends.
    fn device_part(
        &mut self,
        table: &dyn Table,
        record: &mut Record,
        console: &mut dyn Console,
    ) -> (Status, Option<String>) {
        let Some(task) = table.task(&record.key) else {
            return (Status::Ok, None);
        };
        let peer = if table.has_peer() || table.libraries().is_some() {
            self.peer(&task, console)
        } else {
            None
        };
        let (executor, info) = match &mut self.measuring {
            Measuring::Device(executor, info) => (executor, info),
            Measuring::Nothing(reason) if table.needs_device() => {
                return (Status::Skipped, Some(reason.clone()));
            }
            Measuring::Nothing(_) => return (Status::Ok, None),
        };
        record.device = Some(DeviceInfo::clone(info));
        if let Some(reason) = table.skipped_on(&record.key, info) {
            return (Status::Skipped, Some(reason));
        }
        self.jobs += 1;
        let limit = self.request.limit(&task, !info.is_emulated());
        let job = Job {
            id: self.jobs,
            task,
            repeat: self.request.repeat,
            peer,
            checked: false,
            untimed: false,
            cold: self.request.cold,
        };
        match executor.run(&job, limit) {
            Err(reason) => (Status::Failed, Some(reason)),
            Ok(reading) => {
                // Of nothing there are no counts, and not 0.
                record.counts = reading.counts.filter(|_| reading.missing.is_none());
                record.clocks = reading.clocks.clone();
                record.remarks.extend(reading.remarks.clone());
                if self.request.one_by_one && !info.is_emulated() {
                    record.remarks.push("launched one by one".into());
                }
                record.timings.kernel_method = reading.kernel_method;
                record.timings.kernel_cold = reading.kernel_cold.clone();
                record.timings.cold_events = reading.cold_events.clone();
                let wrong = table.fill_from_device(record, &reading);
                let packages = self.peers.packages_of(&record.key);
                record.timings.peers.extend(packages);
                if let Some(problem) = &reading.peer_problem {
                    self.say_once(problem, console);
                }
                match (wrong, reading.missing) {
                    (Some(wrong), _) => (Status::Failed, Some(wrong)),
                    (None, Some(missing)) => (Status::Skipped, Some(missing)),
                    (None, None) => (Status::Ok, None),
                }
            }
        }
    }

    fn peer(&mut self, task: &Task, console: &mut dyn Console) -> Option<Peer> {
        match self.peers.of(task) {
            Ok(peer) => peer,
            Err(reason) => {
                self.say_once(&reason, console);
                None
            }
        }
    }

    fn say_once(&mut self, sentence: &str, console: &mut dyn Console) {
        if !self.said.iter().any(|said| said == sentence) {
            console.notice(sentence);
            self.said.push(sentence.to_owned());
        }
    }
}

/// Adds what the samples and the clocks say about the measurement.
fn remark(record: &mut Record) {
    for (name, timing) in record.timings.named() {
        record.remarks.extend(remarks::of_samples(name, timing));
    }
    if let Some(clocks) = &record.clocks {
        let (before, after) = (clocks.sm_before_mhz, clocks.sm_after_mhz);
        let said = remarks::of_clocks(before, after, &clocks.throttled);
        record.remarks.extend(said);
    }
}
