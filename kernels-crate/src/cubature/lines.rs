//! Lines along the axes of a region, through the point of its weightiest plane where the function is
//! largest; a warp looks at a line.
//!
//! *What a rule does not see*: along each axis, the difference between the rule of the region and
//! one of as many nodes as a warp has lanes, relative to the magnitude that the rule saw. *Where a
//! region is cut*: where the function jumps or has a corner, or in the middle. The line is looked
//! at in as many places as a warp has lanes, and again between the neighbours of the place with the
//! largest second difference, down to neighbouring numbers. At a jump the difference stays as it
//! is, at a corner it shrinks as the distance, where the function is smooth as its square.

use cuda_std::{GpuFloat, thread, warp};

use super::integrand::{Integrand, Parameters};
use super::region::{BEST, FINE, LINES, MAX_DIMENSIONS, Region, SUMS};
use super::rule::{largest, node, number, place};
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

/// Rounding of a line's sums, in units of their magnitude.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// What a launch looks at.
#[derive(Clone, Copy)]
pub struct Request {
    /// The regions.
    pub regions: *const Region,
    /// How many.
    pub count: u32,
    /// Whether they are to be cut, along their axes and by lines through their planes; else the
    /// planes are in their sums.
    pub is_cut: u32,
    /// Of the integral.
    pub dimensions: u32,
    /// Numbers of all nodes.
    pub table: *const f64,
    /// Of the integrand.
    pub parameters: Parameters,
    /// A cut a region, or else [`SUMS`], where lines have their places.
    pub output: *mut f64,
}

/// Looks at each of the regions: a warp a cut, or an axis.
///
/// # Safety
/// The regions have 2 to [`MAX_DIMENSIONS`] dimensions, nodes that are in the table, and axes and
/// planes that they have; the output has room for all. Blocks have whole warps.
#[inline(always)]
pub unsafe fn look<I: Integrand>(request: &Request) {
    let warps = thread::block_dim_x() / LANES;
    let warp = thread::block_idx_x() * warps + thread::thread_idx_x() / LANES;
    let is_cut = request.is_cut != 0;
    let lines = if is_cut { 1 } else { request.dimensions };
    let (index, axis) = (warp / lines, warp % lines);
    if index >= request.count {
        return;
    }
    // SAFETY: the caller's.
    unsafe {
        let region = &*request.regions.add(index as usize);
        let sums = request.output.wrapping_add(index as usize * SUMS);
        let (axis, plane, output) = if is_cut {
            (
                region.first as usize,
                region.plane,
                request.output.wrapping_add(index as usize),
            )
        } else {
            let plane = (*sums.add(BEST + 1)).to_int_unchecked();
            (
                axis as usize,
                plane,
                sums.wrapping_add(LINES + axis as usize),
            )
        };
        let start = start::<I>(request, region, plane);
        let at = |place: f64| {
            let mut x = start;
            for (k, x) in x.iter_mut().enumerate() {
                if k == axis {
                    *x = place;
                }
            }
            I::at(&x, request.dimensions as usize, &request.parameters)
        };
        let result = if is_cut {
            divide(at, region.centre[axis], region.half[axis])
        } else {
            unseen(request, region, axis, at)
        };
        if warp::lane_id() == 0 {
            *output = result;
        }
    }
}

/// What a line's rule is off, in units of the magnitude that it sees; where it sees nothing, minus
/// what it is off between -1 and 1.
///
/// # Safety
/// As [`look`]; all lanes of the warp call it with the same.
#[inline(always)]
unsafe fn unseen(request: &Request, region: &Region, axis: usize, at: impl Fn(f64) -> f64) -> f64 {
    let (table, lane, nodes) = (request.table, warp::lane_id(), region.nodes[axis]);
    let (mut off, mut seen, mut all, mut pass) = (0.0, 0.0, 0.0, request.is_cut);
    // Two passes, which the compiler is not to know: the function's code is long.
    while pass < 2 {
        // The other lanes' nodes have no weight.
        let (node, is_in) = match pass {
            0 => (table.wrapping_add(FINE + 2 * lane as usize), true),
            _ => (node(table, nodes, lane.min(nodes - 1)), lane < nodes),
        };
        // SAFETY: the caller's.
        unsafe {
            let weight = if is_in { number(node, 1) } else { 0.0 };
            let part = weight * at(place(region, axis, node));
            off = part - off;
            seen = GpuFloat::abs(part);
            all += seen;
        }
        pass += 1;
    }
    let mut distance = LANES / 2;
    while distance > 0 {
        // SAFETY: the caller's.
        unsafe {
            off += warp::shuffle_xor(warp::FULL_MASK, off, distance);
            seen += warp::shuffle_xor(warp::FULL_MASK, seen, distance);
            all += warp::shuffle_xor(warp::FULL_MASK, all, distance);
        }
        distance /= 2;
    }
    let off = GpuFloat::abs(off) - ROUNDING * all;
    if off <= 0.0 {
        0.0
    } else if seen > 0.0 {
        off / seen
    } else {
        -off
    }
}

/// The point of the region's plane where the function is largest, the same in all lanes.
///
/// # Safety
/// As [`look`]; all lanes of the warp call it for the same region.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "an iterator would put the array into memory"
)]
unsafe fn start<I: Integrand>(
    request: &Request,
    region: &Region,
    plane: u32,
) -> [f64; MAX_DIMENSIONS] {
    let (table, dimensions) = (request.table, request.dimensions as usize);
    let (mut x, mut left) = ([0.0; MAX_DIMENSIONS], plane);
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
            let size = GpuFloat::abs(I::at(&x, dimensions, &request.parameters));
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
