//! Where segments begin: a bit for every element, in words of 32, lowest first.
//!
//! Keys, flags and offsets all become such words, by one small kernel each, and the scans
//! of segments read nothing else. So a kernel for every type of key and one for every
//! operator is enough, and what it costs is n / 8 bytes written and read: about one part
//! in 30 of what a scan of 4-byte elements moves.
//!
//! Of a few offsets each block looks at all, and makes its words in shared memory
//! ([`of_few_offsets`]); many are put into words that have been cleared ([`of_offsets`]).
//!
//! The first element always begins a segment. Words hold nothing in particular behind the
//! last element.

mod offsets;

use bytemuck::Pod;
use core::array::from_fn;
use cuda_std::shared::SharedPtr;
use cuda_std::{grid, thread, warp};

use super::lanes::{self, LANES};
use crate::operator::Operator;

pub use self::offsets::{
    FEW_ELEMENTS, FEW_OFFSETS, FEW_PER_BLOCK, FEW_THREADS, of_few_offsets, of_offsets,
};

/// Elements of a word.
pub const EACH: u64 = 32;

/// Words of 32 bits for `n` elements.
pub const fn words(n: u64) -> u64 {
    n.div_ceil(EACH)
}

/// Words of memory that those of `n` elements take: whole vectors of 16 bytes, which bulk
/// copies read.
pub const fn padded_words(n: u64) -> u64 {
    words(n).next_multiple_of(4)
}

/// The most words that a lane's items touch.
const MOST: usize = 5;

/// The most items of a lane, wherever they begin.
pub const MOST_ITEMS: usize = MOST * EACH as usize - 31;

/// Bytes of shared memory for the words of a warp's elements, `items` a lane, from a multiple
/// of 16 bytes on; none for an operator without heads.
pub const fn room<O: Operator>(items: usize) -> usize {
    if O::HAS_HEADS {
        (items * 4 + 12).next_multiple_of(16)
    } else {
        0
    }
}

/// Words that hold the bits of a lane's items, on their way: nothing waits for them before
/// [`Ahead::heads`].
#[derive(Clone, Copy)]
pub struct Ahead {
    words: [u32; MOST],
    /// The bit of the first word that is the first item's.
    first: u32,
}

impl Ahead {
    /// No words.
    #[inline(always)]
    pub fn nowhere() -> Self {
        Self {
            words: [0; MOST],
            first: 0,
        }
    }

    /// Asks for the bits of `ITEMS` elements from `first` on, of `n`: of those that there
    /// are.
    ///
    /// # Safety
    /// `heads` has the words of `n` elements, at least one, if the operator has heads.
    #[inline(always)]
    pub unsafe fn of<O: Operator, const ITEMS: usize>(
        heads: *const u32,
        first: u64,
        n: u64,
    ) -> Self {
        const { assert!(ITEMS <= MOST_ITEMS) };
        let mut ahead = Self::nowhere();
        if O::HAS_HEADS {
            ahead.first = (first % EACH) as u32;
            let last = words(n).saturating_sub(1);
            for w in 0..MOST {
                if w <= (ITEMS + 30) / EACH as usize {
                    // No branch, behind which the next load would wait.
                    let word = (first / EACH + w as u64).min(last);
                    // SAFETY: the caller's.
                    ahead.words[w] = unsafe { *heads.wrapping_add(word as usize) };
                }
            }
        }
        ahead
    }

    /// Reads the bits of `ITEMS` elements from bit `first` of these words on, of which the last
    /// one that may be read has index `last`.
    ///
    /// # Safety
    /// The words may be read.
    #[inline(always)]
    pub unsafe fn in_shared<const ITEMS: usize>(
        words: SharedPtr<u32>,
        first: u32,
        last: u32,
    ) -> Self {
        const { assert!(ITEMS <= MOST_ITEMS) };
        let mut ahead = Self::nowhere();
        ahead.first = first % EACH as u32;
        for w in 0..MOST {
            if w <= (ITEMS + 30) / EACH as usize {
                let word = (first / EACH as u32 + w as u32).min(last);
                // SAFETY: the caller's.
                ahead.words[w] = unsafe { words.wrapping_add(word).load() };
            }
        }
        ahead
    }

    /// The bits.
    #[inline(always)]
    pub fn heads(&self) -> Heads {
        let mut bits = [0; MOST - 1];
        for w in 0..MOST - 1 {
            let both = u64::from(self.words[w + 1]) << 32 | u64::from(self.words[w]);
            bits[w] = (both >> self.first) as u32;
        }
        Heads { bits }
    }
}

/// Which of a lane's items begin a segment; none, where there is one alone.
#[derive(Clone, Copy)]
pub struct Heads {
    bits: [u32; MOST - 1],
}

impl Heads {
    /// No segment begins.
    #[inline(always)]
    pub fn none() -> Self {
        Self {
            bits: [0; MOST - 1],
        }
    }

    /// Whether one of the first `count` items does.
    #[inline(always)]
    pub fn is_any(&self, count: usize) -> bool {
        let mut any = 0;
        for w in 0..MOST - 1 {
            let bits = count.saturating_sub(w * EACH as usize) as u32;
            // Those of 32 and more are all of the word.
            let of_items = !(u64::MAX << bits.min(EACH as u32)) as u32;
            any |= self.bits[w] & of_items;
        }
        any != 0
    }

    /// Whether item `i` does.
    #[inline(always)]
    pub fn is_head(&self, i: usize) -> bool {
        self.bits[i / 32] & 1 << (i % 32) != 0
    }
}

/// Rows of 32 elements that a warp works on at a time: a word of each.
const ROWS: usize = 16;

/// Threads of a block of the kernels here, but for those of few offsets.
pub const THREADS: u32 = 256;

/// Elements or offsets that a block works on at a time.
pub const PER_BLOCK: u64 = ROWS as u64 * THREADS as u64;

/// The number of elements of a launch, once the launches before it are done.
///
/// # Safety
/// `count` is null, or points to a number.
#[inline(always)]
unsafe fn begin(n: u64, count: *const u64) -> u64 {
    grid::allow_next();
    grid::wait_for_earlier();
    if count.is_null() {
        n
    } else {
        // SAFETY: the caller's.
        n.min(unsafe { *count })
    }
}

/// Where this warp begins, in parts of its own, and how many warps there are.
#[inline(always)]
fn warps() -> (u64, u64) {
    let in_block = u64::from(THREADS / LANES);
    let warp = u64::from(thread::thread_idx_x() / LANES);
    (
        u64::from(thread::block_idx_x()) * in_block + warp,
        u64::from(thread::grid_dim_x()) * in_block,
    )
}

/// Asks for the calling warp's first part of the `n` things at `of` into the L2 cache, before the
/// launches ahead are done.
///
/// # Safety
/// They are in global memory; all lanes of the warp call it.
#[inline(always)]
unsafe fn ask_ahead<T>(of: *const T, n: u64) {
    let (elements, size) = (ROWS as u64 * EACH, size_of::<T>() as u32);
    let first = warps().0 * elements;
    let there = n.saturating_sub(first).min(elements) as u32;
    let from = of.wrapping_add(first as usize).cast();
    // SAFETY: the caller's.
    unsafe { lanes::ask_ahead(from, there * size, elements as u32 * size) };
}

/// Writes the words of `n` elements, of which those begin a segment that `is_head` tells by
/// what is at the element before and at its own.
///
/// # Safety
/// There are `n` things at `of`; `heads` has the words; all threads of the grid call it, in
/// blocks of [`THREADS`].
#[inline(always)]
unsafe fn write<T: Pod>(heads: *mut u32, of: *const T, n: u64, is_head: impl Fn(T, T) -> bool) {
    let lane = warp::lane_id();
    let (mut part, parts) = warps();
    let elements = ROWS as u64 * EACH;
    while part * elements < n {
        let first = part * elements;
        // Those that there are, so that no load waits behind a branch.
        let at = |i: u64| of.wrapping_add(i.min(n - 1) as usize);
        // SAFETY: the caller's; all lanes are here.
        unsafe {
            let row = |r: usize| *at(first + r as u64 * EACH + u64::from(lane));
            let rows: [T; ROWS] = from_fn(row);
            let mut above = *at(first.saturating_sub(1));
            let mut own = 0;
            for r in 0..ROWS {
                // Lane 0 has before it what the last lane has in the row above.
                let given = match lane {
                    31 => above,
                    _ => rows[r],
                };
                let before = lanes::of_lane(given, (lane + LANES - 1) % LANES);
                above = rows[r];
                let is_first = first + r as u64 == 0 && lane == 0;
                let word =
                    warp::warp_vote_ballot(warp::FULL_MASK, is_head(before, rows[r]) | is_first);
                if lane == r as u32 {
                    own = word;
                }
            }
            if lane < ROWS as u32 && first + u64::from(lane) * EACH < n {
                *heads.add((first / EACH) as usize + lane as usize) = own;
            }
        }
        part += parts;
    }
}

/// A segment begins where a key differs from the one before it.
///
/// # Safety
/// `keys` has `n` keys, `count` is null or points to a number, which says how many of them
/// there are, and `heads` has their words; blocks have [`THREADS`] threads.
#[inline(always)]
pub unsafe fn of_keys<K: Pod + PartialEq>(
    keys: *const K,
    n: u64,
    count: *const u64,
    heads: *mut u32,
) {
    // SAFETY: the caller's.
    unsafe {
        ask_ahead(keys, n);
        let n = begin(n, count);
        write(heads, keys, n, |before, own| before != own);
    }
}

/// A segment begins where a flag is not 0.
///
/// # Safety
/// As for [`of_keys`], of flags.
#[inline(always)]
pub unsafe fn of_flags(flags: *const u8, n: u64, count: *const u64, heads: *mut u32) {
    // SAFETY: the caller's.
    unsafe {
        ask_ahead(flags, n);
        let n = begin(n, count);
        write(heads, flags, n, |_, own| own != 0);
    }
}

macro_rules! keys {
    ($($name:ident: $type:ty;)*) => {$(
        /// Finds where segments of equal keys begin; see `of_keys`.
        ///
        /// # Safety
        /// See the function `of_keys` here.
        #[cuda_std::kernel]
        #[part(heads)]
        #[launch_bounds(256)]
        pub unsafe fn $name(keys: *const $type, n: u64, count: *const u64, heads: *mut u32) {
            // SAFETY: the kernel's own contract.
            unsafe { of_keys(keys, n, count, heads) }
        }
    )*};
}

keys! {
    heads_of_keys_1: u8;
    heads_of_keys_2: u16;
    heads_of_keys_4: u32;
    heads_of_keys_8: u64;
    heads_of_keys_16: [u64; 2];
}

/// Takes flags for the beginnings of segments; see `of_flags`.
///
/// # Safety
/// See the function `of_flags` here.
#[cuda_std::kernel]
#[part(heads)]
#[launch_bounds(256)]
pub unsafe fn heads_of_flags(flags: *const u8, n: u64, count: *const u64, heads: *mut u32) {
    // SAFETY: the kernel's own contract.
    unsafe { of_flags(flags, n, count, heads) }
}

macro_rules! offsets {
    ($($threads:literal $function:ident $name:ident: $type:ty;)*) => {$(
        #[doc = concat!("Puts the beginnings of segments where offsets say; see `", stringify!($function), "`.")]
        ///
        /// # Safety
        /// See that function.
        #[cuda_std::kernel]
        #[part(heads)]
        #[launch_bounds($threads)]
        pub unsafe fn $name(
            offsets: *const $type,
            segments: u64,
            n: u64,
            count: *const u64,
            heads: *mut u32,
        ) {
            // SAFETY: the kernel's own contract.
            unsafe { $function(offsets, segments, n, count, heads) }
        }
    )*};
}

offsets! {
    256 of_offsets heads_of_offsets_4: u32;
    256 of_offsets heads_of_offsets_8: u64;
    1024 of_few_offsets heads_of_few_offsets_4: u32;
    1024 of_few_offsets heads_of_few_offsets_8: u64;
}

/// The Rust module that has these kernels.
pub const MODULE: &str = module_path!();
