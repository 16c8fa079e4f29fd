//! The work-efficient scan: a tree of partial sums upwards, the prefixes
//! downwards; about 2 n adds in 2 log2(n) - 1 steps.
//!
//! Source: Blelloch, Prefix sums and their applications, 1990, section 1.3; GPU
//! Gems 3, section 39.2.2, and 39.2.3 for the padding.

#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod scan;

use cuda_std::prelude::*;

#[cfg(target_os = "cuda")]
use self::scan::{PADDED_ELEMENTS, scan};
#[cfg(target_os = "cuda")]
use super::work::{Counted, Uncounted, of_block};
use super::{MAX_ELEMENTS, MAX_THREADS};

/// Threads of the block: one for every two elements.
pub const fn threads(elements: usize) -> u32 {
    super::threads(elements.next_power_of_two(), 2)
}

/// Steps of a scan of `elements` elements: up to below the root, and down.
pub const fn steps(elements: usize) -> usize {
    (2 * elements.next_power_of_two().ilog2() as usize).saturating_sub(1)
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
            #[cfg(target_os = "cuda")]
            {
                let tree = cuda_std::shared_array![$element; if $padded { PADDED_ELEMENTS } else { MAX_ELEMENTS }];
                // SAFETY: the kernel's own contract.
                unsafe { scan::<$inclusive, $padded, $scattered, $element>(input, output, tree, Uncounted) }
            }
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
            #[cfg(target_os = "cuda")]
            {
                let tree = cuda_std::shared_array![$element; if $padded { PADDED_ELEMENTS } else { MAX_ELEMENTS }];
                let counter = Counted { threads, warps, adds };
                // SAFETY: the kernel's own contract.
                unsafe { scan::<$inclusive, $padded, $scattered, $element>(input, output, tree, counter) }
            }
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
            #[cfg(target_os = "cuda")]
            {
                let tree = cuda_std::shared_array![u32; if $padded { PADDED_ELEMENTS } else { MAX_ELEMENTS }];
                // SAFETY: the kernel's own contract.
                unsafe {
                    let (input, output) = of_block(input, output, elements);
                    scan::<false, $padded, $scattered, u32>(input, output, tree, Uncounted)
                }
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
