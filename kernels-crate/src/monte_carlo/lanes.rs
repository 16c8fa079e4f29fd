//! Sums over the lanes of a warp.

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
