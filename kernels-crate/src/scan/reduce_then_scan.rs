//! The scan in three launches: the totals of the tiles; what lies before each tile; the
//! tiles. Every element is read twice and written once, and no block waits for another.
//!
//! Shared memory: a slot a warp for its segment ([`Segment`]), and the segments' aggregates; of
//! the second launch, an aggregate a group of tiles.
//!
//! Association: in a tile, as in [`tile`]; the tiles of a group as by
//! [`Look::combined`](super::status::Look::combined), the groups in order. So it is that
//! of [`lookahead`](super::lookahead), where the tiles are as long, and float results
//! depend on `n` alone.
//!
//! Works on any GPU and for any address.
//!
//! Source: Merrill and Grimshaw, Parallel scan for stream architectures, 2009, section 3
//! (reduce-then-scan).

use cuda_std::{shared_array, thread, warp};

use super::lanes::{self, LANES, unspecified};
use super::partial::Partial;
use super::request::Request;
use super::scratch::GROUP;
use super::segment::Segment;
use super::shape::elements;
use super::tile::{self, Aggregates, Held};
use crate::operator::Operator;

/// Tiles of a group that a lane takes.
const EACH: usize = (GROUP / LANES as u64) as usize;

/// Where the tiles' totals are, and afterwards what lies before the tiles.
#[inline(always)]
fn totals_of<O: Operator>(request: &Request<O>) -> *mut O::Accumulator {
    request.scratch.cast()
}

/// Totals a tile a block.
///
/// # Safety
/// One block for every tile, of the threads and the dynamic shared memory of the tile's
/// [`Tiles`](super::shape::Tiles), whose numbers the constants are; the input holds
/// `n` elements; the scratch memory has its words
/// ([`of_reduce_then_scan`](super::scratch::of_reduce_then_scan)), is a multiple of 16, and is
/// that of these three launches alone.
#[inline(always)]
pub unsafe fn totals<
    O: Operator,
    const ITEMS: usize,
    const V: usize,
    const R: usize,
    const WARPS: usize,
>(
    request: Request<O>,
) {
    // SAFETY: the caller's.
    let request = unsafe { request.begin() };
    let totals = Aggregates::<O>::new(shared_array![u128; 9].cast());
    let tile = u64::from(thread::block_idx_x());
    let tiles = request.n.div_ceil(elements(ITEMS, WARPS));
    // Nobody asks for the last tile's.
    if tile + 1 >= tiles {
        return;
    }
    // SAFETY: the caller's.
    unsafe {
        let segment = Segment::<ITEMS>::new::<WARPS>(request.n, tile);
        totals.tell(&Held::<O, ITEMS>::read::<V, R>(&request, segment));
        thread::sync_threads();
        if thread::thread_idx_x() < LANES {
            let rest = request.n - tile * elements(ITEMS, WARPS);
            let in_tile = totals.scan::<ITEMS, WARPS>(rest);
            if warp::lane_id() == WARPS as u32 - 1 {
                *totals_of(&request).add(tile as usize) = in_tile;
            }
        }
    }
}

/// Replaces the total of every tile by what lies before the next one.
///
/// # Safety
/// One such block, after [`totals`]; otherwise as there.
#[inline(always)]
pub unsafe fn bases<
    O: Operator,
    const ITEMS: usize,
    const V: usize,
    const R: usize,
    const WARPS: usize,
>(
    request: Request<O>,
) {
    // SAFETY: the caller's.
    let request = unsafe { request.begin() };
    let groups = shared_array![u128; 9].cast::<O::Accumulator>();
    let known = request.n.div_ceil(elements(ITEMS, WARPS)).saturating_sub(1);
    let totals = totals_of(&request);
    let warp = thread::thread_idx_x() / LANES;
    let mut before = request.has_initial().then_some(request.initial);
    let mut first = 0;
    while first < known {
        let start = first + u64::from(warp) * GROUP;
        let count = known.saturating_sub(start).min(GROUP) as u32;
        // A group a warp.
        // SAFETY: the caller's; a group's total is written on one side of a barrier and
        // read on the other.
        unsafe {
            let group = Group::<O>::read(totals.wrapping_add(start as usize), count).scan();
            if warp::lane_id() == LANES - 1 {
                *groups.add(warp as usize) = group.tiles[EACH - 1];
            }
            thread::sync_threads();
            let mut base = before;
            for i in 0..WARPS as u32 {
                if i == warp {
                    base = before;
                }
                // The next turn needs all groups, and there is one only if all are whole.
                if first + u64::from(i + 1) * GROUP <= known {
                    before = Some(and::<O>(before, *groups.add(i as usize)));
                }
            }
            group.write(totals.wrapping_add(start as usize), base);
            thread::sync_threads();
        }
        first += WARPS as u64 * GROUP;
    }
}

/// `first`, if there is something, and `second`.
#[inline(always)]
fn and<O: Operator>(first: Option<O::Accumulator>, second: O::Accumulator) -> O::Accumulator {
    match first {
        Some(first) => O::combine(first, second),
        None => second,
    }
}

/// A lane's share of a group: neighbouring tiles.
struct Group<O: Operator> {
    /// Tiles of the group.
    count: u32,
    tiles: [O::Accumulator; EACH],
}

impl<O: Operator> Group<O> {
    /// # Safety
    /// `count` totals are there.
    #[inline(always)]
    unsafe fn read(from: *const O::Accumulator, count: u32) -> Self {
        let mut tiles = [unspecified(); EACH];
        for i in 0..EACH {
            let at = warp::lane_id() * EACH as u32 + i as u32;
            if at < count {
                // SAFETY: the caller's.
                tiles[i] = unsafe { *from.add(at as usize) };
            }
        }
        Self { count, tiles }
    }

    /// The totals of tiles 0 to i of the group for every i: each as if it were the last
    /// of [`Look::combined`](super::status::Look::combined), which scans the totals of
    /// lanes whose last one is cut short.
    ///
    /// # Safety
    /// All lanes of the warp call it.
    #[inline(always)]
    unsafe fn scan(self) -> Self {
        let lane = warp::lane_id();
        let first = lane * EACH as u32;
        let mut tiles = self.tiles;
        for i in 1..EACH {
            if first + (i as u32) < self.count {
                tiles[i] = O::combine(tiles[i - 1], tiles[i]);
            }
        }
        for step in 0..LANES.ilog2() {
            let delta = 1 << step;
            // SAFETY: the caller's. A lane below one that has tiles is whole.
            let before = unsafe { lanes::shuffle_up(tiles[EACH - 1], delta) };
            for i in 0..EACH {
                if lane >= delta && first + (i as u32) < self.count {
                    tiles[i] = O::combine(before, tiles[i]);
                }
            }
        }
        Self { tiles, ..self }
    }

    /// Writes the scan behind what lies before the group, if anything.
    ///
    /// # Safety
    /// As for [`Group::read`].
    #[inline(always)]
    unsafe fn write(self, to: *mut O::Accumulator, before: Option<O::Accumulator>) {
        for i in 0..EACH {
            let at = warp::lane_id() * EACH as u32 + i as u32;
            if at < self.count {
                // SAFETY: the caller's.
                unsafe { *to.add(at as usize) = and::<O>(before, self.tiles[i]) };
            }
        }
    }
}

/// Scans a tile a block.
///
/// # Safety
/// As for [`totals`], after [`bases`]; the output holds `n` elements, and is the input or
/// does not overlap it.
#[inline(always)]
pub unsafe fn scan<
    O: Operator,
    const ITEMS: usize,
    const V: usize,
    const R: usize,
    const WARPS: usize,
>(
    request: Request<O>,
) {
    // SAFETY: the caller's.
    let request = unsafe { request.begin() };
    let totals = Aggregates::<O>::new(shared_array![u128; 9].cast());
    let tile = u64::from(thread::block_idx_x());
    let first = tile * elements(ITEMS, WARPS);
    if first >= request.n {
        return;
    }
    // SAFETY: the caller's.
    unsafe {
        let segment = Segment::<ITEMS>::new::<WARPS>(request.n, tile);
        let held = Held::<O, ITEMS>::read::<V, R>(&request, segment);
        totals.tell(&held);
        thread::sync_threads();
        let in_tile = totals.scan::<ITEMS, WARPS>(request.n - first);
        if held.is_any() {
            let prefix = if tile > 0 {
                Partial::some(*totals_of(&request).add(tile as usize - 1))
            } else {
                request.initial()
            };
            held.write::<V, R>(&request, tile::prefix_of_segment::<O>(in_tile, prefix));
        }
    }
}
