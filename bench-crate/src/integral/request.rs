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
use crate::device::choice;
use crate::error::Result;
use crate::export::Format;
use crate::modules::expect_artifact;
use quadscan::device::DeviceChoice;
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
    /// The integrand.
    pub(super) of: Integrand<R>,
    /// Its derivative by a parameter, and what that is called.
    pub(super) derivative: Option<(String, Integrand<R>)>,
    /// What holds for all items.
    pub(super) given: Given<R>,
    /// The rule.
    pub(super) method: Method<R>,
    /// The file of items.
    pub(super) batch: Option<PathBuf>,
    /// The folder of the PTX.
    pub(super) artifact: Option<PathBuf>,
    /// The device, as it was asked for.
    pub(super) device: DeviceChoice,
    /// Form of the results on standard output.
    pub(super) format: Format,
    /// The file of results,
    pub(super) out: Option<PathBuf>,
    /// and that of a figure of the regions.
    pub(super) regions: Option<PathBuf>,
}

/// A formula as an integrand.
fn integrand<R: Number>(
    of: Formula,
    over: Option<&Over>,
    pole: Option<&str>,
) -> Result<Integrand<R>> {
    match (over, pole) {
        (Some(over), _) => Integrand::over_box(of, over),
        (None, Some(pole)) => Integrand::around_pole(of, pole),
        (None, None) => Ok(Integrand::of_formula(of)),
    }
}

/// The integrand of an integral's derivative by a parameter, and the column of it.
fn derivative<R: Number>(
    of: &Formula,
    over: Option<&Over>,
    pole: Option<&str>,
    name: &str,
) -> Result<(String, Integrand<R>)> {
    if pole == Some(name) {
        let problem = format!("`{name}` is the pole, allowed are other parameters");
        return Err(refused("--derivative", problem));
    }
    if !of.parameters().iter().any(|known| known == name) {
        let allowed = match of.parameters() {
            [] => "the formula has none".to_owned(),
            all => format!("allowed are {}", all.join(", ")),
        };
        let problem = format!("`{name}` is no parameter of the formula, {allowed}");
        return Err(refused("--derivative", problem));
    }
    let slope = of.derivative(name)?;
    Ok((format!("d/d{name}"), integrand(slope, over, pole)?))
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
        if over.is_some() && R::TYPE_NAME != f64::TYPE_NAME {
            let (problem, name) = ("has no place with --over, allowed is f64", R::TYPE_NAME);
            return Err(refused("--precision", format!("`{name}` {problem}")));
        }
        let pole = arguments.principal_value.as_deref();
        let formula = integrand::formula(arguments, over.as_ref())?;
        // Clap lets `requires` pass where a function is named, which no table goes with.
        let of_tables = [
            ("--dx", arguments.dx.is_some()),
            ("--cumulative", arguments.cumulative),
        ];
        if let Some((argument, _)) = of_tables.iter().find(|(_, is_given)| *is_given) {
            let problem = "has no place without --samples, allowed is it with a table";
            return Err(refused(argument, problem.to_owned()));
        }
        let derivative = match (&formula, &arguments.derivative) {
            (Some(formula), Some(name)) => Some(derivative(formula, over.as_ref(), pole, name)?),
            (None, Some(_)) => {
                let problem = "has no place without --formula, allowed is it with a formula";
                return Err(refused("--derivative", problem.to_owned()));
            }
            (_, None) => None,
        };
        let of = match formula {
            Some(formula) => integrand(formula, over.as_ref(), pole)?,
            None => Integrand::of(catalogue::by_name(arguments.integrand.as_deref())?)?,
        };
        let method = Method::new(arguments)?;
        let request = Self {
            derivative,
            given: Given::new(arguments, &of)?,
            regions: regions::file(arguments, &of, &method)?,
            method,
            batch: arguments.batch.clone(),
            artifact: arguments.place.artifact.clone(),
            device: choice(&arguments.place.device)?,
            format: format(arguments)?,
            out: arguments.place.out.clone(),
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
