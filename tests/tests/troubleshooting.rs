//! `docs/troubleshooting.md` and the messages that tests produce are the same.
//!
//! An entry is a heading: the fixed words of a message, with `…` for what differs, and the
//! test that shows it, which has to have these words. The other way round, every message of
//! the two error types, of the lints and of the macros has an entry, or is no author's doing.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

const PAGE: &str = "docs/troubleshooting.md";

/// Variants of error types that are no mistake of an author's, and why.
const NO_AUTHORS: &[(&str, &str)] = &[
    ("Io", "a file of the builder's own"),
    ("Start", "a program of the toolchain's"),
    ("Unexpected", "cargo's or rustc's own fault"),
    ("Llvm", "a library of the toolchain's"),
    ("BadManifest", "a file of the builder's own"),
    (
        "BadOption",
        "each has words of its own; those that there are have entries",
    ),
    ("Lints", "its first line has an entry, and each lint"),
    ("OutOfHostMemory", "the machine's"),
    ("TooManyElements", "beyond every device"),
    ("ForeignEvent", "only by two devices at once"),
    ("NotCuda", "only where a CUDA stream is asked for"),
    ("Peer", "a library that we are measured against"),
    ("OneStream", "only where a second stream is asked for"),
    ("NoGraphs", "an old driver"),
    ("Recording", "another thread's"),
    ("NoClocks", "a measurement's"),
    ("Argument", "the command line's; `--help` has it"),
    ("Unwritable", "a folder for results"),
    ("Records", "a file of results"),
    ("Refused", "another error's words, from another process"),
    ("Worker", "the measuring process's"),
    ("Agreed", "another error's words, of another process"),
];

/// Text as it is compared: one space for every gap, no quotes of code, and strings of Rust
/// as they are printed.
fn plain(text: &str) -> String {
    let mut joined = String::new();
    for line in text.lines() {
        joined.push(' ');
        joined.push_str(line.trim_start().trim_end_matches('\\'));
    }
    let printed = joined
        .replace("\\\"", "\"")
        .replace('`', "")
        .replace("\\|", "|");
    printed.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The pieces between what differs from case to case.
fn pieces(message: &str, is_gap: impl Fn(&str) -> Vec<String>) -> Vec<String> {
    let pieces = is_gap(message).into_iter().map(|piece| plain(&piece));
    pieces.filter(|piece| piece.len() > 1).collect()
}

/// Fixed words of an entry.
fn of_entry(heading: &str) -> Vec<String> {
    pieces(heading, |text| text.split('…').map(str::to_owned).collect())
}

/// Fixed words of a format string.
fn of_format(format: &str) -> Vec<String> {
    pieces(format, |text| {
        let parts = text.split('{').enumerate();
        let fixed = parts.map(|(i, part)| match (i, part.split_once('}')) {
            (0, _) | (_, None) => part,
            (_, Some((_, rest))) => rest,
        });
        fixed.map(str::to_owned).collect()
    })
}

/// Whether the pieces stand in a text, one after the other.
fn stand_in(pieces: &[String], text: &str) -> bool {
    let mut rest = text;
    pieces
        .iter()
        .all(|piece| match rest.split_once(piece.as_str()) {
            Some((_, behind)) => {
                rest = behind;
                true
            }
            None => false,
        })
}

/// Heading and test of each entry of the page.
fn entries(page: &str) -> Vec<(String, String)> {
    let sections = page.split("\n### ").skip(1);
    sections
        .map(|section| {
            let heading = section.lines().next().unwrap_or_default();
            let test = section
                .split_once("<!-- ")
                .and_then(|(_, rest)| rest.split_once(" -->"));
            (
                heading.to_owned(),
                test.map_or("", |(test, _)| test).to_owned(),
            )
        })
        .collect()
}

/// First cells of the table of what the macros say.
fn rows(page: &str) -> Vec<String> {
    let (_, table) = page.split_once("| message | why |").expect("a table");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| "));
    rows.filter(|row| !row.starts_with("---"))
        .filter_map(|row| row.rsplit_once(" | ").map(|(message, _)| plain(message)))
        .collect()
}

/// The text of a function, or of a whole file, as `path` or `path::function`.
fn source(test: &str) -> Option<String> {
    let (path, function) = match test.split_once("::") {
        Some((path, function)) => (path, Some(function)),
        None => (test, None),
    };
    let text = fs::read_to_string(root().join(path)).ok()?;
    let Some(function) = function else {
        return Some(text);
    };
    let (_, rest) = text.split_once(&format!("fn {function}("))?;
    // rustfmt ends a function at the indentation that it began with.
    let before = text
        .split_once(&format!("fn {function}("))
        .map_or("", |(before, _)| before);
    let indentation = before.rsplit('\n').next().unwrap_or("").len();
    let end = format!("\n{}}}\n", " ".repeat(indentation));
    Some(
        rest.split_once(&end)
            .map_or(rest, |(body, _)| body)
            .to_owned(),
    )
}

/// Why an entry is none, if so.
fn objection(heading: &str, test: &str) -> Option<String> {
    let Some(text) = source(test) else {
        return Some(format!("{heading}: there is no test `{test}`"));
    };
    let text = plain(&text);
    let missing = of_entry(heading)
        .into_iter()
        .find(|piece| !text.contains(piece));
    missing.map(|piece| format!("{heading}: `{piece}` is not in {test}"))
}

/// Variants of an error type with their formats.
fn variants(path: &str) -> Vec<(String, String)> {
    let text = read(path);
    let parts = text.split("#[error(").skip(1);
    parts
        .map(|part| {
            let (attribute, rest) = part.split_once(")]").expect("an attribute ends");
            let (_, format) = attribute.split_once('"').unwrap_or(("", "{0}"));
            let format = format.rsplit_once('"').map_or("", |(format, _)| format);
            let name: String = rest
                .trim_start()
                .chars()
                .take_while(|c| c.is_alphanumeric())
                .collect();
            (name, format.to_owned())
        })
        .collect()
}

#[test]
fn every_entry_is_a_message_that_its_test_shows() {
    let page = read(PAGE);
    let entries = entries(&page);
    assert!(entries.len() >= 60, "{} entries", entries.len());
    let objections: Vec<_> = entries
        .iter()
        .filter_map(|(heading, test)| objection(heading, test))
        .collect();
    assert!(objections.is_empty(), "{}", objections.join("\n"));
}

#[test]
fn every_error_that_an_author_can_cause_has_an_entry() {
    let page = read(PAGE);
    let headings: Vec<String> = entries(&page)
        .iter()
        .map(|(heading, _)| plain(heading))
        .collect();
    let mut missing = Vec::new();
    for path in [
        "rust-cuda/cuda_builder/src/error.rs",
        "host-crate/src/error.rs",
    ] {
        let variants = variants(path);
        assert!(variants.len() > 10, "{path}: {variants:?}");
        for (name, format) in variants {
            let excepted = NO_AUTHORS.iter().any(|(known, _)| *known == name);
            let pieces = of_format(&format);
            let has = |heading: &String| stand_in(&pieces, heading);
            if !excepted && !headings.iter().any(has) {
                missing.push(format!("{path}: {name}: {format}"));
            }
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

#[test]
fn every_lint_has_an_entry() {
    let page = read(PAGE);
    for lint in cuda_builder::Lint::ALL {
        assert!(page.contains(&format!("`[{lint}]`")), "{lint}");
    }
}

/// What the macros of kernels say, in the files that the compiler's output is compared with.
#[test]
fn what_the_macros_say_is_the_table() {
    let mut said = BTreeSet::new();
    let folder = root().join("rust-cuda/cuda_std_macros/suite/tests/ui");
    for file in fs::read_dir(folder).expect("a folder") {
        let path = file.expect("a file").path();
        if path
            .extension()
            .is_none_or(|extension| extension != "stderr")
        {
            continue;
        }
        let text = fs::read_to_string(&path).expect("text");
        said.extend(text.lines().filter_map(|line| {
            let panicked = line.strip_prefix("error[E0080]: evaluation panicked: ");
            line.strip_prefix("error: ").or(panicked).map(plain)
        }));
    }
    let rows: BTreeSet<String> = rows(&read(PAGE)).into_iter().collect();
    assert_eq!(rows, said);
}

#[test]
fn an_entry_whose_message_nobody_says_is_found() {
    let test = "host-crate/tests/device/devices.rs::a_driver_without_a_gpu_is_no_device";
    assert_eq!(
        objection("no device: the NVIDIA driver finds no GPU", test),
        None
    );
    assert!(objection("no device: the driver finds … flights", test).is_some());
    assert!(objection("no device: the NVIDIA driver finds no GPU", "no/file.rs").is_some());
    let another = "host-crate/tests/device/devices.rs::copies_of_another_length_are_refused";
    assert!(objection("no device: the NVIDIA driver finds no GPU", another).is_some());
}

#[test]
fn formats_and_strings_over_several_lines_are_read() {
    assert_eq!(of_format("no {what} at {path}: {source}"), ["no", "at"]);
    assert_eq!(plain("\"one \\\n     two\""), "\"one two\"");
    assert!(stand_in(&["b".into(), "c".into()], "a b c"));
    assert!(!stand_in(&["c".into(), "b".into()], "a b c"));
}
