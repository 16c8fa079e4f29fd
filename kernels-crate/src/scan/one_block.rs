//! The scan of an array that one block holds in its registers.
//!
//! Shared memory: an aggregate a warp.
//!
//! Association: as in [`rows`](super::rows); the warps by [`lanes::scan`].

use cuda_std::{shared_array, thread};

use super::LINES;
use super::lanes::{self, LANES, unspecified};
use super::lines;
use super::partial::Partial;
use super::request::Request;
use super::rows::Read;
use super::shape::elements_of_warp;
use crate::operator::Operator;

/// Scans as `request` says, which has no more than a block's elements.
///
/// # Safety
/// One block of at most `W` whole warps, enough for the elements; input and output hold
/// `n` elements, and are the same or do not overlap. With [`LINES`] see [`lines::scan`].
#[inline(always)]
pub unsafe fn scan<
    O: Operator,
    const W: usize,
    const R: usize,
    const E: usize,
    const VECTORS: usize,
    const RESULTS: usize,
>(
    request: Request<O>,
) {
    const { assert!(W <= LANES as usize, "a warp scans the warps' aggregates") };
    if request.flags & LINES != 0 {
        // SAFETY: the caller's.
        return unsafe { lines::scan::<O, R, E, VECTORS, RESULTS>(request) };
    }
    let aggregates = shared_array![u128; 32].cast::<O::Accumulator>();
    let warp = thread::thread_idx_x() / LANES;
    let lane = cuda_std::warp::lane_id();
    let each = elements_of_warp(R, E);
    let first = u64::from(warp) * each;
    // SAFETY: the caller's; a warp writes its own aggregate before the barrier.
    unsafe {
        request.prefetch(first, each as u32);
        let request = request.begin();
        let rows = Read::<O, R, E, VECTORS>::start(&request, first).scan();
        if lane == 0 {
            *aggregates.add(warp as usize) = rows.aggregate();
        }
        thread::sync_threads();
        if !rows.is_any() {
            return;
        }
        let prefix = prefix_of_warp::<O>(aggregates, warp, request.initial());
        rows.store::<RESULTS>(&request, prefix);
    }
}

/// The exclusive prefix of the warp: that of the tile, and the aggregates of the warps below.
///
/// # Safety
/// All lanes of the warp call it; the aggregates of the warps below are there.
#[inline(always)]
unsafe fn prefix_of_warp<O: Operator>(
    aggregates: *const O::Accumulator,
    warp: u32,
    tile: Partial<O::Accumulator>,
) -> Partial<O::Accumulator> {
    if warp == 0 {
        return tile;
    }
    let lane = cuda_std::warp::lane_id();
    let mut aggregate = unspecified();
    // SAFETY: the caller's.
    unsafe {
        if lane < warp {
            aggregate = *aggregates.add(lane as usize);
        }
        let below = lanes::from_lane(lanes::scan::<O>(aggregate, warp), warp - 1);
        Partial::some(tile.then::<O>(below))
    }
}
