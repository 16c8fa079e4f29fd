//! What is integrated: a function of the catalogue, or a formula.

use quadscan::integrate::{Formula, Kernels};

use super::catalogue::Known;
use super::number::Number;
use crate::cli::IntegrateArguments;
use crate::error::{Error, Result};

/// A function: what it is called in sentences and in lists, and its parameters and limits.
#[derive(Clone, Debug)]
pub(super) struct Integrand<R: Number> {
    pub(super) name: String,
    pub(super) formula: String,
    pub(super) parameters: Vec<String>,
    /// Its own limits; a formula has none.
    pub(super) limits: Option<(R, R)>,
    pub(super) source: Source<R>,
}

/// Where its kernels come from.
#[derive(Clone, Debug)]
pub(super) enum Source<R: Number> {
    /// The catalogue.
    Kernels(Kernels<R>),
    /// What is typed.
    Formula(Box<Formula>),
}

impl<R: Number> Integrand<R> {
    /// A function of the catalogue. Err for a formula that cannot be understood.
    pub(super) fn of(known: Known) -> Result<Self> {
        match known {
            Known::Kernels(entry) => Ok(Self::of_kernels(R::kernels(entry))),
            Known::Formula(of) => {
                let formula = Formula::with_parameters(of.text, of.parameters);
                Ok(Self {
                    name: of.name.to_owned(),
                    formula: of.formula.to_owned(),
                    limits: Some((R::from_f64(of.limits.0), R::from_f64(of.limits.1))),
                    ..Self::of_formula(formula.map_err(quadscan::Error::from)?)
                })
            }
        }
    }

    fn of_kernels(of: Kernels<R>) -> Self {
        Self {
            name: of.name.to_owned(),
            formula: of.formula.to_owned(),
            parameters: of.parameters.iter().map(|&name| name.to_owned()).collect(),
            limits: Some(of.limits),
            source: Source::Kernels(of),
        }
    }

    /// What is typed.
    pub(super) fn of_formula(formula: Formula) -> Self {
        Self {
            name: "the formula".to_owned(),
            formula: formula.text().to_owned(),
            parameters: formula.parameters().to_vec(),
            limits: None,
            source: Source::Formula(Box::new(formula)),
        }
    }

    /// The module of PTX that it needs.
    pub(super) fn module(&self) -> &str {
        match &self.source {
            Source::Kernels(of) => of.name,
            Source::Formula(_) => "formula",
        }
    }
}

/// The formula of a command line, where there is one.
pub(super) fn formula(arguments: &IntegrateArguments) -> Result<Option<Formula>> {
    let parsed = arguments.formula.as_deref().map(Formula::parse).transpose();
    parsed.map_err(|error| Error::Formula {
        argument: "--formula".to_owned(),
        error,
    })
}
