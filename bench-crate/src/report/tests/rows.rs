//! What the page makes of rows that are wrong, of scans that were measured twice,
//! and of names that are long.

use super::*;

#[test]
fn times_of_a_row_that_is_wrong_are_in_no_figure() {
    let gpu = device("gpu", "cuda");
    let wrong = cell(&gpu, 4, 8, 0.001).taking("gpu", 0.001);
    let mut wrong = wrong.taking("nvcc_kernel", 0.001);
    wrong.status = Status::Failed;
    wrong.reason = Some("wrong: partial sum 3".into());
    let records = vec![cell(&gpu, 1, 8, 4.0), cell(&gpu, 2, 8, 2.0), wrong];
    let page = checked(&[source("a", records)]);
    let parsed = Html::parse_document(&page);
    for figure in all(&parsed, "figure") {
        assert!(!text(figure).contains("0.001"), "{}", text(figure));
    }
    let map = all(&parsed, "figure > svg.wide").into_iter().next();
    let count = |selector| map.map(|map| within(map, selector).len());
    assert_eq!((count(".mark"), count(".missing")), (Some(2), Some(1)));
}

/// Rows of `activity`: of a whole scan where `step` is 0.
fn scan(n: u64, step: u32, kernel: Option<f64>, beside: Option<f64>) -> Record {
    let cell = Cell::default().with("algorithm", "naive").with("n", n);
    let mut scan = row(&device("gpu", "cuda"), "activity", cell);
    if let Some(ms) = kernel {
        scan = scan.taking("kernel", ms);
    }
    if let Some(ms) = beside {
        scan = scan.taking("kernel_beside", ms);
    }
    if step > 0 {
        scan.cell = scan.cell.with("step", step);
        scan = scan.having("active_threads", 8_u32);
        scan = scan.having("active_warps", 1_u32);
    }
    scan
}

#[test]
fn a_scan_alone_and_beside_are_of_one_launch() {
    let records = vec![
        scan(64, 1, Some(7.0), None),
        scan(64, 0, Some(2.0), Some(3.0)),
    ];
    let parsed = Html::parse_document(&checked(&[source("a", records)]));
    let bars: Vec<String> = all(&parsed, "figure > svg.wide .mark > title")
        .into_iter()
        .map(text)
        .filter(|bar| bar.ends_with(" ms"))
        .collect();
    assert_eq!(bars, ["naive: alone: 2 ms", "naive: beside: 3 ms"]);
    // Without a row of the whole scan the steps' time stands.
    let steps = whole_text(&checked(&[source("a", vec![scan(64, 1, Some(7.0), None)])]));
    assert!(steps.contains("naive: alone: 7 ms"), "{steps}");
}

#[test]
fn the_summary_has_the_scans_of_the_published_size_alone() {
    let sizes = [32, 64, 1024].map(|n| scan(n, 1, None, None));
    let page = checked(&[source("a", sizes.to_vec())]);
    let parsed = Html::parse_document(&page);
    let summary = all(&parsed, "#summary").into_iter().next().map(text);
    let summary = summary.unwrap_or_default();
    assert!(
        summary.contains("A scan of 1024 elements, naive"),
        "{summary}"
    );
    assert!(summary.contains("Scans of 2 other sizes are in the figures."));
    assert!(!summary.contains("A scan of 32") && !summary.contains("A scan of 64"));
    assert!(whole_text(&page).contains("Active warps in each step of a scan of 32 elements"));
}

#[test]
fn a_remark_is_said_once() {
    let mut row = cell(&device("gpu", "cuda"), 1, 1, 1.0);
    row.remarks = vec!["outliers: 3 of 40 samples".into()];
    let page = checked(&[source("a", vec![row])]);
    let parsed = Html::parse_document(&page);
    let said: Vec<String> = all(&parsed, ".warnings li").into_iter().map(text).collect();
    assert_eq!(said, ["sweep-f64: 1 row: outliers: 3 of 40 samples."]);
}

#[test]
fn labels_of_bars_are_whole_however_long() {
    let long = |end: &str| format!("{} {end}", "a limit with a very long name".repeat(4));
    let limit = |name: String| {
        let cell = Cell::default().with("limit", name);
        row(&device("gpu", "cuda"), "limits", cell).having("value", 1.0)
    };
    let page = checked(&[source("a", vec![limit(long("one")), limit(long("two"))])]);
    let parsed = Html::parse_document(&page);
    for drawing in all(&parsed, "figure > svg") {
        let labels: Vec<String> = within(drawing, "text.name").into_iter().map(text).collect();
        let labels = labels.join(" ");
        assert!(!labels.contains('…'), "{labels}");
        assert!(labels.contains("one") && labels.contains("two"), "{labels}");
    }
}

#[test]
fn mappings_are_heat_maps_and_limits_bars_beside_each_other() {
    let measured = |table: &str, machine: &str, cell: Cell, value: f64| {
        let row = row(&device(machine, "cuda"), table, cell);
        row.taking("kernel", value).having("value", value)
    };
    let mapping = |finish: &str| {
        let cell = Cell::default().with("mapping", "block_strided");
        let cell = cell.with("partials", "shared").with("finish", finish);
        let cell = cell.with("strips", 1024_u64);
        cell.with("blocks", 2_u32).with("threads", 8_u32)
    };
    let limit = || Cell::default().with("limit", "copy");
    let records = vec![
        measured("mapping", "one", mapping("host"), 1.0),
        measured("mapping", "one", mapping("atomics"), 2.0),
        measured("mapping", "other", mapping("host"), 3.0),
        measured("limits", "one", limit(), 4.0),
        measured("limits", "other", limit(), 5.0),
    ];
    let page = checked(&[source("a", records)]);
    let parsed = Html::parse_document(&page);
    let marks: Vec<String> = all(&parsed, "figure > svg.wide .mark > title")
        .into_iter()
        .map(text)
        .collect();
    let expected = [
        "block strided, shared × host: 1 ms",
        "block strided, shared × atomics: 2 ms",
        "block strided, shared × host: 3 ms",
        "copy, one: 4",
        "copy, other: 5",
    ];
    for (mark, expected) in marks.iter().zip(expected) {
        assert!(mark.starts_with(expected), "{marks:?}");
    }
    assert_eq!(marks.len(), expected.len(), "{marks:?}");
}
