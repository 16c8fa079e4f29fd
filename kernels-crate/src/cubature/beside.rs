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
//! Where a region is looked at again, what counts is what no line has met. So those lines go through places
//! anywhere, equally spread: multiples of powers of the root of x^(m + 1) = x + 1, m being the other axes
//! (Roberts, The unreasonable effectiveness of quasirandom sequences, 2018).
//!
//! Lines are drawn by a hash of the box (Vigna's SplitMix64, 2014): other ones in each region, and the
//! same ones on every device.

use cuda_std::GpuFloat;

use super::integrand::Point;
use super::region::{MAX_DIMENSIONS, Region};
use crate::LANES;

/// Lines next to edges, at most.
const EDGES: u32 = 8;
/// How far from the middle they are, in half widths.
const NEAR: f64 = 1.0 - 1.0 / 2048.0;
/// What makes a sequence of seeds.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;
/// One over the root of x^(m + 1) = x + 1, for m from 1 on.
const SPREAD: [f64; MAX_DIMENSIONS - 1] = [
    0.6180339887498948,
    0.7548776662466927,
    0.8191725133961644,
    0.8566748838545029,
    0.8812714616335696,
    0.8986537126286992,
    0.9115923534820549,
    0.9215993196339829,
    0.9295701282320229,
];

/// Lines next to edges along an axis of so many dimensions: the first ones beside it.
#[inline(always)]
pub fn edges(dimensions: usize) -> u32 {
    if dimensions > 3 {
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

/// A seed of a region's box, other ones for other numbers.
#[inline(always)]
fn seed(region: &Region, dimensions: usize, number: u64) -> u64 {
    let (mut seed, mut k) = (number, 0);
    while k < dimensions.min(MAX_DIMENSIONS) {
        let of = region.centre[k].to_bits() ^ region.half[k].to_bits().rotate_left(32);
        seed = mixed(seed ^ of).wrapping_add(STEP);
        k += 1;
    }
    seed
}

/// A number between 0 and 1.
#[inline(always)]
fn share(seed: u64) -> f64 {
    ((mixed(seed) >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64)
}

/// Puts a point there that a line of this number goes through where a region is looked at again, the axis' own
/// coordinate being the middle.
#[inline(always)]
pub fn anywhere(region: &Region, dimensions: usize, axis: usize, line: u32, x: &mut Point) {
    let mut seed = seed(region, dimensions, axis as u64);
    let ratio = SPREAD[dimensions.clamp(2, MAX_DIMENSIONS) - 2];
    let (mut step, mut k) = (f64::from(line), 0);
    while k < dimensions.min(MAX_DIMENSIONS) {
        let mut at = region.centre[k];
        if k != axis {
            seed = seed.wrapping_add(STEP);
            step *= ratio;
            let place = share(seed) + step;
            at += region.half[k] * (2.0 * (place - GpuFloat::floor(place)) - 1.0);
        }
        // By numbers that are constants once the loop is unrolled: the array stays in registers.
        for (index, x) in x.iter_mut().enumerate() {
            if index == k {
                *x = at;
            }
        }
        k += 1;
    }
}

/// Puts a point there that a line along an axis goes through, the axis' own coordinate being the middle; the
/// line's weight. `node` has the place and the weight of a node, of a number of nodes.
#[inline(always)]
pub fn place(
    region: &Region,
    dimensions: usize,
    axis: usize,
    line: u32,
    node: impl Fn(u32, u32) -> [f64; 2],
    x: &mut Point,
) -> f64 {
    let number = axis as u64 * u64::from(LANES) + u64::from(line);
    let mut seed = seed(region, dimensions, number);
    let (is_edge, is_back) = (line < edges(dimensions), line % 2 == 1);
    // Of up to four dimensions each edge has a line, of more one that is drawn.
    let mut sides = if dimensions > 4 {
        seed
    } else {
        u64::from(line)
    };
    let (mut weight, mut k) = (1.0, 0);
    while k < dimensions.min(MAX_DIMENSIONS) {
        seed = seed.wrapping_add(STEP);
        let share = share(seed);
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
    weight
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    /// Of 512 lines along an axis of a cube, one is within 0.05 of every place; drawn by chance, 1 in 56 places
    /// has none.
    #[test]
    fn lines_of_looks_again_leave_no_place_out() {
        let mut region: Region = bytemuck::Zeroable::zeroed();
        let Region { centre, half, .. } = &mut region;
        centre[..3].fill(0.5);
        half[..3].fill(0.5);
        for axis in 0..3 {
            let across = [0, 1, 2].into_iter().filter(|&k| k != axis);
            let across: Vec<usize> = across.collect();
            let lines = (0..512).map(|line| {
                let mut x = [0.0; MAX_DIMENSIONS];
                anywhere(&region, 3, axis, line, &mut x);
                assert_eq!((x[axis], &x[3..]), (0.5, &[0.0; MAX_DIMENSIONS - 3][..]));
                [x[across[0]], x[across[1]]]
            });
            let lines: Vec<[f64; 2]> = lines.collect();
            assert!(lines.iter().flatten().all(|x| (0.0..1.0).contains(x)));
            for place in 0..19 * 19 {
                let [x, y] = [place % 19, place / 19].map(|at| 0.05 + 0.05 * f64::from(at));
                let distance = |[a, b]: &[f64; 2]| (a - x).hypot(b - y);
                let nearest = lines.iter().map(distance).fold(1.0, f64::min);
                assert!(nearest < 0.05, "{axis}: {nearest} from {x}, {y}");
            }
        }
    }
}
