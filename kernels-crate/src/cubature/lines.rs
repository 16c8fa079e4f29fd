//! Lines along the axes of a region, through the point of its weightiest plane where the function is
//! largest; a warp looks at a line, and for a plan two.
//!
//! *What a rule does not see*: along each axis, the difference between the rule of the region and
//! one of two nodes a lane, relative to the magnitude that the rule saw; and how much the Legendre
//! coefficients there shrink, from those that the rule tells to those that it errs by. A line goes where
//! the function is largest, and what lies across the axes may be elsewhere: so each lane has a line
//! [beside](super::beside) it, too.
//!
//! *Another look*: lines of half as many nodes anywhere in the region, evenly spread.
//!
//! *A plan of an axis*: how fast the coefficients decay, and where the axis is best cut. That is
//! where the function jumps or has a corner: the line is looked at in as many places as a warp has
//! lanes, and again between the neighbours of the place with the largest second difference, down to
//! neighbouring numbers. At a jump the difference stays as it is, at a corner it shrinks as the
//! distance, where the function is smooth as its square. Then each lane cuts at a place of its own,
//! and the best one is where both sides together need the fewest nodes.

use cuda_std::{GpuFloat, shared_array, thread, warp};

use super::adapt::goal_of_whole;
use super::decay::{FEW_NODES, Piece, STEP, is_worth, off_centre, share};
use super::integrand::{Integrand, Parameters};
use super::lacks::{beside, total};
use super::region::{
    AGAIN, BEHIND, BEST, BEYOND, COEFFICIENTS, FINE, LACKS, LINE, LINES, MAX_DIMENSIONS, MAX_NODES,
    NODE, PLAN, PLANS, Region, SIDES, SUMS,
};
use super::rule::{largest, node, number, place};
use super::sharp::divide;
use crate::LANES;

/// Rounding of a line's sums, in units of their magnitude.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// What a launch looks at.
#[derive(Clone, Copy)]
pub struct Request {
    /// The regions.
    pub regions: *const Region,
    /// How many.
    pub count: u32,
    /// [`PLANS`], by lines through their planes; [`LACKS`], the planes being in their sums; or [`AGAIN`]. And
    /// [`BEHIND`] for each of the first regions that it is [`LACKS`] of, whatever it is of the others. Their
    /// plans are those of boxes with the sums of the first regions: see [`goal_of_whole`].
    pub purpose: u32,
    /// Of the integral.
    pub dimensions: u32,
    /// Numbers of all nodes.
    pub table: *const f64,
    /// Of the integrand, a member's each.
    pub parameters: *const Parameters,
    /// [`SUMS`] of each region where lines have their places; behind these, or alone, [`PLAN`] or, again,
    /// [`LINE`] an axis.
    pub output: *mut f64,
}

/// Looks at each of the regions: a warp an axis, or for plans a block of [`SIDES`] warps.
///
/// # Safety
/// The regions have 2 to [`MAX_DIMENSIONS`] dimensions, nodes that are in the table, and planes that
/// they have, and members that have parameters; the output has room for all. Blocks have whole
/// warps.
#[inline(always)]
pub unsafe fn look<I: Integrand>(request: &Request) {
    let warps = thread::block_dim_x() / LANES;
    let (first, of_launch) = (request.purpose / BEHIND, request.purpose % BEHIND);
    let warp = thread::block_idx_x() * warps + thread::thread_idx_x() / LANES;
    // Those that are looked at first have whole blocks.
    let lines_first = first * request.dimensions;
    let warps_first = lines_first.next_multiple_of(SIDES);
    let is_behind = warp >= warps_first;
    let (purpose, line) = match (is_behind, of_launch) {
        (false, _) => (LACKS, warp),
        (true, PLANS) => (PLANS, (warp - warps_first) / SIDES),
        (true, _) => (of_launch, warp - warps_first),
    };
    let (number, axis) = (
        line / request.dimensions,
        (line % request.dimensions) as usize,
    );
    let (index, end) = if is_behind {
        (first + number, request.count)
    } else {
        (number, first)
    };
    if index >= end {
        return;
    }
    // SAFETY: the caller's.
    unsafe {
        let region = &*request.regions.add(index as usize);
        let sums = request.output.wrapping_add(number as usize * SUMS);
        let behind = request.output.wrapping_add(first as usize * SUMS);
        let behind_line = (number * request.dimensions) as usize + axis;
        let is_again = purpose == AGAIN;
        let is_of_whole = purpose == PLANS && first > 0;
        let plane = if purpose == LACKS || is_of_whole {
            (*sums.add(BEST + 1)).to_int_unchecked()
        } else {
            region.plane
        };
        let parameters = &*request.parameters.add(region.member as usize);
        // Looks again have places of their own.
        let start = if is_again {
            [0.0; MAX_DIMENSIONS]
        } else {
            start::<I>(request, region, parameters, plane)
        };
        let at = |place: f64| {
            let mut x = start;
            for (k, x) in x.iter_mut().enumerate() {
                if k == axis {
                    *x = place;
                }
            }
            I::at(&x, request.dimensions as usize, parameters)
        };
        let is_first = warp::lane_id() == 0 && (purpose != PLANS || warp.is_multiple_of(SIDES));
        if purpose == PLANS {
            let goal = if is_of_whole {
                let absolute = u64::from(region.first) << 32 | u64::from(region.plane);
                let tolerances = [f64::from_bits(absolute), region.goal];
                goal_of_whole(
                    tolerances,
                    [*sums, *sums.add(1)],
                    request.dimensions as usize,
                )
            } else {
                region.goal
            };
            let [cut, rate] = plan(request, region, axis, goal, at);
            if is_first {
                let output = behind.wrapping_add(behind_line * PLAN);
                *output = cut;
                *output.add(1) = rate;
            }
        } else {
            let [off, told, beyond] = if is_again {
                [0.0; 3]
            } else {
                unseen(request, region, axis, at)
            };
            let (mut look, end) = if is_again {
                (region.plane, region.plane + region.first)
            } else {
                (0, 1)
            };
            // Of the looks, the one that is off most.
            let mut of = [-1.0_f64, 0.0, 0.0];
            while look < end && !of[0].is_nan() {
                let next = beside::<I>(
                    request.table,
                    parameters,
                    request.dimensions as usize,
                    region,
                    axis,
                    look,
                );
                if next[0] > of[0] || next[0].is_nan() {
                    of = next;
                }
                look += 1;
            }
            if is_first {
                let [others, rough, lacks] = of;
                let output = if is_again {
                    behind.wrapping_add(behind_line * LINE)
                } else {
                    sums.wrapping_add(LINES + axis * LINE)
                };
                for (m, number) in [off, told, beyond, others, rough, lacks].iter().enumerate() {
                    *output.add(m) = *number;
                }
            }
        }
    }
}

/// What a line's rule is off, in units of the magnitude that it sees; where it sees nothing, minus
/// what it is off between -1 and 1. And the coefficients: the first numbers of a [`LINE`].
///
/// # Safety
/// As [`look`]; all lanes of the warp call it with the same.
#[inline(always)]
unsafe fn unseen(
    request: &Request,
    region: &Region,
    axis: usize,
    at: impl Fn(f64) -> f64,
) -> [f64; 3] {
    let (table, lane, nodes) = (request.table, warp::lane_id(), region.nodes[axis]);
    // Three passes, which the compiler is not to know: the function's code is long.
    let mut pass = request.dimensions / (MAX_DIMENSIONS as u32 + 1);
    let (mut off, mut seen, mut all) = (0.0, 0.0, 0.0);
    let (mut parts, mut places) = ([0.0; 2], [0.0; 2]);
    while pass < 3 {
        // The other lanes' nodes have no weight.
        let (node, is_in) = match pass {
            2 => (node(table, nodes, lane.min(nodes - 1)), lane < nodes),
            _ => (
                table.wrapping_add(FINE + NODE * (pass * LANES + lane) as usize),
                true,
            ),
        };
        // SAFETY: the caller's.
        unsafe {
            let weight = if is_in { number(node, 1) } else { 0.0 };
            let part = weight * at(place(region, axis, node));
            if pass < 2 {
                parts = [parts[1], part];
                places = [places[1], number(node, 0)];
                off += part;
            } else {
                off = part - off;
            }
            seen = GpuFloat::abs(part);
            all += seen;
        }
        pass += 1;
    }
    // SAFETY: the caller's.
    let total = |own: f64| unsafe { total(own) };
    let (off, seen, all) = (total(off), total(seen), total(all));
    let off = GpuFloat::abs(off) - ROUNDING * all;
    let off = if off <= 0.0 {
        0.0
    } else if seen > 0.0 {
        off / seen
    } else {
        -off
    };
    // Legendre's recurrence: m P_m = (2 m - 1) x P_(m-1) - (m - 1) P_(m-2).
    let (mut before, mut now, mut m) = ([1.0; 2], places, 1);
    let [mut told, mut beyond] = [0.0; 2];
    while m < 2 * nodes + BEYOND {
        if m + 2 >= nodes && (m < nodes || m >= 2 * nodes) {
            let own = parts[0] * now[0] + parts[1] * now[1];
            let norm = GpuFloat::abs(total(own)) * GpuFloat::sqrt(f64::from(2 * m + 1));
            if m < nodes {
                told = GpuFloat::max(told, norm);
            } else {
                beyond = GpuFloat::max(beyond, norm);
            }
        }
        m += 1;
        let [last, other] = [f64::from(2 * m - 1), f64::from(m - 1)];
        let share = 1.0 / f64::from(m);
        for k in 0..2 {
            let next = (last * places[k] * now[k] - other * before[k]) * share;
            (before[k], now[k]) = (now[k], next);
        }
    }
    let fine = all - seen;
    if fine > 0.0 {
        [off, told / fine, beyond / fine]
    } else {
        [off, 0.0, 0.0]
    }
}

/// Where an axis is cut, and how fast the coefficients decay: see [`PLAN`].
///
/// # Safety
/// As [`look`]; all lanes of the block call it with the same, and what its first warp gets is the plan.
#[inline(always)]
unsafe fn plan(
    request: &Request,
    region: &Region,
    axis: usize,
    goal: f64,
    at: impl Fn(f64) -> f64,
) -> [f64; PLAN] {
    let (lane, last) = (warp::lane_id(), LANES - 1);
    let (middle, half) = (region.centre[axis], region.half[axis]);
    // SAFETY: the caller's; every lane asks for a lane that there is.
    unsafe {
        let is_left = thread::thread_idx_x() < LANES;
        let share = share(lane);
        let cut = (2.0 * share - 1.0).mul_add(half, middle);
        let (mut sharp, mut is_sharp, mut from, mut to) = (cut, false, cut, middle + half);
        if is_left {
            (sharp, is_sharp) = divide(&at, middle, half);
            (from, to) = (middle - half, cut);
        }
        let left = piece(request.table, from, to, &at);
        let shared = shared_array![f64; 2 * LANES as usize].wrapping_add(lane as usize);
        if !is_left {
            *shared = left.magnitude;
            *shared.add(LANES as usize) = left.rate;
        }
        thread::sync_threads();
        let right = Piece {
            magnitude: *shared,
            rate: *shared.add(LANES as usize),
        };
        let (magnitude, _) = largest(left.magnitude + right.magnitude, lane);
        let goal = goal * magnitude;
        let whole = warp::shuffle_idx(warp::FULL_MASK, left.nodes(goal), last);
        let rate = warp::shuffle_idx(warp::FULL_MASK, left.rate, last);
        let sides = left.nodes(goal) + right.nodes(goal) + off_centre(share);
        let (least, best) = largest(if lane < last { -sides } else { f64::MIN }, lane);
        let best = warp::shuffle_idx(warp::FULL_MASK, cut, best);
        let cut = if is_sharp { sharp } else { best };
        let is_cut = is_sharp || is_worth(whole, -least);
        [cut, if is_cut { -rate } else { rate }]
    }
}

/// What rules tell of a piece of a line, of the lane's own.
///
/// # Safety
/// As [`look`].
#[inline(always)]
unsafe fn piece(table: *const f64, from: f64, to: f64, at: impl Fn(f64) -> f64) -> Piece {
    let half = 0.5 * (to - from);
    let mut of = Piece {
        magnitude: 0.0,
        rate: 0.0,
    };
    let mut nodes = MAX_NODES as u32;
    loop {
        let (mut magnitude, mut sums, mut index) = (0.0, [0.0; COEFFICIENTS], 0);
        while index < nodes {
            let node = node(table, nodes, index);
            // SAFETY: the caller's.
            unsafe {
                let part =
                    at(half.mul_add(number(node, 0), from + half)) * (half * number(node, 1));
                magnitude += GpuFloat::abs(part);
                for (m, sum) in sums.iter_mut().enumerate() {
                    *sum = part.mul_add(number(node, 2 + m), *sum);
                }
            }
            index += 1;
        }
        for (m, sum) in sums.iter_mut().enumerate() {
            let degree = nodes - 1 - m as u32;
            *sum = GpuFloat::abs(*sum) / GpuFloat::sqrt(f64::from(2 * degree + 1));
        }
        let [last, other, before, first] = sums;
        let (last, before) = (GpuFloat::max(last, other), GpuFloat::max(before, first));
        let now = Piece::new(nodes, magnitude, last, before);
        of = now.or(of);
        if nodes == FEW_NODES || !of.is_rounding(nodes) {
            return of;
        }
        nodes -= STEP;
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
    parameters: &Parameters,
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
