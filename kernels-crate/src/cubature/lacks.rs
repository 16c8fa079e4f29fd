//! What a region's rule lacks on the lines [`beside`](super::beside) that through its largest point, of
//! which each lane of a warp has one.

use cuda_std::{GpuFloat, warp};

use super::beside::{edges, place as place_beside};
use super::integrand::{Integrand, Parameters};
use super::region::{COEFFICIENTS, FINE, FINE_NODES, NODE, ROUGH, ROUGH_NOISE, Region, TAILS};
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
/// coefficients hardly shrink; and what the rule lacks. Lines next to edges count where they are rough.
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
    let (mut x, weight) = place_beside(region, dimensions, axis, [look, lane], |nodes, index| {
        let node = node(table, nodes, index);
        // SAFETY: the region's nodes are in the table.
        unsafe { [number(node, 0), number(node, 1)] }
    });
    let (mut lacks, mut fine, mut all, mut tails) = (0.0, 0.0, 0.0, [0.0; COEFFICIENTS]);
    let mut index = 0;
    while index < FINE_NODES + nodes {
        let is_fine = index < FINE_NODES;
        let node = if is_fine {
            table.wrapping_add(FINE + NODE * index as usize)
        } else {
            node(table, nodes, index - FINE_NODES)
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
                for (m, tail) in tails.iter_mut().enumerate() {
                    *tail = part.mul_add(number(node, 2 + m), *tail);
                }
            } else {
                lacks -= part;
            }
        }
        index += 1;
    }
    for m in 0..COEFFICIENTS {
        tails[m] = GpuFloat::abs(tails[m]) / GpuFloat::sqrt((2 * TAILS[m] + 1) as f64);
    }
    let (last, half) = (
        GpuFloat::max(tails[0], tails[1]),
        GpuFloat::max(tails[2], tails[3]),
    );
    let (is_rough, edges) = (
        last > ROUGH * half && last > ROUGH_NOISE * fine,
        edges(dimensions, look),
    );
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
