//! The totals of the groups of tiles, and nothing else: what other devices need of an array of
//! which each has a part.
//!
//! The workers reduce their segments and scan none. The lookahead warps publish the aggregates of
//! all tiles and look ahead as in a scan, so that blocks stay together: when they drifted apart,
//! each where it liked, they read 4 % slower (H100, 2^30 and 2^31 `u32`). Then they combine the
//! tiles of a group as a scan does ([`Look::combined`](crate::scan::status::Look::combined)).

use cuda_std::{thread, warp};

use super::block::Block;
use super::dealt::Dealing;
use crate::operator::Operator;
use crate::scan::scratch::GROUP;

/// Writes the totals of the groups, one behind the other, in place of results.
///
/// # Safety
/// As for [`look_ahead`](super::look_ahead), behind its rounds; the output has room for an
/// accumulator a group.
#[inline(always)]
pub(super) unsafe fn write<O: Operator, D: Dealing>(block: &Block<O>, tag: u32) {
    let request = &block.request;
    let mut group = u64::from(thread::block_idx_x());
    while group < block.tiles.div_ceil(GROUP) {
        let count = (block.tiles - group * GROUP).min(GROUP) as u32;
        // SAFETY: the caller's. Every tile is published, whatever others do.
        unsafe {
            let total = D::gather::<O>(request.scratch, group, count, tag);
            if warp::lane_id() == 0 {
                *request.output.cast::<O::Accumulator>().add(group as usize) = total;
            }
        }
        group += block.blocks;
    }
}
