//! What a reduction is asked for.

use cuda_std::grid;

use super::{HAS_INITIAL, sizes};
use crate::operator::Operator;

/// What a reduction is asked for: its kernel's parameters.
pub struct Request<O: Operator> {
    /// The elements.
    pub input: *const O::Input,
    /// One result; with [`TOTALS`](super::TOTALS) accumulators.
    pub output: *mut O::Output,
    /// How many elements; until the launches before are done, at most.
    pub n: u64,
    /// Null, or how many of them there are.
    pub count: *const u64,
    /// What the result of no elements is; with [`HAS_INITIAL`] it also stands before the
    /// first one.
    pub initial: O::Accumulator,
    /// [`HAS_INITIAL`], [`WAITS`](super::WAITS), [`TOTALS`](super::TOTALS).
    pub flags: u32,
    /// Words that blocks tell each other their totals by, [`status`](crate::scan::status).
    pub scratch: *mut u64,
    /// How many of them; with [`TOTALS`](super::TOTALS) how many slices.
    pub words: u64,
}

impl<O: Operator> Request<O> {
    /// The request once the launches before it are done, with the elements that there are.
    ///
    /// # Safety
    /// `count` is null, or points to a number in global memory.
    #[inline(always)]
    pub(super) unsafe fn begin(mut self) -> Self {
        grid::wait_for_earlier();
        if !self.count.is_null() {
            // SAFETY: the caller's.
            self.n = self.n.min(unsafe { *self.count });
        }
        self
    }

    /// Tiles of `R` rows of `E` elements a lane. There are fewer than 2^32: a tile has
    /// 512 bytes at least.
    #[inline(always)]
    pub(super) fn tiles<const R: usize, const E: usize>(&self) -> u32 {
        self.n.div_ceil(sizes::elements(R, E)) as u32
    }

    /// Writes the result: `total`, where there are elements.
    ///
    /// # Safety
    /// The output is the request's, and one thread calls it.
    #[inline(always)]
    pub(super) unsafe fn deliver(&self, total: O::Accumulator, is_any: bool) {
        let result = if !is_any {
            self.initial
        } else if self.flags & HAS_INITIAL != 0 {
            O::combine(self.initial, total)
        } else {
            total
        };
        // SAFETY: the caller's.
        unsafe { *self.output = O::finish(result) };
    }
}
