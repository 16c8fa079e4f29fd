//! Values across the lanes of a warp: exchanged as words, combined in order.

use bytemuck::Pod;
use core::mem::{MaybeUninit, transmute_copy};
use cuda_std::mem::prefetch_l2;
use cuda_std::warp;

pub use super::words::{MAX_WORDS, Words, from_words, to_words, words_of};
pub use crate::LANES;
use crate::operator::Operator;

/// Bytes that are fetched from memory at once, at least.
pub const SECTOR: u32 = 32;

/// A register's worth of nothing in particular, for what is not read before it is
/// written.
#[inline(always)]
pub fn unspecified<T: Pod>() -> T {
    // SAFETY: every pattern of bytes is a `Pod` value.
    unsafe { transmute_copy(&MaybeUninit::<T>::zeroed()) }
}

/// Asks for the first `bytes` bytes from `from` on, at most `most`, into the L2 cache. This
/// reads nothing: it may be done before what earlier launches write is there.
///
/// # Safety
/// They are in global memory; all lanes of the warp call it.
#[inline(always)]
pub unsafe fn prefetch(from: *const u8, bytes: u32, most: u32) {
    let mut at = warp::lane_id() * SECTOR;
    for _ in 0..most.div_ceil(LANES * SECTOR) {
        if at < bytes {
            // SAFETY: the caller's.
            unsafe { prefetch_l2(from.wrapping_add(at as usize)) };
        }
        at += LANES * SECTOR;
    }
}

/// The value of the lane `delta` below; its own in the lowest lanes.
///
/// # Safety
/// All lanes of the warp call it.
#[inline(always)]
pub unsafe fn shuffle_up<T: Pod>(value: T, delta: u32) -> T {
    let mut words = to_words(value);
    for w in 0..MAX_WORDS {
        if w < words_of::<T>() {
            // SAFETY: the caller's.
            words[w] = unsafe { warp::shuffle_up(warp::FULL_MASK, words[w], delta) };
        }
    }
    from_words(words)
}

/// The value of lane `lane`.
///
/// # Safety
/// All lanes of the warp call it.
#[inline(always)]
pub unsafe fn from_lane<T: Pod>(value: T, lane: u32) -> T {
    let mut words = to_words(value);
    for w in 0..MAX_WORDS {
        if w < words_of::<T>() {
            // SAFETY: the caller's.
            words[w] = unsafe { warp::shuffle_idx(warp::FULL_MASK, words[w], lane) };
        }
    }
    from_words(words)
}

/// The inclusive scan of the values of the first `count` lanes; what the others get is
/// unspecified, and theirs are not combined.
///
/// Association: lane l combines the value that lane l - d has with its own, for d = 1,
/// 2, 4, 8, 16 (Hillis and Steele 1986).
///
/// # Safety
/// All lanes of the warp call it, with the same `count`.
#[inline(always)]
pub unsafe fn scan<O: Operator>(value: O::Accumulator, count: u32) -> O::Accumulator {
    // SAFETY: the caller's.
    unsafe { scan_first::<O, { LANES as usize }>(value, count) }
}

/// [`scan`] of no more than `MOST` lanes, in no more steps than that takes.
///
/// # Safety
/// As for [`scan`]; `count` is at most `MOST`.
#[inline(always)]
pub unsafe fn scan_first<O: Operator, const MOST: usize>(
    value: O::Accumulator,
    count: u32,
) -> O::Accumulator {
    // SAFETY: the caller's.
    if let Some(scanned) = unsafe { O::scan_of_lanes(value, count, MOST) } {
        return scanned;
    }
    let lane = warp::lane_id();
    let mut value = value;
    for step in 0..MOST.next_power_of_two().ilog2() {
        let delta = 1 << step;
        // SAFETY: the caller's.
        let before = unsafe { shuffle_up(value, delta) };
        if lane >= delta && lane < count {
            value = O::combine(before, value);
        }
    }
    value
}
