//! `quadscan integrate`: one integral, or a file of them, of a function of the catalogue.
//!
//! `request` is what the command line asks for, of which `method` is the rule and `typed` its numbers, `integrand` the
//! function, one of the `catalogue` or a formula, `over` the box of one of several variables, `pole` that of a principal value, and `given` what holds for all items; `items` is what is integrated, and
//! `batch` a file of it; `run` is the computation, `results` is what came of it, and `output` its
//! columns and its words, and `regions` a figure of a box. `samples` are integrals of tables. How integrals are computed is
//! [`integrate`](quadscan::integrate)'s, and how files are read and written is
//! [`columns`]'s.

mod batch;
mod catalogue;
pub mod formula;
mod given;
mod integrand;
mod items;
mod method;
mod number;
mod output;
mod over;
mod pole;
mod regions;
mod request;
mod results;
mod run;
mod samples;
mod typed;

use std::io::{self, Read, Write};

use crate::cli::IntegrateArguments;
use crate::columns::{self, COMMA, Column, Done, Place, Shape, Source, Watch};
use crate::device;
use crate::error::Result;
use crate::export::Format;
use crate::table::list::refused;
use batch::{BATCH, Batch};
use items::Items;
use number::Number;
use request::{Precision, Request};
use results::{Row, Tally};
use run::Runner;

/// Carries out `quadscan integrate`: reads a batch called `-` from `input`, and writes the
/// results to `output`, or to the file that is asked for and its name to `output`. What is no
/// result it tells `watch`: which device it is, how far it is, and how many items did not
/// converge.
///
/// # Errors
///
/// [`Error::Argument`](crate::Error::Argument) for what cannot be carried out, before anything is
/// computed or written; a device's.
pub fn integrate(
    arguments: &IntegrateArguments,
    input: &mut dyn Read,
    output: &mut dyn Write,
    watch: &mut dyn Watch,
) -> Result<Done> {
    if arguments.list {
        let text = catalogue::list(arguments, request::format(arguments)?)?;
        return Ok(Done {
            is_fine: true,
            written: output
                .write_all(text.as_bytes())
                .and_then(|()| output.flush()),
        });
    }
    if arguments.samples.is_some() {
        return samples::integrate(arguments, input, output, watch);
    }
    match Precision::new(arguments)? {
        Precision::F32 => of::<f32>(arguments, input, output, watch),
        Precision::F64 => of::<f64>(arguments, input, output, watch),
    }
}

/// Err when the command line asks for what cannot be carried out; no file is looked at.
///
/// # Errors
///
/// [`Error::Argument`](crate::Error::Argument).
pub fn check(arguments: &IntegrateArguments) -> Result<()> {
    if arguments.samples.is_some() {
        return samples::Asked::new(arguments).map(drop);
    }
    match (arguments.list, Precision::new(arguments)?) {
        (true, _) => request::format(arguments).map(drop),
        (_, Precision::F32) => Request::<f32>::new(arguments).map(drop),
        (_, Precision::F64) => Request::<f64>::new(arguments).map(drop),
    }
}

fn of<R: Number>(
    arguments: &IntegrateArguments,
    input: &mut dyn Read,
    output: &mut dyn Write,
    watch: &mut dyn Watch,
) -> Result<Done> {
    let request = Request::<R>::new(arguments)?;
    let (of, given, method) = (&request.of, request.given.clone(), &request.method);
    let Some(path) = request.file() else {
        let items = Items::alone(given, of, method)?;
        let mut runner = runner(&request, watch)?;
        return alone(&request, &items, &mut runner, output, watch);
    };
    let source = Source::open(BATCH, path, input)?;
    let batch = Batch::new(&source, of, given, method, watch)?;
    let mut runner = runner(&request, watch)?;
    if !batch.passed.is_empty() {
        watch.say(&columns::copied(&batch.passed));
    }
    all(&request, &batch, &mut runner, output, watch)
}

/// Makes sure that results can be written, and opens the device.
fn runner<R: Number>(request: &Request<R>, watch: &mut dyn Watch) -> Result<Runners<R>> {
    if let Some(path) = &request.out {
        columns::check(path, BATCH, request.file())?;
    }
    let (artifact, (name, needed)) = (
        request.artifact.as_deref(),
        request.of.modules(&request.method),
    );
    let (module, notice) = device::load(request.device, artifact, &needed)?;
    watch.say(&notice);
    let runner = |of| {
        let runner = Runner::new(&module, of, &request.method);
        runner.map_err(|error| device::without_kernels(error, artifact, name))
    };
    let slope = request.derivative.as_ref().map(|(_, of)| runner(of));
    Ok(Runners {
        value: runner(&request.of)?,
        slope: slope.transpose()?,
    })
}

/// Rows of integrals and, where they are asked for, of their derivatives.
type Both<R> = (Vec<Row<R>>, Option<Vec<Row<R>>>);

/// What computes items, and the derivatives of their integrals.
struct Runners<R: Number> {
    value: Runner<R>,
    slope: Option<Runner<R>>,
}

impl<R: Number> Runners<R> {
    /// What comes of items, told to `tally` by the places of their rows.
    fn rows(
        &mut self,
        items: &Items<R>,
        tally: &mut Tally,
        place: impl Fn(usize) -> Place,
    ) -> Result<Both<R>> {
        let rows = self.value.rows(items)?;
        let slopes = self.slope.as_mut().map(|slope| slope.rows(items));
        let slopes = slopes.transpose()?;
        tally.add(&rows, &place);
        slopes.iter().for_each(|slopes| tally.add(slopes, &place));
        Ok((rows, slopes))
    }
}

/// One integral.
fn alone<R: Number>(
    request: &Request<R>,
    items: &Items<R>,
    runner: &mut Runners<R>,
    output: &mut dyn Write,
    watch: &mut dyn Watch,
) -> Result<Done> {
    let mut tally = Tally::default();
    let (rows, slopes) = runner.rows(items, &mut tally, |row| Place::Row(row as u64))?;
    if let Some(path) = &request.regions {
        regions::write(path, &request.of, &runner.value.regions(items)?)?;
    }
    let name = request.slope();
    let written = if request.out.is_none() && request.format == Format::Table {
        let slope = name.zip(slopes.as_ref().map(|slopes| &slopes[0]));
        let text = output::sentence(&request.of, items, &rows[0], slope);
        output
            .write_all(text.as_bytes())
            .and_then(|()| output.flush())
    } else {
        let headings = output::headings(&request.of, name);
        let shape = Shape {
            headings: &headings,
            rows: 1,
            separator: COMMA,
        };
        columns::written(
            request.out.as_deref(),
            request.format,
            &shape,
            output,
            |to| {
                let columns = output::columns(&request.of, items, &rows, slopes.as_deref());
                to.write(&columns.iter().collect::<Vec<_>>())
            },
        )?
    };
    Ok(done(&tally, written, watch))
}

/// The integrals of a file, a block of rows after the other.
fn all<R: Number>(
    request: &Request<R>,
    batch: &Batch<'_, R>,
    runner: &mut Runners<R>,
    output: &mut dyn Write,
    watch: &mut dyn Watch,
) -> Result<Done> {
    let mut headings = batch.passed.clone();
    headings.extend(output::headings(&request.of, request.slope()));
    let (rows, separator) = (batch.rows, batch.separator);
    let shape = Shape {
        headings: &headings,
        rows,
        separator,
    };
    let mut tally = Tally::default();
    let (out, format) = (request.out.as_deref(), request.format);
    let written = columns::written(out, format, &shape, output, |to| {
        let (mut reader, mut done, most) = (batch.read()?, 0, runner.value.most());
        while let Some(block) = reader.block(most)? {
            let items = batch.items(&block)?;
            let (rows, slopes) = runner.rows(&items, &mut tally, |row| block.place(row))?;
            let results = output::columns(&request.of, &items, &rows, slopes.as_deref());
            let passed = batch.passed_of(&block).into_iter();
            to.write(&passed.chain(&results).collect::<Vec<&Column>>())?;
            done += block.rows() as u64;
            watch.progress(done, batch.rows);
        }
        Ok(())
    })?;
    Ok(done(&tally, written, watch))
}

/// How it ended, and what there is to say about items without a result.
fn done(tally: &Tally, written: io::Result<()>, watch: &mut dyn Watch) -> Done {
    let objection = tally.objection();
    if let Some(sentence) = &objection {
        watch.object(sentence);
    }
    Done {
        is_fine: objection.is_none(),
        written,
    }
}
