//! What reductions refuse before anything is launched.

use std::ops::RangeInclusive;

use quadscan_kernels::reduce::sizes;

use crate::{Error, Result};

/// A number that is not within a range.
pub(super) fn outside(
    what: &'static str,
    value: usize,
    allowed: RangeInclusive<usize>,
    scope: &str,
) -> Result<()> {
    let allowed = *allowed.start() as u64..=*allowed.end() as u64;
    Error::unless_within(what, value as u64, allowed, || scope.to_owned())
}

/// A number of blocks that a plan cannot have.
pub(super) fn blocks(blocks: u32) -> Result<()> {
    let allowed = 1..=sizes::MAX_BLOCKS as usize;
    outside("blocks", blocks as usize, allowed, "for a reduction")
}
