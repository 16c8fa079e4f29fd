//! A run beside an earlier one: the ratio of the medians, and whether it means
//! anything; and the ratio of what emulated kernels did, which is exact.

use std::cmp::Ordering;

use crate::export::number;
use crate::measure::{Timing, Verdict, compare};
use crate::record::{Key, Record, Status};

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Comparison {
    /// One line a cell, then what differs, and a last one that counts.
    pub lines: Vec<String>,
    /// Cells that are slower beyond the noise.
    pub slower: usize,
    /// Cells whose kernel has a time or a count in the baseline and none in this
    /// run.
    pub gone: usize,
    /// Cells whose emulated kernels run more warp instructions.
    pub more: usize,
    /// Times and counts that both runs have, the worse ones included.
    compared: usize,
    /// Cells whose time the baseline does not have.
    new: usize,
}

impl Comparison {
    /// Whether the run falls short of the baseline, or the baseline says nothing
    /// about it.
    pub(super) fn is_missed(&self) -> bool {
        self.slower > 0 || self.gone > 0 || self.more > 0 || self.compared == 0
    }
}

/// The time that two rows of a cell stand for.
enum Times<'a> {
    /// Both have it: the kernel's; the host's where neither has a kernel's.
    Both(&'static str, &'a Timing, &'a Timing),
    /// The kernel's is gone.
    Gone,
    /// Only this run has it.
    New(&'static str),
    /// No time belongs to the cell.
    Neither,
}

fn times<'a>(then: Option<&'a Record>, now: &'a Record) -> Times<'a> {
    let kernel = then.and_then(|then| then.timings.kernel.as_ref());
    let host = then.and_then(|then| then.timings.host.as_ref());
    match (kernel, &now.timings.kernel) {
        (Some(then), Some(now)) => Times::Both("kernel_ms", then, now),
        (Some(_), None) => Times::Gone,
        (None, Some(_)) => Times::New("kernel_ms"),
        (None, None) => match (host, &now.timings.host) {
            (Some(then), Some(now)) => Times::Both("host_ms", then, now),
            (None, Some(_)) => Times::New("host_ms"),
            (_, None) => Times::Neither,
        },
    }
}

/// The warp instructions of an earlier row and of this one: emulated ones have
/// them, so that a GPU's is not compared with an emulator's.
fn instructions(then: Option<&Record>, now: &Record) -> (Option<u64>, Option<u64>) {
    let of = |record: &Record| record.counts.map(|counts| counts.warp_instructions);
    (then.and_then(of), of(now))
}

/// The launch that a row is of: that of all of its steps.
fn launch(record: &Record) -> (&str, Key) {
    let key = Key {
        step: None,
        ..record.key.clone()
    };
    (&record.table, key)
}

/// The devices of a run, each once.
fn devices(records: &[Record]) -> Vec<&str> {
    let mut names = Vec::new();
    for info in records.iter().filter_map(|record| record.device.as_ref()) {
        if !names.contains(&info.name.as_str()) {
            names.push(info.name.as_str());
        }
    }
    names
}

fn same_cell(a: &Record, b: &Record) -> bool {
    a.table == b.table && a.key == b.key
}

/// Compares every row of this run with the baseline's. The host's time is one
/// measurement for all cells of a size, and the instructions are those of a launch
/// with all of its steps: each is compared once.
pub(super) fn compare_runs(baseline: &[Record], now: &[Record]) -> Comparison {
    let mut comparison = Comparison::default();
    let (mut faster, mut equal, mut fewer, mut same) = (0, 0, 0, 0);
    let mut seen: Vec<(&str, &Timing)> = Vec::new();
    let mut launches: Vec<(&str, Key)> = Vec::new();
    for record in now {
        let earlier = baseline
            .iter()
            .find(|other| same_cell(other, record) && other.status != Status::Failed);
        let cell = format!("{} {}", record.table, record.key.describe());
        let of_launch = launch(record);
        if !launches.contains(&of_launch) {
            let launch = format!("{} {}", record.table, of_launch.1.describe());
            match instructions(earlier, record) {
                (Some(before), Some(after)) => {
                    comparison.compared += 1;
                    let (count, verdict) = match after.cmp(&before) {
                        Ordering::Less => (&mut fewer, "fewer"),
                        Ordering::Equal => (&mut same, "equal"),
                        Ordering::Greater => (&mut comparison.more, "more"),
                    };
                    *count += 1;
                    comparison.lines.push(format!(
                        "{launch}: warp_instructions {before} -> {after}, {verdict}"
                    ));
                    launches.push(of_launch);
                }
                (Some(_), None) => {
                    comparison.gone += 1;
                    comparison.lines.push(format!(
                        "{launch}: the baseline has warp_instructions, this run has none"
                    ));
                    launches.push(of_launch);
                }
                (None, _) => {}
            }
        }
        match times(earlier, record) {
            Times::Neither => {}
            Times::New(name) => {
                comparison.new += 1;
                let line = format!("{cell}: the baseline has no {name} of it");
                comparison.lines.push(line);
            }
            Times::Gone => {
                comparison.gone += 1;
                let line = format!("{cell}: the baseline has a kernel_ms, this run has none");
                comparison.lines.push(line);
            }
            Times::Both(name, before, after) => {
                if seen.contains(&(name, after)) {
                    continue;
                }
                seen.push((name, after));
                let (ratio, verdict) = compare(before, after);
                comparison.compared += 1;
                match verdict {
                    Verdict::Faster => faster += 1,
                    Verdict::Slower => comparison.slower += 1,
                    Verdict::NotDistinguishable => equal += 1,
                }
                comparison.lines.push(format!(
                    "{cell}: {name} {} -> {}, ratio {ratio:.3}, {verdict}",
                    number::milliseconds(before.median_ms),
                    number::milliseconds(after.median_ms),
                ));
            }
        }
    }
    let (then, here) = (devices(baseline), devices(now));
    if then != here && !then.is_empty() && !here.is_empty() {
        comparison.lines.push(format!(
            "baseline: measured on {}, this run on {}",
            then.join(", "),
            here.join(", ")
        ));
    }
    let unmeasured = baseline
        .iter()
        .filter(|other| !now.iter().any(|record| same_cell(other, record)))
        .count();
    let mut counts = format!(
        "baseline: {faster} faster, {} slower, {equal} not distinguishable",
        comparison.slower
    );
    for (count, what) in [
        (comparison.gone, "without what the baseline has of them"),
        (comparison.more, "with more instructions"),
        (fewer, "with fewer instructions"),
        (same, "with as many instructions"),
        (comparison.new, "not in the baseline"),
        (unmeasured, "of the baseline not measured"),
    ] {
        if count > 0 {
            counts.push_str(&format!(", {count} {what}"));
        }
    }
    if comparison.compared == 0 {
        counts.push_str(": nothing could be compared");
    }
    comparison.lines.push(counts);
    comparison
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Counts;
    use crate::record::{DeviceInfo, HostInfo, Timings, Values, timestamp};

    fn record(step: u32, kernel: Option<f64>, host: Option<f64>) -> Record {
        let timing = |ms: f64| Timing::from_samples(vec![ms; 5]);
        Record {
            run: "r".into(),
            table: "t".into(),
            key: Key {
                step: Some(step),
                ..Key::default()
            },
            status: Status::Ok,
            reason: None,
            values: Values::default(),
            timings: Timings {
                kernel: kernel.and_then(timing),
                host: host.and_then(timing),
                ..Timings::default()
            },
            counts: None,
            clocks: None,
            remarks: Vec::new(),
            device: None,
            host: HostInfo::current(),
            timestamp: timestamp(),
        }
    }

    #[test]
    fn a_slower_kernel_is_counted_and_a_faster_one_does_not_hide_it() {
        let then = [record(1, Some(1.0), None), record(2, Some(1.0), None)];
        let now = [record(1, Some(1.5), None), record(2, Some(0.5), None)];
        let comparison = compare_runs(&then, &now);
        assert_eq!(comparison.slower, 1);
        assert_eq!(
            comparison.lines,
            [
                "t step=1: kernel_ms 1 -> 1.5, ratio 1.500, slower",
                "t step=2: kernel_ms 1 -> 0.5, ratio 0.500, faster",
                "baseline: 1 faster, 1 slower, 0 not distinguishable",
            ]
        );
    }

    #[test]
    fn a_kernel_is_not_compared_with_a_host() {
        let then = [record(1, None, Some(1.0))];
        let now = [record(1, Some(9.0), Some(9.0))];
        let comparison = compare_runs(&then, &now);
        assert!(comparison.is_missed());
        assert_eq!(
            comparison.lines,
            [
                "t step=1: the baseline has no kernel_ms of it",
                "baseline: 0 faster, 0 slower, 0 not distinguishable, 1 not in the baseline: \
                 nothing could be compared",
            ]
        );
    }

    #[test]
    fn a_kernel_that_runs_more_instructions_misses_the_baseline() {
        let counted = |strips, warp_instructions| Record {
            counts: Some(Counts {
                warp_instructions,
                ..Counts::default()
            }),
            key: Key {
                strips: Some(strips),
                ..Key::default()
            },
            ..record(1, None, None)
        };
        let then = [counted(1, 100), counted(2, 100), counted(3, 100)];
        let now = [counted(1, 100), counted(2, 50), counted(3, 101)];
        let comparison = compare_runs(&then, &now);
        assert!(comparison.is_missed());
        assert_eq!(
            comparison.lines,
            [
                "t strips=1: warp_instructions 100 -> 100, equal",
                "t strips=2: warp_instructions 100 -> 50, fewer",
                "t strips=3: warp_instructions 100 -> 101, more",
                "baseline: 0 faster, 0 slower, 0 not distinguishable, 1 with more instructions, \
                 1 with fewer instructions, 1 with as many instructions",
            ]
        );
        assert!(!compare_runs(&then, &then).is_missed());
        // A GPU's baseline says nothing about counts, and a run without them
        // has lost them.
        let without = Record {
            counts: None,
            clocks: None,
            remarks: Vec::new(),
            ..then[0].clone()
        };
        assert!(compare_runs(std::slice::from_ref(&without), &now[..1]).is_missed());
        let lost = compare_runs(&then[..1], &[without]);
        assert_eq!(lost.gone, 1, "{lost:?}");
    }

    #[test]
    fn the_instructions_of_a_launch_with_many_steps_are_compared_once() {
        let counted = |step, warp_instructions| Record {
            counts: Some(Counts {
                warp_instructions,
                ..Counts::default()
            }),
            key: Key {
                n: Some(1024),
                step: Some(step),
                ..Key::default()
            },
            ..record(step, None, None)
        };
        let comparison = compare_runs(
            &[counted(1, 100), counted(2, 100)],
            &[counted(1, 101), counted(2, 101)],
        );
        assert_eq!(comparison.more, 1);
        assert_eq!(
            comparison.lines[0],
            "t n=1024: warp_instructions 100 -> 101, more"
        );
    }

    #[test]
    fn a_kernel_that_has_lost_its_time_misses_the_baseline() {
        let then = [
            record(1, Some(1.0), Some(1.0)),
            record(2, Some(1.0), Some(1.0)),
        ];
        let now = [record(1, Some(1.0), Some(1.0)), record(2, None, Some(1.0))];
        let comparison = compare_runs(&then, &now);
        assert!(comparison.is_missed());
        assert_eq!(
            comparison.lines[1..],
            [
                "t step=2: the baseline has a kernel_ms, this run has none",
                "baseline: 0 faster, 0 slower, 1 not distinguishable, \
                 1 without what the baseline has of them",
            ]
        );
    }

    #[test]
    fn cells_of_one_run_alone_are_counted_and_miss_nothing() {
        let then = [record(1, Some(1.0), None), record(2, Some(1.0), None)];
        let now = [record(1, Some(1.0), None), record(3, Some(1.0), None)];
        let comparison = compare_runs(&then, &now);
        assert!(!comparison.is_missed());
        assert_eq!(
            comparison.lines[1..],
            [
                "t step=3: the baseline has no kernel_ms of it",
                "baseline: 0 faster, 0 slower, 1 not distinguishable, 1 not in the baseline, \
                 1 of the baseline not measured",
            ]
        );
    }

    #[test]
    fn a_baseline_that_says_nothing_about_the_run_is_missed() {
        assert!(compare_runs(&[], &[record(1, Some(1.0), None)]).is_missed());
        assert!(compare_runs(&[record(2, Some(1.0), None)], &[]).is_missed());
    }

    #[test]
    fn another_device_is_named() {
        let on = |name: &str| Record {
            device: Some(DeviceInfo {
                name: name.into(),
                kind: "cuda".into(),
                compute_capability: "9.0".into(),
                driver: None,
                cuda_version: None,
                ptx_sha256: "0".into(),
                ptx_arch: "sm_90".into(),
                rustc: "1".into(),
                llvm: "1".into(),
                multiprocessors: None,
            }),
            ..record(1, Some(1.0), None)
        };
        let lines = compare_runs(&[on("A")], &[on("B")]).lines;
        assert_eq!(lines[1], "baseline: measured on A, this run on B");
        assert_eq!(compare_runs(&[on("A")], &[on("A")]).lines.len(), 2);
    }

    #[test]
    fn the_hosts_time_of_many_cells_is_compared_once() {
        let then = [record(1, None, Some(1.0)), record(2, None, Some(1.0))];
        let now = [record(1, None, Some(2.0)), record(2, None, Some(2.0))];
        assert_eq!(compare_runs(&then, &now).slower, 1);
    }
}
