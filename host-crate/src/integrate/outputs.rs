//! Integrals of several functions of the same items, to one tolerance.

use quadscan_kernels::integrate::outcome::{CONVERGED, OUT_OF_INTERVALS, Outcome, ROUNDOFF};

use super::batch::{Batch, Method};
use super::formula::{Formula, Number};
use super::items::Items;
use super::{Real, refuse};
use crate::device::Module;
use crate::{Error, Result};

/// Integrals of the outputs of a formula, such as the real and the imaginary part of a function, by the
/// plans `P`: [`Adaptive`](super::Adaptive), [`TanhSinh`](super::TanhSinh) or [`Fourier`](super::Fourier).
///
/// Each output is a launch of its own: they share the items, and no evaluations. The relative tolerance
/// is of the largest magnitude among an item's outputs less their errors, the maximum norm. So an output that is small
/// beside another one, or 0 because it cancels, is [`CONVERGED`] as soon as its error is small beside
/// that; it is computed as far as its own tolerance and rounding allow all the same.
///
/// ```
/// use quadscan::device::{Artifact, Device, DeviceChoice};
/// use quadscan::integrate::{Adaptive, CONVERGED, Formula, Items, Options, Outputs};
///
/// # fn main() -> quadscan::Result<()> {
/// let device = Device::open(DeviceChoice::Auto)?;
/// # /*
/// let module = device.load(&Artifact::embedded()?)?;
/// # */ let folder = std::env::var("QUADSCAN_ARTIFACT").expect("`cargo xtask test` sets it");
/// # let module = device.load(&unsafe { Artifact::read(folder) }?)?;
/// // exp(i x) from 0 to pi is 2 i: the real part is 0 but for rounding.
/// let parts = Formula::outputs("cos(x); sin(x)", &[])?;
/// let mut plan = Outputs::<Adaptive<f64>>::of_formulas(&module, &parts, Options::default())?;
/// let found = &plan.outcomes(&Items::between(0.0, std::f64::consts::PI))?[0];
/// assert!(found[0].value.abs() < 1e-12 && (found[1].value - 2.0).abs() < 1e-12);
/// assert!(found.iter().all(|of| of.status == CONVERGED));
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Outputs<P> {
    plans: Vec<P>,
    absolute: f64,
    relative: f64,
}

impl<R: Number, M: Method<R>> Outputs<Batch<R, M>>
where
    M::Options: Clone,
{
    /// A plan for the integrals of these formulas, which have the same parameters:
    /// [`Formula::outputs`].
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for no formulas, and for other parameters; as [`Batch::of_formula`].
    pub fn of_formulas(module: &Module, formulas: &[Formula], options: M::Options) -> Result<Self> {
        let is_other = |of: &Formula| of.parameters() != formulas[0].parameters();
        if formulas.is_empty() || formulas.iter().any(is_other) {
            let problem = "are none, or have other parameters, allowed are those of one text";
            return Err(Error::argument("formulas", problem));
        }
        let goal = M::goal(&options);
        refuse::tolerances(goal.absolute, goal.relative)?;
        let (absolute, relative) = (goal.absolute.to_f64(), goal.relative.to_f64());
        let plans = formulas
            .iter()
            .map(|formula| Batch::of_formula(module, formula, options.clone()));
        Ok(Self {
            plans: plans.collect::<Result<_>>()?,
            absolute,
            relative,
        })
    }

    /// The outcomes of each item: one an output. Waits for the device, and allocates there.
    ///
    /// # Errors
    ///
    /// As [`Batch::outcomes`].
    pub fn outcomes(&mut self, items: &Items<'_, R>) -> Result<Vec<Vec<Outcome<R>>>> {
        let all = self.plans.iter_mut().map(|plan| plan.outcomes(items));
        let all = all.collect::<Result<Vec<_>>>()?;
        let item = |k: usize| {
            let mut outputs: Vec<_> = all.iter().map(|of_output| of_output[k]).collect();
            let [absolute, relative] = [self.absolute, self.relative].map(R::from_f64);
            within_norm(&mut outputs, absolute, relative);
            outputs
        };
        Ok((0..all[0].len()).map(item).collect())
    }
}

/// The largest magnitude among values that their errors leave for sure: the maximum norm, to which what
/// did not converge adds no more than it has.
pub fn norm<R: Real>(claims: impl IntoIterator<Item = (R, R)>) -> R {
    claims.into_iter().fold(R::ZERO, |most, (value, error)| {
        let left = value.larger(-value) - error;
        if left.is_number() {
            most.larger(left)
        } else {
            most
        }
    })
}

/// Lets the outputs of an item converge whose errors are within the tolerance of the largest one.
fn within_norm<R: Real>(outputs: &mut [Outcome<R>], absolute: R, relative: R) {
    let tolerance = absolute.larger(relative * norm(outputs.iter().map(|of| (of.value, of.error))));
    for of in outputs {
        let is_known = matches!(of.status, OUT_OF_INTERVALS | ROUNDOFF) && of.value.is_number();
        if is_known && of.error <= tolerance {
            of.status = CONVERGED;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::NOT_FINITE;

    #[test]
    fn outputs_converge_by_the_largest_and_what_has_no_value_does_not() {
        let of = |value: f64, error, status| Outcome {
            value,
            error,
            at: 0.0,
            evaluations: 1,
            status,
            padding: [0; 2],
        };
        let (nan, infinite) = (f64::NAN, f64::INFINITY);
        let mut all = [
            of(-2.0, 1e-12, CONVERGED),
            of(1e-16, 1e-11, ROUNDOFF),
            of(1e-9, 1e-11, OUT_OF_INTERVALS),
            of(1e-9, 1e-9, OUT_OF_INTERVALS),
            of(nan, infinite, NOT_FINITE),
        ];
        within_norm(&mut all, 0.0, 1e-10);
        let statuses = all.map(|of| of.status);
        assert_eq!(
            statuses,
            [
                CONVERGED,
                CONVERGED,
                CONVERGED,
                OUT_OF_INTERVALS,
                NOT_FINITE
            ]
        );
        within_norm(&mut all, 1e-8, 0.0);
        assert_eq!(all[3].status, CONVERGED);
        // What diverges is no measure of the others.
        let mut all = [
            of(1e11, 1e16, OUT_OF_INTERVALS),
            of(1e-4, 0.5, OUT_OF_INTERVALS),
        ];
        within_norm(&mut all, 0.0, 1e-10);
        assert!(all.iter().all(|of| of.status == OUT_OF_INTERVALS));
    }
}
