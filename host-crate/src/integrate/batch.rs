//! How batches are launched, whatever the rule.

use bytemuck::bytes_of;
use cuda_std::launch::Actual;
use quadscan_kernels::LANES;
use quadscan_kernels::integrate::outcome::Outcome;
use quadscan_kernels::integrate::sizes::{MAX_WARPS, SCRATCH_WORDS, teams};

use super::items::Items;
use super::{Kernels, Real, refuse};
use crate::Result;
use crate::device::{Buffer, LaunchConfig, LaunchShape, Module, ViewMut};

/// What a plan has whatever the rule: the integrand, what is asked of all items, and the launch.
#[derive(Debug)]
pub(super) struct Batch<R: Real> {
    pub(super) module: Module,
    pub(super) kernels: Kernels<R>,
    absolute: R,
    relative: R,
    breaks: Buffer<R>,
    blocks: u32,
    /// Of a block.
    pub(super) warps: u32,
    scratch: Buffer<u64>,
}

impl<R: Real> Batch<R> {
    /// With launches of up to so many blocks, of so many warps.
    pub(super) fn new(
        module: &Module,
        kernels: Kernels<R>,
        (absolute, relative): (R, R),
        breaks: &[R],
        (blocks, warps): (u32, u32),
    ) -> Result<Self> {
        let device = module.device();
        Ok(Self {
            module: module.clone(),
            kernels,
            absolute,
            relative,
            breaks: device.upload(breaks)?,
            blocks,
            warps,
            scratch: device.alloc_zeroed(SCRATCH_WORDS)?,
        })
    }

    pub(super) fn with_shape(self, blocks: u32, warps: u32) -> Result<Self> {
        refuse::shape(blocks, warps, MAX_WARPS)?;
        Ok(Self {
            blocks,
            warps,
            ..self
        })
    }

    /// Launches `entry` with blocks of so many bytes of dynamic shared memory, and what its
    /// rule takes behind what all take.
    ///
    /// # Safety
    ///
    /// `of_rule` are the entry's last parameters, and what they point to is of this device, is
    /// kept until the launch has ended, and is written by nobody.
    pub(super) unsafe fn launch(
        &mut self,
        entry: &str,
        items: &Items<'_, R>,
        outcomes: &ViewMut<'_, Outcome<R>>,
        shared: u32,
        of_rule: &[&[u8]],
    ) -> Result<()> {
        let items = items.checked(&self.module, &self.kernels, entry, outcomes.len())?;
        refuse::foreign(&self.module, entry, "outcomes", outcomes.device())?;
        let n = outcomes.len() as u64;
        let (blocks, draw) = launch(n, self.blocks, self.warps);
        let break_count = self.breaks.len() as u32;
        let (breaks, output) = (self.breaks.address(), outcomes.address());
        let scratch = self.scratch.address();
        let arguments: [&[u8]; 13] = [
            bytes_of(&n),
            bytes_of(&items.from),
            bytes_of(&items.to),
            bytes_of(&items.limits),
            bytes_of(&items.of_items),
            bytes_of(&items.parameters),
            bytes_of(&breaks),
            bytes_of(&break_count),
            bytes_of(&self.absolute),
            bytes_of(&self.relative),
            bytes_of(&output),
            bytes_of(&draw),
            bytes_of(&scratch),
        ];
        let arguments = arguments.iter().chain(of_rule).map(|bytes| Actual {
            bytes,
            elements: None,
        });
        let arguments: Vec<Actual<'_>> = arguments.collect();
        let shape = LaunchShape::new(blocks, self.warps * LANES).with_shared(shared);
        // SAFETY: the parameters are those of the kernels that the macro makes, the last ones as
        // the caller says. What is read and written is borrowed, of this device, and has room
        // for all items; outcomes are borrowed alone. The scratch memory is this plan's, which
        // launches one after the other. Every thread waits for the launches before it before it
        // reads or writes.
        unsafe {
            let config = LaunchConfig::new(shape).programmatic();
            self.module.launch_raw(entry, config, &arguments)
        }
    }
}

/// As many blocks as the device holds at a time, and warps of each, of up to [`MAX_WARPS`] the
/// number with which it holds the most warps; `shared` is a block's dynamic shared memory in
/// bytes, of its warps.
///
/// # Errors
///
/// The device's, for a kernel that it does not have or that does not fit.
pub(super) fn shape(
    module: &Module,
    entry: &str,
    shared: impl Fn(u32) -> u32,
) -> Result<(u32, u32)> {
    let mut best = (0, 0);
    for warps in 1..=MAX_WARPS {
        // One that does not fit is refused.
        let resident = match module.resident_blocks(entry, warps * LANES, shared(warps)) {
            Ok(resident) => resident,
            Err(error) if best.0 == 0 => return Err(error),
            Err(_) => break,
        };
        if resident * warps > best.0 * best.1 {
            best = (resident, warps);
        }
    }
    let (blocks, warps) = best;
    Ok((blocks.max(1), warps.max(1)))
}

/// Blocks of a launch for `n` items, up to `most` of so many warps, and the items that a warp
/// draws at a time.
fn launch(n: u64, most: u32, warps: u32) -> (u32, u32) {
    let (of_warp, of_block) = (u64::from(teams(1)), u64::from(teams(warps)));
    // Every team has an item, or nearly so, before any has two.
    let all = u64::from(most) * of_block;
    let blocks = n.div_ceil(of_block).clamp(1, u64::from(most)) as u32;
    let draw = (n / all / 4 * of_warp).clamp(of_warp, 64);
    (blocks, draw as u32)
}
