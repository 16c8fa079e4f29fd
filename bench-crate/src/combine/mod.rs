//! `quadscan scan` and `quadscan reduce`: a column of a file, combined on the device, or on several.
//!
//! `request` is what the command line asks for, `operation` what is asked of a column, `kernels` the
//! operations that there are, `survey` the first reading of the file, `blocks` the rows of one of
//! several processes, `pieces` a column of any length, and `share` what such a process makes of it.
//! How elements are combined is [`scan`](quadscan::scan)'s and [`reduce`](quadscan::reduce)'s, and how
//! files are read and written is [`columns`]'s.

mod blocks;
mod kernels;
mod operation;
mod pieces;
mod request;
mod share;
mod survey;

use std::io::{Read, Write};

use crate::cli::{CombineArguments, ScanArguments};
use crate::columns::{self, Done, Problem, Shape, Source, Stop, Watch, with_type};
use crate::device;
use crate::error::Result;
use crate::export::Format;
use crate::ranks::Ranks;
use kernels::Element;
pub use operation::{Form, Operation};
use pieces::Pieces;
use request::{Chosen, FILE, Request};
use share::Share;
use survey::Survey;

/// Whether results could be written.
type Taken = std::result::Result<(), Stop>;

/// Carries out `quadscan scan`: reads a file called `-` from `input`, and writes its columns with
/// the results beside them to `output`, or to the file that is asked for and its name to `output`. Of
/// several processes each combines its rows, and the first one writes.
///
/// # Errors
///
/// [`Error::Argument`](crate::Error::Argument) for what cannot be carried out, before anything is
/// computed or written; a device's.
pub fn scan(
    arguments: &ScanArguments,
    ranks: &Ranks,
    input: &mut dyn Read,
    output: &mut dyn Write,
    watch: &mut dyn Watch,
) -> Result<Done> {
    let request = Request::of_scan(arguments);
    combine(&ranks.agree(request)?, ranks, input, output, watch)
}

/// Carries out `quadscan reduce`, as [`scan`]: writes one number, or by key a row each.
///
/// # Errors
///
/// As [`scan`].
pub fn reduce(
    arguments: &CombineArguments,
    ranks: &Ranks,
    input: &mut dyn Read,
    output: &mut dyn Write,
    watch: &mut dyn Watch,
) -> Result<Done> {
    let request = Request::new(Form::Reduce, arguments);
    combine(&ranks.agree(request)?, ranks, input, output, watch)
}

/// Err when the command line of `quadscan scan` asks for what cannot be carried out; no file is
/// looked at.
///
/// # Errors
///
/// [`Error::Argument`](crate::Error::Argument).
pub fn check_scan(arguments: &ScanArguments) -> Result<()> {
    Request::of_scan(arguments).map(drop)
}

/// The same of `quadscan reduce`.
///
/// # Errors
///
/// As [`check_scan`].
pub fn check_reduce(arguments: &CombineArguments) -> Result<()> {
    Request::new(Form::Reduce, arguments).map(drop)
}

fn combine(
    request: &Request,
    ranks: &Ranks,
    input: &mut dyn Read,
    output: &mut dyn Write,
    watch: &mut dyn Watch,
) -> Result<Done> {
    let opened = ranks.expect_file(FILE, &request.file).and_then(|()| {
        let source = Source::open(FILE, &request.file, input)?;
        let reader = source.read(&[])?;
        if reader.headings().is_empty() {
            let problem = "has no columns, allowed are 1 and more".to_owned();
            return Err(source.refuse(Problem::Wrong(problem)));
        }
        let chosen = request.choose(reader.headings())?;
        drop(reader);
        Ok((source, chosen))
    });
    let (source, chosen) = ranks.agree(opened)?;
    with_type!(chosen.scalar, T => of::<T>(request, &source, chosen, ranks, output, watch))
}

/// What is known of a file, and what combines it on the device.
fn prepared<T: Element>(
    request: &Request,
    source: &Source,
    chosen: Chosen,
    ranks: &Ranks,
    watch: &mut dyn Watch,
) -> Result<(Survey, Pieces<T>)> {
    let kernels = request.kernels::<T>()?;
    let survey = Survey::new::<T>(request, source, chosen, ranks, watch)?;
    if let Some(path) = &request.out {
        columns::check(path, FILE, Some(&request.file))?;
    }
    let artifact = request.artifact.as_deref();
    let (modules, notice) =
        device::load_on_each(&request.device, artifact, &kernels.modules, ranks)?;
    watch.say(&notice);
    let pieces = Pieces::new(request, &kernels, &modules, chosen).map_err(|error| {
        device::without_kernels(error.into(), artifact, &kernels.modules.join(" and "))
    })?;
    Ok((survey, pieces))
}

fn of<T: Element>(
    request: &Request,
    source: &Source,
    chosen: Chosen,
    ranks: &Ranks,
    output: &mut dyn Write,
    watch: &mut dyn Watch,
) -> Result<Done> {
    let prepared = prepared::<T>(request, source, chosen, ranks, watch);
    let (survey, pieces) = ranks.agree(prepared)?;
    let out = request.out.as_deref();
    let share = Share {
        pieces,
        source,
        chosen,
        survey: &survey,
        ranks,
    };
    if !ranks.is_first() {
        let sent = share.results(watch, |_| Ok(()));
        let written = columns::whether_written(sent)?;
        let is_fine = true;
        return Ok(Done { is_fine, written });
    }
    let shape = Shape {
        headings: &survey.headings,
        rows: survey.rows,
        separator: survey.separator,
    };
    let written = match (request.form, request.format, out) {
        // One number needs no header.
        (Form::Reduce, None, None) => {
            let mut number = None;
            let ended = share.results(watch, |columns| {
                number = columns.last().map(|column| column.text(0));
                Ok(())
            });
            let print = |()| writeln!(output, "{}", number.unwrap_or_default());
            columns::whether_written(ended)?.and_then(print)
        }
        (_, format, _) => {
            let format = format.unwrap_or(Format::Csv);
            columns::written(out, format, &shape, output, |to| {
                share.results(watch, |columns| to.write(columns))
            })?
        }
    };
    Ok(Done {
        is_fine: true,
        written,
    })
}
