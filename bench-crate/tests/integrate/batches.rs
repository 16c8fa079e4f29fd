//! CSV files of items.

use std::fs;
use std::path::Path;
use std::process::Stdio;

use crate::common::{self, command, ends, folder, full};
use crate::{Table, integrate_in, refused_in};

const GAUSSIAN: [&str; 4] = ["--integrand", "genz_gaussian", "--batch", "items.csv"];
const RUNGE: [&str; 4] = ["--integrand", "runge", "--batch", "items.csv"];

#[track_caller]
fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    assert!(fs::write(folder.join(name), bytes).is_ok());
}

/// Names of the files in a folder.
fn files(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let names = entries
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut names: Vec<String> = names.collect();
    names.sort();
    names
}

#[test]
fn rows_are_dealt_to_several_devices_and_have_the_bits_of_one() {
    let folder = folder();
    let rows = (0..41).map(|i| format!("{},{}\n", f64::from(i) / 8.0, 20 - i));
    write(
        folder.path(),
        "items.csv",
        "from,to\n".to_owned() + &rows.collect::<String>(),
    );
    let on = |device| {
        let words = [&["integrate", "--device", device], &RUNGE[..]].concat();
        common::quadscan(folder.path(), &words)
    };
    let one = on("emulator");
    assert_eq!(one.code, 0, "{one:?}");
    for several in ["emulator:1", "emulator:3", "emulator:8"] {
        assert_eq!(on(several).output, one.output, "{several}");
    }
    let none = on("emulator:9");
    assert_eq!(none.code, 2, "{none:?}");
    assert!(none.errors.contains("allowed are 1 to 8"), "{none:?}");
}

/// More bytes than are read at once, so that devices are at several places of the file.
#[test]
fn rows_that_several_devices_keep_are_those_of_one() {
    let folder = folder();
    let note = "n".repeat(500);
    let rows = (0..1500).map(|i| format!("{i},{note}\n"));
    write(
        folder.path(),
        "items.csv",
        "to,note\n".to_owned() + &rows.collect::<String>(),
    );
    let on = |device, out, more: &[&str]| {
        let words = [
            "integrate",
            "--formula",
            "x",
            "--from",
            "0",
            "--batch",
            "items.csv",
        ];
        let words = [&words[..], &["--device", device, "--out", out], more].concat();
        let outcome = common::quadscan(folder.path(), &words);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        fs::read_to_string(folder.path().join(out)).expect("it is there")
    };
    let one = on("emulator", "one.csv", &[]);
    assert!(one.contains(",1123500.5,"), "the last is 1499^2 / 2");
    assert!(on("emulator:4", "several.csv", &["--resume"]) == one);
}

/// Of 1 / (1 + x^2): the difference of atan.
#[test]
fn each_row_of_a_file_is_an_integral() {
    let folder = folder();
    let mut text = "to,from\n".to_owned();
    let limits: Vec<(f64, f64)> = (0..40)
        .map(|i| (f64::from(i) / 8.0, f64::from(20 - i)))
        .collect();
    for (from, to) in &limits {
        text += &format!("{to},{from}\n");
    }
    write(folder.path(), "items.csv", text);
    for rule in ["g7k15", "g10k21", "tanh-sinh"] {
        let outcome = integrate_in(folder.path(), &[&RUNGE[..], &["--rule", rule]].concat());
        assert_eq!(outcome.code, 0, "{outcome:?}");
        let table = Table::of(&outcome);
        assert_eq!(
            table.header.join(","),
            "from,to,value,error,evaluations,status,at"
        );
        assert_eq!(table.rows.len(), limits.len());
        for (value, (from, to)) in table.numbers("value").iter().zip(&limits) {
            let exact = to.atan() - from.atan();
            assert!(
                (value - exact).abs() <= 1e-9,
                "{from}..{to}: {value}, not {exact}"
            );
        }
        assert!(
            table
                .texts("status")
                .iter()
                .all(|status| *status == "converged")
        );
    }
}

/// Equal strips go row by row; of the trapezoid rule with one strip (f(a) + f(b)) (b - a) / 2.
#[test]
fn rules_of_equal_strips_take_files_too() {
    let folder = folder();
    write(
        folder.path(),
        "items.csv",
        "from,to\n0,1\n1,0\n0,0\nnan,1\n",
    );
    let strips = ["--rule", "trapezoid", "--strips", "1"];
    let outcome = integrate_in(folder.path(), &[&RUNGE[..], &strips].concat());
    assert_eq!(outcome.code, 1);
    let table = Table::of(&outcome);
    assert_eq!(table.texts("value"), ["0.75", "-0.75", "0.0", "NaN"]);
    assert_eq!(
        table.texts("status"),
        ["computed", "computed", "computed", "no_limits"]
    );
    write(folder.path(), "items.csv", "from,to\n0,1\n0,inf\n");
    let sentence = refused_in(folder.path(), &[&RUNGE[..], &strips].concat());
    let start = "--batch items.csv, line 3: to is inf, and equal strips allow finite limits ";
    assert!(sentence.starts_with(start), "{sentence}");
}

#[test]
fn what_has_no_column_is_what_the_command_line_says() {
    let folder = folder();
    let of = |text: &str, rest: &[&str]| {
        write(folder.path(), "items.csv", text);
        let table = Table::of(&integrate_in(
            folder.path(),
            &[&GAUSSIAN[..], rest].concat(),
        ));
        table
            .rows
            .iter()
            .map(|row| row[..5].join(" "))
            .collect::<Vec<_>>()
    };
    let whole = of("from,to,a,u\n0,1,2,0.5\n-1,2,3,0.25\n", &[]);
    assert_eq!(of("u,from,a,to\n0.5,0,2,1\r\n\n0.25,-1,3,2", &[]), whole);
    // exp(-a^2 (x - u)^2) has the same integral from 0 to 1 for u and 1 - u.
    let one = of("a\n2\n", &["--parameters", "u=0.5"]);
    assert_eq!(one, whole[..1]);
    let one = of("from,u\n-1,0.25\n", &["--parameters", "a=3", "--to", "2"]);
    assert_eq!(one, whole[1..]);
    let one = of("to\n1\n", &["--parameters", "2,0.5"]);
    assert_eq!(one, whole[..1]);
}

#[test]
fn a_batch_gives_what_each_item_gives_alone() {
    let folder = folder();
    write(folder.path(), "items.csv", "a,u\n1,0.1\n50,0.3\n9,0.99\n");
    let all = Table::of(&integrate_in(folder.path(), &GAUSSIAN));
    for (row, parameters) in all.rows.iter().zip(["1,0.1", "50,0.3", "9,0.99"]) {
        let arguments = [
            "--integrand",
            "genz_gaussian",
            "--format",
            "csv",
            "--parameters",
        ];
        let alone = integrate_in(folder.path(), &[&arguments[..], &[parameters]].concat());
        assert_eq!(&Table::of(&alone).rows[0], row);
    }
}

#[test]
fn items_without_a_result_are_counted_and_the_output_is_complete() {
    let folder = folder();
    // Below 0 the logarithm is NaN; five intervals are too few from 0 on.
    let text = "from,to\n1,2\n-2,-1\n\n0,1\n3,nan\n-3,-1\n2,2\n";
    write(folder.path(), "items.csv", text);
    let arguments = [
        "--integrand",
        "power_log",
        "--parameters",
        "0",
        "--batch",
        "items.csv",
        "--rule",
        "g7k15",
        "--intervals",
        "5",
    ];
    let outcome = integrate_in(folder.path(), &arguments);
    assert_eq!(outcome.code, 1);
    assert_eq!(
        Table::of(&outcome).texts("status"),
        [
            "converged",
            "not_finite",
            "out_of_intervals",
            "no_limits",
            "not_finite",
            "converged"
        ]
    );
    let last = outcome.errors.lines().last().unwrap_or_default();
    let start = "4 of 6 integrals did not converge: 1 out_of_intervals, first in line \
                 5: ";
    assert!(last.starts_with(start), "{last}");
    assert!(last.contains("; 2 not_finite, first in line 3: "), "{last}");
    assert!(last.contains("; 1 no_limits, first in line 6: "), "{last}");
    // A file is as complete.
    let to_file = [&arguments[..], &["--out", "results.csv"]].concat();
    let filed = integrate_in(folder.path(), &to_file);
    assert_eq!((filed.code, filed.output.as_str()), (1, "results.csv\n"));
    let text = fs::read_to_string(folder.path().join("results.csv"));
    assert_eq!(text.ok(), Some(outcome.output));
}

#[test]
fn a_bad_row_is_named_by_its_line_and_nothing_is_written() {
    let folder = folder();
    write(folder.path(), "results.csv", "kept");
    for (text, problem) in [
        (
            "a,u\n1,2\n1,x\n",
            ", line 3: `x` is not a number, allowed in u are numbers, inf and -inf",
        ),
        (
            "a,u\n1,2\n\n1\n",
            ", line 4: there are 1 fields, allowed are 2: a,u",
        ),
        (
            "a,u\n1,1e999\n",
            ", line 2: `1e999` is too large for f64, allowed in u are ",
        ),
        ("a,b\n1,2\n", " has no u, genz_gaussian needs a, u"),
        (
            "b,c\n1,2\n",
            " has a column `b`, allowed are from, to, a, u",
        ),
        ("a,b,u,b\n1,2,3,4\n", " has two columns `b`, allowed is one"),
        (
            "a,u,value\n1,2,3\n",
            " has a column `value`, which the results have as well, allowed are other names",
        ),
        ("a,u,a\n1,2,3\n", " has two columns `a`, allowed is one"),
        ("a\n1\n", " has no u, genz_gaussian needs a, u"),
        (
            "",
            " is empty, allowed is a header of from,to,a,u and an item a line",
        ),
        (
            "\n\n",
            " is empty, allowed is a header of from,to,a,u and an item a line",
        ),
        (
            "a,u\n1,\"2\n3\"\n",
            ", line 3: `2\u{fffd}3` is not a number, allowed in u are ",
        ),
        (
            "a,u\n1,\"\n2\"\n",
            ", line 3: `\u{fffd}2` is not a number, allowed in u are ",
        ),
        (
            "a;u\n1;2,5\n",
            ", line 2: `2,5` is not a number, allowed in u are ",
        ),
        ("a,u\n", " has no items, allowed are 1 to 16777216"),
        (
            "1,2\n3,4\n",
            " has a column `1`, allowed are from, to, a, u",
        ),
    ] {
        write(folder.path(), "items.csv", text);
        let arguments = [&GAUSSIAN[..], &["--out", "results.csv"]].concat();
        let sentence = refused_in(folder.path(), &arguments);
        let start = format!("--batch items.csv{problem}");
        assert!(sentence.starts_with(&start), "{text:?}: {sentence}");
    }
    write(folder.path(), "items.csv", b"a,u\n1,2\n\xff,2\n");
    let sentence = refused_in(folder.path(), &GAUSSIAN);
    assert_eq!(sentence, "--batch items.csv, line 3: the text is not UTF-8");
    let kept = fs::read_to_string(folder.path().join("results.csv"));
    assert_eq!(kept.ok().as_deref(), Some("kept"));
    assert_eq!(files(folder.path()), ["items.csv", "results.csv"]);
}

#[test]
fn what_a_column_has_is_not_given_a_second_time() {
    let folder = folder();
    write(folder.path(), "items.csv", "from,a\n0,1\n");
    for (given, sentence) in [
        (
            ["--from", "1"],
            "--batch items.csv has a column `from`, which --from gives as well, allowed is one \
             of them",
        ),
        (
            ["--parameters", "1,2"],
            "--batch items.csv has a column `a`, which --parameters gives as well, allowed is \
             one of them",
        ),
    ] {
        assert_eq!(
            refused_in(folder.path(), &[&GAUSSIAN[..], &given].concat()),
            sentence
        );
    }
}

#[test]
fn a_parameter_that_is_nan_is_refused_with_its_line() {
    let folder = folder();
    write(folder.path(), "items.csv", "a,u\n1,0.5\n1,nan\n");
    assert_eq!(
        refused_in(folder.path(), &GAUSSIAN),
        "--batch items.csv, line 3: a parameter is NaN, allowed are numbers"
    );
}

#[test]
fn results_take_the_place_of_files_alone_and_not_of_their_items() {
    let folder = folder();
    write(folder.path(), "items.csv", "a,u\n1,0.5\n");
    assert_eq!(
        refused_in(
            folder.path(),
            &[&GAUSSIAN[..], &["--out", "./items.csv"]].concat()
        ),
        "--out ./items.csv is the file of --batch, allowed is another one"
    );
    let link = folder.path().join("nothing.csv");
    assert!(std::os::unix::fs::symlink("/dev/null", &link).is_ok());
    assert_eq!(
        refused_in(
            folder.path(),
            &[&GAUSSIAN[..], &["--out", "nothing.csv"]].concat()
        ),
        "--out /dev/null is not a file, allowed is one, or the name of a new one"
    );
    let kept = fs::read_to_string(folder.path().join("items.csv"));
    assert_eq!(kept.ok().as_deref(), Some("a,u\n1,0.5\n"));
}

/// A link stays a link, whether what it leads to is there or not; a file's mode stays; and a
/// folder that is not there is named as it was given.
#[test]
fn what_is_replaced_stays_what_it_was() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let runge = |out: &str| integrate_in(folder.path(), &["--integrand", "runge", "--out", out]);
    assert!(fs::create_dir(at("below")).is_ok());
    assert!(std::os::unix::fs::symlink("below/new.csv", at("link.csv")).is_ok());
    for _ in 0..2 {
        assert_eq!(runge("link.csv").code, 0);
        assert!(fs::symlink_metadata(at("link.csv")).is_ok_and(|of| of.is_symlink()));
        assert!(at("below/new.csv").is_file());
    }
    write(folder.path(), "open.csv", "");
    let mode = |mode| std::os::unix::fs::PermissionsExt::from_mode(mode);
    assert!(fs::set_permissions(at("open.csv"), mode(0o755)).is_ok());
    assert_eq!(runge("open.csv").code, 0);
    let of = fs::metadata(at("open.csv")).map(|of| of.permissions());
    assert!(of.is_ok_and(|of| std::os::unix::fs::PermissionsExt::mode(&of) & 0o777 == 0o755));
    assert_eq!(
        refused_in(
            folder.path(),
            &["--integrand", "runge", "--out", "none/x.csv"]
        ),
        "--out none/x.csv cannot be written: entity not found, allowed is a file in an existing \
         folder"
    );
}

#[test]
fn a_file_that_is_not_there_is_refused() {
    let folder = folder();
    let sentence = refused_in(folder.path(), &GAUSSIAN);
    let start = "--batch items.csv cannot be read: ";
    assert!(sentence.starts_with(start), "{sentence}");
    assert!(fs::create_dir(folder.path().join("items.csv")).is_ok());
    let sentence = refused_in(folder.path(), &GAUSSIAN);
    assert!(sentence.starts_with(start), "{sentence}");
    let sentence = refused_in(folder.path(), &["--integrand", "runge", "--batch", "items"]);
    let start = "--batch items is neither CSV nor .npy, allowed are FILE.csv, FILE.tsv, FILE.npy, and - for ";
    assert!(sentence.starts_with(start), "{sentence}");
}

#[test]
fn csv_comes_on_standard_input_too() {
    let folder = folder();
    let run = |text: &'static str| {
        let arguments = ["integrate", "--device", "emulator", "--integrand", "runge"];
        let output = assert_cmd::Command::new(common::PROGRAM)
            .args(arguments)
            .args(["--batch", "-"])
            .current_dir(folder.path())
            .write_stdin(text)
            .output();
        match output {
            Ok(output) => output,
            Err(error) => panic!("{error}"),
        }
    };
    let right = run("from,to\n0.5,0.5\n");
    assert!(right.status.success());
    let rows = "from,to,value,error,evaluations,status,at\n0.5,0.5,0.0,0.0,0,converged,\n";
    assert_eq!(String::from_utf8_lossy(&right.stdout), rows);
    let wrong = run("from,to\n0,x\n");
    assert_eq!(wrong.status.code(), Some(2));
    let start = "error: --batch standard input, line 2: `x` is not a number";
    assert!(String::from_utf8_lossy(&wrong.stderr).starts_with(start));
}

#[test]
fn lost_results_are_one_sentence_and_exit_code_2() {
    let folder = folder();
    write(folder.path(), "items.csv", "to\n1\n2\n");
    let batch = [&["integrate", "--device", "emulator"], &RUNGE[..]].concat();
    for arguments in [&batch[..], &["integrate", "--list"]] {
        let mut command = command(folder.path(), arguments);
        let outcome = ends(command.stdout(full()).stderr(Stdio::piped()));
        assert_eq!(outcome.code, 2, "{outcome:?}");
        let last = outcome.errors.lines().last().unwrap_or_default();
        let start = "error: cannot write to standard output: ";
        assert!(last.starts_with(start), "{outcome:?}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_is_no_failure() {
    let folder = folder();
    write(
        folder.path(),
        "items.csv",
        "to\n".to_owned() + &"0\n".repeat(5000),
    );
    let arguments = [&["integrate", "--device", "emulator"], &RUNGE[..]].concat();
    let mut command = command(folder.path(), &arguments);
    let spawned = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut process) = spawned else {
        panic!("not started")
    };
    drop(process.stdout.take());
    let ended = process.wait_with_output();
    let code = ended.map(|output| output.status.code());
    assert_eq!(code.ok(), Some(Some(0)));
}
