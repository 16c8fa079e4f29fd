//! Adaptive Gauss and Kronrod rules: the interval with the largest error is halved until the
//! sum of the errors is within the tolerance; an item a team of eight lanes.
//!
//! A step evaluates the rule on one interval, with two or three nodes a lane; all teams of a
//! warp do that together, whatever their items are at. A team keeps its intervals in shared
//! memory, lane by lane, and each lane looks through its own for the worst.
//!
//! Association: a lane its two or three nodes, in order, and its intervals, in order; the
//! lanes of a team by a butterfly.
//!
//! The difference of the two rules is the error's measure, as in QUADPACK; but it changes its
//! sign somewhere between two functions, and there it is small by chance. A second *null rule*,
//! of two degrees less, which is 0 elsewhere, keeps such an interval from being believed.
//!
//! Sources: Piessens, de Doncker-Kapenga, Überhuber and Kahaner, QUADPACK, 1983 (QAGE, its
//! estimate of the error; QAGP's break points); Berntsen and Espelid, Error estimation in
//! automatic quadrature routines, 1991 (null rules). Nodes and weights are in
//! [`kronrod`](super::kronrod).

use cuda_std::shared::dynamic_shared_mem;
use cuda_std::{GpuFloat, grid, shared_array, thread, warp};

use super::batch::{
    Batch, CONVERGED, Drawn, NO_LIMITS, NOT_FINITE, OUT_OF_INTERVALS, Outcome, ROUNDOFF, TEAM,
    lane_of_team, of_team, votes_of_team,
};
use super::integrand::{Integrand, MAX_PARAMETERS, Parameters};
use super::kronrod::{COLUMNS, K15, K21, NODES};
use super::range::{Place, Range};
use super::real::Real;
use crate::scan::lanes::LANES;

/// The most warps of a block.
pub const MAX_WARPS: u32 = 8;

/// The most intervals of an item.
pub const MAX_INTERVALS: u32 = 1024;

/// What counts of a null rule, beside the difference of the two rules: little enough that it
/// costs no evaluations where the difference can be relied on, since that falls by the square
/// of what one more degree gains, and a smooth function's gain is more than 4.
const OF_NULL: f64 = 1.0 / 16.0;

/// Numbers of an interval: its ends, its integral and its error.
const FIELDS: usize = 4;

/// Numbers of shared memory of a team with room for so many intervals.
pub const fn numbers_of_team(intervals: u32) -> usize {
    NODES + FIELDS * intervals.next_multiple_of(TEAM) as usize
}

/// What a team is at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// No item.
    Idle,
    /// The first intervals, between breaks.
    First,
    /// The left half of an interval.
    Left,
    /// The right half.
    Right,
}

/// A team's item; the same in all lanes of the team.
struct Item<R> {
    phase: Phase,
    item: u64,
    /// The range is gone through from its upper limit.
    is_backwards: bool,
    range: Range<R>,
    parameters: Parameters<R>,
    /// The interval that is evaluated next, and the place of its result.
    left: R,
    right: R,
    slot: u32,
    /// Where the right half ends, in [`Phase::Left`].
    end: R,
    /// Intervals in the store.
    count: u32,
    evaluations: u32,
}

/// A team's intervals: field by field, an interval k with lane k modulo 8.
#[derive(Clone, Copy)]
struct Store<R> {
    numbers: *mut R,
    most: u32,
}

/// An interval as the store has it.
#[derive(Clone, Copy)]
struct Interval<R> {
    left: R,
    right: R,
    value: R,
    /// Negative where halving the interval would not lessen it.
    error: R,
}

impl<R: Real> Store<R> {
    /// The place of a value of this lane's nodes.
    #[inline(always)]
    fn node(&self, k: u32) -> *mut R {
        self.numbers
            .wrapping_add((k * TEAM + lane_of_team()) as usize)
    }

    #[inline(always)]
    fn field(&self, interval: u32, field: u32) -> *mut R {
        let of_field = self.most.next_multiple_of(TEAM) * field;
        self.numbers
            .wrapping_add(NODES + (of_field + interval) as usize)
    }

    /// # Safety
    /// The interval has room, and this lane is the one that has it.
    #[inline(always)]
    unsafe fn put(&self, interval: u32, of: Interval<R>) {
        // SAFETY: the caller's.
        unsafe {
            *self.field(interval, 0) = of.left;
            *self.field(interval, 1) = of.right;
            *self.field(interval, 2) = of.value;
            *self.field(interval, 3) = of.error;
        }
    }
}

/// What the rule gives on an interval; the same in all lanes of a team.
#[derive(Clone, Copy)]
struct Estimate<R> {
    value: R,
    error: R,
    is_finite: bool,
    /// Where it is not, an x of it.
    at: R,
}

/// Integrates the items of `batch` by `nodes` nodes, 15 or 21, with up to `most` intervals
/// each.
///
/// # Safety
/// The arrays have room for all items. Blocks of up to [`MAX_WARPS`] whole warps, with
/// [`numbers_of_team`] numbers of dynamic shared memory for every eight lanes; the scratch
/// memory is this launch's alone.
#[inline(always)]
pub unsafe fn integrate<I: Integrand<R>, R: Real>(batch: &Batch<R>, nodes: u32, most: u32) {
    let table = shared_array![u64; NODES * COLUMNS].cast::<R>();
    let team = thread::thread_idx_x() / TEAM;
    let store = Store {
        numbers: dynamic_shared_mem::<R>().wrapping_add(team as usize * numbers_of_team(most)),
        most,
    };
    grid::wait_for_earlier();
    let mut k = thread::thread_idx_x();
    while k < (NODES * COLUMNS) as u32 {
        let [node, field] = [k as usize / COLUMNS, k as usize % COLUMNS];
        let value = if nodes == 15 {
            K15[node][field]
        } else {
            K21[node][field]
        };
        // SAFETY: below the table's length; a barrier follows.
        unsafe { *table.add(k as usize) = R::from_f64(value) };
        k += thread::block_dim_x();
    }
    thread::sync_threads();

    let mut drawn = Drawn::NONE;
    let mut item = Item {
        phase: Phase::Idle,
        item: 0,
        is_backwards: false,
        range: Range::NONE,
        parameters: [R::ZERO; MAX_PARAMETERS],
        left: R::ZERO,
        right: R::ZERO,
        slot: 0,
        end: R::ZERO,
        count: 0,
        evaluations: 0,
    };
    // SAFETY: the caller's; all lanes of a warp go through the loop together.
    unsafe {
        loop {
            let is_idle = item.phase == Phase::Idle;
            if !drawn.is_empty(batch)
                && warp::warp_vote_any(warp::FULL_MASK, is_idle)
                && let Some(next) = drawn.take(is_idle, batch)
            {
                item.begin::<I>(batch, next);
            }
            if warp::warp_vote_all(warp::FULL_MASK, item.phase == Phase::Idle) {
                // What began and was done at once may have successors.
                if drawn.is_empty(batch) {
                    break;
                }
                continue;
            }
            let estimate = item.evaluate::<I>(nodes, table, &store);
            item.go_on::<I>(batch, &store, estimate);
        }
        thread::sync_threads();
        if thread::thread_idx_x() == 0 {
            batch.end();
        }
    }
}

impl<R: Real> Item<R> {
    /// Begins an item; one whose limits are equal, or no numbers, ends at once.
    ///
    /// # Safety
    /// The item is one of the batch.
    #[inline(always)]
    unsafe fn begin<I: Integrand<R>>(&mut self, batch: &Batch<R>, item: u64) {
        // SAFETY: the caller's.
        let (from, to) = unsafe { batch.limits(item) };
        // SAFETY: the caller's.
        self.parameters = unsafe { batch.parameters(item, I::PARAMETERS) };
        self.item = item;
        self.is_backwards = to < from;
        self.count = 0;
        self.evaluations = 0;
        if from < to || to < from {
            let (low, high) = if to < from { (to, from) } else { (from, to) };
            self.range = Range::new(low, high);
            self.left = self.range.interval().0;
            self.phase = Phase::First;
            // SAFETY: the caller's.
            unsafe { self.until_break::<I>(batch) };
        } else {
            let (value, error, status) = if from == to {
                (R::ZERO, R::ZERO, CONVERGED)
            } else {
                (R::from_f64(f64::NAN), R::from_f64(f64::INFINITY), NO_LIMITS)
            };
            // SAFETY: the caller's.
            unsafe { self.end(batch, value, error, R::ZERO, status) };
        }
    }

    /// The next of the first intervals: from `left` to the next break.
    ///
    /// # Safety
    /// The batch's breaks are as many as it says.
    #[inline(always)]
    unsafe fn until_break<I: Integrand<R>>(&mut self, batch: &Batch<R>) {
        // SAFETY: the caller's.
        self.right = unsafe { batch.next_break::<I>(&self.range, &self.parameters, self.left) };
        self.slot = self.count;
        self.count += 1;
    }

    /// The rule on the interval `left..right`.
    ///
    /// # Safety
    /// All lanes of the warp call it.
    #[inline(always)]
    unsafe fn evaluate<I: Integrand<R>>(
        &mut self,
        nodes: u32,
        table: *const R,
        store: &Store<R>,
    ) -> Estimate<R> {
        let (one, half) = (R::from_f64(1.0), R::from_f64(0.5));
        let (lower, upper) = self.range.interval();
        let length = half * (self.right - self.left);
        let center = self.left + length;
        let (mut kronrod, mut gauss) = (R::ZERO, R::ZERO);
        let (mut null, mut size) = (R::ZERO, R::ZERO);
        let (mut is_finite, mut at) = (true, R::ZERO);
        let is_at_work = self.phase != Phase::Idle;
        let mut k = 0;
        while k * TEAM < nodes {
            let index = k * TEAM + lane_of_team();
            if is_at_work && index < nodes {
                // SAFETY: the table has a row for every index; the node is this lane's.
                let [node, of_kronrod, of_gauss, of_null] = [0, 1, 2, 3]
                    .map(|column| unsafe { *table.add(index as usize * COLUMNS + column) });
                let place = Place {
                    t: center + length * node,
                    from_lower: (self.left - lower) + length * (one + node),
                    to_upper: (upper - self.right) + length * (one - node),
                };
                let mut value = R::ZERO;
                let mut time = 0;
                while time < self.range.evaluations() {
                    let point = self.range.point(place, time == 1);
                    let term = self.range.eval::<I>(place, point, &self.parameters);
                    if is_finite && !term.is_number() {
                        (is_finite, at) = (false, point.x);
                    }
                    value = value + term;
                    time += 1;
                }
                kronrod = of_kronrod.mul_add(value, kronrod);
                gauss = of_gauss.mul_add(value, gauss);
                null = of_null.mul_add(value, null);
                size = of_kronrod.mul_add(GpuFloat::abs(value), size);
                // SAFETY: this lane's own.
                unsafe { *store.node(k) = value };
            }
            k += 1;
        }
        if is_at_work {
            self.evaluations += nodes * self.range.evaluations();
        }
        // SAFETY: the caller's.
        unsafe {
            let infinite = votes_of_team(!is_finite);
            let who = (infinite.trailing_zeros() & 31).min(TEAM - 1);
            let at = warp::warp_shuffle_idx(warp::FULL_MASK, at, who, TEAM).0;
            kronrod = of_team(kronrod);
            let (gauss, size) = (of_team(gauss), of_team(size));
            let null = of_team(null);
            let mean = half * kronrod;
            let mut spread = R::ZERO;
            let mut k = 0;
            while k * TEAM < nodes {
                let index = k * TEAM + lane_of_team();
                if is_at_work && index < nodes {
                    let weight = *table.add(index as usize * COLUMNS + 1);
                    spread = weight.mul_add(GpuFloat::abs(*store.node(k) - mean), spread);
                }
                k += 1;
            }
            let spread = of_team(spread) * length;
            // Where the two rules agree by chance, the null rule does not.
            let difference = GpuFloat::max(
                GpuFloat::abs(kronrod - gauss),
                R::from_f64(OF_NULL) * GpuFloat::abs(null),
            );
            Estimate {
                value: kronrod * length,
                error: estimate(difference * length, spread, size * length),
                is_finite: infinite == 0,
                at,
            }
        }
    }

    /// Takes the rule's result on the interval, and chooses the next one; ends the item where
    /// there is none.
    ///
    /// # Safety
    /// All lanes of the warp call it; outcomes have room for the item.
    #[inline(always)]
    unsafe fn go_on<I: Integrand<R>>(
        &mut self,
        batch: &Batch<R>,
        store: &Store<R>,
        of: Estimate<R>,
    ) {
        let is_at_work = self.phase != Phase::Idle;
        // SAFETY: the caller's; a slot is less than `most`, and its lane's own.
        unsafe {
            if is_at_work && self.slot % TEAM == lane_of_team() {
                store.put(
                    self.slot,
                    Interval {
                        left: self.left,
                        right: self.right,
                        value: of.value,
                        error: of.error,
                    },
                );
            }
            let mut chooses = false;
            if is_at_work && !of.is_finite {
                let (nan, infinite) = (R::from_f64(f64::NAN), R::from_f64(f64::INFINITY));
                self.end(batch, nan, infinite, of.at, NOT_FINITE);
            } else if self.phase == Phase::First && self.right < self.range.interval().1 {
                if self.count < store.most {
                    self.left = self.right;
                    self.until_break::<I>(batch);
                } else {
                    // More breaks than intervals: the rest has not been looked at.
                    let (nan, infinite) = (R::from_f64(f64::NAN), R::from_f64(f64::INFINITY));
                    self.end(batch, nan, infinite, R::ZERO, OUT_OF_INTERVALS);
                }
            } else if self.phase == Phase::Left {
                self.phase = Phase::Right;
                (self.left, self.right) = (self.right, self.end);
                self.slot = self.count;
                self.count += 1;
            } else {
                chooses = is_at_work;
            }
            // Lanes read what others of their team wrote.
            warp::sync_warp(warp::FULL_MASK);
            if warp::warp_vote_any(warp::FULL_MASK, chooses) {
                self.choose(batch, store, chooses);
            }
        }
    }

    /// Halves the worst interval, or ends the item.
    ///
    /// # Safety
    /// All lanes of the warp call it.
    #[inline(always)]
    unsafe fn choose(&mut self, batch: &Batch<R>, store: &Store<R>, chooses: bool) {
        let (mut value, mut error) = (R::ZERO, R::ZERO);
        let (mut most, mut worst) = (-R::from_f64(1.0), lane_of_team());
        let mut k = lane_of_team();
        while chooses && k < self.count {
            // SAFETY: an interval of the store.
            let (own, of) = unsafe { (*store.field(k, 2), *store.field(k, 3)) };
            let magnitude = GpuFloat::abs(of);
            value = value + own;
            error = error + magnitude;
            if magnitude > most {
                (most, worst) = (magnitude, k);
            }
            k += TEAM;
        }
        // SAFETY: the caller's.
        unsafe {
            let (value, error) = (of_team(value), of_team(error));
            let mut distance = TEAM / 2;
            while distance > 0 {
                let other = warp::shuffle_xor(warp::FULL_MASK, most, distance);
                let theirs = warp::shuffle_xor(warp::FULL_MASK, worst, distance);
                if other > most || other == most && theirs < worst {
                    (most, worst) = (other, theirs);
                }
                distance /= 2;
            }
            if !chooses {
                return;
            }
            let relative = batch.relative * GpuFloat::abs(value);
            let tolerance = GpuFloat::max(batch.absolute, relative);
            let (left, right) = (*store.field(worst, 0), *store.field(worst, 1));
            let middle = left + R::from_f64(0.5) * (right - left);
            let is_divisible = left < middle && middle < right;
            let is_at_best = *store.field(worst, 3) < R::ZERO;
            let status = if error <= tolerance {
                CONVERGED
            } else if is_at_best || !is_divisible {
                ROUNDOFF
            } else if self.count >= store.most {
                OUT_OF_INTERVALS
            } else {
                self.phase = Phase::Left;
                (self.left, self.right, self.end) = (left, middle, right);
                self.slot = worst;
                return;
            };
            self.end(batch, value, error, R::ZERO, status);
        }
    }

    /// Writes the outcome.
    ///
    /// # Safety
    /// Outcomes have room for the item.
    #[inline(always)]
    unsafe fn end(&mut self, batch: &Batch<R>, value: R, error: R, at: R, status: u32) {
        self.phase = Phase::Idle;
        if lane_of_team() == 0 {
            let outcome = Outcome {
                value: if self.is_backwards { -value } else { value },
                error,
                at,
                evaluations: self.evaluations,
                status,
                padding: [0; 2],
            };
            // SAFETY: the caller's.
            unsafe { *batch.output.add(self.item as usize) = outcome };
        }
    }
}

/// QUADPACK's estimate of the error, of the rules' difference, the integral of the
/// function's distance from its mean, and that of its magnitude. Negative where it is what
/// rounding makes of any rule.
#[inline(always)]
fn estimate<R: Real>(difference: R, spread: R, size: R) -> R {
    let one = R::from_f64(1.0);
    let mut error = difference;
    if spread != R::ZERO && difference != R::ZERO {
        let ratio = R::from_f64(200.0) * difference / spread;
        let power = ratio * GpuFloat::sqrt(ratio);
        error = spread * GpuFloat::min(one, power);
    }
    let rounding = R::from_f64(50.0) * R::EPSILON;
    if size > R::MIN_POSITIVE / rounding && error <= rounding * size {
        error = -(rounding * size);
    }
    error
}

/// Teams of a block of so many warps.
pub const fn teams(warps: u32) -> u32 {
    warps * LANES / TEAM
}
