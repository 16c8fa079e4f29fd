//! `activity`: how many threads and warps work in each step of the two scans of
//! 1024 elements. Counted by the kernels on a GPU, seen of the kernels that run on
//! the emulator, never derived.
//!
//! `naive` is the kernel `hillis_steele` (inclusive), `work_efficient` is
//! `blelloch` (exclusive), `work_efficient_padded` the same with gaps in shared
//! memory. Active is a thread that executes the step's combine: the add and its
//! store.

use super::column::{Column, optional};
use super::published::ACTIVITY;
use super::{Selection, Table};
use crate::bench::host_oracle::HostOracle;
use crate::error::Result;
use crate::oracle::scan;
use crate::record::{Key, Record, Status};
use crate::worker::protocol::{Algorithm, Reading, Task};

/// The table.
pub struct Activity;

/// Elements of the published table.
const ELEMENTS: u32 = 1024;

/// The published algorithms, in the order of the rows.
const PUBLISHED: [Algorithm; 2] = [Algorithm::Naive, Algorithm::WorkEfficient];

/// What each step has to be, by the walk on the host.
fn expected(algorithm: Algorithm, n: u32) -> Vec<scan::StepActivity> {
    let input = vec![1; n as usize];
    match algorithm {
        Algorithm::Naive => scan::hillis_steele(&input).1,
        Algorithm::WorkEfficient | Algorithm::WorkEfficientPadded => scan::blelloch(&input).1,
    }
}

fn parts(key: &Key) -> Option<(Algorithm, u32, u32)> {
    let algorithm = Algorithm::by_name(key.algorithm.as_deref()?)?;
    Some((algorithm, u32::try_from(key.n?).ok()?, key.step?))
}

fn published(record: &Record, column: &str) -> String {
    let key = [
        ("algorithm", optional(record.key.algorithm.clone())),
        ("step", optional(record.key.step)),
    ];
    ACTIVITY.figure(&key, column)
}

impl Table for Activity {
    fn name(&self) -> &'static str {
        "activity"
    }

    fn about(&self) -> &'static str {
        "threads and warps that work in each step of two scans of 1024 elements"
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![
            Column::published("algorithm", |record| optional(record.key.algorithm.clone())),
            Column::published("step", |record| optional(record.key.step)),
            Column::published("active_threads", |record| {
                optional(record.values.active_threads)
            }),
            Column::published("active_warps", |record| {
                optional(record.values.active_warps)
            }),
            Column::ours("wavefronts", |record| optional(record.values.wavefronts)),
            Column::ours("ideal_wavefronts", |record| {
                optional(record.values.ideal_wavefronts)
            }),
        ];
        columns.extend(Column::outcome());
        columns.push(Column::reference("active_threads", |r| {
            published(r, "active_threads")
        }));
        columns.push(Column::reference("active_warps", |r| {
            published(r, "active_warps")
        }));
        columns
    }

    fn cells(&self, selection: &Selection) -> Result<Vec<Key>> {
        let steps = |algorithm: Algorithm| {
            (1..=expected(algorithm, ELEMENTS).len() as u32).map(move |step| Key {
                algorithm: Some(algorithm.name().to_owned()),
                n: Some(u64::from(ELEMENTS)),
                step: Some(step),
                ..Key::default()
            })
        };
        let padded = selection.padded && !selection.published;
        let algorithms = if padded {
            &Algorithm::ALL[..]
        } else {
            &PUBLISHED
        };
        Ok(algorithms.iter().copied().flat_map(steps).collect())
    }

    fn fill_from_host(&self, _record: &mut Record, _host: &mut HostOracle) {}

    fn task(&self, key: &Key) -> Option<Task> {
        let (algorithm, n, step) = parts(key)?;
        Some(Task::Activity { algorithm, n, step })
    }

    fn fill_from_device(&self, record: &mut Record, reading: &Reading) -> Option<String> {
        let (algorithm, n, step) = parts(&record.key)?;
        record.values.active_threads = reading.active_threads;
        record.values.active_warps = reading.active_warps;
        record.values.wavefronts = reading.wavefronts;
        record.values.ideal_wavefronts = reading.ideal_wavefronts;
        if reading.wrong.is_some() {
            return reading.wrong.clone();
        }
        let want = *expected(algorithm, n).get(step as usize - 1)?;
        let got = (reading.active_threads, reading.active_warps);
        (got != (Some(want.active_threads), Some(want.active_warps))).then(|| {
            format!(
                "{} threads and {} warps combine, the algorithm has {} and {}",
                optional(got.0),
                optional(got.1),
                want.active_threads,
                want.active_warps
            )
        })
    }

    fn check_host(&self, record: &Record) -> Option<std::result::Result<(), String>> {
        let (algorithm, n, step) = parts(&record.key)?;
        let want = *expected(algorithm, n).get(step as usize - 1)?;
        if !PUBLISHED.contains(&algorithm) {
            return None;
        }
        let got = format!("{} {}", want.active_threads, want.active_warps);
        let published = format!(
            "{} {}",
            published(record, "active_threads"),
            published(record, "active_warps")
        );
        Some(if got == published {
            Ok(())
        } else {
            Err(format!(
                "the algorithm has {got} active threads and warps, published are {published}"
            ))
        })
    }

    fn summary(&self, records: &[Record]) -> Vec<String> {
        let line = |algorithm: Algorithm| {
            let rows: Vec<&Record> = records
                .iter()
                .filter(|r| r.key.algorithm.as_deref() == Some(algorithm.name()))
                .collect();
            if rows.is_empty() || rows.iter().any(|row| row.status != Status::Ok) {
                return None;
            }
            let threads: u32 = rows
                .iter()
                .filter_map(|row| row.values.active_threads)
                .sum();
            let warps: u32 = rows.iter().filter_map(|row| row.values.active_warps).sum();
            let sum = |value: fn(&Record) -> Option<u64>| -> Option<u64> {
                rows.iter().map(|row| value(row)).sum()
            };
            let wavefronts = sum(|row| row.values.wavefronts);
            let conflicts = match (wavefronts, sum(|row| row.values.ideal_wavefronts)) {
                (Some(took), Some(ideal)) => {
                    format!("; their loads take {took} wavefronts, {ideal} without conflicts")
                }
                _ => String::new(),
            };
            Some(format!(
                "{}: {} steps, {threads} active threads and {warps} active warps in all{conflicts}",
                algorithm.name(),
                rows.len()
            ))
        };
        Algorithm::ALL.into_iter().filter_map(line).collect()
    }
}
