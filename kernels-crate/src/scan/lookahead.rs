//! The scan for large arrays: a persistent block on each multiprocessor, which looks
//! ahead while it waits for what lies behind.
//!
//! The array is cut into tiles; block b has tiles b, b + grid, b + 2 grid, ... In a
//! block, `WORKERS` warps stream their own contiguous part of each tile, a *segment*,
//! through `SLOTS` slots of shared memory: bulk copies bring it and take it away. One
//! more warp, the *look-out*, talks to the other blocks.
//!
//! In round k the workers total their segments of the block's k-th tile, meet the
//! look-out at a barrier, and scan those of tile k - `DELAY`, in place in its slot. The
//! look-out publishes the total of tile k behind the barrier, and before the next one
//! fetches what lies before tile k + 1 - `DELAY`. So the exchange of totals, some
//! microseconds under load, has `DELAY` rounds to happen in, and nobody waits for it.
//!
//! Only totals are published, and what lies before a tile is combined from all of them
//! in groups of [`GROUP`], always in the same order: the result does not depend on the
//! number of blocks, nor on who was first. Every element is read once and written once.
//!
//! Association: a lane its items in order; the lanes of a segment by [`lanes::scan`]; so
//! the segments of a tile; the tiles of a group by [`Look::combined`]; the groups in order.
//!
//! Blocks wait for each other, so all of them must be resident at once.

use cuda_std::bulk::{self, Barrier};
use cuda_std::{shared, thread, warp};

use super::lanes::{self, LANES, anything};
use super::status::{self, GROUP, Look};
use super::{Request, items};
use crate::operator::Operator;

/// The most bytes that bulk copies leave to the lanes, at the end of a segment.
const VECTOR: u64 = 16;

/// Totals and bases of segments that are kept: of tiles that were totalled and not yet
/// scanned, and one more, since a warp may be one barrier ahead.
const fn kept(delay: usize) -> usize {
    delay + 2
}

/// Where things lie in shared memory, bytes.
struct Layout {
    segment: usize,
    barriers: usize,
    totals: usize,
    bases: usize,
    end: usize,
}

impl Layout {
    const fn new(vectors: usize, workers: usize, slots: usize, delay: usize) -> Self {
        let segment = vectors * VECTOR as usize * LANES as usize;
        let barriers = slots * workers * segment;
        let totals = (barriers + slots * workers * size_of::<Barrier>()).next_multiple_of(16);
        let bases = totals + kept(delay) * workers * 16;
        let end = bases + 2 * workers * 16;
        Self {
            segment,
            barriers,
            totals,
            bases,
            end,
        }
    }
}

/// Dynamic shared memory of a block, bytes.
pub const fn shared_bytes(vectors: usize, workers: usize, slots: usize, delay: usize) -> u32 {
    Layout::new(vectors, workers, slots, delay).end as u32
}

/// Threads of a block.
pub const fn threads(workers: usize) -> u32 {
    (workers as u32 + 1) * LANES
}

/// What all warps of a block agree on.
struct Plan<O: Operator> {
    request: Request<O>,
    /// Elements of a tile.
    tile: u64,
    /// Tiles of the array.
    tiles: u64,
    /// This block's tiles.
    own: u32,
}

impl<O: Operator> Plan<O> {
    /// The array's number of this block's tile `k`.
    #[inline(always)]
    fn tile_at(&self, k: u32) -> u64 {
        u64::from(k) * u64::from(thread::grid_dim_x()) + u64::from(thread::block_idx_x())
    }
}

/// Scans as `request` says.
///
/// # Safety
/// The grid has one dimension and its blocks are resident at once; blocks have
/// [`threads`] threads and [`shared_bytes`] of dynamic shared memory; input and output
/// are multiples of 16 bytes and hold `n` elements; they are the same or do not overlap;
/// the scratch memory has room for the tiles and is this launch's alone.
#[inline(always)]
pub unsafe fn scan<
    O: Operator,
    const ITEMS: usize,
    const VECTORS: usize,
    const WORKERS: usize,
    const SLOTS: usize,
    const DELAY: usize,
    const FIRST: u32,
>(
    request: Request<O>,
) {
    const {
        assert!(
            size_of::<O::Input>() == size_of::<O::Output>(),
            "a segment is scanned in place: a result is as long as an element"
        );
        // Those of a tile that arrives, of `DELAY` that wait, and of two that leave.
        assert!(SLOTS >= DELAY + 3, "too few slots for the delay");
    }
    let tile = (ITEMS * LANES as usize * WORKERS) as u64;
    let tiles = request.n.div_ceil(tile);
    let (block, blocks) = (
        u64::from(thread::block_idx_x()),
        u64::from(thread::grid_dim_x()),
    );
    let own = if block < tiles {
        ((tiles - block - 1) / blocks + 1) as u32
    } else {
        0
    };
    let plan = Plan {
        request,
        tile,
        tiles,
        own,
    };
    let warp = thread::thread_idx_x() / LANES;
    // SAFETY: the caller's.
    unsafe {
        if warp < WORKERS as u32 {
            work::<O, ITEMS, VECTORS, WORKERS, SLOTS, DELAY, FIRST>(&plan, warp as usize);
        } else {
            look_out::<O, VECTORS, WORKERS, SLOTS, DELAY>(&plan);
        }
    }
}

/// Where the totals and the bases of the segments of tile `k` are.
#[inline(always)]
fn totals<O: Operator>(
    layout: &Layout,
    workers: usize,
    delay: usize,
    k: u32,
) -> *mut O::Accumulator {
    let row = k as usize % kept(delay) * workers * 16;
    let at = shared::dynamic_shared_mem::<u8>().wrapping_add(layout.totals + row);
    at.cast()
}

#[inline(always)]
fn bases<O: Operator>(layout: &Layout, workers: usize, k: u32) -> *mut O::Accumulator {
    let row = k as usize % 2 * workers * 16;
    let at = shared::dynamic_shared_mem::<u8>().wrapping_add(layout.bases + row);
    at.cast()
}

/// A worker: this warp's segments of the block's tiles.
#[inline(always)]
unsafe fn work<
    O: Operator,
    const ITEMS: usize,
    const VECTORS: usize,
    const WORKERS: usize,
    const SLOTS: usize,
    const DELAY: usize,
    const FIRST: u32,
>(
    plan: &Plan<O>,
    warp: usize,
) {
    let layout = const { Layout::new(VECTORS, WORKERS, SLOTS, DELAY) };
    let lane = warp::lane_id();
    let request = &plan.request;
    let memory = shared::dynamic_shared_mem::<u8>();
    let slot = |k: u32| memory.wrapping_add((k as usize % SLOTS * WORKERS + warp) * layout.segment);
    let arrived = |k: u32| {
        memory
            .wrapping_add(layout.barriers)
            .cast::<Barrier>()
            .wrapping_add(k as usize % SLOTS * WORKERS + warp)
    };
    let segment_items = (ITEMS * LANES as usize) as u64;
    // The first element of this warp's segment of tile k, and how many it has.
    let segment = |k: u32| {
        let first = plan.tile_at(k) * plan.tile + warp as u64 * segment_items;
        let count = request.n.saturating_sub(first).min(segment_items);
        (first, count as u32)
    };
    let item_bytes = size_of::<O::Input>() as u32;
    let load = |k: u32| {
        let (first, count) = segment(k);
        let bytes = count * item_bytes / VECTOR as u32 * VECTOR as u32;
        // SAFETY: by the lane that made the barrier; the slot is free.
        unsafe {
            Barrier::arrive_expecting(arrived(k), bytes);
            if bytes > 0 {
                let from = request.input.wrapping_add(first as usize);
                bulk::to_shared(slot(k), from.cast(), bytes, arrived(k));
            }
        }
    };

    let mut loaded = 0;
    // SAFETY: the slots and barriers of this warp are its own; see the caller's for
    // everything else.
    unsafe {
        if lane == 0 {
            for k in 0..SLOTS as u32 {
                Barrier::init(arrived(k), 1);
            }
            bulk::fence_barriers();
            while loaded < plan.own.min(FIRST) {
                load(loaded);
                loaded += 1;
            }
        }
        warp::sync_warp(warp::FULL_MASK);

        // Exclusive scans of the lanes' totals, of the last `DELAY` tiles.
        let mut befores: [O::Accumulator; DELAY] = [anything(); DELAY];
        for k in 0..plan.own + DELAY as u32 {
            let mut lane_before = anything();
            if k < plan.own {
                Barrier::wait(arrived(k), k / SLOTS as u32 & 1);
                let (first, count) = segment(k);
                fetch_rest::<O>(slot(k), request.input.wrapping_add(first as usize), count);
                let at = slot(k)
                    .cast::<O::Input>()
                    .wrapping_add(lane as usize * ITEMS);
                let own = items::read::<O::Input, VECTORS, ITEMS>(at);
                let total = if count as u64 == segment_items {
                    let total = items::total::<O, ITEMS>(&own, ITEMS);
                    lanes::scan::<O>(total, LANES)
                } else {
                    let mine = count.saturating_sub(lane * ITEMS as u32);
                    let total = items::total::<O, ITEMS>(&own, mine as usize);
                    lanes::scan::<O>(total, count.div_ceil(ITEMS as u32))
                };
                if lane == LANES - 1 {
                    *totals::<O>(&layout, WORKERS, DELAY, k).add(warp) = total;
                }
                lane_before = lanes::up(total, 1);
            }

            thread::sync_threads();

            if k >= DELAY as u32 {
                let k = k - DELAY as u32;
                let (first, count) = segment(k);
                let at = slot(k)
                    .cast::<O::Input>()
                    .wrapping_add(lane as usize * ITEMS);
                let own = items::read::<O::Input, VECTORS, ITEMS>(at);
                let has_base = request.has_initial() || plan.tile_at(k) > 0 || warp > 0;
                let mut before = befores[0];
                if has_base {
                    let base = *bases::<O>(&layout, WORKERS, k).add(warp);
                    before = if lane == 0 {
                        base
                    } else if count > lane * ITEMS as u32 {
                        O::combine(base, before)
                    } else {
                        before
                    };
                }
                let has_before = has_base || lane > 0;
                let exclusive = request.is_exclusive();
                let results = if count as u64 == segment_items {
                    items::scan::<O, ITEMS>(&own, ITEMS, before, has_before, exclusive)
                } else {
                    let mine = count.saturating_sub(lane * ITEMS as u32) as usize;
                    items::scan::<O, ITEMS>(&own, mine, before, has_before, exclusive)
                };
                items::write::<O::Output, VECTORS, ITEMS>(at.cast(), results);
                bulk::fence();
                warp::sync_warp(warp::FULL_MASK);
                store::<O>(slot(k), request.output.wrapping_add(first as usize), count);
            }

            if lane == 0 {
                // The slot of the last store but one has been read by now, or nearly.
                bulk::wait_read::<1>();
                let free = SLOTS as u32 + k.saturating_sub(DELAY as u32 + 1);
                for _ in 0..2 {
                    if loaded < plan.own.min(free) {
                        load(loaded);
                        loaded += 1;
                    }
                }
            }
            for i in 1..DELAY {
                befores[i - 1] = befores[i];
            }
            befores[DELAY - 1] = lane_before;
        }
        if lane == 0 {
            bulk::wait_read::<0>();
        }
    }
}

/// Brings the bytes of a segment that are no whole vector.
///
/// # Safety
/// All lanes of the warp call it; `from` holds `count` elements and the slot is the warp's.
#[inline(always)]
unsafe fn fetch_rest<O: Operator>(slot: *mut u8, from: *const O::Input, count: u32) {
    let bytes = count * size_of::<O::Input>() as u32;
    let rest = bytes % VECTOR as u32;
    if rest > 0 {
        let at = (bytes - rest + warp::lane_id()) as usize;
        // SAFETY: the caller's: the byte is one of the segment's.
        unsafe {
            if warp::lane_id() < rest {
                *slot.add(at) = *from.cast::<u8>().add(at);
            }
            warp::sync_warp(warp::FULL_MASK);
        }
    }
}

/// Takes `count` results away.
///
/// # Safety
/// All lanes of the warp call it, after what they wrote was fenced; `to` has room.
#[inline(always)]
unsafe fn store<O: Operator>(slot: *mut u8, to: *mut O::Output, count: u32) {
    let bytes = count * size_of::<O::Output>() as u32;
    let rest = bytes % VECTOR as u32;
    let lane = warp::lane_id();
    // SAFETY: the caller's.
    unsafe {
        if lane == 0 {
            if bytes > rest {
                bulk::to_global(to.cast(), slot, bytes - rest);
            }
            bulk::commit();
        }
        if lane < rest {
            let at = (bytes - rest + lane) as usize;
            *to.cast::<u8>().add(at) = *slot.add(at);
        }
    }
}

/// The look-out: tells the other blocks of this block's tiles, and the workers what lies
/// before their segments.
#[inline(always)]
unsafe fn look_out<
    O: Operator,
    const VECTORS: usize,
    const WORKERS: usize,
    const SLOTS: usize,
    const DELAY: usize,
>(
    plan: &Plan<O>,
) {
    let layout = const { Layout::new(VECTORS, WORKERS, SLOTS, DELAY) };
    let lane = warp::lane_id();
    let request = &plan.request;
    let is_worker = lane < WORKERS as u32;
    // SAFETY: the caller's; a row of totals or bases is written and read on different
    // sides of a barrier.
    unsafe {
        let mut tag = 0;
        if lane == 0 {
            tag = status::begin(request.scratch, thread::grid_dim_x());
        }
        let tag = lanes::of_lane(tag, 0);
        let published = plan.tiles.saturating_sub(1);
        status::forget::<O::Accumulator>(request.scratch, request.words, published, tag);

        let mut behind = Behind::<O>::new(request);
        let mut ahead = Ahead::nowhere();
        // What lies before each worker's segment in its tile, of the last `DELAY` tiles.
        let mut befores: [O::Accumulator; DELAY] = [anything(); DELAY];
        for k in 0..plan.own + DELAY as u32 {
            if k >= DELAY as u32 {
                let (before, exists) = behind.find(request, ahead, tag);
                let mut base = befores[0];
                if exists {
                    base = if lane == 0 {
                        before
                    } else if is_worker {
                        O::combine(before, base)
                    } else {
                        base
                    };
                }
                if is_worker {
                    *bases::<O>(&layout, WORKERS, k - DELAY as u32).add(lane as usize) = base;
                }
            }
            // The next look is under way while everybody meets.
            let next = (k + 1).saturating_sub(DELAY as u32);
            ahead = if k + 1 >= DELAY as u32 && next < plan.own {
                behind.look(request, plan.tile_at(next), tag)
            } else {
                Ahead::nowhere()
            };

            thread::sync_threads();

            for i in 1..DELAY {
                befores[i - 1] = befores[i];
            }
            if k < plan.own {
                let tile = plan.tile_at(k);
                let in_tile = (request.n - tile * plan.tile).min(plan.tile);
                let segment = (plan.tile / WORKERS as u64) as u32;
                let count = (in_tile as u32).div_ceil(segment);
                let mut total = anything();
                if lane < count {
                    total = *totals::<O>(&layout, WORKERS, DELAY, k).add(lane as usize);
                }
                let total = lanes::scan::<O>(total, count);
                if tile < published && lane == WORKERS as u32 - 1 {
                    status::publish(request.scratch, tile, total, tag);
                }
                befores[DELAY - 1] = lanes::up(total, 1);
            }
        }
    }
}

/// A look at what is new before a tile.
struct Ahead<O: Operator> {
    tile: u64,
    looks: (
        Look<O::Accumulator>,
        Look<O::Accumulator>,
        Look<O::Accumulator>,
    ),
}

impl<O: Operator> Ahead<O> {
    #[inline(always)]
    fn nowhere() -> Self {
        Self {
            tile: 0,
            looks: (Look::nowhere(), Look::nowhere(), Look::nowhere()),
        }
    }
}

/// What lies behind this block's tiles, in whole groups.
struct Behind<O: Operator> {
    groups: u64,
    total: O::Accumulator,
    exists: bool,
}

impl<O: Operator> Behind<O> {
    #[inline(always)]
    fn new(request: &Request<O>) -> Self {
        Self {
            groups: 0,
            total: request.initial,
            exists: request.has_initial(),
        }
    }

    /// Looks for what lies before `tile`. Tiles come in order.
    ///
    /// The groups that are new are read together, two whole ones and a part: on a grid
    /// of up to 2 [`GROUP`] blocks there are no more.
    ///
    /// # Safety
    /// As for [`status::gather`].
    #[inline(always)]
    unsafe fn look(&mut self, request: &Request<O>, tile: u64, tag: u32) -> Ahead<O> {
        // SAFETY: the caller's.
        unsafe {
            while self.groups + 2 < tile / GROUP {
                self.add(status::gather::<O>(
                    request.scratch,
                    self.groups,
                    GROUP as u32,
                    tag,
                ));
            }
            let tiles = (tile - self.groups * GROUP) as u32;
            let look = |i: u32| {
                let count = tiles.saturating_sub(i * GROUP as u32).min(GROUP as u32);
                // A group of which nothing is needed may be beyond the scratch memory.
                let group = self.groups + u64::from(if count > 0 { i } else { 0 });
                Look::at(request.scratch, group, count)
            };
            Ahead {
                tile,
                looks: (look(0), look(1), look(2)),
            }
        }
    }

    /// What was looked for, and whether there is anything, as soon as it is published.
    ///
    /// # Safety
    /// As for [`status::gather`].
    #[inline(always)]
    unsafe fn find(
        &mut self,
        request: &Request<O>,
        ahead: Ahead<O>,
        tag: u32,
    ) -> (O::Accumulator, bool) {
        // SAFETY: the caller's.
        unsafe {
            let mut ahead = ahead;
            loop {
                let (first, second, third) = &ahead.looks;
                let is_there = first.is_there(tag) & second.is_there(tag) & third.is_there(tag);
                if warp::warp_vote_all(warp::FULL_MASK, is_there) {
                    break;
                }
                ahead = self.look(request, ahead.tile, tag);
            }
            let (mut last, second, third) = ahead.looks;
            let mut rest = (ahead.tile - self.groups * GROUP) as u32;
            if rest >= GROUP as u32 {
                self.add(last.combined::<O>());
                rest -= GROUP as u32;
                last = second;
                if rest >= GROUP as u32 {
                    self.add(last.combined::<O>());
                    rest -= GROUP as u32;
                    last = third;
                }
            }
            if rest == 0 {
                (self.total, self.exists)
            } else {
                (self.and(last.combined::<O>()), true)
            }
        }
    }

    /// Adds a whole group.
    #[inline(always)]
    fn add(&mut self, group: O::Accumulator) {
        self.total = self.and(group);
        self.exists = true;
        self.groups += 1;
    }

    #[inline(always)]
    fn and(&self, group: O::Accumulator) -> O::Accumulator {
        if self.exists {
            O::combine(self.total, group)
        } else {
            group
        }
    }
}
