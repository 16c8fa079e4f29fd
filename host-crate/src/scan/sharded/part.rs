//! What a device has for its part of an array, its launches, and what parts are together.

use bytemuck::Zeroable;
use quadscan_kernels::operator::Operator;
use quadscan_kernels::scan::scratch::BEFORE;
use quadscan_kernels::scan::{Algorithm, EXCLUSIVE, ScanKernel, ScanKernels};

use crate::device::host::Mapped;
use crate::device::{Buffer, LaunchConfig, LaunchShape, Module, Partition};
use crate::error::{Error, Result};
use crate::scan::choice::Candidate;
use crate::scan::launch::{self, Kind};
use crate::scan::options::Options;
use crate::scan::textbook::{Scan, parameters};

/// What a device has for its part.
pub(super) struct Part<A: bytemuck::Pod> {
    pub(super) module: Module,
    pub(super) candidate: Candidate,
    /// Elements.
    pub(super) len: usize,
    pub(super) scratch: Buffer<u64>,
    /// Of the groups of tiles.
    pub(super) totals: Mapped<A>,
    /// Where the segment flags of the elements are; null without segments.
    pub(super) segment_flags: u64,
}

impl<A: bytemuck::Pod> Part<A> {
    pub(super) fn tiles(&self) -> u64 {
        self.candidate.kernel.tiles(self.len as u64)
    }

    /// A scan of the part.
    pub(super) fn scan(
        &self,
        input: u64,
        output: u64,
        flags: u32,
        initial: Option<A>,
    ) -> Scan<'_, A> {
        Scan {
            module: &self.module,
            kernel: self.candidate.kernel,
            n: self.len as u64,
            input,
            output,
            count: 0,
            flags,
            initial: initial.unwrap_or(Zeroable::zeroed()),
            scratch: self.scratch.address(),
            words: self.scratch.len() as u64,
            segment_flags: self.segment_flags,
        }
    }

    /// Puts what earlier devices have before the first element, for a scan of segments.
    pub(super) fn put_before(&mut self, before: A) -> Result<()> {
        let mut words = [0u64; 4];
        let bytes = bytemuck::bytes_of(&before);
        bytemuck::bytes_of_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
        let place = BEFORE..BEFORE + words.len();
        self.scratch.slice_mut(place)?.copy_from(&words)
    }

    pub(super) fn config(&self, blocks: u64) -> LaunchConfig {
        let kernel = self.candidate.kernel;
        let shape =
            LaunchShape::new(blocks as u32, kernel.threads).with_shared(kernel.shared_bytes);
        match blocks > 1 && self.module.device().properties().has_cooperative_launch {
            true => LaunchConfig::new(shape).cooperative(),
            false => shape.into(),
        }
    }

    /// # Safety
    ///
    /// The parameters are right for the kernel.
    pub(super) unsafe fn launch<O: Operator>(&self, scan: &Scan<'_, A>) -> Result<()> {
        let config = self.config(self.tiles().min(self.candidate.blocks).max(1));
        // SAFETY: the caller's.
        unsafe {
            let entry = scan.kernel.entry;
            self.module
                .launch_raw(entry, config, &parameters(scan)[..launch::taken::<O>()])
        }
    }
}

/// A device's part of the plan.
pub(super) fn part<O: ScanKernels>(
    module: &Module,
    partition: &Partition,
    number: usize,
) -> Result<Part<O::Accumulator>> {
    let options = Options {
        algorithm: Some(Algorithm::LookAhead),
        ..Options::default()
    };
    let all = partition.len() as u64;
    let mut candidates = launch::candidates::<O>(module, all, &options)?;
    let candidate = candidates.swap_remove(0);
    let len = partition.shard_len(number);
    let words = candidate.kernel.scratch_words(all) as usize;
    let device = module.device();
    Ok(Part {
        module: module.clone(),
        candidate,
        len,
        // Cleared once for all scans.
        scratch: device.alloc_zeroed(words)?,
        totals: Mapped::new(device, len.div_ceil(partition.granule()))?,
        segment_flags: 0,
    })
}

/// What scans on each device.
pub(super) fn kernel<O: ScanKernels>() -> Result<&'static ScanKernel> {
    let mut kernels = O::KERNELS.iter();
    let found = kernels.find(|kernel| kernel.algorithm == Algorithm::LookAhead);
    found.ok_or_else(|| Error::unknown_kernel("lookahead"))
}

/// The flags of a scan, but for its initial value, and that.
pub(super) fn flags_of<A>(kind: Kind<A>) -> (u32, Option<A>) {
    match kind {
        Kind::Inclusive(initial) => (0, initial),
        Kind::Exclusive(initial) => (EXCLUSIVE, Some(initial)),
    }
}

/// The groups behind what stands before them, in their order: as a device combines them.
pub(super) fn fold<O: Operator>(
    before: Option<O::Accumulator>,
    groups: &[O::Accumulator],
) -> Option<O::Accumulator> {
    groups.iter().fold(before, |before, &group| {
        Some(before.map_or(group, |before| O::combine(before, group)))
    })
}
