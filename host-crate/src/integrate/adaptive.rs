//! Many integrals by an adaptive rule.

use bytemuck::bytes_of;
use quadscan_kernels::LANES;
use quadscan_kernels::integrate::outcome::Outcome;
use quadscan_kernels::integrate::rules::GaussKronrod;
use quadscan_kernels::integrate::sizes::{MAX_INTERVALS, numbers_of_team, teams};

use super::batch::{self, Batch};
use super::items::Items;
use super::{IntegrandKernels, Kernels, Real, refuse};
use crate::device::{Module, ViewMut};
use crate::{Error, Result};

/// What is asked of an adaptive rule.
#[derive(Clone, Debug)]
pub struct Options<R> {
    /// The rule of an interval.
    pub rule: GaussKronrod,
    /// The absolute tolerance; 0 or more.
    pub absolute: R,
    /// The tolerance relative to the integral's magnitude; 0 or more. The larger of the two
    /// counts.
    pub relative: R,
    /// The most intervals of an item, 1 to 1024. More of them need more shared memory, and
    /// fewer items are worked on at a time.
    pub intervals: u32,
    /// Points where the function jumps, has a corner or peaks, beside those that it is known
    /// to have; a point that is not between an item's limits is none of it.
    pub breaks: Vec<R>,
}

impl<R: Real> Default for Options<R> {
    /// 10 nodes among 21, a relative tolerance of 10^-10 (10^-4 in f32), 64 intervals.
    fn default() -> Self {
        let relative = if size_of::<R>() == 8 { 1e-10 } else { 1e-4 };
        Self {
            rule: GaussKronrod::G10K21,
            absolute: R::ZERO,
            relative: R::from_f64(relative),
            intervals: 64,
            breaks: Vec::new(),
        }
    }
}

/// Integrals of one function, in `R`, which is `f32` or `f64`, by halving the interval with
/// the largest error until the sum of the errors is within the tolerance: as many as there
/// are items, each with its own limits and parameters, in one launch.
///
/// An outcome is the same bit for bit from run to run, whatever the other items are.
///
/// Source: QUADPACK's QAGE, QAGI and QAGP.
#[derive(Debug)]
pub struct Adaptive<R: Real> {
    batch: Batch<R>,
    rule: GaussKronrod,
    intervals: u32,
}

impl<R: Real> Adaptive<R> {
    /// A plan for integrals of `I`.
    ///
    /// # Errors
    ///
    /// As [`Adaptive::new`].
    pub fn of<I: IntegrandKernels<R>>(module: &Module, options: Options<R>) -> Result<Self> {
        Self::new(module, I::KERNELS, options)
    }

    /// The same for an integrand that is known by its kernels, those of a
    /// [catalogue](quadscan_kernels::integrate::catalogue::CATALOGUE).
    ///
    /// # Errors
    ///
    /// [`Error::Argument`](crate::Error::Argument) for tolerances, intervals and breaks that
    /// are not allowed, [`Error::UnknownKernel`](crate::Error::UnknownKernel) where `module`
    /// does not have the kernels, [`Error::OutOfMemory`](crate::Error::OutOfMemory); the
    /// driver's.
    pub fn new(module: &Module, kernels: Kernels<R>, options: Options<R>) -> Result<Self> {
        refuse::tolerances(options.absolute, options.relative)?;
        refuse::intervals(options.intervals, MAX_INTERVALS)?;
        refuse::breaks(&options.breaks)?;
        let shared = |warps| shared_bytes::<R>(warps, options.intervals);
        let shape = batch::shape(module, kernels.adaptive(), shared);
        let shape = shape.map_err(|error| in_intervals::<R>(error, options.intervals))?;
        let tolerances = (options.absolute, options.relative);
        Ok(Self {
            batch: Batch::new(module, kernels, tolerances, &options.breaks, shape)?,
            rule: options.rule,
            intervals: options.intervals,
        })
    }

    /// The same plan with launches of up to `blocks` blocks of `warps` warps, 1 to 8: for
    /// measurements, since the outcomes are the same.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`](crate::Error::Argument), and
    /// [`Error::OutOfRange`](crate::Error::OutOfRange) where so many warps' intervals are more
    /// than a block has room for.
    pub fn with_shape(self, blocks: u32, warps: u32) -> Result<Self> {
        let batch = self.batch.with_shape(blocks, warps)?;
        let shared = shared_bytes::<R>(warps, self.intervals);
        let entry = batch.kernels.adaptive();
        batch.module.resident_blocks(entry, warps * LANES, shared)?;
        Ok(Self { batch, ..self })
    }

    /// The integrand.
    pub fn kernels(&self) -> &Kernels<R> {
        &self.batch.kernels
    }

    /// An outcome for each of the items, of which there are as many as the limits or parameters
    /// that are given one by one; one where none are. Waits for the device, and allocates there:
    /// who does so often has a buffer of outcomes for [`integrate`](Self::integrate).
    ///
    /// # Errors
    ///
    /// As [`Adaptive::integrate`]; [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn outcomes(&mut self, items: &Items<'_, R>) -> Result<Vec<Outcome<R>>> {
        let count = items.len(&self.batch.kernels);
        let mut outcomes = self.batch.module.device().alloc(count)?;
        self.integrate(items, &mut outcomes)?;
        outcomes.to_vec()
    }

    /// Writes an outcome for each of the items: as many as `outcomes` has elements.
    /// Asynchronous.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`](crate::Error::Argument) for items that are not as many, or have
    /// other parameters than the integrand;
    /// [`Error::ForeignBuffer`](crate::Error::ForeignBuffer); the driver's.
    pub fn integrate<'a>(
        &mut self,
        items: &Items<'_, R>,
        outcomes: impl Into<ViewMut<'a, Outcome<R>>>,
    ) -> Result<()> {
        let outcomes = outcomes.into();
        let entry = self.batch.kernels.adaptive();
        let nodes = self.rule as u32;
        let of_rule = [bytes_of(&nodes), bytes_of(&self.intervals)];
        let shared = shared_bytes::<R>(self.batch.warps, self.intervals);
        // SAFETY: the shared memory has room for the teams' intervals.
        unsafe { self.batch.launch(entry, items, &outcomes, shared, &of_rule) }
    }
}

/// Bytes of dynamic shared memory of a block of so many warps.
fn shared_bytes<R>(warps: u32, intervals: u32) -> u32 {
    let numbers = numbers_of_team(intervals) * teams(warps) as usize;
    (numbers * size_of::<R>()) as u32
}

/// A refusal of shared memory, as one of the intervals that it was for.
fn in_intervals<R>(error: Error, intervals: u32) -> Error {
    let Error::OutOfRange { value, highest, .. } = error else {
        return error;
    };
    let is_shared = value == u64::from(shared_bytes::<R>(1, intervals));
    let fits = |intervals: &u32| u64::from(shared_bytes::<R>(1, *intervals)) <= highest;
    match (1..intervals).rev().find(fits) {
        Some(most) if is_shared => refuse::argument(
            "intervals",
            format!("is {intervals}, allowed on this device are 1 to {most}"),
        ),
        _ => error,
    }
}

#[cfg(test)]
mod tests {
    use super::{in_intervals, shared_bytes};
    use crate::Error;

    #[test]
    fn intervals_that_a_device_has_no_room_for_are_refused_by_their_name() {
        let refused = |highest| Error::OutOfRange {
            what: "dynamic shared memory (bytes per block)",
            value: shared_bytes::<f64>(1, 1024).into(),
            lowest: 0,
            highest,
            scope: String::new(),
        };
        // 99 KiB less the kernel's own 768 bytes: 32 bytes an interval and lane group.
        let said = in_intervals::<f64>(refused(99 * 1024 - 768), 1024).to_string();
        assert_eq!(
            said,
            "intervals is 1024, allowed on this device are 1 to 776"
        );
        assert!(u64::from(shared_bytes::<f64>(1, 776)) <= 99 * 1024 - 768);
        assert!(u64::from(shared_bytes::<f64>(1, 777)) > 99 * 1024 - 768);
    }
}
