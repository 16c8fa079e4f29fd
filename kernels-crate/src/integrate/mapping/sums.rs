//! Sums of a thread, of a block and of a launch.

use core::ops::AddAssign;

#[cfg_attr(test, allow(unused_imports, reason = "a test has std's functions"))]
use cuda_std::GpuFloat;
use cuda_std::atomic::{AtomicF64, AtomicU32, Ordering};
use cuda_std::{shared_array, thread};

use super::MAX_THREADS;
use crate::LANES;
use crate::block_scan::work::strided;

/// Words of shared memory: one for every thread.
const WORDS: usize = MAX_THREADS as usize;

/// A thread's running sum.
pub trait RunningSum: AddAssign<f64> + Sized {
    /// Zero.
    ///
    /// # Safety
    /// `slot` is a word of global memory that no other thread accesses, and the
    /// block has [`MAX_THREADS`] threads at most.
    unsafe fn zero(slot: *mut f64) -> Self;

    /// What has been added.
    fn value(&self) -> f64;
}

/// A sum in a register.
pub struct Registers(f64);

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
        pub struct $name(Word);

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
pub unsafe fn of_thread<S: RunningSum>(
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
        GpuFloat::sqrt(x.mul_add(-x, 1.0))
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
unsafe fn of_block(tile: *mut f64, value: f64) {
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
pub unsafe fn of_grid(block_sums: *mut f64, finished: *mut u32, total: *mut f64, value: f64) {
    let tile = shared_array![f64; WORDS];
    let is_last = shared_array![bool; 1];
    let thread = thread::thread_idx_x();
    let blocks = thread::grid_dim_x();
    // SAFETY: the caller's. A block's sum is written before the block counts itself
    // as finished, and read by the one that counts last: the count's order and the
    // barrier behind it make the sums of all blocks visible to all of its threads.
    unsafe {
        of_block(tile, value);
        if thread == 0 {
            *block_sums.add(thread::block_idx_x() as usize) = *tile;
            let before = AtomicU32::from_ptr(finished).fetch_add(1, Ordering::AcqRel);
            *is_last = before == blocks - 1;
        }
        thread::sync_threads();
        if *is_last {
            of_block(tile, sum_of_strided(block_sums, blocks as usize));
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

/// Adds a thread's sum to `total`, in any order.
///
/// # Safety
/// `total` is an element that is accessed atomically alone.
#[inline(always)]
pub unsafe fn of_launch(total: *mut f64, sum: f64) {
    // SAFETY: the caller's.
    unsafe { AtomicF64::from_ptr(total) }.fetch_add(sum, Ordering::Relaxed);
}

/// Adds up `n` values by one block: each thread every so many of them, then a tree.
///
/// # Safety
/// All threads of one block of one dimension call it once, at most [`MAX_THREADS`];
/// `values` holds `n` elements, and `total` one.
#[inline(always)]
pub unsafe fn of_array(values: *const f64, n: usize, total: *mut f64) {
    let tile = shared_array![f64; WORDS];
    // SAFETY: the caller's, and a tile that nobody has used before.
    unsafe {
        of_block(tile, sum_of_strided(values, n));
        if thread::thread_idx_x() == 0 {
            *total = *tile;
        }
    }
}
