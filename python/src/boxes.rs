//! Integrals of formulas over boxes.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quadscan::device::Module;
use quadscan::integrate::{
    CONVERGED, Cubature, CubatureOptions, Estimate, Formula, Lattice, LatticeOptions, NOT_FINITE,
    ROUNDOFF, SamplingStatus, Sobol, Status, Vegas, VegasOptions,
};

use crate::error::raised;

/// That the evaluations or the regions were too few; other numbers are those of intervals.
pub(crate) const OUT_OF_ROOM: u32 = 6;
/// That iterations of random points differ by more than chance.
pub(crate) const DISAGREE: u32 = 7;
/// That the function was 0 at every point.
pub(crate) const UNSEEN: u32 = 8;

/// A variable, and its limits.
type Side = (String, f64, f64);

/// What is asked of an integral.
#[derive(FromPyObject)]
pub(crate) struct BoxGoal {
    /// `cubature`, `vegas`, `lattice` or `sobol`.
    rule: String,
    relative: Option<f64>,
    absolute: f64,
    /// The most evaluations.
    evaluations: Option<u64>,
    /// Of random points.
    seed: u64,
    /// Which of the formula's outputs.
    output: usize,
}

impl BoxGoal {
    /// The relative tolerance: who names but the absolute one wants no other.
    fn relative(&self, default: f64) -> f64 {
        self.relative.unwrap_or(match self.absolute > 0.0 {
            true => 0.0,
            false => default,
        })
    }

    /// Evaluations of one of so many parts, each of which has these at least and at most.
    fn part(&self, parts: u32, [least, most]: [u64; 2], default: u64) -> PyResult<u64> {
        let Some(all) = self.evaluations else {
            return Ok(default);
        };
        let [least, most] = [least, most].map(|each| each * u64::from(parts));
        if !(least..=most).contains(&all) {
            let rule = &self.rule;
            let said = format!("evaluations is {all}, allowed for {rule} are {least} to {most}");
            return Err(PyValueError::new_err(said));
        }
        Ok(all / u64::from(parts))
    }
}

/// The names of the parameters of a formula of these variables, and how many outputs it has.
#[pyfunction]
pub(crate) fn box_parameters(
    formula: &str,
    variables: Vec<String>,
) -> PyResult<(Vec<String>, usize)> {
    let all = outputs(formula, &variables)?;
    Ok((all[0].parameters().to_vec(), all.len()))
}

fn outputs(formula: &str, variables: &[String]) -> PyResult<Vec<Formula>> {
    let names: Vec<&str> = variables.iter().map(String::as_str).collect();
    let parsed = Formula::outputs(formula, &names);
    parsed.map_err(|error| PyValueError::new_err(format!("function: {error}")))
}

/// What integrates over a box.
enum Plan {
    Cubature(Box<Cubature>),
    Vegas(Box<Vegas>),
    Lattice(Box<Lattice>),
    Sobol(Box<Sobol>),
}

/// What came of an integral.
pub(crate) struct Found {
    pub(crate) value: f64,
    pub(crate) error: f64,
    pub(crate) status: u32,
    pub(crate) evaluations: u64,
}

/// A formula over a box, and its plan.
pub(crate) struct Boxed {
    plan: Plan,
    limits: Vec<(f64, f64)>,
    /// How many parameters it has.
    pub(crate) parameters: usize,
}

impl Boxed {
    pub(crate) fn new(
        module: &Module,
        formula: &str,
        over: Vec<Side>,
        goal: &BoxGoal,
    ) -> PyResult<Self> {
        let limits: Vec<(f64, f64)> = over.iter().map(|&(_, from, to)| (from, to)).collect();
        let names: Vec<String> = over.into_iter().map(|(name, ..)| name).collect();
        let mut all = outputs(formula, &names)?;
        if goal.output >= all.len() {
            let allowed = all.len() - 1;
            let said = format!("output is {}, allowed are 0 to {allowed}", goal.output);
            return Err(PyValueError::new_err(said));
        }
        let formula = all.swap_remove(goal.output);
        let (formula, limits) = formula.over_finite_box(&limits).map_err(raised)?;
        let plan = match &goal.rule[..] {
            "cubature" => {
                let default = CubatureOptions::default();
                let options = CubatureOptions {
                    absolute: goal.absolute,
                    relative: goal.relative(default.relative),
                    evaluations: goal.evaluations.unwrap_or(default.evaluations),
                    ..default
                };
                let plan = Cubature::of_formula(module, &formula, options);
                Plan::Cubature(Box::new(plan.map_err(raised)?))
            }
            "vegas" => {
                let default = VegasOptions::default();
                let iterations = default.training + default.iterations;
                let allowed = VegasOptions::EVALUATIONS;
                let options = VegasOptions {
                    absolute: goal.absolute,
                    relative: goal.relative(default.relative),
                    evaluations: goal.part(iterations, allowed, default.evaluations)?,
                    seed: goal.seed,
                    ..default
                };
                let plan = Vegas::of_formula(module, &formula, options);
                Plan::Vegas(Box::new(plan.map_err(raised)?))
            }
            rule => {
                let default = LatticeOptions::default();
                let allowed = LatticeOptions::POINTS;
                let options = LatticeOptions {
                    absolute: goal.absolute,
                    relative: goal.relative(default.relative),
                    points: goal.part(default.replicates, allowed, default.points)?,
                    seed: goal.seed,
                    ..default
                };
                match rule {
                    "sobol" => {
                        let plan = Sobol::of_formula(module, &formula, options);
                        Plan::Sobol(Box::new(plan.map_err(raised)?))
                    }
                    _ => {
                        let plan = Lattice::of_formula(module, &formula, options);
                        Plan::Lattice(Box::new(plan.map_err(raised)?))
                    }
                }
            }
        };
        Ok(Self {
            plan,
            limits,
            parameters: formula.parameters().len(),
        })
    }

    /// So many integrals, each with its parameters.
    pub(crate) fn integrate(
        &mut self,
        count: usize,
        parameters: &[f64],
    ) -> quadscan::Result<Vec<Found>> {
        let (each, limits) = (self.parameters, &self.limits);
        match &mut self.plan {
            Plan::Cubature(plan) => {
                let given: Vec<_> = (0..count).map(|k| own(parameters, each, k)).collect();
                let found = plan.integrate_each(limits, &given)?;
                let found = found.iter().map(|of| Found {
                    value: of.value,
                    error: of.error,
                    status: match of.status {
                        Status::Converged => CONVERGED,
                        Status::OutOfRoom => OUT_OF_ROOM,
                        Status::Roundoff => ROUNDOFF,
                        Status::NotFinite => NOT_FINITE,
                    },
                    evaluations: of.evaluations,
                });
                Ok(found.collect())
            }
            Plan::Vegas(plan) => {
                sampled(count, |k| plan.integrate(limits, &own(parameters, each, k)))
            }
            Plan::Lattice(plan) => {
                sampled(count, |k| plan.integrate(limits, &own(parameters, each, k)))
            }
            Plan::Sobol(plan) => {
                sampled(count, |k| plan.integrate(limits, &own(parameters, each, k)))
            }
        }
    }
}

/// The parameters of an integral, of which each has so many, as kernels take them.
fn own<const AXES: usize>(parameters: &[f64], each: usize, k: usize) -> [[f64; AXES]; 2] {
    let mut given = [[0.0; AXES]; 2];
    given[0][..each].copy_from_slice(&parameters[k * each..][..each]);
    given
}

/// Integrals by random points, one after the other.
fn sampled(
    count: usize,
    mut integrate: impl FnMut(usize) -> quadscan::Result<Estimate>,
) -> quadscan::Result<Vec<Found>> {
    let found = |of: Estimate| Found {
        value: of.value,
        error: of.sigma,
        status: match of.status {
            SamplingStatus::Converged => CONVERGED,
            SamplingStatus::OutOfRoom => OUT_OF_ROOM,
            SamplingStatus::Disagree => DISAGREE,
            SamplingStatus::Unseen => UNSEEN,
            SamplingStatus::NotFinite => NOT_FINITE,
        },
        evaluations: of.evaluations,
    };
    (0..count).map(|k| integrate(k).map(found)).collect()
}
