//! The selection from an array whose tiles are in registers at once: a tile a block, all blocks
//! resident.
//!
//! Every block counts what is chosen of its tile, publishes the number, and puts the chosen
//! elements one behind the other in shared memory; then its warps fetch the numbers of all tiles
//! before it, a group of [`GROUP`] each, and the block writes a contiguous part of the output. Elements that are
//! not chosen lie in shared memory behind the others, from the end on.
//!
//! Shared memory: a count a warp, one a group of tiles, the tag, and dynamically the tile.

use bytemuck::Pod;
use core::array::from_fn;
use cuda_std::{shared, shared_array, thread, warp};

use super::chosen::Chosen;
use super::predicate::{Counts, Predicate};
use super::request::Request;
use crate::LANES;
use crate::scan::lanes;
use crate::scan::rows::Read;
use crate::scan::scratch::GROUP;
use crate::scan::shape::{elements_of_block, elements_of_warp};
use crate::scan::status::{self, gather};

/// Selects as `request` says.
///
/// # Safety
/// A block of `W` warps for every tile, at least one, at most
/// [`max_blocks`](crate::scan::shape::Registers::max_blocks), all resident at once, with
/// [`tile_bytes`](super::sizes::tile_bytes) of dynamic shared memory; the input, flags that are asked for and the
/// output are the request's; the output overlaps neither; the scratch memory has room for the
/// tiles and is this launch's alone.
#[inline(always)]
pub unsafe fn select<
    P: Predicate,
    const W: usize,
    const R: usize,
    const E: usize,
    const VECTORS: usize,
    const RESULTS: usize,
>(
    request: Request<P>,
) {
    const { assert!(W <= LANES as usize, "a warp adds the warps' counts") };
    let counts = shared_array![u32; 32];
    let groups = shared_array![u32; 32];
    let shared_tag = shared_array![u32; 1];
    let (warp, lane) = (thread::thread_idx_x() / LANES, warp::lane_id());
    let block = u64::from(thread::block_idx_x());
    let tile = block * elements_of_block(W, R, E);
    let first = tile + u64::from(warp) * elements_of_warp(R, E);
    // SAFETY: the caller's; counts, groups, the tag and the tile are written on one side of a
    // barrier and read on the other.
    unsafe {
        // Load, and choose.
        request
            .scanned()
            .prefetch(first, elements_of_warp(R, E) as u32);
        let request = request.begin();
        let read = Read::<Counts<P>, R, E, VECTORS>::start(&request.scanned(), first);
        // While the elements are on their way.
        if warp == W as u32 - 1 && lane == 0 {
            *shared_tag = status::begin(request.scratch);
        }
        let chosen: [Chosen; R] = from_fn(|row| {
            let (items, begin, mine) = read.row(row);
            if request.is_by_flags() {
                Chosen::by_flags::<E>(request.flags.wrapping_add(begin as usize), mine)
            } else {
                let before = request.item_before(begin - u64::from(lane) * E as u64);
                Chosen::by_items::<P, VECTORS, E>(&request, items, begin, mine, before)
            }
        });
        // The places of the lane's rows in the warp.
        let mut of_warp = 0;
        let in_warp: [u32; R] = from_fn(|row| {
            let own = chosen[row].count();
            let inclusive = lanes::scan::<Counts<P>>(own, LANES);
            let place = of_warp + inclusive - own;
            of_warp += lanes::from_lane(inclusive, LANES - 1);
            place
        });
        if lane == 0 {
            *counts.add(warp as usize) = of_warp;
        }
        thread::sync_threads();

        // Publish.
        let tag = *shared_tag;
        let published = u64::from(thread::grid_dim_x()) - 1;
        let count = *counts.add((lane as usize).min(W - 1));
        let in_tile = lanes::scan_first::<Counts<P>, W>(count, W as u32);
        if warp == 0 && lane == W as u32 - 1 && block < published {
            status::publish(request.scratch, block, in_tile, tag);
        }
        let of_tile = lanes::from_lane(in_tile, W as u32 - 1);
        let below = lanes::from_lane(in_tile, warp) - of_warp;

        // Look: a group of tiles a warp.
        let group = u64::from(warp);
        let mut of_group = 0;
        if group * GROUP < block {
            let count = (block - group * GROUP).min(GROUP) as u32;
            of_group = gather::<Counts<P>>(request.scratch, group, count, tag);
        }
        if lane == 0 {
            *groups.add(warp as usize) = of_group;
        }

        // Compact.
        let all = request
            .n
            .saturating_sub(tile)
            .min(elements_of_block(W, R, E)) as u32;
        let buffer = shared::dynamic_shared_mem::<P::Item>();
        for row in 0..R {
            let (items, begin, mine) = read.row(row);
            let place = below + in_warp[row];
            chosen[row].put_items::<_, VECTORS, E>(items, buffer, place, 1);
            if request.is_partition() {
                let others = chosen[row].others().and(Chosen::first(mine));
                let earlier = ((begin - tile) as u32).min(all) - place;
                let last = all.wrapping_sub(1).wrapping_sub(earlier);
                others.put_items::<_, VECTORS, E>(items, buffer, last, u32::MAX);
            }
        }
        thread::sync_threads();

        // Store.
        if warp == 0 {
            status::clear_stale::<u32>(request.scratch, request.words, published, tag);
        }
        let mut before = 0;
        for group in 0..W {
            before += *groups.add(group);
        }
        copy_out(buffer, 0, request.place(before), of_tile);
        if request.is_partition() {
            let rest = all - of_tile;
            let to = request.place_of_rest(tile.min(request.n) - u64::from(before), rest);
            copy_out(buffer, of_tile, to, rest);
        }
        if block == published && thread::thread_idx_x() == 0 {
            request.tell(before + of_tile);
        }
    }
}

/// Writes `count` elements from element `first` of shared memory on to `to`, by all threads of the
/// block: words of 32 bits, of which those at the ends may be written in part.
///
/// # Safety
/// They are there and fit there; the block's shared memory begins with them, or with other elements.
#[inline(always)]
unsafe fn copy_out<T: Pod>(buffer: *const T, first: u32, to: *mut T, count: u32) {
    let (thread, threads) = (thread::thread_idx_x(), thread::block_dim_x());
    let size = size_of::<T>() as u32;
    let (begin, bytes) = (first * size, count * size);
    // SAFETY: the caller's.
    unsafe {
        if align_of::<T>() >= 4 {
            let from = buffer.wrapping_add(first as usize).cast::<u32>();
            let to = to.cast::<u32>();
            let mut word = thread;
            while word < bytes / 4 {
                *to.wrapping_add(word as usize) = *from.wrapping_add(word as usize);
                word += threads;
            }
            return;
        }
        // Byte i of the output's words is byte i - shift of the elements.
        let shift = (to.addr() % 4) as u32;
        let to = to.cast::<u8>().wrapping_sub(shift as usize);
        let bytes_from = buffer.cast::<u8>();
        let mut at = 4 * thread;
        while at < shift + bytes {
            // A word, or two whose ends are taken; all of their bytes are elements.
            let from = (begin + at).wrapping_sub(shift);
            if at >= shift && (from + 7) & !3 <= begin + bytes {
                let words = buffer.cast::<u32>().wrapping_add(from as usize / 4);
                let next = words.wrapping_add(usize::from(from % 4 != 0));
                let both = u64::from(*next) << 32 | u64::from(*words);
                *to.wrapping_add(at as usize).cast::<u32>() = (both >> (from % 4 * 8)) as u32;
            } else {
                for byte in at.max(shift)..(at + 4).min(shift + bytes) {
                    *to.wrapping_add(byte as usize) =
                        *bytes_from.wrapping_add((begin + byte - shift) as usize);
                }
            }
            at += 4 * threads;
        }
    }
}
