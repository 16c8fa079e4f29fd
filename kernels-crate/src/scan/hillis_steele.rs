//! The naive scan of a whole array: log2(n) passes, each a launch, in which element i
//! takes what the last pass left at i - d, for d = 1, 2, 4, ... About n log2(n)
//! combines, and as often the whole array through memory.
//!
//! A pass reads one buffer and writes another, since no order holds among the threads of
//! a launch; before the passes the elements are brought to a buffer, and afterwards the
//! results to the output.
//!
//! Shared memory: none.
//!
//! Association: after the pass of distance d, element i is what was at i - d combined
//! with what was at i.
//!
//! Source: Hillis and Steele, Data parallel algorithms, 1986; GPU Gems 3, section
//! 39.2.1, extended over blocks.

use cuda_std::{grid, thread};

use super::sizes::TEXTBOOK_THREADS as THREADS;
use super::{EXCLUSIVE, HAS_INITIAL};
use crate::operator::Operator;

/// This thread's element, once the launches before are done.
#[inline(always)]
fn element() -> u64 {
    grid::launch_dependents();
    grid::wait_for_earlier();
    u64::from(thread::block_idx_x()) * u64::from(THREADS) + u64::from(thread::thread_idx_x())
}

/// Brings the elements to a buffer. In an exclusive scan they move up by one, behind
/// what is initial; in an inclusive one that is combined with the first.
///
/// # Safety
/// A block of [`THREADS`] threads for as many elements; input and buffer hold `n`
/// elements and do not overlap; an exclusive scan has an initial value.
#[inline(always)]
pub unsafe fn load<O: Operator>(
    input: *const O::Input,
    buffer: *mut O::Accumulator,
    n: u64,
    initial: O::Accumulator,
    flags: u32,
) {
    let i = element() as usize;
    if i as u64 >= n {
        return;
    }
    let moved = usize::from(flags & EXCLUSIVE != 0);
    // SAFETY: the caller's, and `i` is below `n`.
    unsafe {
        *buffer.add(i) = if i < moved {
            initial
        } else {
            let own = O::transform(*input.add(i - moved));
            if i == 0 && flags & HAS_INITIAL != 0 {
                O::combine(initial, own)
            } else {
                own
            }
        };
    }
}

/// One pass.
///
/// # Safety
/// A block of [`THREADS`] threads for as many elements; the buffers hold `n` elements and
/// do not overlap.
#[inline(always)]
pub unsafe fn pass<O: Operator>(
    from: *const O::Accumulator,
    to: *mut O::Accumulator,
    n: u64,
    distance: u64,
) {
    let i = element();
    if i >= n {
        return;
    }
    // SAFETY: the caller's, and `i` is below `n`.
    unsafe {
        let own = *from.add(i as usize);
        *to.add(i as usize) = if i >= distance {
            O::combine(*from.add((i - distance) as usize), own)
        } else {
            own
        };
    }
}

/// Takes the results to the output.
///
/// # Safety
/// A block of [`THREADS`] threads for as many elements; buffer and output hold `n`
/// elements and do not overlap.
#[inline(always)]
pub unsafe fn store<O: Operator>(buffer: *const O::Accumulator, output: *mut O::Output, n: u64) {
    let i = element();
    if i < n {
        // SAFETY: the caller's.
        unsafe { *output.add(i as usize) = O::finish(*buffer.add(i as usize)) };
    }
}
