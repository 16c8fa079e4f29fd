//! A look-back scan in which one lane acquires and all lanes read.
//!
//! [pytorch/pytorch#198208](https://github.com/pytorch/pytorch/pull/198208), 2026-09-22.
//!
//! One lane of a block polled the flag and acquired; the other lanes were told of it and read what
//! the block before had published with plain loads of their own. On GPUs with several caches a
//! block these loads had old values, and sums of 64-bit numbers lost what came before. In PTX, too,
//! an acquire is for the thread that made it: a shuffle hands on a value and orders nothing. A
//! barrier of the warp or the block has to stand between the acquire and the loads.

use core::sync::atomic::Ordering::{Acquire, Release};

use cuda_std::atomic::AtomicU32;
use cuda_std::prelude::*;
use cuda_std::warp::{self, FULL_MASK};

/// 32 sums at once: lane `l` of block `b` adds up `input[32 b' + l]` for all `b'` up to `b`.
///
/// # Safety
/// Not sound: that is the bug. The flags have an element a block, the others one a thread.
#[kernel]
pub unsafe fn lookback_one_lane_acquires_broken(
    input: *const u32,
    totals: *mut u32,
    flags: *mut u32,
    output: *mut u32,
) {
    let (tile, lane) = (thread::block_idx_x(), thread::thread_idx_x());
    let i = thread::index_1d() as usize;
    // SAFETY: every index is in its array, and all lanes come to the shuffle; what is missing is
    // an order for 31 of them.
    unsafe {
        let mut total = *input.add(i);
        if tile > 0 {
            let flag = AtomicU32::from_ptr(flags.add(tile as usize - 1));
            let mut seen = 0;
            while lane == 0 && seen == 0 {
                seen = flag.load(Acquire);
            }
            if warp::warp_shuffle_idx(FULL_MASK, seen, 0, 32).0 != 0 {
                total += *totals.add(i - 32); // caught
            }
        }
        *totals.add(i) = total; // caught
        warp::sync_warp(FULL_MASK);
        if lane == 0 {
            AtomicU32::from_ptr(flags.add(tile as usize)).store(1, Release);
        }
        *output.add(i) = total;
    }
}

/// As [`lookback_one_lane_acquires_broken`], with a barrier of the warp behind the acquire.
///
/// # Safety
/// The flags have an element a block and are 0, the others have one a thread.
#[kernel]
pub unsafe fn lookback_one_lane_acquires_right(
    input: *const u32,
    totals: *mut u32,
    flags: *mut u32,
    output: *mut u32,
) {
    let (tile, lane) = (thread::block_idx_x(), thread::thread_idx_x());
    let i = thread::index_1d() as usize;
    // SAFETY: every index is in its array; the barrier takes the acquire to every lane.
    unsafe {
        let mut total = *input.add(i);
        if tile > 0 {
            let flag = AtomicU32::from_ptr(flags.add(tile as usize - 1));
            while lane == 0 && flag.load(Acquire) == 0 {}
            warp::sync_warp(FULL_MASK);
            total += *totals.add(i - 32);
        }
        *totals.add(i) = total;
        warp::sync_warp(FULL_MASK);
        if lane == 0 {
            AtomicU32::from_ptr(flags.add(tile as usize)).store(1, Release);
        }
        *output.add(i) = total;
    }
}
