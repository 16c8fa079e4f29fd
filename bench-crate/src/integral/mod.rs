//! `quadscan integrate`: one integral, or a file of them, of a function of the catalogue.
//!
//! `request` is what the command line asks for, of which `method` is the rule and `typed` its numbers, `integrand` the
//! function, one of the `catalogue` or a formula, `over` the box of one of several variables, and
//! `transform` what stands in its place, by its `pole` or its `wave`, each a `quantity`; `given` what holds for all items; `items` is what is integrated, and
//! `batch` a file of it; `run` is the computation, `results` is what came of it, each with its `status`, and `output` its
//! columns and its words, and `regions` a figure of a box. `dealt` is a batch that several processes compute, or that can be resumed. `samples` are integrals of tables. How integrals are computed is
//! [`integrate`](quadscan::integrate)'s, and how files are read and written is
//! [`columns`]'s.

mod batch;
mod catalogue;
mod dealt;
pub mod formula;
mod given;
mod integrand;
mod items;
mod method;
mod number;
mod output;
mod over;
mod pole;
mod quantity;
mod regions;
mod request;
mod results;
mod run;
mod samples;
mod status;
mod transform;
mod typed;
mod wave;

use std::io::{self, Read, Write};

use crate::cli::{ComputeArguments, IntegrateArguments};
use crate::columns::{self, Block, COMMA, Column, Done, Place, Shape, Source, Watch};
use crate::device;
use crate::error::{Error, Result};
use crate::export::Format;
use crate::journal::Journal;
use crate::ranks::Ranks;
use crate::table::list::refused;
use batch::{BATCH, Batch};
use items::Items;
use number::Number;
use request::{Precision, Request};
use results::{Outputs, Tally};
use run::Runner;

/// Carries out `quadscan integrate`: reads a batch called `-` from `input`, and writes the
/// results to `output`, or to the file that is asked for and its name to `output`. What is no
/// result it tells `watch`: which device it is, how far it is, and how many items did not
/// converge. Of several processes each integrates rows of a file, and the first one writes; what is no
/// file is the first one's alone.
///
/// # Errors
///
/// [`Error::Argument`] for what cannot be carried out, before anything is
/// computed or written; a device's.
pub fn integrate(
    arguments: &IntegrateArguments,
    ranks: &Ranks,
    input: &mut dyn Read,
    output: &mut dyn Write,
    watch: &mut dyn Watch,
) -> Result<Done> {
    if arguments.batch.is_none() && !ranks.is_first() {
        return Ok(NOTHING);
    }
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
        return samples::integrate(arguments, ranks, input, output, watch);
    }
    let precision = Precision::new(arguments);
    let precision = match &arguments.batch {
        Some(_) => ranks.agree(precision),
        None => precision,
    };
    match precision? {
        Precision::F32 => of::<f32>(arguments, ranks, input, output, watch),
        Precision::F64 => of::<f64>(arguments, ranks, input, output, watch),
    }
}

/// Err when the command line asks for what cannot be carried out; no file is looked at.
///
/// # Errors
///
/// [`Error::Argument`].
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
    ranks: &Ranks,
    input: &mut dyn Read,
    output: &mut dyn Write,
    watch: &mut dyn Watch,
) -> Result<Done> {
    let Some(path) = &arguments.batch else {
        let request = Request::<R>::new(arguments)?;
        let items = Items::alone(request.given.clone(), &request.of, &request.method)?;
        let (mut runners, _) = runners(&request, ranks, watch)?;
        return alone(&request, &items, &mut runners[0], output, watch);
    };
    let opened = Request::<R>::new(arguments).and_then(|request| {
        ranks.expect_file(BATCH, path)?;
        Ok((request, Source::open(BATCH, path, input)?))
    });
    let (request, source) = ranks.agree(opened)?;
    let (of, given, method) = (&request.of, request.given.clone(), &request.method);
    let prepared = Batch::new(&source, of, given, method, watch)
        .and_then(|batch| Ok((batch, runners(&request, ranks, watch)?)));
    let (batch, (mut runners, kernels)) = ranks.agree(prepared)?;
    if !batch.passed.is_empty() {
        watch.say(&columns::copied(&batch.passed));
    }
    let kept = match request.resumes || !ranks.is_alone() {
        true => {
            let digest = ranks.is_first().then(|| source.digest(&text_of(arguments)));
            let digest = ranks.agree(digest.transpose())?.unwrap_or_default();
            let digests = [digest, kernels];
            let kept = dealt::computed(&request, digests, &batch, &mut runners, ranks, watch)?;
            if kept.is_none() {
                return Ok(NOTHING);
            }
            kept
        }
        false => None,
    };
    all(&request, &batch, &mut runners, kept, output, watch)
}

/// What the results of a file depend on, but for that file.
fn text_of(arguments: &IntegrateArguments) -> String {
    let results = IntegrateArguments {
        batch: None,
        format: None,
        resume: false,
        place: ComputeArguments::default(),
        ..arguments.clone()
    };
    format!("{} {results:?}", env!("CARGO_PKG_VERSION"))
}

/// What a process has done of which nothing is asked, or no more.
const NOTHING: Done = Done {
    is_fine: true,
    written: Ok(()),
};

/// Makes sure that results can be written, and opens the devices; and the digest of their kernels.
fn runners<R: Number>(
    request: &Request<R>,
    ranks: &Ranks,
    watch: &mut dyn Watch,
) -> Result<(Vec<Runners<R>>, [u8; 32])> {
    if let Some(path) = &request.out {
        columns::check(path, BATCH, request.file())?;
    }
    let (artifact, (name, needed)) = (
        request.artifact.as_deref(),
        request.of.modules(&request.method, request.batch.is_some()),
    );
    let (modules, notice) = device::load_on_each(&request.device, artifact, &needed, ranks)?;
    watch.say(&notice);
    let of_module = |module| {
        let runner = |of| {
            let runner = Runner::new(module, of, &request.method);
            runner.map_err(|error| device::without_kernels(error, artifact, name))
        };
        let values = [&request.of]
            .into_iter()
            .chain(&request.others)
            .map(&runner);
        let slopes = request.derivative.as_ref();
        let slopes = slopes.map(|(_, slopes)| slopes.iter().map(&runner).collect());
        Ok(Runners {
            values: values.collect::<Result<_>>()?,
            slopes: slopes.transpose()?,
            tolerances: request.method.tolerances(),
        })
    };
    let runners = modules.iter().map(of_module).collect::<Result<_>>()?;
    Ok((runners, device::digest(&modules, &needed)))
}

/// Results and, where they are asked for, derivatives of them.
type Both<R> = (Outputs<R>, Option<Outputs<R>>);

/// What computes the outputs of items on a device, and the derivatives of their integrals.
struct Runners<R: Number> {
    values: Vec<Runner<R>>,
    slopes: Option<Vec<Runner<R>>>,
    /// The absolute one and the relative one, where there are any.
    tolerances: Option<(R, R)>,
}

impl<R: Number> Runners<R> {
    /// What comes of items.
    fn rows(&mut self, items: &Items<R>) -> Result<Both<R>> {
        let tolerances = self.tolerances;
        let outputs = |runners: &mut Vec<Runner<R>>| {
            let rows = runners.iter_mut().map(|runner| runner.rows(items));
            Ok::<_, Error>(Outputs::new(rows.collect::<Result<_>>()?, tolerances))
        };
        let values = outputs(&mut self.values)?;
        let slopes = self.slopes.as_mut().map(outputs);
        Ok((values, slopes.transpose()?))
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
    if let Some(path) = &request.regions {
        regions::write(path, &request.of, &runner.values[0].regions(items)?)?;
    }
    let (rows, slopes) = runner.rows(items)?;
    tally.add(&rows, slopes.as_ref(), |row| Place::Row(row as u64));
    let name = request.slope();
    let written = if request.out.is_none() && request.format == Format::Table {
        let text = output::sentence(&request.of, items, &rows, name.zip(slopes.as_ref()));
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
                let columns = output::columns(&request.of, items, &rows, slopes.as_ref());
                to.write(&columns.iter().collect::<Vec<_>>())
            },
        )?
    };
    Ok(done(&tally, written, watch))
}

/// The integrals of a file, a block of rows after the other: those that were kept, or as they are
/// computed, as many at once as there are devices.
fn all<R: Number>(
    request: &Request<R>,
    batch: &Batch<'_, R>,
    runners: &mut [Runners<R>],
    mut kept: Option<Journal>,
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
        let (mut reader, mut done) = (batch.read()?, 0);
        let mut write = |items: &Items<R>, block: &Block, (values, slopes): Both<R>| {
            tally.add(&values, slopes.as_ref(), |row| block.place(row));
            let results = output::columns(&request.of, items, &values, slopes.as_ref());
            let passed = batch.passed_of(block).into_iter();
            to.write(&passed.chain(&results).collect::<Vec<&Column>>())?;
            done += block.rows() as u64;
            watch.progress(done, batch.rows);
            Ok::<_, columns::Stop>(())
        };
        if let Some(kept) = &mut kept {
            for range in kept.blocks() {
                let Some(block) = reader.block((range.end - range.start) as usize)? else {
                    break;
                };
                let both = dealt::from_bytes(&kept.bytes(&range)?, request);
                write(&batch.items(&block)?, &block, both)?;
            }
            return Ok(());
        }
        // So that every device has some.
        let shares = usize::try_from(batch.rows.div_ceil(runners.len() as u64));
        let most = runners[0].values[0]
            .most()
            .min(shares.unwrap_or(usize::MAX));
        loop {
            let mut blocks = Vec::new();
            while blocks.len() < runners.len()
                && let Some(block) = reader.block(most)?
            {
                blocks.push((batch.items(&block)?, block));
            }
            if blocks.is_empty() {
                return Ok(());
            }
            let found = device::at_once(runners, &blocks, |of, (items, _)| of.rows(items));
            for ((items, block), both) in blocks.iter().zip(found) {
                write(items, block, both?)?;
            }
        }
    })?;
    kept.into_iter().for_each(Journal::remove);
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
