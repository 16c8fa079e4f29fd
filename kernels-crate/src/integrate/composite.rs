//! One integral by a composite rule over any number of strips, in one launch.
//!
//! The strips are dealt out in *chunks*, whose size depends on the number of strips and the rule
//! alone, for each family of the rule's nodes by itself. A block takes [`UNIT`] of them at a
//! time, a warp each. Two such units it has from the start, of which the first needs nothing
//! but the kernel's parameters: it is evaluated while earlier launches end. The next ones it
//! draws: a scheduler prefers its oldest warps, so that blocks are not done with as many at the
//! same time. The block that is done last adds the units' sums up. **The result is the same bit
//! for bit for every launch shape.**
//!
//! Of a [short](Integrand::IS_SHORT) integrand a lane takes its nodes in rows: [`STEPS`] pairs at
//! once, so that neither waits for itself alone. Their abscissas are two numbers plus multiples
//! of the step, which are parameters of the launch (constants that a kernel makes itself sit in
//! registers and cost a read each; parameters do not). The two plain sums of a row go into one
//! of twice the digits ([`Real::FOLDS_EACH_ROW`]). Of others a lane takes one node after the
//! other: two at once cost more registers than they gain.
//!
//! Association, which depends on the number of strips and the rule alone: a lane's terms as
//! said; the lanes of a warp by a butterfly, times the family's weight; the chunks of a unit in
//! order; the units, one family's after the other's, in groups by [`gather`], the groups in
//! order, a lane, then by a butterfly.
//!
//! Nodes next to the limits, closer than the kind of number resolves, are kept between them,
//! so that an integrand never sees a limit but for the rule's own evaluations there.

#[cfg_attr(test, allow(unused_imports, reason = "a test has std's functions"))]
use cuda_std::GpuFloat;
use cuda_std::{grid, mem, shared_array, thread, warp};

use super::chunks::{Chunks, LONG_ROW, MAX_CHUNKS, ROW, STEPS, UNIT};
use super::integrand::{Integrand, Parameters, Point};
use super::real::{Real, Running};
use super::rules::FAMILIES;
use super::sizes::MAX_WARPS;
use super::walk::Walk;
use crate::LANES;
use crate::operator::Sum;
use crate::scan::scratch::{GROUP, HEAD};
use crate::scan::status::{self, arrive, gather, tag};

/// The word of the scratch memory that counts the units which blocks have drawn, beyond the
/// first two of each: 0 between launches.
const DRAWN: usize = 8;

const _: () = assert!((DRAWN as u64) < HEAD);

/// A warp of a block has a chunk of a unit.
const _: () = assert!(MAX_WARPS as u64 == UNIT);

/// Groups of units, at most.
const GROUPS: usize = (MAX_CHUNKS / UNIT / GROUP) as usize;

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
    /// How they are dealt out: [`Chunks::of`] them and the families.
    pub chunks: Chunks,
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
/// Blocks of up to [`MAX_WARPS`] whole warps; up to [`MAX_STRIPS`](super::chunks::MAX_STRIPS) strips; the scratch
/// memory has room for the sums of all chunks and is this launch's alone.
#[inline(always)]
pub unsafe fn integrate<I: Integrand<R>, R: Real>(request: &Request<R>) {
    let is_last = shared_array![u32; 1];
    let groups = shared_array![f64; GROUPS];
    let sums = shared_array![f64; 2 * UNIT as usize];
    let next = shared_array![u32; 2];
    let (block, blocks) = (thread::block_idx_x(), thread::grid_dim_x());
    let units = request.chunks.units * request.families;
    // SAFETY: all lanes of the warp are here. What one lane gives to all, the assembler knows to
    // be the same in all, and the loops that depend on it are the warp's.
    let warp = unsafe { warp::shuffle_idx(warp::FULL_MASK, thread::thread_idx_x() / LANES, 0) };
    let warps = thread::block_dim_x() / LANES;
    let lane = warp::lane_id();
    // SAFETY: the caller's; what is shared is written on one side of a barrier and read on
    // the other, and of the sums of two units in a row each has its own half. Every thread
    // has the tag before its block arrives.
    unsafe {
        let begin = || {
            grid::wait_for_earlier();
            tag(request.scratch)
        };
        let (mut drawn, mut half, mut is_first) = (block, 0, true);
        let mut tag = 0;
        while drawn < units {
            let (sums, next) = (sums.add(half * UNIT as usize), next.add(half));
            let mut following = if is_first { block + blocks } else { units };
            if !is_first && 2 * blocks < units && thread::thread_idx_x() == 0 {
                // It is not waited for before it is needed.
                let others = mem::fetch_add_relaxed(request.scratch.add(DRAWN), 1);
                following = 2 * blocks + others as u32;
            }
            // The last one first: it has an end to itself, as the first has.
            let unit = if drawn == 0 { units - 1 } else { drawn - 1 };
            let (family, of_family) = (unit / request.chunks.units, unit % request.chunks.units);
            let mut chunk = warp;
            while chunk < UNIT as u32 {
                let number = u64::from(of_family) * UNIT + u64::from(chunk);
                let sum = chunk_sum::<I, R>(request, family, number);
                if lane == 0 {
                    *sums.add(chunk as usize) = sum;
                }
                chunk += warps;
            }
            if thread::thread_idx_x() == 0 {
                *next = following;
            }
            if is_first {
                tag = begin();
            }
            thread::sync_threads();
            if thread::thread_idx_x() == 0 {
                let mut sum = *sums;
                for chunk in 1..UNIT as usize {
                    sum += *sums.add(chunk);
                }
                status::publish(request.scratch, u64::from(unit), sum, tag);
            }
            (drawn, half, is_first) = (*next, 1 - half, false);
        }
        if is_first {
            tag = begin();
        }
        if warp == 0 {
            status::clear_stale::<f64>(request.scratch, request.words, u64::from(units), tag);
        }
        thread::sync_threads();
        if thread::thread_idx_x() == 0 {
            *is_last = u32::from(arrive(request.scratch, blocks));
        }
        thread::sync_threads();
        if *is_last == 0 {
            return;
        }
        if thread::thread_idx_x() == 0 {
            mem::store_relaxed(request.scratch.add(DRAWN), 0);
        }
        let count = units.div_ceil(GROUP as u32);
        let mut group = warp;
        while group < count {
            let in_group = (units - group * GROUP as u32).min(GROUP as u32);
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
            let sum = of_lanes(own) * I::scale().to_f64();
            if lane == 0 {
                *request.output = R::from_f64(sum * request.width);
            }
        }
    }
}

/// The terms of a chunk of one of the rule's families with its weight, in every lane; none where
/// no strip is left for it. The limits are the first chunk's.
///
/// # Safety
/// All lanes of the warp call it, for the same chunk.
#[inline(always)]
unsafe fn chunk_sum<I: Integrand<R>, R: Real>(
    request: &Request<R>,
    family: u32,
    chunk: u64,
) -> f64 {
    let (offset, weight) = FAMILIES[(request.family + family) as usize];
    let begin = chunk * request.chunks.strips;
    let nodes = request.strips - u64::from(offset == 1.0);
    let end = nodes.min(begin + request.chunks.strips);
    let own = lane_sum::<I, R>(request, (begin.min(end), end), offset);
    // SAFETY: the caller's.
    let mut sum = unsafe { of_lanes(own) } * weight;
    if family == 0 && chunk == 0 && request.ends != 0.0 {
        // One limit in the lower lanes, the other in the upper ones.
        let (from, to) = (R::from_f64(request.from), R::from_f64(request.to));
        let x = if warp::lane_id() < LANES / 2 {
            from
        } else {
            to
        };
        let own = I::eval_at(Point::between(x, (from, to)), &request.parameters).to_f64();
        // SAFETY: the caller's.
        let other = unsafe { warp::shuffle_xor(warp::FULL_MASK, own, LANES / 2) };
        sum += (own + other) * request.ends * (1.0 / I::scale().to_f64());
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

/// This lane's terms among the nodes `begin..end` of a family, which a chunk has.
///
/// Of a short integrand rows of nodes that are far from the limits: a part of the chunk for
/// every lane, as long for each. What is left is dealt out node by node.
#[inline(always)]
fn lane_sum<I: Integrand<R>, R: Real>(
    request: &Request<R>,
    (begin, end): (u64, u64),
    offset: f64,
) -> f64 {
    let lane = u64::from(warp::lane_id());
    let mut sum = Running::<R>::ZERO;
    let (mut low, mut high) = (end, end);
    if I::is_short() {
        let of_lane = request.chunks.strips / u64::from(LANES);
        let row = u64::from(request.chunks.row);
        low = ((request.margin + row - 1) & !(row - 1))
            .max(begin)
            .min(end);
        high = (end.min(request.strips - request.margin) & !(row - 1)).max(low);
        let first = (begin + lane * of_lane).max(low);
        let last = (begin + (lane + 1) * of_lane).min(high);
        let at = first as f64 + offset;
        let mut walk = Walk::new(request.from, request.step, at, f64::from(ROW));
        let mut left = last.saturating_sub(first) as u32;
        while left > 0 {
            take_row::<I, R>(request, &mut walk, &mut sum);
            left -= row as u32;
        }
    }
    let mut part = 0;
    while part < 2 {
        let (from, to) = if part == 0 { (begin, low) } else { (high, end) };
        one_by_one::<I, R>(request, (from, to), offset, &mut sum);
        part += 1;
    }
    sum.value()
}

/// Adds the terms of a row of nodes, which begins where `walk` is; then that is behind the last.
#[inline(always)]
fn take_row<I: Integrand<R>, R: Real>(
    request: &Request<R>,
    walk: &mut Walk<R>,
    sum: &mut Running<R>,
) {
    let (mut low, mut high) = (R::ZERO, R::ZERO);
    let limits = (R::from_f64(request.from), R::from_f64(request.to));
    let mut left = request.chunks.row;
    while left > 0 {
        let bases = walk.places();
        for k in 0..STEPS {
            let multiple = request.multiples[k];
            let pair = [bases.0 + multiple, bases.1 + multiple];
            let pair = pair.map(|x| Point::between(x, limits));
            (low, high) = I::add_both(pair, &request.parameters, (low, high));
        }
        walk.go_on();
        left -= ROW;
        if R::FOLDS_EACH_ROW {
            sum.add(low + high);
            (low, high) = (R::ZERO, R::ZERO);
        }
    }
    if !R::FOLDS_EACH_ROW {
        sum.add(low + high);
    }
}

/// Adds the terms of this lane's of the nodes `begin..end`, every 32nd, kept off the limits.
///
/// All lanes go through the loops as often; what one that has no node left evaluates does not
/// count.
#[inline(always)]
fn one_by_one<I: Integrand<R>, R: Real>(
    request: &Request<R>,
    (begin, end): (u64, u64),
    offset: f64,
    sum: &mut Running<R>,
) {
    let bounds = Bounds::of(request);
    let limits = (R::from_f64(request.from), R::from_f64(request.to));
    let lane = warp::lane_id();
    let mut at = (begin + u64::from(lane)) as f64 + offset;
    let mut left = (end - begin) as u32;
    while left > 0 {
        let row = left.min(if R::FOLDS_EACH_ROW { ROW } else { LONG_ROW } * LANES);
        let mut own = R::ZERO;
        let mut done = 0;
        while done < row {
            let x = bounds.nearest(R::from_f64(GpuFloat::mul_add(
                at,
                request.step,
                request.from,
            )));
            let next = I::add(Point::between(x, limits), &request.parameters, own);
            own = if done + lane < row { next } else { own };
            at += f64::from(LANES);
            done += LANES;
        }
        sum.add(own);
        left -= row;
    }
}

/// The numbers next to the limits, between them.
#[derive(Clone, Copy)]
struct Bounds<R> {
    lower: R,
    upper: R,
}

impl<R: Real> Bounds<R> {
    #[inline(always)]
    fn of(request: &Request<R>) -> Self {
        Self {
            lower: R::from_f64(request.from).above(),
            upper: R::from_f64(request.to).below(),
        }
    }

    /// The nearest number to `x` that is between the limits.
    #[inline(always)]
    fn nearest(self, x: R) -> R {
        let x = if x < self.lower { self.lower } else { x };
        if x > self.upper { self.upper } else { x }
    }
}
