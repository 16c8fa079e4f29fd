//! Values, files and limits that no one types on purpose.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Command, Stdio};

use clap::CommandFactory;
use quadscan_bench::cli::Cli;

use super::refused;
use crate::common::{NO_DEVICE, PROGRAM, command, ends, fake, folder, quadscan};
use crate::matrix::{cases, objection};

/// The options are those that clap knows: a new one is tested by itself.
#[test]
fn every_argument_refuses_bad_values_in_one_sentence_that_names_it() {
    let folder = folder();
    let worker = fake(folder.path(), NO_DEVICE);
    let small = ["bench", "accuracy", "--strips", "16", "--out", "kept"];
    let made = quadscan(
        folder.path(),
        &[&small[..], &["--worker", &worker]].concat(),
    );
    assert_eq!(made.code, 0, "{made:?}");
    let usual = |command: &str| match command {
        "time" => vec![("KERNEL", "limit_copy")],
        "integrate" => vec![("--integrand", "runge")],
        "formula" => vec![("TEXT", "x"), ("--at", "1")],
        "report" => vec![("DIR", "kept")],
        "scan" | "reduce" => vec![("FILE", "rows.csv")],
        _ => Vec::new(),
    };
    assert!(fs::write(folder.path().join("rows.csv"), "x\n1\n").is_ok());
    let cases = cases(&Cli::command(), &usual);
    let objections: Vec<String> = cases
        .iter()
        .filter_map(|case| objection(case, &mut Command::new(PROGRAM), folder.path()))
        .collect();
    assert!(objections.is_empty(), "{}", objections.join("\n"));
    assert!(cases.len() > 300, "{}", cases.len());
}

#[test]
fn text_that_is_not_utf8_is_refused_with_its_argument() {
    for (arguments, sentence) in [
        (
            [&b"bench"[..], b"--threads", b"1\xff"],
            "--threads `1\\xff` is not UTF-8, allowed is text",
        ),
        (
            [b"bench", b"--out=\xff", b"\xfe"],
            "TABLE `\\xfe` is not UTF-8, allowed is text",
        ),
        (
            [b"bench", b"--thr\xffads", b"1"],
            "unexpected argument '--thr\u{fffd}ads' found, a similar argument exists: '--threads', \
             see --help",
        ),
    ] {
        let mut program = Command::new(PROGRAM);
        program.args(arguments.map(OsStr::from_bytes));
        let outcome = ends(program.stdout(Stdio::piped()).stderr(Stdio::piped()));
        assert_eq!((outcome.code, outcome.output.as_str()), (2, ""));
        assert_eq!(outcome.errors, format!("error: {sentence}\n"));
    }
}

#[test]
fn what_is_mistyped_is_answered_with_what_is_meant() {
    for (arguments, said) in [
        (&["bench", "--frmat", "csv"][..], "'--format'"),
        (&["bench", "swep-f64"], "a similar name is `sweep-f64`"),
        (
            &["bench", "scan", "--algorithms", "lokahead"],
            "a similar name is `lookahead`",
        ),
        (
            &["bench", "integral", "--integrands", "rnuge"],
            "a similar name is `runge`",
        ),
        (
            &["integrate", "--integrand", "quarter-circel"],
            "a similar name is `quarter_circle`",
        ),
    ] {
        let outcome = quadscan(folder().path(), arguments);
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.errors.contains(said), "{outcome:?}");
    }
    for arguments in [
        &["bench", "sweep_f64", "--list"][..],
        &[
            "bench",
            "integral",
            "--integrands",
            "quarter-circle",
            "--list",
        ],
        &["integrate", "--integrand", "quarter-circle", "--list"],
    ] {
        assert_eq!(
            quadscan(folder().path(), arguments).code,
            0,
            "{arguments:?}"
        );
    }
}

#[test]
fn names_that_no_table_knows_are_refused_whatever_the_table() {
    refused(
        &["bench", "scan", "--kernels", "x"],
        "--kernels `x` is unknown, ",
    );
    let axis = ["bench", "scan", "--axis", "kernel=x"];
    refused(&axis, "--axis kernel `x` is unknown, ");
    let outcome = quadscan(
        folder().path(),
        &["bench", "scan", "--list", "--python", "x"],
    );
    assert_eq!((outcome.code, outcome.errors.as_str()), (0, ""));
    for option in ["--kernels=limit_copy", "--python=x", "--peers=x"] {
        let outcome = quadscan(folder().path(), &["bench", "limits", "--list", option]);
        let name = option.split('=').next().unwrap_or_default();
        let warning = format!("warning: {name} has no effect on these tables\n");
        assert_eq!((outcome.code, outcome.errors), (0, warning));
    }
}

#[test]
fn the_list_that_was_given_is_blamed_and_not_the_one_that_was_not() {
    refused(
        &["bench", "sweep-f64", "--blocks", "1025"],
        "--blocks does not fit: --strips 16777216 is not a multiple of blocks * threads = 1025 * ",
    );
    refused(
        &["artifact", "--device", "x"],
        "--device `x` is unknown, allowed are auto, cuda, cuda:N and emulator\n",
    );
}

#[test]
fn it_says_as_much_as_is_asked_for_and_in_colours_where_they_are_seen() {
    let folder = folder();
    let worker = fake(folder.path(), NO_DEVICE);
    let small = ["bench", "accuracy", "--strips", "16", "--worker", &worker];
    let said = |more: &[&str]| {
        let outcome = quadscan(folder.path(), &[&small[..], more].concat());
        assert_eq!(outcome.code, 0, "{outcome:?}");
        (outcome.errors, outcome.report)
    };
    assert_eq!(said(&["-q"]), (String::new(), None));
    let (verbose, _) = said(&["-v"]);
    let cells = verbose
        .lines()
        .filter(|line| line.contains(" of 6 cells: "));
    assert_eq!(cells.count(), 6, "{verbose}");
    let wrong = ["bench", "nonsense", "--color"];
    for (color, start) in [
        ("always", "\u{1b}[1;31merror:\u{1b}[0m TABLE"),
        ("auto", "error: TABLE"),
    ] {
        let outcome = quadscan(folder.path(), &[&wrong[..], &[color]].concat());
        assert!(outcome.errors.starts_with(start), "{outcome:?}");
    }
}

#[test]
fn it_says_what_it_is_and_what_its_records_are() {
    let here = folder();
    let of = |arguments: &[&str]| {
        let outcome = quadscan(here.path(), arguments);
        assert_eq!(
            (outcome.code, outcome.errors.as_str()),
            (0, ""),
            "{outcome:?}"
        );
        outcome.output
    };
    let version = of(&["--version"]);
    let first = of(&["-V"]);
    assert!(
        version.starts_with(&first) && version.contains("\nrevision "),
        "{version}"
    );
    assert!(
        version.contains("\nPTX by rustc 1.") && version.contains(" sha256 "),
        "{version}"
    );
    let schema: serde_json::Value =
        serde_json::from_str(&of(&["bench", "--schema"])).expect("JSON");
    assert_eq!(schema["properties"]["schema"]["const"], 2);
    assert!(of(&["completions", "bash"]).contains("complete -F _quadscan"));
}

#[test]
fn a_quoted_cell_with_a_line_break_is_not_a_number() {
    let folder = folder();
    let path = folder.path().join("rows.csv");
    assert!(fs::write(&path, "from,to\n0,1\n0,\"1\n\"\n").is_ok());
    let batch = ["integrate", "--integrand", "runge", "--batch", "rows.csv"];
    let outcome = quadscan(folder.path(), &batch);
    assert_eq!(
        (outcome.code, outcome.output.as_str()),
        (2, ""),
        "{outcome:?}"
    );
    assert!(outcome.errors.contains("is not a number"), "{outcome:?}");
    assert_eq!(outcome.errors.matches("error: ").count(), 1, "{outcome:?}");
}

/// A pipe that nobody writes to.
fn pipe(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status();
    assert!(made.is_ok_and(|status| status.success()));
}

#[test]
fn pipes_and_devices_in_the_place_of_files_are_refused_and_not_waited_for() {
    let folder = folder();
    let worker = fake(folder.path(), NO_DEVICE);
    pipe(&folder.path().join("pipe"));
    for name in ["records.jsonl", "run.json", "manifest.json"] {
        let inside = folder.path().join(name).with_extension("");
        assert!(fs::create_dir(&inside).is_ok());
        pipe(&inside.join(name));
    }
    let zero = folder.path().join("zero");
    assert!(
        fs::create_dir(&zero).is_ok() && symlink("/dev/zero", zero.join("records.jsonl")).is_ok()
    );
    let small = ["bench", "accuracy", "--strips", "16", "--worker", &worker];
    for (arguments, start) in [
        (["--out", "pipe"], "--out pipe: cannot write pipe: "),
        (
            ["--out", "records"],
            "--out records: cannot write records/records.jsonl: it is a pipe",
        ),
        (
            ["--out", "run"],
            "--out run: cannot write run/run.json: it is a pipe",
        ),
        (
            ["--out", "zero"],
            "--out zero: cannot write zero/records.jsonl: it is a pipe",
        ),
        (
            ["--artifact", "pipe"],
            "--artifact pipe has no manifest.json",
        ),
        (
            ["--artifact", "manifest"],
            "--artifact manifest has no manifest.json",
        ),
    ] {
        let outcome = quadscan(folder.path(), &[&small[..], &arguments].concat());
        assert_eq!(
            (outcome.code, outcome.output.as_str()),
            (2, ""),
            "{outcome:?}"
        );
        assert!(
            outcome.errors.starts_with(&format!("error: {start}")),
            "{outcome:?}"
        );
    }
    let report = quadscan(folder.path(), &["report", "records"]);
    assert!(
        report.code == 2 && report.errors.contains("it is a pipe"),
        "{report:?}"
    );
}

#[test]
fn a_limit_of_file_sizes_is_an_error_that_leaves_no_draft() {
    let folder = folder();
    let worker = fake(folder.path(), NO_DEVICE);
    for limit in [1, 16] {
        let line = format!("ulimit -f {limit}; exec \"$@\"");
        let mut limited = Command::new("sh");
        limited.args([
            "-c", &line, "sh", PROGRAM, "bench", "accuracy", "--strips", "16",
        ]);
        limited
            .args(["--worker", &worker])
            .current_dir(folder.path());
        let outcome = ends(limited.stdout(Stdio::piped()).stderr(Stdio::piped()));
        assert_eq!(outcome.code, 2, "{outcome:?}");
        assert!(outcome.errors.contains("File too large"), "{outcome:?}");
        let names = fs::read_dir(folder.path().join("results"))
            .into_iter()
            .flatten();
        let names = names.flatten().map(|entry| entry.file_name());
        let drafts = names.filter(|name| name.to_string_lossy().ends_with(".new"));
        assert_eq!(drafts.count(), 0);
    }
    // Without the limit it goes on.
    let small = ["bench", "accuracy", "--strips", "16", "--worker", &worker];
    let mut again = command(folder.path(), &small);
    let outcome = ends(again.stdout(Stdio::piped()).stderr(Stdio::piped()));
    assert_eq!(outcome.code, 0, "{outcome:?}");
}
