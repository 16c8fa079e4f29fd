//! Device-wide reduction: all elements of an array combined to one, in their order, by
//! any associative operator.
//!
//! [`device`], [`one_wave`] and [`segmented`] are generic functions; [`reduce_kernels!`](crate::reduce_kernels)
//! makes the entries for an operator, [`instances`] lists ours. What is common: [`vectors`]
//! (how an array is read), [`tile`] (how a warp combines it), [`share`] (who has which
//! part), [`sizes`] (the numbers).

pub mod device;
#[cfg(feature = "instances")]
pub mod instances;
#[cfg(not(target_os = "cuda"))]
pub mod launch;
mod macros;
pub mod one_wave;
pub mod segmented;
pub mod share;
pub mod sizes;
pub mod tile;
pub mod vectors;

use cuda_std::grid;

#[cfg(not(target_os = "cuda"))]
pub use launch::{ReduceKernel, ReduceKernels};

use crate::operator::Operator;

/// Bit of a reduction's `flags`: `initial` stands before the first element.
pub const HAS_INITIAL: u32 = 1 << 1;
/// Bit of a reduction's `flags`: all blocks are resident at once, and may wait for each
/// other.
pub const WAITS: u32 = 1 << 3;
/// Bit of a segmented reduction's `flags`: offsets have 64 bits, not 32.
pub const WIDE_OFFSETS: u32 = 1 << 2;

/// What a reduction is asked for: its kernel's parameters.
pub struct Request<O: Operator> {
    /// The elements.
    pub input: *const O::Input,
    /// One result.
    pub output: *mut O::Output,
    /// How many elements; until the launches before are done, at most.
    pub n: u64,
    /// Null, or how many of them there are.
    pub count: *const u64,
    /// What the result of no elements is; with [`HAS_INITIAL`] it also stands before the
    /// first one.
    pub initial: O::Accumulator,
    /// [`HAS_INITIAL`], [`WAITS`].
    pub flags: u32,
    /// Words that blocks tell each other their totals by, [`status`](crate::scan::status).
    pub scratch: *mut u64,
    /// How many of them.
    pub words: u64,
}

impl<O: Operator> Request<O> {
    /// The request once the launches before it are done, with the elements that there are.
    ///
    /// # Safety
    /// `count` is null, or points to a number in global memory.
    #[inline(always)]
    unsafe fn begin(mut self) -> Self {
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
    fn tiles<const R: usize, const E: usize>(&self) -> u32 {
        self.n.div_ceil(tile::elements(R, E)) as u32
    }

    /// Writes the result: `total`, where there are elements.
    ///
    /// # Safety
    /// The output is the request's, and one thread calls it.
    #[inline(always)]
    unsafe fn deliver(&self, total: O::Accumulator, is_any: bool) {
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
