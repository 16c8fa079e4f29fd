//! What a plan integrates, whatever it is known by.

use super::formula::{FOURIER, Formula, Number};
use super::{Kernels, Real};
use crate::Result;
use crate::device::Module;

/// An integrand: its names, and the entries of its kernels.
#[derive(Clone, Debug)]
pub struct Subject {
    pub(super) name: String,
    pub(super) parameters: Vec<String>,
    pub(super) composite: &'static str,
    pub(super) adaptive: &'static str,
    pub(super) tanh_sinh: &'static str,
    /// Of formulas alone; elsewhere the name of none.
    pub(super) fourier: &'static str,
}

impl Subject {
    /// What a catalogue has: its kernels, and of the formula where there are none.
    pub(super) fn of<R: Real>(kernels: &Kernels<R>) -> Self {
        let names = kernels.parameters.iter().map(|&name| name.to_owned());
        let names: Vec<String> = names.collect();
        let by_formula = Self::of_formula::<R>(&[]);
        let entry = |rule, by_formula| {
            let none = kernels.text().map_or(rule, |_| by_formula);
            kernels.entry(rule).unwrap_or(none)
        };
        Self {
            name: kernels.name.to_owned(),
            parameters: names,
            composite: entry("composite", by_formula.composite),
            adaptive: entry("adaptive", by_formula.adaptive),
            tanh_sinh: entry("tanh_sinh", by_formula.tanh_sinh),
            fourier: "fourier",
        }
    }

    /// The module that has the entry of a catalogue's integrand: `module`, with the formula in the hole
    /// where the integrand has no kernel by the rule.
    pub(super) fn module<R: Number>(
        &self,
        module: &Module,
        kernels: &Kernels<R>,
        entry: &str,
    ) -> Result<Module> {
        let by_formula = Self::of_formula::<R>(&[]);
        let by_formula = [
            by_formula.composite,
            by_formula.adaptive,
            by_formula.tanh_sinh,
        ];
        let Some(text) = kernels.text().filter(|_| by_formula.contains(&entry)) else {
            return Ok(module.clone());
        };
        let formula = Formula::with_parameters(text, kernels.parameters)?;
        formula.in_rows(kernels.is_short).on::<R>(module, entry)
    }

    /// A formula with these parameters, in `R`.
    pub(super) fn of_formula<R: Real>(parameters: &[String]) -> Self {
        let [composite, adaptive, tanh_sinh] = match size_of::<R>() {
            4 => [
                "composite_formula_f32",
                "adaptive_formula_f32",
                "tanh_sinh_formula_f32",
            ],
            _ => [
                "composite_formula_f64",
                "adaptive_formula_f64",
                "tanh_sinh_formula_f64",
            ],
        };
        Self {
            name: "the formula".to_owned(),
            parameters: parameters.to_vec(),
            composite,
            adaptive,
            tanh_sinh,
            fourier: FOURIER,
        }
    }
}
