//! Launches of the scans of one block, plain and counted. The only file that names
//! them.

use cuda_std::launch::{Kernel, PointerMut, SafeLaunch, Slice};
use quadscan_kernels::scan::{blelloch, hillis_steele};

use crate::device::{Buffer, LaunchShape, Module};
use crate::error::Result;
use crate::oracle::scan::StepActivity;

/// What a counted scan gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The scanned elements.
    pub output: Vec<u32>,
    /// The work of each step.
    pub steps: Vec<StepActivity>,
}

/// The device's arrays for a counted scan.
struct Arrays {
    input: Buffer<u32>,
    output: Buffer<u32>,
    threads: Buffer<u32>,
    warps: Buffer<u32>,
}

impl Arrays {
    fn new(module: &Module, input: &[u32], steps: usize) -> Result<Self> {
        let device = module.device();
        Ok(Arrays {
            input: device.upload(input)?,
            output: device.alloc_zeroed(input.len())?,
            threads: device.alloc_zeroed(steps)?,
            warps: device.alloc_zeroed(steps)?,
        })
    }

    fn read(self) -> Result<Counted> {
        let output = self.output.to_vec()?;
        let threads = self.threads.to_vec()?;
        let warps = self.warps.to_vec()?;
        let steps = threads
            .into_iter()
            .zip(warps)
            .map(|(active_threads, active_warps)| StepActivity {
                active_threads,
                active_warps,
            })
            .collect();
        Ok(Counted { output, steps })
    }
}

/// The parameters of a scan that counts nothing: input and output.
type Plain = (Slice<u32>, PointerMut<u32>);

/// The parameters of a counted scan: input, output, threads and warps.
type Counting = (
    Slice<u32>,
    PointerMut<u32>,
    PointerMut<u32>,
    PointerMut<u32>,
);

fn plain<K>(module: &Module, kernel: K, input: &[u32], threads: u32) -> Result<Vec<u32>>
where
    K: SafeLaunch + Kernel<Formals = Plain>,
{
    let device = module.device();
    let source = device.upload(input)?;
    let mut output = device.alloc_zeroed(input.len())?;
    let shape = LaunchShape::new(1, threads);
    module.launch(kernel, shape, (&source, &mut output))?;
    output.to_vec()
}

fn counted<K>(
    module: &Module,
    kernel: K,
    input: &[u32],
    threads: u32,
    steps: usize,
) -> Result<Counted>
where
    K: SafeLaunch + Kernel<Formals = Counting>,
{
    let mut arrays = Arrays::new(module, input, steps)?;
    let shape = LaunchShape::new(1, threads);
    let Arrays {
        input,
        output,
        threads,
        warps,
    } = &mut arrays;
    module.launch(kernel, shape, (&*input, output, threads, warps))?;
    arrays.read()
}

/// The naive scan, inclusive, of up to 2048 elements. Err when there are more
/// elements, or from the device.
pub fn hillis_steele(module: &Module, input: &[u32]) -> Result<Vec<u32>> {
    let threads = hillis_steele::threads(input.len());
    let kernel = hillis_steele::hillis_steele_inclusive_u32;
    plain(module, kernel, input, threads)
}

/// The same, counted by the kernel.
pub fn hillis_steele_activity(module: &Module, input: &[u32]) -> Result<Counted> {
    let n = input.len();
    let kernel = hillis_steele::hillis_steele_inclusive_u32_counted;
    let (threads, steps) = (hillis_steele::threads(n), hillis_steele::steps(n));
    counted(module, kernel, input, threads, steps)
}

/// The work-efficient scan, exclusive; otherwise as [`hillis_steele()`].
pub fn blelloch(module: &Module, input: &[u32]) -> Result<Vec<u32>> {
    let threads = blelloch::threads(input.len());
    let kernel = blelloch::blelloch_exclusive_u32;
    plain(module, kernel, input, threads)
}

/// The same, counted by the kernel.
pub fn blelloch_activity(module: &Module, input: &[u32]) -> Result<Counted> {
    let n = input.len();
    let kernel = blelloch::blelloch_exclusive_u32_counted;
    let (threads, steps) = (blelloch::threads(n), blelloch::steps(n));
    counted(module, kernel, input, threads, steps)
}

/// As [`blelloch()`], with gaps in shared memory against bank conflicts.
pub fn blelloch_padded(module: &Module, input: &[u32]) -> Result<Vec<u32>> {
    let threads = blelloch::threads(input.len());
    let kernel = blelloch::blelloch_padded_exclusive_u32;
    plain(module, kernel, input, threads)
}

/// The same, counted by the kernel.
pub fn blelloch_padded_activity(module: &Module, input: &[u32]) -> Result<Counted> {
    let n = input.len();
    let kernel = blelloch::blelloch_padded_exclusive_u32_counted;
    let (threads, steps) = (blelloch::threads(n), blelloch::steps(n));
    counted(module, kernel, input, threads, steps)
}
