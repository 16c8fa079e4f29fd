//! Reductions of many segments of one array.

use std::marker::PhantomData;

use quadscan_kernels::operator::Identity;
use quadscan_kernels::reduce::{EACH, HAS_INITIAL, OF_LENGTH, ReduceKernels, WIDE_OFFSETS, sizes};

use super::refuse;
use crate::Result;
use crate::device::{
    Buffer, Device, LaunchConfig, LaunchShape, Module, Readable, View, ViewMut, Writable, arguments,
};

/// Arrays of up to so many bytes, with no more elements a segment than [`EACH_LENGTH`], are reduced by
/// a group of lanes for each segment. Where all elements are one segment's, a block has them: in 17 us, of
/// which the even shares take 6 (2^16 elements of 4 bytes, an H200, 2026-11-27).
const EACH_BYTES: u64 = 1 << 18;
const EACH_LENGTH: u64 = 64;
/// Of segments that are known to be as long, so many times as many bytes.
const OF_LENGTH_TIMES: u64 = 64;

/// The most segments.
const MAX_SEGMENTS: usize = (u32::MAX - 4096) as usize;

/// Where segments begin and end: segment i has the elements from offset i to before
/// offset i + 1, so that there is one offset more than segments.
///
/// Offsets ascend, and the last is at most the number of elements. They are in the
/// device's memory and not looked at: with others the results are unspecified, and
/// elements and results that are not there are neither read nor written.
#[derive(Clone, Copy, Debug)]
pub enum Offsets<'a> {
    /// Of 32 bits.
    Narrow(View<'a, u32>),
    /// Of 64 bits.
    Wide(View<'a, u64>),
}

impl<'a> From<&'a Buffer<u32>> for Offsets<'a> {
    fn from(offsets: &'a Buffer<u32>) -> Self {
        Offsets::Narrow(offsets.as_view())
    }
}

impl<'a> From<&'a Buffer<u64>> for Offsets<'a> {
    fn from(offsets: &'a Buffer<u64>) -> Self {
        Offsets::Wide(offsets.as_view())
    }
}

impl<'a> From<View<'a, u32>> for Offsets<'a> {
    fn from(offsets: View<'a, u32>) -> Self {
        Offsets::Narrow(offsets)
    }
}

impl<'a> From<View<'a, u64>> for Offsets<'a> {
    fn from(offsets: View<'a, u64>) -> Self {
        Offsets::Wide(offsets)
    }
}

impl<'a> Offsets<'a> {
    /// Bytes of an offset.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Offsets::Narrow(_) => 4,
            Offsets::Wide(_) => 8,
        }
    }

    /// Address, how many, and the device.
    pub(crate) fn parts(&self) -> (u64, usize, &'a Device) {
        match self {
            Offsets::Narrow(view) => (view.address(), view.len(), view.device()),
            Offsets::Wide(view) => (view.address(), view.len(), view.device()),
        }
    }
}

/// A reduction by `O` of any number of segments, of any lengths: the work is shared by
/// elements, so that neither millions of short ones nor a long one among them cost more. In arrays of up
/// to 256 KB with 64 elements a segment or fewer, each has a group of lanes, which is faster, but where one
/// segment has most elements.
///
/// The results are the same bit for bit from run to run. What is combined first depends
/// on the offsets, on how many elements there are, and on the device's number of SMs; not on the last with
/// [`SegmentedPlan::with_blocks`]. Segments of one length may have other last bits by
/// [`reduce_by_length`](SegmentedPlan::reduce_by_length) than by their offsets.
///
/// ```
/// use quadscan::device::{Artifact, Device, DeviceChoice};
/// use quadscan::reduce::SegmentedPlan;
/// use quadscan_kernels::operator::Sum;
///
/// # fn main() -> quadscan::Result<()> {
/// let device = Device::open(DeviceChoice::Auto)?;
/// # /*
/// let module = device.load(&Artifact::embedded()?)?;
/// # */ let folder = std::env::var("QUADSCAN_ARTIFACT").expect("`cargo xtask test` sets it");
/// # let module = device.load(&unsafe { Artifact::read(folder) }?)?;
/// let numbers = device.upload(&[1.0f32, 2.0, 3.0, 4.0])?;
/// let offsets = device.upload(&[0u32, 1, 1, 4])?;
/// let mut sums = device.alloc(3)?;
///
/// let mut plan = SegmentedPlan::<Sum<f32>>::new(&module)?;
/// plan.reduce(&numbers, &offsets, &mut sums)?;
/// assert_eq!(sums.to_vec()?, [1.0, 0.0, 9.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SegmentedPlan<O: ReduceKernels> {
    module: Module,
    /// Blocks of the largest launch.
    blocks: u32,
    /// Bytes of the largest array that is reduced by groups of lanes.
    each_bytes: u64,
    /// The blocks' pieces; the first word is 0 between launches.
    scratch: Buffer<u64>,
    operator: PhantomData<O>,
}

impl<O: ReduceKernels> SegmentedPlan<O> {
    /// A plan for any number of elements and segments.
    ///
    /// # Errors
    ///
    /// [`Error::NoManifest`](crate::Error::NoManifest) and
    /// [`Error::UnknownKernel`](crate::Error::UnknownKernel) where `module` does not have the kernel,
    /// [`Error::SignatureMismatch`](crate::Error::SignatureMismatch) for one that was built from
    /// another source, [`Error::OutOfMemory`](crate::Error::OutOfMemory); the driver's.
    pub fn new(module: &Module) -> Result<Self> {
        Self::with_blocks(module, super::default_blocks(module))
    }

    /// A plan of launches of up to `blocks` blocks, 1 to 4096, where segments share elements: the more, the
    /// smaller the parts of a large array. With the same number the results are the same on every
    /// device.
    ///
    /// # Errors
    ///
    /// As [`SegmentedPlan::new`]; [`Error::OutOfRange`](crate::Error::OutOfRange).
    pub fn with_blocks(module: &Module, blocks: u32) -> Result<Self> {
        refuse::blocks(blocks)?;
        let value = size_of::<O::Accumulator>() as u64;
        let parameters = [8, 8, 8, 8, 4, value, 4, 8];
        let kernel = O::SEGMENTED;
        module.expect_parameters(kernel.module, kernel.entry, &parameters)?;
        module.prepare(&[kernel.entry])?;
        let words = sizes::segmented_words(blocks) as usize;
        Ok(Self {
            module: module.clone(),
            blocks,
            each_bytes: EACH_BYTES,
            scratch: module.device().alloc_zeroed(words)?,
            operator: PhantomData,
        })
    }

    /// The same plan, which deals elements to warps however few there are: for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn by_shares(mut self) -> Self {
        self.each_bytes = 0;
        self
    }

    /// Bytes of device memory that the plan holds.
    pub fn scratch_size(&self) -> usize {
        self.scratch.size()
    }

    /// Writes to element i of `output` what the elements of segment i are together; the
    /// operator's neutral element where there are none. Asynchronous.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`](crate::Error::OutOfRange) when there is no offset, when the output has not one element
    /// less than there are offsets, and for 2^32 - 4096 segments and more,
    /// [`Error::ForeignBuffer`](crate::Error::ForeignBuffer) for memory of another device; the driver's.
    pub fn reduce<'a, 'b, 'c>(
        &mut self,
        input: impl Readable<'a, O::Input>,
        offsets: impl Into<Offsets<'c>>,
        output: impl Writable<'b, O::Output>,
    ) -> Result<()>
    where
        O: Identity,
    {
        let (input, mut output) = (input.into(), output.into());
        let flags = self.check_offsets(&offsets.into(), &output)?;
        self.launch(&input, flags, &mut output, O::IDENTITY, 0)
    }

    /// Writes to element i of `output` what the elements from i times `length` on are together,
    /// `length` of them. Asynchronous.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`](crate::Error::OutOfRange) when the input has not `length` elements for each of
    /// the output, and otherwise as [`SegmentedPlan::reduce`].
    pub fn reduce_by_length<'a, 'b>(
        &mut self,
        length: usize,
        input: impl Readable<'a, O::Input>,
        output: impl Writable<'b, O::Output>,
    ) -> Result<()>
    where
        O: Identity,
    {
        let (input, mut output) = (input.into(), output.into());
        refuse::outside(
            "segments",
            output.len(),
            0..=MAX_SEGMENTS,
            "for a reduction",
        )?;
        let needed = output.len().saturating_mul(length);
        let scope = "for segments of this length";
        refuse::outside("elements of the input", input.len(), needed..=needed, scope)?;
        self.launch(&input, (0, OF_LENGTH), &mut output, O::IDENTITY, 0)
    }

    /// As [`SegmentedPlan::reduce`], with `initial` before the first element of every
    /// segment: the result of those without elements.
    ///
    /// # Errors
    ///
    /// As [`SegmentedPlan::reduce`].
    pub fn reduce_with<'a, 'b, 'c>(
        &mut self,
        initial: O::Accumulator,
        input: impl Readable<'a, O::Input>,
        offsets: impl Into<Offsets<'c>>,
        output: impl Writable<'b, O::Output>,
    ) -> Result<()> {
        let (input, mut output) = (input.into(), output.into());
        let offsets = self.check_offsets(&offsets.into(), &output)?;
        self.launch(&input, offsets, &mut output, initial, HAS_INITIAL)
    }

    /// The address of the offsets, and the flags that say what they are.
    fn check_offsets(
        &self,
        offsets: &Offsets<'_>,
        output: &ViewMut<'_, O::Output>,
    ) -> Result<(u64, u32)> {
        let (at, count, owner) = offsets.parts();
        refuse::outside("offsets", count, 1..=MAX_SEGMENTS + 1, "for segments")?;
        let segments = count - 1;
        let (results, allowed) = (output.len(), segments..=segments);
        let scope = "for these segments";
        refuse::outside("elements of the output", results, allowed, scope)?;
        let device = self.module.device();
        device.expect_own(owner, O::SEGMENTED.entry, "offsets")?;
        match offsets {
            Offsets::Narrow(_) => Ok((at, 0)),
            Offsets::Wide(_) => Ok((at, WIDE_OFFSETS)),
        }
    }

    /// Asks for a reduction of a segment for each element of the output, which begin where it is said.
    fn launch(
        &mut self,
        input: &View<'_, O::Input>,
        (offsets, said): (u64, u32),
        output: &mut ViewMut<'_, O::Output>,
        initial: O::Accumulator,
        flags: u32,
    ) -> Result<()> {
        let kernel = O::SEGMENTED;
        for (argument, owner) in [("input", input.device()), ("output", output.device())] {
            self.module
                .device()
                .expect_own(owner, kernel.entry, argument)?;
        }
        let (n, segments) = (input.len() as u64, output.len() as u32);
        let times = match said & OF_LENGTH {
            0 => 1,
            _ => OF_LENGTH_TIMES,
        };
        let is_each = segments > 0
            && n * size_of::<O::Input>() as u64 <= self.each_bytes * times
            && n <= EACH_LENGTH * u64::from(segments);
        let (flags, blocks) = if is_each {
            (flags | said | EACH, segments.div_ceil(sizes::SEGMENTS_EACH))
        } else {
            // Enough for the elements, and for the segments, of which some may have none.
            let work = n.max(u64::from(segments)).div_ceil(kernel.block()).max(1);
            (flags | said, work.min(u64::from(self.blocks)) as u32)
        };
        let shape = LaunchShape::new(blocks, kernel.threads());
        // SAFETY: the parameters are those of the kernel that the macro makes. Input,
        // offsets and output are borrowed, of this device, and the output overlaps
        // neither; the scratch memory is this plan's, which launches one after the other,
        // and has room for the blocks. Every thread waits for the launches before it
        // before it reads or writes. Whatever the offsets are, the kernel stays within
        // input and output.
        unsafe {
            let config = LaunchConfig::new(shape).programmatic();
            self.module.launch_raw(
                kernel.entry,
                config,
                &arguments![
                    input.address(),
                    output.address(),
                    n,
                    offsets,
                    segments,
                    initial,
                    flags,
                    self.scratch.address(),
                ],
            )
        }
    }
}
