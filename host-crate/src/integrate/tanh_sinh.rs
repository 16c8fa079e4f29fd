//! Many integrals by tanh-sinh rules.

use std::f64::consts::FRAC_PI_2;

use bytemuck::bytes_of;
use quadscan_kernels::integrate::outcome::Outcome;
use quadscan_kernels::integrate::sizes::{MAX_LEVELS, MIN_LEVELS, STEP};

use super::batch::{self, Batch};
use super::items::Items;
use super::{IntegrandKernels, Kernels, Real, refuse};
use crate::Result;
use crate::device::{Buffer, Module, ViewMut};

/// What is asked of tanh-sinh rules.
#[derive(Clone, Debug)]
pub struct TanhSinhOptions<R> {
    /// The absolute tolerance; 0 or more.
    pub absolute: R,
    /// The tolerance relative to the integral's magnitude; 0 or more. The larger of the two
    /// counts.
    pub relative: R,
    /// The last level, 2 to 10. An interval has about 25 2^level nodes in f64, 16 2^level in
    /// f32, and about half of that where nothing is singular at its ends.
    pub levels: u32,
    /// Points where the function jumps, has a corner or is singular, beside those that it is
    /// known to have; a point that is not between an item's limits is none of it.
    pub breaks: Vec<R>,
}

impl<R: Real> Default for TanhSinhOptions<R> {
    /// A relative tolerance of 10^-10 (10^-4 in f32), 8 levels.
    fn default() -> Self {
        let relative = if size_of::<R>() == 8 { 1e-10 } else { 1e-4 };
        Self {
            absolute: R::ZERO,
            relative: R::from_f64(relative),
            levels: 8,
            breaks: Vec::new(),
        }
    }
}

/// Integrals of one function, in `R`, which is `f32` or `f64`, by tanh-sinh rules of ever
/// more nodes until two of them agree: as many as there are items, each with its own limits
/// and parameters, in one launch. The function may be infinite at the limits, or at breaks.
///
/// An outcome is the same bit for bit from run to run, whatever the other items are. One that
/// is [`OUT_OF_INTERVALS`](super::OUT_OF_INTERVALS) has reached the last level.
///
/// A function that is steep next to a limit which is not 0 needs the distance from it
/// ([`Integrand::eval_at`](super::Integrand::eval_at)); where it has but `x`, what `x` cannot
/// tell apart counts as an error.
///
/// Sources: Takahasi and Mori, Double exponential formulas for numerical integration, 1974;
/// Bailey, Jeyabalan and Li, A comparison of three high-precision quadrature schemes, 2005.
#[derive(Debug)]
pub struct TanhSinh<R: Real> {
    batch: Batch<R>,
    levels: u32,
    nodes: Buffer<R>,
    begins: Buffer<u32>,
}

impl<R: Real> TanhSinh<R> {
    /// A plan for integrals of `I`.
    ///
    /// # Errors
    ///
    /// As [`TanhSinh::new`].
    pub fn of<I: IntegrandKernels<R>>(
        module: &Module,
        options: TanhSinhOptions<R>,
    ) -> Result<Self> {
        Self::new(module, I::KERNELS, options)
    }

    /// The same for an integrand that is known by its kernels, those of a
    /// [catalogue](quadscan_kernels::integrate::catalogue::CATALOGUE).
    ///
    /// # Errors
    ///
    /// [`Error::Argument`](crate::Error::Argument) for tolerances, levels and breaks that are
    /// not allowed, [`Error::UnknownKernel`](crate::Error::UnknownKernel) where `module` does
    /// not have the kernels, [`Error::OutOfMemory`](crate::Error::OutOfMemory); the driver's.
    pub fn new(module: &Module, kernels: Kernels<R>, options: TanhSinhOptions<R>) -> Result<Self> {
        refuse::tolerances(options.absolute, options.relative)?;
        refuse::levels(options.levels, MIN_LEVELS, MAX_LEVELS)?;
        refuse::breaks(&options.breaks)?;
        let shape = batch::shape(module, kernels.tanh_sinh(), |_| 0)?;
        let tolerances = (options.absolute, options.relative);
        let (nodes, begins) = table::<R>(options.levels);
        Ok(Self {
            batch: Batch::new(module, kernels, tolerances, &options.breaks, shape)?,
            levels: options.levels,
            nodes: module.device().upload(&nodes)?,
            begins: module.device().upload(&begins)?,
        })
    }

    /// The same plan with launches of up to `blocks` blocks of `warps` warps, 1 to 8: for
    /// measurements, since the outcomes are the same.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`](crate::Error::Argument).
    pub fn with_shape(self, blocks: u32, warps: u32) -> Result<Self> {
        let batch = self.batch.with_shape(blocks, warps)?;
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
    /// As [`TanhSinh::integrate`]; [`Error::OutOfMemory`](crate::Error::OutOfMemory).
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
        let entry = self.batch.kernels.tanh_sinh();
        let (nodes, begins) = (self.nodes.address(), self.begins.address());
        let of_rule = [bytes_of(&nodes), bytes_of(&begins), bytes_of(&self.levels)];
        // SAFETY: the table is this plan's, and has all levels.
        unsafe { self.batch.launch(entry, items, &outcomes, 0, &of_rule) }
    }
}

/// Delta and weight of the nodes from level 0 to the `last`, and where the levels begin.
///
/// A level ends where delta is less than a normal number.
fn table<R: Real>(last: u32) -> (Vec<R>, Vec<u32>) {
    let (mut nodes, mut begins) = (Vec::new(), vec![0]);
    for level in 0..=last {
        let step = STEP * 0.5_f64.powi(level as i32);
        let t = |k: u32| match level {
            0 => f64::from(k) * step,
            _ => f64::from(2 * k + 1) * step,
        };
        let of_level = (0..).map(|k| node(t(k)));
        let least = R::MIN_POSITIVE.to_f64();
        for (delta, weight) in of_level.take_while(|&(delta, _)| delta >= least) {
            nodes.extend([R::from_f64(delta), R::from_f64(weight)]);
        }
        begins.push((nodes.len() / 2) as u32);
    }
    (nodes, begins)
}

/// A node's distance from the end, 1 - tanh(pi / 2 sinh t), and its weight, tanh's
/// derivative: of t, from 0 on. Both halves of an interval have the one at 0.
fn node(t: f64) -> (f64, f64) {
    let power = (-2.0 * FRAC_PI_2 * t.sinh()).exp();
    let delta = 2.0 * power / (1.0 + power);
    let weight = FRAC_PI_2 * t.cosh() * delta * (2.0 - delta);
    (delta, if t == 0.0 { 0.5 * weight } else { weight })
}

#[cfg(test)]
mod tests {
    use super::{node, table};

    /// Expected: the definition in decimal arithmetic of 40 digits.
    #[test]
    fn nodes_are_those_of_the_definition() {
        assert_eq!(node(0.0), (1.0, std::f64::consts::FRAC_PI_4));
        for (t, delta, weight, error) in [
            (
                0.5,
                0.325_728_507_751_564_17,
                0.965_976_579_412_301_1,
                1e-15,
            ),
            (
                3.0,
                4.294_161_055_878_241e-14,
                1.358_178_427_453_909e-12,
                2e-14,
            ),
            (
                6.0,
                1.225_653_813_658_486_5e-275,
                7.767_070_688_633_406e-273,
                4e-13,
            ),
        ] {
            let found = node(t);
            assert!((found.0 - delta).abs() <= error * delta, "{t}: {found:?}");
            assert!((found.1 - weight).abs() <= error * weight, "{t}: {found:?}");
        }
    }

    #[test]
    fn weights_add_up_to_the_length_and_nodes_reach_the_least_number() {
        for (level, error) in [(2, 1e-14), (4, 3e-15)] {
            let (nodes, begins) = table::<f64>(level);
            assert_eq!(begins.len(), level as usize + 2);
            let step = 0.5_f64.powi(level as i32 + 1);
            let sum: f64 = nodes.chunks(2).map(|node| node[1]).sum();
            // Two ends, on an interval of length 2.
            assert!((2.0 * step * sum - 2.0).abs() <= error, "{level}: {sum}");
            let least = nodes.chunks(2).map(|node| node[0]).fold(1.0, f64::min);
            assert!((f64::MIN_POSITIVE..1e-270).contains(&least));
        }
        let (single, _) = table::<f32>(2);
        assert!(single.chunks(2).all(|node| node[0] >= f32::MIN_POSITIVE));
    }
}
