//! Prefix scan of one block: what the algorithms have in common.
//!
//! Terms: step d of a scan is one pass over the shared array between two
//! barriers; a *combine* is the add and its store. The counted kernels report,
//! for every step, how many combines were executed (one a thread as long as
//! there is a thread for every element) and how many warps executed at least one.

pub mod blelloch;
pub mod hillis_steele;

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use cuda_std::warp;

/// The most elements that one block scans.
pub const MAX_ELEMENTS: usize = 2048;

/// The most threads of a block.
pub const MAX_THREADS: u32 = 1024;

/// The most steps of a scan of [`MAX_ELEMENTS`] elements: the work-efficient one
/// takes 2 log2(n) - 1.
pub const MAX_STEPS: usize = 2 * MAX_ELEMENTS.ilog2() as usize - 1;

/// An element that is summed: 0 and +.
pub trait Element: Copy {
    /// The sum of no elements.
    const ZERO: Self;
    /// `self + other`; integers wrap.
    fn plus(self, other: Self) -> Self;
}

impl Element for u32 {
    const ZERO: Self = 0;
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.wrapping_add(other)
    }
}

impl Element for f32 {
    const ZERO: Self = 0.0;
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
}

/// What a kernel does with the number of combines of a step.
pub(crate) trait StepCounter {
    /// Called by all threads of a warp together, once for every combine that a
    /// thread may execute: `active` says whether this thread executes it.
    fn count(&self, step: usize, active: bool);
}

/// Counts nothing, and costs nothing.
#[derive(Clone, Copy)]
pub(crate) struct Uncounted;

impl StepCounter for Uncounted {
    #[inline(always)]
    fn count(&self, _step: usize, _active: bool) {}
}

/// Adds up in global memory: element d of `threads` is the number of combines of
/// step d, of `warps` the number of warps with at least one.
#[derive(Clone, Copy)]
pub(crate) struct Counted {
    pub(crate) threads: *mut u32,
    pub(crate) warps: *mut u32,
}

impl StepCounter for Counted {
    #[inline(always)]
    fn count(&self, step: usize, active: bool) {
        // SAFETY: blocks are whole warps and all lanes come here together, as
        // the trait demands; both arrays have an element for every step.
        unsafe {
            let combines = warp::warp_vote_ballot(u32::MAX, active).count_ones();
            if combines > 0 && warp::lane_id() == 0 {
                AtomicU32::from_ptr(self.threads.add(step)).fetch_add(combines, Relaxed);
                AtomicU32::from_ptr(self.warps.add(step)).fetch_add(1, Relaxed);
            }
        }
    }
}

/// `first`, `first + step`, ... below `end`. Unlike `step_by` it does not divide to
/// know its length beforehand.
#[inline(always)]
pub(crate) fn strided(first: usize, end: usize, step: usize) -> impl Iterator<Item = usize> {
    core::iter::successors(Some(first), move |i| Some(i + step)).take_while(move |&i| i < end)
}

/// Threads of the block that scans `elements` elements with one thread for every
/// `elements_per_thread`, as far as a block goes; always whole warps.
pub const fn threads(elements: usize, elements_per_thread: usize) -> u32 {
    let threads = elements.div_ceil(elements_per_thread).next_multiple_of(32) as u32;
    if threads == 0 {
        32
    } else if threads > MAX_THREADS {
        MAX_THREADS
    } else {
        threads
    }
}
