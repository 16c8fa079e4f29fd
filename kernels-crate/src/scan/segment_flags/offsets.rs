//! Where segments begin, of offsets, in any order.

use core::array::from_fn;
use core::sync::atomic::{AtomicU32, Ordering::Relaxed};
use cuda_std::mem::prefetch_l2;
use cuda_std::{misc, shared_array, thread, warp};

use super::find::{begin, warps};
use super::{EACH, FEW_PER_BLOCK, FEW_THREADS, FEW_WORDS};
use crate::scan::lanes::{LANES, SECTOR};

/// Offsets that a lane reads before it looks at the first.
const OFFSETS: usize = 4;

/// A segment begins at each of `segments` offsets, if there is an element; their order
/// does not matter, but neighbours cost less. The words are 0 before.
///
/// # Safety
/// As for [`of_keys`](super::find::of_keys), of offsets.
#[inline(always)]
pub unsafe fn of_offsets<F: Copy + Into<u64>>(
    offsets: *const F,
    segments: u64,
    n: u64,
    count: *const u64,
    segment_flags: *mut u32,
) {
    let lanes = u64::from(LANES);
    // SAFETY: the caller's; an offset that is looked at is there, and so is the word of an
    // element.
    unsafe {
        let n = begin(n, count);
        let lane = u64::from(warp::lane_id());
        let (warp, warps) = warps();
        let mut first = warp * lanes * OFFSETS as u64;
        if warp == 0 && lane == 0 && n > 0 {
            add(segment_flags, 0, 1);
        }
        while first < segments {
            let mut found = [0; OFFSETS];
            for r in 0..OFFSETS {
                let i = (first + r as u64 * lanes + lane).min(segments - 1);
                found[r] = (*offsets.add(i as usize)).into();
            }
            for r in 0..OFFSETS {
                add_neighbours(segment_flags, n, found[r]);
            }
            first += warps * lanes * OFFSETS as u64;
        }
    }
}

/// Offsets that a thread of it reads before it looks at the first.
const FEW_EACH: usize = 8;

/// [`of_offsets`] for words that need not be cleared before, so that its launch can begin while
/// the one before it ends: each block makes its own words, of all offsets.
///
/// # Safety
/// As for [`of_offsets`], of at most [`FEW_OFFSETS`](super::FEW_OFFSETS) of them, in blocks of [`FEW_THREADS`], one for
/// every [`FEW_PER_BLOCK`] elements.
#[inline(always)]
pub unsafe fn of_few_offsets<F: Copy + Into<u64>>(
    offsets: *const F,
    segments: u64,
    n: u64,
    count: *const u64,
    segment_flags: *mut u32,
) {
    let words = shared_array![u32; FEW_WORDS as usize];
    let (block, thread) = (thread::block_idx_x(), thread::thread_idx_x());
    // SAFETY: the caller's; an offset that is looked at is there, and so is a word. Words are
    // cleared, added to and read between barriers.
    unsafe {
        let at = u64::from(block * FEW_THREADS + thread) * u64::from(SECTOR);
        if at < segments * size_of::<F>() as u64 {
            prefetch_l2(offsets.cast::<u8>().wrapping_add(at as usize));
        }
        let n = begin(n, count);
        let first = u64::from(block) * FEW_PER_BLOCK;
        let own = n.saturating_sub(first).min(FEW_PER_BLOCK);
        if thread < FEW_WORDS {
            let is_first = block == 0 && thread == 0;
            *words.wrapping_add(thread as usize) = u32::from(is_first);
        }
        thread::sync_threads();
        mark::<FEW_EACH>(words, (first, own), segments, |at| {
            at.map(|i| (*offsets.wrapping_add(i as usize)).into())
        });
        thread::sync_threads();
        if thread < FEW_WORDS && u64::from(thread) * EACH < own {
            let word = (first / EACH) as usize + thread as usize;
            *segment_flags.wrapping_add(word) = *words.wrapping_add(thread as usize);
        }
    }
}

/// Sets the bits of the offsets that are among `own` elements from `first` on, in words of those
/// elements. Of `segments` offsets `read` reads several together.
///
/// # Safety
/// All threads of the block call it; the words are the block's, and others of it access them behind
/// a barrier.
#[inline(always)]
pub unsafe fn mark<const EACH: usize>(
    words: *mut u32,
    (first, own): (u64, u64),
    segments: u64,
    read: impl Fn([u64; EACH]) -> [u64; EACH],
) {
    let threads = thread::block_dim_x();
    let mut i = thread::thread_idx_x();
    // As often for all lanes of a warp.
    while u64::from(i / LANES * LANES) < segments {
        let found = read(from_fn(|r| {
            u64::from(i + r as u32 * threads).min(segments - 1)
        }));
        for r in 0..EACH {
            // Of one before the first this is larger than `own`.
            let offset = found[r].wrapping_sub(first);
            let is_there = u64::from((i + r as u32 * threads) / LANES * LANES) < segments;
            // SAFETY: the caller's.
            unsafe {
                if is_there && warp::warp_vote_any(warp::FULL_MASK, offset < own) {
                    add_neighbours(words, own, offset);
                }
            }
        }
        i += EACH as u32 * threads;
    }
}

/// Sets the bit of `offset`, if it is an element's. Lanes that follow each other and have
/// the same word send one message.
///
/// # Safety
/// All lanes of the warp call it; `segment_flags` has the words of `n` elements.
#[inline(always)]
unsafe fn add_neighbours(segment_flags: *mut u32, n: u64, offset: u64) {
    let lane = warp::lane_id();
    let is_there = offset < n;
    // Of at most 2^38 elements, which is more than memory has; `u32::MAX` is no word.
    let word = match is_there {
        true => (offset / EACH) as u32,
        false => u32::MAX,
    };
    let mut bits = 1 << (offset % EACH);
    // SAFETY: all lanes are here; the word is there.
    unsafe {
        // Not unrolled: this stands in scans several times.
        let mut delta = misc::in_register(1);
        while delta < LANES {
            let of = warp::shuffle_down(warp::FULL_MASK, word, delta);
            let more = warp::shuffle_down(warp::FULL_MASK, bits, delta);
            if of == word && lane + delta < LANES {
                bits |= more;
            }
            delta = misc::in_register(2 * delta);
        }
        let before = warp::shuffle_up(warp::FULL_MASK, word, 1);
        if is_there && (lane == 0 || before != word) {
            add(segment_flags, word, bits);
        }
    }
}

/// # Safety
/// The word is there, and accessed by these calls alone.
#[inline(always)]
unsafe fn add(segment_flags: *mut u32, word: u32, bits: u32) {
    // SAFETY: the caller's.
    unsafe { AtomicU32::from_ptr(segment_flags.add(word as usize)).fetch_or(bits, Relaxed) };
}
