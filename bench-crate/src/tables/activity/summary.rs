//! The lines under `activity`: the sums of each scan, the two algorithms compared,
//! packed work beside scattered, and scans beside a second kernel. Every figure is of
//! the records.

use super::launch;
use crate::block_scan::Algorithm;
use crate::export::number;
use crate::measure::Timing;
use crate::record::{Record, Status};

/// A number of things.
fn several(count: impl Into<u64>, what: &str) -> String {
    match count.into() {
        1 => format!("1 {what}"),
        count => format!("{count} {what}s"),
    }
}

/// The rows of one launch, added up.
struct Scan {
    algorithm: Algorithm,
    n: u32,
    steps: u32,
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
            steps: rows.len() as u32,
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
            "{}, {} elements: {}, {}, {}",
            self.algorithm.name(),
            self.n,
            several(self.steps, "step"),
            several(self.adds, "add"),
            several(self.warps, "active warp")
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
            ratio(self.steps.into(), efficient.steps.into()),
            ratio(self.adds.into(), efficient.adds.into()),
            self.costs_of(efficient).join(", ")
        )
    }

    /// A scattered scan in units of the packed one, whose adds it has.
    fn scattered_from(&self, packed: &Scan) -> Option<String> {
        (self.adds == packed.adds).then(|| {
            format!(
                "{} in units of {}, {} elements: the same {}, {}",
                self.algorithm.name(),
                packed.algorithm.name(),
                self.n,
                several(self.adds, "add"),
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
    let timings = &record.timings;
    let ratio = |both: &Option<Timing>, alone: &Option<Timing>| {
        let (both, alone) = both.as_ref().zip(alone.as_ref())?;
        Some(both.median_ms / alone.median_ms)
    };
    let ours = ratio(&timings.kernel_beside, &timings.kernel);
    let other = ratio(&timings.companion_beside, &timings.companion);
    let (ours, other) = ours.zip(other)?;
    let shape = record.values.companion_blocks;
    let of = shape
        .zip(record.values.companion_threads)
        .map(|(blocks, threads)| format!(" of {blocks} x {threads} threads"))
        .unwrap_or_default();
    Some(format!(
        "{}, {n} elements, beside a second kernel on another stream: a scan takes {ours:.2} \
         times its time alone, the second kernel{of} {other:.3} times its own",
        algorithm.name()
    ))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{HostInfo, Key, Timings, Values};

    /// A row of a launch that has taken `kernel` ms, and `batch` by 100 blocks.
    fn row(algorithm: Algorithm, step: Option<u32>, warps: u32, kernel: f64, batch: f64) -> Record {
        let timing = |ms: f64| Timing::from_samples(vec![ms; 3]);
        Record {
            run: "r".into(),
            table: "activity".into(),
            key: Key {
                algorithm: Some(algorithm.name().into()),
                n: Some(1000),
                step,
                ..Key::default()
            },
            status: Status::Ok,
            reason: None,
            values: Values {
                adds: Some(5),
                active_warps: Some(warps),
                batch_blocks: Some(100),
                companion_blocks: Some(131),
                companion_threads: Some(1024),
                ..Values::default()
            },
            timings: Timings {
                kernel: timing(kernel),
                batch: timing(batch),
                ..Timings::default()
            },
            counts: None,
            clocks: None,
            remarks: Vec::new(),
            device: None,
            host: HostInfo::current(),
            timestamp: String::new(),
        }
    }

    #[test]
    fn scans_are_compared_by_what_they_did_and_took() {
        let records = [
            row(Algorithm::Naive, Some(1), 3, 0.002, 0.05),
            row(Algorithm::Naive, Some(2), 3, 0.002, 0.05),
            row(Algorithm::WorkEfficient, Some(1), 2, 0.004, 0.025),
            row(Algorithm::NaiveScattered, Some(1), 6, 0.003, 0.1),
            row(Algorithm::NaiveScattered, Some(2), 6, 0.003, 0.1),
        ];
        assert_eq!(
            lines(&records),
            [
                "naive, 1000 elements: 2 steps, 10 adds, 6 active warps; one scan takes 0.002 ms, \
                 100 at once scan 2.0 G elements/s",
                "work_efficient, 1000 elements: 1 step, 5 adds, 2 active warps; one scan takes \
                 0.004 ms, 100 at once scan 4.0 G elements/s",
                "naive_scattered, 1000 elements: 2 steps, 10 adds, 12 active warps; one scan \
                 takes 0.003 ms, 100 at once scan 1.0 G elements/s",
                "naive in units of work_efficient, 1000 elements: 2.00 times the steps, 2.00 \
                 times the adds, 3.00 times the active warps, 0.50 times the time of one scan, \
                 2.00 times that of a device full of them",
                "naive_scattered in units of naive, 1000 elements: the same 10 adds, 2.00 times \
                 the active warps, 1.50 times the time of one scan, 2.00 times that of a device \
                 full of them",
            ]
        );
    }

    #[test]
    fn a_scan_of_which_a_step_failed_is_not_added_up() {
        let mut records = [
            row(Algorithm::Naive, Some(1), 3, 1.0, 1.0),
            row(Algorithm::Naive, Some(2), 3, 1.0, 1.0),
        ];
        records[1].status = Status::Failed;
        assert!(lines(&records).is_empty());
    }

    #[test]
    fn a_scan_beside_a_second_kernel_is_in_units_of_itself_alone() {
        let timing = |ms: f64| Timing::from_samples(vec![ms; 3]);
        let mut record = row(Algorithm::Naive, None, 1, 0.002, 1.0);
        record.timings.kernel_beside = timing(0.0025);
        record.timings.companion = timing(2.0);
        record.timings.companion_beside = timing(2.01);
        assert_eq!(
            lines(&[record.clone()]),
            [
                "naive, 1000 elements, beside a second kernel on another stream: a scan takes \
                 1.25 times its time alone, the second kernel of 131 x 1024 threads 1.005 times \
                 its own"
            ]
        );
        record.timings.kernel_beside = None;
        assert!(lines(&[record]).is_empty());
    }
}
