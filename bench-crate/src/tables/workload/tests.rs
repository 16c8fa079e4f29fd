//! Cells, columns and means of given rows.

use super::*;
use crate::export::{self, Format};
use crate::measure::Timing;
use crate::record::{HostInfo, PeerTime, Status, Timings, Values};

fn selection(change: impl FnOnce(&mut Asked)) -> Selection {
    let mut selection = Selection::default();
    change(&mut selection.arrays);
    selection
}

fn list(names: &[&str]) -> Option<Vec<String>> {
    Some(names.iter().map(|&name| name.to_owned()).collect())
}

fn described(table: &Workloads, change: impl FnOnce(&mut Asked)) -> Vec<String> {
    let cells = table.cells(&selection(change));
    let cells = cells.unwrap_or_else(|e| panic!("{e}"));
    cells.iter().map(Key::describe).collect()
}

fn problem(table: &Workloads, change: impl FnOnce(&mut Asked)) -> String {
    let cells = table.cells(&selection(change));
    cells
        .err()
        .map(|error| error.to_string())
        .unwrap_or_default()
}

#[test]
fn a_cell_is_an_operation_a_type_a_size_and_an_algorithm() {
    let cells = described(&SCAN, |asked| {
        asked.sizes = Some(vec![8, 9]);
        asked.types = list(&["f32"]);
        asked.operations = list(&["by_key", "inclusive_sum", "reduce"]);
        asked.algorithms = list(&["one_wave"]);
    });
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
    let all = described(&SCAN, |asked| {
        asked.sizes = Some(vec![8]);
        asked.types = list(&["f32"]);
        asked.algorithms = list(&["all"]);
    });
    assert_eq!(all.len(), 1 + quadscan::scan::Algorithm::ALL.len());
}

#[test]
fn where_nothing_is_said_every_type_has_the_usual_sizes() {
    // 2^10 to 2^24.
    assert_eq!(described(&SCAN, |_| {}).len(), 14 * 15);
    assert_eq!(described(&REDUCE, |_| {}).len(), 4 * 15);
    let key = |n| Key {
        n: Some(n),
        ..Key::default()
    };
    assert!(SCAN.is_for_emulator(&key(1 << 16)) && !SCAN.is_for_emulator(&key(1 << 17)));
}

#[test]
fn an_objection_names_the_list_and_what_is_allowed() {
    let said = problem(&SCAN, |asked| asked.operations = list(&["sum"]));
    let start = "--operations `sum` is unknown, allowed are all, inclusive_sum, exclusive_sum, ";
    assert!(said.starts_with(start), "{said}");
    assert_eq!(
        problem(&REDUCE, |asked| asked.operations = list(&["in_place"])),
        "--operations has none of the table reduce, allowed there are all, reduce, reduce_min, \
         reduce_max, segmented_reduce"
    );
    let said = problem(&SCAN, |asked| asked.types = list(&["i33"]));
    assert!(
        said.starts_with("--types `i33` is unknown, allowed are u8, i8, "),
        "{said}"
    );
    let said = problem(&SCAN, |asked| {
        asked.operations = list(&["min", "by_key"]);
        asked.types = list(&["u8"]);
    });
    assert_eq!(
        said,
        "--types has no type of min, by_key, allowed are i32, f32"
    );
    let said = problem(&SCAN, |asked| asked.types = list(&["u8", "u8"]));
    assert_eq!(said, "--types names u8 twice, once is allowed");
    let said = problem(&SCAN, |asked| asked.algorithms = list(&["fastest"]));
    let start = "--algorithms `fastest` is unknown, allowed are all, one_block, ";
    assert!(said.starts_with(start), "{said}");
}

#[test]
fn the_device_is_asked_for_what_the_cell_says() {
    let cells = SCAN.cells(&selection(|asked| {
        asked.sizes = Some(vec![8]);
        asked.types = list(&["u8_u32"]);
        asked.algorithms = list(&["lookahead"]);
    }));
    let tasks: Vec<_> = cells
        .unwrap_or_default()
        .iter()
        .filter_map(|key| SCAN.task(key))
        .collect();
    let task = |algorithm: Option<&str>| Task::Workload {
        operation: "inclusive_sum".into(),
        element: Element::U8ToU32,
        n: 8,
        segment: 1,
        algorithm: algorithm.map(str::to_owned),
    };
    assert_eq!(tasks, [task(None), task(Some("lookahead"))]);
}

fn timing(us: f64) -> Option<Timing> {
    Timing::from_samples(vec![1e-3 * us])
}

/// A row; the figures are made up: no run gave them.
fn row(operation: &str, element: &str, n: u64, us: f64, cubs: &[(&str, f64)]) -> Record {
    let peer = |&(name, us): &(&str, f64)| PeerTime {
        name: name.to_owned(),
        version: name.to_owned(),
        timing: timing(us).unwrap_or_else(|| panic!("a sample")),
        method: "graph of 2".into(),
    };
    Record {
        run: String::new(),
        table: "scan".into(),
        key: Key {
            algorithm: Some(DEFAULT.into()),
            n: Some(n),
            operation: Some(operation.into()),
            element: Some(element.into()),
            ..Key::default()
        },
        status: Status::Ok,
        reason: None,
        values: Values {
            bytes: Some(8 * n),
            copy_bytes: Some(8 * n),
            algorithm: Some("one_wave".into()),
            ..Values::default()
        },
        timings: Timings {
            kernel: timing(us),
            copy: timing(us / 2.0),
            peers: cubs.iter().map(peer).collect(),
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
        SCAN.summary(&rows()),
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
    rows[1].key.algorithm = Some("lookahead".into());
    rows[2].timings.kernel = None;
    assert_eq!(SCAN.summary(&rows), [""; 0]);
    let packages = row(
        "inclusive_sum",
        "f32",
        8,
        1.0,
        &[("torch", 2.0), ("cupy", 2.0)],
    );
    assert_eq!(SCAN.summary(&[packages]), [""; 0]);
}

#[test]
fn a_row_has_its_rates_and_every_peer_a_time_and_a_ratio() {
    let rows = rows();
    let columns = export::select(SCAN.columns_of(&rows), Format::Table, false);
    let text = export::render(Format::Csv, &columns, &rows);
    let lines: Vec<&str> = text.lines().collect();
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
    for row in rows() {
        let line = serde_json::to_string(&row).unwrap_or_default();
        assert!(line.contains(r#""type":"#), "{line}");
        assert_eq!(serde_json::from_str::<Record>(&line).ok(), Some(row));
    }
}
