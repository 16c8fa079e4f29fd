//! What tiles tell each other: their totals, in words of global memory that nobody has
//! to clear.
//!
//! A word is 64 bits: 32 of a value below, the *tag* of the launch above. Value and tag
//! arrive together, so that relaxed accesses are enough, and what earlier launches left
//! is not taken for an answer. A value of several words is as many tagged words.
//!
//! The tag comes from a counter of the launches that have used the scratch memory
//! ([`begin`]). After 2^32 - 1 launches the tags begin again; [`clear_stale`] sees to it that
//! no word is that old.
//!
//! Source of tagged words: Merrill and Garland, Single-pass parallel prefix scan with
//! decoupled look-back, 2016, section 4.4; the tag is ours.

use bytemuck::Pod;
use core::marker::PhantomData;
use cuda_std::{mem, thread, warp};

use super::lanes::{self, MAX_WORDS, words_of};
use super::scratch::{GROUP, HEAD};
use crate::operator::Operator;

/// Totals that each lane of the warp takes.
const EACH: usize = (GROUP / lanes::LANES as u64) as usize;

/// The last tag of a cycle, which begins with 1.
const LAST_TAG: u32 = u32::MAX;

/// The tag of this launch. Every block calls it once, by one thread.
///
/// The counter holds the launches so far, modulo 2^32 - 1, above bit 32, and below it what
/// the blocks of this launch have added so far: 1 each, and the first one what is missing to
/// a launch. So nobody waits for what stands there, but in the last launch of a cycle.
///
/// # Safety
/// `scratch` is this launch's alone; all of its blocks call this.
#[inline(always)]
pub unsafe fn begin(scratch: *mut u64) -> u32 {
    let blocks = thread::grid_dim_x();
    // SAFETY: the caller's.
    unsafe {
        let tag = tag(scratch);
        if tag == LAST_TAG {
            arrive(scratch, blocks);
        } else {
            let others = u64::from(blocks - 1);
            let is_first = thread::block_idx_x() == 0;
            let own = if is_first { (1 << 32) - others } else { 1 };
            mem::fetch_add_relaxed(scratch, own);
        }
        tag
    }
}

/// The tag of this launch, as [`begin`] says it. It is to be had until all blocks have
/// [arrived](arrive).
///
/// # Safety
/// `scratch` is this launch's alone.
#[inline(always)]
pub unsafe fn tag(scratch: *const u64) -> u32 {
    // SAFETY: the caller's.
    let count = unsafe { mem::load_relaxed(scratch) };
    (count >> 32) as u32 + 1
}

/// Counts the calling block among those that are done, and says whether it is the last of
/// `blocks`: then the launch is counted, and the blocks begin at none again.
///
/// # Safety
/// As for [`tag`]; one thread of every block calls it, which has asked for the tag before.
#[inline(always)]
pub unsafe fn arrive(scratch: *mut u64, blocks: u32) -> bool {
    // SAFETY: the caller's.
    let before = unsafe { mem::fetch_add_relaxed(scratch, 1) };
    let is_last = before as u32 == blocks - 1;
    if is_last {
        let tag = (before >> 32) as u32 + 1;
        // SAFETY: the caller's.
        unsafe { mem::store_relaxed(scratch, counted(tag)) };
    }
    is_last
}

/// The counter behind the launch with this tag.
#[inline(always)]
pub fn counted(tag: u32) -> u64 {
    if tag == LAST_TAG {
        0
    } else {
        u64::from(tag) << 32
    }
}

/// Where word `word` of tile `tile`'s total is. A group lies together, its tiles
/// dealt so that lane l of the warp that reads it finds tiles 4 l to 4 l + 3 in four
/// rows.
#[inline(always)]
fn place<A>(tile: u64, word: usize) -> usize {
    let (group, i) = (tile / GROUP, tile % GROUP);
    let (lane, row) = (i / EACH as u64, i % EACH as u64);
    let in_group = row * u64::from(lanes::LANES) + lane;
    (HEAD + (group * words_of::<A>() as u64 + word as u64) * GROUP + in_group) as usize
}

/// Publishes the total of a tile.
///
/// # Safety
/// `scratch` has room for the tile.
#[inline(always)]
pub unsafe fn publish<A: Pod>(scratch: *mut u64, tile: u64, total: A, tag: u32) {
    let words = lanes::to_words(total);
    for w in 0..MAX_WORDS {
        if w < words_of::<A>() {
            // SAFETY: the caller's.
            unsafe {
                let at = scratch.add(place::<A>(tile, w));
                mem::store_relaxed(at, u64::from(tag) << 32 | u64::from(words[w]));
            }
        }
    }
}

/// A warp's look at the totals of the first `count` tiles of a group: what was there,
/// published or not. Nothing waits for the reads before [`Look::is_there`].
pub struct Look<A> {
    count: u32,
    status: [[u64; MAX_WORDS]; EACH],
    total: PhantomData<A>,
}

impl<A: Pod> Look<A> {
    /// No look at all: at no tile.
    #[inline(always)]
    pub fn nowhere() -> Self {
        Self {
            count: 0,
            status: [[0; MAX_WORDS]; EACH],
            total: PhantomData,
        }
    }

    /// Reads the words of a group, of which `count` tiles are needed, at most [`GROUP`].
    ///
    /// # Safety
    /// `scratch` has room for the group; all lanes of a warp call it.
    #[inline(always)]
    pub unsafe fn at(scratch: *mut u64, group: u64, count: u32) -> Self {
        let first = u64::from(warp::lane_id()) * EACH as u64;
        let mut status = [[0; MAX_WORDS]; EACH];
        // All are read, the needed ones or not, so that no read waits behind a branch.
        for row in 0..EACH {
            for w in 0..MAX_WORDS {
                if w < words_of::<A>() {
                    let at = place::<A>(group * GROUP + first + row as u64, w);
                    // SAFETY: the caller's.
                    status[row][w] = unsafe { mem::load_relaxed(scratch.add(at)) };
                }
            }
        }
        Self {
            count,
            status,
            total: PhantomData,
        }
    }

    /// Whether the totals that this lane read are published.
    #[inline(always)]
    pub fn is_there(&self, tag: u32) -> bool {
        let first = warp::lane_id() * EACH as u32;
        let mut is_there = true;
        for row in 0..EACH {
            for w in 0..MAX_WORDS {
                if w < words_of::<A>() {
                    let of_launch = (self.status[row][w] >> 32) as u32 == tag;
                    is_there &= of_launch || first + row as u32 >= self.count;
                }
            }
        }
        is_there
    }

    /// What lane reads as the total of its tile `row`.
    #[inline(always)]
    fn total(&self, row: usize) -> A {
        lanes::from_words(self.status[row].map(|status| status as u32))
    }

    /// The totals combined, in every lane. There are some, and all are published.
    ///
    /// Association: each lane its four tiles in order, then [`lanes::scan`].
    ///
    /// # Safety
    /// All lanes of the warp call it.
    #[inline(always)]
    pub unsafe fn combined<O: Operator<Accumulator = A>>(&self) -> A {
        let first = warp::lane_id() * EACH as u32;
        let mut own = self.total(0);
        for row in 1..EACH {
            if first + (row as u32) < self.count {
                own = O::combine(own, self.total(row));
            }
        }
        let with = self.count.div_ceil(EACH as u32);
        // SAFETY: the caller's.
        unsafe { lanes::from_lane(lanes::scan::<O>(own, with), with - 1) }
    }
}

/// The totals of the first `count` tiles of a group, combined, as soon as all of them
/// are published. In every lane.
///
/// # Safety
/// As for [`Look::at`]; `count` is at least 1; other blocks publish the totals.
#[inline(always)]
pub unsafe fn gather<O: Operator>(
    scratch: *mut u64,
    group: u64,
    count: u32,
    tag: u32,
) -> O::Accumulator {
    // SAFETY: the caller's.
    unsafe {
        loop {
            let look = Look::<O::Accumulator>::at(scratch, group, count);
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
