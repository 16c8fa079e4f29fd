//! What a verdict says, of rows that are made up and of the kept record of an H200.

use std::path::Path;

use super::*;
use crate::record::file::read;
use crate::record::{Cell, DeviceInfo, Metric, Peer, Time, sample};
use crate::tables;
use crate::timing::Timing;

fn table(name: &str) -> &'static Table {
    tables::by_name(name).expect("a table")
}

/// A table with its rows of a kept run.
fn kept(name: &str) -> (&'static Table, Vec<Record>) {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let (records, _) = read(&docs.join("records/2026-11-22-h200.jsonl")).expect("a kept record");
    let table = table(name);
    let cells = table
        .selected(&Default::default())
        .expect("the usual cells");
    let is_usual = |record: &Record| record.table == name && cells.contains(&record.cell);
    (table, records.into_iter().filter(is_usual).collect())
}

fn verdict(measured: &[(&Table, Vec<Record>)], width: usize) -> Vec<String> {
    let measured: Vec<_> = measured
        .iter()
        .map(|(table, rows)| (*table, rows.clone()))
        .collect();
    lines(&measured, Path::new("results/report.html"), width)
}

/// The six tables of a run on an H200.
fn six() -> Vec<(&'static Table, Vec<Record>)> {
    [
        "activity",
        "sweep-f64",
        "sweep-f32",
        "accuracy",
        "mapping",
        "limits",
    ]
    .map(kept)
    .into()
}

#[test]
fn it_has_at_most_twelve_lines_that_no_terminal_breaks() {
    for width in [80, 100, 200] {
        let lines = verdict(&six(), width);
        assert!(lines.len() <= 12, "{lines:#?}");
        for line in &lines {
            assert!(line.chars().count() <= width, "{line}");
        }
    }
}

#[test]
fn a_table_is_compared_with_the_published_values_times_and_rivals() {
    assert_eq!(
        verdict(&six(), 80),
        [
            "verdict: 261 of 261 rows right, 185 with remarks; device: NVIDIA H200",
            "  activity   58 of 58 published values, 113 of 113 digits",
            "  sweep-f64  best gpu_ms 0.11427 at blocks=128 threads=128, 23.1 times as fast",
            "             as published; nvcc 1.10, in our form 1.03 times our kernel",
            "  sweep-f32  8 of 8 published values, 56 of 56 digits; best gpu_ms 0.29212 at",
            "             blocks=16 threads=256, 3.39 times as fast as published; nvcc 1.19,",
            "             in our form 0.98 times our kernel",
            "  accuracy   10 of 10 published values, 130 of 130 digits",
            "  mapping    best gpu_ms 0.021111 at mapping=block_strided partials=registers",
            "             finish=same_launch",
            "  limits     17 of 17 rows right",
            "  report: results/report.html; all rows: results/*.csv, --full-tables",
        ]
    );
}

#[test]
fn the_readme_shows_the_verdict_of_a_kept_record() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(readme).expect("there is a README");
    let verdict = verdict(&six(), 100).join("\n");
    assert!(
        readme.contains(&format!("```text\n{verdict}\n```")),
        "{verdict}"
    );
}

#[test]
fn a_value_that_is_not_the_published_one_is_told_with_its_cell() {
    let (table, mut records) = kept("accuracy");
    let digits =
        |records: &[Record]| published(table, records).expect("there are published values");
    assert_eq!(
        digits(&records),
        "10 of 10 published values, 130 of 130 digits"
    );
    let first = records
        .iter()
        .position(|record| record.cell.text("precision") == Some("f64"));
    records[first.expect("a row")].metrics.put("pi", Some(3.25));
    let said = digits(&records);
    assert!(
        said.starts_with(
            "9 of 10 published values, 118 of 130 digits, the first other one is 3.25"
        ),
        "{said}"
    );
    assert!(
        said.ends_with("published 3.141592583496: precision=f64 strips=65536"),
        "{said}"
    );
}

#[test]
fn what_failed_comes_first_and_what_was_skipped_has_its_reason() {
    let rows = |name: &str, status, reason: &str| {
        let row = sample::record(name, Cell::default().with("limit", "copy"));
        let row = Record {
            status,
            reason: Some(reason.to_owned()),
            ..row
        };
        (table(name), vec![row])
    };
    let measured = [
        rows("limits", Status::Skipped, "there are no times"),
        rows("mapping", Status::Failed, "illegal address"),
    ];
    assert_eq!(
        verdict(&measured, 80),
        [
            "verdict: 0 of 2 rows right, 1 failed, 1 skipped; no device was used",
            "  mapping  1 row failed: illegal address",
            "  limits   1 row skipped: there are no times",
            "  report: results/report.html; all rows: results/*.csv, --full-tables",
        ]
    );
}

#[test]
fn the_emulator_has_counts_and_no_times() {
    let row = sample::record("mapping", Cell::default());
    let counts = quadscan::device::Counts {
        warp_instructions: 1_234_567,
        ..Default::default()
    };
    let device = DeviceInfo {
        kind: "emulator".into(),
        ..sample::device("emulator")
    };
    let row = Record {
        counts: Some(counts),
        device: Some(device),
        ..row
    };
    let said = verdict(&[(table("mapping"), vec![row])], 200);
    assert!(said[0].ends_with("device: test, no times"), "{said:?}");
    assert_eq!(
        said[1],
        "  mapping  1 of 1 row right; 1.23M warp instructions"
    );
}

#[test]
fn peers_are_told_by_the_geometric_mean_of_their_times_in_units_of_ours() {
    let row = |theirs: f64| {
        let peer = Peer {
            name: "CUB 3".into(),
            version: "CUB 3".into(),
        };
        let timing = Timing::from_samples(vec![theirs]).expect("a sample");
        let time = Metric::Time(Time {
            timing,
            method: None,
            peer: Some(peer),
        });
        sample::record("scan", Cell::default())
            .taking("kernel", 0.5)
            .having("CUB 3", time)
    };
    let said = verdict(&[(table("scan"), vec![row(1.0), row(4.0)])], 80);
    assert_eq!(
        said[1],
        "  scan  2 of 2 rows right; CUB 3 4.00 times our kernel"
    );
}

#[test]
fn many_tables_are_cut_to_a_line_each_and_the_last_ones_are_counted() {
    let entry = |lines: usize| vec!["a".to_owned(); lines];
    let cut = |entries: &[Vec<String>], most| cut(entries, most, 5);
    assert_eq!(cut(&[entry(3), entry(1)], 3), ["a", "a ...", "a"]);
    let counted = ["a ...", "  and 2 further tables"];
    assert_eq!(cut(&[entry(2), entry(1), entry(1)], 2), counted);
    assert_eq!(cut(&[entry(1)], 9), ["a"]);
    assert_eq!(
        cut(&[vec!["a bcd".to_owned(), "e".to_owned()]], 1),
        ["a ..."]
    );
}
