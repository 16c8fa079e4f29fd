//! What a plan integrates, whatever it is known by.

use super::{Kernels, Real};

/// The kernel of Fourier integrals of formulas.
pub(super) const FOURIER: &str = "fourier_formula_f64";

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
    /// What a catalogue has.
    pub(super) fn of<R: Real>(kernels: &Kernels<R>) -> Self {
        Self {
            name: kernels.name.to_owned(),
            parameters: kernels
                .parameters
                .iter()
                .map(|&name| name.to_owned())
                .collect(),
            composite: kernels.composite(),
            adaptive: kernels.adaptive(),
            tanh_sinh: kernels.tanh_sinh(),
            fourier: "fourier",
        }
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
