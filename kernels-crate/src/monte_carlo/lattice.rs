//! Shifted rank-1 lattices, folded: for smooth functions.
//!
//! Source: Dick, Kuo and Sloan, High-dimensional integration: the quasi-Monte Carlo way, Acta
//! Numerica 22, 2013, sections 2.5 and 5; the folding of coordinates, which gives functions that are not periodic the
//! convergence of those that are, is Hickernell's (Obtaining O(N^-2+e) convergence for lattice
//! quadrature rules, 2002).

use cuda_std::{GpuFloat, thread, warp};

use super::integrand::{Integrand, Parameters};
use super::lanes::of_all_lanes;
use super::sizes::{MAX_DIMENSIONS, Points, Sums, THREADS};
use crate::LANES;

/// 2^21, whose last bits are those of 2^-31, and half of such a bit less than it.
const PLACE: u64 = 0x4140_0000 << 32;
const BEFORE: f64 = (1 << 21) as f64 - 1.0 / (1_u64 << 32) as f64;

/// Sums the function over points, a warp each of as many as its lanes take.
///
/// # Safety
/// There are as many dimensions as limits, up to [`Integrand::MOST`]; a word of [`MAX_DIMENSIONS`] for
/// every replicate, and room for the sums of all its warps. Blocks of [`THREADS`].
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
    let mut group = thread::block_idx_x() * warps + thread::thread_idx_x() / LANES;
    while group < points.groups * points.replicates {
        let shift = shifts.wrapping_add((group / points.groups) as usize);
        let mut of = Sums {
            first: 0.0,
            second: 0.0,
        };
        let mut point = group % points.groups * points.each * LANES + lane;
        let end = point + points.each * LANES;
        while point < end {
            let mut x = [0.0; MAX_DIMENSIONS];
            for axis in 0..I::MOST {
                if axis < dimensions {
                    // SAFETY: the caller's.
                    let shift = unsafe { (*shift)[axis] };
                    let place = point.wrapping_mul(points.steps[axis]).wrapping_add(shift);
                    // Down from the middle on.
                    let folded = (place ^ (place.cast_signed() >> 31).cast_unsigned()) & !(1 << 31);
                    let share = f64::from_bits(PLACE | u64::from(folded)) - BEFORE;
                    x[axis] = GpuFloat::mul_add(share, points.widths[axis], points.from[axis]);
                }
            }
            let value = I::at(&x, dimensions, parameters);
            of.first += value;
            of.second = GpuFloat::mul_add(value, value, of.second);
            point += LANES;
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
