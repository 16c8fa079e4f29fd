//! The work of a thread in a scan of one block: which elements and items are its own, and how
//! its combines are counted.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use cuda_std::{thread, warp};

use crate::LANES;

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

/// What a kernel does with the combines of a step.
pub trait StepCounter {
    /// Called once a step by all threads of a warp together: `combines` is how
    /// many this thread executes.
    fn count(&self, step: usize, combines: u32);
}

/// Counts nothing, and costs nothing.
#[derive(Clone, Copy)]
pub struct Uncounted;

impl StepCounter for Uncounted {
    #[inline(always)]
    fn count(&self, _step: usize, _combines: u32) {}
}

/// Adds up in global memory, an element a step.
#[derive(Clone, Copy)]
pub struct Counted {
    /// How many threads combine,
    pub threads: *mut u32,
    /// in how many warps,
    pub warps: *mut u32,
    /// and how many combines that are.
    pub adds: *mut u32,
}

impl StepCounter for Counted {
    #[inline(always)]
    fn count(&self, step: usize, combines: u32) {
        // SAFETY: blocks are whole warps and all lanes come here together, as
        // the trait demands; the arrays have an element for every step.
        unsafe {
            let active = warp::warp_vote_ballot(u32::MAX, combines > 0).count_ones();
            if active > 0 && warp::lane_id() == 0 {
                AtomicU32::from_ptr(self.threads.add(step)).fetch_add(active, Relaxed);
                AtomicU32::from_ptr(self.warps.add(step)).fetch_add(1, Relaxed);
            }
            AtomicU32::from_ptr(self.adds.add(step)).fetch_add(combines, Relaxed);
        }
    }
}

/// The item that this thread of the block combines: its own index, or, scattered,
/// that of the block's items, in rows of one warp, which lies on the warp's
/// diagonal. Every warp then has an equal share of every row, and every lane keeps
/// its column and with it its bank of shared memory. The block has a power of two
/// of warps when `SCATTERED`.
#[inline(always)]
pub fn item<const SCATTERED: bool>() -> usize {
    let thread = thread::thread_idx_x();
    if !SCATTERED {
        return thread as usize;
    }
    let (warp, lane) = (thread / LANES, thread % LANES);
    let rows = thread::block_dim_x() / LANES;
    (((warp + lane) & (rows - 1)) * LANES + lane) as usize
}

/// The item that this thread of the block combines when items are dealt to the warps
/// in turn. Every warp then has an equal share of the first items, however many those
/// are. Neighbouring lanes are as many items apart as there are warps: a power of two,
/// which falls into few banks of shared memory unless that is padded.
#[inline(always)]
pub fn dealt_item() -> usize {
    let thread = thread::thread_idx_x();
    let warps = thread::block_dim_x() / LANES;
    (thread % LANES * warps + thread / LANES) as usize
}

/// The elements that this block of a batch scans, of each `elements`, and where
/// they go.
///
/// # Safety
/// `input` and `output` hold `elements` elements for every block of the grid.
#[inline(always)]
pub unsafe fn of_block<T>(input: &[T], output: *mut T, elements: u32) -> (&[T], *mut T) {
    let first = thread::block_idx_x() as usize * elements as usize;
    // SAFETY: the caller's: this block's elements lie within both.
    unsafe {
        let own = core::slice::from_raw_parts(input.as_ptr().add(first), elements as usize);
        (own, output.add(first))
    }
}

/// `first`, `first + step`, ... below `end`. Unlike `step_by` it does not divide to
/// know its length beforehand.
#[inline(always)]
pub fn strided(first: usize, end: usize, step: usize) -> impl Iterator<Item = usize> {
    core::iter::successors(Some(first), move |i| Some(i + step)).take_while(move |&i| i < end)
}
