//! The work-efficient scan: a tree of partial sums upwards, the prefixes
//! downwards; about 2 n adds in 2 log2(n) - 1 steps.
//!
//! Source: Blelloch, Prefix sums and their applications, 1990, section 1.3; GPU
//! Gems 3, section 39.2.2, and 39.2.3 for the padding. The tree is walked in
//! place in shared memory. The up-sweep stops below the root: the sum of all
//! elements is overwritten by zero before anything reads it.

use super::{
    Counted, Element, MAX_ELEMENTS, MAX_THREADS, StepCounter, Uncounted, dealt_item, item,
    of_block, strided,
};
use cuda_std::prelude::*;
use cuda_std::shared_array;

/// Banks of shared memory: 32 of 4 bytes.
const BANKS: usize = 32;

/// Room for [`MAX_ELEMENTS`] padded elements.
const PADDED_ELEMENTS: usize = place::<true>(MAX_ELEMENTS - 1) + 1;

/// Threads of the block: one for every two elements.
pub const fn threads(elements: usize) -> u32 {
    super::threads(elements.next_power_of_two(), 2)
}

/// Steps of a scan of `elements` elements: up to below the root, and down.
pub const fn steps(elements: usize) -> usize {
    (2 * elements.next_power_of_two().ilog2() as usize).saturating_sub(1)
}

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
unsafe fn scan<const INCLUSIVE: bool, const PADDED: bool, const SCATTERED: bool, T: Element>(
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

macro_rules! entries {
    ($(
        $plain:ident, $counted:ident: $element:ty,
        inclusive = $inclusive:literal, padded = $padded:literal, scattered = $scattered:literal;
    )*) => {$(
        /// Scans one block's elements.
        ///
        /// # Parameters
        /// - `input`: up to [`MAX_ELEMENTS`] elements.
        /// - `output`: as many elements.
        ///
        /// # Thread Mapping
        /// One block of [`threads`] threads; thread t combines the t-th pair of
        /// a level of the tree; scattered, the pair on its warp's diagonal; padded
        /// as well, one of those dealt to the warps in turn.
        ///
        /// # Safety
        /// One block of at least [`threads`] threads, scattered a power of two of
        /// them; `output` holds `input.len()` elements.
        #[kernel]
        #[launch_bounds(MAX_THREADS)]
        #[launch_contract(
            input.len() <= MAX_ELEMENTS,
            output.len() >= input.len(),
            grid.count() == 1 && block.y == 1 && block.z == 1 && block.x % 32 == 0,
            block.x >= threads(input.len()),
            !$scattered || block.x.is_power_of_two()
        )]
        pub unsafe fn $plain(input: &[$element], output: *mut $element) {
            let tree = shared_array![$element; if $padded { PADDED_ELEMENTS } else { MAX_ELEMENTS }];
            // SAFETY: the kernel's own contract.
            unsafe { scan::<$inclusive, $padded, $scattered, $element>(input, output, tree, Uncounted) }
        }

        /// The same, counting the work of every step.
        ///
        /// # Parameters
        /// - `threads`, `warps`, `adds`: [`steps`] elements each, zero before the
        ///   launch.
        ///
        /// # Safety
        /// As for the plain kernel; the counts hold [`steps`] elements each.
        #[kernel]
        #[launch_bounds(MAX_THREADS)]
        #[launch_contract(
            input.len() <= MAX_ELEMENTS,
            output.len() >= input.len(),
            threads.len() >= steps(input.len()) && warps.len() >= steps(input.len()),
            adds.len() >= steps(input.len()),
            grid.count() == 1 && block.y == 1 && block.z == 1 && block.x % 32 == 0,
            block.x >= self::threads(input.len()),
            !$scattered || block.x.is_power_of_two()
        )]
        pub unsafe fn $counted(
            input: &[$element],
            output: *mut $element,
            threads: *mut u32,
            warps: *mut u32,
            adds: *mut u32,
        ) {
            let tree = shared_array![$element; if $padded { PADDED_ELEMENTS } else { MAX_ELEMENTS }];
            let counter = Counted { threads, warps, adds };
            // SAFETY: the kernel's own contract.
            unsafe { scan::<$inclusive, $padded, $scattered, $element>(input, output, tree, counter) }
        }
    )*};
}

entries! {
    blelloch_inclusive_u32, blelloch_inclusive_u32_counted: u32, inclusive = true, padded = false, scattered = false;
    blelloch_exclusive_u32, blelloch_exclusive_u32_counted: u32, inclusive = false, padded = false, scattered = false;
    blelloch_inclusive_f32, blelloch_inclusive_f32_counted: f32, inclusive = true, padded = false, scattered = false;
    blelloch_exclusive_f32, blelloch_exclusive_f32_counted: f32, inclusive = false, padded = false, scattered = false;
    blelloch_padded_inclusive_u32, blelloch_padded_inclusive_u32_counted: u32, inclusive = true, padded = true, scattered = false;
    blelloch_padded_exclusive_u32, blelloch_padded_exclusive_u32_counted: u32, inclusive = false, padded = true, scattered = false;
    blelloch_padded_inclusive_f32, blelloch_padded_inclusive_f32_counted: f32, inclusive = true, padded = true, scattered = false;
    blelloch_padded_exclusive_f32, blelloch_padded_exclusive_f32_counted: f32, inclusive = false, padded = true, scattered = false;
    blelloch_scattered_exclusive_u32, blelloch_scattered_exclusive_u32_counted: u32, inclusive = false, padded = false, scattered = true;
    blelloch_padded_scattered_exclusive_u32, blelloch_padded_scattered_exclusive_u32_counted: u32, inclusive = false, padded = true, scattered = true;
}

macro_rules! batches {
    ($($name:ident, padded = $padded:literal, scattered = $scattered:literal;)*) => {$(
        /// A batch of scans, exclusive, one a block, so that they fill the device.
        ///
        /// # Parameters
        /// - `input`: `elements` elements a block.
        /// - `output`: as many elements.
        /// - `elements`: up to [`MAX_ELEMENTS`].
        ///
        /// # Thread Mapping
        /// Block b has the elements from b * `elements`; in it, as in the kernel
        /// for one block.
        ///
        /// # Safety
        /// Blocks as for the kernel for one block; `input` and `output` hold
        /// `elements` elements a block.
        #[kernel]
        #[launch_bounds(MAX_THREADS)]
        #[launch_contract(
            elements as usize <= MAX_ELEMENTS,
            input.len() as u64 >= grid.count().saturating_mul(elements as u64),
            output.len() as u64 >= grid.count().saturating_mul(elements as u64),
            grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1 && block.x % 32 == 0,
            block.x >= threads(elements as usize),
            !$scattered || block.x.is_power_of_two()
        )]
        pub unsafe fn $name(input: &[u32], output: *mut u32, elements: u32) {
            let tree = shared_array![u32; if $padded { PADDED_ELEMENTS } else { MAX_ELEMENTS }];
            // SAFETY: the kernel's own contract.
            unsafe {
                let (input, output) = of_block(input, output, elements);
                scan::<false, $padded, $scattered, u32>(input, output, tree, Uncounted)
            }
        }
    )*};
}

batches! {
    blelloch_batch_exclusive_u32, padded = false, scattered = false;
    blelloch_padded_batch_exclusive_u32, padded = true, scattered = false;
    blelloch_scattered_batch_exclusive_u32, padded = false, scattered = true;
    blelloch_padded_scattered_batch_exclusive_u32, padded = true, scattered = true;
}
