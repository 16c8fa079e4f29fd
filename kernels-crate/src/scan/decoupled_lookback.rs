//! The single-pass scan as it was published: a tile a block, which publishes its total,
//! looks back for what lies before it, and publishes that.
//!
//! A block takes the next tile's number from a counter when it starts, so that it waits
//! only for tiles of blocks that have started before it: nothing is assumed about how
//! many blocks are resident. Every element is read once and written once.
//!
//! Two ways to look back:
//!
//! - **as published**: a warp looks at 32 tiles at a time, combines their totals, and goes
//!   on until it meets an inclusive prefix. Which one it meets depends on timing, and so
//!   does the association of the tiles: float results may differ in the last bits from
//!   one launch to the next.
//! - **fixed**: the totals of tiles are combined in groups of [`GROUP`], and the chain of
//!   prefixes has a link a group. A group is added to the prefix before it, one after the
//!   other, whichever prefix was met: float results depend on `n` alone.
//!
//! Association in a tile: as in [`tile`]. Of tiles, fixed: those of a group
//! by [`Look::combined`], the groups in order, as in [`lookahead`](super::lookahead).
//!
//! Works on any GPU and for any address.
//!
//! Source: Merrill and Garland, Single-pass parallel prefix scan with decoupled
//! look-back, 2016, section 4; the fixed association is ours.

use cuda_std::{mem, shared_array, thread, warp};

use super::chain::{Chain, Window};
use super::lanes::{self, LANES, unspecified, words_of};
use super::partial::Partial;
use super::request::Request;
use super::scratch::{GROUP, chain_begin, links};
use super::segment::Segment;
use super::shape::elements;
use super::status::{self, Look, counted};
use super::tile::{self, Held, Totals};
use crate::operator::Operator;

/// Between two looks at what is not there yet, about so many nanoseconds.
const PAUSE: u32 = 100;

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
    const ITEMS: usize,
    const V: usize,
    const R: usize,
    const WARPS: usize,
    const FIXED: bool,
>(
    request: Request<O>,
) {
    let turn = shared_array![u64; 1];
    let totals = Totals::<O>::new(shared_array![u128; 18].cast());
    let base = shared_array![u128; 2].cast::<O::Accumulator>();
    let warp = thread::thread_idx_x() / LANES;
    // SAFETY: the caller's.
    let request = unsafe { request.begin() };
    let tiles = request.n.div_ceil(elements(ITEMS, WARPS));
    // SAFETY: the caller's; what is shared is written on one side of a barrier and read
    // on the other.
    unsafe {
        if thread::thread_idx_x() == 0 {
            *turn = begin(request.scratch, thread::grid_dim_x());
        }
        thread::sync_threads();
        let (tile, tag) = (u64::from(*turn as u32), (*turn >> 32) as u32);
        let before = Before::<O, FIXED>::new(request, tiles, tag);
        if warp == 0 {
            before.forget();
        }
        if tile >= tiles {
            return;
        }

        let segment = Segment::<ITEMS>::new::<WARPS>(request.n, tile);
        let held = Held::<O, ITEMS>::read::<V, R>(&request, segment);
        totals.tell(&held);
        thread::sync_threads();

        let rest = request.n - tile * elements(ITEMS, WARPS);
        let in_tile = totals.scan::<ITEMS, WARPS>(rest);
        if warp == 0 {
            // Nobody waits for the last tile, which may be cut short.
            let is_awaited = tile + 1 < tiles;
            let total = lanes::from_lane(in_tile, WARPS as u32 - 1);
            if is_awaited {
                before.tell(tile, total);
            }
            let found = before.find(tile);
            if is_awaited {
                before.tell_prefix(tile, found, total);
            }
            if warp::lane_id() == 0 {
                *base = found.unwrap_or(unspecified());
            }
        }
        thread::sync_threads();

        if held.is_any() {
            let prefix = Partial {
                exists: tile > 0 || request.has_initial(),
                value: *base,
            };
            held.write::<V, R>(&request, tile::prefix_of_segment::<O>(in_tile, prefix));
        }
    }
}

/// The number of a block's tile, and above bit 32 the launch's tag. Every block calls it
/// once, by one thread.
///
/// It is to [`status::arrive`] what numbers are to counting: tiles go to blocks as they come.
///
/// # Safety
/// As for [`status::begin`].
#[inline(always)]
unsafe fn begin(scratch: *mut u64, blocks: u32) -> u64 {
    // SAFETY: the caller's.
    let before = unsafe { mem::fetch_add_relaxed(scratch, 1) };
    let tag = (before >> 32) as u32 + 1;
    if before as u32 == blocks - 1 {
        // SAFETY: the caller's.
        unsafe { mem::store_relaxed(scratch, counted(tag)) };
    }
    before + (1 << 32)
}

/// What tiles tell each other.
struct Before<O: Operator, const FIXED: bool> {
    request: Request<O>,
    tiles: u64,
    tag: u32,
    /// A link a tile, or a group when `FIXED`.
    chain: Chain<O::Accumulator>,
}

impl<O: Operator, const FIXED: bool> Before<O, FIXED> {
    #[inline(always)]
    fn new(request: Request<O>, tiles: u64, tag: u32) -> Self {
        let first = chain_begin(tiles, words_of::<O::Accumulator>(), FIXED);
        let chain = request.scratch.wrapping_add(first as usize);
        Self {
            request,
            tiles,
            tag,
            chain: Chain::new(chain, links(tiles, FIXED), tag),
        }
    }

    /// What lies before the first tile.
    #[inline(always)]
    fn initial(&self) -> Option<O::Accumulator> {
        self.request.has_initial().then_some(self.request.initial)
    }

    /// Clears what this launch does not write, as [`status::clear_stale`]. One warp of every
    /// block calls it.
    ///
    /// # Safety
    /// As for [`status::clear_stale`].
    #[inline(always)]
    unsafe fn forget(&self) {
        if self.tag > 2 {
            return;
        }
        let Request { scratch, words, .. } = self.request;
        let chain = chain_begin(self.tiles, words_of::<O::Accumulator>(), FIXED);
        // SAFETY: the caller's.
        unsafe {
            if FIXED {
                let published = self.tiles.saturating_sub(1);
                status::clear_stale::<O::Accumulator>(scratch, chain, published, self.tag);
            }
            let lanes = u64::from(LANES);
            let index = u64::from(thread::block_idx_x()) * lanes + u64::from(warp::lane_id());
            let mut word = chain + self.chain.words() + index;
            while word < words {
                mem::store_relaxed(scratch.add(word as usize), 0);
                word += u64::from(thread::grid_dim_x()) * lanes;
            }
        }
    }

    /// Tells the total of a tile, which is not the last.
    ///
    /// # Safety
    /// One warp of the tile's block calls it.
    #[inline(always)]
    unsafe fn tell(&self, tile: u64, total: O::Accumulator) {
        if warp::lane_id() == 0 {
            // SAFETY: the caller's.
            unsafe {
                if FIXED {
                    status::publish(self.request.scratch, tile, total, self.tag);
                } else {
                    self.chain.tell_total(tile, total);
                }
            }
        }
    }

    /// Tells the prefix of a tile behind `before`, where tiles have one.
    ///
    /// # Safety
    /// As for [`Before::tell`].
    #[inline(always)]
    unsafe fn tell_prefix(&self, tile: u64, before: Option<O::Accumulator>, total: O::Accumulator) {
        if !FIXED && warp::lane_id() == 0 {
            let prefix = match before {
                Some(before) => O::combine(before, total),
                None => total,
            };
            // SAFETY: the caller's.
            unsafe { self.chain.tell_prefix(tile, prefix) };
        }
    }

    /// What lies before a tile, in every lane.
    ///
    /// # Safety
    /// All lanes of one warp of the tile's block call it; the blocks of the tiles before
    /// have started.
    #[inline(always)]
    unsafe fn find(&self, tile: u64) -> Option<O::Accumulator> {
        if tile == 0 {
            return self.initial();
        }
        // SAFETY: the caller's.
        unsafe {
            if FIXED {
                Some(self.find_fixed(tile))
            } else {
                Some(self.find_as_published(tile))
            }
        }
    }

    /// Windows of 32 tiles, up to one with a prefix.
    #[inline(always)]
    unsafe fn find_as_published(&self, tile: u64) -> O::Accumulator {
        let mut end = tile;
        let mut nearer = None;
        // SAFETY: the caller's.
        unsafe {
            loop {
                let window = self.wait(self.chain.look(end), end, false);
                let all = window.combined::<O>(end, self.initial());
                let found = match nearer {
                    Some(nearer) => O::combine(all, nearer),
                    None => all,
                };
                if window.nearest() < LANES {
                    return found;
                }
                nearer = Some(found);
                end -= u64::from(LANES);
            }
        }
    }

    /// The groups before the tile's, and the tiles of its group before it. The first tile
    /// of a group has the whole group before instead, and tells what it finds.
    #[inline(always)]
    unsafe fn find_fixed(&self, tile: u64) -> O::Accumulator {
        let group = (tile - 1) / GROUP;
        let count = (tile - group * GROUP) as u32;
        // SAFETY: the caller's.
        unsafe {
            // Both are under way at the same time.
            let behind = self.chain.look(group);
            let mut look = Look::<O::Accumulator>::at(self.request.scratch, group, count);
            while !warp::warp_vote_all(warp::FULL_MASK, look.is_there(self.tag)) {
                thread::nanosleep(PAUSE);
                look = Look::at(self.request.scratch, group, count);
            }
            let near = look.combined::<O>();
            let is_whole = u64::from(count) == GROUP && warp::lane_id() == 0;
            if is_whole {
                self.chain.tell_total(group, near);
            }
            let behind = self.wait(behind, group, true);
            let found = match behind.in_order::<O>(group, self.initial()) {
                Some(far) => O::combine(far, near),
                None => near,
            };
            if is_whole {
                self.chain.tell_prefix(group, found);
            }
            found
        }
    }

    /// The window below `end`, as soon as what is needed is there: a prefix, if it must.
    #[inline(always)]
    unsafe fn wait(
        &self,
        window: Window<O::Accumulator>,
        end: u64,
        has_prefix: bool,
    ) -> Window<O::Accumulator> {
        let mut window = window;
        while !window.is_there() || has_prefix && window.nearest() == LANES {
            thread::nanosleep(PAUSE);
            // SAFETY: the caller's.
            window = unsafe { self.chain.look(end) };
        }
        window
    }
}
