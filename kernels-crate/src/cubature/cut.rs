//! Where a region is divided: where the function jumps or has a corner along an axis, or in the
//! middle.
//!
//! A warp looks at a line along the axis, through the point of the region's weightiest plane where
//! the function is largest, at as many places as it has lanes, and again between the neighbours of
//! the place with the largest second difference, down to neighbouring numbers. At a jump the
//! difference stays as it is, at a corner it shrinks as the distance, where the function is smooth
//! as its square.

use cuda_std::{GpuFloat, thread, warp};

use super::integrand::{Integrand, Parameters};
use super::region::{MAX_DIMENSIONS, Region};
use super::rule::{largest, node, place};
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

/// Finds a cut for each of the regions, a warp each.
///
/// # Safety
/// The regions have 2 to [`MAX_DIMENSIONS`] dimensions, nodes that are in the table, an axis and a
/// plane; cuts have room for all. Blocks have whole warps.
#[inline(always)]
pub unsafe fn find<I: Integrand>(
    regions: *const Region,
    count: u32,
    dimensions: u32,
    table: *const f64,
    parameters: &Parameters,
    cuts: *mut f64,
) {
    let warps = thread::block_dim_x() / LANES;
    let index = thread::block_idx_x() * warps + thread::thread_idx_x() / LANES;
    if index >= count {
        return;
    }
    let dimensions = dimensions as usize;
    // SAFETY: the caller's.
    unsafe {
        let region = &*regions.add(index as usize);
        let axis = region.first as usize;
        let start = start::<I>(region, dimensions, table, parameters);
        let at = |place: f64| {
            let mut x = start;
            for (k, x) in x.iter_mut().enumerate() {
                if k == axis {
                    *x = place;
                }
            }
            I::at(&x, dimensions, parameters)
        };
        let cut = divide(at, region.centre[axis], region.half[axis]);
        if warp::lane_id() == 0 {
            *cuts.add(index as usize) = cut;
        }
    }
}

/// The point of the region's plane where the function is largest, the same in all lanes.
///
/// # Safety
/// As [`find`]; all lanes of the warp call it for the same region.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "an iterator would put the array into memory"
)]
unsafe fn start<I: Integrand>(
    region: &Region,
    dimensions: usize,
    table: *const f64,
    parameters: &Parameters,
) -> [f64; MAX_DIMENSIONS] {
    let (mut x, mut left) = ([0.0; MAX_DIMENSIONS], region.plane);
    let [along, across] = [region.nodes[0], region.nodes[1]];
    // SAFETY: the caller's.
    unsafe {
        for k in 2..MAX_DIMENSIONS {
            if k < dimensions {
                let count = region.nodes[k];
                x[k] = place(region, k, node(table, count, left % count));
                left /= count;
            }
        }
        let (mut best, mut most) = (0, -1.0);
        let mut point = warp::lane_id();
        while point < along * across {
            x[0] = place(region, 0, node(table, along, point % along));
            x[1] = place(region, 1, node(table, across, point / along));
            let size = GpuFloat::abs(I::at(&x, dimensions, parameters));
            if size > most {
                (best, most) = (point, size);
            }
            point += LANES;
        }
        let (_, best) = largest(most, best);
        x[0] = place(region, 0, node(table, along, best % along));
        x[1] = place(region, 1, node(table, across, best / along));
    }
    x
}

/// Where a function of one variable is divided between `middle - half` and `middle + half`.
///
/// # Safety
/// All lanes of the warp call it with the same.
#[inline(always)]
unsafe fn divide(at: impl Fn(f64) -> f64, middle: f64, half: f64) -> f64 {
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
            // Not of NaN.
            let is_seen = most > NOISE * size;
            if !(warp::warp_vote_all(warp::FULL_MASK, are_apart) && is_seen) {
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
    if is_sharp && cut > first + margin && cut < last - margin {
        cut
    } else {
        middle
    }
}
