//! Rules by their names, and what is asked of each: `--rule`, `--strips`, `--tolerance`,
//! `--absolute`, `--intervals`, `--levels`, `--fourier`, `--break`, `--evaluations` and `--seed`.

use std::ops::RangeInclusive;

use quadscan_kernels::integrate::rules::{MAX_POINTS, MIN_POINTS};
use quadscan_kernels::integrate::sizes::{
    MAX_INTERVALS, MAX_LEVELS, MIN_LEVELS, ROUNDING, ROUNDING_OF_LEVELS,
};

use quadscan_kernels::cubature::region;
use quadscan_kernels::monte_carlo::sizes::MAX_DIMENSIONS;

use super::number::{Number, text};
use super::refused;
use super::typed::{
    ROUNDING_OF_BOXES, breaks, evaluations, of_samples, seed, small, strips, tolerances,
};
use crate::cli::IntegrateArguments;
use crate::error::{Error, Result};
use quadscan::integrate::names::rule_by_name;
use quadscan::integrate::{
    CubatureOptions, FourierOptions, GaussKronrod, LatticeOptions, Options, Rule, SobolOptions,
    TanhSinhOptions, VegasOptions, Wave,
};

/// A rule with all that it is asked.
#[derive(Clone, Debug)]
pub(super) enum Method<R> {
    /// Equal strips.
    Composite {
        /// The rule of a strip.
        rule: Rule,
        /// How many.
        strips: u64,
    },
    /// Gauss and Kronrod's, by halving.
    Adaptive(Options<R>),
    /// Tanh-sinh rules.
    TanhSinh(TanhSinhOptions<R>),
    /// Of a formula and a wave.
    Fourier(FourierOptions),
    /// Over boxes, by regions,
    Cubature(CubatureOptions),
    /// by random points,
    Vegas(VegasOptions),
    /// by lattices,
    Lattice(LatticeOptions),
    /// and by Sobol points.
    Sobol(SobolOptions),
}

/// A rule by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Name {
    Composite(Rule),
    Adaptive(GaussKronrod),
    TanhSinh,
    Fourier(Wave),
    Cubature,
    Vegas,
    Lattice,
    Sobol,
}

/// Names of rules of equal strips.
const COMPOSITE: &str = "trapezoid, midpoint, simpson and gauss-legendre-N";
/// Names of adaptive rules.
const ADAPTIVE: &str = "g7k15 and g10k21";
/// Names of those that end at a tolerance.
const WITH_TOLERANCE: &str = "g7k15, g10k21, tanh-sinh, cubature, vegas, lattice and sobol";
/// Names of those that have breaks, and infinite limits.
const WITH_BREAKS: &str = "g7k15, g10k21 and tanh-sinh";
/// Tanh-sinh's.
const TANH_SINH: &str = "tanh-sinh";
/// Those whose claims may hold what a formula rounds.
const WITH_ROUNDING: &str = "g7k15, g10k21, tanh-sinh and cubature";
/// Those of levels.
const WITH_LEVELS: &str = "tanh-sinh and --fourier";
/// Those over boxes,
const CUBATURE: &str = "cubature";
const VEGAS: &str = "vegas";
const LATTICE: &str = "lattice";
const SOBOL: &str = "sobol";
const OF_BOXES: &str = "cubature, vegas, lattice and sobol";
/// and those of them that take points at random.
const RANDOM: &str = "vegas, lattice and sobol";

impl Name {
    fn new(arguments: &IntegrateArguments) -> Result<Self> {
        match arguments.fourier.as_deref() {
            None => {}
            Some("sin") => return Ok(Name::Fourier(Wave::Sine)),
            Some("cos") => return Ok(Name::Fourier(Wave::Cosine)),
            Some(other) => {
                let problem = format!("`{other}` is unknown, allowed are sin and cos");
                return Err(refused("--fourier", problem));
            }
        }
        let text = arguments.rule();
        let named = match text {
            "g7k15" => Some(Name::Adaptive(GaussKronrod::G7K15)),
            "g10k21" => Some(Name::Adaptive(GaussKronrod::G10K21)),
            TANH_SINH => Some(Name::TanhSinh),
            CUBATURE => Some(Name::Cubature),
            VEGAS => Some(Name::Vegas),
            LATTICE => Some(Name::Lattice),
            SOBOL => Some(Name::Sobol),
            other => rule_by_name(other).map(Name::Composite),
        };
        named.ok_or_else(|| {
            let problem = format!(
                "`{text}` is unknown, allowed are trapezoid, midpoint, simpson, \
                 gauss-legendre-{MIN_POINTS} to gauss-legendre-{MAX_POINTS}, g7k15, g10k21, \
                 tanh-sinh and, with --over, {OF_BOXES}"
            );
            refused("--rule", problem)
        })
    }

    /// Err when an option is given that other rules have, and this one has not.
    fn check_options(self, of: &IntegrateArguments) -> Result<()> {
        let is_composite = matches!(self, Name::Composite(_));
        let is_adaptive = matches!(self, Name::Adaptive(_));
        let is_random = matches!(self, Name::Vegas | Name::Lattice | Name::Sobol);
        let is_fourier = matches!(self, Name::Fourier(_));
        let is_of_boxes = is_random || self == Name::Cubature;
        if is_of_boxes != of.over.is_some() {
            if is_of_boxes {
                return Err(without_box());
            }
            let rule = of.rule();
            let problem = format!("`{rule}` is no rule of boxes, allowed are {OF_BOXES}");
            return Err(refused("--rule", problem));
        }
        let tolerance = (!is_composite, WITH_TOLERANCE);
        let (boxes, intervals) = ((is_of_boxes, OF_BOXES), (is_adaptive, ADAPTIVE));
        let of_one_variable = !is_composite && !is_of_boxes;
        let pole = (of_one_variable, WITH_BREAKS);
        let breaks = (of_one_variable && !is_fourier, WITH_BREAKS);
        let rounding = (!is_composite && !is_random, WITH_ROUNDING);
        let levels = (self == Name::TanhSinh || is_fourier, WITH_LEVELS);
        for (argument, is_given, (has, rules)) in [
            ("--strips", of.strips.is_some(), (is_composite, COMPOSITE)),
            ("--tolerance", of.tolerance.is_some(), tolerance),
            ("--absolute", of.absolute.is_some(), tolerance),
            ("--principal-value", of.principal_value.is_some(), pole),
            ("--break", of.breaks.is_some(), breaks),
            ("--evaluations", of.evaluations.is_some(), boxes),
            ("--seed", of.seed.is_some(), (is_random, RANDOM)),
            ("--rounding", of.rounding, rounding),
            ("--intervals", of.intervals.is_some(), intervals),
            ("--levels", of.levels.is_some(), levels),
        ] {
            if is_given && !has {
                let rule = of.rule();
                let problem = format!("has no place in {rule}, allowed is it with {rules}");
                return Err(refused(argument, problem));
            }
        }
        Ok(())
    }
}

impl<R: Number> Method<R> {
    /// What the command line asks for.
    pub(super) fn new(arguments: &IntegrateArguments) -> Result<Self> {
        let name = Name::new(arguments)?;
        name.check_options(arguments)?;
        let breaks = breaks(arguments)?;
        Ok(match name {
            Name::Composite(rule) => Method::Composite {
                rule,
                strips: strips(arguments)?,
            },
            Name::Adaptive(rule) => {
                let default = Options::<R>::default();
                let (absolute, relative) = tolerances(arguments, default.relative, ROUNDING)?;
                let (given, all) = (&arguments.intervals, 1..=MAX_INTERVALS);
                Method::Adaptive(Options {
                    rule,
                    absolute,
                    relative,
                    breaks,
                    intervals: small("--intervals", given, all, default.intervals)?,
                })
            }
            Name::TanhSinh => {
                let default = TanhSinhOptions::<R>::default();
                let (absolute, relative) =
                    tolerances(arguments, default.relative, ROUNDING_OF_LEVELS)?;
                let (given, all) = (&arguments.levels, MIN_LEVELS..=MAX_LEVELS);
                Method::TanhSinh(TanhSinhOptions {
                    absolute,
                    relative,
                    breaks,
                    levels: small("--levels", given, all, default.levels)?,
                })
            }
            Name::Fourier(wave) => {
                let default = FourierOptions::default();
                let relative = R::from_f64(default.relative);
                let (absolute, relative) = tolerances(arguments, relative, ROUNDING_OF_LEVELS)?;
                let (given, all) = (&arguments.levels, MIN_LEVELS..=MAX_LEVELS);
                Method::Fourier(FourierOptions {
                    wave,
                    absolute: absolute.to_f64(),
                    relative: relative.to_f64(),
                    levels: small("--levels", given, all, default.levels)?,
                })
            }
            Name::Cubature => {
                let default = CubatureOptions::default();
                // Those of the first rule.
                let variables = arguments.over.iter().flat_map(|list| list.split(','));
                let dimensions = variables.count().min(region::MAX_DIMENSIONS);
                let fewest = (region::MIN_NODES as u64).pow(dimensions as u32);
                let relative = R::from_f64(default.relative);
                let (absolute, relative) = tolerances(arguments, relative, ROUNDING_OF_BOXES)?;
                Method::Cubature(CubatureOptions {
                    absolute: absolute.to_f64(),
                    relative: relative.to_f64(),
                    evaluations: evaluations(arguments, fewest..=1 << 63)?
                        .unwrap_or(default.evaluations),
                    ..default
                })
            }
            Name::Vegas => {
                let default = VegasOptions::default();
                let (absolute, relative) = of_samples(arguments, default.relative)?;
                let iterations = u64::from(default.training + default.iterations);
                let [fewest, most] = VegasOptions::EVALUATIONS.map(|each| iterations * each);
                let evaluations = evaluations(arguments, fewest..=most)?;
                Method::Vegas(VegasOptions {
                    absolute,
                    relative,
                    evaluations: evaluations.map_or(default.evaluations, |all| all / iterations),
                    seed: seed(arguments)?.unwrap_or(default.seed),
                    ..default
                })
            }
            Name::Lattice | Name::Sobol => {
                let default = LatticeOptions::default();
                let (absolute, relative) = of_samples(arguments, default.relative)?;
                let replicates = u64::from(default.replicates);
                let [fewest, most] = LatticeOptions::POINTS.map(|each| replicates * each);
                let evaluations = evaluations(arguments, fewest..=most)?;
                let options = LatticeOptions {
                    absolute,
                    relative,
                    points: evaluations.map_or(default.points, |all| all / replicates),
                    seed: seed(arguments)?.unwrap_or(default.seed),
                    ..default
                };
                match name {
                    Name::Sobol => Method::Sobol(options),
                    _ => Method::Lattice(options),
                }
            }
        })
    }

    /// The same to a tenth, for what is added to claims.
    pub(super) fn roughly(&self) -> Self {
        const ROUGHLY: f64 = 0.1;
        let (absolute, relative) = (R::ZERO, R::from_f64(ROUGHLY));
        let mut rough = self.clone();
        match &mut rough {
            Method::Adaptive(of) => (of.absolute, of.relative) = (absolute, relative),
            Method::TanhSinh(of) => (of.absolute, of.relative) = (absolute, relative),
            Method::Cubature(of) => (of.absolute, of.relative) = (0.0, ROUGHLY),
            _ => {}
        }
        rough
    }

    /// The absolute tolerance and the relative one, of a rule that has any.
    pub(super) fn tolerances(&self) -> Option<(R, R)> {
        let of_f64 = |absolute, relative| (R::from_f64(absolute), R::from_f64(relative));
        match self {
            Method::Composite { .. } => None,
            Method::Adaptive(of) => Some((of.absolute, of.relative)),
            Method::TanhSinh(of) => Some((of.absolute, of.relative)),
            Method::Fourier(of) => Some(of_f64(of.absolute, of.relative)),
            Method::Cubature(of) => Some(of_f64(of.absolute, of.relative)),
            Method::Vegas(of) => Some(of_f64(of.absolute, of.relative)),
            Method::Lattice(of) | Method::Sobol(of) => Some(of_f64(of.absolute, of.relative)),
        }
    }

    /// What is wrong with the limits of an item, and with which of them. NaN is a status.
    pub(super) fn objection(&self, from: R, to: R) -> Option<(&'static str, String)> {
        let Method::Composite { .. } = self else {
            return None;
        };
        let is_infinite = |limit: R| limit.to_f64().is_infinite();
        let mut limits = [("from", from), ("to", to)].into_iter();
        if let Some((name, limit)) = limits.find(|(_, limit)| is_infinite(*limit)) {
            let limit = text(limit);
            let problem = format!(
                "is {limit}, and equal strips allow finite limits alone; infinite ones have \
                 {WITH_BREAKS}"
            );
            return Some((name, problem));
        }
        is_infinite(to - from).then(|| {
            let (from, to, name) = (text(from), text(to), R::TYPE_NAME);
            let problem =
                format!("is {to}, which is farther from {from} than {name} can represent");
            ("to", problem)
        })
    }

    /// Evaluations that a rule of equal strips makes of one item.
    pub(super) fn evaluations(rule: Rule, strips: u64) -> u64 {
        let (_, nodes) = rule.families();
        // Strips share their ends.
        strips * u64::from(nodes) + u64::from(rule.ends() != 0.0)
    }
}

/// That a rule over boxes has none.
pub(super) fn without_box() -> Error {
    let problem = format!("{OF_BOXES} are of boxes, allowed are they with --over");
    refused("--rule", problem)
}

/// That a Fourier integral has none.
pub(super) fn without_formula() -> Error {
    refused(
        "--fourier",
        "is of formulas, allowed is it with --formula".to_owned(),
    )
}

/// How many variables a box of this rule may have.
pub(super) fn dimensions(rule: &str) -> RangeInclusive<usize> {
    match rule {
        VEGAS | LATTICE | SOBOL => 1..=MAX_DIMENSIONS,
        _ => region::MIN_DIMENSIONS..=region::MAX_DIMENSIONS,
    }
}

#[cfg(test)]
#[path = "method_tests.rs"]
mod tests;
