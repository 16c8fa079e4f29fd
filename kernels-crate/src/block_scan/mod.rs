//! Prefix scan of one block: what the algorithms have in common.
//!
//! Terms: step d of a scan is one pass over the shared array between two
//! barriers; a *combine* is the add and its store. The counted kernels report,
//! for every step, how many threads executed a combine, in how many warps, and how
//! many combines that were: more than threads where a thread has several elements.
//!
//! *Scattered* kernels do the same combines by threads of as many warps as can be,
//! to show what packing them into few warps is worth.

pub mod blelloch;
pub mod hillis_steele;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod work;

use crate::LANES;

/// The most elements that one block scans.
pub const MAX_ELEMENTS: usize = 2048;

/// The most threads of a block.
pub const MAX_THREADS: u32 = 1024;

/// The most steps of a scan of [`MAX_ELEMENTS`] elements: the work-efficient one
/// takes 2 log2(n) - 1.
pub const MAX_STEPS: usize = 2 * MAX_ELEMENTS.ilog2() as usize - 1;

/// Threads of the block that scans `elements` elements with one thread for every
/// `elements_per_thread`, as far as a block goes; always whole warps.
pub const fn threads(elements: usize, elements_per_thread: usize) -> u32 {
    let threads = elements
        .div_ceil(elements_per_thread)
        .next_multiple_of(LANES as usize) as u32;
    if threads == 0 {
        LANES
    } else if threads > MAX_THREADS {
        MAX_THREADS
    } else {
        threads
    }
}
