//! What becomes of rows that two runs have, or one of them.

use super::*;
use crate::record::{Clocks, DeviceInfo, Metric, Time, sample};
use crate::timing::Method;
use crate::timing::comparison::MARGIN;
use quadscan::device::Counts;

/// A time that sixteen processes agree on.
fn agreed(ms: f64) -> Option<Timing> {
    let each: Vec<Timing> = [(); 16]
        .into_iter()
        .filter_map(|()| Timing::from_samples(vec![ms; 3]))
        .collect();
    Timing::of_processes(&each)
}

fn record_of(cell: Cell, kernel: Option<f64>, host: Option<f64>) -> Record {
    let mut record = sample::record("t", cell);
    record.host.git_revision = "0123456789abcdef".into();
    let host = host.and_then(|ms| Timing::from_samples(vec![ms; 5]));
    record.metrics.put("kernel", kernel.and_then(agreed));
    record.metrics.put("host", host);
    record
}

fn record(step: u32, kernel: Option<f64>, host: Option<f64>) -> Record {
    record_of(Cell::default().with("step", step), kernel, host)
}

fn compare(then: &[Record], now: &[Record]) -> Comparison {
    compare_runs("b", MARGIN, then, now)
}

/// The lines after the two runs and before the words.
fn rows(comparison: &Comparison) -> Vec<String> {
    let lines = comparison.lines();
    let counts = lines
        .iter()
        .rposition(|line| line.starts_with("compared: "));
    lines[2..=counts.unwrap_or(1)].to_vec()
}

#[test]
fn rows_that_differ_are_listed_and_a_faster_one_does_not_hide_a_slower_one() {
    let then = [1, 2, 3].map(|step| record(step, Some(f64::from(step)), None));
    let now = [(1, 1.5), (2, 1.0), (3, 3.01)].map(|(step, ms)| record(step, Some(ms), None));
    let comparison = compare(&then, &now);
    assert!(comparison.is_missed());
    assert_eq!(
        rows(&comparison),
        [
            "slower: t step=1: kernel_ms 1 -> 1.5, ratio 1.500 (1.500 to 1.500)",
            "faster: t step=2: kernel_ms 2 -> 1, ratio 0.500 (0.500 to 0.500)",
            "compared: 1 slower, 1 faster, 1 not distinguishable",
        ]
    );
    assert!(!compare(&then, &then).is_missed());
}

#[test]
fn the_margin_the_test_and_what_it_could_tell_are_said() {
    let then = [record(1, Some(1.0), None)];
    let now = [record(1, Some(1.03), None)];
    let at = |margin| compare_runs("b", margin, &then, &now);
    assert!(at(0.02).is_missed() && !at(0.04).is_missed());
    assert_eq!(
        at(0.04).lines()[3..],
        [
            "A row is slower or faster when the interval of its ratio lies beyond 4 % and 0.2 us; \
             all 1 intervals hold together with 99 % (Mann and Whitney's test on the medians of \
             the measuring processes, 16 then and 16 now, Bonferroni's correction).",
            "A slow-down of 4 % would have been detected in half of the rows, of 4 % in all.",
        ]
    );
}

#[test]
fn a_time_from_one_process_has_no_verdict_and_misses_the_baseline() {
    let one = |ms: f64| {
        let mut record = record(1, None, None);
        record
            .metrics
            .put("kernel", Timing::from_samples(vec![ms; 50]));
        record
    };
    let comparison = compare(&[one(1.0)], &[one(9.0)]);
    assert!(comparison.is_missed(), "nothing could be compared");
    assert_eq!(
        comparison.lines()[2..],
        [
            "compared: 0 slower, 0 faster, 0 not distinguishable, \
             1 measured by too few processes: nothing could be compared",
            "1 row without a verdict: measured by 1 processes then and 1 now, so few that a \
             single one can hide a slow-down; --save and --baseline take 16 unless --processes \
             says otherwise.",
        ]
    );
}

/// A row of which each process has its own time.
fn by_processes(strips: u64, times: &[f64]) -> Record {
    let each: Vec<Timing> = times
        .iter()
        .filter_map(|&ms| Timing::from_samples(vec![ms; 3]))
        .collect();
    let cell = Cell::default().with("step", 1_u32).with("strips", strips);
    let mut record = record_of(cell, None, None);
    record.metrics.put("kernel", Timing::of_processes(&each));
    record
}

#[test]
fn one_odd_process_in_165_rows_does_not_hide_a_slower_one() {
    let comparison = |processes: usize| {
        let then: Vec<Record> = (1..=165)
            .map(|strips| by_processes(strips, &vec![1.0; processes]))
            .collect();
        let mut now = then.clone();
        let mut times = vec![2.0; processes];
        times[5] = 0.9;
        now[7] = by_processes(8, &times);
        compare(&then, &now)
    };
    let sixteen = comparison(16);
    assert!(sixteen.is_missed());
    assert_eq!(
        rows(&sixteen).last().map(String::as_str),
        Some("compared: 1 slower, 0 faster, 164 not distinguishable")
    );
    // Too few to tell: the row is named, and nothing passes for equal.
    let twelve = comparison(12);
    assert!(twelve.is_missed());
    assert_eq!(
        rows(&twelve),
        [
            "undecided: t step=1 strips=8: kernel_ms 1 -> 2, ratio 2.000 (0.900 to 2.000)",
            "compared: 0 slower, 0 faster, 0 not distinguishable, 1 undecided, \
             164 measured by too few processes: nothing could be compared",
        ]
    );
}

#[test]
fn an_undecided_row_is_named_and_what_is_no_time_has_no_ratio() {
    let mut uneven = [1.0; 16];
    uneven[7..].fill(1.1);
    let then = [1, 2, 3].map(|strips| by_processes(strips, &[1.0; 16]));
    let now = [
        by_processes(1, &[1.0; 16]),
        by_processes(2, &uneven),
        by_processes(3, &[0.0; 16]),
    ];
    for comparison in [compare(&then, &now), compare(&now, &then)] {
        assert!(!comparison.is_missed());
        let lines = comparison.lines().join("\n");
        assert!(
            lines.contains("undecided: t step=1 strips=2: kernel_ms 1"),
            "{lines}"
        );
        assert!(
            lines.contains("no time: t step=1 strips=3: kernel_ms "),
            "{lines}"
        );
        let counts =
            "0 slower, 0 faster, 1 not distinguishable, 1 undecided, 1 without a valid time";
        assert!(lines.contains(counts), "{lines}");
        for word in ["NaN", "inf"] {
            assert!(!lines.contains(word), "{lines}");
            assert!(!comparison.markdown().contains(word), "{lines}");
        }
    }
}

#[test]
fn a_row_that_failed_in_the_baseline_is_not_a_new_one() {
    let failed = Record {
        status: Status::Failed,
        ..record(1, None, None)
    };
    let then = [failed, record(2, Some(1.0), None)];
    let now = [1, 2].map(|step| record(step, Some(f64::from(step)), None));
    assert_eq!(
        rows(&compare(&then, &now)),
        [
            "failed in the baseline: t step=1: there is no kernel_ms to compare with",
            "slower: t step=2: kernel_ms 1 -> 2, ratio 2.000 (2.000 to 2.000)",
            "compared: 1 slower, 0 faster, 0 not distinguishable, 1 failed in the baseline",
        ]
    );
}

#[test]
fn the_instructions_of_a_row_without_steps_are_compared_beside_those_of_the_steps() {
    let of = |step: Option<u32>, count| {
        let cell = Cell::default().with("n", 1024_u32);
        let cell = match step {
            Some(step) => cell.with("step", step),
            None => cell,
        };
        counted(cell, count)
    };
    let then = [of(Some(1), 100), of(Some(2), 100), of(None, 200)];
    let now = [of(Some(1), 100), of(Some(2), 100), of(None, 201)];
    let comparison = compare(&then, &now);
    let counts = [Fate::Same, Fate::More].map(|fate| comparison.count(&[fate]));
    assert_eq!(counts, [1, 1]);
}

#[test]
fn a_kernel_that_was_timed_in_another_way_is_said() {
    let by = |method: Option<Method>| {
        let time = agreed(1.0).map(|timing| Time {
            timing,
            method: method.map(|method| method.to_string()),
            peer: None,
        });
        let mut record = record(1, None, None);
        record.metrics.put("kernel", time.map(Metric::Time));
        record
    };
    let said = |then, now| {
        let lines = compare(&[by(then)], &[by(now)]).lines();
        let said = lines.iter().find(|line| line.contains("in another way"));
        said.map(|line| line.starts_with("1 row timed in another way than in the baseline"))
    };
    assert_eq!(said(Some(Method::Graph(7)), Some(Method::Graph(8))), None);
    assert_eq!(
        said(Some(Method::Batch(7)), Some(Method::Graph(7))),
        Some(true)
    );
    assert_eq!(said(None, Some(Method::Single)), Some(true));
}

#[test]
fn a_factor_in_common_is_told_with_what_may_explain_it_and_taken_off_no_row() {
    let on = |strips: u32, ms, mhz| Record {
        clocks: Some(Clocks {
            sm_after_mhz: Some(mhz),
            ..Clocks::default()
        }),
        device: Some(device("A")),
        ..record_of(Cell::default().with("strips", strips), Some(ms), None)
    };
    let then: Vec<Record> = (1..=6).map(|step| on(step, 1.0, 1980)).collect();
    let now: Vec<Record> = (1..=6).map(|step| on(step, 1.1, 1800)).collect();
    let comparison = compare(&then, &now);
    assert_eq!(comparison.count(&[Fate::Slower]), 6);
    assert_eq!(
        comparison.lines().last().map(String::as_str),
        Some(
            "The median ratio of 6 kernels is 1.100: either every kernel has changed or the clock \
             of the device has; the verdicts are not corrected for it. The SM clock was 1980 MHz and is 1800 MHz. Both runs have the same PTX, so \
             the kernels have not changed."
        )
    );
    let last = compare(&then, &then).lines().pop();
    assert_eq!(
        last.as_deref(),
        Some("The median ratio of 6 kernels is 1.000.")
    );
}

#[test]
fn a_kernel_is_not_compared_with_a_host() {
    let comparison = compare(
        &[record(1, None, Some(1.0))],
        &[record(1, Some(9.0), Some(9.0))],
    );
    assert!(comparison.is_missed());
    assert_eq!(
        rows(&comparison),
        [
            "compared: 0 slower, 0 faster, 0 not distinguishable, 1 not in the baseline: \
             nothing could be compared"
        ]
    );
}

fn counted(cell: Cell, warp_instructions: u64) -> Record {
    Record {
        counts: Some(Counts {
            warp_instructions,
            ..Counts::default()
        }),
        ..record_of(cell, None, None)
    }
}

#[test]
fn a_kernel_that_runs_more_instructions_misses_the_baseline() {
    let of = |strips: u32, count| counted(Cell::default().with("strips", strips), count);
    let then = [of(1, 100), of(2, 100), of(3, 100)];
    let now = [of(1, 100), of(2, 50), of(3, 101)];
    let comparison = compare(&then, &now);
    assert!(comparison.is_missed());
    assert_eq!(
        rows(&comparison),
        [
            "fewer: t strips=2: warp_instructions 100 -> 50",
            "more: t strips=3: warp_instructions 100 -> 101",
            "compared: 0 slower, 0 faster, 0 not distinguishable, 1 with more instructions, \
             1 with fewer instructions, 1 with the same number of instructions",
        ]
    );
    assert!(!compare(&then, &then).is_missed());
    // A GPU's baseline says nothing about counts, and a run without them has lost
    // them.
    let without = Record {
        counts: None,
        ..then[0].clone()
    };
    assert!(compare(std::slice::from_ref(&without), &now[..1]).is_missed());
    assert_eq!(compare(&then[..1], &[without]).count(&[Fate::Gone]), 1);
}

#[test]
fn the_instructions_of_a_launch_with_many_steps_are_compared_once() {
    let of = |step: u32, count| {
        let cell = Cell::default().with("step", step);
        counted(cell.with("n", 1024_u32), count)
    };
    let comparison = compare(&[of(1, 100), of(2, 100)], &[of(1, 101), of(2, 101)]);
    assert_eq!(comparison.count(&[Fate::More]), 1);
    assert_eq!(
        rows(&comparison)[0],
        "more: t n=1024: warp_instructions 100 -> 101"
    );
}

#[test]
fn the_time_of_a_launch_with_many_steps_is_compared_once() {
    let then = [1, 2].map(|step| record(step, Some(1.0), None));
    let now = [1, 2].map(|step| record(step, Some(2.0), None));
    assert_eq!(compare(&then, &now).count(&[Fate::Slower]), 1);
}

#[test]
fn a_kernel_that_has_lost_its_time_misses_the_baseline() {
    let then = [1, 2].map(|step| record(step, Some(1.0), Some(1.0)));
    let now = [record(1, Some(1.0), Some(1.0)), record(2, None, Some(1.0))];
    let comparison = compare(&then, &now);
    assert!(comparison.is_missed());
    assert_eq!(
        rows(&comparison),
        [
            "gone: t step=2: the baseline has kernel_ms, this run has none",
            "compared: 0 slower, 0 faster, 1 not distinguishable, \
             1 no longer measured",
        ]
    );
}

#[test]
fn cells_of_one_run_alone_are_counted_and_miss_nothing() {
    let then = [1, 2].map(|step| record(step, Some(f64::from(step)), None));
    let now = [1, 3].map(|step| record(step, Some(f64::from(step)), None));
    let comparison = compare(&then, &now);
    assert!(!comparison.is_missed());
    assert_eq!(
        rows(&comparison),
        [
            "compared: 0 slower, 0 faster, 1 not distinguishable, 1 not in the baseline, \
             1 of the baseline not measured"
        ]
    );
}

#[test]
fn a_baseline_that_says_nothing_about_the_run_is_missed() {
    assert!(compare(&[], &[record(1, Some(1.0), None)]).is_missed());
    assert!(compare(&[record(2, Some(1.0), None)], &[]).is_missed());
}

fn device(name: &str) -> DeviceInfo {
    DeviceInfo {
        name: name.into(),
        driver: Some("580.1".into()),
        ptx_sha256: "00112233445566778899".into(),
        ..sample::device("cuda")
    }
}

fn on(name: &str, ms: f64) -> Record {
    Record {
        device: Some(device(name)),
        timestamp: "2026-11-21T01:02:03Z".into(),
        ..record(1, Some(ms), None)
    }
}

#[test]
fn both_runs_are_named_with_all_that_their_numbers_depend_on() {
    let lines = compare(&[on("A", 1.0)], &[on("B", 1.0)]).lines();
    let rest = "driver 580.1; PTX sm_90 001122334455; revision 0123456789ab; 2026-11-21";
    assert_eq!(
        lines[..2],
        [
            format!("baseline `b`: A; {rest}"),
            format!("this run: B; {rest}")
        ]
    );
}

#[test]
fn a_section_for_a_pull_request_has_both_runs_the_rows_that_differ_and_all_folded_away() {
    let mut now = vec![on("A", 1.03), record(2, Some(5.0), None)];
    now[1].device = now[0].device.clone();
    now[1].timestamp = now[0].timestamp.clone();
    let then = [on("A", 1.0), now[1].clone()];
    let text = compare(&then, &now).markdown();
    let start = "## Baseline `b`\n\n\
        | | baseline | this run |\n\
        | --- | --- | --- |\n\
        | device | A | A |\n\
        | driver | 580.1 | 580.1 |\n\
        | PTX | sm_90 001122334455 | sm_90 001122334455 |\n\
        | revision | 0123456789ab | 0123456789ab |\n\
        | measured | 2026-11-21 | 2026-11-21 |\n\
        \n\
        **1 slower, 0 faster, 1 not distinguishable**\n\
        \n\
        | cell | column | before | after | ratio | verdict |\n\
        | --- | --- | ---: | ---: | ---: | --- |\n\
        | t step=1 | kernel_ms | 1 | 1.03 | 1.030 (1.030 to 1.030) | slower |\n\
        \n\
        A row is slower or faster when";
    assert!(text.starts_with(start), "{text}");
    let end = "<details><summary>All 2 rows compared</summary>\n\n\
        | cell | column | before | after | ratio | verdict |\n\
        | --- | --- | ---: | ---: | ---: | --- |\n\
        | t step=1 | kernel_ms | 1 | 1.03 | 1.030 (1.030 to 1.030) | slower |\n\
        | t step=2 | kernel_ms | 5 | 5 | 1.000 (1.000 to 1.000) | not distinguishable |\n\
        \n</details>\n";
    assert!(text.ends_with(end), "{text}");
}

#[test]
fn the_hosts_time_of_many_cells_is_told_once_and_misses_nothing() {
    let then = [1, 2].map(|step| record(step, None, Some(1.0)));
    let now = [1, 2].map(|step| record(step, None, Some(2.0)));
    let comparison = compare(&then, &now);
    assert_eq!(comparison.count(&[Fate::Slower]), 0);
    assert_eq!(
        comparison.lines().last().map(String::as_str),
        Some(
            "host_ms, without a verdict, since other programs on the machine change it: 1 row with \
             ratios from 2.00 to 2.00."
        )
    );
}
