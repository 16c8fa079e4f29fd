//! What `quadscan integrate` asks for, checked: everything that can be refused without
//! reading a file is refused here.

use std::path::{Path, PathBuf};

use super::batch::BATCH;
use super::catalogue;
use super::given::Given;
use super::integrand::{self, Integrand};
use super::items::Items;
use super::method::Method;
use super::number::Number;
use super::over::Over;
use super::refused;
use super::regions;
use crate::cli::IntegrateArguments;
use crate::columns::{self, Source};
use crate::device::choices;
use crate::error::Result;
use crate::export::Format;
use crate::modules::expect_artifact;
use quadscan::device::DevicesChoice;
use quadscan::integrate::Formula;
use quadscan::integrate::Real;

/// Names of the precisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    F32,
    F64,
}

impl Precision {
    pub(super) fn new(arguments: &IntegrateArguments) -> Result<Self> {
        precision(&arguments.precision)
    }
}

/// The precision of a name.
pub(super) fn precision(name: &str) -> Result<Precision> {
    match name {
        f32::TYPE_NAME => Ok(Precision::F32),
        f64::TYPE_NAME => Ok(Precision::F64),
        _ => {
            let problem = format!("`{name}` is unknown, allowed are f64 and f32");
            Err(refused("--precision", problem))
        }
    }
}

/// A checked request.
#[derive(Clone, Debug)]
pub(super) struct Request<R: Number> {
    /// The integrand; of several outputs the first.
    pub(super) of: Integrand<R>,
    /// The other outputs, with the same parameters and limits.
    pub(super) others: Vec<Integrand<R>>,
    /// The derivative of each output by a parameter, and what that is called.
    pub(super) derivative: Option<(String, Vec<Integrand<R>>)>,
    /// What holds for all items.
    pub(super) given: Given<R>,
    /// The rule.
    pub(super) method: Method<R>,
    /// The file of items.
    pub(super) batch: Option<PathBuf>,
    /// The folder of the PTX.
    pub(super) artifact: Option<PathBuf>,
    /// The device or devices, as they were asked for.
    pub(super) device: DevicesChoice,
    /// Form of the results on standard output.
    pub(super) format: Format,
    /// The file of results,
    pub(super) out: Option<PathBuf>,
    /// and that of a figure of the regions.
    pub(super) regions: Option<PathBuf>,
    /// Whether results are kept beside it as they come, and those that are there are used.
    pub(super) resumes: bool,
}

/// A formula as an integrand, with a bound on its rounding where that is asked for.
fn integrand<R: Number>(
    of: Formula,
    over: Option<&Over>,
    arguments: &IntegrateArguments,
) -> Result<Integrand<R>> {
    let bound = arguments.rounding.then(|| of.rounding());
    let bound = bound.map(|of| integrand_alone(of, over, arguments));
    Ok(Integrand {
        rounding: bound.transpose()?.map(Box::new),
        ..integrand_alone(of, over, arguments)?
    })
}

fn integrand_alone<R: Number>(
    of: Formula,
    over: Option<&Over>,
    arguments: &IntegrateArguments,
) -> Result<Integrand<R>> {
    match (over, arguments.principal_value.as_deref()) {
        (Some(over), _) => Integrand::over_box(of, over),
        (None, Some(pole)) => Integrand::around_pole(of, pole),
        (None, None) if arguments.fourier.is_some() => Integrand::with_wave(of, arguments),
        (None, None) => Ok(Integrand::of_formula(of)),
    }
}

/// The integrands of the integrals' derivatives by a parameter, and the column of them.
fn derivative<R: Number>(
    outputs: &[Formula],
    over: Option<&Over>,
    arguments: &IntegrateArguments,
    name: &str,
) -> Result<(String, Vec<Integrand<R>>)> {
    let Some(of) = outputs.first() else {
        let problem = "has no place without --formula, allowed is it with a formula";
        return Err(refused("--derivative", problem.to_owned()));
    };
    for (what, text) in [
        ("the pole", &arguments.principal_value),
        ("omega", &arguments.omega),
        ("the phase", &arguments.phase),
    ] {
        if text.as_deref() == Some(name) {
            let problem = format!("`{name}` is {what}, allowed are other parameters");
            return Err(refused("--derivative", problem));
        }
    }
    if !of.parameters().iter().any(|known| known == name) {
        let allowed = match of.parameters() {
            [] => "the formula has none".to_owned(),
            all => format!("allowed are {}", all.join(", ")),
        };
        let problem = format!("`{name}` is no parameter of the formula, {allowed}");
        return Err(refused("--derivative", problem));
    }
    let slope = |of: &Formula| integrand(of.derivative(name)?, over, arguments);
    let slopes: Result<Vec<_>> = outputs.iter().map(slope).collect();
    Ok((format!("d/d{name}"), slopes?))
}

/// The form of what is printed; a batch is CSV where nothing else is said.
pub(super) fn format(arguments: &IntegrateArguments) -> Result<Format> {
    let Some(name) = &arguments.format else {
        let is_batch = arguments.batch.is_some();
        return Ok(if is_batch { Format::Csv } else { Format::Table });
    };
    format_by_name(name)
}

/// The form of a name.
pub(super) fn format_by_name(name: &str) -> Result<Format> {
    Format::by_name(name).ok_or_else(|| {
        let problem = format!("`{name}` is unknown, allowed are table, csv, markdown and json");
        refused("--format", problem)
    })
}

impl<R: Number> Request<R> {
    /// Checks the command line. Err in one sentence that names the argument and what it may
    /// be.
    pub(super) fn new(arguments: &IntegrateArguments) -> Result<Self> {
        expect_artifact(arguments.place.artifact.as_deref())?;
        let over = arguments.over.as_deref();
        let over = over.map(|list| Over::parse(list, arguments.rule()));
        let over = over.transpose()?;
        for (argument, is_given) in [
            ("--over", over.is_some()),
            ("--fourier", arguments.fourier.is_some()),
        ] {
            let name = R::TYPE_NAME;
            if is_given && name != f64::TYPE_NAME {
                let problem = format!("`{name}` has no place with {argument}, allowed is f64");
                return Err(refused("--precision", problem));
            }
        }
        let outputs = integrand::formulas(arguments, over.as_ref())?;
        // Clap lets `requires` pass where a function is named, which neither goes with.
        let is_wave = arguments.fourier.is_some();
        let is_formula = arguments.formula.is_some();
        let table = "--samples, allowed is it with a table";
        let formula = "--formula, allowed is it with a formula";
        let wave = "--fourier, allowed is it with a wave";
        for (argument, is_alone, needed) in [
            ("--dx", arguments.dx.is_some(), table),
            ("--cumulative", arguments.cumulative, table),
            ("--rounding", arguments.rounding && !is_formula, formula),
            ("--omega", arguments.omega.is_some() && !is_wave, wave),
            ("--phase", arguments.phase.is_some() && !is_wave, wave),
        ] {
            if is_alone {
                return Err(refused(argument, format!("has no place without {needed}")));
            }
        }
        let by = arguments.derivative.as_deref();
        let derivative = by.map(|name| derivative(&outputs, over.as_ref(), arguments, name));
        let derivative = derivative.transpose()?;
        let outputs = outputs.into_iter();
        let outputs = outputs.map(|of| integrand(of, over.as_ref(), arguments));
        let mut others: Vec<_> = outputs.collect::<Result<_>>()?;
        let of = match others.is_empty() {
            true => Integrand::of(catalogue::by_name(arguments.integrand.as_deref())?)?,
            false => Integrand {
                outputs: others.len(),
                ..others.remove(0)
            },
        };
        let method = Method::new(arguments)?;
        let request = Self {
            derivative,
            others,
            given: Given::new(arguments, &of)?,
            regions: regions::file(arguments, &of, &method)?,
            method,
            batch: arguments.batch.clone(),
            artifact: arguments.place.artifact.clone(),
            device: choices(&arguments.place.device)?,
            format: format(arguments)?,
            out: arguments.place.out.clone(),
            resumes: arguments.resume,
            of,
        };
        match &request.batch {
            Some(path) => drop(Source::form(BATCH, path)?),
            // What one item lacks is known without a file.
            None => drop(Items::alone(
                request.given.clone(),
                &request.of,
                &request.method,
            )?),
        }
        request.out.as_deref().map(columns::form).transpose()?;
        Ok(request)
    }

    /// What the derivative of the integral is called, where there is one.
    pub(super) fn slope(&self) -> Option<&str> {
        self.derivative.as_ref().map(|(name, _)| name.as_str())
    }

    /// The file of items, where there is one.
    pub(super) fn file(&self) -> Option<&Path> {
        self.batch.as_deref()
    }
}
