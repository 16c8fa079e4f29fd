//! The naive scan: every step adds the element at twice the distance of the step
//! before; n log2(n) - (n - 1) adds.
//!
//! Source: Hillis and Steele, Data parallel algorithms, CACM 1986; GPU Gems 3,
//! section 39.2.1.

#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod scan;

use cuda_std::prelude::*;

#[cfg(target_os = "cuda")]
use self::scan::scan;
#[cfg(target_os = "cuda")]
use super::work::{Counted, Uncounted, of_block};
use super::{MAX_ELEMENTS, MAX_THREADS};

/// Threads of the block: one an element, as far as a block goes.
pub const fn threads(elements: usize) -> u32 {
    super::threads(elements, 1)
}

/// Threads of the block of a scattered scan: as many, in a power of two of warps.
pub const fn scattered_threads(elements: usize) -> u32 {
    threads(elements.next_power_of_two())
}

/// Steps of a scan of `elements` elements: log2, rounded up.
pub const fn steps(elements: usize) -> usize {
    elements.next_power_of_two().ilog2() as usize
}

macro_rules! entries {
    ($(
        $plain:ident, $counted:ident: $element:ty,
        inclusive = $inclusive:literal, scattered = $scattered:literal;
    )*) => {$(
        /// Scans one block's elements.
        ///
        /// # Parameters
        /// - `input`: up to [`MAX_ELEMENTS`] elements.
        /// - `output`: as many elements.
        ///
        /// # Thread Mapping
        /// One block of [`threads`] threads; thread t has the elements t,
        /// t + threads, ...; scattered, a block of [`scattered_threads`] threads,
        /// and thread t combines the elements of the item on its warp's diagonal.
        ///
        /// # Safety
        /// One block of whole warps, scattered a power of two of them; `output`
        /// holds `input.len()` elements.
        #[kernel]
        #[launch_bounds(MAX_THREADS)]
        #[launch_contract(
            input.len() <= MAX_ELEMENTS,
            output.len() >= input.len(),
            grid.count() == 1 && block.y == 1 && block.z == 1 && block.x % 32 == 0,
            !$scattered || block.x.is_power_of_two()
        )]
        pub unsafe fn $plain(input: &[$element], output: *mut $element) {
            #[cfg(target_os = "cuda")]
            {
                let buffers = [cuda_std::shared_array![$element; MAX_ELEMENTS], cuda_std::shared_array![$element; MAX_ELEMENTS]];
                // SAFETY: the kernel's own contract.
                unsafe { scan::<$inclusive, $scattered, $element>(input, output, buffers, Uncounted) }
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
                let buffers = [cuda_std::shared_array![$element; MAX_ELEMENTS], cuda_std::shared_array![$element; MAX_ELEMENTS]];
                let counter = Counted { threads, warps, adds };
                // SAFETY: the kernel's own contract.
                unsafe { scan::<$inclusive, $scattered, $element>(input, output, buffers, counter) }
            }
        }
    )*};
}

entries! {
    hillis_steele_inclusive_u32, hillis_steele_inclusive_u32_counted: u32, inclusive = true, scattered = false;
    hillis_steele_exclusive_u32, hillis_steele_exclusive_u32_counted: u32, inclusive = false, scattered = false;
    hillis_steele_inclusive_f32, hillis_steele_inclusive_f32_counted: f32, inclusive = true, scattered = false;
    hillis_steele_exclusive_f32, hillis_steele_exclusive_f32_counted: f32, inclusive = false, scattered = false;
    hillis_steele_scattered_inclusive_u32, hillis_steele_scattered_inclusive_u32_counted: u32, inclusive = true, scattered = true;
}

macro_rules! batches {
    ($($name:ident, scattered = $scattered:literal;)*) => {$(
        /// A batch of scans, inclusive, one a block, so that they fill the device.
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
            !$scattered || block.x.is_power_of_two()
        )]
        pub unsafe fn $name(input: &[u32], output: *mut u32, elements: u32) {
            #[cfg(target_os = "cuda")]
            {
                let buffers = [cuda_std::shared_array![u32; MAX_ELEMENTS], cuda_std::shared_array![u32; MAX_ELEMENTS]];
                // SAFETY: the kernel's own contract.
                unsafe {
                    let (input, output) = of_block(input, output, elements);
                    scan::<true, $scattered, u32>(input, output, buffers, Uncounted)
                }
            }
        }
    )*};
}

batches! {
    hillis_steele_batch_inclusive_u32, scattered = false;
    hillis_steele_scattered_batch_inclusive_u32, scattered = true;
}
