//! `quadscan report` and the files that `bench` leaves, from the outside.

use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{folder, quadscan};

fn records() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/records/2026-11-21-h200.jsonl")
}

/// A folder with the records of an H200.
fn results() -> tempfile::TempDir {
    let folder = folder();
    fs::copy(records(), folder.path().join("records.jsonl")).expect("copied");
    folder
}

fn read(path: impl AsRef<Path>) -> String {
    fs::read_to_string(path).expect("a file of text")
}

fn files(folder: &Path) -> usize {
    fs::read_dir(folder).expect("a folder").count()
}

/// The exit code 2 and one sentence, which is returned.
fn refused(folder: &Path, arguments: &[&str]) -> String {
    let outcome = quadscan(folder, arguments);
    assert_eq!((outcome.code, &*outcome.output), (2, ""), "{outcome:?}");
    assert_eq!(outcome.errors.lines().count(), 1, "{outcome:?}");
    outcome.errors
}

#[test]
fn a_folders_report_is_in_the_folder_and_its_name_is_printed() {
    let folder = results();
    let outcome = quadscan(folder.path(), &["report", "."]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(
        (&*outcome.output, &*outcome.errors),
        ("./report.html\n", "")
    );
    let page = read(folder.path().join("report.html"));
    assert!(page.contains("<title>quadscan: NVIDIA H200</title>"));
    assert_eq!(files(folder.path()), 2, "no draft is left");
}

#[test]
fn several_folders_are_one_page_and_are_told_apart_by_their_names() {
    let folder = folder();
    for name in ["before", "after"] {
        let part = folder.path().join(name);
        fs::create_dir(&part).expect("a folder");
        fs::copy(records(), part.join("records.jsonl")).expect("copied");
    }
    let arguments = ["report", "before", "after", "--output", "both.html"];
    let outcome = quadscan(folder.path(), &arguments);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let page = read(folder.path().join("both.html"));
    for name in ["NVIDIA H200 (before)", "NVIDIA H200 (after)"] {
        assert!(page.contains(name), "{name}");
    }
    assert_eq!(files(folder.path()), 3);
}

#[test]
fn a_torn_line_and_a_foreign_one_are_left_out_with_a_warning() {
    let folder = results();
    let path = folder.path().join("records.jsonl");
    let text = format!("{{\"what\": 1}}\n{}{{\"schema\":2,\"ru", read(&path));
    fs::write(&path, text).expect("written");
    let outcome = quadscan(folder.path(), &["report", "."]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    for warning in ["its torn last line", "1 line is not a record"] {
        assert!(outcome.errors.contains(warning), "{outcome:?}");
    }
    let page = read(folder.path().join("report.html"));
    assert!(page.contains("169 rows, all measured and right"));
}

#[test]
fn what_has_no_records_is_refused_and_nothing_is_written() {
    let folder = folder();
    let sentence = refused(folder.path(), &["report", "."]);
    assert!(sentence.contains("records.jsonl"), "{sentence}");
    let sentence = refused(folder.path(), &["report", "elsewhere"]);
    assert!(sentence.contains("elsewhere"), "{sentence}");
    refused(folder.path(), &["report"]);
    fs::write(folder.path().join("records.jsonl"), "nothing\n").expect("written");
    let sentence = refused(folder.path(), &["report", "."]);
    assert!(sentence.contains("has no records"), "{sentence}");
    assert_eq!(files(folder.path()), 1);
}

#[test]
fn a_run_is_chosen_by_the_start_of_its_name_and_an_unknown_one_is_refused() {
    let folder = results();
    let chosen = ["report", ".", "--run", "2026-11-21T06:26"];
    assert_eq!(quadscan(folder.path(), &chosen).code, 0);
    let page = folder.path().join("report.html");
    let whole = read(&page);
    let sentence = refused(folder.path(), &["report", ".", "--run", "1999"]);
    assert!(sentence.contains("2026-11-21T06:26:18"), "{sentence}");
    assert_eq!(read(&page), whole, "the old page stays");
}

#[test]
fn a_page_that_cannot_be_written_is_refused_and_nothing_is_left() {
    let folder = results();
    fs::create_dir(folder.path().join("page")).expect("a folder where the page should be");
    for page in ["page", "none/page.html"] {
        let sentence = refused(folder.path(), &["report", ".", "--output", page]);
        assert!(sentence.contains("--output"), "{sentence}");
    }
    assert_eq!(files(folder.path()), 2);
}

#[test]
fn bench_leaves_a_csv_file_a_table_and_the_report() {
    let folder = folder();
    let arguments = [
        "bench", "activity", "accuracy", "--strips", "65536", "--device", "emulator", "--format",
        "csv", "--repeat", "1",
    ];
    let outcome = quadscan(folder.path(), &arguments);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let results = folder.path().join("results");
    let notice = Some("report: results/report.html\n");
    assert_eq!(outcome.report.as_deref(), notice, "{outcome:?}");
    let tables = ["activity.csv", "accuracy.csv"].map(|name| read(results.join(name)));
    assert_eq!(outcome.output, tables.join("\n"), "as they are printed");
    let page = read(results.join("report.html"));
    assert!(page.contains("Active warps in each step of a scan of 1024 elements"));
}

#[test]
fn pictures_are_files_of_their_own_in_a_folder_that_is_there() {
    let folder = results();
    let missing = refused(folder.path(), &["report", ".", "--pictures", "pictures"]);
    assert!(missing.contains("--pictures"), "{missing}");
    assert_eq!(files(folder.path()), 1, "nothing is written");

    fs::create_dir(folder.path().join("pictures")).expect("a folder");
    let outcome = quadscan(folder.path(), &["report", ".", "--pictures", "pictures"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    for name in ["sweep-f64.svg", "sweep-f32.svg"] {
        let picture = read(folder.path().join("pictures").join(name));
        assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
        assert!(picture.contains("NVIDIA H200, driver 580.159.04, 2026-11-21."));
    }
    assert_eq!(
        files(&folder.path().join("pictures")),
        2,
        "no draft is left"
    );
}

/// The emulator has no times, and `activity` has no figure at the head of the page.
#[test]
fn records_without_a_picture_are_refused_where_pictures_are_asked_for() {
    let folder = folder();
    fs::write(folder.path().join("x.csv"), "a,b\n1,2\n").expect("written");
    let foreign = refused(folder.path(), &["report", "x.csv", "--pictures", "."]);
    assert!(
        foreign.contains("no line of x.csv is one; x.csv: 2 lines are not records"),
        "{foreign}"
    );
    fs::write(folder.path().join("y.jsonl"), "").expect("written");
    let empty = refused(folder.path(), &["report", "y.jsonl", "--pictures", "."]);
    assert!(
        empty.trim_end().ends_with("no line of y.jsonl is one"),
        "{empty}"
    );
    fs::remove_file(folder.path().join("y.jsonl")).expect("removed");
    let all = read(records());
    let activity = all.lines().filter(|line| line.contains("\"activity\""));
    let lines: String = activity.map(|line| format!("{line}\n")).collect();
    fs::write(folder.path().join("records.jsonl"), lines).expect("written");
    let none = refused(folder.path(), &["report", ".", "--pictures", "."]);
    let sentence = "error: --pictures has no figure to write: allowed are records with times of \
                    sweep-f64, sweep-f32, ";
    assert!(none.starts_with(sentence), "{none}");
    assert_eq!(files(folder.path()), 2, "no page is written");
}
