//! The algorithm: two buffers in shared memory, one barrier a step.

use cuda_std::thread;

use super::steps;
use crate::block_scan::work::{Element, StepCounter, item, strided};

/// Scans `input` to `output` by one block.
///
/// # Safety
/// All threads of one block of whole warps call it, a power of two of them when
/// `SCATTERED`; `output` holds as many elements as `input`, and each of `buffers`
/// does in shared memory.
#[inline(always)]
pub unsafe fn scan<const INCLUSIVE: bool, const SCATTERED: bool, T: Element>(
    input: &[T],
    output: *mut T,
    buffers: [*mut T; 2],
    counter: impl StepCounter,
) {
    let n = input.len();
    let threads = thread::block_dim_x() as usize;
    let thread = thread::thread_idx_x() as usize;
    let item = item::<SCATTERED>();
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
            let mut adds = 0;
            // Passes, not elements: all threads of a warp go on together.
            for first in strided(0, n, threads) {
                let i = first + item;
                let combines = i >= distance && i < n;
                adds += u32::from(combines);
                if combines {
                    *to.add(i) = (*from.add(i - distance)).plus(*from.add(i));
                } else if i < n {
                    *to.add(i) = *from.add(i);
                }
            }
            counter.count(step, adds);
            thread::sync_threads();
            (from, to) = (to, from);
        }

        for i in strided(thread, n, threads) {
            *output.add(i) = *from.add(i);
        }
    }
}
