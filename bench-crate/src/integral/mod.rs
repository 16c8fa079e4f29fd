//! `quadscan integrate`: one integral, or a file of them, of a function of the catalogue.
//!
//! `request` is what the command line asks for, of which `method` is the rule, `catalogue`
//! the function and `given` what holds for all items; `items` is what is integrated, and
//! `batch` reads files of it; `run` has the device, `results` is what came of it, `output` its
//! text, and `target` the file. How integrals are computed is
//! [`integrate`](quadscan::integrate)'s.

mod batch;
mod catalogue;
mod given;
mod items;
mod method;
mod number;
mod output;
mod request;
mod results;
mod run;
mod target;

use std::io::{self, Read, Write};

use crate::cli::IntegrateArguments;
use crate::error::{Error, Result};
use crate::modules;
use crate::table::list::refused;
use items::Items;
use number::Number;
use output::Results;
use request::{Precision, Request};
use target::Form;

/// What was done.
#[derive(Debug)]
pub struct Done {
    /// Whether all items have converged, or were computed by a rule that estimates no error.
    pub is_fine: bool,
    /// Whether the results were written to the output.
    pub written: io::Result<()>,
}

/// Carries out `quadscan integrate`: reads a batch called `-` from `input`, and writes the
/// results to `output`, or to the file that is asked for and its name to `output`. What is no
/// result it says: which device it is, and how many items did not converge.
///
/// # Errors
///
/// [`Error::Argument`] for what cannot be carried out, before anything is computed or
/// written; a device's.
pub fn integrate(
    arguments: &IntegrateArguments,
    input: &mut dyn Read,
    output: &mut dyn Write,
    say: &mut dyn FnMut(&str),
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
    match Precision::new(arguments)? {
        Precision::F32 => of::<f32>(arguments, input, output, say),
        Precision::F64 => of::<f64>(arguments, input, output, say),
    }
}

/// Err when the command line asks for what cannot be carried out; no file is looked at.
///
/// # Errors
///
/// [`Error::Argument`].
pub fn check(arguments: &IntegrateArguments) -> Result<()> {
    match (arguments.list, Precision::new(arguments)?) {
        (true, _) => request::format(arguments).map(drop),
        (_, Precision::F32) => Request::<f32>::new(arguments).map(drop),
        (_, Precision::F64) => Request::<f64>::new(arguments).map(drop),
    }
}

/// What a folder lacks is no fault of the program's.
fn without_kernels<R: Number>(error: Error, request: &Request<R>) -> Error {
    match (error, &request.artifact) {
        (Error::Quadscan(quadscan::Error::UnknownKernel { kernel }), Some(folder)) => {
            let (folder, name) = (folder.display(), request.of.name);
            let allowed = format!("allowed is a folder with the kernels of {name}");
            refused(
                "--artifact",
                format!("{folder} has no kernel `{kernel}`, {allowed}"),
            )
        }
        (error, _) => error,
    }
}

fn of<R: Number>(
    arguments: &IntegrateArguments,
    input: &mut dyn Read,
    output: &mut dyn Write,
    say: &mut dyn FnMut(&str),
) -> Result<Done> {
    let request = Request::<R>::new(arguments)?;
    let (of, given, method) = (&request.of, request.given.clone(), &request.method);
    let items = match request.file() {
        Some(path) => batch::read(path, input, of, given, method)?,
        None => Items::alone(given, of, method)?,
    };
    let target = request.out.as_deref();
    let target = target.map(|path| target::check(path, request.file()).map(|form| (path, form)));
    let target = target.transpose()?;
    let needed = [modules::of_integrand(request.of.name)];
    let folder = modules::folder(
        request.artifact.as_deref(),
        request.device,
        &needed.clone().into(),
    )?;
    // SAFETY: whoever names a folder with --artifact vouches that it was built from this
    // program's kernels.
    let artifact = unsafe { modules::artifact(folder.as_deref(), &needed) }?;
    let (device, name) = run::open(request.device)?;
    say(&name);
    let rows = run::rows(&device.load(&artifact)?, of, method, &items);
    let rows = rows.map_err(|error| without_kernels(error, &request))?;
    let results = Results {
        request: &request,
        items: &items,
        rows: &rows,
    };
    let written = match target {
        None => results.print(output),
        Some((path, form)) => {
            target::write(path, |file| match form {
                Form::Csv => results.write_csv(file),
                Form::Npy => results.write_npy(file),
            })?;
            writeln!(output, "{}", path.display())
        }
    };
    let written = written.and_then(|()| output.flush());
    let objection = results::objection(&items, &rows);
    if let Some(sentence) = &objection {
        say(sentence);
    }
    Ok(Done {
        is_fine: objection.is_none(),
        written,
    })
}
