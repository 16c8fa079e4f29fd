//! Launches of the scans of one block: plain, counted, and in batches. The only file
//! that names them.

use quadscan_kernels::block_scan::{blelloch, hillis_steele};

use crate::named::named;
use crate::oracle::block_scan::StepActivity;
use quadscan::Result;
use quadscan::device::{Buffer, LaunchShape, Module};

named! {
    /// The scans of one block; two of them have published names.
    Algorithm {
        /// The kernel `hillis_steele`, inclusive.
        Naive = "naive",
        /// The kernel `blelloch`, exclusive.
        WorkEfficient = "work_efficient",
        /// The kernel `blelloch_padded`, exclusive: the same without bank conflicts.
        WorkEfficientPadded = "work_efficient_padded",
        /// The kernel `hillis_steele_scattered`: the naive scan's work over all warps.
        NaiveScattered = "naive_scattered",
        /// The kernel `blelloch_scattered`: the work-efficient scan's over all warps.
        WorkEfficientScattered = "work_efficient_scattered",
        /// The kernel `blelloch_padded_scattered`: the same without bank conflicts.
        WorkEfficientPaddedScattered = "work_efficient_padded_scattered",
    }
}

impl Algorithm {
    /// Whether element i of the result has element i of the input in it.
    pub fn is_inclusive(self) -> bool {
        matches!(self, Algorithm::Naive | Algorithm::NaiveScattered)
    }

    /// Whether its work is spread over all warps of the block.
    pub fn is_scattered(self) -> bool {
        self.packed() != self
    }

    /// Whether its array in shared memory has gaps.
    pub fn is_padded(self) -> bool {
        self.packed() == Algorithm::WorkEfficientPadded
    }

    /// The one that does the same work in few warps; itself when it is one.
    pub fn packed(self) -> Self {
        match self {
            Algorithm::NaiveScattered => Algorithm::Naive,
            Algorithm::WorkEfficientScattered => Algorithm::WorkEfficient,
            Algorithm::WorkEfficientPaddedScattered => Algorithm::WorkEfficientPadded,
            other => other,
        }
    }

    /// Threads of the block that scans `elements` elements.
    pub fn threads(self, elements: usize) -> u32 {
        match self {
            Algorithm::Naive => hillis_steele::threads(elements),
            Algorithm::NaiveScattered => hillis_steele::scattered_threads(elements),
            _ => blelloch::threads(elements),
        }
    }

    /// Its steps.
    pub fn steps(self, elements: usize) -> usize {
        if self.is_inclusive() {
            hillis_steele::steps(elements)
        } else {
            blelloch::steps(elements)
        }
    }
}

/// What a counted scan gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The scanned elements.
    pub output: Vec<u32>,
    /// The work of each step.
    pub steps: Vec<StepActivity>,
}

/// Launches the kernel of an algorithm, of these six.
macro_rules! launch {
    ($algorithm:expr, $module:expr, $shape:expr, $arguments:expr, $naive:ident $efficient:ident
     $padded:ident $naive_scattered:ident $efficient_scattered:ident
     $padded_scattered:ident) => {{
        let (module, shape) = ($module, $shape);
        match $algorithm {
            Algorithm::Naive => module.launch(hillis_steele::$naive, shape, $arguments),
            Algorithm::WorkEfficient => module.launch(blelloch::$efficient, shape, $arguments),
            Algorithm::WorkEfficientPadded => module.launch(blelloch::$padded, shape, $arguments),
            Algorithm::NaiveScattered => {
                module.launch(hillis_steele::$naive_scattered, shape, $arguments)
            }
            Algorithm::WorkEfficientScattered => {
                module.launch(blelloch::$efficient_scattered, shape, $arguments)
            }
            Algorithm::WorkEfficientPaddedScattered => {
                module.launch(blelloch::$padded_scattered, shape, $arguments)
            }
        }
    }};
}

/// Scans `input` to `output` by one block. Asynchronous. Err when there are more than
/// 2048 elements, or fewer in `output`, or from the device.
pub fn launch(
    module: &Module,
    algorithm: Algorithm,
    input: &Buffer<u32>,
    output: &mut Buffer<u32>,
) -> Result<()> {
    let shape = LaunchShape::new(1, algorithm.threads(input.len()));
    launch!(
        algorithm, module, shape, (input, output),
        hillis_steele_inclusive_u32 blelloch_exclusive_u32 blelloch_padded_exclusive_u32
        hillis_steele_scattered_inclusive_u32 blelloch_scattered_exclusive_u32
        blelloch_padded_scattered_exclusive_u32
    )
}

/// Scans `blocks` times `elements` elements, each by a block of its own; otherwise as
/// [`launch()`].
pub fn launch_batch(
    module: &Module,
    algorithm: Algorithm,
    (blocks, elements): (u32, u32),
    input: &Buffer<u32>,
    output: &mut Buffer<u32>,
) -> Result<()> {
    let shape = LaunchShape::new(blocks, algorithm.threads(elements as usize));
    launch!(
        algorithm, module, shape, (input, output, elements),
        hillis_steele_batch_inclusive_u32 blelloch_batch_exclusive_u32
        blelloch_padded_batch_exclusive_u32
        hillis_steele_scattered_batch_inclusive_u32 blelloch_scattered_batch_exclusive_u32
        blelloch_padded_scattered_batch_exclusive_u32
    )
}

/// The scan of `input`, counted by the kernel.
pub fn counted(module: &Module, algorithm: Algorithm, input: &[u32]) -> Result<Counted> {
    let device = module.device();
    let steps = algorithm.steps(input.len());
    let source = device.upload(input)?;
    let mut output = device.alloc_zeroed(input.len())?;
    let mut threads = device.alloc_zeroed::<u32>(steps)?;
    let mut warps = device.alloc_zeroed::<u32>(steps)?;
    let mut adds = device.alloc_zeroed::<u32>(steps)?;
    let shape = LaunchShape::new(1, algorithm.threads(input.len()));
    launch!(
        algorithm, module, shape, (&source, &mut output, &mut threads, &mut warps, &mut adds),
        hillis_steele_inclusive_u32_counted blelloch_exclusive_u32_counted
        blelloch_padded_exclusive_u32_counted
        hillis_steele_scattered_inclusive_u32_counted blelloch_scattered_exclusive_u32_counted
        blelloch_padded_scattered_exclusive_u32_counted
    )?;
    let counts = threads.to_vec()?.into_iter().zip(warps.to_vec()?);
    let steps = counts
        .zip(adds.to_vec()?)
        .map(|((active_threads, active_warps), adds)| StepActivity {
            active_threads,
            active_warps,
            adds,
        });
    Ok(Counted {
        steps: steps.collect(),
        output: output.to_vec()?,
    })
}
