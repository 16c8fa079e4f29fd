//! What a region's rule lacks on the lines [`beside`](super::beside) that through its largest point, of
//! which each lane of a warp has one.

use cuda_std::{GpuFloat, warp};

use super::beside::{anywhere, edges, place as place_beside};
use super::integrand::{Integrand, Parameters};
use super::region::{
    COEFFICIENTS, FINE, FINE_NODES, LOOK, LOOK_NODES, MAX_DIMENSIONS, NODE, ROUGH, ROUGH_NOISE,
    Region, tails,
};
use super::rule::{node, number, place};
use crate::LANES;

/// Rounding of a line that a lane sums alone, in units of its magnitude.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// The sum of the lanes' numbers, the same in all of them.
///
/// # Safety
/// All lanes of the warp call it.
#[inline(always)]
pub(super) unsafe fn total(mut sum: f64) -> f64 {
    let mut distance = LANES / 2;
    while distance > 0 {
        // SAFETY: the caller's.
        sum += unsafe { warp::shuffle_xor(warp::FULL_MASK, sum, distance) };
        distance /= 2;
    }
    sum
}

/// What the rule is off on the lines beside it, on the mean; the part of it on rough lines, whose
/// coefficients hardly shrink; and what the rule lacks. Lines next to edges count where they are rough. Looks
/// from the first on have lines of their own.
///
/// # Safety
/// As `look` of lines; all lanes of the warp call it with the same.
#[inline(always)]
pub(super) unsafe fn beside<I: Integrand>(
    table: *const f64,
    parameters: &Parameters,
    dimensions: usize,
    region: &Region,
    axis: usize,
    look: u32,
) -> [f64; 3] {
    let (lane, nodes) = (warp::lane_id(), region.nodes[axis]);
    let (first, fine_nodes, edges) = if look > 0 {
        (LOOK, LOOK_NODES, 0)
    } else {
        (FINE, FINE_NODES, edges(dimensions))
    };
    let mut x = [0.0; MAX_DIMENSIONS];
    let weight = if look > 0 {
        anywhere(region, dimensions, axis, (look - 1) * LANES + lane, &mut x);
        1.0
    } else {
        let node = |nodes, index| {
            let node = node(table, nodes, index);
            // SAFETY: the region's nodes are in the table.
            unsafe { [number(node, 0), number(node, 1)] }
        };
        place_beside(region, dimensions, axis, lane, node, &mut x)
    };
    let (mut lacks, mut fine, mut all, mut sums) = (0.0, 0.0, 0.0, [0.0; COEFFICIENTS]);
    let mut index = 0;
    while index < fine_nodes + nodes {
        let is_fine = index < fine_nodes;
        let node = if is_fine {
            table.wrapping_add(first + NODE * index as usize)
        } else {
            node(table, nodes, index - fine_nodes)
        };
        // SAFETY: the caller's.
        unsafe {
            let at = place(region, axis, node);
            for (k, x) in x.iter_mut().enumerate() {
                if k == axis {
                    *x = at;
                }
            }
            let part = I::at(&x, dimensions, parameters) * number(node, 1);
            all += GpuFloat::abs(part);
            if is_fine {
                fine = all;
                lacks += part;
                for (m, sum) in sums.iter_mut().enumerate() {
                    *sum = part.mul_add(number(node, 2 + m), *sum);
                }
            } else {
                lacks -= part;
            }
        }
        index += 1;
    }
    let tails = tails(fine_nodes);
    for m in 0..COEFFICIENTS {
        sums[m] = GpuFloat::abs(sums[m]) / GpuFloat::sqrt(f64::from(2 * tails[m] + 1));
    }
    let (last, half) = (
        GpuFloat::max(sums[0], sums[1]),
        GpuFloat::max(sums[2], sums[3]),
    );
    let is_rough = last > ROUGH * half && last > ROUGH_NOISE * fine;
    // What a lane sees of infinity or of no number, all are to know of.
    let is_number = all < f64::INFINITY;
    let is_rounding = is_number && GpuFloat::abs(lacks) <= ROUNDING * all;
    lacks = if is_rounding { 0.0 } else { lacks * weight };
    let off = if is_number {
        GpuFloat::abs(lacks) / f64::from(LANES)
    } else {
        f64::NAN
    };
    let is_rough = is_rough || !is_number;
    let is_edge = lane < edges;
    // SAFETY: the caller's.
    unsafe {
        [
            total(if is_rough || !is_edge { off } else { 0.0 }),
            total(if is_rough { off } else { 0.0 }),
            total(if is_edge { 0.0 } else { lacks }) / f64::from(LANES - edges),
        ]
    }
}
