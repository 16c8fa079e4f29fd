//! Boxes as plans take them.

use crate::{Error, Result};

/// A box, its limits in ascending order, and the sign that the integral has in the order given.
pub(super) struct Sorted {
    pub(super) sign: f64,
    pub(super) limits: Vec<(f64, f64)>,
    /// The product of the widths.
    pub(super) volume: f64,
}

impl Sorted {
    /// Refuses what is no finite box, and parameters that are no numbers.
    pub(super) fn new<const N: usize>(
        limits: &[(f64, f64)],
        parameters: &[[f64; N]],
    ) -> Result<Self> {
        let mut sorted = Self {
            sign: 1.0,
            limits: Vec::with_capacity(limits.len()),
            volume: 1.0,
        };
        for &(from, to) in limits {
            if !(from.is_finite() && to.is_finite() && (to - from).is_finite()) {
                let problem = format!(
                    "are {from:?} to {to:?}, allowed are finite limits whose distance is finite"
                );
                return Err(Error::argument("limits", problem));
            }
            sorted.sign = if from > to { -sorted.sign } else { sorted.sign };
            sorted.limits.push((from.min(to), from.max(to)));
            sorted.volume *= (to - from).abs();
        }
        if parameters.iter().flatten().any(|number| number.is_nan()) {
            let problem = "have a NaN, allowed are numbers";
            return Err(Error::argument("parameters", problem));
        }
        Ok(sorted)
    }
}
