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

use core::ops::AddAssign;

use cuda_std::atomic::{AtomicF64, AtomicU32, Ordering};
use cuda_std::prelude::*;
use cuda_std::shared_array;

// Contracts are checked on the host.
#[cfg(not(target_os = "cuda"))]
use super::trapezoid::MAX_STRIPS;
use crate::block_scan::strided;

/// The most threads of a block: each has a word of shared memory.
pub const MAX_THREADS: u32 = 1024;

/// Threads of the block of [`sum_partials`].
pub const SUM_THREADS: u32 = 1024;

/// Lanes of a warp.
const LANES: u32 = 32;

/// Words of shared memory: one for every thread.
const WORDS: usize = MAX_THREADS as usize;

/// A thread's running sum.
trait RunningSum: AddAssign<f64> + Sized {
    /// Zero.
    ///
    /// # Safety
    /// `slot` is a word of global memory that no other thread accesses, and the
    /// block has [`MAX_THREADS`] threads at most.
    unsafe fn zero(slot: *mut f64) -> Self;

    /// What has been added.
    fn value(&self) -> f64;
}

struct Registers(f64);

impl AddAssign<f64> for Registers {
    #[inline(always)]
    fn add_assign(&mut self, term: f64) {
        self.0 += term;
    }
}

impl RunningSum for Registers {
    #[inline(always)]
    unsafe fn zero(_slot: *mut f64) -> Self {
        Registers(0.0)
    }

    #[inline(always)]
    fn value(&self) -> f64 {
        self.0
    }
}

/// A word of memory that is this thread's alone.
struct Word(*mut f64);

impl Word {
    /// # Safety
    /// No other thread accesses `word`.
    #[inline(always)]
    unsafe fn zero(word: *mut f64) -> Self {
        // SAFETY: the caller's.
        unsafe { word.write_volatile(0.0) };
        Word(word)
    }

    #[inline(always)]
    fn value(&self) -> f64 {
        // SAFETY: the word is this thread's, and `zero` has written it.
        unsafe { self.0.read_volatile() }
    }

    #[inline(always)]
    fn add(&mut self, term: f64) {
        let sum = self.value() + term;
        // SAFETY: the word is this thread's.
        unsafe { self.0.write_volatile(sum) };
    }
}

/// Makes a place of a word, `$word` of the thread's `$slot` in global memory.
macro_rules! place {
    ($(#[$doc:meta])* $name:ident, |$slot:ident| $word:expr) => {
        $(#[$doc])*
        struct $name(Word);

        impl AddAssign<f64> for $name {
            #[inline(always)]
            fn add_assign(&mut self, term: f64) {
                self.0.add(term);
            }
        }

        impl RunningSum for $name {
            #[inline(always)]
            unsafe fn zero($slot: *mut f64) -> Self {
                // SAFETY: a word for every thread of the block, or the caller's.
                $name(unsafe { Word::zero($word) })
            }

            #[inline(always)]
            fn value(&self) -> f64 {
                self.0.value()
            }
        }
    };
}

place! {
    /// Words of neighbouring threads are neighbours.
    Shared, |_slot| shared_array![f64; WORDS].add(thread::thread_idx_x() as usize)
}

place! {
    /// A row of 32 words a lane, a column a warp: the words of a warp are 256 bytes
    /// apart, two rounds of all banks, and so all in the same pair of banks.
    SharedConflicts, |_slot| {
        let (lane, warp) = (thread::thread_idx_x() % LANES, thread::thread_idx_x() / LANES);
        shared_array![f64; WORDS].add((lane * LANES + warp) as usize)
    }
}

place! {
    /// Words of neighbouring threads are neighbours.
    Global, |slot| slot
}

/// The sum of this thread's strips, in the order of their numbers.
///
/// A strip's number is kept as a float, in which adding the stride is exact; so is
/// its product with a step of 2^-p, and up to 2^26 strips (a power of two) the sums
/// of the contiguous mapping have the bits of the published loop.
///
/// # Safety
/// `partials` holds an element for every thread, and no thread accesses another's.
#[inline(always)]
unsafe fn thread_sum<S: RunningSum>(
    partials: *mut f64,
    count: u32,
    per_block: u32,
    per_thread: u32,
    stride: f64,
    step: f64,
) -> f64 {
    let first = thread::block_idx_x() * per_block + thread::thread_idx_x() * per_thread;
    let mut strip = f64::from(first);
    // SAFETY: the caller's.
    let mut sum = unsafe { S::zero(partials.add(thread::index_1d() as usize)) };
    let mut height = || {
        let x = strip * step;
        strip += stride;
        x.mul_add(-x, 1.0).sqrt()
    };
    // Four square roots at a time, which do not wait for each other.
    for _ in 0..count / 4 {
        let (a, b, c, d) = (height(), height(), height(), height());
        sum += a;
        sum += b;
        sum += c;
        sum += d;
    }
    for _ in 0..count % 4 {
        sum += height();
    }
    sum.value() * step
}

/// Adds up one value a thread by a tree, the upper half of the threads onto the
/// lower. Element 0 of `tile` is then the sum, for thread 0 to read.
///
/// # Safety
/// All threads of the block call it; `tile` lies in shared memory and has
/// [`WORDS`] elements, and a barrier stands between what was read of it and this.
#[inline(always)]
unsafe fn block_sum(tile: *mut f64, value: f64) {
    let thread = thread::thread_idx_x() as usize;
    let mut width = thread::block_dim_x() as usize;
    // SAFETY: places are below the number of threads; those that are read in a
    // round were written before the barrier, and not in this round.
    unsafe {
        *tile.add(thread) = value;
        while width > 1 {
            thread::sync_threads();
            let half = width.div_ceil(2);
            if thread + half < width {
                *tile.add(thread) += *tile.add(thread + half);
            }
            width = half;
        }
    }
}

/// Adds up the values of all threads of the launch to `total`; `finished` is 0 again.
///
/// # Safety
/// All threads of the launch call it once, in blocks of one dimension with
/// [`MAX_THREADS`] threads at most; `block_sums` has an element for every block;
/// `finished` is 0 when the launch begins.
#[inline(always)]
unsafe fn grid_sum(block_sums: *mut f64, finished: *mut u32, total: *mut f64, value: f64) {
    let tile = shared_array![f64; WORDS];
    let is_last = shared_array![bool; 1];
    let thread = thread::thread_idx_x();
    let blocks = thread::grid_dim_x();
    // SAFETY: the caller's. A block's sum is written before the block counts itself
    // as finished, and read by the one that counts last: the count's order and the
    // barrier behind it make the sums of all blocks visible to all of its threads.
    unsafe {
        block_sum(tile, value);
        if thread == 0 {
            *block_sums.add(thread::block_idx_x() as usize) = *tile;
            let before = AtomicU32::from_ptr(finished).fetch_add(1, Ordering::AcqRel);
            *is_last = before == blocks - 1;
        }
        thread::sync_threads();
        if *is_last {
            block_sum(tile, sum_of_strided(block_sums, blocks as usize));
            if thread == 0 {
                *total = *tile;
                // For the next launch; no other block is left that counts.
                *finished = 0;
            }
        }
    }
}

/// The sum of every block's-width-th element of `values`, from the thread's own.
///
/// # Safety
/// `values` holds `n` elements, and nobody writes to them.
#[inline(always)]
unsafe fn sum_of_strided(values: *const f64, n: usize) -> f64 {
    let mut sum = 0.0;
    let threads = thread::block_dim_x() as usize;
    for i in strided(thread::thread_idx_x() as usize, n, threads) {
        // SAFETY: i is below n.
        sum += unsafe { *values.add(i) };
    }
    sum
}

/// Makes the kernels of a running sum: one that stores a sum a thread, one that
/// adds them up in the same launch, and one that does so by atomics.
macro_rules! entries {
    ($($sum:ident: $stored:ident, $same_launch:ident, $atomics:ident;)*) => {$(
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
        #[kernel]
        #[launch_contract(
            partials.len() as u64 >= grid.count().saturating_mul(block.count()),
            grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1 && block.x <= MAX_THREADS,
            u64::from(count).saturating_mul(grid.count()).saturating_mul(block.count()) <= MAX_STRIPS
        )]
        pub unsafe fn $stored(
            partials: *mut f64,
            count: u32,
            per_block: u32,
            per_thread: u32,
            stride: f64,
            step: f64,
        ) {
            // SAFETY: `partials` has an element for every thread.
            unsafe {
                let sum = thread_sum::<$sum>(partials, count, per_block, per_thread, stride, step);
                *partials.add(thread::index_1d() as usize) = sum;
            }
        }

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
        #[kernel]
        #[launch_contract(
            partials.len() as u64 >= grid.count().saturating_mul(block.count()),
            block_sums.len() as u64 >= grid.count() && !finished.is_empty() && !total.is_empty(),
            grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1 && block.x <= MAX_THREADS,
            u64::from(count).saturating_mul(grid.count()).saturating_mul(block.count()) <= MAX_STRIPS
        )]
        #[allow(clippy::too_many_arguments, reason = "a launch has them")]
        pub unsafe fn $same_launch(
            partials: *mut f64,
            block_sums: *mut f64,
            finished: *mut u32,
            total: *mut f64,
            count: u32,
            per_block: u32,
            per_thread: u32,
            stride: f64,
            step: f64,
        ) {
            // SAFETY: `partials` has an element for every thread, `block_sums` one
            // for every block, and `finished` is 0.
            unsafe {
                let sum = thread_sum::<$sum>(partials, count, per_block, per_thread, stride, step);
                grid_sum(block_sums, finished, total, sum);
            }
        }

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
        #[kernel]
        #[launch_contract(
            partials.len() as u64 >= grid.count().saturating_mul(block.count()),
            !total.is_empty(),
            grid.y == 1 && grid.z == 1 && block.y == 1 && block.z == 1 && block.x <= MAX_THREADS,
            u64::from(count).saturating_mul(grid.count()).saturating_mul(block.count()) <= MAX_STRIPS
        )]
        pub unsafe fn $atomics(
            partials: *mut f64,
            total: *mut f64,
            count: u32,
            per_block: u32,
            per_thread: u32,
            stride: f64,
            step: f64,
        ) {
            // SAFETY: `partials` has an element for every thread, and `total` is
            // accessed atomically alone.
            unsafe {
                let sum = thread_sum::<$sum>(partials, count, per_block, per_thread, stride, step);
                AtomicF64::from_ptr(total).fetch_add(sum, Ordering::Relaxed);
            }
        }
    )*};
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
    let tile = shared_array![f64; WORDS];
    // SAFETY: the kernel's own contract, and a tile that nobody has used before.
    unsafe {
        block_sum(tile, sum_of_strided(partials.as_ptr(), partials.len()));
        if thread::thread_idx_x() == 0 {
            *total = *tile;
        }
    }
}
