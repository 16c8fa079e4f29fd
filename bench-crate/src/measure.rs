//! A cell while it is measured: the input of a table's `measure`, which also takes its results.
//!
//! It runs in the measuring process. A [`Session`] is the device with the PTX loaded, and lives
//! as long as the process; a [`Bench`] is one cell of it.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use crate::peers::libraries::Libraries;
use crate::record::{Cell, HostInfo, Metric, Metrics, Peer, Record, Status, Time};
use crate::timing::{Measured, Rule, device as timing};
use quadscan::Result;
use quadscan::device::emulator::LastSteps;
use quadscan::device::{Artifact, Device, Module};

/// A device with the PTX loaded, and what tables keep from cell to cell.
pub struct Session {
    /// The device.
    pub device: Device,
    /// Our kernels.
    pub module: Module,
    /// Where they are from.
    pub artifact: Artifact,
    /// What the last launch did step by step, on the emulator.
    pub steps: Option<LastSteps>,
    /// The schedule of the emulator that was asked for.
    pub schedule: Option<u64>,
    kept: HashMap<TypeId, Box<dyn Any>>,
}

impl Session {
    /// Of a device with a module of the artifact.
    pub fn new(
        module: Module,
        artifact: Artifact,
        steps: Option<LastSteps>,
        schedule: Option<u64>,
    ) -> Self {
        Session {
            device: module.device().clone(),
            module,
            artifact,
            steps,
            schedule,
            kept: HashMap::new(),
        }
    }
}

/// How a cell is to be measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sampling {
    /// Exactly this many samples, instead of as many as the noise asks for.
    pub repeat: Option<u32>,
    /// The answer is asked for, and no time.
    pub untimed: bool,
    /// Another process has compared the result with the host's, and this one's bits are compared
    /// with that one's.
    pub checked: bool,
    /// Time the kernel with a cold cache too.
    pub cold: bool,
    /// The files of the peers to time beside it.
    pub peers: Vec<PathBuf>,
}

/// What came of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// The device's part of its record.
    pub record: Record,
    /// What is no part of the record, a sentence each: why a peer was not timed.
    pub notices: Vec<String>,
    /// The bits of the result, where they are the same in every process.
    pub bits: Option<u64>,
}

impl Measurement {
    /// Of a job that failed after these entries had run.
    pub fn failed(table: &str, cell: &Cell, reason: String, entries: Vec<String>) -> Self {
        let record = Record::new("", table, cell, &HostInfo::current());
        Measurement {
            record: Record {
                status: Status::Failed,
                reason: Some(reason),
                entries,
                ..record
            },
            notices: Vec::new(),
            bits: None,
        }
    }
}

/// The events' own time in times with a cold cache, which says nothing of a kernel.
pub const COLD_EVENTS: &str = "cold_events";

/// Kernels that are timed together, a sample of each in every round.
#[derive(Default)]
pub struct Contest<'a> {
    metrics: Vec<(String, Option<Peer>)>,
    launches: Vec<Box<dyn FnMut() -> Result<()> + 'a>>,
}

impl<'a> Contest<'a> {
    /// One of ours, with the metric that its time becomes.
    pub fn ours(&mut self, metric: &str, launch: impl FnMut() -> Result<()> + 'a) {
        self.metrics.push((metric.to_owned(), None));
        self.launches.push(Box::new(launch));
    }

    /// One of a peer, whose name is the metric's; two libraries may be of one version.
    pub fn peer(&mut self, peer: Peer, launch: impl FnMut() -> Result<()> + 'a) {
        let is_taken = self.metrics.iter().any(|(metric, _)| *metric == peer.name);
        let again = if is_taken { " again" } else { "" };
        let metric = format!("{}{again}", peer.name);
        self.metrics.push((metric, Some(peer)));
        self.launches.push(Box::new(launch));
    }
}

/// One cell while it is measured.
pub struct Bench<'a> {
    session: &'a mut Session,
    sampling: &'a Sampling,
    found: Measurement,
}

impl<'a> Bench<'a> {
    /// Of a cell of a table.
    pub fn new(
        session: &'a mut Session,
        sampling: &'a Sampling,
        (table, cell): (&str, &Cell),
    ) -> Self {
        Bench {
            session,
            sampling,
            found: Measurement {
                record: Record::new("", table, cell, &HostInfo::current()),
                notices: Vec::new(),
                bits: None,
            },
        }
    }

    /// What was found.
    pub fn finish(self) -> Measurement {
        self.found
    }

    /// The device.
    pub fn device(&self) -> &Device {
        &self.session.device
    }

    /// Our kernels on it.
    pub fn module(&self) -> &Module {
        &self.session.module
    }

    /// What lives longer than the cell.
    pub fn session(&mut self) -> &mut Session {
        self.session
    }

    /// What a table keeps from cell to cell, by its type.
    pub fn kept<T: Default + 'static>(&mut self) -> &mut T {
        let fresh = || -> Box<dyn Any> { Box::<T>::default() };
        let kept = self.session.kept.entry(TypeId::of::<T>());
        match kept.or_insert_with(fresh).downcast_mut() {
            Some(kept) => kept,
            None => unreachable!("a value is kept under its own type"),
        }
    }

    /// The libraries of the peers, each loaded once a process. Why one cannot be is told.
    pub fn libraries<P: 'static>(
        &mut self,
        load: impl Fn(&Path) -> std::result::Result<P, String>,
    ) -> Vec<Rc<P>> {
        let paths = self.sampling.peers.clone();
        let kept = self.kept::<Libraries<Rc<P>>>();
        let found = kept.of(&paths, |path| load(path).map(Rc::new)).into_iter();
        let found: Vec<_> = found.cloned().collect();
        let mut libraries = Vec::new();
        for library in found {
            match library {
                Ok(library) => libraries.push(library),
                Err(reason) => self.without_peer(reason),
            }
        }
        libraries
    }

    /// What is known of the cell so far.
    pub fn found(&self) -> &Record {
        &self.found.record
    }

    /// How the cell is to be measured.
    pub fn sampling(&self) -> &Sampling {
        self.sampling
    }

    /// Whether times are asked for, and the device has any.
    pub fn is_timed(&self) -> bool {
        !self.sampling.untimed && self.device().properties().has_timer
    }

    /// When enough samples have been taken.
    pub fn rule(&self) -> Rule {
        Rule::new(self.sampling.repeat)
    }

    /// Gives a metric its value; an absent one stays absent.
    pub fn put(&mut self, name: impl Into<String>, metric: Option<impl Into<Metric>>) {
        self.found.record.metrics.put(name, metric);
    }

    /// Puts in what was found before.
    pub fn put_all(&mut self, metrics: &Metrics) {
        self.found.record.metrics.extend(metrics.clone());
    }

    /// A sentence that has to be known about the measurement.
    pub fn remark(&mut self, remark: impl Into<String>) {
        self.found.record.remarks.push(remark.into());
    }

    /// Why a peer is not timed.
    pub fn without_peer(&mut self, reason: impl std::fmt::Display) {
        self.found.notices.push(format!("--peers: {reason}"));
    }

    /// What is wrong with the result, where anything is; the first counts. Whether it is right
    /// so far.
    pub fn expect(&mut self, wrong: Option<String>) -> bool {
        let record = &mut self.found.record;
        if let (Status::Ok | Status::Skipped, Some(wrong)) = (record.status, wrong) {
            record.status = Status::Failed;
            record.reason = Some(wrong);
        }
        record.status != Status::Failed
    }

    /// Why the cell was not measured on this device.
    pub fn skip(&mut self, reason: impl Into<String>) {
        if self.found.record.status == Status::Ok {
            self.found.record.status = Status::Skipped;
            self.found.record.reason = Some(reason.into());
        }
    }

    /// The bits of the result, which have to be the same in every process.
    pub fn same_bits(&mut self, bits: u64) {
        self.found.bits = Some(bits);
    }

    /// The time of a kernel of ours, alone, as the metric `kernel`.
    ///
    /// # Errors
    ///
    /// The launch's and the device's.
    pub fn time(&mut self, launch: timing::Launch<'_>) -> Result<()> {
        let mut contest = Contest::default();
        contest.ours("kernel", launch);
        self.time_all(&self.rule(), contest)
    }

    /// The times of kernels, as their metrics.
    ///
    /// # Errors
    ///
    /// The launches' and the device's.
    pub fn time_all(&mut self, rule: &Rule, mut contest: Contest<'_>) -> Result<()> {
        let launches = contest.launches.iter_mut();
        let mut launches: Vec<timing::Launch<'_>> = launches
            .map(|launch| -> timing::Launch<'_> { launch.as_mut() })
            .collect();
        let measured = timing::kernels_and_methods(rule, self.device(), &mut launches)?;
        let metrics = contest.metrics.into_iter();
        for ((name, peer), Measured { timing, method }) in metrics.zip(measured) {
            let method = Some(method.to_string());
            let time = Time {
                timing,
                method,
                peer,
            };
            self.put(name, Some(time));
        }
        Ok(())
    }

    /// The time of a kernel with a cold cache, where it is asked for; or why there is none: the
    /// row is no worse for it.
    ///
    /// # Errors
    ///
    /// The launch's and the device's, when the device is beyond use.
    pub fn time_cold(&mut self, rule: &Rule, launch: timing::Launch<'_>) -> Result<()> {
        if !self.sampling.cold {
            return Ok(());
        }
        let missing = match timing::kernel_cold(rule, self.device(), launch) {
            Ok(Some(cold)) => {
                self.put("kernel_cold", Some(cold.kernel));
                self.put(COLD_EVENTS, Some(cold.events));
                return Ok(());
            }
            Ok(None) => "the device does not tell the size of its cache".to_owned(),
            Err(error) if error.is_context_lost() => return Err(error),
            Err(error) => error.to_string(),
        };
        self.remark(format!("kernel_cold_ms was not measured: {missing}"));
        Ok(())
    }
}
