//! A product of Gauss-Legendre rules over many regions, and what tells its errors: the Legendre
//! coefficients of the highest degrees of each axis, the other axes being integrated.
//!
//! The association: a lane adds up a plane line by line, its planes in order; a warp adds its lanes
//! in order; [`combine`] adds a region's chunks in order. A lane's coefficients are in shared memory:
//! they change once a plane, and registers are for the points.

use cuda_std::{GpuFloat, shared_array, thread, warp};

use super::integrand::{Integrand, Parameters};
use super::region::{
    ADDERS, BEST, COEFFICIENTS, FIRST, LINES, MAX_DIMENSIONS, NODE, Region, SUMS, TEAM, WARPS,
    chunks, nodes_before, row,
};
use crate::LANES;

/// Numbers between two sums of a warp: a lane each, and one more, so that lanes that read have
/// banks of their own.
const PITCH: u32 = LANES + 1;
/// Chunks of which a lane that adds them up has numbers at a time.
const AHEAD: usize = 16;
/// Numbers of a warp.
const WORDS: u32 = BEST as u32 * PITCH;
/// And of a block: of its warps, or of a team and the planes of its lanes.
const WORDS_OF_BLOCK: u32 = {
    let (alone, together) = (WARPS * WORDS, WORDS + TEAM * Weighted::NUMBERS * LANES);
    if alone > together { alone } else { together }
};

/// What a launch sums.
#[derive(Clone, Copy)]
pub struct Request {
    /// The regions, of ascending first chunks.
    pub regions: *const Region,
    /// How many.
    pub count: u32,
    /// Chunks of all of them.
    pub chunks: u32,
    /// Of the integral.
    pub dimensions: u32,
    /// Numbers of all nodes.
    pub table: *const f64,
    /// Of the integrand, a member's each.
    pub parameters: *const Parameters,
    /// [`SUMS`] a chunk.
    pub partials: *mut f64,
}

impl Request {
    /// Those of a region's member.
    ///
    /// # Safety
    /// There are as many.
    #[inline(always)]
    unsafe fn parameters_of(&self, region: &Region) -> &Parameters {
        // SAFETY: the caller's.
        unsafe { &*self.parameters.add(region.member as usize) }
    }
}

/// The numbers of a node of a rule.
#[inline(always)]
pub(super) fn node(table: *const f64, nodes: u32, index: u32) -> *const f64 {
    table.wrapping_add((nodes_before(nodes) + index) as usize * NODE)
}

/// A number of a node.
///
/// # Safety
/// It is in the table.
#[inline(always)]
pub(super) unsafe fn number(node: *const f64, index: usize) -> f64 {
    // SAFETY: the caller's.
    unsafe { *node.add(index) }
}

/// Where a node is on an axis.
///
/// # Safety
/// As [`number`].
#[inline(always)]
pub(super) unsafe fn place(region: &Region, axis: usize, node: *const f64) -> f64 {
    // SAFETY: the caller's.
    unsafe { region.half[axis].mul_add(number(node, 0), region.centre[axis]) }
}

/// Sums of a lane, but for the coefficients.
struct Sums {
    value: f64,
    magnitude: f64,
    best: f64,
    plane: u32,
}

/// How many warps sum a chunk together.
#[inline(always)]
fn team() -> u32 {
    if thread::block_dim_x() > WARPS * LANES {
        TEAM
    } else {
        1
    }
}

/// The warp's number among them.
#[inline(always)]
fn of_team() -> u32 {
    thread::thread_idx_x() / LANES % team()
}

/// All of them wait for each other.
///
/// # Safety
/// All lanes of the team's warps call it.
#[inline(always)]
unsafe fn sync_team() {
    // SAFETY: the caller's; a team of several is the block.
    unsafe {
        if team() > 1 {
            thread::sync_threads();
        } else {
            warp::sync_warp(warp::FULL_MASK);
        }
    }
}

/// The block's shared memory: sums of [`WARPS`] warps, or those of a team and a plane a lane.
#[inline(always)]
fn shared(index: u32) -> *mut f64 {
    shared_array![f64; WORDS_OF_BLOCK as usize].wrapping_add(index as usize)
}

/// A lane's place for a coefficient of an axis, or another sum.
///
/// # Safety
/// There are as many sums, and no more warps than [`WARPS`] or a [`TEAM`].
#[inline(always)]
unsafe fn slot(index: usize) -> *mut f64 {
    let team = thread::thread_idx_x() / LANES / team();
    shared(team * WORDS + warp::lane_id()).wrapping_add(index * PITCH as usize)
}

/// Sums each chunk of the regions: a warp a chunk, or a block of a [`TEAM`], in which each warp has every so
/// many of the chunk's rows and then adds up what all have for axes of its own, in the order of the rows.
///
/// # Safety
/// The regions have 2 to [`MAX_DIMENSIONS`] dimensions, nodes that are in the table and the
/// planes that they say, and members that have parameters; partials have room for all chunks. Blocks
/// have up to [`WARPS`] whole warps, or [`TEAM`].
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
            of = unsafe { weighted::<I>(request, region, plane) };
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

/// What a plane adds to the sums.
#[derive(Clone, Copy)]
struct Weighted {
    value: f64,
    /// Less than 0 where there is no plane.
    magnitude: f64,
    weight: f64,
    /// The nodes of the axes from the third one on, a byte each.
    indices: u64,
    /// Of the first two axes, without the weight.
    coefficients: [[f64; COEFFICIENTS]; 2],
}

impl Weighted {
    const NONE: Self = Self {
        value: 0.0,
        magnitude: -1.0,
        weight: 0.0,
        indices: 0,
        coefficients: [[0.0; COEFFICIENTS]; 2],
    };
    /// Its numbers.
    const NUMBERS: u32 = 4 + 2 * COEFFICIENTS as u32;

    /// A lane's place for one of them, of a warp of the team.
    #[inline(always)]
    fn place(warp: u32, number: usize) -> *mut f64 {
        let of_warp = WORDS + warp * Self::NUMBERS * LANES + warp::lane_id();
        shared(of_warp).wrapping_add(number * LANES as usize)
    }

    /// Shows it to the team.
    ///
    /// # Safety
    /// All lanes of the team call it, each with its warp's number, and have read what was there.
    #[inline(always)]
    unsafe fn share(&self, own: u32) {
        let first = [
            self.value,
            self.magnitude,
            self.weight,
            f64::from_bits(self.indices),
        ];
        // SAFETY: the caller's.
        unsafe {
            for (number, of) in first.iter().enumerate() {
                *Self::place(own, number) = *of;
            }
            for (number, of) in self.coefficients.as_flattened().iter().enumerate() {
                *Self::place(own, first.len() + number) = *of;
            }
            sync_team();
        }
    }

    /// That of the same lane in a warp of the team.
    ///
    /// # Safety
    /// It was [shared](Self::share).
    #[inline(always)]
    unsafe fn shared_by(warp: u32) -> Self {
        // SAFETY: the caller's.
        let number = |number: usize| unsafe { *Self::place(warp, number) };
        let mut coefficients = [[0.0; COEFFICIENTS]; 2];
        for (m, of) in coefficients.as_flattened_mut().iter_mut().enumerate() {
            *of = number(4 + m);
        }
        Self {
            value: number(0),
            magnitude: number(1),
            weight: number(2),
            indices: number(3).to_bits(),
            coefficients,
        }
    }
}

/// A plane of this number.
///
/// # Safety
/// As [`sum`]; there is one.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "an iterator would put the arrays into memory"
)]
unsafe fn weighted<I: Integrand>(request: &Request, region: &Region, plane: u32) -> Weighted {
    let (table, dimensions) = (request.table, request.dimensions as usize);
    let mut x = [0.0; MAX_DIMENSIONS];
    let (mut left, mut weight, mut indices) = (plane, 1.0, 0);
    // SAFETY: the caller's, whose planes are as many as the nodes of the other axes.
    unsafe {
        for k in 2..MAX_DIMENSIONS {
            if k < dimensions {
                let count = region.nodes[k];
                let index = left % count;
                left /= count;
                let node = node(table, count, index);
                x[k] = place(region, k, node);
                weight *= number(node, 1) * region.half[k];
                indices |= u64::from(index) << (8 * (k - 2));
            }
        }
        let of = of_plane::<I>(request, region, &mut x);
        Weighted {
            value: of.value * weight,
            magnitude: of.magnitude * weight,
            weight,
            indices,
            coefficients: of.coefficients,
        }
    }
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
                        *slot = of.coefficients[k as usize][m].mul_add(of.weight, *slot);
                    }
                }
            }
            let mut k = 2;
            while k < dimensions {
                if is_own(k) {
                    let node = node(table, region.nodes[k as usize], indices as u32 & 0xff);
                    for m in 0..COEFFICIENTS {
                        let slot = slot(FIRST + k as usize * COEFFICIENTS + m);
                        *slot = of.value.mul_add(number(node, 2 + m), *slot);
                    }
                }
                indices >>= 8;
                k += 1;
            }
        }
    }
}

/// Sums of a plane.
struct OfPlane {
    value: f64,
    magnitude: f64,
    coefficients: [[f64; COEFFICIENTS]; 2],
}

/// The points of a plane, whose other coordinates are there.
///
/// # Safety
/// As [`sum`].
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "an iterator would put the arrays into memory"
)]
unsafe fn of_plane<I: Integrand>(
    request: &Request,
    region: &Region,
    x: &mut [f64; MAX_DIMENSIONS],
) -> OfPlane {
    let (table, dimensions) = (request.table, request.dimensions as usize);
    let mut plane = OfPlane {
        value: 0.0,
        magnitude: 0.0,
        coefficients: [[0.0; COEFFICIENTS]; 2],
    };
    // SAFETY: the caller's.
    let parameters = unsafe { request.parameters_of(region) };
    let [across, along] = [region.nodes[1], region.nodes[0]];
    let mut line = 0;
    while line < across {
        let of_line = node(table, across, line);
        let (mut value, mut magnitude) = (0.0, 0.0);
        let mut coefficients = [0.0; COEFFICIENTS];
        // SAFETY: the caller's.
        unsafe {
            x[1] = place(region, 1, of_line);
            let mut point = 0;
            while point < along {
                let at = node(table, along, point);
                x[0] = place(region, 0, at);
                let part = I::at(x, dimensions, parameters) * number(at, 1);
                value += part;
                magnitude += GpuFloat::abs(part);
                for m in 0..COEFFICIENTS {
                    coefficients[m] = part.mul_add(number(at, 2 + m), coefficients[m]);
                }
                point += 1;
            }
            let weight = number(of_line, 1) * (region.half[0] * region.half[1]);
            value *= weight;
            plane.value += value;
            plane.magnitude += magnitude * weight;
            for m in 0..COEFFICIENTS {
                let first = coefficients[m].mul_add(weight, plane.coefficients[0][m]);
                let second = value.mul_add(number(of_line, 2 + m), plane.coefficients[1][m]);
                plane.coefficients[0][m] = first;
                plane.coefficients[1][m] = second;
            }
        }
        line += 1;
    }
    plane
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

/// Adds up the chunks of each region, [`ADDERS`] lanes each of its sums: a lane every so many chunks in
/// order, then the lanes in pairs.
///
/// # Safety
/// The partials of all chunks of the regions were written; there is room for [`SUMS`] a region. Blocks
/// have whole warps.
#[inline(always)]
#[allow(
    clippy::needless_range_loop,
    reason = "an iterator would put the arrays into memory"
)]
pub unsafe fn combine(regions: *const Region, count: u32, partials: *const f64, sums: *mut f64) {
    let threads = u64::from(thread::grid_dim_x()) * u64::from(thread::block_dim_x());
    let first = u64::from(thread::block_idx_x()) * u64::from(thread::block_dim_x());
    let mut of = first + u64::from(thread::thread_idx_x());
    let all = u64::from(count) * LINES as u64 * u64::from(ADDERS);
    while of < all {
        let (own, of_sum) = ((of % u64::from(ADDERS)) as u32, of / u64::from(ADDERS));
        let (number, index) = (
            (of_sum / LINES as u64) as usize,
            (of_sum % LINES as u64) as usize,
        );
        // SAFETY: the caller's; the sums of all regions are of whole warps.
        unsafe {
            let region = &*regions.add(number);
            let from = partials.add(region.first as usize * SUMS + index);
            let end = chunks(region.plane);
            let is_sum = index < BEST;
            let of_size = if is_sum { 0 } else { index - BEST };
            // The largest so far, and the chunk that has it.
            let (mut sum, mut best, mut at, mut chunk) = (0.0, -1.0, own, own);
            while chunk < end {
                // They come from memory together.
                let (mut parts, mut sizes) = ([0.0; AHEAD], [-1.0; AHEAD]);
                for k in 0..AHEAD {
                    let next = chunk + k as u32 * ADDERS;
                    if next < end {
                        let part = from.add(next as usize * SUMS);
                        (parts[k], sizes[k]) = (*part, *part.sub(of_size));
                    }
                }
                for k in 0..AHEAD {
                    if is_sum {
                        sum += parts[k];
                    } else if sizes[k] > best {
                        (best, at, sum) = (sizes[k], chunk + k as u32 * ADDERS, parts[k]);
                    }
                }
                chunk += AHEAD as u32 * ADDERS;
            }
            let mut distance = 1;
            while distance < ADDERS {
                let other = |number| warp::shuffle_xor(warp::FULL_MASK, number, distance);
                let (more, size) = (other(sum), other(best));
                let place = warp::shuffle_xor(warp::FULL_MASK, at, distance);
                if is_sum {
                    sum += more;
                } else if size > best || size == best && place < at {
                    (best, at, sum) = (size, place, more);
                }
                distance *= 2;
            }
            if own == 0 {
                *sums.add(number * SUMS + index) = sum;
            }
        }
        of += threads;
    }
}
