//! Shifted rank-1 lattices, folded, and scrambled Sobol points: for smooth functions.
//!
//! Source: Dick, Kuo and Sloan, High-dimensional integration: the quasi-Monte Carlo way, Acta
//! Numerica 22, 2013, sections 2.5 and 5; the folding of coordinates, which gives functions that are not periodic the
//! convergence of those that are, is Hickernell's (Obtaining O(N^-2+e) convergence for lattice
//! quadrature rules, 2002). Sobol points are those of [`sobol`](super::sobol), in the order of Gray codes
//! (Antonov and Saleev, An economic method of computing LP_tau-sequences, 1979): one direction leads
//! from a warp's points to its next.

use cuda_std::{GpuFloat, thread, warp};

use super::integrand::{Integrand, Parameters};
use super::lanes::of_all_lanes;
use super::sizes::{MAX_DIMENSIONS, Points, Sums, THREADS};
use super::sobol::scrambled;
use crate::LANES;

/// 2^21, whose last bits are those of 2^-31, and half of such a bit less than it.
const FOLDED: u64 = 0x4140_0000 << 32;
const BEFORE_FOLDED: f64 = (1 << 21) as f64 - 1.0 / (1_u64 << 32) as f64;
/// 2^20 and 2^-32, the same.
const WHOLE: u64 = 0x4130_0000 << 32;
const BEFORE_WHOLE: f64 = (1 << 20) as f64 - 1.0 / (1_u64 << 33) as f64;

/// Sums the function over points, a warp each of as many as its lanes take.
///
/// # Safety
/// There are as many dimensions as limits, up to [`Integrand::MOST`]; a word of [`MAX_DIMENSIONS`] for
/// every replicate, and behind them, of Sobol points, one for each of [`DIRECTIONS`](super::sizes::DIRECTIONS); room for the sums
/// of all its warps. Blocks of [`THREADS`].
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "an iterator would put the arrays into memory"
)]
pub unsafe fn sum<I: Integrand>(
    points: &Points,
    shifts: *const [u32; MAX_DIMENSIONS],
    parameters: &Parameters,
    sums: *mut Sums,
) {
    let (warps, lane) = (THREADS / LANES, warp::lane_id());
    let dimensions = I::dimensions(points.dimensions);
    let is_sobol = points.is_sobol != 0;
    let directions = shifts.wrapping_add(points.replicates as usize);
    let mut group = thread::block_idx_x() * warps + thread::thread_idx_x() / LANES;
    while group < points.groups * points.replicates {
        let shift = shifts.wrapping_add((group / points.groups) as usize);
        let mut of = Sums {
            first: 0.0,
            second: 0.0,
        };
        // A warp's points are of one number, and differ in the lane.
        let mut number = group % points.groups * points.each;
        let end = number + points.each;
        let mut reversed = [0; MAX_DIMENSIONS];
        if is_sobol {
            let point = (number ^ (number >> 1)) * LANES + lane + points.first;
            let mut bit = 0;
            // Not as many times as there are directions: that would be unrolled.
            while point >> bit != 0 {
                let is_set = 0_u32.wrapping_sub(point >> bit & 1);
                // SAFETY: the caller's.
                let direction = unsafe { &*directions.wrapping_add(bit) };
                bit += 1;
                for axis in 0..I::MOST {
                    if axis < dimensions {
                        reversed[axis] ^= direction[axis] & is_set;
                    }
                }
            }
        }
        while number < end {
            let mut x = [0.0; MAX_DIMENSIONS];
            if is_sobol {
                number += 1;
                let next = (number.trailing_zeros() + LANES.trailing_zeros()) as usize;
                // SAFETY: the caller's; a number less than all points has no more bits than they.
                let (keys, direction) = unsafe { (&*shift, &*directions.wrapping_add(next)) };
                for axis in 0..I::MOST {
                    if axis < dimensions {
                        let place = u64::from(scrambled(reversed[axis], keys[axis]));
                        let share = f64::from_bits(WHOLE | place) - BEFORE_WHOLE;
                        x[axis] = GpuFloat::mul_add(share, points.widths[axis], points.from[axis]);
                        reversed[axis] ^= direction[axis];
                    }
                }
            } else {
                let point = number * LANES + lane;
                number += 1;
                for axis in 0..I::MOST {
                    if axis < dimensions {
                        // SAFETY: the caller's.
                        let shift = unsafe { (*shift)[axis] };
                        let place = point.wrapping_mul(points.steps[axis]).wrapping_add(shift);
                        // Down from the middle on.
                        let folded =
                            (place ^ (place.cast_signed() >> 31).cast_unsigned()) & !(1 << 31);
                        let share = f64::from_bits(FOLDED | u64::from(folded)) - BEFORE_FOLDED;
                        x[axis] = GpuFloat::mul_add(share, points.widths[axis], points.from[axis]);
                    }
                }
            }
            let value = I::at(&x, dimensions, parameters);
            of.first += value;
            of.second = GpuFloat::mul_add(value, value, of.second);
        }
        // SAFETY: the caller's; all lanes are here.
        unsafe {
            let of = of_all_lanes(of);
            if lane == 0 {
                *sums.wrapping_add(group as usize) = of;
            }
        }
        group += thread::grid_dim_x() * warps;
    }
}
