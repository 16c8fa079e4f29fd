//! Files of items, `--batch`: what they are called decides how they are read. Everything
//! that is wrong with one is found here, before anything is launched.

mod csv;
mod npy;

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use super::given::Given;
use super::items::Items;
use super::method::Method;
use super::number::Number;
use super::refused;
use crate::error::{Error, Result};
use quadscan::integrate::Kernels;

/// The name that standard input has.
const STANDARD_INPUT: &str = "-";

/// What a reader of a file has to know to make items of it.
struct Context<'a, R: Number> {
    of: &'a Kernels<R>,
    given: Given<R>,
    method: &'a Method<R>,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Csv,
    Npy,
}

/// How a file is read, by its name.
fn kind(path: &Path) -> Result<Kind> {
    if path == Path::new(STANDARD_INPUT) {
        return Ok(Kind::Csv);
    }
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("csv") => Ok(Kind::Csv),
        Some("npy") => Ok(Kind::Npy),
        _ => {
            let problem = "is neither, allowed are FILE.csv, FILE.npy, and - for CSV on standard \
                           input";
            Err(refused("--batch", format!("{} {problem}", path.display())))
        }
    }
}

/// Err where the file's name is none of a batch.
pub(super) fn check_name(path: &Path) -> Result<()> {
    kind(path).map(|_| ())
}

/// The items of a file, or of `input` where the file is called `-`.
pub(super) fn read<R: Number>(
    path: &Path,
    input: &mut dyn Read,
    of: &Kernels<R>,
    given: Given<R>,
    method: &Method<R>,
) -> Result<Items<R>> {
    let context = Context { of, given, method };
    let kind = kind(path)?;
    let read = if path == Path::new(STANDARD_INPUT) {
        csv::read(BufReader::new(input), context)
    } else {
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        match kind {
            Kind::Csv => csv::read(BufReader::new(file), context),
            Kind::Npy => npy::read(BufReader::new(file), context),
        }
    };
    read.map_err(|problem| match problem {
        Problem::Unreadable(error) => unreadable(path, &error),
        Problem::Wrong(problem) => refused("--batch", format!("{} {problem}", name(path))),
        Problem::At(place, problem) => {
            refused("--batch", format!("{}, {place}: {problem}", name(path)))
        }
    })
}

/// What a file is called in a sentence.
fn name(path: &Path) -> String {
    if path == Path::new(STANDARD_INPUT) {
        "standard input".to_owned()
    } else {
        path.display().to_string()
    }
}

fn unreadable(path: &Path, error: &std::io::Error) -> Error {
    let problem = format!(
        "{} cannot be read: {error}, allowed are files that are there",
        name(path)
    );
    refused("--batch", problem)
}

/// Why there are no items.
enum Problem {
    /// The system's word.
    Unreadable(std::io::Error),
    /// Something about the whole file.
    Wrong(String),
    /// Something about one item, and where that is.
    At(super::items::Place, String),
}

impl From<std::io::Error> for Problem {
    fn from(error: std::io::Error) -> Self {
        Problem::Unreadable(error)
    }
}
