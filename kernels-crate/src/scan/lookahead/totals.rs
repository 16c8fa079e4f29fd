//! The totals of the groups of tiles, and nothing else: what other devices need of an array of
//! which each has a part, and what a reduction over all of them is combined from.
//!
//! The workers reduce their segments and scan none; the lookahead warps publish the aggregates of
//! all tiles, and combine those of a group as a scan does
//! ([`Look::combined`](crate::scan::status::Look::combined)).

use cuda_std::{thread, warp};

use super::block::Block;
use super::cursor::Cursor;
use super::dealt::OneDevice;
use super::prefixes::{Prefixes, Window};
use super::shared_at;
use crate::operator::Operator;
use crate::scan::lanes::{self, unspecified};
use crate::scan::scratch::GROUP;
use crate::scan::shape::TOTAL;
use crate::scan::status;

/// Writes the totals of the groups, one behind the other, in place of results.
///
/// # Safety
/// As for [`look_ahead`](super::look_ahead); the output has room for an accumulator a group.
#[inline(always)]
pub(super) unsafe fn write<O: Operator, const WORKERS: usize, const DELAY: usize>(
    block: &Block<O>,
) {
    let lane = warp::lane_id();
    let request = &block.request;
    let first = u64::from(thread::block_idx_x());
    // SAFETY: the caller's; a row of aggregates is written and read on different sides of a
    // barrier. Every tile is published whatever others do.
    unsafe {
        let tag = block.tag(lane);
        let (mut at, mut tile) = (Cursor::new(block.first), first);
        let (mut prefixes, mut window) =
            (Prefixes::<O, OneDevice>::new(request, tag), Window::none());
        let mut look_tile = first;
        for round in 0..block.own + DELAY as u32 {
            // Not what lies before a tile is asked for, but that it was read.
            if round >= DELAY as u32 {
                prefixes.find(window);
            }
            window = Window::none();
            if round + 1 >= DELAY as u32 && round + 1 < block.own + DELAY as u32 {
                window = prefixes.look(look_tile);
                look_tile += block.blocks;
            }
            thread::sync_threads_anywhere();
            if round < block.own {
                let workers = block.workers_of(&at);
                let mut aggregate = unspecified();
                if lane < workers {
                    let row = block.shape.aggregates_at(at.slot as usize);
                    aggregate = *shared_at(row + lane as usize * TOTAL);
                }
                let inclusive = lanes::scan_first::<O, WORKERS>(aggregate, workers);
                if lane + 1 == workers {
                    status::publish(request.scratch, tile, inclusive, tag);
                }
                block.advance(&mut at);
                tile += block.blocks;
            }
        }
        let groups = block.tiles.div_ceil(GROUP);
        let mut group = first;
        while group < groups {
            let count = (block.tiles - group * GROUP).min(GROUP) as u32;
            let total = status::gather::<O>(request.scratch, group, count, tag);
            if lane == 0 {
                *request.output.cast::<O::Accumulator>().add(group as usize) = total;
            }
            group += block.blocks;
        }
        status::clear_stale::<O::Accumulator>(request.scratch, request.words, block.tiles, tag);
    }
}
