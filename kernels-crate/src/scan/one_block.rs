//! The scan of an array that one block holds in its registers, and of the lines of an array.
//!
//! A longer line, one of many, the block walks down tile by tile. Short ones are scanned in [`short`],
//! and those whose elements lie apart in [`strips`].
//!
//! Shared memory: an aggregate a warp, of this tile and the one before.
//!
//! Association: a tile as in [`rows`](super::rows), its warps by [`lanes::scan`]; the tiles of a line
//! in order.

use cuda_std::{misc, shared_array, thread, warp};

use super::LINES;
use super::lanes::{self, LANES};
use super::partial::Partial;
use super::request::Request;
use super::rows::Read;
use super::shape::elements_of_warp;
use super::{short, strips};
use crate::operator::Operator;

/// Scans as `request` says. With [`LINES`], `n` is the number of elements of a line, of which each block
/// has one, and `words` the elements from one of the line's to the next; where that is not 1, see
/// [`strips::scan`], and for lines of up to [`short::most`] elements [`short::scan`].
///
/// # Safety
/// Blocks of at most `W` whole warps, one for each line; input and output hold the elements of all, and
/// are the same or do not overlap.
#[inline(always)]
pub unsafe fn scan<
    O: Operator,
    const W: usize,
    const R: usize,
    const E: usize,
    const VECTORS: usize,
    const RESULTS: usize,
>(
    mut request: Request<O>,
) {
    const { assert!(W <= LANES as usize, "a warp scans the warps' aggregates") };
    let aggregates = shared_array![u128; 64].cast::<O::Accumulator>();
    let (warps, each) = (thread::block_dim_x() / LANES, elements_of_warp(R, E));
    let (warp, lane) = (thread::thread_idx_x() / LANES, warp::lane_id());
    let mut first = u64::from(warp) * each;
    // SAFETY: the caller's; aggregates are written and read on different sides of a barrier, and
    // those of the next tile lie elsewhere.
    unsafe {
        if request.flags & LINES != 0 {
            if request.words != 1 {
                return strips::scan::<O, R, E>(&request.begin());
            }
            if request.n <= short::most(E) {
                return short::scan::<O, E>(&request.begin());
            }
            let line = thread::block_idx_x() as usize * request.n as usize;
            request.input = request.input.wrapping_add(line);
            request.output = request.output.wrapping_add(line);
        }
        request.prefetch(first, each as u32);
        let request = request.begin();
        let mut before = request.initial();
        let (mut tile, mut turn) = (0, 0);
        while tile < request.n {
            let rows = Read::<O, R, E, VECTORS>::start(&request, first).scan();
            let of_tile = aggregates.wrapping_add(turn * LANES as usize);
            if lane == 0 {
                *of_tile.wrapping_add(warp as usize) = rows.aggregate();
            }
            thread::sync_threads();
            let with = (request.n - tile).div_ceil(each).min(warps.into()) as u32;
            let own = *of_tile.wrapping_add(lane.min(with - 1) as usize);
            let scanned = lanes::scan::<O>(own, with);
            let below = lanes::from_lane(scanned, warp.max(1) - 1);
            if rows.is_any() {
                let mut prefix = before;
                if warp > 0 {
                    prefix = Partial::some(before.then::<O>(below));
                }
                rows.store::<RESULTS>(&request, prefix);
            }
            before.value = before.then::<O>(lanes::from_lane(scanned, with - 1));
            // Not known to the compiler, which would make two loops of this one.
            before.exists = misc::in_register(1) != 0;
            tile += u64::from(warps) * each;
            first += u64::from(warps) * each;
            turn = 1 - turn;
        }
    }
}
