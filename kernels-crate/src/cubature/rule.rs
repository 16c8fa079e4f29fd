//! A product of Gauss-Legendre rules over many regions, and what tells its errors: the Legendre
//! coefficients of the highest degrees of each axis, the other axes being integrated.
//!
//! The association: a lane adds up a plane line by line, its planes in order; a warp adds its lanes
//! in order; [`combine`] adds a region's chunks in order. A lane's coefficients are in shared memory:
//! they change once a plane, and registers are for the points.

use cuda_std::{GpuFloat, thread, warp};

pub use super::combine::combine;
use super::integrand::Integrand;
pub(super) use super::node::{node, number, place};
pub use super::plane::Request;
use super::plane::Weighted;
use super::region::{BEST, COEFFICIENTS, FIRST, Region, SUMS, TEAM, row};
use super::team::{of_team, slot, sync_team, team};
use crate::LANES;

/// Sums of a lane, but for the coefficients.
struct Sums {
    value: f64,
    magnitude: f64,
    best: f64,
    plane: u32,
}

/// Sums each chunk of the regions: a warp a chunk, or a block of a [`TEAM`], in which each warp has every so
/// many of the chunk's rows and then adds up what all have for axes of its own, in the order of the rows.
///
/// # Safety
/// The regions have 2 to [`MAX_DIMENSIONS`](super::region::MAX_DIMENSIONS) dimensions, nodes that are in the table and the
/// planes that they say, and members that have parameters; partials have room for all chunks. Blocks
/// have up to [`WARPS`](super::region::WARPS) whole warps, or [`TEAM`].
#[inline(always)]
pub unsafe fn sum<I: Integrand>(request: &Request) {
    let teams = thread::block_dim_x() / LANES / team();
    let mut chunk = thread::block_idx_x() * teams + thread::thread_idx_x() / LANES / team();
    while chunk < request.chunks {
        // SAFETY: the caller's; what was summed before is read.
        unsafe {
            let region = &*request.regions.add(region_of(request, chunk) as usize);
            sync_team();
            let sums = sum_of_lane::<I>(request, region, chunk - region.first);
            sync_team();
            if of_team() == 0 {
                put(request, &sums, request.partials.add(chunk as usize * SUMS));
            }
        }
        chunk += thread::grid_dim_x() * teams;
    }
}

/// The region that has a chunk.
///
/// # Safety
/// As [`sum`].
#[inline(always)]
unsafe fn region_of(request: &Request, chunk: u32) -> u32 {
    let (mut low, mut high) = (0, request.count);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        // SAFETY: the caller's.
        if unsafe { (*request.regions.add(middle as usize)).first } <= chunk {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

/// The lane's planes of a chunk.
///
/// # Safety
/// As [`sum`].
#[inline(always)]
unsafe fn sum_of_lane<I: Integrand>(request: &Request, region: &Region, chunk: u32) -> Sums {
    let dimensions = request.dimensions as usize;
    let mut sums = Sums {
        value: 0.0,
        magnitude: 0.0,
        best: -1.0,
        plane: 0,
    };
    let (team, own) = (team(), of_team());
    let mut index = 0;
    while index < dimensions * COEFFICIENTS {
        if (index / COEFFICIENTS) as u32 % team == own {
            // SAFETY: the lane's own.
            unsafe { *slot(FIRST + index) = 0.0 };
        }
        index += 1;
    }
    let row = row(region.plane);
    let first = chunk * row * LANES + warp::lane_id();
    let mut turn = 0;
    while turn < row {
        let plane = first + (turn + own) * LANES;
        let mut of = Weighted::NONE;
        if turn + own < row && plane < region.plane {
            // SAFETY: the caller's.
            of = unsafe { Weighted::of::<I>(request, region, plane) };
        }
        if team == 1 {
            // SAFETY: the slots are the lane's own.
            unsafe { sums.add::<false>(request, region, &of, plane) };
        } else {
            let mut other = 0;
            // SAFETY: all of the team's lanes are here and have a place each; the slots of an axis are those of
            // the lane in one warp.
            unsafe {
                of.share(own);
                while other < team {
                    of = Weighted::shared_by(other);
                    let plane = first + (turn + other) * LANES;
                    sums.add::<true>(request, region, &of, plane);
                    other += 1;
                }
                sync_team();
            }
        }
        turn += team;
    }
    sums
}

impl Sums {
    /// Adds a plane, if there is one, in a team to the coefficients of the warp's own axes alone.
    ///
    /// # Safety
    /// As [`sum`]; the plane is one of the region's.
    #[inline(always)]
    unsafe fn add<const IS_TEAM: bool>(
        &mut self,
        request: &Request,
        region: &Region,
        of: &Weighted,
        plane: u32,
    ) {
        if of.magnitude < 0.0 {
            return;
        }
        self.value += of.value;
        self.magnitude += of.magnitude;
        if of.magnitude > self.best {
            self.best = of.magnitude;
            self.plane = plane;
        }
        let (table, dimensions) = (request.table, request.dimensions);
        let is_own = |k: u32| !IS_TEAM || k % TEAM == of_team();
        let mut indices = of.indices;
        // SAFETY: the caller's.
        unsafe {
            for k in 0..2_u32 {
                if is_own(k) {
                    for m in 0..COEFFICIENTS {
                        let slot = slot(FIRST + k as usize * COEFFICIENTS + m);
                        *slot = GpuFloat::mul_add(of.coefficients[k as usize][m], of.weight, *slot);
                    }
                }
            }
            let mut k = 2;
            while k < dimensions {
                if is_own(k) {
                    let node = node(table, region.nodes[k as usize], indices as u32 & 0xff);
                    for m in 0..COEFFICIENTS {
                        let slot = slot(FIRST + k as usize * COEFFICIENTS + m);
                        *slot = GpuFloat::mul_add(of.value, number(node, 2 + m), *slot);
                    }
                }
                indices >>= 8;
                k += 1;
            }
        }
    }
}

/// Writes the sums of a warp's lanes: a lane adds up one of them in the order of the lanes.
///
/// # Safety
/// All lanes of the warp call it; there is room for [`SUMS`].
#[inline(always)]
unsafe fn put(request: &Request, sums: &Sums, to: *mut f64) {
    let (lane, dimensions) = (warp::lane_id() as usize, request.dimensions as usize);
    // SAFETY: the caller's; a lane reads what others wrote before the barrier.
    unsafe {
        *slot(0) = sums.value;
        *slot(1) = sums.magnitude;
        warp::sync_warp(warp::FULL_MASK);
        let mut index = lane;
        while index < BEST {
            // Axes that are not there have none.
            let (mut sum, mut from) = (0.0, 0);
            if index < FIRST + dimensions * COEFFICIENTS {
                let row = slot(index).wrapping_sub(lane);
                while from < LANES as usize {
                    sum += *row.add(from);
                    from += 1;
                }
            }
            *to.add(index) = sum;
            index += LANES as usize;
        }
        let (best, plane) = largest(sums.best, sums.plane);
        if lane == 0 {
            *to.add(BEST) = best;
            *to.add(BEST + 1) = f64::from(plane);
        }
    }
}

/// The largest of the lanes' numbers, of equal ones that of the least index; the same in all lanes. NaN
/// is less than all others.
///
/// # Safety
/// All lanes of the warp call it.
#[inline(always)]
pub(super) unsafe fn largest(size: f64, mut index: u32) -> (f64, u32) {
    let mut size = if size.is_nan() {
        f64::NEG_INFINITY
    } else {
        size
    };
    let mut distance = LANES / 2;
    while distance > 0 {
        // SAFETY: the caller's.
        let other = unsafe {
            (
                warp::shuffle_xor(warp::FULL_MASK, size, distance),
                warp::shuffle_xor(warp::FULL_MASK, index, distance),
            )
        };
        if other.0 > size || other.0 == size && other.1 < index {
            (size, index) = other;
        }
        distance /= 2;
    }
    (size, index)
}
