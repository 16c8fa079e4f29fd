//! Where segments begin: a bit for every element, in words of 32, lowest first.
//!
//! Keys, flags and offsets all become such words, by one small kernel each, and the scans
//! of segments read nothing else. So a kernel for every type of key and one for every
//! operator is enough, and what it costs is n / 8 bytes written and read: about one part
//! in 30 of what a scan of 4-byte elements moves.
//!
//! Of a few offsets each block looks at all, and makes its words in shared memory
//! ([`of_few_offsets`](offsets::of_few_offsets)); many are put into words that have been cleared ([`of_offsets`](offsets::of_offsets)).
//!
//! The first element always begins a segment. Words hold nothing in particular behind the
//! last element.

#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod bits;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod find;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod offsets;

mod macros;

use crate::operator::Operator;

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
pub const MOST: usize = 5;

/// The most items of a lane, wherever they begin.
pub const MOST_ITEMS: usize = MOST * EACH as usize - 31;

/// Bytes of shared memory for the words of a warp's elements, `items` a lane, from a multiple
/// of 16 bytes on; none for an operator without segments.
pub const fn room<O: Operator>(items: usize) -> usize {
    if O::IS_SEGMENTED {
        (items * 4 + 12).next_multiple_of(16)
    } else {
        0
    }
}

/// Rows of 32 elements that a warp works on at a time: a word of each.
pub const ROWS: usize = 16;

/// Threads of a block of the kernels here, but for those of few offsets.
pub const THREADS: u32 = 256;

/// Elements or offsets that a block works on at a time.
pub const PER_BLOCK: u64 = ROWS as u64 * THREADS as u64;

/// Threads of a block of [`of_few_offsets`](offsets::of_few_offsets).
pub const FEW_THREADS: u32 = 1024;

/// Words that such a block makes.
pub const FEW_WORDS: u32 = 512;

/// The elements of these.
pub const FEW_PER_BLOCK: u64 = FEW_WORDS as u64 * EACH;

/// The most offsets that this is for, since every block looks at all of them.
///
/// Scans of i32 by 2^15 offsets in 2^20 elements take 10.2 us instead of 12.7 with words that are
/// cleared first, by 2^16 in 2^21 elements 21.6 instead of 16.4 (an H200, 2026-11-23). This lies
/// between the two.
pub const FEW_OFFSETS: u64 = 3 << 14;

/// The most elements that this is for: 2^21, those of 128 blocks, which all begin at once on a
/// GPU with as many SMs.
pub const FEW_ELEMENTS: u64 = 128 * FEW_PER_BLOCK;
