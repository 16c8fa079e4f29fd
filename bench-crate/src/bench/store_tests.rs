//! Records survive what happens to a run.

use super::*;
use crate::record::{Cell, sample};

fn folder() -> tempfile::TempDir {
    match tempfile::tempdir() {
        Ok(folder) => folder,
        Err(e) => panic!("{e}"),
    }
}

fn open(folder: &Path, request: &str) -> Store {
    match Store::open(folder, request, None) {
        Ok(store) => store,
        Err(e) => panic!("{e}"),
    }
}

fn record(run: &str, step: u32, status: Status) -> Record {
    let record = sample::record("activity", Cell::default().with("step", step));
    Record {
        run: run.to_owned(),
        status,
        ..record.having("pi", 0.1 + 0.2)
    }
}

fn append(store: &mut Store, step: u32, status: Status) {
    let record = record(store.run(), step, status);
    assert!(store.append(&record).is_ok());
}

fn steps(store: &Store) -> Vec<u32> {
    store
        .resumed()
        .iter()
        .filter_map(|record| record.cell.small("step"))
        .collect()
}

fn warnings(store: &Store) -> Vec<String> {
    store.warnings().collect()
}

fn text(folder: &Path) -> String {
    fs::read_to_string(folder.join("records.jsonl")).unwrap_or_default()
}

#[test]
fn an_interrupted_run_is_resumed_without_its_failed_rows() {
    let folder = folder();
    let mut first = open(folder.path(), "a");
    append(&mut first, 1, Status::Ok);
    append(&mut first, 2, Status::Failed);
    append(&mut first, 3, Status::Skipped);
    let run = first.run().to_owned();
    drop(first);
    let second = open(folder.path(), "a");
    assert_eq!((second.run(), steps(&second)), (run.as_str(), vec![1, 3]));
    assert_eq!(
        second.resumed()[0].number("pi"),
        Some(0.1 + 0.2),
        "bit for bit"
    );
}

#[test]
fn another_request_another_ptx_or_a_finished_run_starts_anew_and_keeps_the_rows() {
    let folder = folder();
    let mut first = open(folder.path(), "a");
    append(&mut first, 1, Status::Ok);
    drop(first);
    assert!(steps(&open(folder.path(), "b")).is_empty());
    let mut third = open(folder.path(), "c");
    append(&mut third, 1, Status::Ok);
    assert!(third.finish().is_ok());
    drop(third);
    assert!(steps(&open(folder.path(), "c")).is_empty());
    assert_eq!(text(folder.path()).lines().count(), 2);
}

#[test]
fn another_ptx_starts_anew() {
    let folder = folder();
    let device = |sha: &str| DeviceInfo {
        ptx_sha256: sha.into(),
        ..sample::device("cuda")
    };
    let resumed = |sha: &str| {
        let Ok(mut store) = Store::open(folder.path(), "a", Some(&device(sha))) else {
            panic!("not opened");
        };
        let resumed = steps(&store);
        append(&mut store, 1, Status::Ok);
        resumed
    };
    assert_eq!(resumed("x"), Vec::<u32>::new());
    assert_eq!(resumed("x"), [1]);
    assert_eq!(resumed("y"), Vec::<u32>::new());
}

#[test]
fn a_last_line_that_is_whole_but_for_its_end_is_kept() {
    let folder = folder();
    let mut first = open(folder.path(), "a");
    append(&mut first, 1, Status::Ok);
    append(&mut first, 2, Status::Ok);
    drop(first);
    let whole = text(folder.path());
    let path = folder.path().join("records.jsonl");
    assert!(fs::write(&path, whole.trim_end()).is_ok());
    let second = open(folder.path(), "a");
    assert_eq!(steps(&second), [1, 2]);
    assert!(warnings(&second)[0].ends_with("its last line had no end and has one now"));
    assert_eq!(text(folder.path()), whole);
}

#[test]
fn a_last_line_of_another_program_is_refused_and_stays() {
    for foreign in ["my notes", "{\"mine\":1", "{\"run\":1}", "[1]"] {
        let folder = folder();
        let path = folder.path().join("records.jsonl");
        assert!(fs::write(&path, format!("a line\n{foreign}")).is_ok());
        let refused = Store::open(folder.path(), "a", None).map(drop);
        let sentence = refused.map_err(|error| error.to_string());
        let problem = "its last line has no end and is not a record";
        assert!(
            sentence.is_err_and(|sentence| sentence.contains(problem)),
            "{foreign}"
        );
        assert_eq!(text(folder.path()), format!("a line\n{foreign}"));
    }
}

#[test]
fn a_torn_last_line_is_dropped_with_a_warning_and_the_file_goes_on_after_it() {
    let folder = folder();
    let mut first = open(folder.path(), "a");
    append(&mut first, 1, Status::Ok);
    assert!(first.records.write_all(b"{\"schema\":2,\"ru").is_ok());
    drop(first);
    let mut second = open(folder.path(), "a");
    assert_eq!(steps(&second), [1]);
    assert_eq!(warnings(&second).len(), 1);
    assert!(warnings(&second)[0].ends_with("its torn last line is dropped"));
    append(&mut second, 2, Status::Ok);
    drop(second);
    let third = open(folder.path(), "a");
    assert_eq!(steps(&third), [1, 2]);
    assert!(warnings(&third).is_empty(), "{:?}", warnings(&third));
}

#[test]
fn whole_lines_that_are_no_records_are_ignored_and_kept_wherever_they_stand() {
    // The last one may be a record of a newer program.
    let folder = folder();
    let mut first = open(folder.path(), "a");
    assert!(first.records.write_all(b"hello\n").is_ok());
    append(&mut first, 1, Status::Ok);
    assert!(first.records.write_all(b"{\"run\":\"x\"}\n").is_ok());
    drop(first);
    let before = text(folder.path());
    let mut second = open(folder.path(), "a");
    assert_eq!(steps(&second), [1]);
    assert_eq!(warnings(&second).len(), 1);
    assert!(warnings(&second)[0].ends_with("2 lines are not records, ignored and kept"));
    assert_eq!(text(folder.path()), before);
    append(&mut second, 2, Status::Ok);
    drop(second);
    assert_eq!(steps(&open(folder.path(), "a")), [1, 2]);
    assert!(text(folder.path()).starts_with(&before));
}

#[test]
fn another_revision_of_the_program_starts_anew() {
    let folder = folder();
    let mut first = open(folder.path(), "a");
    append(&mut first, 1, Status::Ok);
    drop(first);
    let path = folder.path().join("run.json");
    let text = fs::read_to_string(&path).unwrap_or_default();
    let mut run: Run = match serde_json::from_str(&text) {
        Ok(run) => run,
        Err(e) => panic!("{e}"),
    };
    run.host.git_revision.push('x');
    assert!(fs::write(&path, serde_json::to_vec(&run).unwrap_or_default()).is_ok());
    assert!(steps(&open(folder.path(), "a")).is_empty());
}

#[test]
fn two_runs_do_not_write_to_one_folder() {
    let folder = folder();
    let _first = open(folder.path(), "a");
    let second = Store::open(folder.path(), "a", None);
    let problem = second.err().map(|e| e.to_string()).unwrap_or_default();
    assert!(
        problem.starts_with("--out ") && problem.contains("in use"),
        "{problem}"
    );
}

#[test]
fn a_folder_below_a_file_cannot_be_written() {
    let folder = folder();
    let file = folder.path().join("file");
    assert!(fs::write(&file, "").is_ok());
    let problem = Store::open(&file.join("x"), "a", None)
        .err()
        .map(|e| e.to_string());
    assert!(problem.unwrap_or_default().starts_with("--out "));
}

#[test]
fn a_baseline_comes_back_as_it_was_saved() {
    let folder = folder();
    let store = open(folder.path(), "a");
    let records = vec![record("x", 1, Status::Ok), record("x", 2, Status::Ok)];
    assert!(store.save_baseline("v1", &records).is_ok());
    assert_eq!(
        read_baseline(folder.path(), "v1").unwrap_or_default(),
        records
    );
    let missing = read_baseline(folder.path(), "v2")
        .err()
        .map(|e| e.to_string());
    assert!(missing.unwrap_or_default().starts_with("--baseline `v2`"));
}

#[test]
fn a_baseline_that_is_not_whole_is_refused_for_what_it_is() {
    let folder = folder();
    let store = open(folder.path(), "a");
    let path = baseline_path(folder.path(), "v1");
    for (extra, problem) in [
        ("{\"schema\":", "its last line is torn"),
        ("hello\n", "1 line is not a record"),
        (
            "{\"schema\":1,\"run\":\"a\",\"table\":\"x\"}\n",
            "1 line is not a record: 1 of another version of quadscan, known is schema 2",
        ),
    ] {
        assert!(
            store
                .save_baseline("v1", &[record("x", 1, Status::Ok)])
                .is_ok()
        );
        let text = fs::read_to_string(&path).unwrap_or_default() + extra;
        assert!(fs::write(&path, text).is_ok());
        let said = read_baseline(folder.path(), "v1").map_err(|e| e.to_string());
        let Err(said) = said else { panic!("{extra}") };
        assert!(said.ends_with(problem), "{said}");
    }
}

/// What another version left of a run.
fn left_by_another_version(folder: &Path, is_finished: bool) {
    let mut first = open(folder, "a");
    append(&mut first, 1, Status::Ok);
    if is_finished {
        assert!(first.finish().is_ok());
    }
    drop(first);
    let path = folder.join("run.json");
    let text = fs::read_to_string(&path).expect("it is there");
    let schema = format!("  \"schema\": {SCHEMA},\n");
    assert!(text.contains(&schema), "{text}");
    fs::write(&path, text.replace(&schema, "")).expect("it can be written");
}

#[test]
fn a_run_of_another_version_is_not_resumed_and_that_is_said() {
    let folder = folder();
    left_by_another_version(folder.path(), false);
    let second = open(folder.path(), "a");
    assert_eq!(steps(&second), [0; 0]);
    let said = warnings(&second);
    assert_eq!(said.len(), 1, "{said:?}");
    assert!(
        said[0].contains(" is of another version of quadscan and cannot be resumed; its records"),
        "{said:?}"
    );
    assert_eq!(text(folder.path()).lines().count(), 1, "they are kept");
}

#[test]
fn a_run_of_another_version_that_has_ended_is_nobodys_loss() {
    let folder = folder();
    left_by_another_version(folder.path(), true);
    assert_eq!(warnings(&open(folder.path(), "a")), [""; 0]);
}
