//! `quadscan report` and the files that `bench` leaves, from the outside.

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

fn quadscan() -> Command {
    Command::new(env!("CARGO_BIN_EXE_quadscan"))
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

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

/// The exit code 2 and one sentence, which is returned.
fn refusal(command: &mut Command) -> String {
    let output = command.output().expect("quadscan starts");
    let sentence = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(2), "{sentence}");
    assert_eq!(sentence.lines().count(), 1, "{sentence}");
    assert!(output.stdout.is_empty());
    sentence
}

#[test]
fn a_folders_report_is_in_the_folder_and_its_name_is_printed() {
    let folder = results();
    let page = folder.path().join("report.html");
    quadscan()
        .arg("report")
        .arg(folder.path())
        .assert()
        .code(0)
        .stdout(format!("{}\n", page.display()))
        .stderr("");
    assert!(read(&page).contains("<title>quadscan: NVIDIA H200</title>"));
    assert_eq!(
        fs::read_dir(folder.path()).expect("a folder").count(),
        2,
        "no draft is left"
    );
}

#[test]
fn several_folders_are_one_page_and_are_told_apart_by_their_names() {
    let (one, other) = (results(), results());
    let page = one.path().join("both.html");
    quadscan()
        .arg("report")
        .args([one.path(), other.path()])
        .arg("--output")
        .arg(&page)
        .assert()
        .code(0);
    let text = read(&page);
    for folder in [&one, &other] {
        let name = folder.path().file_name().unwrap_or_default();
        let name = format!("NVIDIA H200 ({})", name.to_string_lossy());
        assert!(text.contains(&name), "{name}");
    }
    assert!(!one.path().join("report.html").exists());
}

#[test]
fn a_torn_line_and_a_foreign_one_are_left_out_with_a_warning() {
    let folder = results();
    let path = folder.path().join("records.jsonl");
    let mut text = read(&path);
    text.insert_str(0, "{\"what\": \"else\"}\n");
    text.push_str("{\"run\": \"torn");
    fs::write(&path, text).expect("written");
    let mut command = quadscan();
    let output = command.arg("report").arg(folder.path()).output();
    let output = output.expect("quadscan starts");
    let warnings = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{warnings}");
    assert!(warnings.contains("its torn last line"), "{warnings}");
    assert!(warnings.contains("1 line is no record"), "{warnings}");
    assert!(read(folder.path().join("report.html")).contains("169 rows, all measured and right"));
}

#[test]
fn what_has_no_records_is_refused_and_nothing_is_written() {
    let empty = folder();
    let sentence = refusal(quadscan().arg("report").arg(empty.path()));
    assert!(sentence.contains("records.jsonl"), "{sentence}");
    fs::write(empty.path().join("records.jsonl"), "nothing\n").expect("written");
    let sentence = refusal(quadscan().arg("report").arg(empty.path()));
    assert!(sentence.contains("has no records"), "{sentence}");
    let sentence = refusal(quadscan().args(["report", "no such folder"]));
    assert!(sentence.contains("no such folder"), "{sentence}");
    refusal(quadscan().arg("report"));
    assert!(!empty.path().join("report.html").exists());
}

#[test]
fn a_run_is_chosen_by_the_start_of_its_name_and_an_unknown_one_is_refused() {
    let folder = results();
    let page = folder.path().join("report.html");
    let mut command = quadscan();
    command.arg("report").arg(folder.path());
    command.args(["--run", "2026-11-21T06:26"]).assert().code(0);
    let whole = read(&page);
    let mut command = quadscan();
    command.arg("report").arg(folder.path());
    let sentence = refusal(command.args(["--run", "1999"]));
    assert!(sentence.contains("2026-11-21T06:26:18"), "{sentence}");
    assert_eq!(read(&page), whole, "the old page stays");
}

#[test]
fn a_page_that_cannot_be_written_is_refused_and_the_old_one_stays() {
    let folder = results();
    let page = folder.path().join("page");
    fs::create_dir(&page).expect("a folder where the page should be");
    let mut command = quadscan();
    command.arg("report").arg(folder.path()).arg("--output");
    let sentence = refusal(command.arg(&page));
    assert!(sentence.contains("--output"), "{sentence}");
    let mut command = quadscan();
    command.arg("report").arg(folder.path()).arg("--output");
    refusal(command.arg(folder.path().join("none/page.html")));
    assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 2);
}

#[test]
fn bench_leaves_a_csv_file_a_table_and_the_report() {
    let folder = folder();
    let run = || {
        quadscan()
            .args(["bench", "activity", "accuracy", "--strips", "65536"])
            .args(["--device", "emulator", "--format", "csv", "--out"])
            .arg(folder.path())
            .output()
            .expect("quadscan starts")
    };
    let output = run();
    let notices = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{notices}");
    let page = folder.path().join("report.html");
    let notice = format!("report: {}", page.display());
    assert!(notices.contains(&notice), "{notices}");
    let tables: Vec<String> = ["activity.csv", "accuracy.csv"]
        .iter()
        .map(|name| read(folder.path().join(name)))
        .collect();
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        tables.join("\n"),
        "the files hold what the same format prints"
    );
    assert!(read(&page).contains("Active warps in each step of a scan of 1024 elements"));
}
