//! From a scan that is asked for to its launch: the checks, the choice of a kernel, the
//! grid and the parameters. With [`textbook`], which has the algorithms of several
//! launches, the only file that knows the parameters of scans.

use bytemuck::Pod;
use quadscan_kernels::operator::Operator;
use quadscan_kernels::scan::{Algorithm, EXCLUSIVE, HAS_INITIAL, ScanKernel, ScanKernels};

use super::choice::{self, Candidate, Task};
use super::options::{Options, Reproducibility};
use super::textbook::{self, Scan, parameters};
use crate::device::{Buffer, Device, LaunchConfig, LaunchShape, Module, View, ViewMut};
use crate::error::{Error, Result};

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
    segments: InMemory,
}

/// Where segments begin, as kernels are told.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct InMemory {
    /// The address of the segment flags, a bit an element, or of offsets; null without segments.
    pub(super) address: u64,
    /// How many offsets, or the elements of a segment.
    pub(super) segments: u64,
    /// `OF_LENGTH`, `BY_OFFSETS`, `WIDE_OFFSETS`.
    pub(super) flags: u32,
}

impl<'a> Call<'a> {
    /// Err when there are fewer results than elements.
    pub(super) fn apart<I: Pod, R: Pod>(
        input: View<'a, I>,
        output: ViewMut<'a, R>,
    ) -> Result<Self> {
        if output.len() < input.len() {
            let (has, needed) = (output.len(), input.len());
            let problem = format!("has {has} elements, needed are the input's {needed}");
            return Err(Error::argument("output", problem));
        }
        let devices = [
            ("input", Some(input.device())),
            ("output", Some(output.device())),
        ];
        Ok(Self::new(
            input.len(),
            input.address(),
            output.address(),
            devices,
        ))
    }

    pub(super) fn in_place<T: Pod>(data: ViewMut<'a, T>) -> Self {
        let devices = [("data", Some(data.device())), ("data", None)];
        Self::new(data.len(), data.address(), data.address(), devices)
    }

    fn new(
        n: usize,
        input: u64,
        output: u64,
        [from, to]: [(&'static str, Option<&'a Device>); 2],
    ) -> Self {
        Self {
            n: n as u64,
            input,
            output,
            devices: [from, to, ("count", None)],
            count: None,
            segments: InMemory::default(),
        }
    }

    /// Of no more elements than `count` says.
    pub(super) fn counted(mut self, count: View<'a, u64>) -> Self {
        self.devices[2].1 = Some(count.device());
        self.count = Some((count.address(), count.len()));
        self
    }

    /// In segments.
    pub(super) fn segmented(mut self, segments: InMemory) -> Self {
        self.segments = segments;
        self
    }

    /// The scan of `n` of the elements alone, from `first` on, where they and results have these
    /// sizes in bytes.
    pub(super) fn part(&self, first: u64, n: u64, (element, result): (usize, usize)) -> Self {
        Self {
            n,
            input: self.input + first * element as u64,
            output: self.output + first * result as u64,
            ..*self
        }
    }

    /// Err when some of the memory is of another device than the module.
    pub(super) fn check_devices(&self, module: &Module) -> Result<()> {
        for (argument, owner) in self.devices {
            if let Some(owner) = owner {
                module.device().expect_own(owner, "scan", argument)?;
            }
        }
        Ok(())
    }

    /// How many elements there are at most.
    pub(super) fn n(&self) -> u64 {
        self.n
    }

    /// The address of their number on the device; null without one.
    pub(super) fn count(&self) -> u64 {
        self.count.map_or(0, |(address, _)| address)
    }
}

/// The operator's kernels that the module has and the device can run, ready to be
/// launched.
pub(super) fn candidates<O: ScanKernels>(
    module: &Module,
    capacity: u64,
    options: &Options,
) -> Result<Vec<Candidate>> {
    if options.max_blocks == Some(0) {
        return Err(Error::argument("max_blocks", "is 0, allowed are 1 or more"));
    }
    let mut candidates = Vec::new();
    let mut there = Vec::new();
    for kernel in O::KERNELS {
        let entries = textbook::entries::<O>(kernel);
        if !is_there(module, kernel, &entries)? {
            continue;
        }
        there.push(kernel.algorithm.name());
        if options.allow(kernel.algorithm) {
            candidates.push(candidate(module, kernel, &entries, options)?);
        }
    }
    if candidates.is_empty() {
        return Err(none_of::<O>(module, options, &there));
    }
    let most = candidates.iter().map(Candidate::capacity).max();
    match most {
        Some(most) if capacity > most => Err(Error::argument(
            "capacity",
            format!(
                "is {capacity}, allowed are up to {most} elements for this operator, device and algorithm"
            ),
        )),
        _ => Ok(candidates),
    }
}

/// Why there is no kernel, where the module has those of the algorithms `there`.
fn none_of<O: ScanKernels>(module: &Module, options: &Options, there: &[&str]) -> Error {
    match (options.algorithm, O::KERNELS.first()) {
        (Some(algorithm), Some(kernel)) if !there.is_empty() => Error::argument(
            "algorithm",
            format!(
                "is {algorithm}, allowed are {} for {} on {}",
                there.join(", "),
                kernel.operator,
                module.device().properties().name,
            ),
        ),
        (_, kernel) => kernel.map_or_else(
            || Error::unknown_kernel(""),
            |kernel| missing::<O>(module, kernel),
        ),
    }
}

/// Which entry of a kernel is not there.
fn missing<O: Operator>(module: &Module, kernel: &ScanKernel) -> Error {
    let expected = |(entry, bytes): (String, Vec<u64>)| {
        let expected = module.expect_parameters(kernel.module, &entry, &bytes);
        expected.err()
    };
    let mut entries = textbook::entries::<O>(kernel).into_iter();
    entries
        .find_map(expected)
        .unwrap_or_else(|| Error::unknown_kernel(kernel.entry))
}

/// A kernel that is there, with its code loaded.
fn candidate(
    module: &Module,
    kernel: &'static ScanKernel,
    entries: &[(String, Vec<u64>)],
    options: &Options,
) -> Result<Candidate> {
    for (entry, _) in entries {
        module.prepare(&[entry])?;
    }
    let resident = match kernel.algorithm.is_resident() {
        true => module.resident_blocks(kernel.entry, kernel.threads, kernel.shared_bytes)?,
        false => u32::MAX,
    };
    let blocks = resident.min(options.max_blocks.unwrap_or(u32::MAX));
    Ok(Candidate {
        kernel,
        blocks: blocks.into(),
    })
}

/// Whether the module has the kernels, of the operator's crate and with these parameters,
/// and the device the shared memory.
fn is_there(module: &Module, kernel: &ScanKernel, entries: &[(String, Vec<u64>)]) -> Result<bool> {
    for (entry, expected) in entries {
        match module.expect_parameters(kernel.module, entry, expected) {
            Err(Error::UnknownKernel { .. }) => return Ok(false),
            there => there?,
        }
    }
    let properties = module.device().properties();
    let shared = properties
        .max_shared_per_block_optin
        .max(properties.max_shared_per_block);
    Ok(kernel.shared_bytes <= shared)
}

/// What a plan has for its scans.
pub(super) struct Prepared {
    pub(super) module: Module,
    pub(super) capacity: u64,
    pub(super) options: Options,
    pub(super) candidates: Vec<Candidate>,
    pub(super) scratch: Buffer<u64>,
}

/// The kernel for `n` elements.
pub(super) fn choose<O: ScanKernels>(plan: &Prepared, n: u64) -> Result<&Candidate> {
    if n > plan.capacity {
        let problem = format!("has {n} elements, the plan is for up to {}", plan.capacity);
        return Err(Error::argument("input", problem));
    }
    let task = Task {
        n,
        element: size_of::<O::Input>() as u64,
        result: size_of::<O::Output>() as u64,
        compute_capability: plan.module.device().properties().compute_capability,
        reproducibility: match plan.options.algorithm {
            // There is nothing to choose.
            Some(_) => Reproducibility::RunToRun,
            None => plan.options.reproducibility,
        },
    };
    choice::choose(&plan.candidates, &task).ok_or_else(|| {
        let most = plan.candidates.iter().map(Candidate::capacity).max();
        let most = most.unwrap_or(0);
        let problem =
            format!("has {n} elements, this operator, device and algorithm allow up to {most}");
        Error::argument("input", problem)
    })
}

/// The kernel of a scan, once all is checked.
pub(super) fn checked<'p, O: ScanKernels>(
    plan: &'p Prepared,
    call: &Call<'_>,
) -> Result<&'p Candidate> {
    call.check_devices(&plan.module)?;
    if let Some((_, 0)) = call.count {
        return Err(Error::argument("count", "has 0 elements, needed is 1"));
    }
    let candidate = choose::<O>(plan, call.n)?;
    let kernel = candidate.kernel;
    if call.count.is_some() && !kernel.algorithm.is_countable() {
        let problem = format!(
            "is on the device, and the launches of {} depend on it: allowed are other algorithms",
            kernel.algorithm
        );
        return Err(Error::argument("count", problem));
    }
    Ok(candidate)
}

/// Asks for a scan.
pub(super) fn run<O: ScanKernels>(
    plan: &mut Prepared,
    call: &Call<'_>,
    kind: Kind<O::Accumulator>,
) -> Result<()> {
    let candidate = checked::<O>(plan, call)?;
    let kernel = candidate.kernel;
    if call.n == 0 {
        return Ok(());
    }
    let scan = Scan {
        scratch: plan.scratch.address(),
        words: plan.scratch.len() as u64,
        ..scan_of(&plan.module, kernel, call, kind)
    };
    // SAFETY: the entries are kernels of this operator (`ScanKernels`), whose parameters the
    // manifest has in this number and these sizes. Input and output hold `n` elements and are
    // borrowed, the latter exclusively, or are the same; `count` is null or an element. The
    // scratch memory is the plan's, which is borrowed exclusively, and has room for the
    // plan's capacity; segment flags are there if the operator has any (`segmented`). The grid is the
    // algorithm's. In a graph all of it stays, and is used in the stream's order.
    unsafe {
        match config(candidate, call.n, plan.module.device()) {
            Some(config) => {
                plan.module
                    .launch_raw(kernel.entry, config, &parameters(&scan)[..taken::<O>()])
            }
            None => scan.launch(),
        }
    }
}

/// A scan without scratch memory.
pub(super) fn scan_of<'m, A: Pod>(
    module: &'m Module,
    kernel: &'static ScanKernel,
    call: &Call<'_>,
    kind: Kind<A>,
) -> Scan<'m, A> {
    let (exclusive, initial) = match kind {
        Kind::Inclusive(initial) => (0, initial),
        Kind::Exclusive(initial) => (EXCLUSIVE, Some(initial)),
    };
    Scan {
        module,
        kernel,
        n: call.n,
        input: call.input,
        output: call.output,
        count: call.count(),
        flags: exclusive | initial.map_or(0, |_| HAS_INITIAL) | call.segments.flags,
        initial: initial.unwrap_or(bytemuck::Zeroable::zeroed()),
        scratch: 0,
        words: 0,
        segment_flags: call.segments.address,
        segments: call.segments.segments,
    }
}

/// How many of the [`parameters`] the operator's kernels take: those of segments, all.
pub(super) fn taken<O: Operator>() -> usize {
    match O::IS_SEGMENTED {
        true => 10,
        false => 8,
    }
}

/// The grid and the block of an algorithm of one launch.
fn config(candidate: &Candidate, n: u64, device: &Device) -> Option<LaunchConfig> {
    let kernel = candidate.kernel;
    let (blocks, threads) = match kernel.algorithm {
        Algorithm::OneBlock => {
            let warps = n.div_ceil(kernel.tile / u64::from(kernel.threads / WARP));
            (1, warps as u32 * WARP)
        }
        Algorithm::LookAhead => (kernel.tiles(n).min(candidate.blocks), kernel.threads),
        Algorithm::OneWaveSmall
        | Algorithm::OneWave
        | Algorithm::DecoupledLookbackFixed
        | Algorithm::DecoupledLookback => (kernel.tiles(n), kernel.threads),
        Algorithm::ReduceThenScan | Algorithm::HillisSteele | Algorithm::Blelloch => return None,
    };
    // No more than the device holds at once, or than a grid has, which are a `u32`.
    let shape = LaunchShape::new(blocks as u32, threads).with_shared(kernel.shared_bytes);
    let config = LaunchConfig::new(shape);
    let has_cooperative = device.properties().has_cooperative_launch;
    let config = match kernel.algorithm.is_resident() && blocks > 1 && has_cooperative {
        true => config.cooperative(),
        false => config,
    };
    // SAFETY: before it waits for earlier launches, a thread asks for lines into the L2 cache,
    // which is no access; and what they write is behind raw pointers.
    Some(unsafe { config.programmatic() })
}

/// Threads of a warp.
const WARP: u32 = 32;
