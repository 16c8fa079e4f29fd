//! One run over the cells: each is measured on the host and on the device, judged,
//! and kept before the next one begins.

use std::time::Instant;

use super::console::Console;
use super::peers::Peers;
use super::progress::{self, Estimate, Progress};
use super::request::Request;
use super::store::Store;
use crate::error::Result;
use crate::host::HostOracle;
use crate::measure::{COLD_EVENTS, Measurement, Sampling};
use crate::record::{Cell, DeviceInfo, HostInfo, Record, Status, Time};
use crate::table::Table;
use crate::timing::remarks;
use crate::worker::Executor;
use crate::worker::protocol::Job;

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
fn earlier<'a>(store: &'a Store, table: &Table, cell: &Cell) -> Option<&'a Record> {
    let mut rows = store.resumed().iter();
    rows.find(|record| record.table == table.name && record.cell == *cell)
}

/// What the cells of a run weigh, those that are still to be measured.
fn weights(request: &Request, measuring: &Measuring, store: &Store) -> Vec<Option<f64>> {
    let has_timer = measuring.info().is_some_and(|info| !info.is_emulated());
    let mut weights = Vec::new();
    for (table, cells) in &request.tables {
        for cell in cells {
            let is_new = earlier(store, table, cell).is_none();
            weights.push(is_new.then(|| (table.weight)(cell, has_timer)));
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
        table: &Table,
        cells: &[Cell],
        console: &mut dyn Console,
    ) -> Result<Vec<Record>> {
        let begin = Instant::now();
        let mut resumed = 0;
        let mut records = Vec::with_capacity(cells.len());
        console.milestone(&progress::begins(table.name, cells.len()));
        for cell in cells {
            let name = format!("{} {}", table.name, cell.describe());
            console.progress(&Progress {
                done: self.done,
                total: self.request.cell_count(),
                cell: &name,
                left: self.estimate.left(self.done),
            });
            let record = match earlier(&self.store, table, cell).cloned() {
                Some(record) => {
                    resumed += 1;
                    record
                }
                None => {
                    let begin = Instant::now();
                    let record = self.cell(table, cell, console);
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
        let is_failed = |record: &&Record| record.status == Status::Failed;
        let failed = records.iter().filter(is_failed).count();
        let took = begin.elapsed();
        let ends = progress::ends(table.name, cells.len(), resumed, failed, took);
        console.milestone(&ends);
        Ok(records)
    }

    fn cell(&mut self, table: &Table, cell: &Cell, console: &mut dyn Console) -> Record {
        let mut record = Record::new(self.store.run(), table.name, cell, &self.host_info);
        (table.host)(&mut record, &mut self.host);
        self.device_part(table, &mut record, console);
        if let Some(Err(wrong)) = (table.check)(&record) {
            record.status = Status::Failed;
            record.reason = Some(format!("on the host: {wrong}"));
        }
        remark(&mut record);
        record
    }

    /// Measures the device's part, and says how the row ends.
    fn device_part(&mut self, table: &Table, record: &mut Record, console: &mut dyn Console) {
        if !(table.is_for_device)(&record.cell) {
            return;
        }
        let peers = self.peers.of(table, &record.cell).unwrap_or_else(|reason| {
            self.say_once(&reason, console);
            Vec::new()
        });
        let (executor, info) = match &mut self.measuring {
            Measuring::Device(executor, info) => (executor, info),
            Measuring::Nothing(reason) => {
                if table.needs_device {
                    (record.status, record.reason) = (Status::Skipped, Some(reason.clone()));
                }
                return;
            }
        };
        record.device = Some(DeviceInfo::clone(info));
        self.jobs += 1;
        let has_timer = !info.is_emulated();
        let patience = self.request.patience(table, &record.cell, has_timer);
        let job = Job {
            id: self.jobs,
            table: table.name.to_owned(),
            cell: record.cell.clone(),
            sampling: Sampling {
                repeat: self.request.repeat,
                cold: self.request.cold,
                peers,
                ..Sampling::default()
            },
        };
        match executor.run(&job, patience) {
            Err(reason) => (record.status, record.reason) = (Status::Failed, Some(reason)),
            Ok(Measurement {
                record: found,
                notices,
                ..
            }) => {
                record.add(found);
                if self.request.one_by_one && has_timer {
                    record.remarks.push("launched one by one".into());
                }
                for (name, time) in self.peers.packages_of(&record.cell) {
                    record.metrics.put(name, Some(time));
                }
                notices
                    .iter()
                    .for_each(|notice| self.say_once(notice, console));
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
    let is_ours = |(name, time): &(&str, &Time)| time.peer.is_none() && *name != COLD_EVENTS;
    let own = record.metrics.times().filter(is_ours);
    let of_samples =
        own.flat_map(|(name, time)| remarks::of_samples(&format!("{name}_ms"), &time.timing));
    let of_samples: Vec<String> = of_samples.collect();
    record.remarks.extend(of_samples);
    if let Some(clocks) = &record.clocks {
        let (before, after) = (clocks.sm_before_mhz, clocks.sm_after_mhz);
        let said = remarks::of_clocks(before, after, &clocks.throttled);
        record.remarks.extend(said);
    }
}
