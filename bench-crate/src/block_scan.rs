//! Launches of the scans of one block: plain, counted, and in batches. The only file
//! that names them.

use cuda_std::launch::{Kernel, PointerMut, SafeLaunch, Slice, Value};
use quadscan_kernels::block_scan::{blelloch, hillis_steele};
use serde::{Deserialize, Serialize};

use crate::oracle::block_scan::StepActivity;
use quadscan::Result;
use quadscan::device::{Buffer, LaunchShape, Module};

/// The scans of one block; two of them have published names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Algorithm {
    /// The kernel `hillis_steele`, inclusive.
    Naive,
    /// The kernel `blelloch`, exclusive.
    WorkEfficient,
    /// The kernel `blelloch_padded`, exclusive: the same without bank conflicts.
    WorkEfficientPadded,
    /// The kernel `hillis_steele_scattered`: the naive scan's work over all warps.
    NaiveScattered,
    /// The kernel `blelloch_scattered`: the work-efficient scan's over all warps.
    WorkEfficientScattered,
    /// The kernel `blelloch_padded_scattered`: the same without bank conflicts.
    WorkEfficientPaddedScattered,
}

impl Algorithm {
    /// All of them, in the order of rows.
    pub const ALL: [Algorithm; 6] = [
        Algorithm::Naive,
        Algorithm::WorkEfficient,
        Algorithm::WorkEfficientPadded,
        Algorithm::NaiveScattered,
        Algorithm::WorkEfficientScattered,
        Algorithm::WorkEfficientPaddedScattered,
    ];

    /// As it is printed, and published where it is.
    pub fn name(self) -> &'static str {
        match self {
            Algorithm::Naive => "naive",
            Algorithm::WorkEfficient => "work_efficient",
            Algorithm::WorkEfficientPadded => "work_efficient_padded",
            Algorithm::NaiveScattered => "naive_scattered",
            Algorithm::WorkEfficientScattered => "work_efficient_scattered",
            Algorithm::WorkEfficientPaddedScattered => "work_efficient_padded_scattered",
        }
    }

    /// The algorithm of a name.
    pub fn by_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|a| a.name() == name)
    }

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

/// Runs `$launch` with the kernel of the algorithm.
macro_rules! with_kernel {
    ($algorithm:expr, $launch:ident($($argument:expr),*), $naive:ident $efficient:ident
     $padded:ident $naive_scattered:ident $efficient_scattered:ident
     $padded_scattered:ident) => {
        match $algorithm {
            Algorithm::Naive => $launch(hillis_steele::$naive, $($argument),*),
            Algorithm::WorkEfficient => $launch(blelloch::$efficient, $($argument),*),
            Algorithm::WorkEfficientPadded => $launch(blelloch::$padded, $($argument),*),
            Algorithm::NaiveScattered => $launch(hillis_steele::$naive_scattered, $($argument),*),
            Algorithm::WorkEfficientScattered => {
                $launch(blelloch::$efficient_scattered, $($argument),*)
            }
            Algorithm::WorkEfficientPaddedScattered => {
                $launch(blelloch::$padded_scattered, $($argument),*)
            }
        }
    };
}

/// Scans `input` to `output` by one block. Asynchronous. Err when there are more than
/// 2048 elements, or fewer in `output`, or from the device.
pub fn launch(
    module: &Module,
    algorithm: Algorithm,
    input: &Buffer<u32>,
    output: &mut Buffer<u32>,
) -> Result<()> {
    fn start<K>(
        kernel: K,
        module: &Module,
        shape: LaunchShape,
        input: &Buffer<u32>,
        output: &mut Buffer<u32>,
    ) -> Result<()>
    where
        K: SafeLaunch + Kernel<Formals = (Slice<u32>, PointerMut<u32>)>,
    {
        module.launch(kernel, shape, (input, output))
    }
    let shape = LaunchShape::new(1, algorithm.threads(input.len()));
    with_kernel!(
        algorithm, start(module, shape, input, output),
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
    blocks: u32,
    elements: u32,
    input: &Buffer<u32>,
    output: &mut Buffer<u32>,
) -> Result<()> {
    fn start<K>(
        kernel: K,
        module: &Module,
        shape: LaunchShape,
        input: &Buffer<u32>,
        output: &mut Buffer<u32>,
        elements: u32,
    ) -> Result<()>
    where
        K: SafeLaunch + Kernel<Formals = (Slice<u32>, PointerMut<u32>, Value<u32>)>,
    {
        module.launch(kernel, shape, (input, output, elements))
    }
    let shape = LaunchShape::new(blocks, algorithm.threads(elements as usize));
    with_kernel!(
        algorithm, start(module, shape, input, output, elements),
        hillis_steele_batch_inclusive_u32 blelloch_batch_exclusive_u32
        blelloch_padded_batch_exclusive_u32
        hillis_steele_scattered_batch_inclusive_u32 blelloch_scattered_batch_exclusive_u32
        blelloch_padded_scattered_batch_exclusive_u32
    )
}

/// The scan of `input`, counted by the kernel.
pub fn counted(module: &Module, algorithm: Algorithm, input: &[u32]) -> Result<Counted> {
    with_kernel!(
        algorithm, run_counted(module, algorithm, input),
        hillis_steele_inclusive_u32_counted blelloch_exclusive_u32_counted
        blelloch_padded_exclusive_u32_counted
        hillis_steele_scattered_inclusive_u32_counted blelloch_scattered_exclusive_u32_counted
        blelloch_padded_scattered_exclusive_u32_counted
    )
}

/// The parameters of a counted scan: input, output, threads, warps and adds.
type Counting = (
    Slice<u32>,
    PointerMut<u32>,
    PointerMut<u32>,
    PointerMut<u32>,
    PointerMut<u32>,
);

fn run_counted<K>(
    kernel: K,
    module: &Module,
    algorithm: Algorithm,
    input: &[u32],
) -> Result<Counted>
where
    K: SafeLaunch + Kernel<Formals = Counting>,
{
    let device = module.device();
    let steps = algorithm.steps(input.len());
    let source = device.upload(input)?;
    let mut output = device.alloc_zeroed(input.len())?;
    let mut threads = device.alloc_zeroed::<u32>(steps)?;
    let mut warps = device.alloc_zeroed::<u32>(steps)?;
    let mut adds = device.alloc_zeroed::<u32>(steps)?;
    let shape = LaunchShape::new(1, algorithm.threads(input.len()));
    let arguments = (&source, &mut output, &mut threads, &mut warps, &mut adds);
    module.launch(kernel, shape, arguments)?;
    let counts = threads
        .to_vec()?
        .into_iter()
        .zip(warps.to_vec()?)
        .zip(adds.to_vec()?);
    let steps = counts
        .map(|((active_threads, active_warps), adds)| StepActivity {
            active_threads,
            active_warps,
            adds,
        })
        .collect();
    Ok(Counted {
        output: output.to_vec()?,
        steps,
    })
}
