//! Where a function of a line jumps or has a corner: a warp looks at it in as many places as it has lanes,
//! and again between the neighbours of the place with the largest second difference.

use cuda_std::{GpuFloat, warp};

use super::rule::largest;
use crate::LANES;

/// The look at which a smooth function is recognised: the places are 10^-7 of the region apart.
const EARLY: u32 = 6;
/// Two looks leave less than this of a smooth function's difference, and more of a corner's:
/// 15.5^-4 and 15.5^-2.
const SMOOTH: f64 = 1.0 / 4096.0;
/// What they leave of a jump's, at least.
const JUMP: f64 = 0.5;
/// How close to an end a cut may be, in half widths.
const MARGIN: f64 = 1e-9;
/// A difference that is rounding, in units of the largest magnitude.
const NOISE: f64 = 64.0 * f64::EPSILON;

/// Where a function of one variable jumps or has a corner between `middle - half` and
/// `middle + half`, and whether it does.
///
/// # Safety
/// All lanes of the warp call it with the same.
#[inline(always)]
pub(super) unsafe fn divide(at: impl Fn(f64) -> f64, middle: f64, half: f64) -> (f64, bool) {
    let lane = warp::lane_id();
    let share = f64::from(lane) / f64::from(LANES - 1);
    let (first, last) = (middle - half, middle + half);
    let (mut from, mut to) = (first, last);
    // The largest differences of the last looks, and where they were.
    let (mut bends, mut cut, mut jump) = ([0.0; 3], middle, middle);
    let mut look = 0;
    loop {
        let x = (to - from).mul_add(share, from);
        let f = at(x);
        // SAFETY: the caller's; every lane asks for a lane that there is.
        unsafe {
            let (before, behind) = (lane.max(1) - 1, (lane + 1).min(LANES - 1));
            let of = |number, lane| warp::shuffle_idx(warp::FULL_MASK, number, lane);
            let (lower, upper) = (
                (of(x, before), of(f, before)),
                (of(x, behind), of(f, behind)),
            );
            let is_inside = lane > 0 && lane < LANES - 1;
            let are_apart = !is_inside || lower.0 < x && x < upper.0;
            let bend = GpuFloat::abs(lower.1 - 2.0 * f + upper.1);
            let (most, best) = largest(if is_inside { bend } else { -1.0 }, lane);
            let (size, _) = largest(GpuFloat::abs(f), lane);
            let is_seen = most > NOISE * size;
            if !warp::warp_vote_all(warp::FULL_MASK, are_apart && is_seen) {
                break;
            }
            let step = if lane > 0 {
                GpuFloat::abs(f - lower.1)
            } else {
                -1.0
            };
            let (_, behind) = largest(step, lane);
            (jump, cut) = (of(x, behind), of(x, best));
            (from, to) = (of(x, best - 1), of(x, best + 1));
            bends = [most, bends[0], bends[1]];
        }
        look += 1;
        if look == EARLY && bends[0] < SMOOTH * bends[2] {
            break;
        }
    }
    let is_sharp = look > 2 && bends[0] > SMOOTH * bends[2];
    let cut = if bends[0] > JUMP * bends[2] {
        jump
    } else {
        cut
    };
    let margin = MARGIN * half;
    (cut, is_sharp && cut > first + margin && cut < last - margin)
}
