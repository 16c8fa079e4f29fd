//! Files of columns, as commands read and write them: CSV, NumPy's `.npy` and, with the feature of
//! that name, Parquet.
//!
//! `number` and `block` are rows in memory. `csv`, `npy` and `parquet` are forms of files, and
//! `form` is what they have in common. `reader` is a file to read, `target` the file that `--out`
//! names, and `writer` what is written there or printed. `message` is rows for another process. What the columns mean is the commands' own.

mod block;
mod csv;
mod form;
pub(crate) mod message;
mod npy;
pub(crate) mod number;
#[cfg(feature = "parquet")]
mod parquet;
mod reader;
mod target;
mod writer;

use std::io;
use std::path::Path;

pub use block::{Block, Column, Heading, Kind, Place};
pub(crate) use number::with_type;
pub use number::{Number, Scalar};
pub use reader::{Reader, Source};
pub use target::{check, form};
pub use writer::{Output, Shape, Stop, whether_written, written};

pub(crate) use form::COMMA;

/// Rows that are read, computed and written at a time: memory is a multiple of them. Results of
/// floats depend on it, so that it is the same for all files and devices.
pub const ROWS: usize = 1 << 18;

/// The name of the column of an array that has but one.
pub(crate) const ONE_COLUMN: &str = "value";

/// How a file is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Text.
    Csv,
    /// An array of NumPy's.
    Npy,
    /// Parquet.
    #[cfg(feature = "parquet")]
    Parquet,
}

impl Form {
    /// By the ending of a file's name; or which names are allowed, of which `arrays` is the last.
    fn of(path: &Path, arrays: &str) -> Result<Self, String> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("csv" | "tsv") => Ok(Form::Csv),
            Some("npy") => Ok(Form::Npy),
            #[cfg(feature = "parquet")]
            Some("parquet") => Ok(Form::Parquet),
            #[cfg(not(feature = "parquet"))]
            Some("parquet") => Err(format!(
                "{} is Parquet, which this program was built without, allowed are the other \
                 forms, and a build with `--features parquet`",
                path.display()
            )),
            _ => Err(format!(
                "{} is neither CSV nor .npy, allowed are FILE.csv, FILE.tsv{arrays}",
                path.display()
            )),
        }
    }
}

/// Why a file has no rows.
#[derive(Debug)]
pub enum Problem {
    /// The system's word.
    Unreadable(io::Error),
    /// Something about the whole file.
    Wrong(String),
    /// Something about one row, and where that is.
    At(Place, String),
}

impl Problem {
    /// Where it is, if it is about one row.
    pub fn place(&self) -> Option<Place> {
        match self {
            Problem::At(place, _) => Some(*place),
            _ => None,
        }
    }
}

impl From<io::Error> for Problem {
    fn from(error: io::Error) -> Self {
        Problem::Unreadable(error)
    }
}

/// What hears of a command while it works.
pub trait Watch {
    /// A sentence beside the results.
    fn say(&mut self, sentence: &str);

    /// Why the results are not fine, which is said to those who want quiet, too.
    fn object(&mut self, sentence: &str) {
        self.say(sentence);
    }

    /// What there is to say from now on where the work ends early, as by Ctrl-C.
    fn keeps(&mut self, _sentence: String) {}

    /// How many rows have been checked, of a number that is not known.
    fn checked(&mut self, rows: u64);

    /// How many rows are done, of all.
    fn progress(&mut self, done: u64, total: u64);
}

/// What was done.
#[derive(Debug)]
pub struct Done {
    /// Whether every row has a result.
    pub is_fine: bool,
    /// Whether the results were written to the output.
    pub written: io::Result<()>,
}

/// That these columns are in the results as they are in the file: a name may be a misspelt one.
pub(crate) fn copied(headings: &[Heading]) -> String {
    let names: Vec<String> = headings.iter().map(|of| number::shown(&of.name)).collect();
    format!("copied to the results: {}", names.join(", "))
}

/// That a file has so many rows, called as the command calls them.
pub(crate) fn number_of_rows(has: &str, called: &str, most: u64) -> String {
    format!("has {has} {called}, allowed are 1 to {most}")
}
