//! A file to read: what it is called decides how. It is read as often as is asked for, a block of
//! rows at a time, so that memory does not grow with it.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::os::fd::AsRawFd;
use std::path::Path;

use hmac_sha256::Hash as Sha256;

use super::block::{Block, Heading};
use super::csv::CsvRows;
use super::form::Rows;
use super::npy::NpyRows;
use super::{Form, Problem, number};
use crate::error::{Error, Result};
use crate::table::list::refused;

/// The name that standard input has.
const STANDARD_INPUT: &str = "-";

/// Bytes that are read at a time.
const BUFFER: usize = 1 << 18;

/// A file that is named by an argument of the command line.
#[derive(Debug)]
pub struct Source {
    argument: &'static str,
    name: String,
    form: Form,
    file: File,
}

impl Source {
    /// How a file is read, by its name.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] where it is none of those that can be read.
    pub fn form(argument: &str, path: &Path) -> Result<Form> {
        if path == Path::new(STANDARD_INPUT) {
            return Ok(Form::Csv);
        }
        let arrays = format!(", FILE.npy, and {STANDARD_INPUT} for CSV on standard input");
        Form::of(path, &arrays).map_err(|problem| refused(argument, problem))
    }

    /// Opens a file, or copies `input` where the file is called `-`. What cannot be read twice
    /// is copied to a file without a name.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for what cannot be read.
    pub fn open(argument: &'static str, path: &Path, input: &mut dyn Read) -> Result<Self> {
        let form = Self::form(argument, path)?;
        let is_input = path == Path::new(STANDARD_INPUT);
        let name = match is_input {
            true => "standard input".to_owned(),
            false => path.display().to_string(),
        };
        let file = match is_input {
            true => copy(input),
            false => {
                File::open(path).and_then(|mut file| match file.metadata()?.file_type().is_file() {
                    true => Ok(file),
                    false => copy(&mut file),
                })
            }
        };
        match file {
            Ok(file) => Ok(Self {
                argument,
                name,
                form,
                file,
            }),
            Err(error) => Err(unreadable(argument, &name, &error)),
        }
    }

    /// Begins to read the file. `columns` are those of an array without names, in this order,
    /// and any where there are none.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for what is no such file, and for two columns of one name.
    pub fn read(&self, columns: &[&str]) -> Result<Reader<'_>> {
        let refuse = |problem| self.refuse(problem);
        let file = self.again().map_err(|error| refuse(error.into()))?;
        let input = BufReader::with_capacity(BUFFER, file);
        let rows: Box<dyn Rows + '_> = match self.form {
            Form::Csv => Box::new(CsvRows::new(input, columns).map_err(refuse)?),
            Form::Npy => Box::new(NpyRows::new(input, columns).map_err(refuse)?),
            #[cfg(feature = "parquet")]
            Form::Parquet => {
                let file = input.into_inner();
                Box::new(super::parquet::ParquetRows::new(file).map_err(refuse)?)
            }
        };
        let mut seen = HashSet::new();
        let mut names = rows.headings().iter().map(|heading| &heading.name);
        if let Some(name) = names.find(|name| !seen.insert(*name)) {
            let name = number::shown(name);
            let problem = format!("has two columns `{name}`, allowed is one");
            return Err(refuse(Problem::Wrong(problem)));
        }
        Ok(Reader { source: self, rows })
    }

    /// The file, with a place of its own in it, which is the first one: readers may be at several places at
    /// a time. That is the file which was opened, whatever its name is now, if it has one.
    fn again(&self) -> io::Result<File> {
        File::open(format!("/proc/self/fd/{}", self.file.as_raw_fd()))
    }

    /// The digest of some text and of all bytes of the file.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] where it cannot be read.
    pub fn digest(&self, text: &str) -> Result<[u8; 32]> {
        let mut hash = Sha256::new();
        hash.update(text);
        let mut bytes = vec![0; BUFFER];
        let mut file = &self.file;
        let mut read = || {
            file.rewind()?;
            loop {
                match file.read(&mut bytes)? {
                    0 => return Ok(()),
                    count => hash.update(&bytes[..count]),
                }
            }
        };
        read().map_err(|error: io::Error| self.refuse(error.into()))?;
        Ok(hash.finalize())
    }

    /// What is wrong with the file, in one sentence.
    pub fn refuse(&self, problem: Problem) -> Error {
        let (argument, name) = (self.argument, &self.name);
        match problem {
            Problem::Unreadable(error) => unreadable(argument, name, &error),
            Problem::Wrong(problem) => refused(argument, format!("{name} {problem}")),
            Problem::At(place, problem) => refused(argument, format!("{name}, {place}: {problem}")),
        }
    }
}

/// A reading of a file, from its first row to its last.
pub struct Reader<'s> {
    source: &'s Source,
    rows: Box<dyn Rows + 's>,
}

impl Reader<'_> {
    /// The columns.
    pub fn headings(&self) -> &[Heading] {
        self.rows.headings()
    }

    /// Whether the file is an array of numbers, one a row, which has no name.
    pub fn is_array(&self) -> bool {
        self.headings().len() == 1 && !self.rows.has_names()
    }

    /// How many rows there are, where the file says so before they are read.
    pub fn rows(&self) -> Option<u64> {
        self.rows.rows()
    }

    /// What divides cells, where the file is text.
    pub fn separator(&self) -> u8 {
        self.rows.separator()
    }

    /// Leaves out the next rows: of an array without reading them.
    ///
    /// # Errors
    ///
    /// As [`Reader::block`].
    pub fn skip(&mut self, rows: u64) -> Result<()> {
        let skipped = self.rows.skip(rows);
        skipped.map_err(|problem| self.source.refuse(problem))
    }

    /// The next rows, at most so many; nothing behind the last.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] that names the first row that is none.
    pub fn block(&mut self, most: usize) -> Result<Option<Block>> {
        let block = self.rows.block(most);
        block.map_err(|problem| self.source.refuse(problem))
    }
}

fn unreadable(argument: &str, name: &str, error: &io::Error) -> Error {
    let allowed = "allowed are existing files";
    refused(
        argument,
        format!("{name} cannot be read: {error}, {allowed}"),
    )
}

/// What is read, in a file that has no name and is gone with the program.
fn copy(input: &mut dyn Read) -> io::Result<File> {
    let mut file = tempfile::tempfile()?;
    io::copy(input, &mut file)?;
    file.flush()?;
    Ok(file)
}
