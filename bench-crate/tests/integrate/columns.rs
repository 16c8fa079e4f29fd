//! Columns of `--batch` that are no limits and no parameters, and the ways to write a file.
//!
//! The integral of 1 / (1 + x^2) from 0 to t is atan t.

use std::fmt::Write as _;
use std::fs;

use clap::Parser;
use quadscan_bench::cli::{Cli, Command};
use quadscan_bench::columns::Watch;
use quadscan_bench::integral::integrate;
use quadscan_bench::ranks::Ranks;

use crate::common::{Outcome, folder};
use crate::{Table, integrate_in};

/// What comes of a file of this name.
fn of_file(name: &str, bytes: impl AsRef<[u8]>, rest: &[&str]) -> Outcome {
    let folder = folder();
    assert!(fs::write(folder.path().join(name), bytes).is_ok());
    let batch = ["--integrand", "runge", "--batch", name];
    integrate_in(folder.path(), &[&batch[..], rest].concat())
}

#[test]
fn columns_that_say_nothing_of_items_stand_before_them_as_they_were() {
    let text = "# made by hand\nname,to,note\n\"a, b\",1,\"say \"\"so\"\"\"\n  x ,0,\"two\nlines\"\n\
                # the end\n\"#4\",-1,\n";
    let outcome = of_file("items.csv", text, &[]);
    assert_eq!(outcome.code, 0, "{outcome:?}");
    let table = Table::of(&outcome);
    assert_eq!(
        table.header.join(","),
        "name,note,from,to,value,error,evaluations,status,at"
    );
    assert_eq!(table.texts("name"), ["a, b", "  x ", "#4"]);
    assert_eq!(table.texts("note"), ["say \"so\"", "two\nlines", ""]);
    let quarter = std::f64::consts::FRAC_PI_4;
    for (value, exact) in table.numbers("value").iter().zip([quarter, 0.0, -quarter]) {
        assert!((value - exact).abs() <= 1e-9, "{value}, not {exact}");
    }
    // It says so: a name may be misspelt.
    let said = outcome
        .errors
        .contains("copied to the results: name, note\n");
    assert!(said, "{outcome:?}");
    // What it writes it reads: comments do not come of cells.
    assert!(outcome.output.contains("\n\"#4\","), "{outcome:?}");
}

#[test]
fn cells_are_divided_by_what_the_header_has_most_of() {
    for (name, separator) in [("items.csv", ';'), ("items.tsv", '\t'), ("items.csv", ',')] {
        let text = "label,to\r\n\"a,b;c\td\",1\r\n".replacen(',', &separator.to_string(), 1);
        let text = text.replace("\",1", &format!("\"{separator}1"));
        let outcome = of_file(name, &text, &[]);
        assert_eq!(outcome.code, 0, "{text:?}: {outcome:?}");
        // So are the results.
        let header = [
            "label",
            "from",
            "to",
            "value",
            "error",
            "evaluations",
            "status",
            "at",
        ];
        let header = header.join(&separator.to_string());
        assert_eq!(outcome.output.lines().next(), Some(&*header));
        let row = outcome.output.lines().nth(1).unwrap_or_default();
        assert!(
            row.starts_with(&format!("\"a,b;c\td\"{separator}0.0{separator}1.0")),
            "{row:?}"
        );
    }
}

#[test]
fn the_name_of_a_file_says_what_divides_its_cells() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    assert!(fs::write(at("items.tsv"), "id\tto\n7\t1\n").is_ok());
    for (out, header) in [
        ("results.csv", "id,from,to,value,"),
        ("results.tsv", "id\tfrom\tto\tvalue\t"),
    ] {
        let arguments = ["--integrand", "runge", "--batch", "items.tsv", "--out", out];
        let outcome = integrate_in(folder.path(), &arguments);
        assert_eq!(outcome.code, 0, "{outcome:?}");
        let text = fs::read_to_string(at(out)).unwrap_or_default();
        assert!(text.starts_with(header), "{text}");
    }
}

/// NumPy's description of the results: names are as long as the longest.
#[test]
fn copied_columns_are_fields_of_an_array_and_are_read_again() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    assert!(fs::write(at("items.csv"), "id,to\na,1\nlonger,0\n").is_ok());
    let runge = |words: &[&str]| {
        let outcome = integrate_in(
            folder.path(),
            &[&["--integrand", "runge"][..], words].concat(),
        );
        assert_eq!(outcome.code, 0, "{outcome:?}");
        outcome
    };
    runge(&["--batch", "items.csv", "--out", "results.npy"]);
    let bytes = fs::read(at("results.npy")).unwrap_or_default();
    let header = String::from_utf8_lossy(&bytes[..256.min(bytes.len())]).into_owned();
    assert!(
        header.contains("('id', '|S6'), ('from', '<f8')"),
        "{header}"
    );
    // Without the columns that results have, which are the last five: 8 + 8 + 8 + 16 + 8 bytes.
    let text = "{'descr': [('id', '|S6'), ('from', '<f8'), ('to', '<f8'), ('', '|V48')], \
                'fortran_order': False, 'shape': (2,)}";
    let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
    let mut again = b"\x93NUMPY\x01\x00".to_vec();
    again.extend((text.len() as u16).to_le_bytes());
    again.extend(text.as_bytes());
    again.extend(&bytes[10 + length..]);
    assert!(fs::write(at("again.npy"), again).is_ok());
    let of_text = runge(&["--batch", "items.csv"]);
    let of_array = runge(&["--batch", "again.npy"]);
    assert_eq!(of_array.output, of_text.output);
}

/// What is told while a command works.
#[derive(Default)]
struct Told {
    checked: Vec<u64>,
    done: Vec<(u64, u64)>,
}

impl Watch for Told {
    fn say(&mut self, _: &str) {}

    fn checked(&mut self, rows: u64) {
        self.checked.push(rows);
    }

    fn progress(&mut self, done: u64, total: u64) {
        self.done.push((done, total));
    }
}

/// More rows than are computed at a time, and than a core reads, each with a label of its own; from
/// one with quotes on they are read one by one.
#[test]
fn rows_keep_their_order_and_progress_is_told() {
    const ROWS: usize = 20_000;
    let mut text = "label,from,to\n".to_owned();
    for row in 0..ROWS {
        let quote = if row == 18_000 { "\"" } else { "" };
        assert!(writeln!(text, "{quote}r{row}{quote},0,0").is_ok());
    }
    let words = "quadscan integrate --device emulator --integrand runge --batch -";
    let Ok(cli) = Cli::try_parse_from(words.split(' ')) else {
        panic!("{words}")
    };
    let Command::Integrate(arguments) = cli.command else {
        panic!("{words}")
    };
    let (mut output, mut told) = (Vec::new(), Told::default());
    let done = integrate(
        &arguments,
        &Ranks::alone(),
        &mut text.as_bytes(),
        &mut output,
        &mut told,
    );
    assert!(done.is_ok_and(|done| done.is_fine && done.written.is_ok()));
    let table = Table::parse(&String::from_utf8_lossy(&output));
    assert_eq!(table.rows.len(), ROWS);
    let labels = table.texts("label");
    let is_in_order = |(row, label): (usize, &&str)| *label == format!("r{row}");
    assert!(labels.iter().enumerate().all(is_in_order));
    assert_eq!(told.checked, [20_000]);
    assert_eq!(told.done, [(16_384, 20_000), (20_000, 20_000)]);
}

/// What cannot be read twice is copied first.
#[test]
fn a_file_may_be_a_pipe() {
    let folder = folder();
    let pipe = folder.path().join("items.csv");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()));
    let written = std::thread::spawn(move || fs::write(pipe, "to\n1\n"));
    let batch = ["--integrand", "runge", "--batch", "items.csv"];
    let outcome = integrate_in(folder.path(), &batch);
    assert!(written.join().is_ok_and(|written| written.is_ok()));
    assert_eq!(outcome.code, 0, "{outcome:?}");
    assert_eq!(Table::of(&outcome).rows.len(), 1);
}
