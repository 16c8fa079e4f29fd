//! How a tile looks back for what lies before it, in
//! [`decoupled_lookback`](super::decoupled_lookback).

use cuda_std::{mem, thread, warp};

use super::chain::{Chain, PAUSE};
use super::lanes::{LANES, words_of};
use super::partial::Partial;
use super::scratch::{GROUP, chain_begin, links};
use super::status::{self, Look};
use crate::operator::Operator;

/// What the blocks of a launch need to look back.
pub struct Links<O: Operator> {
    scratch: *mut u64,
    /// How many words of it.
    words: u64,
    initial: Partial<O::Accumulator>,
    tiles: u64,
    tag: u32,
    /// A link a tile, or a group.
    chain: Chain<O::Accumulator>,
}

impl<O: Operator> Links<O> {
    /// Those of `tiles` tiles behind `initial`, in the launch with this tag, for one way to look back.
    #[inline(always)]
    pub fn new<L: LookBack<O>>(
        (scratch, words): (*mut u64, u64),
        initial: Partial<O::Accumulator>,
        tiles: u64,
        tag: u32,
    ) -> Self {
        let first = chain_begin(tiles, words_of::<O::Accumulator>(), L::IN_GROUPS);
        let links = links(tiles, L::IN_GROUPS);
        Self {
            scratch,
            words,
            initial,
            tiles,
            tag,
            chain: Chain::new(scratch.wrapping_add(first as usize), links, tag),
        }
    }

    /// What lies before the first tile.
    #[inline(always)]
    pub fn initial(&self) -> Option<O::Accumulator> {
        self.initial.exists.then_some(self.initial.value)
    }

    /// Clears what this launch does not write, as [`status::clear_stale`]. One warp of every
    /// block calls it.
    ///
    /// # Safety
    /// As for [`status::clear_stale`].
    #[inline(always)]
    pub unsafe fn clear_stale<L: LookBack<O>>(&self) {
        if self.tag > 2 {
            return;
        }
        let Self { scratch, words, .. } = *self;
        let chain = chain_begin(self.tiles, words_of::<O::Accumulator>(), L::IN_GROUPS);
        // SAFETY: the caller's.
        unsafe {
            if L::IN_GROUPS {
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
}

/// A way to look back: what a tile publishes, and how others find what lies before them.
pub trait LookBack<O: Operator> {
    /// Whether the aggregates of tiles are combined in groups, each of which is a link.
    const IN_GROUPS: bool;

    /// Publishes the aggregate of a tile, which is not the last.
    ///
    /// # Safety
    /// One lane of the tile's block calls it.
    unsafe fn publish(links: &Links<O>, tile: u64, aggregate: O::Accumulator);

    /// The exclusive prefix of a tile, which is not the first; in every lane.
    ///
    /// # Safety
    /// All lanes of one warp of the tile's block call it; the blocks of the tiles before
    /// have started.
    unsafe fn find(links: &Links<O>, tile: u64) -> O::Accumulator;

    /// Publishes the inclusive prefix of a tile, where tiles have one.
    ///
    /// # Safety
    /// As for [`LookBack::publish`].
    #[inline(always)]
    unsafe fn publish_prefix(_: &Links<O>, _tile: u64, _inclusive: impl Fn() -> O::Accumulator) {}
}

/// As published: a warp looks at 32 tiles at a time, combines their aggregates, and goes
/// on until it meets an inclusive prefix. Which one it meets depends on timing, and so
/// does the association of the tiles: float results may differ in the last bits from
/// one launch to the next.
pub struct AsPublished;

impl<O: Operator> LookBack<O> for AsPublished {
    const IN_GROUPS: bool = false;

    #[inline(always)]
    unsafe fn publish(links: &Links<O>, tile: u64, aggregate: O::Accumulator) {
        // SAFETY: the caller's.
        unsafe { links.chain.publish_aggregate(tile, aggregate) };
    }

    #[inline(always)]
    unsafe fn find(links: &Links<O>, tile: u64) -> O::Accumulator {
        let chain = &links.chain;
        let mut end = tile;
        let mut nearer = None;
        // SAFETY: the caller's.
        unsafe {
            loop {
                let window = chain.wait(chain.look(end), end, false);
                let all = window.combined::<O>(end, links.initial());
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
    unsafe fn publish_prefix(links: &Links<O>, tile: u64, inclusive: impl Fn() -> O::Accumulator) {
        // SAFETY: the caller's.
        unsafe { links.chain.publish_prefix(tile, inclusive()) };
    }
}

/// Fixed: the aggregates of tiles are combined in groups of [`GROUP`], and the chain of
/// prefixes has a link a group. A group is added to the prefix before it, one after the
/// other, whichever prefix was met: float results depend on `n` alone.
///
/// Association: the tiles of a group by [`Look::combined`], the groups in order.
pub struct InGroups;

impl<O: Operator> LookBack<O> for InGroups {
    const IN_GROUPS: bool = true;

    #[inline(always)]
    unsafe fn publish(links: &Links<O>, tile: u64, aggregate: O::Accumulator) {
        // SAFETY: the caller's.
        unsafe { status::publish(links.scratch, tile, aggregate, links.tag) };
    }

    /// The groups before the tile's, and the tiles of its group before it. The first tile
    /// of a group has the whole group before instead, and publishes what it finds.
    #[inline(always)]
    unsafe fn find(links: &Links<O>, tile: u64) -> O::Accumulator {
        let (chain, scratch) = (&links.chain, links.scratch);
        let group = (tile - 1) / GROUP;
        let count = (tile - group * GROUP) as u32;
        // SAFETY: the caller's.
        unsafe {
            // Both are under way at the same time.
            let behind = chain.look(group);
            let mut look = Look::<O::Accumulator>::at(scratch, group, count);
            while !warp::warp_vote_all(warp::FULL_MASK, look.is_there(links.tag)) {
                thread::nanosleep(PAUSE);
                look = Look::at(scratch, group, count);
            }
            let near = look.combined::<O>();
            let is_whole = u64::from(count) == GROUP && warp::lane_id() == 0;
            if is_whole {
                chain.publish_aggregate(group, near);
            }
            let behind = chain.wait(behind, group, true);
            let found = match behind.in_order::<O>(group, links.initial()) {
                Some(far) => O::combine(far, near),
                None => near,
            };
            if is_whole {
                chain.publish_prefix(group, found);
            }
            found
        }
    }
}

/// Publishes a tile's aggregate and its inclusive prefix, unless nobody waits for it: the last
/// tile, which may be cut short. Its exclusive prefix, in every lane.
///
/// # Safety
/// All lanes of one warp of the tile's block call it.
#[inline(always)]
pub unsafe fn exchange<O: Operator, L: LookBack<O>>(
    links: &Links<O>,
    tile: u64,
    is_awaited: bool,
    aggregate: O::Accumulator,
) -> Option<O::Accumulator> {
    let publishes = is_awaited && warp::lane_id() == 0;
    // SAFETY: the caller's.
    unsafe {
        if publishes {
            L::publish(links, tile, aggregate);
        }
        let prefix = match tile {
            0 => links.initial(),
            _ => Some(L::find(links, tile)),
        };
        if publishes {
            L::publish_prefix(links, tile, || match prefix {
                Some(prefix) => O::combine(prefix, aggregate),
                None => aggregate,
            });
        }
        prefix
    }
}
