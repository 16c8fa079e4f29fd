//! VEGAS+.

use bytemuck::Zeroable;
use quadscan_kernels::monte_carlo::integrand::{IntegrandKernels, Kernels, Parameters};
use quadscan_kernels::monte_carlo::philox::round_keys;
use quadscan_kernels::monte_carlo::sizes::{
    BIN_BITS, BINS, Deal, EDGES, GROUP, MAX_STRATA_BITS, MEAN_COUNT, Sampling, Sums, THREADS,
    TOTALS, digits, shared_bytes,
};

use super::grid::Grid;
use super::statistics::{Iteration, together};
use super::{Estimate, SamplingStatus, Sorted, sorted, within};
use crate::Result;
use crate::device::{Buffer, LaunchConfig, LaunchShape, Module, arguments};
use crate::integrate::refuse;

/// The fewest evaluations of an iteration: a group of units of four samples,
const FEWEST: u64 = 4 * GROUP as u64;
/// and the most.
const MOST: u64 = 1 << 31;
/// Samples of a unit, and units from which on it has more samples.
const SAMPLES: [u64; 2] = [4, 64];
const UNITS: u64 = 1 << 20;
/// A stratum has so many units or more on average, of which one is its own.
const UNITS_OF_STRATUM: u32 = 4;
/// Iterations that count before there may be an end.
const LEAST: usize = 5;
/// Rounding of a mean, in units of the root of the mean square.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// What is asked of an integral.
#[derive(Clone, Copy, Debug)]
pub struct VegasOptions {
    /// The absolute tolerance of the standard error; 0 or more.
    pub absolute: f64,
    /// The tolerance relative to the integral's magnitude; 0 or more. The larger of the two
    /// counts.
    pub relative: f64,
    /// Evaluations of an iteration, 128 to 2^31; rounded down to whole groups of samples.
    pub evaluations: u64,
    /// The first iterations, 0 to 1000, which move the grid and do not count.
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

impl Default for VegasOptions {
    /// A relative tolerance of 10^-3, 2^22 evaluations an iteration, 10 to train and up to 20 that
    /// count, alpha 0.5 and beta 0.75 as in Lepage's program, the seed 0.
    fn default() -> Self {
        Self {
            absolute: 0.0,
            relative: 1e-3,
            evaluations: 1 << 22,
            training: 10,
            iterations: 20,
            alpha: 0.5,
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
    module: Module,
    kernels: Kernels,
    options: VegasOptions,
    edges: Buffer<f64>,
    histogram: Buffer<u64>,
    units: Buffer<Sums>,
    groups: Buffer<Sums>,
    /// Shares before each stratum, which a launch reads, and those that it writes.
    prefixes: [Buffer<f64>; 2],
    blocks: Buffer<f64>,
    totals: Buffer<[f64; TOTALS]>,
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
        within("evaluations", options.evaluations, [FEWEST, MOST])?;
        within("training", options.training, [0, 1000])?;
        within("iterations", options.iterations, [2, 1000])?;
        within("alpha", options.alpha, [0.0, 2.0])?;
        within("beta", options.beta, [0.0, 1.0])?;
        let device = module.device();
        let shape = Shape::new(options.evaluations, kernels.most);
        let (units, strata) = (shape.units as usize, 1 << shape.bits);
        let blocks = shape.blocks() as usize;
        Ok(Self {
            module: module.clone(),
            kernels,
            options,
            edges: device.alloc(kernels.most * EDGES)?,
            histogram: device.alloc(kernels.most * BINS)?,
            units: device.alloc(units)?,
            groups: device.alloc(units / GROUP as usize)?,
            prefixes: [device.alloc(strata)?, device.alloc(strata)?],
            blocks: device.alloc(blocks)?,
            totals: device.alloc(blocks)?,
        })
    }

    /// The integrand.
    pub fn kernels(&self) -> &Kernels {
        &self.kernels
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
        let Sorted { sign, limits } = sorted(&self.kernels, limits, parameters)?;
        if limits.iter().any(|(from, to)| from == to) {
            return Ok(Estimate::NOTHING);
        }
        let options = self.options;
        let shape = Shape::new(options.evaluations, limits.len());
        let mut run = Run::new(self, shape, Grid::even(&limits), parameters)?;
        let (mut square, mut counted, mut evaluations) = (0.0, Vec::new(), 0);
        let mut estimate = Estimate::NOTHING;
        for iteration in 0..options.training + options.iterations {
            let is_training = iteration < options.training;
            // What counts in the histogram is relative to the mean square, which the first iteration
            // is to tell.
            let is_refined = is_training && square > 0.0;
            let sums = run.iterate(iteration, if is_refined { square } else { 0.0 })?;
            evaluations += shape.evaluations();
            let count = counted.len() as u32;
            if !(sums.value.is_finite() && sums.variance.is_finite() && sums.square.is_finite()) {
                return Ok(Estimate::not_finite(evaluations, count));
            }
            square = sums.square;
            if is_refined {
                run.refine(options.alpha)?;
            }
            if is_training {
                continue;
            }
            let rounding = ROUNDING * square.sqrt();
            counted.push(Iteration {
                value: sums.value,
                sigma: sums.variance.sqrt().max(rounding),
            });
            let together = together(&counted);
            let tolerance = options
                .absolute
                .max(options.relative * together.value.abs());
            let is_last = iteration + 1 == options.training + options.iterations;
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
            let is_enough = counted.len() >= LEAST || is_last;
            if is_enough && estimate.status == SamplingStatus::Converged {
                break;
            }
        }
        Ok(estimate)
    }
}

/// How the evaluations of an iteration are divided.
#[derive(Clone, Copy)]
struct Shape {
    dimensions: u32,
    /// Samples of a unit,
    samples: u32,
    /// and units.
    units: u32,
    /// Strata are 2 to this.
    bits: u32,
}

impl Shape {
    fn new(evaluations: u64, dimensions: usize) -> Self {
        let many = (evaluations / UNITS).max(1).next_power_of_two();
        let samples = many.clamp(SAMPLES[0], SAMPLES[1]);
        let group = u64::from(GROUP);
        let units = (evaluations / samples / group * group) as u32;
        let bits = (units / UNITS_OF_STRATUM).ilog2();
        let dimensions = dimensions as u32;
        Self {
            dimensions,
            samples: samples as u32,
            units,
            bits: bits.min(MAX_STRATA_BITS).min(BIN_BITS * dimensions),
        }
    }

    fn evaluations(&self) -> u64 {
        u64::from(self.units) * u64::from(self.samples)
    }

    /// Blocks that add up strata.
    fn blocks(&self) -> u32 {
        (1_u32 << self.bits).div_ceil(THREADS)
    }
}

/// The sums of an iteration: integral, its variance, and the integral of the square.
struct IterationSums {
    value: f64,
    variance: f64,
    square: f64,
}

/// An integral on the device.
struct Run<'a> {
    plan: &'a mut Vegas,
    shape: Shape,
    grid: Grid,
    parameters: &'a Parameters,
    sampling: Sampling,
    deal: Deal,
    /// Blocks that sample.
    resident: u32,
}

impl<'a> Run<'a> {
    fn new(
        plan: &'a mut Vegas,
        shape: Shape,
        grid: Grid,
        parameters: &'a Parameters,
    ) -> Result<Self> {
        let entry = plan.kernels.sample();
        let shared = shared_bytes(shape.dimensions);
        let resident = plan.module.resident_blocks(entry, THREADS, shared)?;
        let sampling = Sampling {
            volume: (BINS as f64).powi(shape.dimensions as i32),
            dimensions: shape.dimensions,
            samples: shape.samples,
            keys: round_keys(plan.options.seed),
            digits: digits(shape.bits, shape.dimensions as usize),
            ..Sampling::zeroed()
        };
        let deal = Deal {
            factor: 0.0,
            bits: shape.bits,
            extra: shape.units - (1 << shape.bits),
        };
        let mut run = Self {
            plan,
            shape,
            grid,
            parameters,
            sampling,
            deal,
            resident: resident.max(1),
        };
        run.upload()?;
        Ok(run)
    }

    fn upload(&mut self) -> Result<()> {
        let edges = &self.grid.edges;
        self.plan.edges.slice_mut(..edges.len())?.copy_from(edges)
    }

    /// Samples and adds up; counts squares relative to their mean, where it is not 0. The next
    /// iteration's strata have samples by what this one saw.
    fn iterate(&mut self, iteration: u32, square: f64) -> Result<IterationSums> {
        let (shape, strata) = (self.shape, f64::from(1_u32 << self.shape.bits));
        let plan = &mut *self.plan;
        let mean_units = f64::from(shape.units) / strata;
        let scale = MEAN_COUNT * mean_units / square;
        let sampling = Sampling {
            iteration,
            scale: if square > 0.0 && scale.is_finite() {
                scale
            } else {
                0.0
            },
            ..self.sampling
        };
        if sampling.scale != 0.0 {
            plan.histogram.fill_bytes(0)?;
        }
        let (units, groups) = (plan.units.address(), plan.groups.address());
        let [prefixes, next] = [0, 1].map(|index| plan.prefixes[index].address());
        let (blocks, deal) = (plan.blocks.address(), self.deal);
        let (edges, histogram) = (plan.edges.address(), plan.histogram.address());
        let warps = THREADS / GROUP;
        let grid = (shape.units / GROUP).div_ceil(warps).min(self.resident);
        let launch = LaunchShape::new(grid, THREADS).with_shared(shared_bytes(shape.dimensions));
        let request = arguments![
            edges,
            histogram,
            units,
            groups,
            sampling,
            prefixes,
            blocks,
            deal,
            *self.parameters
        ];
        // SAFETY: the parameters are those of the kernels that the macro makes. Memory is this plan's,
        // of its device, with room for the units and strata of this shape and the dimensions of the
        // integrand, of which there are no more; launches are one after the other.
        unsafe {
            let entry = plan.kernels.sample();
            plan.module
                .launch_raw(entry, LaunchConfig::new(launch), &request)?;
            let (samples, beta, totals) = (shape.samples, plan.options.beta, plan.totals.address());
            let request = arguments![
                units, groups, samples, beta, prefixes, blocks, deal, next, totals
            ];
            let launch = LaunchConfig::new(LaunchShape::new(shape.blocks(), THREADS));
            plan.module
                .launch_raw(plan.kernels.strata(), launch, &request)?;
        }
        plan.prefixes.swap(0, 1);
        let totals = plan.totals.slice(..shape.blocks() as usize)?.to_vec()?;
        let (mut all, mut before) = ([0.0; TOTALS], Vec::with_capacity(totals.len()));
        for totals in &totals {
            before.push(all[TOTALS - 1]);
            for (all, total) in all.iter_mut().zip(totals) {
                *all += total;
            }
        }
        let [value, variance, square, shares] = all;
        plan.blocks.slice_mut(..before.len())?.copy_from(&before)?;
        let factor = f64::from(deal.extra) / shares;
        self.deal.factor = if factor.is_normal() { factor } else { 0.0 };
        Ok(IterationSums {
            value: value / strata,
            variance: variance / (strata * strata),
            square: square / strata,
        })
    }

    /// Moves the grid by what the last iteration counted.
    fn refine(&mut self, alpha: f64) -> Result<()> {
        let len = self.shape.dimensions as usize * BINS;
        let squares = self.plan.histogram.slice(..len)?.to_vec()?;
        self.grid.refine(&squares, alpha);
        self.upload()
    }
}
