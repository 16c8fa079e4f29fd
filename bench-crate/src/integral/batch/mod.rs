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
use super::target::Form;
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

/// How a file is read, by its name. Err where it is none of a batch.
pub(super) fn form(path: &Path) -> Result<Form> {
    if path == Path::new(STANDARD_INPUT) {
        return Ok(Form::Csv);
    }
    let neither =
        "is neither CSV nor .npy, allowed are FILE.csv, FILE.npy, and - for CSV on standard input";
    Form::of(path).ok_or_else(|| refused("--batch", format!("{} {neither}", path.display())))
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
    let form = form(path)?;
    let read = if path == Path::new(STANDARD_INPUT) {
        csv::read(BufReader::new(input), context)
    } else {
        let file = File::open(path).map_err(|error| unreadable(path, &error))?;
        match form {
            Form::Csv => csv::read(BufReader::new(file), context),
            Form::Npy => npy::read(BufReader::new(file), context),
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
    let allowed = "allowed are existing files";
    refused(
        "--batch",
        format!("{} cannot be read: {error}, {allowed}", name(path)),
    )
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
