//! What a selection is asked for.

use cuda_std::{grid, mem, misc};

use super::predicate::{Counts, Predicate};
use super::{BY_FLAGS, PARTITION, TURN, UNIQUE};
use crate::scan::lanes::unspecified;
use crate::scan::request;

/// Where in the scratch memory launches tell the next how many elements are selected, a word for
/// each [`TURN`]: behind the counter of launches. The first of them stays 0.
const TOTALS: usize = 2;

/// What a selection is asked for: its kernel's parameters.
pub struct Request<P: Predicate> {
    /// The elements.
    pub input: *const P::Item,
    /// Room for all that are written.
    pub output: *mut P::Item,
    /// How many elements.
    pub n: u64,
    /// As many flags, where [`BY_FLAGS`] asks for them.
    pub flags: *const u8,
    /// The predicate's parameter.
    pub parameter: P::Parameter,
    /// [`BY_FLAGS`], [`UNIQUE`], [`PARTITION`], [`TURN`].
    pub mode: u32,
    /// Elements of earlier launches, which lie before these.
    pub before: u64,
    /// Elements of all launches.
    pub len: u64,
    /// How many elements are selected, of these and earlier launches.
    pub total: *mut u64,
    /// Words that tiles tell each other their counts by.
    pub scratch: *mut u64,
    /// How many of them.
    pub words: u64,
    /// How many elements earlier launches have selected.
    pub selected: u64,
}

impl<P: Predicate> Clone for Request<P> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<P: Predicate> Copy for Request<P> {}

impl<P: Predicate> Request<P> {
    /// The request once the launches before it are done, with what they have selected.
    ///
    /// # Safety
    /// The scratch memory is this launch's alone.
    #[inline(always)]
    pub unsafe fn begin(mut self) -> Self {
        grid::wait_for_earlier();
        // SAFETY: the caller's.
        self.selected = unsafe { mem::load_relaxed(self.scratch.add(TOTALS + self.turn())) };
        self
    }

    /// The same, whose mode is looked at anew: a loop in which it is used is one loop, and not one
    /// for every mode.
    #[inline(always)]
    pub fn of_round(self) -> Self {
        Self {
            mode: misc::in_register(self.mode),
            ..self
        }
    }

    /// As a scan sees it: its sums are the places of elements.
    #[inline(always)]
    pub fn scanned(&self) -> request::Request<Counts<P>> {
        request::Request {
            input: self.input,
            output: self.output,
            n: self.n,
            count: core::ptr::null(),
            initial: 0,
            flags: 0,
            scratch: self.scratch,
            words: self.words,
            segment_flags: core::ptr::null(),
            segments: 0,
            launches_late: false,
        }
    }

    #[inline(always)]
    fn turn(&self) -> usize {
        (self.mode >> TURN) as usize
    }

    /// Whether flags choose.
    #[inline(always)]
    pub fn is_by_flags(&self) -> bool {
        self.mode & BY_FLAGS != 0
    }

    /// Whether the first elements of runs are chosen.
    #[inline(always)]
    pub fn is_unique(&self) -> bool {
        self.mode & UNIQUE != 0
    }

    /// Whether the other elements are written too.
    #[inline(always)]
    pub fn is_partition(&self) -> bool {
        self.mode & PARTITION != 0
    }

    /// Whether an element is the first of all.
    #[inline(always)]
    pub fn is_first(&self, element: u64) -> bool {
        self.before + element == 0
    }

    /// The element before `element`, where runs are asked for and there is one.
    ///
    /// # Safety
    /// The launches before this one are done.
    #[inline(always)]
    pub unsafe fn item_before(&self, element: u64) -> P::Item {
        if !self.is_unique() || element > self.n || self.is_first(element) {
            return unspecified();
        }
        // SAFETY: it is of this launch, or the last of those before.
        unsafe { *self.input.wrapping_add(element as usize).wrapping_sub(1) }
    }

    /// Where the elements go that are chosen behind `chosen` ones of this launch.
    #[inline(always)]
    pub fn place(&self, chosen: u32) -> *mut P::Item {
        let at = self.selected + u64::from(chosen);
        self.output.wrapping_add(at as usize)
    }

    /// Where `count` elements go that are not chosen, the last one first, behind `others` such
    /// ones of this launch.
    #[inline(always)]
    pub fn place_of_rest(&self, others: u64, count: u32) -> *mut P::Item {
        let behind = self.before - self.selected + others + u64::from(count);
        self.output.wrapping_add((self.len - behind) as usize)
    }

    /// Tells the host and the next launch how many elements are chosen with `chosen` ones of this
    /// launch.
    ///
    /// # Safety
    /// One thread of the launch calls it.
    #[inline(always)]
    pub unsafe fn tell(&self, chosen: u32) {
        let total = self.selected + u64::from(chosen);
        let next = self.turn() % 2 + 1;
        // SAFETY: the caller's; nobody in this launch reads the next one's word.
        unsafe {
            *self.total = total;
            mem::store_relaxed(self.scratch.add(TOTALS + next), total);
        }
    }
}
