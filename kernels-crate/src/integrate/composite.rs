//! One integral by a composite rule over any number of strips, in one launch.
//!
//! The strips are dealt out in *chunks*, whose size depends on the number of strips alone;
//! a warp takes one chunk after the other, and the block that is done last adds the chunks'
//! sums up. **The result is the same bit for bit for every launch shape.**
//!
//! Of a [short](Integrand::IS_SHORT) integrand a lane takes [`STEPS`] nodes at a time: their
//! abscissas are one number plus multiples of the step, which are parameters of the launch
//! (constants that a kernel makes itself sit in registers and cost a read each; parameters do
//! not). Two running sums take turns, so that one addition does not wait for the one before.
//! After [`Real::FOLDS`] times the two go into a sum of twice the digits. Of others a lane
//! takes as many nodes in a row, one by one.
//!
//! Association, which depends on the number of strips and the rule alone: a lane's terms as
//! said; the lanes of a warp by a butterfly; the families of a rule in their order; the
//! chunks in groups by [`gather`], the groups in order, a lane, then by a butterfly.
//!
//! Nodes next to the limits, closer than the kind of number resolves, are taken one by one
//! and kept between them, so that an integrand never sees a limit but for the rule's own
//! evaluations there.

use cuda_std::{GpuFloat, grid, shared_array, thread, warp};

use super::integrand::{Integrand, Parameters, Point};
use super::real::{Real, Running};
use super::rules::FAMILIES;
use crate::operator::Sum;
use crate::reduce::device::{arrive, tag};
use crate::scan::lanes::LANES;
use crate::scan::status::{self, GROUP, gather};
use cuda_std::float::Addend;

/// Nodes of a lane whose abscissas are one number plus a multiple of the step.
pub const STEPS: usize = 16;

/// The most strips.
pub const MAX_STRIPS: u64 = 1 << 40;

/// The most chunks.
pub const MAX_CHUNKS: u64 = 1 << 14;

/// The most warps of a block.
pub const MAX_WARPS: u32 = 8;

/// Groups of chunks, at most.
const GROUPS: usize = (MAX_CHUNKS / GROUP) as usize;

/// Strips that a lane takes in a row.
pub const fn strips_of_lane<R: Real>() -> u64 {
    (STEPS * R::FOLDS) as u64
}

/// Strips of a chunk, for an integral of so many: a power of two, about the root of their
/// number. More chunks than that would cost more in the end than they balance.
pub const fn strips_of_chunk<R: Real>(strips: u64) -> u64 {
    let turn = strips_of_lane::<R>() * LANES as u64;
    let bits = strips.next_power_of_two().ilog2();
    let root = 1 << bits.div_ceil(2);
    let fewest = strips.next_power_of_two() / MAX_CHUNKS;
    let mut chunk = turn;
    while chunk < root || chunk < fewest {
        chunk *= 2;
    }
    chunk
}

/// What a launch is asked for.
pub struct Request<R> {
    /// The lower limit.
    pub from: f64,
    /// The upper limit.
    pub to: f64,
    /// The width of a strip.
    pub step: f64,
    /// What the sum is multiplied by: the step, or its negative for an integral from the
    /// upper limit to the lower.
    pub width: f64,
    /// How many strips; none: the result is 0.
    pub strips: u64,
    /// How many next to either limit are taken one by one.
    pub margin: u64,
    /// The first of the rule's [`FAMILIES`].
    pub family: u32,
    /// How many there are.
    pub families: u32,
    /// The weight of the limits.
    pub ends: f64,
    /// The step's multiples.
    pub multiples: [R; STEPS],
    /// The integrand's parameters.
    pub parameters: Parameters<R>,
    /// One result.
    pub output: *mut R,
    /// Words that chunks' sums are exchanged by, [`status`].
    pub scratch: *mut u64,
    /// How many of them.
    pub words: u64,
}

/// Integrates as `request` says.
///
/// # Safety
/// Blocks of up to [`MAX_WARPS`] whole warps; up to [`MAX_STRIPS`] strips; the scratch
/// memory has room for the sums of all chunks and is this launch's alone.
#[inline(always)]
pub unsafe fn integrate<I: Integrand<R>, R: Real>(request: &Request<R>) {
    let is_last = shared_array![u32; 1];
    let groups = shared_array![f64; GROUPS];
    let (block, blocks) = (thread::block_idx_x(), thread::grid_dim_x());
    let (warp, warps) = (
        thread::thread_idx_x() / LANES,
        thread::block_dim_x() / LANES,
    );
    let lane = warp::lane_id();
    grid::wait_for_earlier();
    let chunk_strips = strips_of_chunk::<R>(request.strips);
    let chunks = request.strips.div_ceil(chunk_strips) as u32;
    // SAFETY: the caller's; what is shared is written on one side of a barrier and read on
    // the other. Every thread has the tag before its block arrives.
    unsafe {
        let tag = tag(request.scratch);
        // Chunks that are one too many fall on different multiprocessors.
        let mut chunk = warp * blocks + block;
        while chunk < chunks {
            let sum = chunk_sum::<I, R>(request, u64::from(chunk), chunk_strips);
            if lane == 0 {
                status::publish(request.scratch, u64::from(chunk), sum, tag);
            }
            chunk += warps * blocks;
        }
        if warp == 0 {
            status::forget::<f64>(request.scratch, request.words, u64::from(chunks), tag);
        }
        thread::sync_threads();
        if thread::thread_idx_x() == 0 {
            *is_last = u32::from(arrive(request.scratch, blocks));
        }
        thread::sync_threads();
        if *is_last == 0 {
            return;
        }
        let count = chunks.div_ceil(GROUP as u32);
        let mut group = warp;
        while group < count {
            let in_group = (chunks - group * GROUP as u32).min(GROUP as u32);
            let sum = gather::<Sum<f64>>(request.scratch, u64::from(group), in_group, tag);
            if lane == 0 {
                *groups.add(group as usize) = sum;
            }
            group += warps;
        }
        thread::sync_threads();
        if warp == 0 {
            let mut own = 0.0;
            let mut group = lane;
            while group < count {
                own += *groups.add(group as usize);
                group += LANES;
            }
            let sum = of_lanes(own) * scale::<I, R>(&request.parameters);
            if lane == 0 {
                *request.output = R::from_f64(sum * request.width);
            }
        }
    }
}

/// What sums of the integrand's terms are multiplied by.
#[inline(always)]
fn scale<I: Integrand<R>, R: Real>(parameters: &Parameters<R>) -> f64 {
    fn of<R: Real, A: Addend<R>>(_: impl FnOnce() -> A) -> f64 {
        A::SCALE.to_f64()
    }
    of::<R, _>(|| I::eval(R::ZERO, parameters))
}

/// A chunk's terms with their weights, in every lane.
///
/// # Safety
/// All lanes of the warp call it, for the same chunk.
#[inline(always)]
unsafe fn chunk_sum<I: Integrand<R>, R: Real>(
    request: &Request<R>,
    chunk: u64,
    strips: u64,
) -> f64 {
    let begin = chunk * strips;
    let mut sum = 0.0;
    let mut family = request.family;
    while family < request.family + request.families {
        let (offset, weight) = FAMILIES[family as usize];
        let nodes = request.strips - u64::from(offset == 1.0);
        let end = nodes.min(begin + strips);
        let own = lane_sum::<I, R>(request, begin, end, offset);
        // SAFETY: the caller's.
        sum = unsafe { of_lanes(own) }.mul_add(weight, sum);
        family += 1;
    }
    if chunk == 0 && request.ends != 0.0 {
        let mut ends = 0.0;
        let (from, to) = (R::from_f64(request.from), R::from_f64(request.to));
        for k in 0..2 {
            let x = if k == 0 { from } else { to };
            let (from_lower, to_upper) = (x - from, to - x);
            let limit = Point {
                x,
                from_lower,
                to_upper,
            };
            ends += I::eval_at(limit, &request.parameters).to_f64();
        }
        sum += ends * (request.ends / scale::<I, R>(&request.parameters));
    }
    sum
}

/// The sum of all lanes' numbers, in every lane.
///
/// # Safety
/// All lanes of the warp call it.
#[inline(always)]
unsafe fn of_lanes(mut own: f64) -> f64 {
    let mut distance = LANES / 2;
    while distance > 0 {
        // SAFETY: the caller's.
        own += unsafe { warp::shuffle_xor(warp::FULL_MASK, own, distance) };
        distance /= 2;
    }
    own
}

/// This lane's terms among the nodes `begin..end` of a family.
#[inline(always)]
fn lane_sum<I: Integrand<R>, R: Real>(
    request: &Request<R>,
    begin: u64,
    end: u64,
    offset: f64,
) -> f64 {
    let in_a_row = strips_of_lane::<R>();
    let mut sum = Running::<R>::ZERO;
    let mut node = begin + u64::from(warp::lane_id()) * in_a_row;
    while node < end {
        let last = node + in_a_row;
        let is_inside = node >= request.margin && last + request.margin <= request.strips;
        sum.add(if I::IS_SHORT && last <= end && is_inside {
            at_once::<I, R>(request, node as f64 + offset)
        } else {
            one_by_one::<I, R>(request, node, last.min(end), offset)
        });
        node += in_a_row * u64::from(LANES);
    }
    sum.value()
}

/// The terms of [`strips_of_lane`] nodes, of which the first is `at` steps behind the
/// lower limit.
#[inline(always)]
fn at_once<I: Integrand<R>, R: Real>(request: &Request<R>, mut at: f64) -> R {
    let (mut even, mut odd) = (R::ZERO, R::ZERO);
    let mut fold = 0;
    while fold < R::FOLDS {
        let base = R::from_f64(at.mul_add(request.step, request.from));
        for k in 0..STEPS / 2 {
            let node = |k: usize| I::eval(base + request.multiples[k], &request.parameters);
            even = node(2 * k).add_to(even);
            odd = node(2 * k + 1).add_to(odd);
        }
        at += STEPS as f64;
        fold += 1;
    }
    even + odd
}

/// The terms of the nodes `node..end`, which are kept off the limits.
#[inline(always)]
fn one_by_one<I: Integrand<R>, R: Real>(
    request: &Request<R>,
    mut node: u64,
    end: u64,
    offset: f64,
) -> R {
    let (above, below) = (
        R::from_f64(request.from).above(),
        R::from_f64(request.to).below(),
    );
    let mut sum = R::ZERO;
    while node < end {
        let x = R::from_f64((node as f64 + offset).mul_add(request.step, request.from));
        let x = GpuFloat::max(GpuFloat::min(x, below), above);
        sum = I::eval(x, &request.parameters).add_to(sum);
        node += 1;
    }
    sum
}
