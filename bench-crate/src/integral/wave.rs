//! `--fourier`: omega and the phase of each item.

use super::number::{Number, text};
use super::quantity::Quantity;
use crate::cli::IntegrateArguments;
use crate::error::Result;

/// A wave that a formula is multiplied by.
#[derive(Clone, Debug)]
pub(super) struct Wave<R> {
    omega: Quantity<R>,
    phase: Quantity<R>,
    /// How many parameters the formula has.
    own: usize,
}

impl<R: Number> Wave<R> {
    /// What a command line says, of a formula with parameters of these names, to which it may add.
    pub(super) fn new(arguments: &IntegrateArguments, names: &mut Vec<String>) -> Result<Self> {
        let own = names.len();
        let (omega, phase) = (arguments.omega.as_deref(), arguments.phase.as_deref());
        Ok(Self {
            omega: Quantity::new("--omega", omega.unwrap_or_default(), names)?,
            phase: Quantity::new("--phase", phase.unwrap_or("0"), names)?,
            own,
        })
    }

    /// What is wrong with an item. A limit that is NaN is a status.
    pub(super) fn objection(&self, (from, to): (R, R), parameters: &[R]) -> Option<String> {
        let omega = self.omega.of(parameters);
        if omega == R::ZERO || !omega.is_number() || !self.phase.of(parameters).is_number() {
            let problem = "allowed are numbers other than 0; without a wave there is no --fourier";
            let omega = text(omega);
            return Some(format!(
                "omega is {omega}, or its phase not finite, {problem}"
            ));
        }
        let is_finite = from.is_number() && to.is_number() && from != to;
        is_finite.then(|| {
            let (from, to) = (text(from), text(to));
            format!("goes from {from} to {to}, allowed is it with an infinite limit")
        })
    }

    /// The parameters of what is integrated: the formula's, omega and the phase.
    pub(super) fn parameters(&self, parameters: &[R]) -> Vec<R> {
        let wave = [&self.omega, &self.phase].map(|of| of.of(parameters));
        [&parameters[..self.own], &wave].concat()
    }
}
