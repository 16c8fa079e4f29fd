//! Integrals by the names of integrands and rules.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quadscan::Result;
use quadscan::device::{Device, Module};
use quadscan::integrate::{
    Adaptive, CONVERGED, Entry, GaussKronrod, Items, Kernels, NO_LIMITS, NOT_FINITE,
    OUT_OF_INTERVALS, OVERFLOW, Options, Outcome, ROUNDOFF, Real, TanhSinh, TanhSinhOptions,
};
use quadscan_kernels::integrate::catalogue::CATALOGUE;

/// How an integral ended.
pub(crate) const STATUS: [(&str, u32); 6] = [
    ("CONVERGED", CONVERGED),
    ("OUT_OF_INTERVALS", OUT_OF_INTERVALS),
    ("NOT_FINITE", NOT_FINITE),
    ("ROUNDOFF", ROUNDOFF),
    ("NO_LIMITS", NO_LIMITS),
    ("OVERFLOW", OVERFLOW),
];

/// Name, formula, names of parameters, default limits.
type Described = (&'static str, &'static str, Vec<&'static str>, (f64, f64));

fn described(Entry { f64: of, .. }: &Entry) -> Described {
    (of.name, of.formula, of.parameters.to_vec(), of.limits)
}

/// All integrands.
#[pyfunction]
pub(crate) fn integrands() -> Vec<Described> {
    CATALOGUE.iter().map(described).collect()
}

/// What is known of the integrand of a name.
#[pyfunction(name = "integrand")]
pub(crate) fn described_by_name(function: &str) -> PyResult<Described> {
    integrand(function).map(described)
}

/// The integrand of a name: the one place that knows what `function` may be.
pub(crate) fn integrand(name: &str) -> PyResult<&'static Entry> {
    let found = CATALOGUE.iter().find(|entry| entry.f64.name == name);
    found.ok_or_else(|| {
        let known: Vec<&str> = CATALOGUE.iter().map(|entry| entry.f64.name).collect();
        let known = known.join(", ");
        PyValueError::new_err(format!("function `{name}` is unknown, allowed are {known}"))
    })
}

/// What is asked of a rule.
#[derive(FromPyObject)]
pub(crate) struct Goal {
    /// `g10k21`, `g7k15` or `tanh-sinh`.
    rule: String,
    relative: Option<f64>,
    absolute: f64,
    breaks: Vec<f64>,
    /// The most intervals, or the last level.
    limit: Option<u32>,
}

/// What comes of items: limits, and parameters one item's after another's.
type Compute<'m, R> = Box<dyn FnMut(&[R], &[R], &[R]) -> Result<Vec<Outcome<R>>> + Send + 'm>;

impl Goal {
    /// A plan of the rule.
    pub(crate) fn plan<'m, R: Real + Send + Sync>(
        &self,
        module: &'m Module,
        of: Kernels<R>,
    ) -> PyResult<Compute<'m, R>> {
        let breaks = self.breaks.iter().copied().map(R::from_f64).collect();
        let absolute = R::from_f64(self.absolute);
        // Who names but the absolute tolerance wants no other.
        let relative = |default| match self.relative {
            Some(relative) => R::from_f64(relative),
            None if self.absolute > 0.0 => R::ZERO,
            None => default,
        };
        let device = module.device();
        let rule = match self.rule.as_str() {
            "g10k21" => GaussKronrod::G10K21,
            "g7k15" => GaussKronrod::G7K15,
            "tanh-sinh" => {
                let default = TanhSinhOptions::<R>::default();
                let options = TanhSinhOptions {
                    absolute,
                    relative: relative(default.relative),
                    levels: self.limit.unwrap_or(default.levels),
                    breaks,
                };
                let mut plan = TanhSinh::new(module, of, options).map_err(crate::error::raised)?;
                return Ok(Box::new(move |from, to, parameters| {
                    with(device, [from, to, parameters], |items| plan.outcomes(items))
                }));
            }
            other => {
                let said =
                    format!("rule `{other}` is unknown, allowed are g10k21, g7k15 and tanh-sinh");
                return Err(PyValueError::new_err(said));
            }
        };
        let default = Options::<R>::default();
        let options = Options {
            rule,
            absolute,
            relative: relative(default.relative),
            intervals: self.limit.unwrap_or(default.intervals),
            breaks,
        };
        let mut plan = Adaptive::new(module, of, options).map_err(crate::error::raised)?;
        Ok(Box::new(move |from, to, parameters| {
            with(device, [from, to, parameters], |items| plan.outcomes(items))
        }))
    }
}

/// Copies limits and parameters to the device, for what computes there.
fn with<R: Real, T>(
    device: &Device,
    items: [&[R]; 3],
    compute: impl FnOnce(&Items<'_, R>) -> Result<T>,
) -> Result<T> {
    let [from, to, parameters] = items.map(|numbers| device.upload(numbers));
    let (from, to, parameters) = (from?, to?, parameters?);
    let items = Items::between(R::ZERO, R::ZERO)
        .from_each(&from)
        .to_each(&to);
    match parameters.is_empty() {
        true => compute(&items),
        false => compute(&items.with_each(&parameters)),
    }
}
