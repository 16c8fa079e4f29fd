//! A row of neighbours that publish their aggregates, and, as soon as they know them, their
//! *inclusive prefixes*: everything up to and with their own aggregate.
//!
//! The words are [tagged](super::tagged), and nothing is cleared between
//! launches; an aggregate and a prefix are words apart, so that the tag says all that there
//! is to say of a word.
//!
//! Source: Merrill and Garland, Single-pass parallel prefix scan with decoupled
//! look-back, 2016, section 4.

use bytemuck::Pod;
use core::marker::PhantomData;
use cuda_std::{thread, warp};

use super::lanes::{self, LANES, words_of};
use super::scratch;
use super::tagged::Tagged;
use crate::operator::Operator;

/// Between two looks at what is not there yet, about so many nanoseconds.
pub const PAUSE: u32 = 100;

/// What is published.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Aggregate,
    Prefix,
}

/// The words of `len` neighbours with aggregates of type `A`, in the launch with a tag.
pub struct Chain<A> {
    words: *mut u64,
    len: u64,
    tag: u32,
    of: PhantomData<A>,
}

impl<A: Pod> Chain<A> {
    /// The chain at `words`.
    #[inline(always)]
    pub fn new(words: *mut u64, len: u64, tag: u32) -> Self {
        Self {
            words,
            len,
            tag,
            of: PhantomData,
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

    /// Publishes the aggregate of neighbour `i`.
    ///
    /// # Safety
    /// `i` is below the chain's length, and its words are there.
    #[inline(always)]
    pub unsafe fn publish_aggregate(&self, i: u64, aggregate: A) {
        // SAFETY: the caller's.
        unsafe { self.publish(Kind::Aggregate, i, aggregate) }
    }

    /// Publishes the inclusive prefix of neighbour `i`.
    ///
    /// # Safety
    /// As for [`Chain::publish_aggregate`].
    #[inline(always)]
    pub unsafe fn publish_prefix(&self, i: u64, prefix: A) {
        // SAFETY: the caller's.
        unsafe { self.publish(Kind::Prefix, i, prefix) }
    }

    #[inline(always)]
    unsafe fn publish(&self, kind: Kind, i: u64, value: A) {
        // SAFETY: the caller's.
        unsafe { Tagged::store(value, self.tag, |w| self.place(kind, w, i)) };
    }

    #[inline(always)]
    unsafe fn read(&self, kind: Kind, i: u64) -> Tagged<A> {
        // SAFETY: the caller's.
        unsafe { Tagged::load(|w| self.place(kind, w, i)) }
    }

    /// A warp's look at the neighbours just below `end`: lane l looks at `end - 1 - l`.
    ///
    /// # Safety
    /// All lanes of the warp call it; `end` is at most the chain's length.
    #[inline(always)]
    pub unsafe fn look(&self, end: u64) -> Window<A> {
        let lane = u64::from(warp::lane_id());
        let (mut aggregate, mut prefix) = (Tagged::none(), Tagged::none());
        // SAFETY: the caller's.
        unsafe {
            if lane < end {
                aggregate = self.read(Kind::Aggregate, end - 1 - lane);
                prefix = self.read(Kind::Prefix, end - 1 - lane);
            }
            let exists = lane < end;
            let has_aggregate = exists && aggregate.has(self.tag);
            // What lies before the first neighbour is known from the start.
            let has_prefix = lane == end || exists && prefix.has(self.tag);
            Window {
                aggregate: aggregate.value(),
                prefix: prefix.value(),
                aggregates: warp::warp_vote_ballot(warp::FULL_MASK, has_aggregate),
                prefixes: warp::warp_vote_ballot(warp::FULL_MASK, has_prefix),
            }
        }
    }

    /// The window below `end`, as soon as what is needed is there: a prefix, if it must. Until
    /// then it is looked at again.
    ///
    /// # Safety
    /// As for [`Chain::look`].
    #[inline(always)]
    pub unsafe fn wait(&self, window: Window<A>, end: u64, needs_prefix: bool) -> Window<A> {
        let mut window = window;
        while !window.is_there() || needs_prefix && window.nearest() == LANES {
            thread::nanosleep(PAUSE);
            // SAFETY: the caller's.
            window = unsafe { self.look(end) };
        }
        window
    }
}

/// What a warp saw of 32 neighbours, the nearest in lane 0. Behind the farthest one, the
/// array's beginning counts as a neighbour whose prefix is known.
pub struct Window<A> {
    aggregate: A,
    prefix: A,
    /// The lanes that saw an aggregate.
    aggregates: u32,
    /// The lanes that saw a prefix, or the beginning.
    prefixes: u32,
}

impl<A: Pod> Window<A> {
    /// The nearest lane with a prefix; [`LANES`] when there is none.
    #[inline(always)]
    pub fn nearest(&self) -> u32 {
        self.prefixes.trailing_zeros()
    }

    /// Whether every aggregate up to the nearest prefix is there, or every aggregate.
    #[inline(always)]
    pub fn is_there(&self) -> bool {
        let missing = !(self.aggregates | self.prefixes);
        missing.trailing_zeros() >= self.nearest()
    }

    /// The nearest prefix and all aggregates behind it combined, by a tree; `beginning` is
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
            self.aggregate
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

    /// The nearest prefix and, one after the other, all aggregates behind it: the same
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
                let aggregate = lanes::from_lane(self.aggregate, lane);
                all = Some(match all {
                    Some(all) => O::combine(all, aggregate),
                    None => aggregate,
                });
            }
            all
        }
    }
}
