//! What tiles tell each other: their aggregates, in words of global memory that nobody has
//! to clear.
//!
//! They are [tagged](super::tagged) with the [launch](super::launch_tag) that wrote them. When
//! the tags begin again, [`clear_stale`] sees to it that no word is that old.

use bytemuck::Pod;
use cuda_std::{mem, thread, warp};

use super::lanes::{self, MAX_WORDS, words_of};
pub use super::launch_tag::{arrive, begin, counted, tag};
use super::scratch::{self, GROUP, HEAD};
use super::tagged::Tagged;
use crate::operator::Operator;

/// Aggregates that each lane of the warp takes.
const EACH: usize = scratch::EACH as usize;

/// Where word `word` of tile `tile`'s aggregate is.
#[inline(always)]
fn place<A>(tile: u64, word: usize) -> usize {
    scratch::place(tile, word, words_of::<A>())
}

/// Publishes the aggregate of a tile.
///
/// # Safety
/// `scratch` has room for the tile.
#[inline(always)]
pub unsafe fn publish<A: Pod>(scratch: *mut u64, tile: u64, aggregate: A, tag: u32) {
    // SAFETY: the caller's.
    unsafe { Tagged::store(aggregate, tag, |w| scratch.add(place::<A>(tile, w))) };
}

/// Publishes the aggregate of a tile to another device, or to this one.
///
/// # Safety
/// `scratch` is that device's, which this one can reach, and has room for the tile.
#[inline(always)]
pub unsafe fn publish_to_device<A: Pod>(scratch: *mut u64, tile: u64, aggregate: A, tag: u32) {
    let at = |w| scratch.wrapping_add(place::<A>(tile, w));
    // SAFETY: the caller's.
    unsafe { Tagged::store_of::<true>(aggregate, tag, at) };
}

/// A warp's look at the aggregates of the first `count` tiles of a group: what was there,
/// published or not. Nothing waits for the reads before [`Look::is_there`].
pub struct Look<A> {
    count: u32,
    tiles: [Tagged<A>; EACH],
}

impl<A: Pod> Look<A> {
    /// No look at all: at no tile.
    #[inline(always)]
    pub fn none() -> Self {
        Self {
            count: 0,
            tiles: [Tagged::none(); EACH],
        }
    }

    /// Reads the words of a group, of which `count` tiles are needed, at most [`GROUP`].
    ///
    /// # Safety
    /// `scratch` has room for the group; all lanes of a warp call it.
    #[inline(always)]
    pub unsafe fn at(scratch: *mut u64, group: u64, count: u32) -> Self {
        // SAFETY: the caller's.
        unsafe { Self::at_of::<false>(scratch, group, count) }
    }

    /// The same, where `SYSTEM` says whether other devices publish, too.
    ///
    /// # Safety
    /// As for [`Look::at`].
    #[inline(always)]
    pub unsafe fn at_of<const SYSTEM: bool>(scratch: *mut u64, group: u64, count: u32) -> Self {
        let first = u64::from(warp::lane_id()) * EACH as u64;
        let mut tiles = [Tagged::none(); EACH];
        // All are read, the needed ones or not, so that no read waits behind a branch.
        for row in 0..EACH {
            for w in 0..MAX_WORDS {
                if w < words_of::<A>() {
                    let at = place::<A>(group * GROUP + first + row as u64, w);
                    // SAFETY: the caller's.
                    unsafe { tiles[row].load_word::<SYSTEM>(w, scratch.add(at)) };
                }
            }
        }
        Self { count, tiles }
    }

    /// Whether the aggregates that this lane read are published.
    #[inline(always)]
    pub fn is_there(&self, tag: u32) -> bool {
        let first = warp::lane_id() * EACH as u32;
        let mut is_there = true;
        for row in 0..EACH {
            for w in 0..MAX_WORDS {
                if w < words_of::<A>() {
                    let of_launch = self.tiles[row].has_word(w, tag);
                    is_there &= of_launch || first + row as u32 >= self.count;
                }
            }
        }
        is_there
    }

    /// The aggregates combined, in every lane. There are some, and all are published.
    ///
    /// Association: each lane its four tiles in order, then [`lanes::scan`].
    ///
    /// # Safety
    /// All lanes of the warp call it.
    #[inline(always)]
    pub unsafe fn combined<O: Operator<Accumulator = A>>(&self) -> A {
        let first = warp::lane_id() * EACH as u32;
        let mut own = self.tiles[0].value();
        for row in 1..EACH {
            if first + (row as u32) < self.count {
                own = O::combine(own, self.tiles[row].value());
            }
        }
        let with = self.count.div_ceil(EACH as u32);
        // SAFETY: the caller's.
        unsafe { lanes::from_lane(lanes::scan::<O>(own, with), with - 1) }
    }
}

/// The aggregates of the first `count` tiles of a group, combined, as soon as all of them
/// are published. In every lane.
///
/// # Safety
/// As for [`Look::at`]; `count` is at least 1; other blocks publish the aggregates.
#[inline(always)]
pub unsafe fn gather<O: Operator>(
    scratch: *mut u64,
    group: u64,
    count: u32,
    tag: u32,
) -> O::Accumulator {
    // SAFETY: the caller's.
    unsafe { gather_of::<O, false>(scratch, group, count, tag) }
}

/// The same, where `SYSTEM` says whether other devices publish, too.
///
/// # Safety
/// As for [`gather`].
#[inline(always)]
pub unsafe fn gather_of<O: Operator, const SYSTEM: bool>(
    scratch: *mut u64,
    group: u64,
    count: u32,
    tag: u32,
) -> O::Accumulator {
    // SAFETY: the caller's.
    unsafe {
        loop {
            let look = Look::<O::Accumulator>::at_of::<SYSTEM>(scratch, group, count);
            if warp::warp_vote_all(warp::FULL_MASK, look.is_there(tag)) {
                return look.combined::<O>();
            }
        }
    }
}

/// In the first two launches of every cycle of tags, clears all words that the launch
/// does not use. A word that is left from a launch with tag t > 2 is older than a cycle
/// only if the launch with tag 1 in between had not used or cleared it; one with tag 1
/// was cleared or overwritten by the launch with tag 2, and one with tag 2 by the next
/// with tag 1. One warp of every block calls it.
///
/// # Safety
/// `scratch` has `words` words; this launch publishes the first `tiles` tiles.
#[inline(always)]
pub unsafe fn clear_stale<A>(scratch: *mut u64, words: u64, tiles: u64, tag: u32) {
    if tag > 2 {
        return;
    }
    let lanes = u64::from(lanes::LANES);
    let threads = u64::from(thread::grid_dim_x()) * lanes;
    let mut word = HEAD + u64::from(thread::block_idx_x()) * lanes + u64::from(warp::lane_id());
    while word < words {
        let in_group = (word - HEAD) % GROUP;
        let group = (word - HEAD) / GROUP / words_of::<A>() as u64;
        let (row, lane) = (in_group / lanes, in_group % lanes);
        if group * GROUP + lane * EACH as u64 + row >= tiles {
            // SAFETY: the caller's.
            unsafe { mem::store_relaxed(scratch.add(word as usize), 0) };
        }
        word += threads;
    }
}
