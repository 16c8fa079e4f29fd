//! What is integrated: a function of the catalogue, or a formula.

use quadscan::integrate::formula::Limits;
use quadscan::integrate::{Formula, Kernels};

use super::catalogue::Known;
use super::method::Method;
use super::number::Number;
use super::over::Over;
use super::pole::Pole;
use crate::cli::IntegrateArguments;
use crate::error::{Error, Result};
use crate::modules;

/// A function: what it is called in sentences and in lists, and its parameters and limits.
#[derive(Clone, Debug)]
pub(super) struct Integrand<R: Number> {
    pub(super) name: String,
    pub(super) formula: String,
    pub(super) parameters: Vec<String>,
    /// Its own limits; a formula has none.
    pub(super) limits: Option<(R, R)>,
    /// The box that it is integrated over, instead of an interval.
    pub(super) over: Option<Over>,
    /// What it is divided by x less, for a principal value.
    pub(super) pole: Option<Pole<R>>,
    pub(super) source: Source<R>,
}

/// Where its kernels come from.
#[derive(Clone, Debug)]
pub(super) enum Source<R: Number> {
    /// The catalogue.
    Kernels(Kernels<R>),
    /// What is typed.
    Formula(Box<Formula>),
    /// The same over a finite box, with its limits.
    Boxed(Box<Formula>, Limits),
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
            over: None,
            pole: None,
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
            over: None,
            pole: None,
            source: Source::Formula(Box::new(formula)),
        }
    }

    /// What is typed, over a box.
    pub(super) fn over_box(formula: Formula, over: &Over) -> Result<Self> {
        let (finite, limits) = formula.over_finite_box(&over.limits)?;
        Ok(Self {
            over: Some(over.clone()),
            source: Source::Boxed(Box::new(finite), limits),
            ..Self::of_formula(formula)
        })
    }

    /// What is typed, over x less the pole that a text is.
    pub(super) fn around_pole(formula: Formula, text: &str) -> Result<Self> {
        let (folded, pole) = (formula.around_pole()?, Pole::new(&formula, text)?);
        let mut parameters = formula.parameters().to_vec();
        if pole.place == Some(parameters.len()) {
            parameters.push(text.to_owned());
        }
        Ok(Self {
            formula: format!("principal value of ({})/(x - {text})", formula.text()),
            parameters,
            pole: Some(pole),
            source: Source::Formula(Box::new(folded)),
            ..Self::of_formula(formula)
        })
    }

    /// The limits that an item has, by their names.
    pub(super) fn limit_names(&self) -> &'static [&'static str] {
        match self.over {
            Some(_) => &[],
            None => &["from", "to"],
        }
    }

    /// The module of PTX that it needs by a method, which another error names, and all of them.
    pub(super) fn modules(&self, method: &Method<R>) -> (&str, Vec<String>) {
        let name = match &self.source {
            Source::Kernels(of) => of.name,
            Source::Formula(_) | Source::Boxed(..) => "formula",
        };
        let other = match method {
            Method::Cubature(_) => Some(modules::of_boxes()),
            Method::Vegas(_) | Method::Lattice(_) => Some(modules::of_samples()),
            _ => None,
        };
        let all = [modules::of_integrand(name)].into_iter().chain(other);
        (name, all.collect())
    }
}

/// The formula of a command line, where there is one: of `x`, or of the variables of a box.
pub(super) fn formula(
    arguments: &IntegrateArguments,
    over: Option<&Over>,
) -> Result<Option<Formula>> {
    let parse = |text: &str| match over {
        None => Formula::parse(text),
        Some(over) => {
            let names: Vec<&str> = over.variables.iter().map(String::as_str).collect();
            Formula::of_variables(text, &names)
        }
    };
    let parsed = arguments.formula.as_deref().map(parse).transpose();
    parsed.map_err(|error| Error::Formula {
        argument: "--formula".to_owned(),
        error,
    })
}
