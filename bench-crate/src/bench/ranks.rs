//! A run of several processes that MPI has started (`--ranks`), each with a device: the first one measures
//! each cell by itself, as ever, and then once more while all of them measure it. How much more all
//! do in the same time than one is a metric of the cell.

use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::request::Request;
use crate::cli::BenchArguments;
use crate::error::Result;
use crate::export::{Format, Grid};
use crate::measure::Measurement;
use crate::number::significant;
use crate::ranks::{FIRST, Ranks};
use crate::record::{Metric, Record};
use crate::table::list::refused;
use crate::worker::Executor;
use crate::worker::protocol::Job;

/// How many processes measured a cell at the same time.
const RANKS: &str = "ranks";

/// Behind the name of a time: how many times what one process does all of them do in the same time.
const OF_RANKS: &str = "_of_ranks";

/// What the device measures, or why it does not.
type Measured = std::result::Result<Measurement, String>;

/// Err where the processes are one.
pub(super) fn expect_several(arguments: &BenchArguments, ranks: &Ranks) -> Result<()> {
    match arguments.ranks && ranks.is_alone() {
        true => {
            let allowed = "allowed with several: mpirun -n 4 quadscan bench --ranks";
            Err(refused("--ranks", format!("is of one process, {allowed}")))
        }
        false => Ok(()),
    }
}

fn to_bytes(value: &impl Serialize) -> std::result::Result<Vec<u8>, String> {
    serde_json::to_vec(value).map_err(|error| error.to_string())
}

fn from_bytes<T: DeserializeOwned>(bytes: &[u8]) -> std::result::Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

/// The other processes, which carry out what this one asks for, and end with it.
pub(super) struct Others(Arc<Ranks>);

impl Others {
    pub(super) fn of(ranks: &Arc<Ranks>) -> Self {
        Self(Arc::clone(ranks))
    }

    fn all(&self) -> std::ops::Range<usize> {
        FIRST + 1..self.0.size()
    }

    /// What comes of a job on all of them, and of what this process does at the same time.
    fn carry_out(&self, asked: &[u8], own: impl FnOnce() -> Option<Measured>) -> Vec<Measured> {
        self.all().for_each(|rank| self.0.send(rank, asked));
        let own = own();
        let others = self.all().map(|rank| {
            let found: Measured = from_bytes(&self.0.receive(rank)).and_then(|found| found);
            found.map_err(|reason| format!("rank {rank}: {reason}"))
        });
        // All are received, whatever came of the first ones.
        own.into_iter().chain(others).collect()
    }
}

impl Drop for Others {
    fn drop(&mut self) {
        self.all().for_each(|rank| self.0.send(rank, &[]));
    }
}

/// The devices of all processes, on the first one.
pub(super) struct Together {
    own: Box<dyn Executor>,
    others: Others,
}

impl Together {
    pub(super) fn new(own: Box<dyn Executor>, others: Others) -> Self {
        Self { own, others }
    }
}

impl Executor for Together {
    fn run(&mut self, job: &Job, limit: Duration) -> Measured {
        let mut alone = self.own.run(job, limit)?;
        let asked = to_bytes(&(job, limit))?;
        let all = |of: Vec<Measured>| of.into_iter().collect::<std::result::Result<Vec<_>, _>>();
        // What a cell needs is loaded by all before they begin together.
        all(self.others.carry_out(&asked, || None))?;
        let measured = all(self
            .others
            .carry_out(&asked, || Some(self.own.run(job, limit))))?;
        put(&mut alone.record, &measured);
        Ok(alone)
    }
}

/// Adds what all processes measured at the same time to a record of one alone.
fn put(alone: &mut Record, all: &[Measurement]) {
    let times = alone
        .metrics
        .times()
        .filter(|(_, time)| time.peer.is_none());
    let rates = times.filter_map(|(name, time)| {
        let one = time.timing.median_ms;
        let rates = all.iter().map(|of| Some(one / of.record.ms(name)?));
        let rate = rates.sum::<Option<f64>>()?;
        Some((format!("{name}{OF_RANKS}"), rate))
    });
    let rates: Vec<(String, f64)> = rates.collect();
    for (name, rate) in rates {
        let times = Metric::Number(rate, "times".to_owned());
        alone.metrics.put(name, Some(times));
    }
    let count = Metric::Count(all.len() as u64);
    alone.metrics.put(RANKS, Some(count));
}

/// Has `measure` carry out what the first process asks for, until that ends.
pub(super) fn serve(ranks: &Ranks, mut measure: impl FnMut(&Job, Duration) -> Measured) {
    loop {
        let Some((_, asked)) = ranks.receive_any() else {
            continue;
        };
        if asked.is_empty() {
            return;
        }
        let asked = from_bytes::<(Job, Duration)>(&asked);
        let found = asked.and_then(|(job, limit)| measure(&job, limit));
        let found = to_bytes(&found).unwrap_or_default();
        ranks.send(FIRST, &found);
    }
}

/// A line for each time of the cells that all processes have measured.
pub(super) fn summary(request: &Request, records: &[Record]) -> Option<String> {
    let of_record = |record: &Record| {
        let count = record.metrics.count(RANKS)?;
        let line = |name: &str, ms: Option<f64>, rate: Option<f64>| {
            let number = |of: Option<f64>| of.map_or(String::new(), significant);
            vec![
                record.describe(),
                name.to_owned(),
                count.to_string(),
                number(ms),
                number(rate),
            ]
        };
        let times = record.metrics.times().filter_map(|(name, time)| {
            let rate = record.number(&format!("{name}{OF_RANKS}"))?;
            Some(line(name, Some(time.timing.median_ms), Some(rate)))
        });
        let times: Vec<_> = times.collect();
        Some(match times.is_empty() {
            true => vec![line("", None, None)],
            false => times,
        })
    };
    let lines: Vec<_> = records.iter().filter_map(of_record).flatten().collect();
    let header = ["cell", "time", "processes", "ms_of_one", "times_one"];
    let is_table = request.format != Format::Json && !lines.is_empty();
    is_table.then(|| Grid::new(&header, lines).render(request.format))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Cell, sample};

    #[test]
    fn what_all_do_is_the_sum_of_their_rates_relative_to_one_alone() {
        let measured = |ms: f64| Measurement {
            record: sample::record("scan", Cell::default()).taking("kernel", ms),
            notices: Vec::new(),
            bits: None,
        };
        let mut alone = measured(2.0).record;
        put(&mut alone, &[measured(2.0), measured(4.0), measured(1.0)]);
        assert_eq!(alone.metrics.count(RANKS), Some(3));
        assert_eq!(alone.number("kernel_of_ranks"), Some(3.5));
        // A process without that time has no rate, and all together neither.
        let mut alone = measured(2.0).record.taking("cold", 1.0);
        put(&mut alone, &[measured(2.0)]);
        assert_eq!(alone.number("cold_of_ranks"), None);
    }
}
