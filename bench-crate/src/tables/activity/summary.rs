//! The lines under `activity`: the sums of each scan, the two algorithms compared,
//! packed work beside scattered, and scans beside a second kernel. Every figure is of
//! the records.

use super::{launch, step_count};
use crate::block_scan::Algorithm;
use crate::grouping::distinct;
use crate::number;
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
    steps: u64,
    adds: u64,
    warps: u64,
    /// Wavefronts of the loads, and how many they would be without conflicts.
    wavefronts: Option<(u64, u64)>,
    /// ms.
    kernel: Option<f64>,
    /// A batch's blocks, each with a scan, and its time, ms.
    batch: Option<(u64, f64)>,
}

impl Scan {
    /// `None` when a step was not measured or did not end well.
    fn new(algorithm: Algorithm, n: u32, records: &[Record]) -> Option<Self> {
        let is_of_it = |row: &&Record| {
            launch(&row.cell) == Some((algorithm, n)) && row.cell.get("step").is_some()
        };
        let rows: Vec<&Record> = records.iter().filter(is_of_it).collect();
        let first = rows.first()?;
        let is_whole = step_count(&first.cell) == Some(rows.len());
        if !is_whole || rows.iter().any(|row| row.status != Status::Ok) {
            return None;
        }
        let sum = |metric: &str| -> Option<u64> {
            rows.iter().map(|row| row.metrics.count(metric)).sum()
        };
        Some(Scan {
            algorithm,
            n,
            steps: rows.len() as u64,
            adds: sum("adds")?,
            warps: sum("active_warps")?,
            wavefronts: sum("wavefronts").zip(sum("ideal_wavefronts")),
            kernel: first.ms("kernel"),
            batch: first.metrics.count("batch_blocks").zip(first.ms("batch")),
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
        if let Some(ms) = self.kernel {
            let ms = number::milliseconds(ms);
            text += &format!("; one scan takes {ms} ms");
        }
        if let Some((blocks, ms)) = self.batch {
            let elements = blocks as f64 * f64::from(self.n);
            let rate = elements / (ms * 1e6);
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
        let warps = (self.warps as f64, other.warps as f64);
        push(Some(warps), "the active warps");
        let wavefronts = self.wavefronts.zip(other.wavefronts);
        push(
            wavefronts.map(|((own, _), (other, _))| (own as f64, other as f64)),
            "the wavefronts",
        );
        push(self.kernel.zip(other.kernel), "the time of one scan");
        let batches = self.batch.zip(other.batch);
        let of_as_many = batches.filter(|((own, _), (other, _))| own == other);
        push(
            of_as_many.map(|((_, own), (_, other))| (own, other)),
            "that of a device full of them",
        );
        parts
    }

    /// The naive scan in units of the work-efficient one.
    fn against(&self, efficient: &Scan) -> String {
        let ratio = |own: u64, other: u64| format!("{:.2}", own as f64 / other as f64);
        format!(
            "naive in units of work_efficient, {} elements: {} times the steps, {} times the \
             adds, {}",
            self.n,
            ratio(self.steps, efficient.steps),
            ratio(self.adds, efficient.adds),
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
    let (algorithm, n) = launch(&record.cell)?;
    if record.cell.get("step").is_some() || record.status != Status::Ok {
        return None;
    }
    let ratio = |both: &str, alone: &str| Some(record.ms(both)? / record.ms(alone)?);
    let ours = ratio("kernel_beside", "kernel")?;
    let other = ratio("companion_beside", "companion")?;
    let count = |metric: &str| record.metrics.count(metric);
    let of = count("companion_blocks")
        .zip(count("companion_threads"))
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
    let launches = distinct(records.iter().filter_map(|record| launch(&record.cell)));
    let scans = launches.into_iter();
    let scans = scans.filter_map(|(algorithm, n)| Scan::new(algorithm, n, records));
    let scans: Vec<Scan> = scans.collect();
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
    use crate::record::Cell;
    use crate::record::sample::record;

    /// A row of a launch that has taken `kernel` ms, and `batch` by 100 blocks.
    fn row(algorithm: Algorithm, step: Option<u32>, warps: u32, kernel: f64, batch: f64) -> Record {
        let cell = Cell::default()
            .with("algorithm", algorithm.name())
            .with("n", 4_u32);
        let cell = match step {
            Some(step) => cell.with("step", step),
            None => cell,
        };
        record("activity", cell)
            .having("adds", 5_u32)
            .having("active_warps", warps)
            .having("batch_blocks", 100_u32)
            .having("companion_blocks", 131_u32)
            .having("companion_threads", 1024_u32)
            .taking("kernel", kernel)
            .taking("batch", batch)
    }

    #[test]
    fn scans_are_compared_by_what_they_did_and_took() {
        let records = [
            row(Algorithm::Naive, Some(1), 3, 0.002, 2e-4),
            row(Algorithm::Naive, Some(2), 3, 0.002, 2e-4),
            row(Algorithm::WorkEfficient, Some(1), 1, 0.004, 1e-4),
            row(Algorithm::WorkEfficient, Some(2), 1, 0.004, 1e-4),
            row(Algorithm::WorkEfficient, Some(3), 1, 0.004, 1e-4),
            row(Algorithm::NaiveScattered, Some(1), 6, 0.003, 4e-4),
            row(Algorithm::NaiveScattered, Some(2), 6, 0.003, 4e-4),
        ];
        assert_eq!(
            lines(&records),
            [
                "naive, 4 elements: 2 steps, 10 adds, 6 active warps; one scan takes 0.002 ms, \
                 100 at once scan 2.0 G elements/s",
                "work_efficient, 4 elements: 3 steps, 15 adds, 3 active warps; one scan takes \
                 0.004 ms, 100 at once scan 4.0 G elements/s",
                "naive_scattered, 4 elements: 2 steps, 10 adds, 12 active warps; one scan \
                 takes 0.003 ms, 100 at once scan 1.0 G elements/s",
                "naive in units of work_efficient, 4 elements: 0.67 times the steps, 0.67 \
                 times the adds, 2.00 times the active warps, 0.50 times the time of one scan, \
                 2.00 times that of a device full of them",
                "naive_scattered in units of naive, 4 elements: the same 10 adds, 2.00 times \
                 the active warps, 1.50 times the time of one scan, 2.00 times that of a device \
                 full of them",
            ]
        );
    }

    #[test]
    fn a_scan_of_which_a_step_was_not_asked_for_is_not_added_up() {
        let first = row(Algorithm::Naive, Some(1), 3, 1.0, 1.0);
        assert!(lines(&[first]).is_empty());
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
        let alone = row(Algorithm::Naive, None, 1, 0.002, 1.0).taking("companion", 2.0);
        let alone = alone.taking("companion_beside", 2.01);
        let beside = alone.clone().taking("kernel_beside", 0.0025);
        assert_eq!(
            lines(&[beside]),
            [
                "naive, 4 elements, beside a second kernel on another stream: a scan takes \
                 1.25 times its time alone, the second kernel of 131 x 1024 threads 1.005 times \
                 its own"
            ]
        );
        assert!(lines(&[alone]).is_empty());
    }
}
