//! What holds for the page, whatever the records are: checked on its parsed
//! structure, with the records of an H200 and with made-up ones.

mod claims;
mod rows;

use std::collections::HashSet;

use scraper::{ElementRef, Html, Selector};

use super::{Source, html};
use crate::record::{Cell, DeviceInfo, Record, Status, sample};

fn source(name: &str, records: Vec<Record>) -> Source {
    Source {
        name: name.into(),
        records,
    }
}

/// Real records: all published cells, measured on an H200.
fn h200() -> Vec<Record> {
    let path = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../docs/records/2026-11-21-h200.jsonl"
    );
    let Ok((records, warnings)) = crate::record::file::read(path.as_ref()) else {
        panic!("{path} cannot be read")
    };
    assert!(warnings.is_empty(), "{warnings:?}");
    records
}

fn device(name: &str, kind: &str) -> DeviceInfo {
    DeviceInfo {
        name: name.into(),
        ..sample::device(kind)
    }
}

/// A row of a table with nothing in it.
fn row(device: &DeviceInfo, table: &str, cell: Cell) -> Record {
    Record {
        device: Some(device.clone()),
        ..sample::record(table, cell)
    }
}

/// A row of `sweep-f64` without a time.
fn timeless(device: &DeviceInfo, blocks: u32, threads: u32) -> Record {
    let cell = Cell::default().with("strips", 65536_u64);
    let cell = cell.with("blocks", blocks).with("threads", threads);
    row(device, "sweep-f64", cell)
}

/// A row of `sweep-f64` with one time of its kernel.
fn cell(device: &DeviceInfo, blocks: u32, threads: u32, ms: f64) -> Record {
    timeless(device, blocks, threads).taking("kernel", ms)
}

fn all<'a>(page: &'a Html, selector: &str) -> Vec<ElementRef<'a>> {
    match Selector::parse(selector) {
        Ok(selector) => page.select(&selector).collect(),
        Err(e) => panic!("{selector}: {e}"),
    }
}

fn within<'a>(element: ElementRef<'a>, selector: &str) -> Vec<ElementRef<'a>> {
    match Selector::parse(selector) {
        Ok(selector) => element.select(&selector).collect(),
        Err(e) => panic!("{selector}: {e}"),
    }
}

fn text(element: ElementRef<'_>) -> String {
    element.text().collect()
}

fn whole_text(page: &str) -> String {
    text(Html::parse_document(page).root_element())
}

/// What is wrong with a page's structure, whatever is in it.
fn faults(page: &str) -> Vec<String> {
    let page = Html::parse_document(page);
    let mut faults = Vec::new();
    let mut ids = HashSet::new();
    for element in all(&page, "[id]") {
        let id = element.attr("id").unwrap_or_default();
        if !ids.insert(id.to_owned()) {
            faults.push(format!("two elements are called {id}"));
        }
    }
    for drawing in all(&page, "figure > svg") {
        let name = drawing.attr("aria-labelledby").unwrap_or_default();
        for (attribute, selector) in [("aria-labelledby", "title"), ("aria-describedby", "desc")] {
            let id = drawing.attr(attribute).unwrap_or_default();
            let said = within(drawing, selector)
                .into_iter()
                .find(|element| element.attr("id") == Some(id))
                .map(text);
            if said.is_none_or(|said| said.trim().is_empty()) {
                faults.push(format!("{name}: {attribute} says nothing"));
            }
        }
        if drawing.attr("role") != Some("img") {
            faults.push(format!("{name} is no image"));
        }
        if within(drawing, ".mark").is_empty() {
            faults.push(format!("{name} draws nothing"));
        }
        if within(drawing, "text.axis").is_empty() {
            faults.push(format!("{name}: no axis says what it is"));
        }
        for place in within(drawing, "rect, path, circle, text") {
            let nested = within(place, "rect, path, circle, text, g");
            if !nested.is_empty() {
                faults.push(format!("{name}: a shape within a shape is not drawn"));
            }
            let numbers = ["d", "x", "y", "transform", "width", "height"];
            for value in numbers.iter().filter_map(|name| place.attr(name)) {
                if value.contains("NaN") || value.contains("inf") {
                    faults.push(format!("{name}: a place is no number: {value}"));
                }
            }
        }
    }
    for figure in all(&page, "figure") {
        if within(figure, "details table tbody tr").is_empty() {
            faults.push("a figure has no table of its data".into());
        }
        let caption = within(figure, "figcaption").into_iter().map(text);
        if caption.collect::<String>().trim().is_empty() {
            faults.push("a figure has no caption".into());
        }
        if within(figure, "svg.wide").len() != 1 || within(figure, "svg.narrow").len() != 1 {
            faults.push("a figure has not one wide and one narrow drawing".into());
        }
    }
    faults.extend(foreign(&page));
    faults
}

/// What would load something or run something.
fn foreign(page: &Html) -> Vec<String> {
    let mut faults = Vec::new();
    for element in all(
        page,
        "script, link, iframe, object, embed, img, image, base, form",
    ) {
        faults.push(format!("there is a {}", element.value().name()));
    }
    for element in all(page, "*") {
        for (name, value) in element.value().attrs() {
            let is_address = ["src", "href", "xlink:href", "action", "data", "srcset"];
            if name.starts_with("on") || (is_address.contains(&name) && !value.starts_with('#')) {
                faults.push(format!("{}: {name}={value}", element.value().name()));
            }
        }
    }
    for style in all(page, "style").into_iter().map(text) {
        if style.contains("url(") || style.contains("@import") {
            faults.push("the style sheet loads something".into());
        }
    }
    faults
}

fn checked(sources: &[Source]) -> String {
    let page = html(sources);
    assert_eq!(faults(&page), [""; 0]);
    page
}

fn figures(page: &str) -> Vec<String> {
    let page = Html::parse_document(page);
    all(&page, "figure > h4").into_iter().map(text).collect()
}

#[test]
fn every_figure_of_the_h200_has_marks_alternative_text_and_its_data() {
    let page = checked(&[source("h200", h200())]);
    let figures = figures(&page);
    for title in [
        "sweep-f64, NVIDIA H200: time of the kernel",
        "sweep-f64: time of the kernel against blocks × threads",
        "sweep-f64, Tesla S2050: published time of the span",
        "sweep-f32, GeForce 8800 GT: published time of the span",
        "sweep-f32: device and host",
        "Active warps in each step of a scan of 1024 elements",
        "Error of pi against strips: one loop on the host",
    ] {
        assert!(figures.iter().any(|figure| figure == title), "{figures:?}");
    }
}

#[test]
fn the_checks_of_the_structure_find_what_is_wrong() {
    let bad = r##"<figure><svg class="wide" role="img"><title></title><rect><rect/></rect></svg></figure>
        <p id="a"></p><p id="a"></p><script src="https://example.org/x.js"></script>
        <a href="https://example.org" onclick="x">x</a><style>p { background: url(x) }</style>"##;
    let faults = faults(bad).join("\n");
    for fault in [
        "two elements are called a",
        "aria-labelledby says nothing",
        "aria-describedby says nothing",
        "draws nothing",
        "no axis says what it is",
        "a figure has no caption",
        "a shape within a shape",
        "no table of its data",
        "not one wide and one narrow",
        "there is a script",
        "href=https://example.org",
        "onclick=x",
        "the style sheet loads something",
    ] {
        assert!(faults.contains(fault), "{fault} is not in:\n{faults}");
    }
}

#[test]
fn the_heat_map_has_a_mark_for_every_cell_with_a_time_and_no_other() {
    let gpu = device("gpu", "cuda");
    let mut failed = timeless(&gpu, 4, 8);
    failed.status = Status::Failed;
    failed.reason = Some("illegal address".into());
    let records = vec![
        cell(&gpu, 1, 8, 4.0),
        cell(&gpu, 2, 8, 2.0),
        cell(&gpu, 2, 16, 1.0),
        failed,
    ];
    let page = Html::parse_document(&checked(&[source("a", records)]));
    let map = all(&page, "figure > svg.wide").into_iter().next();
    let count = |selector| map.map(|map| within(map, selector).len());
    assert_eq!(count(".mark"), Some(3));
    assert_eq!(count(".missing"), Some(1));
    assert_eq!(count(".best"), Some(1));
}

#[test]
fn text_of_records_is_text_and_nothing_else() {
    let hostile =
        r#"</title></svg></style><script>alert(1)</script><img src=x onerror="x">'"&amp;"#;
    let mut record = cell(&device(hostile, "cuda"), 1, 1, 1.0);
    record.run = hostile.into();
    record.entries = vec![hostile.into()];
    record.remarks = vec![hostile.into()];
    record.host.cpu = hostile.into();
    record.host.git_revision = hostile.into();
    record.timestamp = hostile.into();
    let mut failed = record.clone();
    failed.cell = failed.cell.with("blocks", 2_u32);
    failed.status = Status::Failed;
    failed.reason = Some(hostile.into());
    let mut foreign = record.clone();
    foreign.table = hostile.into();
    foreign.cell = foreign.cell.with("limit", hostile);
    let mut activity = record.clone();
    activity.table = "activity".into();
    let step = activity.cell.with("algorithm", hostile).with("step", 1_u32);
    activity.cell = step.with("n", 8_u64);
    let activity = activity.having("active_threads", 8_u32);
    let activity = activity.having("active_warps", 1_u32);
    let page = checked(&[source(hostile, vec![record, failed, foreign, activity])]);
    let parsed = Html::parse_document(&page);
    assert!(all(&parsed, "script, img").is_empty());
    assert!(whole_text(&page).contains(hostile));
    let title = all(&parsed, "head > title").into_iter().next().map(text);
    assert_eq!(title, Some(format!("quadscan: {hostile}")));
}

#[test]
fn without_times_a_sentence_with_the_reason_stands_in_the_figures_place() {
    let emulator = device("H200 (emulated)", "emulator");
    let mut counted = timeless(&emulator, 1, 1);
    let page = checked(&[source("a", vec![counted.clone()])]);
    assert_eq!(figures(&page), [""; 0]);
    assert!(whole_text(&page).contains("it has results and counts, and no times"));

    counted.device = None;
    counted.status = Status::Skipped;
    counted.reason = Some("no device: there is no driver".into());
    let page = checked(&[source("a", vec![counted])]);
    assert_eq!(figures(&page), [""; 0]);
    assert!(whole_text(&page).contains("no device: there is no driver"));
}

#[test]
fn a_time_that_no_logarithm_has_is_not_drawn() {
    let gpu = device("gpu", "cuda");
    for ms in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        let page = checked(&[source("a", vec![cell(&gpu, 1, 1, ms)])]);
        assert_eq!(figures(&page), [""; 0], "{ms}");
    }
}

#[test]
fn one_record_alone_is_a_page_with_figures() {
    let page = checked(&[source("a", vec![cell(&device("gpu", "cuda"), 2, 8, 0.5)])]);
    assert_eq!(
        figures(&page),
        [
            "sweep-f64, gpu: time of the kernel",
            "sweep-f64: time of the kernel against blocks × threads",
            "sweep-f64: device and host",
        ]
    );
    checked(&[]);
}

#[test]
fn several_machines_stand_side_by_side_under_names_of_their_own() {
    let cells = |name: &str, ms| vec![cell(&device(name, "cuda"), 1, 8, ms)];
    let page = checked(&[
        source("monday", cells("gpu", 1.0)),
        source("tuesday", cells("gpu", 2.0)),
        source("elsewhere", cells("other", 3.0)),
    ]);
    let parsed = Html::parse_document(&page);
    let names: Vec<String> = all(&parsed, "#summary h3").into_iter().map(text).collect();
    assert_eq!(names, ["gpu (monday)", "gpu (tuesday)", "other"]);
    let legend: Vec<String> = all(&parsed, "figure .legend li")
        .into_iter()
        .map(text)
        .collect();
    assert_eq!(legend[..3], ["gpu (monday)", "gpu (tuesday)", "other"]);
    let same = checked(&[
        source("a", cells("gpu", 1.0)),
        source("a", cells("gpu", 1.0)),
    ]);
    assert!(whole_text(&same).contains("gpu (a) 2"));
    assert!(whole_text(&same).contains("1 machine, from 2 sources. 2 rows"));
}

#[test]
fn of_each_table_the_newest_run_is_shown_and_of_a_cell_its_last_row() {
    let gpu = device("gpu", "cuda");
    let of = |run: &str, day: u32, ms| {
        let mut record = cell(&gpu, 1, 8, ms);
        record.run = run.into();
        record.timestamp = format!("2026-01-0{day}T00:00:00Z");
        record
    };
    let records = vec![of("new", 2, 7.0), of("old", 1, 5.0), of("new", 2, 3.0)];
    let text = whole_text(&checked(&[source("a", records)]));
    assert!(text.contains("The best kernel takes 3 ms"), "{text}");
    assert!(text.contains("1 row, all measured and right"), "{text}");
    assert!(!text.contains("5 ms") && !text.contains("old"), "{text}");
}

#[test]
fn the_summary_says_what_the_published_tables_say() {
    let text = whole_text(&checked(&[source("h200", h200())]));
    for said in [
        // The published answer: 289 and 71 active warps, 58 figures of 29 steps.
        "naive: 10 steps, 9217 active threads and 289 active warps",
        "work-efficient: 19 steps, 2045 active threads and 71 active warps",
        "All 58 values that were published (active threads and active warps)",
        // The page's best cells.
        "published for the Tesla S2050 are 2.64 ms, at 64 × 256",
        "published for the GeForce 8800 GT are 0.99 ms, at 16 × 256",
        "All 10 values that were published (pi)",
    ] {
        assert!(text.contains(said), "{said}");
    }
}

#[test]
fn a_digit_that_is_not_the_published_one_is_counted() {
    let mut records = h200();
    records.retain(|record| record.table == "accuracy");
    records[0].metrics.put("pi", Some(3.0));
    let text = whole_text(&checked(&[source("h200", records)]));
    assert!(text.contains("9 of 10 values that were published (pi)"));
}

#[test]
fn a_table_of_another_version_keeps_its_rows() {
    let mut record = cell(&device("gpu", "cuda"), 1, 8, 1.0);
    record.table = "to come".into();
    let text = whole_text(&checked(&[source("a", vec![record])]));
    assert!(text.contains("to come") && text.contains("strips=65536 blocks=1 threads=8"));
}
