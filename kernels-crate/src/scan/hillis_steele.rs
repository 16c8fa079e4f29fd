//! The naive scan: every step adds the element at twice the distance of the step
//! before; n log2(n) - (n - 1) adds.
//!
//! Source: Hillis and Steele, Data parallel algorithms, CACM 1986; GPU Gems 3,
//! section 39.2.1. Two buffers in shared memory, one barrier a step.

use super::{Counted, Element, MAX_ELEMENTS, MAX_THREADS, StepCounter, Uncounted, strided};
use cuda_std::prelude::*;
use cuda_std::shared_array;

/// Threads of the block: one an element, as far as a block goes.
pub const fn threads(elements: usize) -> u32 {
    super::threads(elements, 1)
}

/// Steps of a scan of `elements` elements: log2, rounded up.
pub const fn steps(elements: usize) -> usize {
    elements.next_power_of_two().ilog2() as usize
}

/// Scans `input` to `output` by one block.
///
/// # Safety
/// All threads of one block of whole warps call it; `output` holds as many
/// elements as `input`, and each of `buffers` does in shared memory.
#[inline(always)]
unsafe fn scan<const INCLUSIVE: bool, T: Element>(
    input: &[T],
    output: *mut T,
    buffers: [*mut T; 2],
    counter: impl StepCounter,
) {
    let n = input.len();
    let threads = thread::block_dim_x() as usize;
    let thread = thread::thread_idx_x() as usize;
    let [mut from, mut to] = buffers;

    // SAFETY: every index below is smaller than n, which the caller vouches for;
    // a step reads one buffer and writes the other, and a barrier lies between.
    unsafe {
        for i in strided(thread, n, threads) {
            *from.add(i) = if INCLUSIVE {
                input[i]
            } else if i > 0 {
                input[i - 1]
            } else {
                T::ZERO
            };
        }
        thread::sync_threads();

        for step in 0..steps(n) {
            let distance = 1 << step;
            // Passes, not elements: all threads of a warp count together.
            for first in strided(0, n, threads) {
                let i = first + thread;
                let combines = i >= distance && i < n;
                counter.count(step, combines);
                if combines {
                    *to.add(i) = (*from.add(i - distance)).plus(*from.add(i));
                } else if i < n {
                    *to.add(i) = *from.add(i);
                }
            }
            thread::sync_threads();
            (from, to) = (to, from);
        }

        for i in strided(thread, n, threads) {
            *output.add(i) = *from.add(i);
        }
    }
}

macro_rules! entries {
    ($($plain:ident, $counted:ident: $element:ty, inclusive = $inclusive:literal;)*) => {$(
        /// Scans one block's elements.
        ///
        /// # Parameters
        /// - `input`: up to [`MAX_ELEMENTS`] elements.
        /// - `output`: as many elements.
        ///
        /// # Thread Mapping
        /// One block of [`threads`] threads; thread t has the elements t,
        /// t + threads, ...
        ///
        /// # Safety
        /// One block of whole warps; `output` holds `input.len()` elements.
        #[kernel]
        #[launch_bounds(MAX_THREADS)]
        #[launch_contract(
            input.len() <= MAX_ELEMENTS,
            output.len() >= input.len(),
            grid.count() == 1 && block.y == 1 && block.z == 1 && block.x % 32 == 0
        )]
        pub unsafe fn $plain(input: &[$element], output: *mut $element) {
            let buffers = [shared_array![$element; MAX_ELEMENTS], shared_array![$element; MAX_ELEMENTS]];
            // SAFETY: the kernel's own contract.
            unsafe { scan::<$inclusive, $element>(input, output, buffers, Uncounted) }
        }

        /// The same, counting the combines and the working warps of every step.
        ///
        /// # Parameters
        /// - `threads`, `warps`: [`steps`] elements each, zero before the launch.
        ///
        /// # Safety
        /// As for the plain kernel; `threads` and `warps` hold [`steps`] elements.
        #[kernel]
        #[launch_bounds(MAX_THREADS)]
        #[launch_contract(
            input.len() <= MAX_ELEMENTS,
            output.len() >= input.len(),
            threads.len() >= steps(input.len()) && warps.len() >= steps(input.len()),
            grid.count() == 1 && block.y == 1 && block.z == 1 && block.x % 32 == 0
        )]
        pub unsafe fn $counted(
            input: &[$element],
            output: *mut $element,
            threads: *mut u32,
            warps: *mut u32,
        ) {
            let buffers = [shared_array![$element; MAX_ELEMENTS], shared_array![$element; MAX_ELEMENTS]];
            // SAFETY: the kernel's own contract.
            unsafe { scan::<$inclusive, $element>(input, output, buffers, Counted { threads, warps }) }
        }
    )*};
}

entries! {
    hillis_steele_inclusive_u32, hillis_steele_inclusive_u32_counted: u32, inclusive = true;
    hillis_steele_exclusive_u32, hillis_steele_exclusive_u32_counted: u32, inclusive = false;
    hillis_steele_inclusive_f32, hillis_steele_inclusive_f32_counted: f32, inclusive = true;
    hillis_steele_exclusive_f32, hillis_steele_exclusive_f32_counted: f32, inclusive = false;
}
