//! The measuring process from outside: one that faults, hangs, dies or talks
//! nonsense costs its own row and nothing else; and an interrupted run loses no
//! row.

use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use crate::common::{NO_DEVICE, READY, command, done, ends, fake, folder, full, quadscan};
use quadscan_bench::record::{Record, Status};

/// Answers every job, but `fault` and `hang` as `case` says.
fn worker(folder: &Path, cases: &str) -> String {
    fake(
        folder,
        &format!(
            r#"{READY}
            while read -r line; do
                id=${{line#*\"id\":}}; id=${{id%%,*}}
                case "$line" in
                    {cases}
                esac
                echo "$line" >> log
                {}
            done"#,
            done("{}")
        ),
    )
}

fn rows(folder: &Path) -> Vec<Record> {
    let text = std::fs::read_to_string(folder.join("results/records.jsonl")).unwrap_or_default();
    text.lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect()
}

/// Runs `faults` with a worker and gives the status and reason of each row.
fn faults(cases: &str) -> Vec<(Status, String)> {
    let folder = folder();
    let worker = worker(folder.path(), cases);
    let begin = Instant::now();
    let outcome = quadscan(
        folder.path(),
        &[
            "bench",
            "faults",
            "--worker",
            &worker,
            "--cell-timeout",
            "1",
            "--format",
            "csv",
        ],
    );
    assert_eq!(outcome.code, 1, "{outcome:?}");
    assert_eq!(outcome.output.lines().count(), 6, "{}", outcome.output);
    assert!(
        begin.elapsed() < Duration::from_secs(20),
        "{:?}",
        begin.elapsed()
    );
    rows(folder.path())
        .into_iter()
        .map(|record| (record.status, record.reason.unwrap_or_default()))
        .collect()
}

fn assert_second_and_fourth_failed(rows: &[(Status, String)], second: &str, fourth: &str) {
    let statuses: Vec<Status> = rows.iter().map(|row| row.0).collect();
    assert_eq!(
        statuses,
        [
            Status::Ok,
            Status::Failed,
            Status::Ok,
            Status::Failed,
            Status::Ok
        ],
        "{rows:?}"
    );
    assert!(rows[1].1.contains(second), "{}", rows[1].1);
    assert!(rows[3].1.contains(fourth), "{}", rows[3].1);
}

#[test]
fn a_lost_context_and_a_hang_cost_their_own_rows() {
    let rows = faults(
        r#"*\"fault\"*) echo "{\"failed\":{\"id\":$id,\"reason\":\"illegal address (700)\",\"lost\":true}}"; exit 0;;
           *\"hang\"*) exec sleep 30;;"#,
    );
    assert_second_and_fourth_failed(&rows, "illegal address (700)", "no result within 1 s");
}

#[test]
fn a_death_and_nonsense_cost_their_own_rows() {
    let rows = faults(r#"*\"fault\"*) exit 7;; *\"hang\"*) echo hello; continue;;"#);
    assert_second_and_fourth_failed(
        &rows,
        "died: exit status: 7",
        "gave an invalid answer: `hello`",
    );
}

#[test]
fn a_failure_without_loss_and_an_answer_to_another_question_cost_their_own_rows() {
    let rows = faults(
        r#"*\"fault\"*) echo "{\"failed\":{\"id\":$id,\"reason\":\"refused\",\"lost\":false}}"; continue;;
           *\"hang\"*) id=4711;;"#,
    );
    assert_second_and_fourth_failed(&rows, "refused", "answered another question");
}

#[test]
fn a_worker_that_cannot_be_started_again_fails_the_rest_quickly() {
    let folder = folder();
    let worker = fake(
        folder.path(),
        &format!("test -e started && exit 3\ntouch started\n{READY}\nread -r line\nexit 7"),
    );
    let outcome = quadscan(folder.path(), &["bench", "faults", "--worker", &worker]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let rows = rows(folder.path());
    assert_eq!(rows.len(), 5);
    assert!(rows.iter().all(|row| row.status == Status::Failed));
    let reason = rows[4].reason.clone().unwrap_or_default();
    assert!(reason.contains("could not be started again"), "{reason}");
}

#[test]
fn a_gpu_that_is_gone_after_a_fault_is_not_replaced_by_another_device() {
    let folder = folder();
    let other = READY.replace("\"name\":\"fake\"", "\"name\":\"another\"");
    assert_ne!(other, READY);
    let worker = fake(
        folder.path(),
        &format!(
            "if test -e started; then\n{other}\nelse\ntouch started\n{READY}\nfi\n\
             read -r line\nexit 7"
        ),
    );
    let outcome = quadscan(folder.path(), &["bench", "faults", "--worker", &worker]);
    assert_eq!(outcome.code, 1, "{outcome:?}");
    let reason = rows(folder.path())[1].reason.clone().unwrap_or_default();
    let end = "could not be started again: it has another device: another, not fake";
    assert!(reason.ends_with(end), "{reason}");
}

#[test]
fn a_worker_that_never_greets_is_refused() {
    let folder = folder();
    for script in ["exit 1", "echo hello"] {
        let worker = fake(folder.path(), script);
        let outcome = quadscan(folder.path(), &["bench", "faults", "--worker", &worker]);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(
            outcome
                .errors
                .starts_with("error: cannot start the measuring process: ")
        );
        assert_eq!(outcome.errors.lines().count(), 1, "{}", outcome.errors);
    }
}

#[test]
fn an_interrupted_run_keeps_its_rows_and_goes_on_where_it_was() {
    let folder = folder();
    let hanging = worker(folder.path(), r#"*\"hang\"*) exec sleep 30;;"#);
    let mut process = match std::process::Command::new(crate::common::PROGRAM)
        .args(["bench", "faults", "--worker", &hanging])
        .current_dir(folder.path())
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
    {
        Ok(process) => process,
        Err(e) => panic!("{e}"),
    };
    let begin = Instant::now();
    while rows(folder.path()).len() < 3 && begin.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(process.kill().is_ok() && process.wait().is_ok());
    assert_eq!(rows(folder.path()).len(), 3);

    // The last line was being written when the power went.
    let path = folder.path().join("results/records.jsonl");
    let whole = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(std::fs::write(&path, whole.clone() + "{\"schema\":2").is_ok());
    assert!(std::fs::remove_file(folder.path().join("log")).is_ok());

    let healthy = worker(folder.path(), "never) ;;");
    let outcome = quadscan(
        folder.path(),
        &["bench", "faults", "--worker", &healthy, "--format", "csv"],
    );
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert!(
        outcome.errors.contains("its torn last line is dropped"),
        "{}",
        outcome.errors
    );
    assert_eq!(outcome.output.lines().count(), 6, "all rows are printed");
    let log = std::fs::read_to_string(folder.path().join("log")).unwrap_or_default();
    assert_eq!(
        log.lines().count(),
        2,
        "two cells were left to measure:\n{log}"
    );
    let rows = rows(folder.path());
    assert_eq!(rows.len(), 5);
    assert!(rows.iter().all(|row| row.run == rows[0].run));
}

/// A worker that answers every job with this time of the kernel, ms.
fn timed(folder: &Path, ms: &str) -> String {
    fake(
        folder,
        &format!(
            r#"{READY}
            while read -r line; do
                id=${{line#*\"id\":}}; id=${{id%%,*}}
                echo "$line" >> log
                {}
            done"#,
            done(&format!(
                r#"{{"kernel":{{"value":{ms},"unit":"ms","samples":[{ms}]}}}}"#
            ))
        ),
    )
}

/// One cell of the sweep, then whatever else.
fn cell<'a>(worker: &'a str, extra: &[&'a str]) -> Vec<&'a str> {
    let mut arguments = vec![
        "bench",
        "sweep-f64",
        "--strips",
        "65536",
        "--worker",
        worker,
    ];
    arguments.extend(["--threads", "8", "--blocks", "8"]);
    arguments.extend(extra);
    arguments
}

#[test]
fn a_slower_run_misses_its_baseline_with_exit_code_1() {
    let folder = folder();
    let bench = |ms: &str, extra: [&str; 2]| {
        quadscan(folder.path(), &cell(&timed(folder.path(), ms), &extra))
    };
    let saved = bench("1.0", ["--save", "first"]);
    assert_eq!(saved.code, 0, "{saved:?}");
    let slower = bench("1.2", ["--baseline", "first"]);
    assert_eq!(slower.code, 1, "{slower:?}");
    let line = "slower: sweep-f64 strips=65536 blocks=8 threads=8: kernel_ms 1 -> 1.2, \
                ratio 1.200 (1.200 to 1.200)\n";
    assert!(slower.output.contains(line), "{}", slower.output);
    let equal = bench("1.001", ["--baseline", "first"]);
    assert_eq!(equal.code, 0, "{equal:?}");
    assert!(
        equal
            .output
            .contains("0 slower, 0 faster, 1 not distinguishable")
    );
    let wide = quadscan(
        folder.path(),
        &cell(
            &timed(folder.path(), "1.2"),
            &["--baseline", "first", "--margin", "25"],
        ),
    );
    assert_eq!(wide.code, 0, "{wide:?}");
}

#[test]
fn a_comparison_leaves_standard_output_to_the_rows_where_it_has_no_room_for_words() {
    let folder = folder();
    let worker = timed(folder.path(), "1.0");
    let bench = |extra: &[&str]| quadscan(folder.path(), &cell(&worker, extra));
    assert_eq!(bench(&["--save", "first"]).code, 0);
    for format in ["csv", "json"] {
        let outcome = bench(&["--baseline", "first", "--format", format]);
        assert!(!outcome.output.contains("baseline"), "{outcome:?}");
        let counts = "compared: 0 slower, 0 faster, 1 not distinguishable\n";
        assert!(outcome.errors.contains(counts), "{outcome:?}");
    }
    let outcome = bench(&["--baseline", "first", "--format", "markdown"]);
    let section = "\n## Baseline `first`\n\n| | baseline | this run |\n| --- | --- | --- |\n";
    assert!(outcome.output.contains(section), "{outcome:?}");
    assert!(!outcome.errors.contains("baseline"), "{outcome:?}");
}

#[test]
fn a_run_to_be_compared_is_measured_by_several_processes() {
    let processes = |extra: &[&str]| {
        let folder = folder();
        let worker = timed(folder.path(), "1.0");
        let outcome = quadscan(folder.path(), &cell(&worker, extra));
        assert_eq!(outcome.code, 0, "{outcome:?}");
        let rows = rows(folder.path());
        rows[0]
            .timing("kernel")
            .map(|timing| timing.processes.len())
    };
    assert_eq!(processes(&[]), Some(0), "one, as samples were ever kept");
    assert_eq!(processes(&["--save", "x"]), Some(16));
    assert_eq!(processes(&["--save", "x", "--processes", "3"]), Some(3));
    assert_eq!(processes(&["--processes", "2"]), Some(2));
}

#[test]
fn processes_that_cannot_hold_the_device_are_said() {
    let folder = folder();
    let timed = timed(folder.path(), "1.0");
    let text = std::fs::read_to_string(&timed).unwrap_or_default();
    // The first three get it.
    let script = text.replace(
        "#!/bin/sh\n",
        "mkdir a 2>/dev/null || mkdir b 2>/dev/null || mkdir c 2>/dev/null ||\n\
         { echo '{\"refused\":{\"reason\":\"the device is taken\"}}'; exit; }\n",
    );
    let worker = fake(folder.path(), &script);
    let outcome = quadscan(folder.path(), &cell(&worker, &["--save", "x"]));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let said =
        "3 of 16 measuring processes hold the device, the others do not: the device is taken\n";
    assert!(outcome.errors.contains(said), "{outcome:?}");
}

#[test]
fn a_run_that_could_not_be_saved_has_not_ended() {
    let folder = folder();
    let worker = timed(folder.path(), "1.0");
    let save = || quadscan(folder.path(), &cell(&worker, &["--save", "first"]));
    assert!(std::fs::create_dir(folder.path().join("results")).is_ok());
    let baselines = folder.path().join("results/baselines");
    assert!(std::fs::write(&baselines, "").is_ok());
    let refused = save();
    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(
        refused
            .errors
            .contains("error: --out results: cannot write ")
    );

    assert!(std::fs::remove_file(&baselines).is_ok());
    let saved = save();
    assert_eq!(saved.code, 0, "{saved:?}");
    assert_eq!(
        rows(folder.path()).len(),
        1,
        "the row was not measured again"
    );
    let kept = std::fs::read_to_string(baselines.join("first.jsonl"));
    assert_eq!(kept.unwrap_or_default().lines().count(), 1);
}

#[test]
fn a_baseline_with_failed_rows_says_how_many_there_are() {
    let folder = folder();
    let broken = worker(
        folder.path(),
        r#"*) echo "{\"failed\":{\"id\":$id,\"reason\":\"refused\",\"lost\":false}}"; continue;;"#,
    );
    let saved = quadscan(folder.path(), &cell(&broken, &["--save", "torn"]));
    assert_eq!(saved.code, 1, "{saved:?}");
    let said = "baseline `torn`: 1 row failed and has no time in it\n";
    assert!(saved.errors.contains(said), "{saved:?}");
    let whole = timed(folder.path(), "1.0");
    let outcome = quadscan(folder.path(), &cell(&whole, &["--baseline", "torn"]));
    assert!(
        outcome.output.contains("failed in the baseline: "),
        "{outcome:?}"
    );
}

#[test]
fn a_run_is_not_compared_with_itself() {
    // It was saved, interrupted after that, and gone on with to be compared.
    let folder = folder();
    let worker = timed(folder.path(), "1.0");
    let again = cell(&worker, &["--baseline", "same"]);
    let first = quadscan(folder.path(), &cell(&worker, &["--save", "same"]));
    assert_eq!(first.code, 0, "{first:?}");
    let run = folder.path().join("results/run.json");
    let text = std::fs::read_to_string(&run).unwrap_or_default();
    let open = text.replace("\"finished\": true", "\"finished\": false");
    assert_ne!(open, text);
    assert!(std::fs::write(&run, open).is_ok());
    let outcome = quadscan(folder.path(), &again);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let said = "baseline `same` is this run itself: nothing is compared";
    assert!(outcome.output.contains(said), "{outcome:?}");
}

#[test]
fn a_run_that_has_nothing_of_its_baseline_misses_it() {
    let folder = folder();
    let saved = quadscan(
        folder.path(),
        &cell(&timed(folder.path(), "1.0"), &["--save", "first"]),
    );
    assert_eq!(saved.code, 0, "{saved:?}");
    let gone = quadscan(
        folder.path(),
        &cell(&fake(folder.path(), NO_DEVICE), &["--baseline", "first"]),
    );
    assert_eq!(gone.code, 1, "{gone:?}");
    assert!(
        gone.output
            .contains("the baseline has kernel_ms, this run has none"),
        "{gone:?}"
    );
}

#[test]
fn a_run_is_gone_on_with_by_one_that_measures_the_same_and_by_no_other() {
    let folder = folder();
    let worker = timed(folder.path(), "1.0");
    let jobs = || {
        let log = std::fs::read_to_string(folder.path().join("log")).unwrap_or_default();
        log.lines().count()
    };
    // Nobody hears the results, so the run has not ended and its row is kept.
    let unheard = |extra: &[&str], path: Option<&Path>| {
        let mut command = command(folder.path(), &cell(&worker, extra));
        if let Some(path) = path {
            let old = std::env::var_os("PATH").unwrap_or_default();
            let folders = std::iter::once(path.to_owned()).chain(std::env::split_paths(&old));
            command.env("PATH", std::env::join_paths(folders).unwrap_or_default());
        }
        let outcome = ends(command.stdout(full()).stderr(Stdio::piped()));
        assert_eq!(outcome.code, 2, "{outcome:?}");
        jobs()
    };
    assert_eq!(unheard(&[], None), 1);
    assert_eq!(unheard(&[], None), 1, "the row is there");
    assert_eq!(unheard(&["--published"], None), 2, "without the peers");
    assert_eq!(unheard(&["--published"], None), 2);

    assert_eq!(unheard(&[], None), 3);
    let bin = folder.path().join("bin");
    let peers = folder.path().join("peers");
    for folder in [&bin, &peers] {
        assert!(std::fs::create_dir(folder).is_ok());
    }
    assert!(std::fs::write(peers.join("quarter_circle.cu"), "").is_ok());
    let nvcc = fake(&bin, "exit 0");
    assert!(std::fs::rename(nvcc, bin.join("nvcc")).is_ok());
    assert_eq!(unheard(&[], Some(&bin)), 4, "with the peers");
    assert_eq!(unheard(&[], Some(&bin)), 4);
}

#[test]
fn a_driver_that_prints_to_standard_output_disturbs_no_answer() {
    let folder = folder();
    let source = folder.path().join("driver.rs");
    let library = folder.path().join("libdriver.so");
    // The real measuring process, and a driver that has no device and says so
    // where kernels print.
    let text = "#![crate_type = \"cdylib\"]\n\
                #[unsafe(no_mangle)]\n\
                pub extern \"C\" fn cuInit(_flags: u32) -> i32 { println!(\"noise\"); 100 }\n\
                #[unsafe(no_mangle)]\n\
                pub unsafe extern \"C\" fn cuDriverGetVersion(version: *mut i32) -> i32 {\n\
                unsafe { *version = 13_000 }; 0 }\n";
    assert!(std::fs::write(&source, text).is_ok());
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let compiled = std::process::Command::new(rustc)
        .args(["--edition=2024", "-o"])
        .args([&library, &source])
        .status();
    assert!(compiled.is_ok_and(|status| status.success()));
    let arguments = ["bench", "accuracy", "--strips", "16", "--format", "csv"];
    let outcome = ends(
        command(folder.path(), &arguments)
            .env(libcuda_lazy::LIBRARY_VARIABLE, &library)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped()),
    );
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let why = "since there is no GPU (the NVIDIA driver finds no GPU)";
    assert!(outcome.errors.contains(why), "{outcome:?}");
    assert!(outcome.errors.contains("noise\n"), "{outcome:?}");
    assert!(!outcome.output.contains("noise"), "{outcome:?}");
}
