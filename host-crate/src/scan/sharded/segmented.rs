//! Scans of the segments of an array of which several devices have a part each.

use std::fmt;

use bytemuck::Pod;
use quadscan_kernels::operator::Operator;
use quadscan_kernels::scan::segmented::{Flagged, Segmented};
use quadscan_kernels::scan::{Algorithm, SegmentedScanKernels};

use super::ShardedPlan;
use crate::device::{Devices, Layout, Module, Partition, ShardedBuffer};
use crate::error::Result;
use crate::scan::launch::Kind;
use crate::scan::options::Options;
use crate::scan::segmented::{SegmentedPlan, Segments};

/// Scans by the operator `O` of the segments of an array that is on several devices,
/// [contiguously](Layout::Contiguous). Segments may reach from one device to the next, and over
/// several.
///
/// Results have the bits of a [`SegmentedPlan`] with [`Algorithm::LookAhead`] on one device, for every
/// number of devices. The devices have compute capability 9.0 or higher. A scan waits for the totals of
/// the devices, and cannot be recorded into a graph.
///
/// ```
/// use quadscan::device::{Artifact, Devices};
/// use quadscan::scan::{ShardedSegmentedPlan, Sum};
///
/// # fn main() -> quadscan::Result<()> {
/// # /*
/// let devices = Devices::all()?;
/// let artifact = Artifact::embedded()?;
/// # */ let devices = Devices::emulated(2, None)?;
/// # let folder = std::env::var("QUADSCAN_ARTIFACT").expect("`cargo xtask test` sets it");
/// # let artifact = unsafe { Artifact::read(folder) }?;
/// let modules = devices.load(&artifact)?;
/// let mut plan = ShardedSegmentedPlan::<Sum<u32>>::new(&devices, &modules, 5)?;
/// let keys = devices.upload(plan.partition(), b"aabbb")?;
/// let mut data = devices.upload(plan.partition(), &[3u32, 1, 4, 1, 5])?;
/// plan.by_key(&keys).inclusive_in_place(&mut data)?;
/// assert_eq!(data.to_vec()?, [3, 4, 4, 5, 10]);
/// # Ok(())
/// # }
/// ```
///
/// [`Algorithm::LookAhead`]: quadscan_kernels::scan::Algorithm::LookAhead
pub struct ShardedSegmentedPlan<O: SegmentedScanKernels> {
    plan: ShardedPlan<Segmented<O>>,
    /// They find where segments begin.
    finders: Vec<SegmentedPlan<O>>,
}

impl<O: SegmentedScanKernels> ShardedSegmentedPlan<O> {
    /// A plan for arrays of `len` elements on these devices, of which `modules` are, in their order.
    ///
    /// # Errors
    ///
    /// As [`ShardedPlan::new`] and [`SegmentedPlan::new`].
    pub fn new(devices: &Devices, modules: &[Module], len: usize) -> Result<Self> {
        let plan = ShardedPlan::new(devices, modules, len, Layout::Contiguous)?;
        let options = Options {
            algorithm: Some(Algorithm::LookAhead),
            ..Options::default()
        };
        let finders = modules.iter().zip(&plan.parts);
        let finder = |(module, part): (&Module, &super::Part<_>)| {
            SegmentedPlan::with(module, part.len as u64, options)
        };
        let finders = finders.map(finder).collect::<Result<_>>()?;
        Ok(Self { plan, finders })
    }

    /// How the plan's arrays are distributed.
    pub fn partition(&self) -> &Partition {
        &self.plan.partition
    }

    /// Scans of neighbours with equal keys, as [`SegmentedPlan::by_key`]. There are as many keys as
    /// elements, distributed like them.
    pub fn by_key<'p, K: Pod>(
        &'p mut self,
        keys: &'p ShardedBuffer<K>,
    ) -> ShardedSegments<'p, O, K> {
        ShardedSegments {
            plan: self,
            of: keys,
            argument: "keys",
            goes_on: |key, before| bytemuck::bytes_of(&key) == bytemuck::bytes_of(&before),
            segments: |plan, keys| plan.by_key(keys),
        }
    }

    /// Scans of the segments that begin where a flag is not 0, as [`SegmentedPlan::by_flags`]. There are as
    /// many flags as elements, distributed like them.
    pub fn by_flags<'p>(&'p mut self, flags: &'p ShardedBuffer<u8>) -> ShardedSegments<'p, O, u8> {
        ShardedSegments {
            plan: self,
            of: flags,
            argument: "flags",
            goes_on: |flag, _| flag == 0,
            segments: |plan, flags| plan.by_flags(flags),
        }
    }
}

/// Scans in segments, which begin as keys or flags of type `K` say: see [`ShardedSegmentedPlan`].
///
/// Every scan may fail as those of [`ShardedPlan`].
pub struct ShardedSegments<'p, O: SegmentedScanKernels, K: Pod> {
    plan: &'p mut ShardedSegmentedPlan<O>,
    of: &'p ShardedBuffer<K>,
    argument: &'static str,
    /// Whether a segment goes on from one device to the next.
    goes_on: fn(K, K) -> bool,
    segments: fn(&'p mut SegmentedPlan<O>, &'p crate::device::Buffer<K>) -> Segments<'p, O>,
}

impl<O: SegmentedScanKernels, K: Pod> ShardedSegments<'_, O, K> {
    /// Result i combines the elements of its segment up to and with i.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn inclusive(
        self,
        input: &ShardedBuffer<O::Input>,
        output: &mut ShardedBuffer<O::Output>,
    ) -> Result<()> {
        self.scan(Kind::Inclusive(None), input, output)
    }

    /// Result i combines `initial` and the elements of its segment up to and with i.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn inclusive_with(
        self,
        initial: O::Accumulator,
        input: &ShardedBuffer<O::Input>,
        output: &mut ShardedBuffer<O::Output>,
    ) -> Result<()> {
        self.scan(Kind::Inclusive(Some(initial)), input, output)
    }

    /// Result i combines `initial` and the elements of its segment before i.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn exclusive_with(
        self,
        initial: O::Accumulator,
        input: &ShardedBuffer<O::Input>,
        output: &mut ShardedBuffer<O::Output>,
    ) -> Result<()> {
        self.scan(Kind::Exclusive(initial), input, output)
    }

    /// As `inclusive`, each result in the place of its element.
    ///
    /// # Errors
    ///
    /// As said above.
    pub fn inclusive_in_place<T: Pod>(self, data: &mut ShardedBuffer<T>) -> Result<()>
    where
        O: Operator<Input = T, Output = T>,
    {
        let places = self.plan.plan.places("data", data)?;
        self.run(Kind::Inclusive(None), &places, &places)
    }

    fn scan(
        self,
        kind: Kind<O::Accumulator>,
        input: &ShardedBuffer<O::Input>,
        output: &mut ShardedBuffer<O::Output>,
    ) -> Result<()> {
        let input = self.plan.plan.places("input", input)?;
        let output = self.plan.plan.places("output", output)?;
        self.run(kind, &input, &output)
    }

    fn run(self, kind: Kind<O::Accumulator>, input: &[u64], output: &[u64]) -> Result<()> {
        let ShardedSegmentedPlan { plan, finders } = self.plan;
        plan.places(self.argument, self.of)?;
        plan.expect_ready()?;
        let borders = self.of.borders(self.goes_on)?.into_iter();
        let shards = finders.iter_mut().zip(self.of.shards()).zip(borders);
        for (part, ((finder, shard), goes_on)) in plan.parts.iter_mut().zip(shards) {
            if part.len > 0 {
                let segments = (self.segments)(finder, shard);
                part.segment_flags = segments.find_alone(part.len as u64, goes_on)?;
            }
        }
        let kind = match kind {
            Kind::Inclusive(initial) => Kind::Inclusive(initial.map(Flagged::new)),
            Kind::Exclusive(initial) => Kind::Exclusive(Flagged::new(initial)),
        };
        plan.run(kind, input, output)
    }
}

impl<O: SegmentedScanKernels> fmt::Debug for ShardedSegmentedPlan<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.plan.fmt(f)
    }
}

impl<O: SegmentedScanKernels, K: Pod> fmt::Debug for ShardedSegments<'_, O, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardedSegments")
            .field("plan", &self.plan)
            .field("by", &self.argument)
            .finish_non_exhaustive()
    }
}
