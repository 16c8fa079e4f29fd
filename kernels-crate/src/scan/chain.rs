//! A row of neighbours that tell each other their totals, and, as soon as they know
//! them, their *prefixes*: everything up to and with their own total.
//!
//! The words are tagged as in [`status`](super::status), and nothing is cleared between
//! launches; a total and a prefix are words apart, so that the tag says all that there
//! is to say of a word.
//!
//! Source: Merrill and Garland, Single-pass parallel prefix scan with decoupled
//! look-back, 2016, section 4.

use bytemuck::Pod;
use core::marker::PhantomData;
use cuda_std::{mem, warp};

use super::lanes::{self, LANES, MAX_WORDS, words_of};
use super::scratch;
use crate::operator::Operator;

/// What is told.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Total,
    Prefix,
}

/// The words of `len` neighbours with totals of type `A`, in the launch with a tag.
pub struct Chain<A> {
    words: *mut u64,
    len: u64,
    tag: u32,
    total: PhantomData<A>,
}

impl<A: Pod> Chain<A> {
    /// The chain at `words`.
    #[inline(always)]
    pub fn new(words: *mut u64, len: u64, tag: u32) -> Self {
        Self {
            words,
            len,
            tag,
            total: PhantomData,
        }
    }

    /// Words of the chain.
    #[inline(always)]
    pub fn words(&self) -> u64 {
        scratch::of_chain(self.len, words_of::<A>())
    }

    #[inline(always)]
    fn place(&self, kind: Kind, word: usize, i: u64) -> *mut u64 {
        let row = kind as usize * words_of::<A>() + word;
        self.words
            .wrapping_add(row * self.len as usize + i as usize)
    }

    /// Tells the total of neighbour `i`.
    ///
    /// # Safety
    /// `i` is below the chain's length, and its words are there.
    #[inline(always)]
    pub unsafe fn tell_total(&self, i: u64, total: A) {
        // SAFETY: the caller's.
        unsafe { self.tell(Kind::Total, i, total) }
    }

    /// Tells the prefix of neighbour `i`.
    ///
    /// # Safety
    /// As for [`Chain::tell_total`].
    #[inline(always)]
    pub unsafe fn tell_prefix(&self, i: u64, prefix: A) {
        // SAFETY: the caller's.
        unsafe { self.tell(Kind::Prefix, i, prefix) }
    }

    #[inline(always)]
    unsafe fn tell(&self, kind: Kind, i: u64, value: A) {
        let words = lanes::to_words(value);
        for w in 0..MAX_WORDS {
            if w < words_of::<A>() {
                let word = u64::from(self.tag) << 32 | u64::from(words[w]);
                // SAFETY: the caller's.
                unsafe { mem::store_relaxed(self.place(kind, w, i), word) };
            }
        }
    }

    #[inline(always)]
    unsafe fn read(&self, kind: Kind, i: u64) -> [u64; MAX_WORDS] {
        let mut words = [0; MAX_WORDS];
        for w in 0..MAX_WORDS {
            if w < words_of::<A>() {
                // SAFETY: the caller's.
                words[w] = unsafe { mem::load_relaxed(self.place(kind, w, i)) };
            }
        }
        words
    }

    #[inline(always)]
    fn is_told(&self, words: [u64; MAX_WORDS]) -> bool {
        let mut is_told = true;
        for w in 0..MAX_WORDS {
            if w < words_of::<A>() {
                is_told &= (words[w] >> 32) as u32 == self.tag;
            }
        }
        is_told
    }

    /// A warp's look at the neighbours just below `end`: lane l looks at `end - 1 - l`.
    ///
    /// # Safety
    /// All lanes of the warp call it; `end` is at most the chain's length.
    #[inline(always)]
    pub unsafe fn look(&self, end: u64) -> Window<A> {
        let lane = u64::from(warp::lane_id());
        let (mut total, mut prefix) = ([0; MAX_WORDS], [0; MAX_WORDS]);
        // SAFETY: the caller's.
        unsafe {
            if lane < end {
                total = self.read(Kind::Total, end - 1 - lane);
                prefix = self.read(Kind::Prefix, end - 1 - lane);
            }
            let exists = lane < end;
            let has_total = exists && self.is_told(total);
            // What lies before the first neighbour is known from the start.
            let has_prefix = lane == end || exists && self.is_told(prefix);
            let value = |words: [u64; MAX_WORDS]| lanes::from_words(words.map(|word| word as u32));
            Window {
                total: value(total),
                prefix: value(prefix),
                totals: warp::warp_vote_ballot(warp::FULL_MASK, has_total),
                prefixes: warp::warp_vote_ballot(warp::FULL_MASK, has_prefix),
            }
        }
    }
}

/// What a warp saw of 32 neighbours, the nearest in lane 0. Behind the farthest one, the
/// array's beginning counts as a neighbour whose prefix is known.
pub struct Window<A> {
    total: A,
    prefix: A,
    /// The lanes that saw a total.
    totals: u32,
    /// The lanes that saw a prefix, or the beginning.
    prefixes: u32,
}

impl<A: Pod> Window<A> {
    /// The nearest lane with a prefix; [`LANES`] when there is none.
    #[inline(always)]
    pub fn nearest(&self) -> u32 {
        self.prefixes.trailing_zeros()
    }

    /// Whether every total up to the nearest prefix is there, or every total.
    #[inline(always)]
    pub fn is_there(&self) -> bool {
        let missing = !(self.totals | self.prefixes);
        missing.trailing_zeros() >= self.nearest()
    }

    /// The nearest prefix and all totals behind it combined, by a tree; `beginning` is
    /// the prefix of the array's beginning, where `end` says that it is seen, if it has
    /// one. In every lane.
    ///
    /// # Safety
    /// All lanes of the warp call it; [`Window::is_there`], and there is something.
    #[inline(always)]
    pub unsafe fn combined<O: Operator<Accumulator = A>>(
        &self,
        end: u64,
        beginning: Option<A>,
    ) -> A {
        let lane = warp::lane_id();
        let nearest = self.nearest();
        let mut own = if lane == nearest {
            self.prefix
        } else {
            self.total
        };
        let mut last = nearest.min(LANES - 1);
        if u64::from(nearest) == end {
            match beginning {
                Some(prefix) if lane == nearest => own = prefix,
                Some(_) => {}
                None => last = nearest - 1,
            }
        }
        // Lower lanes are nearer: theirs comes second.
        for step in 0..LANES.ilog2() {
            let delta = 1 << step;
            // SAFETY: the caller's.
            let nearer = unsafe { lanes::shuffle_up(own, delta) };
            if lane >= delta && lane <= last {
                own = O::combine(own, nearer);
            }
        }
        // SAFETY: the caller's.
        unsafe { lanes::from_lane(own, last) }
    }

    /// The nearest prefix and, one after the other, all totals behind it: the same
    /// whichever prefix was the nearest. Otherwise as [`Window::combined`], but that
    /// there may be nothing.
    ///
    /// # Safety
    /// All lanes of the warp call it; [`Window::is_there`], and a prefix is.
    #[inline(always)]
    pub unsafe fn in_order<O: Operator<Accumulator = A>>(
        &self,
        end: u64,
        beginning: Option<A>,
    ) -> Option<A> {
        let nearest = self.nearest();
        // SAFETY: the caller's.
        unsafe {
            let mut all = if u64::from(nearest) == end {
                beginning
            } else {
                Some(lanes::from_lane(self.prefix, nearest))
            };
            for lane in (0..nearest).rev() {
                let total = lanes::from_lane(self.total, lane);
                all = Some(match all {
                    Some(all) => O::combine(all, total),
                    None => total,
                });
            }
            all
        }
    }
}
