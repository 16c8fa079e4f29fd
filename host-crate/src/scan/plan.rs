//! What a program holds to scan: a plan, and its methods.

use std::fmt;
use std::marker::PhantomData;

use quadscan_kernels::operator::{Identity, Operator};
use quadscan_kernels::scan::{Algorithm, ScanKernels};

use super::launch::{self, Call, Kind, Prepared};
use super::methods::scans;
use super::options::Options;
use crate::device::{Module, Readable, View, ViewMut, Writable};
use crate::error::{Error, Result};

/// Scans by the operator `O` of up to a number of elements, with the scratch memory that
/// they need. What each method asks for is done in the order of the device's stream; none
/// waits for it, and none allocates on the device.
///
/// All of it can be recorded into a graph ([`Device::capture`]): a plan's memory stays as
/// long as the graph. Two scans of one plan never overlap: it belongs to one device, whose
/// work is done in order.
///
/// [`Device::capture`]: crate::device::Device::capture
///
/// The same elements cannot be read as one view and written as another:
///
/// ```compile_fail,E0502
/// # use quadscan::device::Buffer;
/// # use quadscan::scan::{Plan, Sum};
/// # fn scan(plan: &mut Plan<Sum<u32>>, mut data: Buffer<u32>) -> quadscan::Result<()> {
/// let mut output = data.slice_mut(1..)?;
/// plan.inclusive(&data, &mut output)
/// # }
/// ```
///
/// and elements of another type are not the operator's:
///
/// ```compile_fail,E0277
/// # use quadscan::device::Buffer;
/// # use quadscan::scan::{Plan, Sum};
/// # fn scan(plan: &mut Plan<Sum<u32>>, input: Buffer<u64>, mut output: Buffer<u32>) {
/// plan.inclusive(&input, &mut output);
/// # }
/// ```
pub struct Plan<O: ScanKernels> {
    pub(super) prepared: Prepared,
    operator: PhantomData<O>,
}

impl<O: ScanKernels> Plan<O> {
    /// A plan for up to `capacity` elements.
    ///
    /// # Errors
    ///
    /// [`Error::NoManifest`] and [`Error::UnknownKernel`] for a module without the
    /// operator's kernels, [`Error::SignatureMismatch`] for one that was built from another
    /// source, [`Error::Argument`] for a capacity that none of them has on this device,
    /// [`Error::OutOfMemory`].
    pub fn new(module: &Module, capacity: u64) -> Result<Self> {
        Self::with(module, capacity, Options::default())
    }

    /// A plan with options.
    ///
    /// # Errors
    ///
    /// As [`Plan::new`]; [`Error::Argument`] for an algorithm that this operator or this
    /// device does not have, and for no blocks.
    pub fn with(module: &Module, capacity: u64, options: Options) -> Result<Self> {
        let candidates = launch::candidates::<O>(module, capacity, &options)?;
        let words = options.scratch_len::<O>(capacity);
        let words = usize::try_from(words).map_err(|_| too_many(capacity))?;
        Ok(Self {
            prepared: Prepared {
                module: module.clone(),
                capacity,
                options,
                candidates,
                // Cleared once for all scans.
                scratch: module.device().alloc_zeroed(words)?,
            },
            operator: PhantomData,
        })
    }

    /// The most elements of a scan.
    pub fn capacity(&self) -> u64 {
        self.prepared.capacity
    }

    /// What was asked for.
    pub fn options(&self) -> Options {
        self.prepared.options
    }

    /// The scratch memory, so that tests can see to it that it is old.
    ///
    /// # Safety
    ///
    /// What is written are words that launches of this plan leave there: others may be
    /// waited for without end.
    #[doc(hidden)]
    pub unsafe fn scratch_mut(&mut self) -> ViewMut<'_, u64> {
        (&mut self.prepared.scratch).into()
    }

    /// The algorithm that scans `n` elements; `None` when there is none, as for more than the
    /// capacity.
    pub fn algorithm_for(&self, n: u64) -> Option<Algorithm> {
        let chosen = launch::choose::<O>(&self.prepared, n).ok()?;
        Some(chosen.kernel.algorithm)
    }

    /// The same scans of the first elements of an array, as many as the device knows:
    /// `count` holds a number, and is read when the scan is done, not before. Elements
    /// from there on are neither read nor written; a number larger than the input's length
    /// is taken for that. [`Error::Argument`] where the algorithm that was asked for is not
    /// [`Algorithm::is_countable`].
    ///
    /// ```
    /// # use quadscan::device::{Artifact, Device, DeviceChoice};
    /// # use quadscan::scan::{Plan, Sum};
    /// # fn main() -> quadscan::Result<()> {
    /// # let device = Device::open(DeviceChoice::Emulator { schedule: None })?;
    /// # let folder = std::env::var("QUADSCAN_ARTIFACT").expect("`cargo xtask test` sets it");
    /// # let module = device.load(&unsafe { Artifact::read(folder) }?)?;
    /// let mut data = device.upload(&[1u32, 1, 1, 7, 7])?;
    /// let count = device.upload(&[3u64])?;
    /// let mut plan = Plan::<Sum<u32>>::new(&module, 5)?;
    /// plan.counted(&count).inclusive_in_place(&mut data)?;
    /// assert_eq!(data.to_vec()?, [1, 2, 3, 7, 7]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn counted<'p>(&'p mut self, count: impl Readable<'p, u64>) -> Counted<'p, O> {
        Counted {
            plan: self,
            count: count.into(),
        }
    }

    /// Asks for a scan.
    fn ask(&mut self, call: Call<'_>, kind: Kind<O::Accumulator>) -> Result<()> {
        launch::run::<O>(&mut self.prepared, &call, kind)
    }
}

/// Scans of as many elements as the device knows: see [`Plan::counted`].
#[derive(Debug)]
pub struct Counted<'p, O: ScanKernels> {
    plan: &'p mut Plan<O>,
    count: View<'p, u64>,
}

impl<O: ScanKernels> Counted<'_, O> {
    fn ask(&mut self, call: Call<'_>, kind: Kind<O::Accumulator>) -> Result<()> {
        launch::run::<O>(&mut self.plan.prepared, &call.counted(self.count), kind)
    }
}

scans! { ScanKernels: Plan<O>, Counted<'_, O> }

impl<O: ScanKernels> fmt::Debug for Plan<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Plan")
            .field("operator", &std::any::type_name::<O>())
            .field("capacity", &self.prepared.capacity)
            .field("options", &self.prepared.options)
            .field("device", self.prepared.module.device())
            .finish_non_exhaustive()
    }
}

pub(super) fn too_many(capacity: u64) -> Error {
    Error::TooManyElements {
        elements: usize::try_from(capacity).unwrap_or(usize::MAX),
        size: size_of::<u64>(),
    }
}
