//! The short forms of all tables, from the kept record of an H200.

use std::path::Path;

use super::super::fit::columns;
use super::*;
use crate::record::file::read;
use crate::record::{Cell, Status, sample};
use crate::tables;

/// The rows of a kept run that a table has where nothing is asked for.
fn kept(table: &Table) -> Vec<Record> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let (records, warnings) =
        read(&docs.join("records/2026-11-22-h200.jsonl")).expect("a kept record");
    assert_eq!(warnings, [""; 0]);
    let cells = table
        .selected(&Default::default())
        .expect("the usual cells");
    let mut records = records.into_iter();
    let is_usual = |record: &Record| record.table == table.name && cells.contains(&record.cell);
    records.by_ref().filter(is_usual).collect()
}

fn usual() -> impl Iterator<Item = &'static Table> {
    tables::all().into_iter().filter(|table| table.is_usual)
}

fn lines(table: &str, records: &[Record], width: usize, lines: usize) -> Vec<String> {
    let table = tables::by_name(table).expect("a table");
    let text = short(table, records, Room { width, lines });
    text.lines().map(str::to_owned).collect()
}

fn of(table: &str, width: usize) -> Vec<String> {
    let records = kept(tables::by_name(table).expect("a table"));
    lines(table, &records, width, 100)
}

#[test]
fn all_tables_that_are_measured_where_none_is_named_fit_a_terminal() {
    for width in [80, 81, 100, 120, 200] {
        let mut sum = 0;
        for table in usual() {
            let records = kept(table);
            assert!(!records.is_empty(), "{}", table.name);
            let lines = lines(table.name, &records, width, 100);
            for line in &lines {
                assert!(columns(line) <= width && line.trim_end() == line, "{line}");
            }
            assert!(lines.len() > 2, "{lines:?}");
            sum += 1 + lines.len();
        }
        assert!(sum - 1 <= 100, "{sum} lines at {width} columns");
    }
}

#[test]
fn without_times_the_sweeps_have_their_counts_and_all_tables_still_fit() {
    let emulated = |mut record: Record| {
        let pi = record.number("pi");
        record.metrics = Default::default();
        record.metrics.put("pi", pi);
        record.counts = Some(quadscan::device::Counts {
            warp_instructions: 201_326_610,
            ..Default::default()
        });
        record
    };
    let tables = usual().filter(|table| !["activity", "limits"].contains(&table.name));
    let mut sum = 0;
    for table in tables {
        let records: Vec<Record> = kept(table).into_iter().map(emulated).collect();
        let lines = lines(table.name, &records, 80, 100);
        assert!(lines.iter().all(|line| columns(line) <= 80), "{lines:#?}");
        sum += lines.len();
        if table.name == "sweep-f64" {
            assert_eq!(
                lines[..5],
                [
                    "sweep-f64: warp instructions by blocks and threads, below it published ms;",
                    "strips=16777216",
                    "blocks      1      4      8     16     32     64    128    256    512   1024",
                    "     1 201.3M        201.3M 201.3M 201.3M 201.3M 201.3M 201.3M 201.3M 201.3M",
                    "         9591          1199  599.5  299.8  149.9  76.39   40.9   29.6",
                ]
            );
        }
    }
    assert!(sum <= 75, "{sum} lines");
}

#[test]
fn a_sweep_is_blocks_by_threads_with_the_published_time_below_the_measured() {
    let lines = of("sweep-f64", 80);
    assert_eq!(
        lines[..4],
        [
            "sweep-f64: ms by blocks and threads, below it published ms; strips=16777216",
            "blocks    1     4      8     16     32     64    128    256    512   1024",
            "     1  929        116.2  58.14  29.08  14.54  7.284   3.84  2.357  2.079",
            "       9591         1199  599.5  299.8  149.9  76.39   40.9   29.6",
        ]
    );
    assert_eq!(lines.len(), 2 + 2 * 14);
    let wide = of("sweep-f64", 120);
    assert!(
        wide[2].starts_with("     1  928.98          116.19    58.14   29.081 "),
        "{wide:?}"
    );
}

#[test]
fn no_digit_of_a_pi_is_left_out() {
    let lines = of("sweep-f32", 80);
    assert!(
        lines.contains(
            &"        3.456289  3.179302  3.129773  3.132620  3.134941  3.134089  3.133834"
                .to_owned()
        ),
        "{lines:?}"
    );
}

#[test]
fn the_accuracies_are_the_ten_published_rows() {
    let lines = of("accuracy", 80);
    assert_eq!(
        lines[1..4],
        [
            "beside it; 10 of 54 rows",
            "precision   strips              pi       published   on the device     error",
            "      f32    65536  3.141592264175  3.141592264175  3.141596317291  -3.89e-7",
        ]
    );
    assert_eq!(lines.len(), 13);
}

#[test]
fn the_activity_is_threads_and_warps_a_step_in_panels() {
    let lines = of("activity", 80);
    assert_eq!(
        lines[..4],
        [
            "activity: threads and warps by step and algorithm; n=1024",
            "               naive  work_efficient                  naive  work_efficient",
            "step  threads  warps  threads  warps   step  threads  warps  threads  warps",
            "   1     1023     32      512     16     11                        2      1",
        ]
    );
    assert_eq!(lines.len(), 13);
}

#[test]
fn what_a_way_to_sum_loses_is_shown_where_it_has_no_time() {
    let mut records = kept(tables::by_name("mapping").expect("a table"));
    assert!(
        lines("mapping", &records, 80, 100)[0]
            .starts_with("mapping: ms by mapping, partials and finish;")
    );
    for record in &mut records {
        record.metrics = Default::default();
        record.metrics.put("pi", Some(3.25));
    }
    let lines = lines("mapping", &records, 80, 100);
    assert!(
        lines[0].starts_with("mapping: rounding error by "),
        "{lines:?}"
    );
    assert_eq!(lines.len(), 15);
}

#[test]
fn rows_that_were_skipped_are_their_reason() {
    let mut records = kept(tables::by_name("limits").expect("a table"));
    for record in &mut records {
        record.metrics = Default::default();
        (record.status, record.reason) = (Status::Skipped, Some("there are no times".into()));
    }
    assert_eq!(
        lines("limits", &records, 80, 100),
        ["limits: 17 rows skipped: there are no times"]
    );
    assert_eq!(
        lines("limits", &[], 80, 100),
        ["limits: nothing was measured"]
    );
}

#[test]
fn what_does_not_fit_the_lines_is_counted() {
    let records = kept(tables::by_name("sweep-f64").expect("a table"));
    let lines = lines("sweep-f64", &records, 80, 10);
    assert_eq!(lines.len(), 10);
    assert_eq!(
        lines[9],
        "... 21 more lines: `bench sweep-f64`, or --full-tables"
    );
}

#[test]
fn columns_that_do_not_fit_the_width_stand_below_after_the_columns_that_name_a_row() {
    let row = |blocks: u32, threads: u32| {
        // The page has no time of so few strips.
        let cell = Cell::default().with("strips", 1024_u32);
        let cell = cell.with("blocks", blocks).with("threads", threads);
        sample::record("sweep-f64", cell).taking("gpu", 1.25)
    };
    let records: Vec<Record> = (1..=4)
        .map(|threads| row(1, threads))
        .chain([row(2, 1)])
        .collect();
    let lines = lines("sweep-f64", &records, 16, 100);
    assert_eq!(
        lines[lines.len() - 6..],
        [
            "blocks    1    2",
            "     1 1.25 1.25",
            "     2 1.25",
            "blocks    3    4",
            "     1 1.25 1.25",
            "     2",
        ]
    );
}
