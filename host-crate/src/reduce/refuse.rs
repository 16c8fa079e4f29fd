//! What reductions refuse before anything is launched.

use std::ops::RangeInclusive;

use quadscan_kernels::reduce::sizes;

use crate::device::{Device, Module};
use crate::{Error, Result};

/// A number that is not within a range.
pub(super) fn outside(
    what: &'static str,
    value: usize,
    allowed: RangeInclusive<usize>,
    scope: &str,
) -> Result<()> {
    if allowed.contains(&value) {
        return Ok(());
    }
    Err(Error::OutOfRange {
        what,
        value: value as u64,
        lowest: *allowed.start() as u64,
        highest: *allowed.end() as u64,
        scope: scope.to_owned(),
    })
}

/// A number of blocks that a plan cannot have.
pub(super) fn blocks(blocks: u32) -> Result<()> {
    let allowed = 1..=sizes::MAX_BLOCKS as usize;
    outside("blocks", blocks as usize, allowed, "for a reduction")
}

/// Memory of another device than the module's.
pub(super) fn foreign(module: &Module, entry: &str, argument: &str, owner: &Device) -> Result<()> {
    let device = module.device();
    if owner == device {
        return Ok(());
    }
    Err(Error::ForeignBuffer {
        kernel: entry.to_owned(),
        argument: argument.to_owned(),
        owner: owner.label(),
        device: device.label(),
    })
}
