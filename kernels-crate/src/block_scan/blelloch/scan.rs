//! The algorithm: the tree is walked in place in shared memory. The up-sweep stops below the
//! root: the sum of all elements is overwritten by zero before anything reads it.

use cuda_std::thread;

use crate::block_scan::MAX_ELEMENTS;
use crate::block_scan::work::{Element, StepCounter, dealt_item, item, strided};

/// Banks of shared memory: 32 of 4 bytes.
const BANKS: usize = 32;

/// Room for [`MAX_ELEMENTS`] padded elements.
pub const PADDED_ELEMENTS: usize = place::<true>(MAX_ELEMENTS - 1) + 1;

/// Where element `i` lies in shared memory. Padded, one gap after every 32
/// elements, and one after every 1024, keeps the strides of the tree, powers of
/// two, from falling into one bank.
#[inline(always)]
const fn place<const PADDED: bool>(i: usize) -> usize {
    if PADDED {
        i + i / BANKS + i / (BANKS * BANKS)
    } else {
        i
    }
}

/// The pair of a level that this thread combines. A diagonal has no new conflicts
/// where elements lie without gaps; the gaps would shift its rows into each other's
/// banks, and are made for distances of powers of two.
#[inline(always)]
fn pair<const PADDED: bool, const SCATTERED: bool>() -> usize {
    if PADDED && SCATTERED {
        dealt_item()
    } else {
        item::<SCATTERED>()
    }
}

/// Scans `input` to `output` by one block.
///
/// # Safety
/// All threads of one block of whole warps call it, at least one for every two
/// elements, a power of two of them when `SCATTERED`; `output` holds as many
/// elements as `input`; `tree` lies in shared memory and has room for the next
/// power of two, padded or not.
#[inline(always)]
pub unsafe fn scan<const INCLUSIVE: bool, const PADDED: bool, const SCATTERED: bool, T: Element>(
    input: &[T],
    output: *mut T,
    tree: *mut T,
    counter: impl StepCounter,
) {
    let n = input.len();
    let leaves = n.next_power_of_two();
    let threads = thread::block_dim_x() as usize;
    let thread = thread::thread_idx_x() as usize;
    let pair = pair::<PADDED, SCATTERED>();
    // SAFETY: node(i) is asked for i < leaves alone, see the caller's promise.
    let node = |i: usize| unsafe { tree.add(place::<PADDED>(i)) };
    // The two children of the node that the thread combines, when sub-trees have `size` leaves.
    let children = |size: usize| {
        let left = (2 * pair + 1) * size - 1;
        (node(left), node(left + size))
    };

    // SAFETY: nodes of different threads are different, and a barrier lies
    // between two steps; indices into input and output are smaller than n.
    unsafe {
        for i in strided(thread, leaves, threads) {
            *node(i) = if i < n { input[i] } else { T::ZERO };
        }

        // Up: each node becomes the sum of its leaves.
        let mut step = 0;
        let mut pairs = leaves / 2;
        let mut size = 1;
        while pairs > 1 {
            thread::sync_threads();
            counter.count(step, u32::from(pair < pairs));
            if pair < pairs {
                let (left, right) = children(size);
                *right = (*left).plus(*right);
            }
            pairs /= 2;
            size *= 2;
            step += 1;
        }

        // Down: each node becomes the sum of all leaves before it.
        thread::sync_threads();
        if thread == 0 {
            *node(leaves - 1) = T::ZERO;
        }
        while size > 0 && pairs > 0 {
            thread::sync_threads();
            counter.count(step, u32::from(pair < pairs));
            if pair < pairs {
                let (left, right) = children(size);
                let before = *right;
                *right = before.plus(*left);
                *left = before;
            }
            pairs *= 2;
            size /= 2;
            step += 1;
        }

        thread::sync_threads();
        for i in strided(thread, n, threads) {
            *output.add(i) = if INCLUSIVE {
                (*node(i)).plus(input[i])
            } else {
                *node(i)
            };
        }
    }
}
