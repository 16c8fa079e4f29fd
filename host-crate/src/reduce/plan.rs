//! Reductions of arrays that are one piece.

use std::marker::PhantomData;

use quadscan_kernels::operator::Identity;
use quadscan_kernels::reduce::{HAS_INITIAL, ReduceKernel, ReduceKernels, WAITS, sizes};

use super::refuse;
use crate::Result;
use crate::device::{
    Buffer, LaunchConfig, LaunchShape, Module, Readable, View, ViewMut, Writable, arguments,
};

/// Where a range of one element holds.
const ONE: &str = "for a reduction";

/// A reduction by `O` of up to so many elements.
///
/// The result is the same bit for bit from run to run, wherever the array begins. What is
/// combined first depends on the number of elements (on the plan's capacity, where the
/// device counts them), and above 6 MB on the device's number of SMs; not on the
/// last where [`same_on_every_device`](Plan::same_on_every_device) asks for that.
#[derive(Debug)]
pub struct Plan<O: ReduceKernels> {
    module: Module,
    capacity: usize,
    /// Blocks of a launch of [`ReduceKernels::DEVICE`], at most,
    blocks: u32,
    /// and of [`ReduceKernels::ONE_WAVE`], whose parts do not depend on it.
    in_one_wave: u32,
    /// Warps of a block of [`ReduceKernels::ONE_WAVE`], and up to how many of such blocks
    /// may wait for each other.
    resident: [(u32, u32); 3],
    /// What blocks tell each other. Its first word counts the launches.
    scratch: Buffer<u64>,
    operator: PhantomData<O>,
}

impl<O: ReduceKernels> Plan<O> {
    /// A plan for up to `capacity` elements.
    ///
    /// # Errors
    ///
    /// [`Error::NoManifest`](crate::Error::NoManifest) and
    /// [`Error::UnknownKernel`](crate::Error::UnknownKernel) where `module` does not have the kernels,
    /// [`Error::SignatureMismatch`](crate::Error::SignatureMismatch) for one that was built from
    /// another source, [`Error::OutOfMemory`](crate::Error::OutOfMemory); the driver's.
    pub fn new(module: &Module, capacity: usize) -> Result<Self> {
        let blocks = super::default_blocks(module);
        Self::of_blocks(module, capacity, blocks, sizes::ONE_WAVE_BLOCKS)
    }

    /// The same plan, whose results have the same bits on every device: the parts of a
    /// large array are as many as suit an H200, on which nothing changes. A device with
    /// fewer SMs works them off in turns, and may be slower.
    ///
    /// # Errors
    ///
    /// As [`Plan::new`].
    pub fn same_on_every_device(self) -> Result<Self> {
        let (module, capacity) = (&self.module, self.capacity);
        let most = sizes::ONE_WAVE_BLOCKS;
        Self::of_blocks(module, capacity, sizes::BLOCKS_EVERYWHERE, most)
    }

    /// A plan of launches of up to `blocks` blocks, 1 to 4096: the more, the smaller the
    /// parts of a large array. With 128 and more the parts of arrays below 6 MB are those of
    /// every plan.
    ///
    /// # Errors
    ///
    /// As [`Plan::new`]; [`Error::OutOfRange`](crate::Error::OutOfRange).
    pub fn with_blocks(module: &Module, capacity: usize, blocks: u32) -> Result<Self> {
        refuse::blocks(blocks)?;
        Self::of_blocks(module, capacity, blocks, blocks.min(sizes::ONE_WAVE_BLOCKS))
    }

    fn of_blocks(module: &Module, capacity: usize, blocks: u32, in_one_wave: u32) -> Result<Self> {
        expect::<O>(module, &O::ONE_WAVE)?;
        expect::<O>(module, &O::DEVICE)?;
        let most = blocks_of(&O::DEVICE, capacity).min(blocks);
        let words = O::DEVICE.scratch_words(most.max(in_one_wave));
        Ok(Self {
            module: module.clone(),
            capacity,
            blocks,
            in_one_wave,
            resident: resident::<O>(module)?,
            scratch: module.device().alloc_zeroed(words as usize)?,
            operator: PhantomData,
        })
    }

    /// The most elements.
    pub fn capacity(&self) -> usize {
        self.capacity
    }

    /// Bytes of device memory that the plan holds.
    pub fn scratch_size(&self) -> usize {
        self.scratch.size()
    }

    /// Writes to `output`, which is one element, what all elements of `input` are
    /// together; the operator's neutral element when there are none. Asynchronous.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfRange`](crate::Error::OutOfRange) for more elements than the plan's capacity and for an output
    /// that is not one element, [`Error::ForeignBuffer`](crate::Error::ForeignBuffer) for memory of another device;
    /// the driver's.
    pub fn reduce<'a, 'b>(
        &mut self,
        input: impl Readable<'a, O::Input>,
        output: impl Writable<'b, O::Output>,
    ) -> Result<()>
    where
        O: Identity,
    {
        self.launch(&input.into(), &mut output.into(), O::IDENTITY, 0, None)
    }

    /// As [`Plan::reduce`], with `initial` before the first element: the result when
    /// there are none.
    ///
    /// # Errors
    ///
    /// As [`Plan::reduce`].
    pub fn reduce_with<'a, 'b>(
        &mut self,
        initial: O::Accumulator,
        input: impl Readable<'a, O::Input>,
        output: impl Writable<'b, O::Output>,
    ) -> Result<()> {
        let flags = HAS_INITIAL;
        self.launch(&input.into(), &mut output.into(), initial, flags, None)
    }

    /// As [`Plan::reduce_with`], of the first `count` elements of `input`, or of all when
    /// there are fewer; `count` is one number in the device's memory. An operator's
    /// neutral element is the `initial` that changes nothing.
    ///
    /// # Errors
    ///
    /// As [`Plan::reduce`]; [`Error::OutOfRange`](crate::Error::OutOfRange) for a count that is not one number.
    pub fn reduce_counted<'a, 'b, 'c>(
        &mut self,
        count: impl Readable<'c, u64>,
        initial: O::Accumulator,
        input: impl Readable<'a, O::Input>,
        output: impl Writable<'b, O::Output>,
    ) -> Result<()> {
        let count = count.into();
        refuse::outside("elements of the count", count.len(), 1..=1, ONE)?;
        let device = self.module.device();
        device.expect_own(count.device(), O::DEVICE.entry, "count")?;
        let (flags, count) = (HAS_INITIAL, Some(&count));
        self.launch(&input.into(), &mut output.into(), initial, flags, count)
    }

    fn launch(
        &mut self,
        input: &View<'_, O::Input>,
        output: &mut ViewMut<'_, O::Output>,
        initial: O::Accumulator,
        flags: u32,
        count: Option<&View<'_, u64>>,
    ) -> Result<()> {
        let (n, capacity) = (input.len(), 0..=self.capacity);
        refuse::outside("elements of the input", n, capacity, "for this plan")?;
        refuse::outside("elements of the output", output.len(), 1..=1, ONE)?;
        let device = self.module.device();
        for (argument, owner) in [("input", input.device()), ("output", output.device())] {
            device.expect_own(owner, O::DEVICE.entry, argument)?;
        }
        // Where the device counts, the plan's capacity says which kernel it is.
        let elements = count.map_or(input.len(), |_| self.capacity);
        let (kernel, shape) = self.shape(elements);
        let waits = kernel == O::ONE_WAVE && self.may_wait(&shape);
        let flags = if waits { flags | WAITS } else { flags };
        // SAFETY: the parameters are those of the kernels that the macro makes. Input and
        // output are borrowed, of this device, and cannot overlap; the scratch memory is
        // this plan's, which launches one after the other, and has room for the blocks.
        // Every thread waits for the launches before it before it reads or writes. Blocks
        // wait for each other only where all of them are resident.
        unsafe {
            let config = LaunchConfig::new(shape).programmatic();
            let config = if waits { config.cooperative() } else { config };
            self.module.launch_raw(
                kernel.entry,
                config,
                &arguments![
                    input.address(),
                    output.address(),
                    input.len() as u64,
                    count.map_or(0, View::address),
                    initial,
                    flags,
                    self.scratch.address(),
                    self.scratch.len() as u64,
                ],
            )
        }
    }

    /// The kernel for so many elements, and its blocks and threads.
    fn shape(&self, elements: usize) -> (ReduceKernel, LaunchShape) {
        let (wave, device) = (O::ONE_WAVE, O::DEVICE);
        let tiles = (elements as u64).div_ceil(wave.tile).max(1);
        let warps = sizes::warps(tiles);
        let blocks = tiles.div_ceil(u64::from(warps));
        if blocks <= u64::from(self.in_one_wave) {
            let threads = wave.threads() / wave.warps * warps;
            return (wave, LaunchShape::new(blocks as u32, threads));
        }
        let blocks = blocks_of(&device, elements).min(self.blocks);
        (device, LaunchShape::new(blocks, device.threads()))
    }

    /// Whether the blocks of such a launch are resident at once, if there are several.
    fn may_wait(&self, shape: &LaunchShape) -> bool {
        let warps = shape.block.x / (O::ONE_WAVE.threads() / O::ONE_WAVE.warps);
        let mut resident = self.resident.iter();
        let resident = resident.find(|(of, _)| *of == warps);
        resident.is_some_and(|&(_, blocks)| (2..=blocks).contains(&shape.grid.x))
    }
}

/// Err unless the module has the kernel with our parameters; loads its code.
pub(super) fn expect<O: ReduceKernels>(module: &Module, kernel: &ReduceKernel) -> Result<()> {
    let value = size_of::<O::Accumulator>() as u64;
    let parameters = [8, 8, 8, 8, value, 4, 8, 8];
    module.expect_parameters(kernel.module, kernel.entry, &parameters)?;
    module.prepare(&[kernel.entry])
}

/// The warps of a block that [`ReduceKernels::ONE_WAVE`] has where there are several, and
/// how many of such blocks are resident at once; none where a launch cannot ask for that.
fn resident<O: ReduceKernels>(module: &Module) -> Result<[(u32, u32); 3]> {
    let wave = O::ONE_WAVE;
    let mut resident = [8, 16, 32].map(|warps| (warps, 0));
    if module.device().properties().has_cooperative_launch {
        for (warps, blocks) in &mut resident {
            let threads = wave.threads() / wave.warps * *warps;
            *blocks = module.resident_blocks(wave.entry, threads, 0)?;
        }
    }
    Ok(resident)
}

/// Blocks of `kernel` of which every warp has a tile of `elements` elements, or but few
/// have none.
fn blocks_of(kernel: &ReduceKernel, elements: usize) -> u32 {
    let blocks = (elements as u64).div_ceil(kernel.block()).max(1);
    blocks.min(u64::from(sizes::MAX_BLOCKS)) as u32
}
