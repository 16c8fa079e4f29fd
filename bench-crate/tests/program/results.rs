//! What is printed without a GPU: the published digits, the host's columns, and
//! named skips. The device is always a fake one that is not there.

use std::process::Stdio;

use crate::common::{NO_DEVICE, command, ends, fake, folder, quadscan, without_device};

#[test]
fn the_published_accuracy_comes_out_byte_for_byte() {
    let (_, outcome) = without_device(&["accuracy", "--format", "csv", "--published"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(
        outcome.output,
        include_str!("../../data/accuracy_strips.csv")
    );
    let errors: Vec<&str> = outcome.errors.lines().collect();
    assert_eq!(
        errors[..2],
        [
            "no device: none; the columns of the device stay empty",
            "accuracy: 10 cells to measure",
        ],
        "exactly one line says why"
    );
    assert!(
        errors.len() > 2 && errors[errors.len() - 1].starts_with("accuracy: 10 cells in "),
        "a log sees that the table has ended: {errors:?}"
    );
}

#[test]
fn the_pages_question_is_answered_under_the_table_with_its_own_figures() {
    let (_, outcome) = without_device(&["accuracy", "--quick", "--repeat", "1"]);
    // log10 of the ratio of the published errors, and of 16.
    for part in ["loses 3.3 digits", "the number of additions explains 1.2"] {
        assert!(outcome.output.contains(part), "{part}: {}", outcome.output);
    }
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
fn below_the_f32_sweep_stand_the_page_s_matrix_its_slip_and_the_answer_to_its_question() {
    let sweep = ["sweep-f32", "--repeat", "1"];
    let (_, outcome) = without_device(&[&sweep[..], &["--format", "markdown"]].concat());
    for sentence in [
        "| 16 |  |  |  |  |  | 1.51 | 0.99 |",
        // In Markdown a product is no emphasis.
        "Its macro STRIPS is 65536\\*256 without parentheses",
        "pi is 3.456289 with the slip (published: 3.456289) and 3.464102 without it",
        "GeForce 8800 GT, why a gain of 2334 is possible.",
    ] {
        assert!(outcome.output.contains(sentence), "{}", outcome.output);
    }
    // Nothing was measured here, so nothing here is explained.
    assert!(
        !outcome.output.contains("measured here"),
        "{}",
        outcome.output
    );
    for form in [
        &["--format", "csv"][..],
        &["--format", "table", "--published"],
    ] {
        let (_, outcome) = without_device(&[&sweep[..], form].concat());
        let said = outcome.output + &outcome.errors;
        assert!(
            !said.contains("slip") && !said.contains("8800 GT"),
            "{said}"
        );
    }
}

/// What is printed of a few cells of all usual tables, without a device and in a terminal of so
/// many columns.
fn in_columns(columns: Option<&str>, more: &[&str]) -> String {
    let folder = folder();
    let worker = fake(folder.path(), NO_DEVICE);
    let cells = [
        "--strips",
        "65536",
        "--blocks",
        "64",
        "--threads",
        "8,256",
        "--repeat",
        "1",
    ];
    let arguments = [&["bench", "--worker", &worker], &cells[..], more].concat();
    let mut command = command(folder.path(), &arguments);
    command.envs(columns.map(|columns| ("COLUMNS", columns)));
    let outcome = ends(command.stdout(Stdio::piped()).stderr(Stdio::piped()));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(outcome.report, None, "the verdict says where it is");
    outcome.output
}

#[test]
fn tables_that_nobody_named_fit_a_terminal_and_a_verdict_is_last() {
    for columns in [None, Some("80"), Some("120"), Some("0"), Some("wide")] {
        let output = in_columns(columns, &[]);
        let most = columns.and_then(|columns| columns.parse().ok());
        let most = most.filter(|&most| most > 0).unwrap_or(80);
        assert!(
            output.lines().all(|line| line.chars().count() <= most),
            "{output}"
        );
        let lines: Vec<&str> = output.lines().collect();
        let verdict = lines.iter().position(|line| line.starts_with("verdict: "));
        let verdict = &lines[verdict.expect("a verdict")..];
        assert!(lines.len() <= 100 && verdict.len() <= 12, "{output}");
        assert_eq!(
            verdict[0],
            "verdict: 6 of 152 rows right, 146 skipped; no device was used"
        );
        assert_eq!(
            verdict.last().copied(),
            Some("  report: results/report.html; all rows: results/*.csv, --full-tables")
        );
    }
}

#[test]
fn a_terminal_of_one_column_has_everything_below_each_other() {
    for more in [&[][..], &["--full-tables"]] {
        let output = in_columns(Some("1"), more);
        assert!(output.contains("\nverdict:\n"), "{output}");
    }
}

#[test]
fn full_tables_have_all_columns_below_each_other_in_a_terminal_and_whole_rows_in_a_file() {
    let (narrow, whole) = (
        in_columns(Some("80"), &["--full-tables"]),
        in_columns(None, &["--full-tables"]),
    );
    assert!(
        narrow.lines().all(|line| line.chars().count() <= 80),
        "{narrow}"
    );
    assert!(
        whole.lines().any(|line| line.chars().count() > 100),
        "{whole}"
    );
    let named = in_columns(None, &["accuracy"]);
    assert!(
        whole.contains("predicted_error") && named.contains("predicted_error"),
        "{named}"
    );
    for column in ["precision", "predicted_error", "host_best_ms"] {
        assert!(
            narrow.contains(column) && whole.contains(column),
            "{narrow}"
        );
    }
}

#[test]
fn activity_without_a_device_is_a_named_skip_and_never_a_number() {
    let (_, outcome) = without_device(&["activity", "--format", "csv"]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(outcome.output.lines().count(), 30);
    assert!(
        outcome.output.lines().nth(1).is_some_and(
            |line| line == "naive,1,,,1024,,,,,,,,,,,,,,,,,skipped,no device: none,,1023,32"
        ),
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
    let records: Vec<quadscan_bench::record::Record> =
        serde_json::from_str(&outcome.output).unwrap_or_default();
    assert_eq!(records.len(), 29 + 6);
    assert_eq!(records[34].number("pi").map(|pi| pi > 3.1), Some(true));
}

#[test]
fn json_of_the_published_columns_is_one_array_too() {
    let (_, outcome) = without_device(&[
        "activity",
        "accuracy",
        "--strips",
        "1024",
        "--format",
        "json",
        "--published",
    ]);
    let rows: Vec<std::collections::BTreeMap<String, serde_json::Value>> =
        serde_json::from_str(&outcome.output).unwrap_or_default();
    assert_eq!(rows.len(), 29 + 2, "{}", outcome.output);
    let names = |row: usize| rows[row].keys().cloned().collect::<Vec<_>>().join(" ");
    assert_eq!(names(0), "active_threads active_warps algorithm step");
    assert_eq!(names(30), "pi precision strips");
}

#[test]
fn markdown_says_where_its_rows_are_from_and_folds_many_of_them_away() {
    let markdown = |arguments: &[&str]| {
        let (_, outcome) = without_device(&[arguments, &["--format", "markdown"]].concat());
        assert_eq!(outcome.code, 0, "{outcome:?}");
        outcome.output
    };
    let few = markdown(&["accuracy", "--strips", "16"]);
    let lines: Vec<&str> = few.lines().collect();
    assert_eq!(lines[..2], ["## accuracy", ""]);
    assert!(
        lines[2].contains(": revision ") && lines[2].contains("; 20"),
        "{few}"
    );
    assert!(lines[4].starts_with("| precision | strips | pi |"), "{few}");
    let many = markdown(&["activity"]);
    let rows = "\n<details><summary>29 rows</summary>\n\n| algorithm | step |";
    assert!(many.contains(rows), "{many}");
    assert!(
        many.contains("|\n\n</details>\n\n29 rows skipped: no device: none\n"),
        "{many}"
    );
}

#[test]
fn peers_that_are_asked_for_in_vain_are_said() {
    for (arguments, sentence) in [
        (
            &[
                "sweep-f64",
                "--quick",
                "--repeat",
                "1",
                "--published",
                "--peers",
            ][..],
            "--peers has no effect beside --published, which has no column for it",
        ),
        (
            &["accuracy", "--strips", "16", "--peers"],
            "warning: --peers has no effect on these tables",
        ),
    ] {
        let (_, outcome) = without_device(arguments);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        let said = |line: &&str| line.contains("--peers");
        let lines: Vec<&str> = outcome.errors.lines().filter(said).collect();
        assert_eq!(lines, [sentence]);
    }
}

#[test]
fn a_list_and_a_dry_run_write_nothing_and_need_no_device() {
    let folder = folder();
    let all = quadscan(folder.path(), &["bench", "--list"]);
    assert!(all.code == 0 && all.output.contains("sweep-f64: time and pi of"));
    let named = ["bench", "sweep-f64", "accuracy", "--list"];
    let list = quadscan(folder.path(), &named);
    assert_eq!(list.code, 0);
    assert!(list.output.contains("sweep-f64:") && list.output.contains("cells: 100"));
    assert!(
        list.output.contains("columns: precision,strips,pi,"),
        "{}",
        list.output
    );
    let elsewhere = crate::common::folder();
    let worker = crate::common::fake(elsewhere.path(), crate::common::NO_DEVICE);
    let dry = quadscan(
        folder.path(),
        &[
            "bench",
            "--dry-run",
            "accuracy",
            "activity",
            "--quick",
            "--worker",
            &worker,
        ],
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
fn a_list_says_which_options_have_no_effect() {
    for (table, axis, value) in [
        ("faults", "step", "3"),
        ("faults", "kernel", "limit_copy"),
        ("accuracy", "n", "3"),
    ] {
        let pair = format!("{axis}={value}");
        let list = ["bench", table, "--list", "--axis", &pair];
        let outcome = quadscan(folder().path(), &list);
        let said = format!("warning: --axis {axis} has no effect on these tables\n");
        assert_eq!((outcome.code, outcome.errors), (0, said), "{table} {pair}");
    }
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
