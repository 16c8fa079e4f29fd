//! Cells, columns and means of given rows; and on the emulator, which has no times, what is
//! compared and what is missing.

use super::*;
use crate::export::{self, Format};
use crate::measure::Session;
use crate::record::sample::record;
use crate::tables::testing::{
    asked, beside, cells, csv, described, emulated, expect_to_come_back, expect_unknown, measured,
    problem,
};

#[test]
fn a_cell_is_an_operation_a_type_a_size_and_an_algorithm() {
    let cells = described(
        &SCAN,
        &[
            ("sizes", "8,9"),
            ("types", "f32"),
            ("operations", "by_key,inclusive_sum,reduce"),
            ("algorithms", "one_wave"),
        ],
    );
    assert_eq!(
        cells,
        [
            "operation=inclusive_sum type=f32 algorithm=default n=8",
            "operation=inclusive_sum type=f32 algorithm=one_wave n=8",
            "operation=inclusive_sum type=f32 algorithm=default n=9",
            "operation=inclusive_sum type=f32 algorithm=one_wave n=9",
            "operation=by_key type=f32 algorithm=default n=8 segment=32",
            "operation=by_key type=f32 algorithm=default n=9 segment=32",
        ]
    );
    let lists = [("sizes", "8"), ("types", "f32"), ("algorithms", "all")];
    assert_eq!(described(&SCAN, &lists).len(), 1 + Algorithm::ALL.len());
}

#[test]
fn where_nothing_is_said_every_type_has_the_usual_sizes() {
    // 2^10 to 2^24.
    assert_eq!(described(&SCAN, &[]).len(), 14 * 15);
    assert_eq!(described(&REDUCE, &[]).len(), 4 * 15);
    let is_for_emulator = |n: u64| SCAN.is_for_emulator(&Cell::default().with("n", n));
    assert!(is_for_emulator(1 << 16) && !is_for_emulator(1 << 17));
}

#[test]
fn an_objection_names_the_list_and_what_is_allowed() {
    let said = problem(&SCAN, &[("operations", "sum")]);
    let start = "--operations `sum` is unknown, allowed are all, inclusive_sum, exclusive_sum, ";
    assert!(said.starts_with(start), "{said}");
    assert_eq!(
        problem(&REDUCE, &[("operations", "in_place")]),
        "--operations has no value for the table reduce, allowed are all, reduce, reduce_min, \
         reduce_max, segmented_reduce"
    );
    let said = problem(&SCAN, &[("types", "i33")]);
    assert!(
        said.starts_with("--types `i33` is unknown, allowed are all, u8, i8, "),
        "{said}"
    );
    assert_eq!(
        problem(&SCAN, &[("operations", "min,by_key"), ("types", "u8")]),
        "--types has no type of min, by_key, allowed are i32, f32"
    );
    assert_eq!(
        problem(&SCAN, &[("types", "u8,u8")]),
        "--types names u8 twice, once is allowed"
    );
    // Those of scans, and not those that activity has of its own axis of that name.
    let said = problem(&SCAN, &[("algorithms", "fastest")]);
    let start = "--algorithms `fastest` is unknown, allowed are all, one_block, ";
    assert!(said.starts_with(start) && !said.contains("naive"), "{said}");
}

#[test]
fn the_device_is_asked_for_what_the_cell_says() {
    let asked = asked(&[
        ("sizes", "8"),
        ("types", "u8_u32"),
        ("algorithms", "lookahead"),
    ]);
    let cells = cells(&SCAN, &asked);
    let sizes = cells.iter().filter_map(asked_for).map(|(size, algorithm)| {
        let Size {
            workload,
            element,
            n,
            segment,
        } = size;
        let algorithm = algorithm.map(Algorithm::name);
        (workload.name, element, n, segment, algorithm)
    });
    let size = |algorithm| ("inclusive_sum", Element::U8ToU32, 8, 1, algorithm);
    assert_eq!(
        sizes.collect::<Vec<_>>(),
        [size(None), size(Some("lookahead"))]
    );
}

fn cell(operation: &str, element: &str, n: u64) -> Cell {
    let cell = Cell::default()
        .with("operation", operation)
        .with("type", element);
    cell.with("algorithm", DEFAULT).with("n", n)
}

/// A row; the figures are made up: no run gave them.
fn row(operation: &str, element: &str, n: u64, us: f64, cubs: &[(&str, f64)]) -> Record {
    let row = record("scan", cell(operation, element, n))
        .having("bytes", 8 * n)
        .having("copy_bytes", 8 * n)
        .having("chosen", "one_wave")
        .taking("kernel", 1e-3 * us)
        .taking("copy", 1e-3 * us / 2.0);
    beside(row, cubs)
}

/// Ratios 2 and 8 of f32, of which the geometric mean is 4, and 1/2 of u8.
fn rows() -> Vec<Record> {
    vec![
        row(
            "inclusive_sum",
            "f32",
            1 << 10,
            1.0,
            &[("CUB 3.0.1", 2.0), ("CUB 3.5.0", 3.0)],
        ),
        row(
            "in_place",
            "f32",
            1 << 30,
            1.0,
            &[("CUB 3.0.1", 9.0), ("CUB 3.5.0", 8.0)],
        ),
        row(
            "inclusive_sum",
            "u8",
            1 << 10,
            4.0,
            &[("CUB 3.0.1", 2.0), ("torch", 1.0)],
        ),
    ]
}

#[test]
fn means_are_geometric_and_of_the_faster_cub() {
    assert_eq!(
        (SCAN.summary)(&rows()),
        [
            "scan: the faster CUB's time in units of ours, geometric mean over the whole table: \
             2.000 (3 rows)",
            "scan: 4-byte types from 2^10 to 2^24: 2.000 (1 row)",
            "scan: by operation: inclusive_sum 1.000 (2 rows), in_place 8.000 (1 row)",
            "scan: by type: f32 4.000 (2 rows), u8 0.500 (1 row)",
            "scan: rows below 1: 1; the lowest is 0.500: operation=inclusive_sum type=u8 \
             algorithm=default n=1024",
        ]
    );
}

#[test]
fn rows_that_have_not_both_times_or_are_wrong_or_of_a_named_algorithm_are_in_no_mean() {
    let mut rows = rows();
    rows[0].status = Status::Failed;
    rows[1].cell = rows[1].cell.clone().with("algorithm", "lookahead");
    let without_ours = record("scan", rows[2].cell.clone());
    rows[2] = beside(without_ours, &[("CUB 3.0.1", 2.0), ("torch", 1.0)]);
    assert_eq!((SCAN.summary)(&rows), [""; 0]);
    let packages = row(
        "inclusive_sum",
        "f32",
        8,
        1.0,
        &[("torch", 2.0), ("cupy", 2.0)],
    );
    assert_eq!((SCAN.summary)(&[packages]), [""; 0]);
}

#[test]
fn a_row_has_its_rates_and_every_peer_a_time_and_a_ratio() {
    let rows = rows();
    let lines = csv(&SCAN, &rows);
    assert!(lines[0].starts_with(
        "algorithm,type,n,operation,segment,chosen,us,noise_percent,gb_per_s,percent_of_copy,\
         cub_3.0.1_us,cub_3.0.1_ratio,cub_3.5.0_us,cub_3.5.0_ratio,torch_us,torch_ratio,cub_ratio,"
    ));
    // 8192 bytes in 1 us, and the copy in half of it.
    let first = "default,f32,1024,inclusive_sum,,one_wave,1,0.0,8.2,50.0,2,2.000,3,3.000,,,2.000,";
    assert!(lines[1].starts_with(first), "{}", lines[1]);
    let third = "default,u8,1024,inclusive_sum,,one_wave,4,0.0,2.0,50.0,2,0.500,,,1,0.250,0.500,";
    assert!(lines[3].starts_with(third), "{}", lines[3]);
    for format in [Format::Markdown, Format::Json, Format::Table] {
        let columns = export::select(SCAN.columns_of(&rows), format, false);
        assert!(export::render(format, &columns, &rows).contains("cub_3.5.0_ratio"));
    }
}

#[test]
fn a_row_comes_back_from_its_line_of_json() {
    let rows = rows();
    expect_to_come_back(&rows);
    let line = serde_json::to_string(&rows[0]).expect("records have a form");
    assert!(line.contains(r#""type":"f32""#), "{line}");
}

/// What the device says of an operation.
fn read(
    session: &mut Session,
    workload: &Workload,
    element: Element,
    (n, algorithm): (u64, Option<&str>),
) -> Record {
    let table = match workload.family {
        Family::Scan => &SCAN,
        Family::Reduce => &REDUCE,
        Family::Select => &SELECT,
    };
    let cell = cell(workload.name, element.name(), n).with("segment", 7_u64);
    let cell = cell.with("algorithm", algorithm.unwrap_or(DEFAULT));
    measured(session, table, &cell)
}

fn by_name(workload: &str) -> &'static Workload {
    Workload::by_name(workload).expect("a known operation")
}

#[test]
fn every_workload_of_ours_is_right_on_every_type() {
    let mut session = emulated();
    for workload in Workload::ALL {
        for &element in workload.elements {
            let row = read(&mut session, workload, element, (3001, None));
            let at = format!("{} of {element:?}", workload.name);
            assert_eq!((row.status, row.reason), (Status::Ok, None), "{at}");
            assert!(row.metrics.count("bytes").is_some_and(|bytes| bytes > 0));
            assert_eq!(row.metrics.times().count(), 0, "{at}");
        }
    }
}

#[test]
fn an_algorithm_is_the_one_that_was_asked_for_or_says_why_it_is_not_there() {
    let mut session = emulated();
    let mut of = |n, algorithm| {
        let workload = by_name("inclusive_sum");
        let row = read(&mut session, workload, Element::U32, (n, algorithm));
        let chosen = row.metrics.text("chosen").map(str::to_owned);
        (chosen, row.status, row.reason.is_some())
    };
    let ours = |name: &str| (Some(name.to_owned()), Status::Ok, false);
    assert_eq!(of(100, None), ours("one_block"));
    assert_eq!(of(100, Some("lookahead")), ours("lookahead"));
    assert_eq!(
        of(100_000, Some("one_block")),
        (None, Status::Skipped, true)
    );
}

#[test]
fn what_is_chosen_is_what_scans_where_the_arrays_begin() {
    let module = emulated().module;
    let chosen = |workload: &str, element| {
        let size = Size {
            workload: by_name(workload),
            element,
            n: 1 << 26,
            segment: 1,
        };
        let plan = ours::plan(&module, &size, None).expect("a plan, or none");
        plan.and_then(|plan| plan.algorithm(&size))
    };
    for placed in [
        "inclusive_sum",
        "in_place",
        "unaligned_input",
        "unaligned_output",
    ] {
        assert_eq!(chosen(placed, Element::U32), Some("lookahead"));
    }
}

#[test]
fn more_elements_than_offsets_count_are_left_out_and_not_taken_for_wrong() {
    let mut session = emulated();
    for operation in ["segmented_scan", "segmented_reduce"] {
        let workload = by_name(operation);
        let row = read(&mut session, workload, Element::F32, (1 << 32, None));
        let sentence =
            format!("the offsets of {operation} have 32 bits, and count up to 4294967295 elements");
        assert_eq!((row.status, row.reason), (Status::Skipped, Some(sentence)));
    }
}

#[test]
fn what_the_process_does_not_know_is_an_error_that_names_it() {
    let mut session = emulated();
    for unknown in [
        cell("median", "u32", 8),
        cell("in_place", "u33", 8),
        cell("in_place", "u32", 8).with("algorithm", "x"),
    ] {
        expect_unknown(&mut session, &SCAN, &unknown);
    }
}
