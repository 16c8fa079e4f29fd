//! `activity`: how many threads and warps work in each step of two scans of one
//! block, what their loads cost, and how long the scans take. Counted by the kernels
//! on a GPU, seen of the kernels that run on the emulator, never derived.
//!
//! `naive` is the kernel `hillis_steele` (inclusive), `work_efficient` is
//! `blelloch` (exclusive), `work_efficient_padded` the same with gaps in shared
//! memory, and `*_scattered` each with its work spread over all warps. Active is a thread
//! that executes the step's combine: the add and its store. A row is a step; one
//! without a step is a scan beside a second kernel. The lines under the table are in
//! `summary`.

mod summary;

use super::column::{Column, KERNEL_COLD, median, optional};
use super::published::ACTIVITY;
use super::{Selection, Table};
use crate::block_scan::Algorithm;
use crate::error::Result;
use crate::oracle::block_scan::{self as scan, Placing};
use crate::record::{Key, Record};
use crate::worker::protocol::{Reading, Task};

/// The table.
pub struct Activity;

/// Elements of the published table.
pub const PUBLISHED_ELEMENTS: u32 = 1024;

/// Conditions that the scans have no column for: `--cold` has no effect on them.
const COLD: [&str; 2] = [KERNEL_COLD, "cold_events_ms"];

/// The published algorithms, in the order of the rows.
const PUBLISHED: [Algorithm; 2] = [Algorithm::Naive, Algorithm::WorkEfficient];

/// What each step has to be, by the walk on the host.
fn expected(algorithm: Algorithm, n: u32) -> Vec<scan::StepActivity> {
    let input = vec![1; n as usize];
    let placing = match (algorithm.is_scattered(), algorithm.is_padded()) {
        (false, _) => Placing::Packed,
        (true, false) => Placing::Scattered,
        (true, true) => Placing::Dealt,
    };
    if algorithm.is_inclusive() {
        scan::hillis_steele(&input, placing).1
    } else {
        scan::blelloch(&input, placing).1
    }
}

/// The launch that a row is of.
fn launch(key: &Key) -> Option<(Algorithm, u32)> {
    let algorithm = Algorithm::by_name(key.algorithm.as_deref()?)?;
    Some((algorithm, u32::try_from(key.n?).ok()?))
}

/// What the row of a step has to be.
fn expected_step(key: &Key) -> Option<scan::StepActivity> {
    let (algorithm, n) = launch(key)?;
    let index = (key.step? as usize).checked_sub(1)?;
    expected(algorithm, n).get(index).copied()
}

/// Whether the published table has the row's scan.
fn is_published(key: &Key) -> bool {
    launch(key).is_some_and(|(algorithm, n)| {
        PUBLISHED.contains(&algorithm) && n == PUBLISHED_ELEMENTS && key.step.is_some()
    })
}

fn published(record: &Record, column: &str) -> String {
    if !is_published(&record.key) {
        return String::new();
    }
    let key = [
        ("algorithm", optional(record.key.algorithm.clone())),
        ("step", optional(record.key.step)),
    ];
    ACTIVITY.figure(&key, column)
}

/// The algorithms of a selection, in the order of the rows.
fn algorithms(selection: &Selection) -> impl Iterator<Item = Algorithm> + use<> {
    let Selection {
        padded,
        scattered,
        published,
        ..
    } = *selection;
    Algorithm::ALL.into_iter().filter(move |algorithm| {
        PUBLISHED.contains(algorithm)
            || (!published
                && (padded || !algorithm.is_padded())
                && (scattered || !algorithm.is_scattered()))
    })
}

/// Columns of ours: what a step did, then what the launch took, the same in each of
/// its rows.
fn own_columns() -> [Column; 13] {
    [
        Column::ours("elements", |record| optional(record.key.n)),
        Column::ours("adds", |record| optional(record.values.adds)),
        Column::ours("wavefronts", |record| optional(record.values.wavefronts)),
        Column::ours("ideal_wavefronts", |record| {
            optional(record.values.ideal_wavefronts)
        }),
        Column::ours("barriers", |record| optional(record.values.barriers)).detail(),
        Column::ours("kernel_ms", |record| median(&record.timings.kernel)),
        Column::ours("batch_blocks", |record| {
            optional(record.values.batch_blocks)
        })
        .detail(),
        Column::ours("batch_ms", |record| median(&record.timings.batch)),
        Column::ours("kernel_beside_ms", |record| {
            median(&record.timings.kernel_beside)
        })
        .detail(),
        Column::ours("companion_blocks", |record| {
            optional(record.values.companion_blocks)
        })
        .detail(),
        Column::ours("companion_threads", |record| {
            optional(record.values.companion_threads)
        })
        .detail(),
        Column::ours("companion_ms", |record| median(&record.timings.companion)).detail(),
        Column::ours("companion_beside_ms", |record| {
            median(&record.timings.companion_beside)
        })
        .detail(),
    ]
}

impl Table for Activity {
    fn name(&self) -> &'static str {
        "activity"
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
        ];
        columns.extend(own_columns());
        columns.extend(
            Column::conditions()
                .into_iter()
                .filter(|column| !COLD.contains(&column.name.as_str())),
        );
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
        let sizes = selection
            .elements
            .clone()
            .unwrap_or_else(|| vec![PUBLISHED_ELEMENTS]);
        let concurrent = selection.concurrent && !selection.published;
        let rows = |algorithm: Algorithm, n: u32| {
            let steps = (1..=expected(algorithm, n).len() as u32).map(Some);
            steps
                .chain(concurrent.then_some(None))
                .map(move |step| Key {
                    algorithm: Some(algorithm.name().to_owned()),
                    n: Some(u64::from(n)),
                    step,
                    ..Key::default()
                })
        };
        Ok(sizes
            .into_iter()
            .flat_map(|n| algorithms(selection).flat_map(move |algorithm| rows(algorithm, n)))
            .collect())
    }

    fn task(&self, key: &Key) -> Option<Task> {
        let (algorithm, n) = launch(key)?;
        Some(match key.step {
            Some(step) => Task::Activity { algorithm, n, step },
            None => Task::Concurrent { algorithm, n },
        })
    }

    fn fill_from_device(&self, record: &mut Record, reading: &Reading) -> Option<String> {
        let (values, timings) = (&mut record.values, &mut record.timings);
        values.active_threads = reading.active_threads;
        values.active_warps = reading.active_warps;
        values.adds = reading.adds;
        values.wavefronts = reading.wavefronts;
        values.ideal_wavefronts = reading.ideal_wavefronts;
        values.barriers = reading.barriers;
        values.batch_blocks = reading.batch_blocks;
        let companion = reading.companion_shape;
        values.companion_blocks = companion.map(|(blocks, _)| blocks);
        values.companion_threads = companion.map(|(_, threads)| threads);
        timings.kernel.clone_from(&reading.kernel);
        timings.batch.clone_from(&reading.batch);
        timings.kernel_beside.clone_from(&reading.kernel_beside);
        timings.companion.clone_from(&reading.companion);
        timings
            .companion_beside
            .clone_from(&reading.companion_beside);
        if reading.wrong.is_some() || record.key.step.is_none() {
            return reading.wrong.clone();
        }
        let want = expected_step(&record.key)?;
        let got = (reading.active_threads, reading.active_warps, reading.adds);
        let right = (
            Some(want.active_threads),
            Some(want.active_warps),
            Some(want.adds),
        );
        (got != right).then(|| {
            format!(
                "{} threads and {} warps combine, with {} adds; the algorithm has {}, {} and {}",
                optional(got.0),
                optional(got.1),
                optional(got.2),
                want.active_threads,
                want.active_warps,
                want.adds
            )
        })
    }

    fn check_host(&self, record: &Record) -> Option<std::result::Result<(), String>> {
        if !is_published(&record.key) {
            return None;
        }
        let want = expected_step(&record.key)?;
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
        summary::lines(records)
    }
}
