//! What is integrated: a function of the catalogue, or a formula.

use quadscan::integrate::formula::Limits;
use quadscan::integrate::{Formula, Kernels};

use super::catalogue::Known;
use super::method::Method;
use super::number::Number;
use super::over::Over;
use super::pole::Pole;
use super::results;
use super::transform::Transform;
use super::wave::Wave;
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
    /// What is integrated in the place of its items, where that is not the function itself.
    pub(super) transform: Option<Transform<R>>,
    pub(super) source: Source<R>,
    /// A bound on its rounding, where claims have that.
    pub(super) rounding: Option<Box<Self>>,
    /// How many outputs its text has.
    pub(super) outputs: usize,
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
            transform: None,
            source: Source::Kernels(of),
            rounding: None,
            outputs: 1,
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
            transform: None,
            source: Source::Formula(Box::new(formula)),
            rounding: None,
            outputs: 1,
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
        let mut parameters = formula.parameters().to_vec();
        let pole = Pole::new(&formula, text, &mut parameters)?;
        Ok(Self {
            formula: format!("principal value of ({})/(x - {text})", formula.text()),
            parameters,
            transform: Some(Transform::Pole(pole)),
            source: Source::Formula(Box::new(formula.around_pole()?)),
            ..Self::of_formula(formula)
        })
    }

    /// What is typed, beside the wave of a command line.
    pub(super) fn with_wave(formula: Formula, arguments: &IntegrateArguments) -> Result<Self> {
        let mut parameters = formula.parameters().to_vec();
        let wave = Wave::new(arguments, &mut parameters)?;
        let said = |text: &Option<String>| text.clone().unwrap_or_default();
        let phase = arguments.phase.as_ref().map(|phase| format!(" + {phase}"));
        let (name, omega) = (said(&arguments.fourier), said(&arguments.omega));
        let angle = format!("{omega}*x{}", phase.unwrap_or_default());
        Ok(Self {
            formula: format!("({})*{name}({angle})", formula.text()),
            parameters,
            transform: Some(Transform::Wave(wave)),
            source: Source::Formula(Box::new(formula.with_wave()?)),
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

    /// The columns of its results.
    pub(super) fn results(&self) -> Vec<String> {
        results::names(self.outputs, self.over.is_some())
    }

    /// The module of PTX that it needs by a method, which another error names, and all of them.
    pub(super) fn modules(&self, method: &Method<R>, is_batch: bool) -> (&str, Vec<String>) {
        let rule = match method {
            Method::Composite { .. } => "composite",
            Method::Adaptive(_) => "adaptive",
            _ => "tanh_sinh",
        };
        let name = match &self.source {
            Source::Kernels(of) if of.entry(rule).is_some() => of.name,
            Source::Kernels(_) | Source::Formula(_) | Source::Boxed(..) => "formula",
        };
        let other = match method {
            Method::Cubature(_) => Some(modules::of_boxes()),
            Method::Vegas(_) | Method::Lattice(_) | Method::Sobol(_) => Some(modules::of_samples()),
            _ => None,
        };
        let is_decided = is_batch && matches!(method, Method::Cubature(_));
        let decisions = is_decided.then(modules::of_decisions);
        let all = [modules::of_integrand(name)].into_iter().chain(other);
        (name, all.chain(decisions).collect())
    }
}

/// The outputs of the formula of a command line, none where there is none: of `x`, or of the variables of
/// a box.
pub(super) fn formulas(
    arguments: &IntegrateArguments,
    over: Option<&Over>,
) -> Result<Vec<Formula>> {
    let Some(text) = &arguments.formula else {
        return Ok(Vec::new());
    };
    let names = over.iter().flat_map(|over| &over.variables);
    let names: Vec<&str> = names.map(String::as_str).collect();
    Formula::outputs(text, &names).map_err(|error| Error::Formula {
        argument: "--formula".to_owned(),
        error,
    })
}
