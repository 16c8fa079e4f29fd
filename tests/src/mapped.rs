//! Launches of the kernels that lay strips out in several ways, for the suites that
//! need them: conformance and fixtures.

use cuda_std::launch::{Kernel, PointerMut, SafeLaunch, Value};
use quadscan::Result;
use quadscan::device::{Buffer, Device, LaunchShape, Module};
use quadscan_bench::mapping::Mapping;

/// Written behind an output, and read with it.
pub const GUARD: usize = 4;

/// A launch's shape, and which strips its threads have.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// Strips of a thread.
    pub count: u32,
    /// From a block's first strip to the next block's.
    pub per_block: u32,
    /// From a thread's first strip to the next thread's.
    pub per_thread: u32,
    /// From a strip to the thread's next one.
    pub stride: f64,
    /// Width of a strip.
    pub step: f64,
}

impl Layout {
    /// A mapping, by the table of the kernels' module.
    pub fn new(mapping: Mapping, blocks: u32, threads: u32, count: u32) -> Self {
        let (per_block, per_thread, stride) = match mapping {
            Mapping::Contiguous => (threads * count, count, 1),
            Mapping::Strided => (threads, 1, blocks * threads),
            Mapping::BlockStrided => (threads * count, 1, threads),
        };
        Layout {
            blocks,
            threads,
            count,
            per_block,
            per_thread,
            stride: f64::from(stride),
            step: 1.0 / f64::from(blocks * threads * count),
        }
    }

    /// Every strip is the one at 0, as wide as 1: the sum of a thread is its number
    /// of strips, and sums of them are exact in every order.
    pub fn of_ones(blocks: u32, threads: u32, count: u32) -> Self {
        Layout {
            per_block: 0,
            per_thread: 0,
            stride: 0.0,
            step: 1.0,
            ..Layout::new(Mapping::Contiguous, blocks, threads, count)
        }
    }

    /// Threads in all.
    pub fn parts(&self) -> usize {
        (self.blocks * self.threads) as usize
    }

    fn shape(&self) -> LaunchShape {
        LaunchShape::new(self.blocks, self.threads)
    }
}

impl std::fmt::Display for Layout {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (blocks, threads, count) = (self.blocks, self.threads, self.count);
        let (per_block, per_thread) = (self.per_block, self.per_thread);
        let (stride, step) = (self.stride, self.step);
        write!(
            f,
            "{blocks}x{threads} of {count}, {per_block} a block, {per_thread} a thread, by \
             {stride}, {step:e}"
        )
    }
}

/// What the launches write to, with [`GUARD`] elements behind each.
pub struct Memory {
    /// One a thread.
    pub partials: Buffer<f64>,
    /// One a block.
    pub block_sums: Buffer<f64>,
    /// One.
    pub finished: Buffer<u32>,
    /// One.
    pub total: Buffer<f64>,
}

impl Memory {
    /// Zeros.
    ///
    /// # Errors
    ///
    /// The device's.
    pub fn new(device: &Device, layout: &Layout) -> Result<Self> {
        Ok(Memory {
            partials: device.alloc_zeroed(layout.parts() + GUARD)?,
            block_sums: device.alloc_zeroed(layout.blocks as usize + GUARD)?,
            finished: device.alloc_zeroed(1 + GUARD)?,
            total: device.alloc_zeroed(1 + GUARD)?,
        })
    }

    /// The bits of all of it.
    ///
    /// # Errors
    ///
    /// The device's.
    pub fn bytes(&self) -> Result<Vec<u8>> {
        let mut bytes = bytemuck::cast_slice(&self.partials.to_vec()?).to_vec();
        bytes.extend_from_slice(bytemuck::cast_slice(&self.block_sums.to_vec()?));
        bytes.extend_from_slice(bytemuck::cast_slice(&self.finished.to_vec()?));
        bytes.extend_from_slice(bytemuck::cast_slice(&self.total.to_vec()?));
        Ok(bytes)
    }
}

type Float = Value<f64>;
type Int = Value<u32>;
type Sums = PointerMut<f64>;

/// Launches a kernel that stores a sum a thread.
///
/// # Errors
///
/// The device's.
pub fn stored<K>(module: &Module, kernel: K, at: &Layout, memory: &mut Memory) -> Result<()>
where
    K: SafeLaunch + Kernel<Formals = (Sums, Int, Int, Int, Float, Float)>,
{
    let arguments = (
        &mut memory.partials,
        at.count,
        at.per_block,
        at.per_thread,
        at.stride,
        at.step,
    );
    module.launch(kernel, at.shape(), arguments)
}

/// Launches a kernel that adds the sums up itself.
///
/// # Errors
///
/// The device's.
pub fn same_launch<K>(module: &Module, kernel: K, at: &Layout, memory: &mut Memory) -> Result<()>
where
    K: SafeLaunch
        + Kernel<
            Formals = (
                Sums,
                Sums,
                PointerMut<u32>,
                Sums,
                Int,
                Int,
                Int,
                Float,
                Float,
            ),
        >,
{
    let arguments = (
        &mut memory.partials,
        &mut memory.block_sums,
        &mut memory.finished,
        &mut memory.total,
        at.count,
        at.per_block,
        at.per_thread,
        at.stride,
        at.step,
    );
    module.launch(kernel, at.shape(), arguments)
}

/// Launches a kernel whose threads add to the total.
///
/// # Errors
///
/// The device's.
pub fn atomics<K>(module: &Module, kernel: K, at: &Layout, memory: &mut Memory) -> Result<()>
where
    K: SafeLaunch + Kernel<Formals = (Sums, Sums, Int, Int, Int, Float, Float)>,
{
    let arguments = (
        &mut memory.partials,
        &mut memory.total,
        at.count,
        at.per_block,
        at.per_thread,
        at.stride,
        at.step,
    );
    module.launch(kernel, at.shape(), arguments)
}
