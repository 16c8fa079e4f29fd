//! Sums over the lanes of a warp, and by one of them.

use cuda_std::warp;

use super::sizes::Sums;
use crate::LANES;

/// The sums of all lanes, by halves.
///
/// # Safety
/// All lanes of the warp call it.
#[inline(always)]
pub(super) unsafe fn of_all_lanes(mut sums: Sums) -> Sums {
    let mut distance = LANES / 2;
    while distance > 0 {
        // SAFETY: the caller's.
        unsafe {
            sums.first += warp::shuffle_xor(warp::FULL_MASK, sums.first, distance);
            sums.second += warp::shuffle_xor(warp::FULL_MASK, sums.second, distance);
        }
        distance /= 2;
    }
    sums
}

/// Numbers that are loaded before they are added up.
const AHEAD: usize = 8;

/// Adds up, in their order, and puts what was before in the place of each; `sum` is before the first.
///
/// # Safety
/// They are as many, rounded up to a multiple of [`AHEAD`], and this thread's alone.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "an iterator would put the array into memory"
)]
pub(super) unsafe fn scan_in_order(values: *mut f64, count: usize, mut sum: f64) -> f64 {
    let mut index = 0;
    while index < count {
        // SAFETY: the caller's.
        unsafe {
            let mut own = [0.0; AHEAD];
            for k in 0..AHEAD {
                own[k] = *values.add(index + k);
            }
            for k in 0..AHEAD {
                *values.add(index + k) = sum;
                sum += own[k];
            }
        }
        index += AHEAD;
    }
    sum
}
