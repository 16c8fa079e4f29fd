//! What a scan is asked for.

use cuda_std::grid;

use super::partial::Partial;
use super::{BY_OFFSETS, EXCLUSIVE, FOLLOWS, HAS_INITIAL, OF_LENGTH, lanes};
use crate::operator::Operator;

/// What a scan is asked for: its kernel's parameters.
pub struct Request<O: Operator> {
    /// The elements.
    pub input: *const O::Input,
    /// As many results; may be `input`.
    pub output: *mut O::Output,
    /// How many elements; until the launches before are done, at most.
    pub n: u64,
    /// Null, or how many of them there are.
    pub count: *const u64,
    /// What stands before the first, when the flags say so.
    pub initial: O::Accumulator,
    /// [`EXCLUSIVE`], [`HAS_INITIAL`].
    pub flags: u32,
    /// Words that tiles tell each other their totals by, [`status`](super::status).
    pub scratch: *mut u64,
    /// How many of them.
    pub words: u64,
    /// Which elements begin a segment, [`segment_flags`](super::segment_flags); null where there is one alone.
    pub segment_flags: *const u32,
    /// With [`OF_LENGTH`] the elements of a segment; with [`BY_OFFSETS`] the number of offsets, which
    /// are at `segment_flags`.
    pub segments: u64,
    /// Whether the next launch may begin only once those before this one are done. Of a small
    /// scan in segments that is faster (docs/records/2026-11-24-h200-readable-scans.md).
    pub launches_late: bool,
}

impl<O: Operator> Clone for Request<O> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<O: Operator> Copy for Request<O> {}

impl<O: Operator> Request<O> {
    /// The request once the launches before it are done, with the elements that there are.
    ///
    /// # Safety
    /// `count` is null, or points to a number in global memory.
    #[inline(always)]
    pub unsafe fn begin(mut self) -> Self {
        grid::wait_for_earlier();
        if self.launches_late {
            grid::launch_dependents();
        }
        if !self.count.is_null() {
            // SAFETY: the caller's.
            self.n = self.n.min(unsafe { *self.count });
        }
        self
    }

    /// Asks for a warp's elements from `first` on, at most `most`, into the L2 cache, before
    /// the launches ahead are done: what they write is still seen, since all SMs
    /// share that cache.
    ///
    /// # Safety
    /// The array is in global memory.
    #[inline(always)]
    pub unsafe fn prefetch(&self, first: u64, most: u32) {
        let count = self.n.saturating_sub(first).min(u64::from(most)) as u32;
        let size = size_of::<O::Input>() as u32;
        let from = self.input.wrapping_add(first as usize);
        // SAFETY: the caller's; it is within the array.
        unsafe { lanes::prefetch(from.cast(), count * size, most * size) };
    }

    /// Whether results are without their own element.
    #[inline(always)]
    pub fn is_exclusive(&self) -> bool {
        self.flags & EXCLUSIVE != 0
    }

    /// Whether something stands before the first element. Of segments, it stands before
    /// the first of each, and is no part of what is combined: see [`Request::result`].
    #[inline(always)]
    pub fn has_initial(&self) -> bool {
        !O::IS_SEGMENTED && self.flags & HAS_INITIAL != 0
    }

    /// Whether all segments have the same number of elements.
    #[inline(always)]
    pub fn is_of_length(&self) -> bool {
        O::IS_SEGMENTED && self.flags & OF_LENGTH != 0
    }

    /// Whether segments begin at offsets.
    #[inline(always)]
    pub fn is_by_offsets(&self) -> bool {
        O::IS_SEGMENTED && self.flags & BY_OFFSETS != 0
    }

    /// Whether the first of an array's segments began in another array, before this one.
    #[inline(always)]
    pub fn goes_on(&self) -> bool {
        O::IS_SEGMENTED && self.flags & FOLLOWS != 0
    }

    /// What stands before the first element, and so before every tile.
    #[inline(always)]
    pub fn initial(&self) -> Partial<O::Accumulator> {
        Partial {
            value: self.initial,
            exists: self.has_initial(),
        }
    }

    /// Whether a result is what is combined up to its element, and nothing else.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        self.flags & (HAS_INITIAL | EXCLUSIVE) == 0
    }

    /// The result of an element behind which `combined` stands, or before it when
    /// exclusive.
    #[inline(always)]
    pub fn result(&self, combined: O::Accumulator, is_first: bool) -> O::Output {
        let initial = (self.flags & HAS_INITIAL != 0).then_some(self.initial);
        O::finish(O::leave(combined, is_first, initial, self.is_exclusive()))
    }
}
