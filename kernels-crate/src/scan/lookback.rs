//! How a tile looks back for what lies before it, in
//! [`decoupled_lookback`](super::decoupled_lookback).

use cuda_std::{mem, thread, warp};

use super::chain::{Chain, PAUSE};
use super::lanes::{LANES, words_of};
use super::request::Request;
use super::scratch::{GROUP, chain_begin, links};
use super::status::{self, Look};
use crate::operator::Operator;

/// What tiles publish, and how others find what lies before them.
pub trait LookBack<O: Operator>: Sized {
    /// That of `tiles` tiles, in the launch with this tag.
    fn new(request: Request<O>, tiles: u64, tag: u32) -> Self;

    /// Clears what this launch does not write, as [`status::clear_stale`]. One warp of every
    /// block calls it.
    ///
    /// # Safety
    /// As for [`status::clear_stale`].
    unsafe fn clear_stale(&self);

    /// Publishes the aggregate of a tile, which is not the last.
    ///
    /// # Safety
    /// One warp of the tile's block calls it.
    unsafe fn publish(&self, tile: u64, aggregate: O::Accumulator);

    /// The exclusive prefix of a tile, which is not the first; in every lane.
    ///
    /// # Safety
    /// All lanes of one warp of the tile's block call it; the blocks of the tiles before
    /// have started.
    unsafe fn find(&self, tile: u64) -> O::Accumulator;

    /// Publishes the inclusive prefix of a tile, where tiles have one.
    ///
    /// # Safety
    /// As for [`LookBack::publish`].
    unsafe fn publish_prefix(
        &self,
        tile: u64,
        exclusive: Option<O::Accumulator>,
        aggregate: O::Accumulator,
    );
}

/// As published: a warp looks at 32 tiles at a time, combines their aggregates, and goes
/// on until it meets an inclusive prefix. Which one it meets depends on timing, and so
/// does the association of the tiles: float results may differ in the last bits from
/// one launch to the next.
pub struct AsPublished<O: Operator> {
    request: Request<O>,
    tag: u32,
    /// A link a tile.
    chain: Chain<O::Accumulator>,
}

impl<O: Operator> LookBack<O> for AsPublished<O> {
    #[inline(always)]
    fn new(request: Request<O>, tiles: u64, tag: u32) -> Self {
        let chain = chain(&request, tiles, tag, false);
        Self {
            request,
            tag,
            chain,
        }
    }

    #[inline(always)]
    unsafe fn clear_stale(&self) {
        if self.tag <= 2 {
            let chain = chain_begin(0, words_of::<O::Accumulator>(), false);
            // SAFETY: the caller's.
            unsafe { clear_behind(&self.request, chain + self.chain.words()) };
        }
    }

    #[inline(always)]
    unsafe fn publish(&self, tile: u64, aggregate: O::Accumulator) {
        if warp::lane_id() == 0 {
            // SAFETY: the caller's.
            unsafe { self.chain.publish_aggregate(tile, aggregate) };
        }
    }

    #[inline(always)]
    unsafe fn find(&self, tile: u64) -> O::Accumulator {
        let mut end = tile;
        let mut nearer = None;
        // SAFETY: the caller's.
        unsafe {
            loop {
                let window = self.chain.wait(self.chain.look(end), end, false);
                let all = window.combined::<O>(end, initial(&self.request));
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

    #[inline(always)]
    unsafe fn publish_prefix(
        &self,
        tile: u64,
        exclusive: Option<O::Accumulator>,
        aggregate: O::Accumulator,
    ) {
        if warp::lane_id() == 0 {
            let inclusive = match exclusive {
                Some(exclusive) => O::combine(exclusive, aggregate),
                None => aggregate,
            };
            // SAFETY: the caller's.
            unsafe { self.chain.publish_prefix(tile, inclusive) };
        }
    }
}

/// Fixed: the aggregates of tiles are combined in groups of [`GROUP`], and the chain of
/// prefixes has a link a group. A group is added to the prefix before it, one after the
/// other, whichever prefix was met: float results depend on `n` alone.
///
/// Association: the tiles of a group by [`Look::combined`], the groups in order.
pub struct InGroups<O: Operator> {
    request: Request<O>,
    tiles: u64,
    tag: u32,
    /// A link a group.
    chain: Chain<O::Accumulator>,
}

impl<O: Operator> LookBack<O> for InGroups<O> {
    #[inline(always)]
    fn new(request: Request<O>, tiles: u64, tag: u32) -> Self {
        let chain = chain(&request, tiles, tag, true);
        Self {
            request,
            tiles,
            tag,
            chain,
        }
    }

    #[inline(always)]
    unsafe fn clear_stale(&self) {
        if self.tag <= 2 {
            let chain = chain_begin(self.tiles, words_of::<O::Accumulator>(), true);
            let published = self.tiles.saturating_sub(1);
            let scratch = self.request.scratch;
            // SAFETY: the caller's.
            unsafe {
                status::clear_stale::<O::Accumulator>(scratch, chain, published, self.tag);
                clear_behind(&self.request, chain + self.chain.words());
            }
        }
    }

    #[inline(always)]
    unsafe fn publish(&self, tile: u64, aggregate: O::Accumulator) {
        if warp::lane_id() == 0 {
            // SAFETY: the caller's.
            unsafe { status::publish(self.request.scratch, tile, aggregate, self.tag) };
        }
    }

    /// The groups before the tile's, and the tiles of its group before it. The first tile
    /// of a group has the whole group before instead, and publishes what it finds.
    #[inline(always)]
    unsafe fn find(&self, tile: u64) -> O::Accumulator {
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
                self.chain.publish_aggregate(group, near);
            }
            let behind = self.chain.wait(behind, group, true);
            let found = match behind.in_order::<O>(group, initial(&self.request)) {
                Some(far) => O::combine(far, near),
                None => near,
            };
            if is_whole {
                self.chain.publish_prefix(group, found);
            }
            found
        }
    }

    /// Groups have prefixes, not tiles.
    #[inline(always)]
    unsafe fn publish_prefix(&self, _: u64, _: Option<O::Accumulator>, _: O::Accumulator) {}
}

/// The chain of a launch, behind the words of the tiles' aggregates where these are in groups.
#[inline(always)]
fn chain<O: Operator>(
    request: &Request<O>,
    tiles: u64,
    tag: u32,
    is_fixed: bool,
) -> Chain<O::Accumulator> {
    let first = chain_begin(tiles, words_of::<O::Accumulator>(), is_fixed);
    let words = request.scratch.wrapping_add(first as usize);
    Chain::new(words, links(tiles, is_fixed), tag)
}

/// What lies before the first tile.
#[inline(always)]
fn initial<O: Operator>(request: &Request<O>) -> Option<O::Accumulator> {
    request.has_initial().then_some(request.initial)
}

/// Clears the scratch memory from word `first` on, a share of it.
///
/// # Safety
/// One warp of every block calls it; nobody needs what is there.
#[inline(always)]
unsafe fn clear_behind<O: Operator>(request: &Request<O>, first: u64) {
    let lanes = u64::from(LANES);
    let index = u64::from(thread::block_idx_x()) * lanes + u64::from(warp::lane_id());
    let mut word = first + index;
    while word < request.words {
        // SAFETY: the caller's.
        unsafe { mem::store_relaxed(request.scratch.add(word as usize), 0) };
        word += u64::from(thread::grid_dim_x()) * lanes;
    }
}
