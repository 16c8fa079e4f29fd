//! The lines under `activity`: the sums of each scan, the two algorithms compared,
//! packed work beside scattered, and scans beside a second kernel. Every figure is of
//! the records.

use super::launch;
use crate::export::number;
use crate::measure::Timing;
use crate::record::{Record, Status};
use crate::scan::Algorithm;

/// The rows of one launch, added up.
struct Scan {
    algorithm: Algorithm,
    n: u32,
    steps: usize,
    adds: u32,
    warps: u32,
    /// Wavefronts of the loads, and how many they would be without conflicts.
    wavefronts: Option<(u64, u64)>,
    kernel: Option<Timing>,
    /// A batch's blocks, each with a scan, and its time.
    batch: Option<(u32, Timing)>,
}

impl Scan {
    /// `None` when a step is missing or did not end well.
    fn new(algorithm: Algorithm, n: u32, records: &[Record]) -> Option<Self> {
        let rows: Vec<&Record> = records
            .iter()
            .filter(|row| launch(&row.key) == Some((algorithm, n)) && row.key.step.is_some())
            .collect();
        let first = rows.first()?;
        if rows.iter().any(|row| row.status != Status::Ok) {
            return None;
        }
        let sum = |value: fn(&Record) -> Option<u64>| -> Option<u64> {
            rows.iter().map(|row| value(row)).sum()
        };
        Some(Scan {
            algorithm,
            n,
            steps: rows.len(),
            adds: rows
                .iter()
                .map(|row| row.values.adds)
                .sum::<Option<u32>>()?,
            warps: rows
                .iter()
                .map(|row| row.values.active_warps)
                .sum::<Option<u32>>()?,
            wavefronts: sum(|row| row.values.wavefronts)
                .zip(sum(|row| row.values.ideal_wavefronts)),
            kernel: first.timings.kernel.clone(),
            batch: first.values.batch_blocks.zip(first.timings.batch.clone()),
        })
    }

    fn describe(&self) -> String {
        let mut text = format!(
            "{}, {} elements: {} steps, {} adds, {} active warps",
            self.algorithm.name(),
            self.n,
            self.steps,
            self.adds,
            self.warps
        );
        if let Some((took, ideal)) = self.wavefronts {
            text += &format!("; loads take {took} wavefronts, {ideal} without conflicts");
        }
        if let Some(kernel) = &self.kernel {
            let ms = number::milliseconds(kernel.median_ms);
            text += &format!("; one scan takes {ms} ms");
        }
        if let Some((blocks, timing)) = &self.batch {
            let elements = f64::from(*blocks) * f64::from(self.n);
            let rate = elements / (timing.median_ms * 1e6);
            text += &format!(", {blocks} at once scan {rate:.1} G elements/s");
        }
        text
    }

    /// What this one takes in units of `other`: warps, wavefronts and times, as far
    /// as both have them.
    fn costs_of(&self, other: &Scan) -> Vec<String> {
        let mut parts = Vec::new();
        let mut push = |values: Option<(f64, f64)>, what: &str| {
            parts.extend(values.map(|(own, other)| format!("{:.2} times {what}", own / other)));
        };
        let warps = (f64::from(self.warps), f64::from(other.warps));
        push(Some(warps), "the active warps");
        let wavefronts = self.wavefronts.zip(other.wavefronts);
        push(
            wavefronts.map(|((own, _), (other, _))| (own as f64, other as f64)),
            "the wavefronts",
        );
        let median = |timing: &Timing| timing.median_ms;
        let kernels = self.kernel.as_ref().zip(other.kernel.as_ref());
        push(
            kernels.map(|(own, other)| (median(own), median(other))),
            "the time of one scan",
        );
        let batches = self.batch.as_ref().zip(other.batch.as_ref());
        push(
            batches
                .filter(|((own, _), (other, _))| own == other)
                .map(|((_, own), (_, other))| (median(own), median(other))),
            "that of a device full of them",
        );
        parts
    }

    /// The naive scan in units of the work-efficient one.
    fn against(&self, efficient: &Scan) -> String {
        let ratio = |own: f64, other: f64| format!("{:.2}", own / other);
        format!(
            "naive in units of work_efficient, {} elements: {} times the steps, {} times the \
             adds, {}",
            self.n,
            ratio(self.steps as f64, efficient.steps as f64),
            ratio(f64::from(self.adds), f64::from(efficient.adds)),
            self.costs_of(efficient).join(", ")
        )
    }

    /// A scattered scan in units of the packed one, whose adds it has.
    fn scattered_from(&self, packed: &Scan) -> Option<String> {
        (self.adds == packed.adds).then(|| {
            format!(
                "{} in units of {}, {} elements: the same {} adds, {}",
                self.algorithm.name(),
                packed.algorithm.name(),
                self.n,
                self.adds,
                self.costs_of(packed).join(", ")
            )
        })
    }
}

/// What a scan and the second kernel took at once, in units of what each takes alone.
fn beside(record: &Record) -> Option<String> {
    let (algorithm, n) = launch(&record.key)?;
    if record.key.step.is_some() || record.status != Status::Ok {
        return None;
    }
    let start = format!(
        "{}, {n} elements, beside a second kernel on another stream",
        algorithm.name()
    );
    let timings = &record.timings;
    let ratio = |both: &Option<Timing>, alone: &Option<Timing>| {
        let (both, alone) = both.as_ref().zip(alone.as_ref())?;
        Some(both.median_ms / alone.median_ms)
    };
    let ours = ratio(&timings.kernel_beside, &timings.kernel);
    let other = ratio(&timings.companion_beside, &timings.companion);
    match (ours, other) {
        (Some(ours), Some(other)) => {
            let values = &record.values;
            let shape = values.companion_blocks.zip(values.companion_threads);
            let of = shape
                .map(|(blocks, threads)| format!(" of {blocks} x {threads} threads"))
                .unwrap_or_default();
            Some(format!(
                "{start}: a scan takes {ours:.2} times its time alone, the second kernel{of} \
                 {other:.3} times its own"
            ))
        }
        _ => Some(format!("{start}: {}", record.remarks.first()?)),
    }
}

/// All lines, in the order of the rows.
pub(super) fn lines(records: &[Record]) -> Vec<String> {
    let mut launches: Vec<(Algorithm, u32)> = Vec::new();
    for found in records.iter().filter_map(|record| launch(&record.key)) {
        if !launches.contains(&found) {
            launches.push(found);
        }
    }
    let scans: Vec<Scan> = launches
        .iter()
        .filter_map(|&(algorithm, n)| Scan::new(algorithm, n, records))
        .collect();
    let find = |algorithm, n| {
        scans
            .iter()
            .find(|scan| (scan.algorithm, scan.n) == (algorithm, n))
    };
    let mut lines: Vec<String> = scans.iter().map(Scan::describe).collect();
    for naive in scans.iter().filter(|s| s.algorithm == Algorithm::Naive) {
        lines.extend(find(Algorithm::WorkEfficient, naive.n).map(|other| naive.against(other)));
    }
    for scattered in scans.iter().filter(|scan| scan.algorithm.is_scattered()) {
        let packed = find(scattered.algorithm.packed(), scattered.n);
        lines.extend(packed.and_then(|packed| scattered.scattered_from(packed)));
    }
    lines.extend(records.iter().filter_map(beside));
    lines
}
