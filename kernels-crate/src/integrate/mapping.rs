//! The trapezoid rule on the quarter circle once more, in f64, for three questions
//! that the published sweeps leave open: which thread has which strip, where its
//! running sum is, and who adds the threads' sums up. The names of the kernels say
//! the last two, as `mapped_WHERE_WHO`.
//!
//! **Which strip**: an affine map, three numbers of the launch. Thread t of block b
//! has the strips `b * per_block + t * per_thread + k * stride`, k = 0 .. count - 1:
//!
//! | mapping | `per_block` | `per_thread` | `stride` |
//! | --- | --- | --- | --- |
//! | contiguous | block * count | count | 1 |
//! | strided | block | 1 | grid * block |
//! | block-strided | block * count | 1 | block |
//!
//! One kernel therefore has all three with the same instructions. Nothing is read
//! by strip, so that a mapping decides which terms meet in a sum, and nothing else.
//!
//! **Where**: in a register; in a word of shared memory a thread, next to each
//! other (two wavefronts for the 32 words of 8 bytes of a warp, as few as can be);
//! in a word of shared memory a thread, the words of a warp in one pair of banks (32
//! wavefronts); in a word of global memory a thread. Words of memory are read and
//! written at every term: `volatile`, or they would live in a register all the same.
//!
//! **Who**: the host or a second launch of [`sum_partials`], from one sum a thread
//! in memory; the launch itself, by a tree in each block and once more in the block
//! that finishes last; or every thread, by an atomic addition. All but the last add
//! in an order that the launch's shape alone decides.
//!
//! Source of the last block's work: the sample `threadFenceReduction` of the CUDA
//! toolkit; what was a fence there is the order of the atomic addition here.

#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod sums;

use cuda_std::prelude::*;

// Contracts are checked on the host.
#[cfg(not(target_os = "cuda"))]
use super::trapezoid::MAX_STRIPS;

/// The most threads of a block: each has a word of shared memory.
pub const MAX_THREADS: u32 = 1024;

/// Threads of the block of [`sum_partials`].
pub const SUM_THREADS: u32 = 1024;

/// Makes the kernels of a running sum: one that stores a sum a thread, one that
/// adds them up in the same launch, and one that does so by atomics.
macro_rules! entries {
    ($($sum:ident: $stored:ident, $same_launch:ident, $atomics:ident;)*) => {$(
        entry! {
            /// A partial sum a thread, stored once it is whole.
            ///
            /// # Parameters
            /// - `partials`: one partial sum a thread, `grid * block` of them.
            /// - `count`: strips a thread.
            /// - `per_block`, `per_thread`, `stride`: which strips, see the module.
            /// - `step`: the width of a strip.
            ///
            /// # Safety
            /// `partials` holds `grid * block` elements, and grid and block are
            /// one-dimensional.
            $stored, $sum, partials, (), [],
            |sum| *partials.add(thread::index_1d() as usize) = sum
        }

        entry! {
            /// The sum of all strips.
            ///
            /// # Parameters
            /// - `partials`: one running sum a thread, where they are in global memory.
            /// - `block_sums`: an element a block.
            /// - `finished`: one element: 0 before the launch, and 0 again after it.
            /// - `total`: one element, the sum.
            /// - The others as where the partial sums are stored.
            ///
            /// # Safety
            /// `partials` holds `grid * block` elements, `block_sums` `grid` and `total`
            /// one, grid and block are one-dimensional, and `finished` is 0.
            $same_launch, $sum, partials,
            (block_sums: *mut f64, finished: *mut u32, total: *mut f64,),
            [one a block: block_sums, one: finished total],
            |sum| sums::of_grid(block_sums, finished, total, sum)
        }

        entry! {
            /// Every thread adds its sum to `total`, in any order.
            ///
            /// # Parameters
            /// - `partials`: one running sum a thread, where they are in global memory.
            /// - `total`: one element; what it holds is added to.
            /// - The others as where the partial sums are stored.
            ///
            /// # Safety
            /// `partials` holds `grid * block` elements, `total` holds one, and grid and
            /// block are one-dimensional.
            $atomics, $sum, partials, (total: *mut f64,), [one: total],
            |sum| sums::of_launch(total, sum)
        }
    )*};
}

/// A kernel that does something with each thread's sum: its further parameters, and which of them
/// have an element a block, and which one.
macro_rules! entry {
    (
        $(#[$doc:meta])*
        $name:ident, $running:ident, $partials:ident,
        ($($own:ident: $type:ty,)*),
        [$($(one a block: $of_blocks:ident,)? one: $one:ident $($more:ident)*)?],
        |$sum:ident| $finish:expr
    ) => {
        $(#[$doc])*
        #[kernel]
        #[launch_contract(
            $partials.len() as u64 >= grid.count().saturating_mul(block.count()),
            $($($of_blocks.len() as u64 >= grid.count() &&)? !$one.is_empty() $(&& !$more.is_empty())*,)?
            grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1 && block.x <= MAX_THREADS,
            u64::from(count).saturating_mul(grid.count()).saturating_mul(block.count()) <= MAX_STRIPS
        )]
        #[allow(clippy::too_many_arguments, reason = "a launch has them")]
        pub unsafe fn $name(
            $partials: *mut f64,
            $($own: $type,)*
            count: u32,
            per_block: u32,
            per_thread: u32,
            stride: f64,
            step: f64,
        ) {
            #[cfg(target_os = "cuda")]
            // SAFETY: the kernel's own contract: `partials` has an element for every thread.
            unsafe {
                let $sum = sums::of_thread::<sums::$running>(
                    $partials, count, per_block, per_thread, stride, step,
                );
                $finish
            }
        }
    };
}

entries! {
    Registers: mapped_registers, mapped_registers_same_launch, mapped_registers_atomics;
    Shared: mapped_shared, mapped_shared_same_launch, mapped_shared_atomics;
    SharedConflicts: mapped_shared_conflicts, mapped_shared_conflicts_same_launch,
        mapped_shared_conflicts_atomics;
    Global: mapped_global, mapped_global_same_launch, mapped_global_atomics;
}

/// Adds up partial sums by one block: each thread every so many of them, then a
/// tree.
///
/// # Parameters
/// - `partials`: any number of them.
/// - `total`: one element, the sum.
///
/// # Safety
/// One block of one dimension; `total` holds an element.
#[kernel]
#[launch_bounds(1024)]
#[launch_contract(
    !total.is_empty(),
    grid.count() == 1 && block.y == 1 && block.z == 1 && block.x <= MAX_THREADS
)]
pub unsafe fn sum_partials(partials: &[f64], total: *mut f64) {
    #[cfg(target_os = "cuda")]
    // SAFETY: the kernel's own contract.
    unsafe {
        sums::of_array(partials.as_ptr(), partials.len(), total);
    }
}
