//! A run beside an earlier one: the ratio of the medians, and whether it means
//! anything.

use crate::export::number;
use crate::measure::{Timing, Verdict, compare};
use crate::record::{Record, Status};

/// What a comparison found.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Comparison {
    /// One line a cell, and a last one that counts.
    pub lines: Vec<String>,
    /// Cells that are slower beyond the noise.
    pub slower: usize,
}

/// The time that a row stands for: the kernel's; the host's where neither row has
/// one.
fn times<'a>(then: &'a Record, now: &'a Record) -> Option<(&'static str, &'a Timing, &'a Timing)> {
    match (&then.timings.kernel, &now.timings.kernel) {
        (Some(then), Some(now)) => Some(("kernel_ms", then, now)),
        (None, None) => Some((
            "host_ms",
            then.timings.host.as_ref()?,
            now.timings.host.as_ref()?,
        )),
        _ => None,
    }
}

/// Compares every row that both runs have. The host's time is one measurement for
/// all cells of a size; it is compared once.
pub(super) fn compare_runs(baseline: &[Record], now: &[Record]) -> Comparison {
    let mut comparison = Comparison::default();
    let (mut faster, mut equal) = (0, 0);
    let mut seen: Vec<(&str, &Timing)> = Vec::new();
    for record in now {
        let earlier = baseline.iter().find(|other| {
            other.table == record.table && other.key == record.key && other.status != Status::Failed
        });
        let Some((name, before, after)) = earlier.and_then(|earlier| times(earlier, record)) else {
            continue;
        };
        if seen.contains(&(name, after)) {
            continue;
        }
        seen.push((name, after));
        let (ratio, verdict) = compare(before, after);
        match verdict {
            Verdict::Faster => faster += 1,
            Verdict::Slower => comparison.slower += 1,
            Verdict::NotDistinguishable => equal += 1,
        }
        comparison.lines.push(format!(
            "{} {}: {name} {} -> {}, ratio {ratio:.3}, {verdict}",
            record.table,
            record.key.describe(),
            number::milliseconds(before.median_ms),
            number::milliseconds(after.median_ms),
        ));
    }
    comparison.lines.push(format!(
        "baseline: {faster} faster, {} slower, {equal} not distinguishable",
        comparison.slower
    ));
    comparison
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{HostInfo, Key, Timings, Values, timestamp};

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
        assert_eq!(compare_runs(&then, &now).lines.len(), 1);
    }

    #[test]
    fn the_hosts_time_of_many_cells_is_compared_once() {
        let then = [record(1, None, Some(1.0)), record(2, None, Some(1.0))];
        let now = [record(1, None, Some(2.0)), record(2, None, Some(2.0))];
        assert_eq!(compare_runs(&then, &now).slower, 1);
    }
}
