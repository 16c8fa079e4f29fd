//! Integrals over boxes of 2 to 10 dimensions, to a tolerance.

mod batch;
mod cuts;
mod decided;
mod formula;
mod launches;
#[cfg(test)]
#[path = "members_tests.rs"]
mod members;
#[cfg(test)]
#[path = "points_tests.rs"]
mod points;
mod rounds;
mod several;
mod table;
#[cfg(test)]
mod tests;
mod threads;

use cuda_std::launch::Actual;
use quadscan_kernels::cubature::adapt;
use quadscan_kernels::cubature::integrand::{IntegrandKernels, Kernels, Parameters};
use quadscan_kernels::cubature::region::{MAX_DIMENSIONS, MIN_DIMENSIONS, MIN_NODES, Region, SUMS};

use super::refuse;
use super::sorted::Sorted;
use crate::device::host::Staging;
use crate::device::{Buffer, HostBuffer, LaunchConfig, LaunchShape, Module};
use crate::{Error, Result};

/// Integrals whose parameters are on the device at a time.
const MAX_MEMBERS: usize = 1 << 20;

/// What there is room for at first.
const FEW: usize = 64;

/// What is asked of an integral.
#[derive(Clone, Copy, Debug)]
pub struct CubatureOptions {
    /// The absolute tolerance; 0 or more.
    pub absolute: f64,
    /// The tolerance relative to the integral's magnitude; 0 or more. The larger of the two
    /// counts.
    pub relative: f64,
    /// The most regions, 1 or more. The host keeps about a kilobyte of each.
    pub regions: usize,
    /// The most evaluations of the function in rules; no fewer than those of the first one, 5 to the
    /// power of the dimensions.
    pub evaluations: u64,
}

impl Default for CubatureOptions {
    /// A relative tolerance of 10^-6, 2^20 regions, 2^42 evaluations.
    fn default() -> Self {
        Self {
            absolute: 0.0,
            relative: 1e-6,
            regions: 1 << 20,
            evaluations: 1 << 42,
        }
    }
}

/// How an integral ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The error is within the tolerance.
    Converged,
    /// The allowed regions or evaluations were not enough, or regions are too small to be
    /// divided; value and error are those reached.
    OutOfRoom,
    /// The tolerance is less than the precision can give; value and error are those reached.
    Roundoff,
    /// The function is infinite or NaN somewhere, its sums overflow, or the volume of the box is no
    /// normal number: there is no value.
    NotFinite,
}

/// What came of an integral.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cubed {
    /// The integral; NaN where there is none.
    pub value: f64,
    /// What its error is at most, as far as the rules can tell.
    pub error: f64,
    /// Evaluations of the function in rules. On lines there are others: along each axis of a region that
    /// has n nodes there 33 (64 + n), besides those of plans, and 32 (32 + n) for each time that it is looked at
    /// again: its share of the box of 4 looks in two dimensions, 16 in three and 128 in more, and one at least.
    /// The plan of the whole box, and looks behind rounds of up to 256 regions, are made ahead, whether they are
    /// used or not.
    pub evaluations: u64,
    /// Regions at the end.
    pub regions: usize,
    /// Rounds of refinement.
    pub rounds: u32,
    /// How it ended.
    pub status: Status,
}

/// A region of an integral at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct CubedRegion {
    /// Its limits, the lower one first.
    pub limits: Vec<(f64, f64)>,
    /// Nodes of each axis.
    pub nodes: Vec<usize>,
    /// The integral over it, its limits in ascending order,
    pub value: f64,
    /// and what its error is at most.
    pub error: f64,
}

/// Integrals of one function of several variables, each over a box and to a tolerance: by products
/// of Gauss-Legendre rules, whose regions and whose nodes adapt, axis by axis. `docs/cubature.md` is the
/// method.
///
/// An outcome has the same bits from run to run and on every device.
///
/// ```no_run
/// use quadscan::device::{Artifact, Device, DeviceChoice};
/// use quadscan::integrate::{Cubature, CubatureOptions, Status};
///
/// // In a crate of kernels, whose PTX the artifact has.
/// use quadscan_kernels::cubature::integrand::sum;
/// quadscan_kernels::cubature_integrands! {
///     gaussian_peak = GaussianPeak {
///         formula: "exp(-sum a_k^2 (x_k - u_k)^2)",
///         at: |x, dimensions, a, u| cuda_std::GpuFloat::exp(-sum(dimensions, |k| {
///             let scaled = a[k] * (x[k] - u[k]);
///             scaled * scaled
///         })),
///     }
/// }
///
/// # fn main() -> quadscan::Result<()> {
/// let device = Device::open(DeviceChoice::Auto)?;
/// let module = device.load(&unsafe { Artifact::read("target/ptx") }?)?;
/// let options = CubatureOptions { relative: 1e-6, ..CubatureOptions::default() };
/// let mut plan = Cubature::of::<GaussianPeak>(&module, options)?;
///
/// // exp(-x^2 - y^2) from -5 to 5: parameters are a difficulty and a place of each axis.
/// let (mut a, u) = ([0.0; 10], [0.0; 10]);
/// a[..2].fill(1.0);
/// let of = plan.integrate(&[(-5.0, 5.0); 2], &[a, u])?;
/// assert_eq!(of.status, Status::Converged);
/// assert!((of.value - std::f64::consts::PI).abs() <= of.error);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Cubature {
    module: Module,
    kernels: Kernels,
    /// How many a formula has.
    variables: Option<usize>,
    options: CubatureOptions,
    table: Buffer<f64>,
    regions: Buffer<Region>,
    parameters: Buffer<Parameters>,
    partials: Buffer<f64>,
    sums: Buffer<f64>,
    /// Regions and parameters on their way to the device,
    regions_to: Staging<Region>,
    parameters_to: Staging<Parameters>,
    /// and sums that came from there.
    told: HostBuffer<f64>,
    /// Of integrals for which the device decides.
    places: Buffer<u64>,
    /// So many of them have places at a time, at most,
    most_places: u32,
    /// and so many are worth a device.
    members_of_a_device: u64,
    /// Whether each launch does a single thing, a warp a chunk.
    is_plain: bool,
    /// Of the same integrand, on other devices.
    others: Vec<Cubature>,
}

impl Cubature {
    /// A plan for integrals of `I`.
    ///
    /// # Errors
    ///
    /// As [`Cubature::new`].
    pub fn of<I: IntegrandKernels>(module: &Module, options: CubatureOptions) -> Result<Self> {
        Self::new(module, I::KERNELS, options)
    }

    /// The same for an integrand that is known by its kernels, one of
    /// a `CATALOGUE` that [`cubature_integrands!`](quadscan_kernels::cubature_integrands) makes.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for options that are not allowed, [`Error::OutOfMemory`]; the driver's.
    pub fn new(module: &Module, kernels: Kernels, options: CubatureOptions) -> Result<Self> {
        refuse::tolerances(options.absolute, options.relative)?;
        if options.regions == 0 {
            return Err(Error::argument("regions", "is 0, allowed are 1 and more"));
        }
        if options.evaluations == 0 {
            return Err(Error::argument(
                "evaluations",
                "is 0, allowed are 1 and more",
            ));
        }
        let device = module.device();
        Ok(Self {
            module: module.clone(),
            kernels,
            variables: None,
            options,
            table: device.upload(&table::nodes())?,
            regions: device.alloc(FEW)?,
            parameters: device.alloc(1)?,
            partials: device.alloc(FEW * SUMS)?,
            sums: device.alloc(FEW * SUMS)?,
            regions_to: Staging::new(device)?,
            parameters_to: Staging::new(device)?,
            told: device.alloc_host(0)?,
            places: device.alloc(0)?,
            most_places: decided::PLACES,
            members_of_a_device: several::MEMBERS,
            is_plain: false,
            others: Vec::new(),
        })
    }

    /// The same plan with so many places for members that the device decides for, 1 or more, and so many
    /// members, 1 or more, from which on a device takes part, for tests: outcomes are the same.
    #[doc(hidden)]
    pub fn with_places(self, places: u32, members_of_a_device: u64) -> Self {
        Self {
            most_places: places,
            members_of_a_device,
            ..self
        }
    }

    /// The same plan, which looks for nothing before it is asked, and in which each warp sums chunks of its own,
    /// for tests: outcomes are the same.
    #[doc(hidden)]
    pub fn plainly(self) -> Self {
        Self {
            is_plain: true,
            ..self
        }
    }

    /// The integrand.
    pub fn kernels(&self) -> &Kernels {
        &self.kernels
    }

    /// The integral over a box: a lower and an upper limit of each dimension, of which there are 2
    /// to 10. From a higher limit to a lower one it is taken backwards; between equal limits it
    /// is 0. Waits for the device.
    ///
    /// # Errors
    ///
    /// [`Error::Argument`] for limits that are not finite, or not as many, for NaN among the
    /// parameters, and where the first rule has more evaluations than are allowed; [`Error::UnknownKernel`] where the module does not have the kernels;
    /// [`Error::OutOfMemory`], [`Error::OutOfHostMemory`] for up to 50 MB that are page-locked; the driver's.
    pub fn integrate(&mut self, limits: &[(f64, f64)], parameters: &Parameters) -> Result<Cubed> {
        Ok(self.integrate_with_regions(limits, parameters)?.0)
    }

    /// The same, and the regions that the box was divided into: none of a box without a volume.
    ///
    /// # Errors
    ///
    /// As [`Cubature::integrate`].
    pub fn integrate_with_regions(
        &mut self,
        limits: &[(f64, f64)],
        parameters: &Parameters,
    ) -> Result<(Cubed, Vec<CubedRegion>)> {
        let mut regions = Vec::new();
        let parameters = std::slice::from_ref(parameters);
        let outcomes = self.all(limits, parameters, &mut |last| {
            regions = last
                .iter()
                .map(|region| rounds::cubed(region, limits.len()))
                .collect();
        })?;
        Ok((outcomes[0], regions))
    }

    /// The integrals over a box with each of these parameters, in the same launches: many small ones keep a
    /// device busy that one of them does not. An outcome has the bits that [`Cubature::integrate`] gives
    /// it; the allowed regions and evaluations are those of one integral. Where the module has the kernel of
    /// [`cubature_decisions!`](quadscan_kernels::cubature_decisions), the device decides for small ones of up to
    /// five dimensions.
    ///
    /// # Errors
    ///
    /// As [`Cubature::integrate`].
    pub fn integrate_each(
        &mut self,
        limits: &[(f64, f64)],
        parameters: &[Parameters],
    ) -> Result<Vec<Cubed>> {
        self.all(limits, parameters, &mut |_| ())
    }

    /// All of them; what sees the regions of each at its end.
    fn all(
        &mut self,
        limits: &[(f64, f64)],
        parameters: &[Parameters],
        see: &mut dyn FnMut(&[adapt::part::Region]),
    ) -> Result<Vec<Cubed>> {
        let dimensions = limits.len();
        if !(MIN_DIMENSIONS..=MAX_DIMENSIONS).contains(&dimensions) {
            let allowed = format!("allowed are {MIN_DIMENSIONS} to {MAX_DIMENSIONS}");
            let problem = format!("are {dimensions}, {allowed}");
            return Err(Error::argument("limits", problem));
        }
        if let Some(variables) = self.variables.filter(|&of| of != dimensions) {
            let problem = format!("are {dimensions}, the formula has {variables} variables");
            return Err(Error::argument("limits", problem));
        }
        let most = self.options.evaluations;
        let first = (MIN_NODES as u64).pow(dimensions as u32);
        if most < first {
            let problem = format!(
                "is {most}, allowed are {first} and more: the first rule of {dimensions} dimensions has so many"
            );
            return Err(Error::argument("evaluations", problem));
        }
        let Sorted {
            sign,
            limits: sorted,
            volume,
        } = Sorted::new(limits, parameters.as_flattened())?;
        let is_empty = sorted.iter().any(|(from, to)| from == to);
        if is_empty || !volume.is_normal() {
            let none = Cubed {
                value: if is_empty { 0.0 } else { f64::NAN },
                error: if is_empty { 0.0 } else { f64::INFINITY },
                evaluations: 0,
                regions: 0,
                rounds: 0,
                status: if is_empty {
                    Status::Converged
                } else {
                    Status::NotFinite
                },
            };
            return Ok(vec![none; parameters.len()]);
        }
        let mut outcomes = Vec::with_capacity(parameters.len());
        for parameters in parameters.chunks(MAX_MEMBERS) {
            outcomes.extend(self.on_all_devices(&sorted, parameters, see)?);
        }
        for of in &mut outcomes {
            of.value *= sign;
        }
        Ok(outcomes)
    }

    fn launch(&self, entry: &str, blocks: u32, threads: u32, of: &[Actual<'_>]) -> Result<()> {
        let config = LaunchConfig::new(LaunchShape::new(blocks, threads));
        // SAFETY: the parameters are those of the kernels that the macro makes. The table, the
        // regions, the partial sums and the results are this plan's, of this device, with room for
        // what `OnDevice` puts there, which launches one after the other; nobody else has them.
        unsafe { self.module.launch_raw(entry, config, of) }
    }
}
