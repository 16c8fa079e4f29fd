//! What `quadscan integrate` asks for, checked: everything that can be refused without
//! reading a file is refused here.

use std::path::{Path, PathBuf};

use super::batch::BATCH;
use super::catalogue;
use super::given::Given;
use super::items::Items;
use super::method::Method;
use super::number::Number;
use super::refused;
use crate::cli::IntegrateArguments;
use crate::columns::{self, Source};
use crate::device::choice;
use crate::error::Result;
use crate::export::Format;
use crate::modules::expect_artifact;
use quadscan::device::DeviceChoice;
use quadscan::integrate::{Kernels, Real};

/// Names of the precisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Precision {
    F32,
    F64,
}

impl Precision {
    pub(super) fn new(arguments: &IntegrateArguments) -> Result<Self> {
        let name = arguments.precision.as_str();
        let all = [
            (f32::TYPE_NAME, Precision::F32),
            (f64::TYPE_NAME, Precision::F64),
        ];
        match all.into_iter().find(|(known, _)| *known == name) {
            Some((_, precision)) => Ok(precision),
            None => {
                let problem = format!("`{name}` is unknown, allowed are f64 and f32");
                Err(refused("--precision", problem))
            }
        }
    }
}

/// A checked request.
#[derive(Clone, Debug)]
pub(super) struct Request<R: Number> {
    /// The integrand.
    pub(super) of: Kernels<R>,
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
    /// The file of results.
    pub(super) out: Option<PathBuf>,
}

/// The form of what is printed; a batch is CSV where nothing else is said.
pub(super) fn format(arguments: &IntegrateArguments) -> Result<Format> {
    let Some(name) = &arguments.format else {
        let is_batch = arguments.batch.is_some();
        return Ok(if is_batch { Format::Csv } else { Format::Table });
    };
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
        let of = R::kernels(catalogue::by_name(arguments.integrand.as_deref())?);
        let request = Self {
            of,
            given: Given::new(arguments, &of)?,
            method: Method::new(arguments)?,
            batch: arguments.batch.clone(),
            artifact: arguments.place.artifact.clone(),
            device: choice(&arguments.place.device)?,
            format: format(arguments)?,
            out: arguments.place.out.clone(),
        };
        match &request.batch {
            Some(path) => drop(Source::form(BATCH, path)?),
            // What one item lacks is known without a file.
            None => drop(Items::alone(request.given.clone(), &of, &request.method)?),
        }
        request.out.as_deref().map(columns::form).transpose()?;
        Ok(request)
    }

    /// The file of items, where there is one.
    pub(super) fn file(&self) -> Option<&Path> {
        self.batch.as_deref()
    }
}
