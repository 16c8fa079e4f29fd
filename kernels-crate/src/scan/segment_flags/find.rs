//! Where segments begin, of keys and of flags.

use bytemuck::Pod;
use core::array::from_fn;
use cuda_std::{grid, thread, warp};

use super::{EACH, ROWS, THREADS};
use crate::scan::lanes::{self, LANES};

/// The number of elements of a launch, once the launches before it are done.
///
/// # Safety
/// `count` is null, or points to a number.
#[inline(always)]
pub(super) unsafe fn begin(n: u64, count: *const u64) -> u64 {
    grid::launch_dependents();
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
pub(super) fn warps() -> (u64, u64) {
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
unsafe fn prefetch<T>(of: *const T, n: u64) {
    let (elements, size) = (ROWS as u64 * EACH, size_of::<T>() as u32);
    let first = warps().0 * elements;
    let there = n.saturating_sub(first).min(elements) as u32;
    let from = of.wrapping_add(first as usize).cast();
    // SAFETY: the caller's.
    unsafe { lanes::prefetch(from, there * size, elements as u32 * size) };
}

/// Writes the words of `n` elements, of which those begin a segment that `begins` tells by
/// what is at the element before and at its own.
///
/// # Safety
/// There are `n` things at `of`; `segment_flags` has the words; all threads of the grid call it, in
/// blocks of [`THREADS`].
#[inline(always)]
unsafe fn write<T: Pod>(
    segment_flags: *mut u32,
    of: *const T,
    n: u64,
    begins: impl Fn(T, T) -> bool,
) {
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
                let before = lanes::from_lane(given, (lane + LANES - 1) % LANES);
                above = rows[r];
                let is_first = first + r as u64 == 0 && lane == 0;
                let word =
                    warp::warp_vote_ballot(warp::FULL_MASK, begins(before, rows[r]) | is_first);
                if lane == r as u32 {
                    own = word;
                }
            }
            if lane < ROWS as u32 && first + u64::from(lane) * EACH < n {
                *segment_flags.add((first / EACH) as usize + lane as usize) = own;
            }
        }
        part += parts;
    }
}

/// A segment begins where a key differs from the one before it.
///
/// # Safety
/// `keys` has `n` keys, `count` is null or points to a number, which says how many of them
/// there are, and `segment_flags` has their words; blocks have [`THREADS`] threads.
#[inline(always)]
pub unsafe fn of_keys<K: Pod + PartialEq>(
    keys: *const K,
    n: u64,
    count: *const u64,
    segment_flags: *mut u32,
) {
    // SAFETY: the caller's.
    unsafe {
        prefetch(keys, n);
        let n = begin(n, count);
        write(segment_flags, keys, n, |before, own| before != own);
    }
}

/// A segment begins where a flag is not 0.
///
/// # Safety
/// As for [`of_keys`], of flags.
#[inline(always)]
pub unsafe fn of_flags(flags: *const u8, n: u64, count: *const u64, segment_flags: *mut u32) {
    // SAFETY: the caller's.
    unsafe {
        prefetch(flags, n);
        let n = begin(n, count);
        write(segment_flags, flags, n, |_, own| own != 0);
    }
}
