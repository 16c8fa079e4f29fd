//! Rank-1 lattices with random shifts, and Sobol points with random scrambling.

use std::marker::PhantomData;

use quadscan_kernels::monte_carlo::integrand::{IntegrandKernels, Kernels, Parameters};
use quadscan_kernels::monte_carlo::philox::{philox, round_keys};
use quadscan_kernels::monte_carlo::sizes::{
    DIRECTIONS, GROUP, MAX_DIMENSIONS, Points, Sums, THREADS,
};
use quadscan_kernels::monte_carlo::sobol::directions;

use super::statistics::least_sigma;
use super::{Estimate, SamplingStatus, Sorted, sorted, within};
use crate::Result;
use crate::device::{Buffer, LaunchConfig, LaunchShape, Module, arguments};
use crate::integrate::refuse;

/// There are 2 to this many points at first,
const FEWEST: u32 = 8;
/// and at most.
pub(super) const MOST: u32 = 24;
/// Groups of a replicate's points, at most.
const GROUPS: u32 = 1 << 10;

/// The generating vector of lattices of 2^8 to 2^24 points.
///
/// Made component by component, with fast Fourier transforms (Nuyens and Cools, Fast
/// component-by-component construction of rank-1 lattice rules with a non-prime number of points,
/// 2006), for the worst-case error in the Korobov space of smoothness 1 with product weights 1 / k^2
/// (kernel: product of 1 + 2 pi^2 B_2(x) / k^2). Of all odd numbers a component is the one whose
/// squared error, relative to the least, is least at the worst of these numbers of points (Cools, Kuo and
/// Nuyens, Constructing embedded lattice rules for multivariate integration, 2006): it is 2.85 times the least
/// or less.
#[rustfmt::skip]
pub(super) const GENERATOR: [u32; MAX_DIMENSIONS] = [
    1, 2_536_569, 7_377_037, 6_182_593, 891_485, 10_998_601, 9_198_697, 14_659_381,
    5_723_201, 4_866_181, 9_454_333, 15_492_185, 7_475_533, 11_179_037, 3_191_169, 16_244_821,
    5_060_333, 3_542_085, 2_126_573, 8_708_509, 9_541_161, 13_923_397, 4_032_817, 15_978_841,
    11_230_677, 15_085_649, 16_131_717, 5_656_469, 4_218_641, 10_268_845, 6_838_965, 6_014_001,
];

/// What is asked of an integral.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LatticeOptions {
    /// The absolute tolerance of the standard error; 0 or more.
    pub absolute: f64,
    /// The tolerance relative to the integral's magnitude; 0 or more. The larger of the two
    /// counts.
    pub relative: f64,
    /// The most points of a replicate, 256 to 2^24: rounded down to a power of two.
    pub points: u64,
    /// Lattices that differ in their random shifts, or Sobol's sequences in their scrambling, 4 to 256.
    pub replicates: u32,
    /// Chooses the shifts and the scrambling.
    pub seed: u64,
}

impl LatticeOptions {
    /// The fewest points of a replicate, and the most.
    pub const POINTS: [u64; 2] = [1 << FEWEST, 1 << MOST];
}

impl Default for LatticeOptions {
    /// A relative tolerance of 10^-6, 2^24 points, 16 replicates, the seed 0.
    fn default() -> Self {
        Self {
            absolute: 0.0,
            relative: 1e-6,
            points: 1 << MOST,
            replicates: 16,
            seed: 0,
        }
    }
}

/// What is asked of an integral by Sobol points: the same.
pub type SobolOptions = LatticeOptions;

/// Integrals of one smooth function of up to 32 variables, each over a box and to a tolerance: by rank-1
/// lattices, whose coordinates are folded. Several lattices with random shifts say what the standard
/// error is.
///
/// [`QuasiMonteCarlo`] has the methods and an example.
pub type Lattice = QuasiMonteCarlo<Rank1>;

/// Integrals by Sobol's sequence, scrambled by bits. Several scramblings say what the standard error is.
///
/// Beside [`Lattice`] they need less smoothness: in the first dimensions every box that halving makes has
/// as many points as its volume says.
pub type Sobol = QuasiMonteCarlo<Scrambled>;

/// What [`Lattice`] has for points.
#[derive(Clone, Copy, Debug)]
pub struct Rank1;

/// What [`Sobol`] has for points.
#[derive(Clone, Copy, Debug)]
pub struct Scrambled;

/// Which points a plan has: [`Rank1`] or [`Scrambled`].
pub trait PointSet: sealed::PointSet {}

impl PointSet for Rank1 {}
impl PointSet for Scrambled {}

mod sealed {
    pub trait PointSet: std::fmt::Debug + Send + Sync + 'static {
        const IS_SOBOL: bool;
    }

    impl PointSet for super::Rank1 {
        const IS_SOBOL: bool = false;
    }

    impl PointSet for super::Scrambled {
        const IS_SOBOL: bool = true;
    }
}

/// Integrals of one smooth function of up to 32 variables, each over a box and to a tolerance, by points
/// that are more even than random ones: [`Lattice`] and [`Sobol`]. Points are doubled until replicates
/// with other random numbers agree to the tolerance. `docs/monte-carlo.md` is the method.
///
/// An estimate has the same bits from run to run, on every device and for every number of threads.
///
/// ```no_run
/// use quadscan::device::{Artifact, Device, DeviceChoice};
/// use quadscan::integrate::{Lattice, LatticeOptions, SamplingStatus};
///
/// // In a crate of kernels, whose PTX the artifact has. An integrand of cubature is one of lattices too.
/// quadscan_kernels::cubature_integrands! {
///     plane_wave = PlaneWave {
///         formula: "cos(sum a_k x_k)",
///         at: |x, dimensions, a, u| cuda_std::GpuFloat::cos(
///             quadscan_kernels::cubature::integrand::sum(dimensions, |k| a[k] * x[k])
///         ),
///     }
/// }
/// quadscan_kernels::monte_carlo_kernels! { plane_wave = PlaneWave }
///
/// # fn main() -> quadscan::Result<()> {
/// let device = Device::open(DeviceChoice::Auto)?;
/// let module = device.load(&unsafe { Artifact::read("target/ptx") }?)?;
/// let mut plan = Lattice::of::<PlaneWave>(&module, LatticeOptions::default())?;
/// let of = plan.integrate(&[(0.0, 1.0); 10], &[[0.5; 32], [0.0; 32]])?;
/// assert_eq!(of.status, SamplingStatus::Converged);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct QuasiMonteCarlo<P> {
    module: Module,
    kernels: Kernels,
    options: LatticeOptions,
    shifts: Buffer<[u32; MAX_DIMENSIONS]>,
    sums: Buffer<Sums>,
    points: PhantomData<P>,
}

impl<P: PointSet> QuasiMonteCarlo<P> {
    /// A plan for integrals of `I`.
    ///
    /// # Errors
    ///
    /// As [`QuasiMonteCarlo::new`].
    pub fn of<I: IntegrandKernels>(module: &Module, options: LatticeOptions) -> Result<Self> {
        Self::new(module, I::KERNELS, options)
    }

    /// The same for an integrand that is known by its kernels, one of
    /// [`monte_carlo_kernels!`](quadscan_kernels::monte_carlo_kernels).
    ///
    /// # Errors
    ///
    /// [`Error::Argument`](crate::Error::Argument) for options that are not allowed,
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory); the driver's.
    pub fn new(module: &Module, kernels: Kernels, options: LatticeOptions) -> Result<Self> {
        refuse::tolerances(options.absolute, options.relative)?;
        within("points", options.points, LatticeOptions::POINTS)?;
        within("replicates", options.replicates, [4, 256])?;
        let device = module.device();
        let replicates = options.replicates as usize;
        let directions = if P::IS_SOBOL { DIRECTIONS } else { 0 };
        Ok(Self {
            module: module.clone(),
            kernels,
            options,
            shifts: device.alloc(replicates + directions)?,
            sums: device.alloc(replicates * GROUPS as usize)?,
            points: PhantomData,
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
    /// integrand's, and for NaN among the parameters;
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
        } = sorted(&self.kernels, limits, parameters)?;
        if limits.iter().any(|(from, to)| from == to) {
            return Ok(Estimate::NOTHING);
        }
        if !volume.is_normal() {
            return Ok(Estimate::not_finite(0, 0));
        }
        let options = self.options;
        let mut sums = vec![0.0; options.replicates as usize];
        let mut squares = 0.0;
        let mut estimate = Estimate::NOTHING;
        for bits in FEWEST..=options.points.ilog2() {
            // Those of before are among them.
            for (of, more) in sums.iter_mut().zip(self.more(&limits, parameters, bits)?) {
                *of += more.first;
                squares += more.second;
            }
            estimate = estimated(&sums, squares, volume, 1 << bits, &options);
            estimate.value *= sign;
            if matches!(
                estimate.status,
                SamplingStatus::Converged | SamplingStatus::NotFinite
            ) {
                break;
            }
        }
        Ok(estimate)
    }

    /// Sums of each replicate over the points that 2 to `bits` are and half as many are not.
    fn more(
        &mut self,
        limits: &[(f64, f64)],
        parameters: &Parameters,
        bits: u32,
    ) -> Result<Vec<Sums>> {
        let (options, is_first) = (self.options, bits == FEWEST);
        let keys = round_keys(options.seed);
        // From a point of the lattice to the next, and between the points of this launch.
        let step = |axis: usize| GENERATOR[axis] << (u32::BITS - bits);
        let between = |axis: usize| step(axis) << u32::from(!is_first);
        let shift = |replicate: u32| {
            std::array::from_fn(|axis| {
                let words = philox([replicate, axis as u32 / 4, 0, 0], &keys);
                let first = match is_first || P::IS_SOBOL {
                    true => 0,
                    false => step(axis),
                };
                words[axis % 4].wrapping_add(first)
            })
        };
        let mut shifts: Vec<_> = (0..options.replicates).map(shift).collect();
        if P::IS_SOBOL {
            shifts.extend(directions());
        }
        self.shifts.copy_from(&shifts)?;
        let all = 1 << (bits - u32::from(!is_first));
        let groups = GROUPS.min(all / GROUP);
        let of_axis = |axis: usize| limits.get(axis).copied().unwrap_or_default();
        let points = Points {
            from: std::array::from_fn(|axis| of_axis(axis).0),
            widths: std::array::from_fn(|axis| of_axis(axis).1 - of_axis(axis).0),
            steps: std::array::from_fn(between),
            dimensions: limits.len() as u32,
            replicates: options.replicates,
            groups,
            each: all / GROUP / groups,
            is_sobol: P::IS_SOBOL.into(),
            first: if is_first { 0 } else { all },
        };
        let (shifts, to) = (self.shifts.address(), self.sums.address());
        let request = arguments![points, shifts, *parameters, to];
        let blocks = (groups * options.replicates).div_ceil(THREADS / GROUP);
        let launch = LaunchConfig::new(LaunchShape::new(blocks, THREADS));
        // SAFETY: the parameters are those of the kernel that the macro makes. Memory is this plan's, of
        // its device, with room for the shifts and the groups of all replicates.
        unsafe {
            let entry = self.kernels.lattice();
            self.module.launch_raw(entry, launch, &request)?;
        }
        let count = (groups * options.replicates) as usize;
        let sums = self.sums.slice(..count)?.to_vec()?;
        let of_replicate = |sums: &[Sums]| Sums {
            first: sums.iter().map(|sums| sums.first).sum(),
            second: sums.iter().map(|sums| sums.second).sum(),
        };
        Ok(sums.chunks(groups as usize).map(of_replicate).collect())
    }
}

/// What sums of replicates say, each of so many points, and the sum of all squares.
pub(super) fn estimated(
    sums: &[f64],
    squares: f64,
    volume: f64,
    points: u64,
    options: &LatticeOptions,
) -> Estimate {
    let (count, scale) = (sums.len() as f64, volume / points as f64);
    let (replicates, evaluations) = (sums.len() as u32, points * sums.len() as u64);
    let mean = sums.iter().sum::<f64>() / count;
    // In units of the largest, of which the squares are numbers.
    let off = |of: &f64| (of - mean).abs();
    let largest = sums.iter().map(off).fold(0.0, f64::max);
    let square = |of: &f64| (off(of) / largest) * (off(of) / largest);
    let spread = match largest {
        0.0 => 0.0,
        _ => largest * (sums.iter().map(square).sum::<f64>() / (count * (count - 1.0))).sqrt(),
    };
    let least = least_sigma(mean / points as f64, squares / evaluations as f64);
    let is_nothing = squares == 0.0 && mean == 0.0 && largest == 0.0;
    let (value, sigma) = match is_nothing {
        true => (0.0, 0.0),
        // What underflows here is not 0.
        false => {
            let sigma = (spread * scale).max(least * volume);
            (mean * scale, sigma.max(f64::MIN_POSITIVE))
        }
    };
    if !(squares.is_finite() && value.is_finite() && sigma.is_finite()) {
        return Estimate::not_finite(evaluations, replicates);
    }
    let tolerance = options.absolute.max(options.relative * value.abs());
    Estimate {
        value,
        sigma,
        chi_square: 0.0,
        evaluations,
        iterations: replicates,
        status: match () {
            _ if is_nothing => SamplingStatus::Unseen,
            _ if sigma <= tolerance => SamplingStatus::Converged,
            _ => SamplingStatus::OutOfRoom,
        },
    }
}
