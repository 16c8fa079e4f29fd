//! From a scan that is asked for to its launch: the checks, the choice of a kernel, the
//! grid and the parameters. The only file that knows the parameters of scans.

use bytemuck::{Pod, bytes_of};
use quadscan_kernels::scan::{Algorithm, EXCLUSIVE, HAS_INITIAL, ScanKernel, ScanKernels};

use super::choice::{self, Candidate, Task};
use super::plan::{Options, Plan, Reproducibility};
use crate::device::{Actual, Device, LaunchConfig, LaunchShape, Module, View, ViewMut};
use crate::error::{Error, Result};

/// An address that every kernel takes, in bytes that it is a multiple of.
pub(super) const ALIGNED: u64 = 16;

/// Which results are asked for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Kind<A> {
    Inclusive(Option<A>),
    Exclusive(A),
}

/// The memory of a scan: borrowed while it is asked for.
#[derive(Debug)]
pub(super) struct Call<'a> {
    n: u64,
    input: u64,
    output: u64,
    /// The device of input and output, and of the count.
    devices: [(&'static str, Option<&'a Device>); 3],
    count: Option<(u64, usize)>,
}

impl<'a> Call<'a> {
    /// Err when there are fewer results than elements.
    pub(super) fn apart<I: Pod, R: Pod>(
        input: View<'a, I>,
        output: ViewMut<'a, R>,
        count: Option<View<'a, u64>>,
    ) -> Result<Self> {
        if output.len() < input.len() {
            return Err(Error::Argument {
                argument: "output".to_owned(),
                problem: format!(
                    "has {} elements, needed are the input's {}",
                    output.len(),
                    input.len()
                ),
            });
        }
        Ok(Self {
            n: input.len() as u64,
            input: input.address(),
            output: output.address(),
            devices: [
                ("input", Some(input.device())),
                ("output", Some(output.device())),
                ("count", count.map(|count| count.device())),
            ],
            count: count.map(|count| (count.address(), count.len())),
        })
    }

    pub(super) fn in_place<T: Pod>(data: ViewMut<'a, T>, count: Option<View<'a, u64>>) -> Self {
        Self {
            n: data.len() as u64,
            input: data.address(),
            output: data.address(),
            devices: [
                ("data", Some(data.device())),
                ("data", None),
                ("count", count.map(|count| count.device())),
            ],
            count: count.map(|count| (count.address(), count.len())),
        }
    }
}

/// Err when memory is not of the module's device.
pub(super) fn expect_device(module: &Module, argument: &str, owner: &Device) -> Result<()> {
    if owner == module.device() {
        return Ok(());
    }
    Err(Error::ForeignBuffer {
        kernel: "scan".to_owned(),
        argument: argument.to_owned(),
        owner: owner.label(),
        device: module.device().label(),
    })
}

/// The operator's kernels that the module has and the device can run, ready to be
/// launched.
pub(super) fn candidates<O: ScanKernels>(
    module: &Module,
    capacity: u64,
    options: &Options,
) -> Result<Vec<Candidate>> {
    if options.max_blocks == Some(0) {
        return Err(argument("max_blocks", "is 0, allowed are 1 or more"));
    }
    let mut candidates = Vec::new();
    for kernel in O::KERNELS {
        let is_asked_for = options.algorithm.is_none_or(|a| a == kernel.algorithm);
        if is_asked_for && is_there::<O>(module, kernel)? {
            let (threads, shared) = (kernel.threads, kernel.shared_bytes);
            let resident = module.resident_blocks(kernel.entry, threads, shared)?;
            let blocks = resident.min(options.max_blocks.unwrap_or(u32::MAX));
            candidates.push(Candidate {
                kernel,
                blocks: blocks.into(),
            });
        }
    }
    if candidates.is_empty() {
        return Err(match (options.algorithm, O::KERNELS.first()) {
            (None, Some(kernel)) => Error::UnknownKernel {
                kernel: kernel.entry.to_owned(),
            },
            _ => argument("algorithm", "is not there for this operator on this device"),
        });
    }
    let most = candidates.iter().map(Candidate::capacity).max();
    match most {
        Some(most) if capacity > most => Err(argument(
            "capacity",
            &format!(
                "is {capacity}, allowed are up to {most} elements for this operator, device and algorithm"
            ),
        )),
        _ => Ok(candidates),
    }
}

/// Whether the module has the kernel, with this operator's parameters, and the device its
/// shared memory.
fn is_there<O: ScanKernels>(module: &Module, kernel: &ScanKernel) -> Result<bool> {
    let manifest = module.manifest().ok_or_else(|| Error::NoManifest {
        kernel: kernel.entry.to_owned(),
    })?;
    let properties = module.device().properties();
    let shared = properties
        .max_shared_per_block_optin
        .max(properties.max_shared_per_block);
    let Some(described) = manifest.kernel(kernel.entry) else {
        return Ok(false);
    };
    let found: Vec<u64> = described.ptx_parameters.iter().map(|p| p.bytes).collect();
    let initial = size_of::<O::Accumulator>() as u64;
    let expected = [8, 8, 8, 8, initial, 4, 8, 8];
    if found != expected {
        return Err(Error::SignatureMismatch {
            kernel: kernel.entry.to_owned(),
            expected: format!("bytes: {expected:?}"),
            found: format!("bytes: {found:?}"),
        });
    }
    Ok(kernel.shared_bytes <= shared)
}

/// The kernel for `n` elements at addresses that are multiples of `alignment`.
pub(super) fn choose<O: ScanKernels>(plan: &Plan<O>, n: u64, alignment: u64) -> Result<&Candidate> {
    if n > plan.capacity {
        let problem = format!("has {n} elements, the plan is for up to {}", plan.capacity);
        return Err(argument("input", &problem));
    }
    let task = Task {
        n,
        element: size_of::<O::Input>() as u64,
        alignment,
        compute_capability: plan.module.device().properties().compute_capability,
        reproducibility: match plan.options.algorithm {
            // There is nothing to choose.
            Some(_) => Reproducibility::RunToRun,
            None => plan.options.reproducibility,
        },
    };
    choice::choose(&plan.candidates, &task).ok_or_else(|| {
        let able = plan.candidates.iter();
        let able = able.filter(|c| alignment.is_multiple_of(c.kernel.alignment));
        let most = able.map(Candidate::capacity).max().unwrap_or(0);
        let problem = format!(
            "and output are at addresses that are multiples of {alignment} bytes; there this operator, device and algorithm allow up to {most} elements, and input has {n}"
        );
        argument("input", &problem)
    })
}

/// Asks for a scan.
pub(super) fn run<O: ScanKernels>(
    plan: &mut Plan<O>,
    call: &Call<'_>,
    kind: Kind<O::Accumulator>,
) -> Result<()> {
    for (argument, device) in call.devices {
        if let Some(device) = device {
            expect_device(&plan.module, argument, device)?;
        }
    }
    if let Some((_, 0)) = call.count {
        return Err(argument("count", "has 0 elements, needed is 1"));
    }
    // Of both addresses together.
    let alignment = 1 << (call.input | call.output | ALIGNED).trailing_zeros();
    let candidate = choose(plan, call.n, alignment)?;
    if call.n == 0 {
        return Ok(());
    }
    let config = config(candidate, call.n, plan.module.device());
    let (exclusive, initial) = match kind {
        Kind::Inclusive(initial) => (0, initial),
        Kind::Exclusive(initial) => (EXCLUSIVE, Some(initial)),
    };
    let flags = exclusive | initial.map_or(0, |_| HAS_INITIAL);
    let initial = initial.unwrap_or(bytemuck::Zeroable::zeroed());
    let count = call.count.map_or(0, |(address, _)| address);
    let (scratch, words) = (plan.scratch.address(), plan.scratch.len() as u64);
    let parameters = [
        bytes_of(&call.input),
        bytes_of(&call.output),
        bytes_of(&call.n),
        bytes_of(&count),
        bytes_of(&initial),
        bytes_of(&flags),
        bytes_of(&scratch),
        bytes_of(&words),
    ]
    .map(|bytes| Actual {
        bytes,
        elements: None,
    });
    // SAFETY: the entry is a kernel of this operator (`ScanKernels`), whose parameters the
    // manifest has in this number and these sizes. Input and output hold `n` elements and are
    // borrowed, the latter exclusively, or are the same; `count` is null or an element. The
    // scratch memory is the plan's, which is borrowed exclusively, and has room for the
    // tiles of its capacity. The grid is the algorithm's. In a graph all of it stays, and is
    // used in the stream's order.
    unsafe {
        plan.module
            .launch_raw(candidate.kernel.entry, config, &parameters)
    }
}

/// The grid and the block.
fn config(candidate: &Candidate, n: u64, device: &Device) -> LaunchConfig {
    let kernel = candidate.kernel;
    let (blocks, threads) = match kernel.algorithm {
        Algorithm::OneBlock => {
            let warps = n.div_ceil(kernel.tile / u64::from(kernel.threads / WARP));
            (1, warps as u32 * WARP)
        }
        Algorithm::OneWaveSmall | Algorithm::OneWave => (kernel.tiles(n), kernel.threads),
        Algorithm::LookAhead | Algorithm::LookAheadShifted => {
            (kernel.tiles(n).min(candidate.blocks), kernel.threads)
        }
    };
    // No more than the device holds at once, which are a `u32`.
    let shape = LaunchShape::new(blocks as u32, threads).with_shared(kernel.shared_bytes);
    let config = LaunchConfig::new(shape);
    let config = match blocks > 1 && device.properties().has_cooperative_launch {
        true => config.cooperative(),
        false => config,
    };
    // SAFETY: the first thing that every thread does is to wait for earlier launches, and
    // what they write is behind raw pointers.
    unsafe { config.programmatic() }
}

/// Threads of a warp.
const WARP: u32 = 32;

fn argument(argument: &str, problem: &str) -> Error {
    Error::Argument {
        argument: argument.to_owned(),
        problem: problem.to_owned(),
    }
}
