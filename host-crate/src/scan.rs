//! Launches of the counted scans of one block. The only file that names them.

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

/// The naive scan, inclusive, of up to 2048 elements, counted by the kernel. Err
/// when there are more elements, or from the device.
pub fn hillis_steele_activity(module: &Module, input: &[u32]) -> Result<Counted> {
    let mut arrays = Arrays::new(module, input, hillis_steele::steps(input.len()))?;
    let shape = LaunchShape::new(1, hillis_steele::threads(input.len()));
    let Arrays {
        input,
        output,
        threads,
        warps,
    } = &mut arrays;
    let kernel = hillis_steele::hillis_steele_inclusive_u32_counted;
    module.launch(kernel, shape, (&*input, output, threads, warps))?;
    arrays.read()
}

/// The work-efficient scan, exclusive; otherwise as [`hillis_steele_activity`].
pub fn blelloch_activity(module: &Module, input: &[u32]) -> Result<Counted> {
    let mut arrays = Arrays::new(module, input, blelloch::steps(input.len()))?;
    let shape = LaunchShape::new(1, blelloch::threads(input.len()));
    let Arrays {
        input,
        output,
        threads,
        warps,
    } = &mut arrays;
    let kernel = blelloch::blelloch_exclusive_u32_counted;
    module.launch(kernel, shape, (&*input, output, threads, warps))?;
    arrays.read()
}
