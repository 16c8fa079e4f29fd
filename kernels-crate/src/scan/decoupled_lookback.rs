//! The single-pass scan as it was published: a tile a block, which publishes its aggregate,
//! looks back for what lies before it, and publishes that.
//!
//! A block takes the next tile's number from a counter when it starts, so that it waits
//! only for tiles of blocks that have started before it: nothing is assumed about how
//! many blocks are resident. Every element is read once and written once.
//!
//! How a tile looks back is a [`LookBack`]: [`AsPublished`](super::lookback::AsPublished) combines
//! what it happens to meet; [`InGroups`](super::lookback::InGroups) always combines the same, so that
//! float results depend on `n` alone.
//!
//! Shared memory: a slot a warp for its segment ([`Segment`]), the segments' aggregates, the
//! tile's number and its exclusive prefix.
//!
//! Association in a tile: as in [`tile`]. Of tiles: that of the look-back; the fixed one's is
//! that of [`lookahead`](super::lookahead).
//!
//! Works on any GPU and for any address.
//!
//! Source: Merrill and Garland, Single-pass parallel prefix scan with decoupled
//! look-back, 2016, section 4; the fixed association is ours.

use cuda_std::{shared_array, thread, warp};

use super::lanes::{self, LANES, unspecified};
use super::launch_tag::take_ticket;
use super::lookback::{Links, LookBack, exchange};
use super::partial::Partial;
use super::request::Request;
use super::segment::Segment;
use super::shape::elements;
use super::tile::{self, Aggregates, Held};
use crate::operator::Operator;

/// Scans as `request` says.
///
/// # Safety
/// One block for every tile, at least one, of the threads and the dynamic shared memory
/// of the tile's [`Tiles`](super::shape::Tiles), whose numbers the constants are; input
/// and output hold `n` elements, and are the same or do not overlap; the scratch memory
/// has its words ([`of_lookback`](super::scratch::of_lookback)) and is this launch's alone.
#[inline(always)]
pub unsafe fn scan<
    O: Operator,
    L: LookBack<O>,
    const ITEMS: usize,
    const V: usize,
    const R: usize,
    const WARPS: usize,
>(
    request: Request<O>,
) {
    let ticket = shared_array![u64; 1];
    let aggregates = Aggregates::<O>::new(shared_array![u128; 18].cast());
    let shared_prefix = shared_array![u128; 2].cast::<O::Accumulator>();
    let warp = thread::thread_idx_x() / LANES;
    // SAFETY: the caller's.
    let request = unsafe { request.begin() };
    let tiles = request.n.div_ceil(elements(ITEMS, WARPS));
    // SAFETY: the caller's; what is shared is written on one side of a barrier and read
    // on the other.
    unsafe {
        if thread::thread_idx_x() == 0 {
            *ticket = take_ticket(request.scratch, thread::grid_dim_x());
        }
        thread::sync_threads();
        let (tile, tag) = (u64::from(*ticket as u32), (*ticket >> 32) as u32);
        let memory = (request.scratch, request.words);
        let links = Links::new::<L>(memory, request.initial(), tiles, tag);
        if warp == 0 {
            links.clear_stale::<L>();
        }
        if tile >= tiles {
            return;
        }

        // Load, and reduce.
        let segment = Segment::<ITEMS>::new::<WARPS>(request.n, tile);
        let held = Held::<O, ITEMS>::read::<V, R>(&request, segment);
        aggregates.tell(&held);
        thread::sync_threads();
        let rest = request.n - tile * elements(ITEMS, WARPS);
        let in_tile = aggregates.scan::<ITEMS, WARPS>(rest);

        // Publish, and look back.
        if warp == 0 {
            let aggregate = lanes::from_lane(in_tile, WARPS as u32 - 1);
            let prefix = exchange::<O, L>(&links, tile, tile + 1 < tiles, aggregate);
            if warp::lane_id() == 0 {
                *shared_prefix = prefix.unwrap_or(unspecified());
            }
        }
        thread::sync_threads();

        // Scan, and store.
        if held.is_any() {
            let prefix = Partial {
                exists: tile > 0 || request.has_initial(),
                value: *shared_prefix,
            };
            held.write::<V, R>(&request, tile::prefix_of_segment::<O>(in_tile, prefix));
        }
    }
}
