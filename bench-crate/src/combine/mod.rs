//! `quadscan scan` and `quadscan reduce`: a column of a file, combined on the device.
//!
//! `request` is what the command line asks for, `operation` what is asked of a column, `kernels` the
//! operations that there are, `survey` the first reading of the file, and `pieces` a column of any
//! length. How elements are combined is [`scan`](quadscan::scan)'s and [`reduce`](quadscan::reduce)'s,
//! and how files are read and written is [`columns`]'s.

mod kernels;
mod operation;
mod pieces;
mod request;
mod survey;

use std::io::{Read, Write};

use crate::cli::{CombineArguments, ScanArguments};
use crate::columns::{self, Column, Done, ROWS, Shape, Source, Stop, Watch, with_type};
use crate::device;
use crate::error::Result;
use crate::export::Format;
use kernels::Element;
pub use operation::{Form, Operation};
use pieces::Pieces;
use request::{Chosen, FILE, Request};
use survey::Survey;

/// Whether results could be written.
type Taken = std::result::Result<(), Stop>;

/// Carries out `quadscan scan`: reads a file called `-` from `input`, and writes its columns with
/// the results beside them to `output`, or to the file that is asked for and its name to `output`.
///
/// # Errors
///
/// [`Error::Argument`](crate::Error::Argument) for what cannot be carried out, before anything is
/// computed or written; a device's.
pub fn scan(
    arguments: &ScanArguments,
    input: &mut dyn Read,
    output: &mut dyn Write,
    watch: &mut dyn Watch,
) -> Result<Done> {
    let request = Request::new(Form::Scan, &arguments.of, arguments.exclusive)?;
    combine(&request, input, output, watch)
}

/// Carries out `quadscan reduce`, as [`scan`]: writes one number, or by key a row each.
///
/// # Errors
///
/// As [`scan`].
pub fn reduce(
    arguments: &CombineArguments,
    input: &mut dyn Read,
    output: &mut dyn Write,
    watch: &mut dyn Watch,
) -> Result<Done> {
    let request = Request::new(Form::Reduce, arguments, false)?;
    combine(&request, input, output, watch)
}

/// Err when the command line of `quadscan scan` asks for what cannot be carried out; no file is
/// looked at.
///
/// # Errors
///
/// [`Error::Argument`](crate::Error::Argument).
pub fn check_scan(arguments: &ScanArguments) -> Result<()> {
    Request::new(Form::Scan, &arguments.of, arguments.exclusive).map(drop)
}

/// The same of `quadscan reduce`.
///
/// # Errors
///
/// As [`check_scan`].
pub fn check_reduce(arguments: &CombineArguments) -> Result<()> {
    Request::new(Form::Reduce, arguments, false).map(drop)
}

fn combine(
    request: &Request,
    input: &mut dyn Read,
    output: &mut dyn Write,
    watch: &mut dyn Watch,
) -> Result<Done> {
    let source = Source::open(FILE, &request.file, input)?;
    let chosen = request.choose(source.read(&[])?.headings())?;
    with_type!(chosen.scalar, T => of::<T>(request, &source, chosen, output, watch))
}

fn of<T: Element>(
    request: &Request,
    source: &Source,
    chosen: Chosen,
    output: &mut dyn Write,
    watch: &mut dyn Watch,
) -> Result<Done> {
    let kernels = request.kernels::<T>()?;
    let survey = Survey::new::<T>(request, source, chosen, watch)?;
    let out = request.out.as_deref();
    if let Some(path) = out {
        columns::check(path, FILE, Some(&request.file))?;
    }
    let artifact = request.artifact.as_deref();
    let (module, notice) = device::load(request.device, artifact, &kernels.modules)?;
    watch.say(&notice);
    let pieces = Pieces::new(request, &kernels, &module).map_err(|error| {
        device::without_kernels(error.into(), artifact, &kernels.modules.join(" and "))
    })?;
    let shape = Shape {
        headings: &survey.headings,
        rows: survey.rows,
        separator: survey.separator,
    };
    let written = match (request.form, request.format, out) {
        // One number needs no header.
        (Form::Reduce, None, None) => {
            let mut number = None;
            let ended = results(pieces, source, chosen, &survey, watch, |columns| {
                number = columns.last().map(|column| column.text(0));
                Ok(())
            });
            let print = |()| writeln!(output, "{}", number.unwrap_or_default());
            columns::whether_written(ended)?.and_then(print)
        }
        (_, format, _) => {
            let format = format.unwrap_or(Format::Csv);
            columns::written(out, format, &shape, output, |to| {
                results(pieces, source, chosen, &survey, watch, |columns| {
                    to.write(columns)
                })
            })?
        }
    };
    Ok(Done {
        is_fine: true,
        written,
    })
}

/// Hands the columns of results to `take`, a block of rows after the other.
fn results<T: Element>(
    mut pieces: Pieces<T>,
    source: &Source,
    chosen: Chosen,
    survey: &Survey,
    watch: &mut dyn Watch,
    mut take: impl FnMut(&[&Column]) -> Taken,
) -> Taken {
    let (mut reader, mut done) = (source.read(&[])?, 0);
    while let Some(block) = reader.block(ROWS)? {
        let numbers = survey.numbers(source, &block)?;
        for results in pieces.next(&block, numbers, chosen.key)? {
            let beside = survey.beside.iter().map(|k| &block.columns[*k]);
            let values = Column::of::<T>(&results.values);
            take(
                &beside
                    .chain(&results.keys)
                    .chain([&values])
                    .collect::<Vec<_>>(),
            )?;
        }
        done += block.rows() as u64;
        watch.progress(done, survey.read);
    }
    if let Some(results) = pieces.end() {
        let values = Column::of::<T>(&results.values);
        take(&results.keys.iter().chain([&values]).collect::<Vec<_>>())?;
    }
    Ok(())
}
