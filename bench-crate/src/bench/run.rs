//! One run over the cells: each is measured on the host and on the device, judged,
//! and kept before the next one begins.

use std::time::Instant;

use super::console::Console;
use super::peers::Peers;
use super::progress::{self, Estimate, Progress};
use super::request::Request;
use super::store::Store;
use super::workers::Workers;
use crate::error::Result;
use crate::host::HostOracle;
use crate::measure::{COLD_EVENTS, Sampling};
use crate::record::{Cell, HostInfo, Record, Status, Time};
use crate::table::Table;
use crate::timing::remarks;

/// The row of a cell that an interrupted process has measured.
fn earlier<'a>(store: &'a Store, table: &Table, cell: &Cell) -> Option<&'a Record> {
    let mut rows = store.resumed().iter();
    rows.find(|record| record.table == table.name && record.cell == *cell)
}

/// What the cells of a run weigh, those that are still to be measured.
fn weights(request: &Request, has_timer: bool, store: &Store) -> Vec<Option<f64>> {
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
    workers: Workers,
    peers: Peers,
    host: HostOracle,
    host_info: HostInfo,
    done: usize,
    estimate: Estimate,
    said: Vec<String>,
}

impl<'a> Run<'a> {
    /// Of the cells that the store has no rows of.
    pub(super) fn new(request: &'a Request, workers: Workers, peers: Peers, store: &Store) -> Self {
        Run {
            estimate: Estimate::new(weights(request, workers.has_timer(), store)),
            request,
            workers,
            peers,
            host: HostOracle::measuring(request.repeat),
            host_info: HostInfo::current(),
            done: 0,
            said: Vec::new(),
        }
    }

    /// Measures the cells of a table that were not measured before the run was
    /// interrupted. Err when a record cannot be kept.
    pub(super) fn table(
        &mut self,
        table: &Table,
        cells: &[Cell],
        store: &mut Store,
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
            let record = match earlier(store, table, cell).cloned() {
                Some(record) => {
                    resumed += 1;
                    record
                }
                None => {
                    let begin = Instant::now();
                    let blank = Record::new(store.run(), table.name, cell, &self.host_info);
                    let record = self.cell(table, blank, console);
                    store.append(&record)?;
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

    /// Measures the cell of a record on the host and on the device.
    fn cell(&mut self, table: &Table, mut record: Record, console: &mut dyn Console) -> Record {
        (table.host)(&mut record, &mut self.host);
        self.on_device(table, &mut record, console);
        (table.complete)(&mut record);
        if let Some(Err(wrong)) = (table.check)(&record) {
            record.status = Status::Failed;
            record.reason = Some(format!("on the host: {wrong}"));
        }
        remark(&mut record);
        record
    }

    /// Measures it on the device, and says how the row ends.
    fn on_device(&mut self, table: &Table, record: &mut Record, console: &mut dyn Console) {
        if !(table.is_for_device)(&record.cell) {
            return;
        }
        let peers = self.peers.of(table, &record.cell).unwrap_or_else(|reason| {
            self.say_once(&reason, console);
            Vec::new()
        });
        match self.workers.device() {
            Ok(device) => record.device = Some(device.clone()),
            Err(reason) => {
                if table.needs_device {
                    (record.status, record.reason) = (Status::Skipped, Some(reason.to_owned()));
                }
                return;
            }
        }
        let has_timer = self.workers.has_timer();
        let patience = self.request.patience(table, &record.cell, has_timer);
        let sampling = Sampling {
            repeat: self.request.repeat,
            cold: self.request.cold,
            peers,
            ..Sampling::default()
        };
        let measured = self
            .workers
            .measure((table, &record.cell), sampling, patience);
        match measured {
            Err(reason) => (record.status, record.reason) = (Status::Failed, Some(reason)),
            Ok(found) => {
                record.add(found.record);
                if self.request.no_pdl && has_timer {
                    let remark = "launched without programmatic dependent launch";
                    record.remarks.push(remark.into());
                }
                for (name, time) in self.peers.packages_of(&record.cell) {
                    record.metrics.put(name, Some(time.clone()));
                }
                for notice in &found.notices {
                    self.say_once(notice, console);
                }
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
