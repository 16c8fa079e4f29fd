//! Integrals of formulas and by the names of integrands, by those of rules.

use std::slice;

use crate::boxes::{DISAGREE, OUT_OF_ROOM, UNSEEN};
use crate::error::raised;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use quadscan::device::{Device, Module};
use quadscan::integrate::formula::{Number, PrincipalValue};
use quadscan::integrate::samples::{SampleRule, Spacing, increments};
use quadscan::integrate::{
    Adaptive, CONVERGED, Entry, Formula, Fourier, FourierOptions, GaussKronrod, Items, Kernels,
    NO_LIMITS, NOT_FINITE, OUT_OF_INTERVALS, OVERFLOW, Options, Outcome, ROUNDOFF, TanhSinh,
    TanhSinhOptions, Wave,
};
use quadscan::{Error, Result};
use quadscan_kernels::integrate::catalogue::{CATALOGUE, FORMULAS};

/// How an integral ended.
pub(crate) const STATUS: [(&str, u32); 9] = [
    ("CONVERGED", CONVERGED),
    ("OUT_OF_INTERVALS", OUT_OF_INTERVALS),
    ("NOT_FINITE", NOT_FINITE),
    ("ROUNDOFF", ROUNDOFF),
    ("NO_LIMITS", NO_LIMITS),
    ("OVERFLOW", OVERFLOW),
    ("OUT_OF_ROOM", OUT_OF_ROOM),
    ("DISAGREE", DISAGREE),
    ("UNSEEN", UNSEEN),
];

/// Name, formula, names of parameters, default limits.
type Described = (String, String, Vec<String>, Option<(f64, f64)>);

/// Names of parameters, default limits, how many outputs.
type Asked = (Vec<String>, Option<(f64, f64)>, usize);

/// What is integrated.
pub(crate) enum Function {
    Kernels(&'static Entry),
    /// And its limits, of one that has a name.
    Formula(Formula, Option<(f64, f64)>),
    /// The principal value of a formula, whose pole is one more parameter.
    AroundPole(Formula, Vec<String>),
    /// A formula beside a wave, whose omega and phase are its last parameters.
    WithWave(Formula, Wave),
}

impl Function {
    /// The outputs of a name, or of a formula's text: the one place that knows what `function` may be.
    pub(crate) fn outputs(text: &str) -> PyResult<Vec<Self>> {
        if let Some(entry) = CATALOGUE.iter().find(|entry| entry.f64.name == text) {
            return Ok(vec![Function::Kernels(entry)]);
        }
        let named = FORMULAS.iter().find(|of| of.name == text);
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if named.is_none() && text != "x" && text.chars().all(is_word) {
            let known = CATALOGUE.iter().map(|entry| entry.f64.name);
            let known: Vec<&str> = known.chain(FORMULAS.iter().map(|of| of.name)).collect();
            let said = format!(
                "function `{text}` is unknown, allowed are {} and formulas",
                known.join(", ")
            );
            return Err(PyValueError::new_err(said));
        }
        let formulas = match named {
            Some(of) => Formula::with_parameters(of.text, of.parameters).map(|of| vec![of]),
            None => Formula::outputs(text, &[]),
        };
        let said = |error| PyValueError::new_err(format!("function: {error}"));
        let formulas = formulas.map_err(said)?.into_iter();
        let limits = named.map(|of| of.limits);
        Ok(formulas.map(|of| Function::Formula(of, limits)).collect())
    }

    /// One of the outputs, by its number, changed as a word says: `pole`, `sin`, `cos` or `rounding`.
    pub(crate) fn new(text: &str, output: usize, change: Option<&str>) -> PyResult<Self> {
        let mut all = Self::outputs(text)?;
        if output >= all.len() {
            let said = format!("output is {output}, allowed are 0 to {}", all.len() - 1);
            return Err(PyValueError::new_err(said));
        }
        let of = all.swap_remove(output);
        match change {
            None => Ok(of),
            Some("pole") => of.around_pole(),
            Some("rounding") => of.rounding(),
            Some("sin") => of.with_wave(Wave::Sine),
            Some("cos") => of.with_wave(Wave::Cosine),
            Some(other) => {
                let said =
                    format!("fourier has the wave {other:?}, allowed are \"sin\" and \"cos\"");
                Err(PyValueError::new_err(said))
            }
        }
    }

    /// A formula without limits of its own, which an argument goes with.
    fn formula(self, argument: &str) -> PyResult<Formula> {
        match self {
            Function::Formula(formula, None) => Ok(formula),
            _ => {
                let said = format!("{argument} is given, allowed is it with a formula");
                Err(PyValueError::new_err(said))
            }
        }
    }

    /// A formula beside a wave.
    fn with_wave(self, wave: Wave) -> PyResult<Self> {
        let formula = self.formula("fourier")?.with_wave().map_err(raised)?;
        Ok(Function::WithWave(formula, wave))
    }

    /// A bound on the rounding of a formula.
    fn rounding(self) -> PyResult<Self> {
        let formula = self.formula("rounding")?.rounding();
        Ok(Function::Formula(formula, None))
    }

    /// The principal value of a formula.
    fn around_pole(self) -> PyResult<Self> {
        let formula = self.formula("principal_value")?;
        let mut names = formula.parameters().to_vec();
        names.push("principal_value".to_owned());
        let folded = formula.around_pole().map_err(raised)?;
        Ok(Function::AroundPole(folded, names))
    }

    /// What its parameters are called.
    pub(crate) fn parameters(&self) -> Vec<String> {
        match self {
            Function::Kernels(entry) => owned(entry.f64.parameters),
            Function::Formula(formula, _) | Function::WithWave(formula, _) => {
                formula.parameters().to_vec()
            }
            Function::AroundPole(_, names) => names.clone(),
        }
    }
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

/// All functions that have a name.
#[pyfunction]
pub(crate) fn integrands() -> Vec<Described> {
    let kernels = CATALOGUE
        .iter()
        .map(|Entry { f64: of, .. }| (of.name, of.formula, of.parameters, of.limits));
    let formulas = FORMULAS
        .iter()
        .map(|of| (of.name, of.formula, of.parameters, of.limits));
    let all = kernels.chain(formulas);
    let all = all.map(|(name, formula, parameters, limits)| {
        let (name, formula) = (name.to_owned(), formula.to_owned());
        (name, formula, owned(parameters), Some(limits))
    });
    all.collect()
}

/// The names of the parameters of a name or of a formula, its limits if it has a name, and how many
/// outputs it has.
#[pyfunction(name = "integrand")]
pub(crate) fn described(function: &str) -> PyResult<Asked> {
    let all = Function::outputs(function)?;
    let of = &all[0];
    let limits = match of {
        Function::Kernels(entry) => Some(entry.f64.limits),
        Function::Formula(_, limits) => *limits,
        Function::AroundPole(..) | Function::WithWave(..) => None,
    };
    Ok((of.parameters(), limits, all.len()))
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
pub(crate) type Compute<'m, R> =
    Box<dyn FnMut(&[R], &[R], &[R]) -> Result<Vec<Outcome<R>>> + Send + 'm>;

impl Goal {
    /// A plan of the rule, of the function whose kernels of this type `kernels` are.
    pub(crate) fn plan<'m, R: Number + Send + Sync>(
        &self,
        module: &'m Module,
        of: &Function,
        kernels: fn(&Entry) -> Kernels<R>,
    ) -> PyResult<Compute<'m, R>> {
        let breaks = self.breaks.iter().copied().map(R::from_f64).collect();
        let absolute = R::from_f64(self.absolute);
        let without_wave = || {
            let said = "fourier is given, allowed is it with dtype float64";
            PyValueError::new_err(said)
        };
        // Who names but the absolute tolerance wants no other.
        let relative = |default| match self.relative {
            Some(relative) => R::from_f64(relative),
            None if self.absolute > 0.0 => R::ZERO,
            None => default,
        };
        let device = module.device();
        macro_rules! outcomes {
            ($plan:ident, $options:ident) => {{
                let plan = match of {
                    Function::Kernels(entry) => $plan::new(module, kernels(entry), $options),
                    Function::Formula(formula, _) | Function::AroundPole(formula, _) => {
                        $plan::of_formula(module, formula, $options)
                    }
                    Function::WithWave(..) => return Err(without_wave()),
                };
                let mut plan = plan.map_err(limited)?;
                of.unfolded(Box::new(move |from, to, parameters| {
                    with(device, [from, to, parameters], |items| plan.outcomes(items))
                }))
            }};
        }
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
                return Ok(outcomes!(TanhSinh, options));
            }
            rule @ ("cubature" | "vegas" | "lattice" | "sobol") => {
                let said = format!("rule is {rule}, which is of boxes, allowed is it with over");
                return Err(PyValueError::new_err(said));
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
        Ok(outcomes!(Adaptive, options))
    }
}

impl Goal {
    /// A plan of a formula beside a wave.
    pub(crate) fn fourier<'m>(
        &self,
        module: &'m Module,
        formula: &Formula,
        wave: Wave,
    ) -> PyResult<Compute<'m, f64>> {
        let default = FourierOptions::default();
        let relative = if self.absolute > 0.0 {
            0.0
        } else {
            default.relative
        };
        let options = FourierOptions {
            wave,
            absolute: self.absolute,
            relative: self.relative.unwrap_or(relative),
            levels: self.limit.unwrap_or(default.levels),
        };
        let plan = Fourier::of_formula(module, formula, options);
        let (mut plan, device) = (plan.map_err(limited)?, module.device());
        Ok(Box::new(move |from, to, parameters| {
            with(device, [from, to, parameters], |items| plan.outcomes(items))
        }))
    }
}

impl Function {
    /// What comes of items, by what comes of those that are integrated in their place.
    fn unfolded<'m, R: Number + Send + Sync>(&self, mut compute: Compute<'m, R>) -> Compute<'m, R> {
        let Function::AroundPole(_, names) = self else {
            return compute;
        };
        let each = names.len();
        Box::new(move |from, to, parameters| {
            let (mut low, mut high, mut all) = (Vec::new(), Vec::new(), Vec::new());
            for (item, (from, to)) in from.iter().zip(to).enumerate() {
                let given = &parameters[item * each..(item + 1) * each];
                let of = PrincipalValue::between(*from, *to, given[each - 1]).map_err(named)?;
                low.push(of.limits.0);
                high.push(of.limits.1);
                all.extend(given[..each - 1].iter().copied().chain(of.parameters));
            }
            compute(&low, &high, &all)
        })
    }
}

/// An error of options, by the name that they have here.
fn limited(error: Error) -> PyErr {
    raised(match error {
        Error::Argument { argument, problem }
            if ["levels", "intervals"].contains(&&argument[..]) =>
        {
            let argument = "limit".to_owned();
            Error::Argument { argument, problem }
        }
        other => other,
    })
}

/// An error of a pole, by the name that it has here.
fn named(error: Error) -> Error {
    match error {
        Error::Argument { problem, .. } => Error::Argument {
            argument: "principal_value".to_owned(),
            problem,
        },
        other => other,
    }
}

/// What each step adds to the integral of samples: addresses of so many y, of x or 0, and of results.
#[pyfunction]
pub(crate) fn sample_increments(
    y: (usize, usize),
    x: usize,
    dx: f64,
    rule: &str,
    results: usize,
) -> PyResult<()> {
    let rule = match rule {
        "trapezoid" => SampleRule::Trapezoid,
        "simpson" => SampleRule::Simpson,
        "gregory" => SampleRule::Gregory,
        other => {
            let allowed = "allowed are simpson, trapezoid and gregory";
            return Err(PyValueError::new_err(format!(
                "rule is '{other}', {allowed}"
            )));
        }
    };
    let (y, n) = y;
    if n == 0 {
        return Err(PyValueError::new_err(
            "y has 0 samples, allowed are 2 and more",
        ));
    }
    // SAFETY: the package's: arrays of so many elements, which it holds, the last one alone.
    unsafe {
        let spacing = match x {
            0 => Spacing::Even(dx),
            x => Spacing::At(slice::from_raw_parts(x as *const f64, n)),
        };
        let steps = increments(slice::from_raw_parts(y as *const f64, n), spacing, rule);
        slice::from_raw_parts_mut(results as *mut f64, n).copy_from_slice(&steps.map_err(raised)?);
    }
    Ok(())
}

/// Copies limits and parameters to the device, for what computes there.
fn with<R: Number, T>(
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
