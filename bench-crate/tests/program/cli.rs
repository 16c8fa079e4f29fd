//! The command line from outside: what is refused, and how. The device is always a
//! fake one or none, so that these tests say the same on every machine.

mod edges;
mod manners;

use std::process::{Command, Output, Stdio};

use crate::common::{NO_DEVICE, command, ends, fake, folder, full, quadscan};

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

#[test]
fn an_unknown_table_is_refused_with_the_known_ones() {
    let sentence = refused(&["bench", "nonsense"], "TABLE `nonsense` is unknown");
    assert!(
        sentence.contains("activity, sweep-f64, sweep-f32, accuracy, mapping"),
        "{sentence}"
    );
    refused(
        &["bench", "mapping", "--published"],
        "TABLE `mapping` has no published figures",
    );
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
        (
            ["--elements", "1000"],
            "--elements `1000` is not a power of two, allowed are those from 2 to 2048",
        ),
        (
            ["--elements", "4096"],
            "--elements `4096` is out of range, allowed are 2 to 2048",
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
            ["--margin", "2%"],
            "--margin `2%` is not a percentage, allowed are 0 to 100, such as 2 or 0.5",
        ),
        (["--margin", "101"], "--margin `101` is not a percentage"),
        (
            ["--processes", "0"],
            "--processes `0` is out of range, allowed are 1 to 32",
        ),
        (["--processes", "33"], "--processes `33` is out of range"),
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
        &["bench", "--schedule", "7"],
        "--schedule is for the emulator alone, allowed with --device emulator and not auto",
    );
    refused(
        &["bench", "--device", "emulator", "--schedule", "1.5"],
        "--schedule `1.5` is not a whole number",
    );
    refused(
        &["bench", "--device", "emulator:7"],
        "--device `emulator:7` is unknown, allowed are auto, cuda, cuda:N and emulator\n",
    );
    refused(&["bench", "--format", "xml"], "--format `xml` is unknown");
    refused(&["bench", "--save", "a/b"], "--save `a/b` is not a name");
    refused(
        &["bench", "--save", "a", "--baseline", "a"],
        "--save `a` is the baseline to compare with",
    );
    for (argument, problem) in [
        ("--margin", "`-1` is not a percentage, allowed are 0 to 100"),
        ("--repeat", "`-1` is not a whole number, allowed are 1 to "),
        (
            "--processes",
            "`-1` is not a whole number, allowed are 1 to 32",
        ),
        (
            "--cell-timeout",
            "`-1` is not a whole number, allowed are 1 to ",
        ),
        ("--strips", "`-1` is not a whole number, allowed are 1 to "),
    ] {
        let sentence = format!("{argument} {problem}");
        refused(&["bench", argument, "-1"], &sentence);
    }
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
fn without_a_command_one_is_proposed() {
    refused(&[], "no command is given: try `quadscan bench`\n");
}

/// The host's cells of one small size.
const SMALL: [&str; 4] = ["bench", "accuracy", "--strips", "16"];

#[test]
fn a_full_standard_error_changes_no_exit_code() {
    let folder = folder();
    let worker = fake(folder.path(), NO_DEVICE);
    let small = [&SMALL[..], &["--worker", &worker, "--format", "csv"]].concat();
    let run = |arguments: &[&str]| {
        ends(
            command(folder.path(), arguments)
                .stdout(Stdio::piped())
                .stderr(full()),
        )
    };
    let right = run(&small);
    assert_eq!((right.code, right.output.lines().count()), (0, 7));
    assert_eq!(run(&["bench", "nonsense"]).code, 2);
    assert_eq!(run(&[]).code, 2);
}

#[test]
fn lost_results_are_one_sentence_and_exit_code_2() {
    let folder = folder();
    let worker = fake(folder.path(), NO_DEVICE);
    let small = [&SMALL[..], &["--worker", &worker]].concat();
    let json = [&small[..], &["--format", "json"]].concat();
    for arguments in [
        &small[..],
        &json,
        &["bench", "--list"],
        &["bench", "--dry-run", "activity"],
        &["--help"],
        &["--version"],
    ] {
        let mut command = command(folder.path(), arguments);
        let outcome = ends(command.stdout(full()).stderr(Stdio::piped()));
        assert_eq!(outcome.code, 2, "{arguments:?}: {outcome:?}");
        let objections: Vec<&str> = outcome
            .errors
            .lines()
            .filter(|line| line.starts_with("error: "))
            .collect();
        assert_eq!(objections.len(), 1, "{arguments:?}: {outcome:?}");
        assert!(
            objections[0].starts_with("error: cannot write to standard output: "),
            "{arguments:?}: {outcome:?}"
        );
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let folder = folder();
    let worker = fake(folder.path(), NO_DEVICE);
    let small = [&SMALL[..], &["--worker", &worker]].concat();
    for (arguments, said) in [
        (&["bench", "--list"][..], ""),
        (&small, "accuracy: 6 cells in 0s\n"),
    ] {
        let mut process = match command(folder.path(), arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
        {
            Ok(process) => process,
            Err(e) => panic!("{e}"),
        };
        drop(process.stdout.take());
        let output = match process.wait_with_output() {
            Ok(output) => output,
            Err(e) => panic!("{e}"),
        };
        assert_eq!(output.status.code(), Some(0));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(
            errors.ends_with(said) && !errors.contains("error"),
            "{errors}"
        );
    }
    assert!(
        folder.path().join("results/report.html").is_file(),
        "the run went on to its end"
    );
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
        "--device cuda:4096 is not available: ",
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
fn what_is_named_and_is_not_there_is_refused_with_the_arguments_name() {
    let bench = |argument| ["bench", "scan", argument, "/none"];
    refused(&bench("--cub"), "--cub /none has no cub/version.cuh, ");
    refused(&bench("--python"), "--python /none does not exist, ");
    let sentence = "--artifact /none has no manifest.json, allowed is a folder that ";
    refused(&bench("--artifact"), sentence);
    refused(&["artifact", "--artifact", "/none"], sentence);
}

#[test]
fn algorithms_that_no_row_could_have_are_refused() {
    let sentence = "--algorithms has no place in these tables, allowed is it in scan, for ";
    for tables in [
        &["reduce"][..],
        &["scan", "--operations", "by_key"],
        &["limits"],
    ] {
        let arguments = [&["bench"], tables, &["--algorithms", "one_wave"]].concat();
        refused(&arguments, sentence);
    }
}

#[test]
fn what_whole_arrays_and_integrals_cannot_be_asked_for_is_one_sentence_and_exit_code_2() {
    let folder = folder();
    for (arguments, sentence) in [
        (
            ["scan", "--sizes", "2^41"],
            "error: --sizes `2^41` is not a size, allowed are numbers from 1 to 2^40, such as \
             1000, 2^20, 2^20+3 or 2^10..2^30\n",
        ),
        (
            ["scan", "--sizes", "2^34"],
            "error: --sizes 17179869184 is too large for scan, allowed are 1 to \
             8589934592\n",
        ),
        (
            ["integrate", "--sizes", "2^34"],
            "error: --sizes 17179869184 is too large for integrals, allowed are 1 to \
             16777216\n",
        ),
        (
            ["integrals", "--integrands", "runge"],
            "error: --integrands has no value for the table integrals, allowed are all, \
             smooth, end_point, oscillating\n",
        ),
        (
            ["integrals", "--tolerance", "2"],
            "error: --tolerance `2` is not a tolerance, allowed are numbers above 0 and up to 0.1, \
             such as 1e-10\n",
        ),
        (
            ["reduce", "--operations", "in_place"],
            "error: --operations has no value for the table reduce, allowed are all, reduce, \
             reduce_min, reduce_max, segmented_reduce\n",
        ),
        (
            ["scan", "--types", "f64x2"],
            "error: --types has no type of inclusive_sum, allowed are u8, i8, u8_u32, u8_u64, \
             u16, i16, f16, bf16, i32, u32, f32, i64, u64, f64\n",
        ),
        (
            ["scan", "--segment", "0"],
            "error: --segment `0` is out of range, allowed are 1 to 2147483648\n",
        ),
    ] {
        let outcome = quadscan(folder.path(), &[&["bench"], &arguments[..]].concat());
        assert_eq!((outcome.code, outcome.errors.as_str()), (2, sentence));
        assert_eq!(outcome.output, "");
        assert!(!folder.path().join("results").exists(), "{arguments:?}");
    }
    let unknown = ["bench", "scan", "--algorithms", "fastest"];
    let outcome = quadscan(folder.path(), &unknown);
    let start = "error: --algorithms `fastest` is unknown, allowed are all, ";
    assert!(
        outcome.code == 2 && outcome.errors.starts_with(start),
        "{outcome:?}"
    );
}

/// What `cargo xtask` answers without building the program, from the program's own files.
#[test]
fn cargo_xtask_answers_what_the_program_answers() {
    for arguments in [
        &["bench", "--list"][..],
        &["integrate", "--list"],
        &["bench", "--help"],
        &["integrate", "-h"],
        &["report", "--version"],
        &["bench", "--quick", "--full"],
        &["report"],
    ] {
        let ours = command(folder().path(), arguments).output();
        let mut xtask = match std::env::var_os("QUADSCAN_XTASK") {
            Some(built) => Command::new(built),
            None => {
                let mut xtask = Command::new(env!("CARGO"));
                xtask.args(["run", "--quiet", "--release", "--package", "xtask", "--"]);
                xtask
            }
        };
        let theirs = xtask.args(arguments).output();
        let of = |output: std::io::Result<Output>| {
            let output = output.expect("it starts");
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            (
                output.status.code(),
                text(&output.stdout),
                text(&output.stderr),
            )
        };
        assert_eq!(of(theirs), of(ours), "{arguments:?}");
    }
}
