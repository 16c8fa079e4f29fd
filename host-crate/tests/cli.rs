//! The command line from outside: what is refused, and how, and what is printed
//! without a GPU. The device is always a fake one or none, so that these tests say
//! the same on every machine.

mod common;

use std::path::Path;

use common::{NO_DEVICE, Outcome, fake, folder, quadscan};

/// Exit code 2, nothing on standard output, one sentence on standard error that
/// begins with `start`; and nothing written.
fn refused(arguments: &[&str], start: &str) -> String {
    let folder = folder();
    let outcome = quadscan(folder.path(), arguments);
    assert_eq!(outcome.code, 2, "{arguments:?}: {outcome:?}");
    assert_eq!(outcome.output, "", "{arguments:?}");
    assert_eq!(
        outcome.errors.lines().count(),
        1,
        "{arguments:?}: {}",
        outcome.errors
    );
    assert!(
        outcome.errors.starts_with(&format!("error: {start}")),
        "{arguments:?}: {}",
        outcome.errors
    );
    let written = std::fs::read_dir(folder.path()).map(Iterator::count);
    assert_eq!(written.ok(), Some(0), "{arguments:?} wrote something");
    outcome.errors
}

/// A fake device whose answers do not matter, so that a refusal comes from the
/// request alone.
fn without_device(arguments: &[&str]) -> (tempfile::TempDir, Outcome) {
    let folder = folder();
    let outcome = without_device_in(folder.path(), arguments);
    (folder, outcome)
}

fn without_device_in(folder: &Path, arguments: &[&str]) -> Outcome {
    let worker = fake(folder, NO_DEVICE);
    let mut all = vec!["bench", "--worker", &worker];
    all.extend(arguments);
    quadscan(folder, &all)
}

#[test]
fn an_unknown_table_is_refused_with_the_known_ones() {
    let sentence = refused(&["bench", "nonsense"], "TABLE `nonsense` is unknown");
    assert!(
        sentence.contains("activity, sweep-f64, sweep-f32, accuracy"),
        "{sentence}"
    );
    refused(&["bench", "mapping"], "TABLE `mapping` is unknown");
    refused(
        &["bench", "accuracy", "accuracy"],
        "TABLE `accuracy` is named twice",
    );
}

#[test]
fn numbers_out_of_range_are_refused_with_the_range() {
    for (arguments, start) in [
        (
            ["--threads", "0"],
            "--threads `0` is out of range, allowed are 1 to 1024",
        ),
        (
            ["--threads", "1025"],
            "--threads `1025` is out of range, allowed are 1 to 1024",
        ),
        (["--threads", "8,8"], "--threads `8,8` names 8 twice"),
        (["--threads", "a"], "--threads `a` is not a whole number"),
        (["--threads", ""], "--threads `` is not a whole number"),
        (
            ["--blocks", "0"],
            "--blocks `0` is out of range, allowed are 1 to 67108864",
        ),
        (
            ["--blocks", "4294967296"],
            "--blocks `4294967296` is out of range",
        ),
        (["--blocks", "1,,2"], "--blocks `` is not a whole number"),
        (
            ["--strips", "0"],
            "--strips `0` is out of range, allowed are 1 to 2147483648",
        ),
        (
            ["--strips", "2147483649"],
            "--strips `2147483649` is out of range",
        ),
        (["--strips", "1e6"], "--strips `1e6` is not a whole number"),
        (["--repeat", "0"], "--repeat `0` is out of range"),
        (
            ["--cell-timeout", "0"],
            "--cell-timeout `0` is out of range",
        ),
    ] {
        refused(&["bench", arguments[0], arguments[1]], start);
    }
}

#[test]
fn strips_that_blocks_times_threads_does_not_divide_are_refused() {
    let sentence = refused(
        &[
            "bench",
            "sweep-f64",
            "--strips",
            "1000",
            "--blocks",
            "1",
            "--threads",
            "64",
        ],
        "--strips 1000 is not a multiple of blocks * threads = 1 * 64 = 64",
    );
    assert!(sentence.contains("refuses such a size"), "{sentence}");
    assert!(sentence.contains("would drop 40 strips"), "{sentence}");
}

#[test]
fn more_partial_sums_than_fit_are_refused() {
    refused(
        &[
            "bench",
            "sweep-f64",
            "--blocks",
            "67108864",
            "--threads",
            "2",
        ],
        "--blocks 67108864 with --threads 2 makes 134217728 partial sums",
    );
}

#[test]
fn unknown_words_are_refused() {
    refused(&["bench", "--device", "gpu"], "--device `gpu` is unknown");
    refused(
        &["bench", "--device", "emulator"],
        "--device `emulator` is not part of this build",
    );
    refused(&["bench", "--format", "xml"], "--format `xml` is unknown");
    refused(&["bench", "--save", "a/b"], "--save `a/b` is no name");
    refused(
        &["bench", "--baseline", "none"],
        "--baseline `none` cannot be read",
    );
    refused(
        &["bench", "--frmat", "csv"],
        "unexpected argument '--frmat' found",
    );
    refused(
        &["bench", "--quick", "--full"],
        "the argument '--quick' cannot be used with",
    );
    refused(&["benhc"], "unrecognized subcommand 'benhc'");
}

#[test]
fn a_folder_that_cannot_be_written_is_refused() {
    let folder = folder();
    let file = folder.path().join("file");
    assert!(std::fs::write(&file, "kept").is_ok());
    let worker = fake(folder.path(), NO_DEVICE);
    let outcome = quadscan(
        folder.path(),
        &["bench", "accuracy", "--worker", &worker, "--out", "file/x"],
    );
    assert_eq!((outcome.code, outcome.output.as_str()), (2, ""));
    assert!(
        outcome
            .errors
            .starts_with("error: --out file/x: cannot write file/x: ")
    );
    assert_eq!(outcome.errors.lines().count(), 1, "{}", outcome.errors);
    assert_eq!(std::fs::read_to_string(&file).ok().as_deref(), Some("kept"));
}

#[test]
fn a_device_that_is_asked_for_by_name_and_is_not_there_is_refused() {
    // No machine has so many.
    refused(
        &["bench", "accuracy", "--device", "cuda:4096"],
        "--device cuda:4096 cannot be had: ",
    );
}

#[test]
fn a_driver_that_is_too_old_is_refused_in_its_own_words() {
    let folder = folder();
    let worker = fake(
        folder.path(),
        r#"echo '{"refused":{"reason":"the driver is too old for the PTX: it supports CUDA 11.0"}}'"#,
    );
    let outcome = quadscan(folder.path(), &["bench", "--worker", &worker]);
    assert_eq!(outcome.code, 2);
    assert_eq!(
        outcome.errors,
        "error: the driver is too old for the PTX: it supports CUDA 11.0\n"
    );
}

#[test]
fn a_corrupt_artifact_is_refused_on_every_machine() {
    let folder = folder();
    let artifact = folder.path().join("artifact");
    assert!(std::fs::create_dir(&artifact).is_ok());
    let run = || {
        quadscan(
            folder.path(),
            &["bench", "accuracy", "--artifact", "artifact"],
        )
    };
    let missing = run();
    assert_eq!(
        (missing.code, missing.errors.lines().count()),
        (2, 1),
        "{missing:?}"
    );
    assert!(std::fs::write(artifact.join("manifest.json"), "{").is_ok());
    let corrupt = run();
    assert_eq!(
        (corrupt.code, corrupt.errors.lines().count()),
        (2, 1),
        "{corrupt:?}"
    );
    assert!(
        corrupt.errors.contains("manifest.json is corrupt"),
        "{corrupt:?}"
    );

    // The PTX inside this program, with one byte changed.
    let Ok(embedded) = quadscan::device::Artifact::embedded() else {
        panic!("no artifact")
    };
    let manifest = serde_json::to_vec(embedded.manifest()).unwrap_or_default();
    assert!(std::fs::write(artifact.join("manifest.json"), manifest).is_ok());
    for module in embedded.modules() {
        assert!(std::fs::write(artifact.join(&module.module.file), module.ptx).is_ok());
    }
    let whole = ["accuracy", "--strips", "16", "--artifact", "artifact"];
    assert_eq!(without_device_in(folder.path(), &whole).code, 0);
    let Some(last) = embedded.modules().last() else {
        panic!("no modules")
    };
    let damaged = last.ptx.replacen(".version", ".versiom", 1);
    assert!(std::fs::write(artifact.join(&last.module.file), damaged).is_ok());
    let corrupt = run();
    assert_eq!(corrupt.code, 2);
    assert_eq!(
        corrupt.errors,
        format!(
            "error: the artifact's file {} is corrupt: its hash is not the manifest's\n",
            last.module.file
        )
    );
}

#[test]
fn the_published_accuracy_comes_out_byte_for_byte() {
    let (_, outcome) = without_device(&["accuracy", "--format", "csv", "--published"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(outcome.output, include_str!("../data/accuracy_strips.csv"));
    assert_eq!(
        outcome.errors, "no device: none; the columns of the device stay empty\n",
        "exactly one line says why"
    );
}

#[test]
fn another_size_follows_the_rules_asymptotic_error() {
    let (_, outcome) = without_device(&[
        "accuracy",
        "--strips",
        "196608",
        "--format",
        "csv",
        "--published",
    ]);
    // 4 T_n - pi = -1.1759820751740772 n^-1.5 + 0.0360415181524183 n^-2.5, with
    // n^1.5 = 196608 * 443.4050067... and an error of f64's rounding below 1e-12.
    let n = 196_608.0_f64;
    let want = std::f64::consts::PI - 1.175_982_075_174_077_2 / (n * n.sqrt())
        + 0.036_041_518_152_418_3 / (n * n * n.sqrt());
    let line = format!("f64,196608,{want:.12}");
    assert!(
        outcome.output.lines().any(|found| found == line),
        "{line}: {}",
        outcome.output
    );
    assert_eq!(outcome.output.lines().count(), 3, "a header, f32 and f64");
}

#[test]
fn the_eight_published_values_of_pi_in_f32_come_out_digit_for_digit_on_the_host() {
    let (_, outcome) = without_device(&["sweep-f32", "--repeat", "1", "--format", "csv"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let mut reader = csv::Reader::from_reader(outcome.output.as_bytes());
    let column = |headers: &csv::StringRecord, name: &str| {
        headers
            .iter()
            .position(|header| header == name)
            .unwrap_or(usize::MAX)
    };
    let headers = reader.headers().cloned().unwrap_or_default();
    let (host, published) = (
        column(&headers, "host_pi"),
        column(&headers, "published_pi"),
    );
    let corrected = column(&headers, "host_pi_corrected");
    let rows: Vec<csv::StringRecord> = reader.records().filter_map(Result::ok).collect();
    assert_eq!(rows.len(), 13);
    let known: Vec<&csv::StringRecord> = rows
        .iter()
        .filter(|row| !row[published].is_empty())
        .collect();
    assert_eq!(known.len(), 8);
    for row in known {
        assert_eq!(row[host], row[published], "{row:?}");
    }
    assert_eq!(&rows[0][corrected], "3.464102");
    assert_eq!(&rows[7][corrected], "3.187114");
}

#[test]
fn activity_without_a_device_is_a_named_skip_and_never_a_number() {
    let (_, outcome) = without_device(&["activity", "--format", "csv"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(outcome.output.lines().count(), 30);
    assert!(
        outcome
            .output
            .lines()
            .nth(1)
            .is_some_and(|line| line == "naive,1,,,skipped,no device: none,1023,32"),
        "{}",
        outcome.output
    );
}

#[test]
fn several_tables_are_divided_by_an_empty_line() {
    let (_, outcome) = without_device(&[
        "activity",
        "accuracy",
        "--strips",
        "1024",
        "--format",
        "csv",
        "--published",
    ]);
    let blocks: Vec<&str> = outcome.output.split("\n\n").collect();
    assert_eq!(blocks.len(), 2);
    assert!(blocks[0].starts_with("algorithm,step,active_threads,active_warps\n"));
    assert!(blocks[1].starts_with("precision,strips,pi\n"));
}

#[test]
fn json_is_one_array_of_records() {
    let (_, outcome) = without_device(&[
        "activity", "accuracy", "--strips", "1024", "--format", "json",
    ]);
    let records: Vec<quadscan::record::Record> =
        serde_json::from_str(&outcome.output).unwrap_or_default();
    assert_eq!(records.len(), 29 + 3);
    assert_eq!(records[31].values.pi.map(|pi| pi > 3.1), Some(true));
}

#[test]
fn a_list_and_a_dry_run_write_nothing_and_need_no_device() {
    let folder = folder();
    let list = quadscan(folder.path(), &["bench", "--list"]);
    assert_eq!(list.code, 0);
    assert!(list.output.contains("sweep-f64:") && list.output.contains("cells: 100"));
    assert!(
        list.output.contains("columns: precision,strips,pi,"),
        "{}",
        list.output
    );
    let dry = quadscan(
        folder.path(),
        &["bench", "--dry-run", "accuracy", "activity", "--quick"],
    );
    assert_eq!(dry.code, 0, "{dry:?}");
    assert!(
        dry.output
            .contains("accuracy precision=f32 strips=65536: right on the host\n"),
        "{}",
        dry.output
    );
    assert!(
        dry.output
            .contains("accuracy precision=f32-pure strips=65536: not known in advance\n")
    );
    assert_eq!(
        std::fs::read_dir(folder.path()).map(Iterator::count).ok(),
        Some(0)
    );
}

#[test]
fn lists_without_effect_are_said() {
    let (_, outcome) = without_device(&["accuracy", "--strips", "16", "--threads", "4"]);
    assert_eq!(outcome.code, 0);
    assert!(
        outcome.errors.contains("warning: --threads has no effect"),
        "{}",
        outcome.errors
    );
}
