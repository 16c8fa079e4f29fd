//! Where the lines beside that through a region's largest point are: a lane of a warp has one of each
//! axis.
//!
//! What a product of rules errs by is a sum over the axes: the rule's error along the axis, where axes
//! before it are integrated exactly and those behind it by their rules; or the other way round. A line
//! has a term of that sum, whose mean it therefore is: half of the lanes have each order, a place of an
//! axis that is integrated exactly is drawn anywhere, and one of an axis of a rule among its nodes.
//!
//! The first lines are next to edges of the box: a surface that cuts off a corner crosses its edges.
//!
//! Lines are drawn by a hash of the box (Vigna's SplitMix64, 2014): other ones in each region, and the
//! same ones on every device.

use super::integrand::Point;
use super::region::{MAX_DIMENSIONS, Region};
use crate::LANES;

/// Lines next to edges, at most.
const EDGES: u32 = 8;
/// How far from the middle they are, in half widths.
const NEAR: f64 = 1.0 - 1.0 / 2048.0;
/// What makes a sequence of seeds.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// Lines next to edges along an axis of so many dimensions: they are the first ones of the first look.
#[inline(always)]
pub fn edges(dimensions: usize, look: u32) -> u32 {
    if look > 0 {
        0
    } else if dimensions > 3 {
        EDGES
    } else {
        1 << (dimensions as u32 - 1)
    }
}

/// The bits of a number, mixed.
#[inline(always)]
fn mixed(bits: u64) -> u64 {
    let bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ bits >> 31
}

/// A point that a line along an axis goes through, the axis' own coordinate being the middle, and the
/// line's weight. Each look has other lines. `node` has the place and the weight of a node, of a number of nodes.
#[inline(always)]
pub fn place(
    region: &Region,
    dimensions: usize,
    axis: usize,
    [look, line]: [u32; 2],
    node: impl Fn(u32, u32) -> [f64; 2],
) -> (Point, f64) {
    let mut seed = axis as u64 * u64::from(LANES) + u64::from(line) + (u64::from(look) << 32);
    let mut k = 0;
    while k < dimensions.min(MAX_DIMENSIONS) {
        let of = region.centre[k].to_bits() ^ region.half[k].to_bits().rotate_left(32);
        seed = mixed(seed ^ of).wrapping_add(STEP);
        k += 1;
    }
    let (is_edge, is_back) = (line < edges(dimensions, look), line % 2 == 1);
    // Of up to four dimensions each edge has a line, of more one that is drawn.
    let mut sides = if dimensions > 4 {
        seed
    } else {
        u64::from(line)
    };
    let (mut x, mut weight, mut k) = ([0.0; MAX_DIMENSIONS], 1.0, 0);
    while k < dimensions.min(MAX_DIMENSIONS) {
        seed = seed.wrapping_add(STEP);
        let share = ((mixed(seed) >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64);
        let mut from = 2.0 * share - 1.0;
        if k == axis {
            from = 0.0;
        } else if is_edge {
            from = if sides & 1 == 0 { -NEAR } else { NEAR };
            sides >>= 1;
        } else if (k > axis) != is_back {
            let nodes = region.nodes[k];
            let [at, part] = node(nodes, (share * f64::from(nodes)) as u32);
            from = at;
            weight *= 0.5 * part * f64::from(nodes);
        }
        let at = region.half[k] * from + region.centre[k];
        // By numbers that are constants once the loop is unrolled: the array stays in registers.
        for (index, x) in x.iter_mut().enumerate() {
            if index == k {
                *x = at;
            }
        }
        k += 1;
    }
    (x, weight)
}
