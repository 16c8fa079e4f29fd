//! What results are written to: a file, which is there whole or not at all, or standard output.

use std::io::{self, Write};
use std::path::Path;

use super::Form;
use super::block::{Column, Heading};
use super::csv::{CsvWriter, TAB};
use super::form::{COMMA, Writer};
use super::npy::NpyWriter;
use super::target::Draft;
use crate::error::{Error, Result};
use crate::export::{Format, Grid};

/// What is known of results before there are any.
#[derive(Clone, Copy, Debug)]
pub struct Shape<'a> {
    /// Their columns.
    pub headings: &'a [Heading],
    /// How many rows there will be.
    pub rows: u64,
    /// What divides cells in text.
    pub separator: u8,
}

/// Why results end early.
#[derive(Debug)]
pub enum Stop {
    /// What the system said of standard output.
    Lost(io::Error),
    /// Everything else.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Stop::Failed(error)
    }
}

/// Where results go, and in which form.
pub struct Output<'o> {
    /// The file that gets its name at the end, where it is one.
    draft: Option<Draft>,
    writer: Box<dyn Writer + 'o>,
}

impl<'o> Output<'o> {
    fn to_file(path: &Path, shape: &Shape<'_>) -> Result<Self> {
        let form = super::target::form(path)?;
        let draft = Draft::new(path)?;
        let begun = draft.writer().and_then(|file| {
            let writer: Box<dyn Writer> = match form {
                Form::Csv => {
                    let separator = separator(path, shape.separator);
                    Box::new(CsvWriter::new(file, shape.headings, separator)?)
                }
                Form::Npy => Box::new(NpyWriter::new(file, shape.headings, shape.rows)?),
                #[cfg(feature = "parquet")]
                Form::Parquet => {
                    let file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
                    Box::new(super::parquet::ParquetWriter::new(file, shape.headings)?)
                }
            };
            Ok(writer)
        });
        let writer = begun.map_err(|error| draft.unwritable(&error))?;
        let draft = Some(draft);
        Ok(Self { draft, writer })
    }

    fn printed(output: &'o mut dyn Write, format: Format, shape: &Shape<'_>) -> io::Result<Self> {
        let writer: Box<dyn Writer + 'o> = match format {
            Format::Csv => Box::new(CsvWriter::new(output, shape.headings, shape.separator)?),
            format => Box::new(GridWriter::new(output, format, shape.headings)),
        };
        let draft = None;
        Ok(Self { draft, writer })
    }

    /// Appends rows: the cells of all columns, in the order of the headings.
    ///
    /// # Errors
    ///
    /// [`Stop`] where they cannot be written.
    pub fn write(&mut self, columns: &[&Column]) -> std::result::Result<(), Stop> {
        let written = self.writer.write(columns);
        written.map_err(|error| self.stop(error))
    }

    fn finish(mut self) -> std::result::Result<(), Stop> {
        let ended = self.writer.finish();
        ended.map_err(|error| self.stop(error))?;
        Ok(self.draft.map_or(Ok(()), Draft::keep)?)
    }

    fn stop(&self, error: io::Error) -> Stop {
        match &self.draft {
            Some(draft) => Stop::Failed(draft.unwritable(&error)),
            None => Stop::Lost(error),
        }
    }
}

/// Writes what `fill` appends: to the file `out`, whole or not at all, and its name to `output`;
/// or to `output` itself. Whether it was written there.
///
/// # Errors
///
/// Those of `fill`; [`Error::Argument`] for a file that cannot be written.
pub fn written(
    out: Option<&Path>,
    format: Format,
    shape: &Shape<'_>,
    output: &mut dyn Write,
    fill: impl FnOnce(&mut Output<'_>) -> std::result::Result<(), Stop>,
) -> Result<io::Result<()>> {
    let filled = |to: Output<'_>| {
        let mut to = to;
        fill(&mut to)?;
        to.finish()
    };
    let ended = match out {
        Some(path) => filled(Output::to_file(path, shape)?)
            .and_then(|()| writeln!(output, "{}", path.display()).map_err(Stop::Lost)),
        None => Output::printed(output, format, shape)
            .map_err(Stop::Lost)
            .and_then(filled),
    };
    whether_written(ended.and_then(|()| output.flush().map_err(Stop::Lost)))
}

/// Whether results were written, where nothing else has failed.
///
/// # Errors
///
/// [`Stop::Failed`]'s.
pub fn whether_written(ended: std::result::Result<(), Stop>) -> Result<io::Result<()>> {
    match ended {
        Ok(()) => Ok(Ok(())),
        Err(Stop::Lost(error)) => Ok(Err(error)),
        Err(Stop::Failed(error)) => Err(error),
    }
}

/// What divides cells in a file of this name, where it is `usual` elsewhere.
fn separator(path: &Path, usual: u8) -> u8 {
    match (
        path.extension().is_some_and(|ending| ending == "tsv"),
        usual,
    ) {
        (true, _) => TAB,
        (false, TAB) => COMMA,
        (false, other) => other,
    }
}

/// Rows that are kept until all are there, since their widths are not known before.
struct GridWriter<W> {
    output: W,
    format: Format,
    grid: Grid,
}

impl<W: Write> GridWriter<W> {
    fn new(output: W, format: Format, headings: &[Heading]) -> Self {
        let names: Vec<&str> = headings.iter().map(|heading| &*heading.name).collect();
        let grid = Grid::new(&names, Vec::new());
        Self {
            output,
            format,
            grid,
        }
    }
}

impl<W: Write> Writer for GridWriter<W> {
    fn write(&mut self, columns: &[&Column]) -> io::Result<()> {
        for row in 0..columns.first().map_or(0, |column| column.rows()) {
            let cell = |column: &&Column| match (column.text(row), self.format, column) {
                // It has no such number: null.
                (text, Format::Json, Column::Numbers(_)) if text == "NaN" => String::new(),
                (text, ..) => text,
            };
            let cells = columns.iter().map(cell).collect();
            self.grid.rows.push(cells);
        }
        Ok(())
    }

    fn finish(&mut self) -> io::Result<()> {
        let text = self.grid.render(self.format);
        self.output.write_all(text.as_bytes())?;
        self.output.flush()
    }
}
