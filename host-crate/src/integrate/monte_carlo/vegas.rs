//! VEGAS+.

use quadscan_kernels::monte_carlo::integrand::{IntegrandKernels, Kernels, Parameters};
use quadscan_kernels::monte_carlo::sizes::GROUP;

use super::samples::{Memory, Run, Shape};
use super::statistics::{Iteration, least_sigma, together};
use super::{Estimate, SamplingStatus, Sorted, sorted, within};
use crate::Result;
use crate::device::Module;
use crate::integrate::refuse;

/// Iterations that count before there may be an end.
const LEAST: u32 = 5;
/// Evaluations that take so much longer than a trip to the host that no more are launched before one.
const LONG: u64 = 1 << 26;

/// What is asked of an integral.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VegasOptions {
    /// The absolute tolerance of the standard error; 0 or more.
    pub absolute: f64,
    /// The tolerance relative to the integral's magnitude; 0 or more. The larger of the two
    /// counts.
    pub relative: f64,
    /// Evaluations of an iteration, 128 to 2^31; rounded down to whole groups of samples.
    pub evaluations: u64,
    /// The first iterations, 0 to 1000, which do not count; the first of them tells the mean square,
    /// the others move the grid.
    pub training: u32,
    /// The most iterations behind them, 2 to 1000, which count: as many as it takes, but no fewer
    /// than 5 where so many are allowed.
    pub iterations: u32,
    /// How fast the grid moves, 0 to 2.
    pub alpha: f64,
    /// A stratum has samples in proportion to the standard deviation of the function to this
    /// power, 0 to 1.
    pub beta: f64,
    /// Chooses the random numbers.
    pub seed: u64,
}

impl VegasOptions {
    /// The fewest evaluations of an iteration, and the most.
    pub const EVALUATIONS: [u64; 2] = [4 * GROUP as u64, 1 << 31];
}

impl Default for VegasOptions {
    /// A relative tolerance of 10^-3, 2^22 evaluations an iteration, 10 to train and up to 20 that
    /// count, alpha 1, beta 0.75, the seed 0.
    fn default() -> Self {
        Self {
            absolute: 0.0,
            relative: 1e-3,
            evaluations: 1 << 22,
            training: 10,
            iterations: 20,
            alpha: 1.0,
            beta: 0.75,
            seed: 0,
        }
    }
}

/// Integrals of one function of up to 32 variables, each over a box and to a tolerance: by VEGAS+, random points
/// whose density adapts, axis by axis and stratum by stratum. `docs/monte-carlo.md` is the method.
///
/// An estimate has the same bits from run to run, on every device and for every number of threads.
///
/// ```no_run
/// use quadscan::device::{Artifact, Device, DeviceChoice};
/// use quadscan::integrate::{SamplingStatus, Vegas, VegasOptions};
///
/// // In a crate of kernels, whose PTX the artifact has.
/// use quadscan_kernels::monte_carlo::integrand::{Integrand, Parameters, Point, sum};
/// struct Gaussian;
/// impl Integrand for Gaussian {
///     const MOST: usize = 16;
///
///     #[inline(always)]
///     fn at(x: &Point, dimensions: usize, _: &Parameters) -> f64 {
///         cuda_std::GpuFloat::exp(-sum(dimensions, |k| x[k] * x[k]))
///     }
/// }
/// quadscan_kernels::monte_carlo_kernels! { gaussian = Gaussian }
///
/// # fn main() -> quadscan::Result<()> {
/// let device = Device::open(DeviceChoice::Auto)?;
/// let module = device.load(&unsafe { Artifact::read("target/ptx") }?)?;
/// let options = VegasOptions { relative: 1e-4, ..VegasOptions::default() };
/// let mut plan = Vegas::of::<Gaussian>(&module, options)?;
/// let of = plan.integrate(&[(-5.0, 5.0); 16], &[[0.0; 32]; 2])?;
/// assert_eq!(of.status, SamplingStatus::Converged);
/// assert!((of.value - std::f64::consts::PI.powi(8)).abs() <= 5.0 * of.sigma);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Vegas {
    memory: Memory,
    options: VegasOptions,
}

impl Vegas {
    /// A plan for integrals of `I`.
    ///
    /// # Errors
    ///
    /// As [`Vegas::new`].
    pub fn of<I: IntegrandKernels>(module: &Module, options: VegasOptions) -> Result<Self> {
        Self::new(module, I::KERNELS, options)
    }

    /// The same for an integrand that is known by its kernels, one of
    /// [`monte_carlo_kernels!`](quadscan_kernels::monte_carlo_kernels).
    ///
    /// # Errors
    ///
    /// [`Error::Argument`](crate::Error::Argument) for options that are not allowed,
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory); the driver's.
    pub fn new(module: &Module, kernels: Kernels, options: VegasOptions) -> Result<Self> {
        refuse::tolerances(options.absolute, options.relative)?;
        within(
            "evaluations",
            options.evaluations,
            VegasOptions::EVALUATIONS,
        )?;
        within("training", options.training, [0, 1000])?;
        within("iterations", options.iterations, [2, 1000])?;
        within("alpha", options.alpha, [0.0, 2.0])?;
        within("beta", options.beta, [0.0, 1.0])?;
        Ok(Self {
            memory: Memory::new(
                module,
                kernels,
                options.evaluations,
                options.training + options.iterations,
            )?,
            options,
        })
    }

    /// The integrand.
    pub fn kernels(&self) -> &Kernels {
        &self.memory.kernels
    }

    /// The integral over a box: a lower and an upper limit of each dimension. From a higher limit to
    /// a lower one it is taken backwards; between equal limits it is 0. Waits for the device.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`](crate::Error::Argument) for limits that are not finite, or more than the
    /// integrand's, and for NaN among the parameters; [`Error::OutOfRange`](crate::Error::OutOfRange)
    /// where the device has not the shared memory for so many dimensions, 3 KB each;
    /// [`Error::UnknownKernel`](crate::Error::UnknownKernel) where the module does not have the
    /// kernels; the driver's.
    pub fn integrate(
        &mut self,
        limits: &[(f64, f64)],
        parameters: &Parameters,
    ) -> Result<Estimate> {
        let Sorted {
            sign,
            limits,
            volume,
        } = sorted(&self.memory.kernels, limits, parameters)?;
        if limits.iter().any(|(from, to)| from == to) {
            return Ok(Estimate::NOTHING);
        }
        if !volume.is_normal() {
            return Ok(Estimate::not_finite(0, 0));
        }
        let options = self.options;
        let shape = Shape::new(options.evaluations, limits.len());
        let powers = [options.alpha, options.beta];
        let mut run = Run::new(
            &mut self.memory,
            shape,
            &limits,
            parameters,
            (options.seed, powers),
        )?;
        let (training, all) = (options.training, options.training + options.iterations);
        let most = (LONG / shape.evaluations()).max(1) as u32;
        let (mut found, mut until) = (Vec::new(), training + LEAST);
        let (mut counted, mut evaluations) = (Vec::new(), 0);
        let mut estimate = Estimate::NOTHING;
        for iteration in 0..all {
            if iteration as usize == found.len() {
                let end = until.clamp(iteration + 1, all.min(iteration + most));
                found.extend(run.iterate(iteration..end, training)?);
            }
            let sums = &found[iteration as usize];
            evaluations += shape.evaluations();
            let count = counted.len() as u32;
            if !(sums.value.is_finite() && sums.variance.is_finite() && sums.square.is_finite()) {
                return Ok(Estimate::not_finite(evaluations, count));
            }
            if iteration < training {
                continue;
            }
            let least = least_sigma(sums.value, sums.square);
            counted.push(Iteration {
                value: sums.value,
                sigma: sums.variance.sqrt().max(least),
            });
            let together = together(&counted);
            let tolerance = options
                .absolute
                .max(options.relative * together.value.abs());
            estimate = Estimate {
                value: sign * together.value,
                sigma: together.sigma,
                chi_square: together.chi_square,
                evaluations,
                iterations: counted.len() as u32,
                status: match () {
                    _ if together.sigma == 0.0 && together.agree => SamplingStatus::Unseen,
                    _ if !together.agree => SamplingStatus::Disagree,
                    _ if together.sigma <= tolerance => SamplingStatus::Converged,
                    _ => SamplingStatus::OutOfRoom,
                },
            };
            let is_enough = estimate.iterations >= LEAST || iteration + 1 == all;
            if is_enough && estimate.status == SamplingStatus::Converged {
                break;
            }
            until = until.max(iteration + 1 + missing(&estimate, tolerance) / 2);
        }
        Ok(estimate)
    }
}

/// How many more iterations it takes until the standard error is within a tolerance, if theirs stay as they
/// are; 0 where nobody knows.
fn missing(of: &Estimate, tolerance: f64) -> u32 {
    let square = (of.sigma / tolerance) * (of.sigma / tolerance);
    // What is no number is 0.
    (f64::from(of.iterations) * (square - 1.0)) as u32
}
