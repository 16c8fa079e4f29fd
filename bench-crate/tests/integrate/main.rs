//! `quadscan integrate` from outside, on the emulator: what it gives, what it refuses, and how.
//!
//! Expected values are closed forms, each beside its test.

#[path = "../common/mod.rs"]
mod common;

mod arrays;
mod batches;
mod columns;
mod documents;
mod formulas;
mod principal_values;
mod refusals;
mod samples;
mod values;
mod waves;

use std::path::Path;

use common::Outcome;

/// Runs `quadscan integrate` in a folder, on the emulator.
fn integrate_in(folder: &Path, arguments: &[&str]) -> Outcome {
    let first = ["integrate", "--device", "emulator"];
    common::quadscan(folder, &[&first[..], arguments].concat())
}

/// The same with words divided by blanks, in a folder of its own.
fn integrate(arguments: &str) -> Outcome {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    integrate_in(common::folder().path(), &words)
}

/// Exit code 2, nothing on standard output, and one sentence on standard error; it.
#[track_caller]
fn refused_in(folder: &Path, arguments: &[&str]) -> String {
    let outcome = integrate_in(folder, arguments);
    assert_eq!(outcome.code, 2, "{arguments:?}: {outcome:?}");
    assert_eq!(outcome.output, "", "{arguments:?}");
    assert_eq!(outcome.errors.lines().count(), 1, "{}", outcome.errors);
    let sentence = outcome.errors.trim_end().strip_prefix("error: ");
    sentence.map(str::to_owned).unwrap_or_default()
}

/// Rows of CSV below its header, by column.
struct Table {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    #[track_caller]
    fn of(outcome: &Outcome) -> Self {
        assert_ne!(outcome.code, 2, "{outcome:?}");
        Self::parse(&outcome.output)
    }

    fn parse(text: &str) -> Self {
        let mut reader = csv::ReaderBuilder::new()
            .has_headers(false)
            .from_reader(text.as_bytes());
        let mut rows = reader
            .records()
            .map(|record| match record {
                Ok(record) => record.iter().map(str::to_owned).collect(),
                Err(error) => panic!("{error}: {text}"),
            })
            .collect::<Vec<Vec<String>>>();
        assert!(!rows.is_empty(), "no header");
        let header = rows.remove(0);
        Self { header, rows }
    }

    /// The texts of a column.
    #[track_caller]
    fn texts(&self, name: &str) -> Vec<&str> {
        let Some(column) = self.header.iter().position(|known| known == name) else {
            panic!("no column {name} in {:?}", self.header)
        };
        self.rows.iter().map(|row| row[column].as_str()).collect()
    }

    /// The numbers of a column.
    #[track_caller]
    fn numbers(&self, name: &str) -> Vec<f64> {
        let number = |text: &&str| text.parse().unwrap_or_else(|_| panic!("{name}: `{text}`"));
        self.texts(name).iter().map(number).collect()
    }
}

/// The value of one integral.
#[track_caller]
fn value(arguments: &str) -> f64 {
    let table = Table::of(&integrate(&format!("{arguments} --format csv")));
    assert_eq!(table.rows.len(), 1, "{arguments}");
    table.numbers("value")[0]
}
