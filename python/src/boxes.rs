//! Integrals of formulas over boxes.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quadscan::device::Module;
use quadscan::integrate::{
    CONVERGED, Cubature, CubatureOptions, Cubed, Formula, NOT_FINITE, ROUNDOFF, Status,
};
use quadscan_kernels::cubature::integrand::Parameters;

use crate::error::raised;

/// That the evaluations or the regions were too few; other numbers are those of intervals.
pub(crate) const OUT_OF_ROOM: u32 = 6;

/// A variable, and its limits.
type Side = (String, f64, f64);

/// What is asked of an integral.
#[derive(FromPyObject)]
pub(crate) struct BoxGoal {
    relative: Option<f64>,
    absolute: f64,
    /// The most evaluations.
    limit: Option<u64>,
}

/// The names of the parameters of a formula of these variables.
#[pyfunction]
pub(crate) fn box_parameters(formula: &str, variables: Vec<String>) -> PyResult<Vec<String>> {
    Ok(parsed(formula, &variables)?.parameters().to_vec())
}

fn parsed(formula: &str, variables: &[String]) -> PyResult<Formula> {
    let names: Vec<&str> = variables.iter().map(String::as_str).collect();
    let parsed = Formula::of_variables(formula, &names);
    parsed.map_err(|error| PyValueError::new_err(format!("function: {error}")))
}

/// A formula over a box, and its plan.
pub(crate) struct Boxed {
    plan: Cubature,
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
        let formula = parsed(formula, &names)?;
        let (formula, limits) = formula.over_finite_box(&limits).map_err(raised)?;
        let default = CubatureOptions::default();
        let options = CubatureOptions {
            absolute: goal.absolute,
            // Who names but the absolute tolerance wants no other.
            relative: goal.relative.unwrap_or(match goal.absolute > 0.0 {
                true => 0.0,
                false => default.relative,
            }),
            evaluations: goal.limit.unwrap_or(default.evaluations),
            ..default
        };
        let plan = Cubature::of_formula(module, &formula, options).map_err(raised)?;
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
    ) -> quadscan::Result<Vec<Cubed>> {
        let mut given = vec![Parameters::default(); count];
        for (k, given) in given.iter_mut().enumerate() {
            let own = &parameters[k * self.parameters..][..self.parameters];
            given[0][..own.len()].copy_from_slice(own);
        }
        self.plan.integrate_each(&self.limits, &given)
    }
}

/// How an integral ended, as Python has it.
pub(crate) fn status(of: Status) -> u32 {
    match of {
        Status::Converged => CONVERGED,
        Status::OutOfRoom => OUT_OF_ROOM,
        Status::Roundoff => ROUNDOFF,
        Status::NotFinite => NOT_FINITE,
    }
}
