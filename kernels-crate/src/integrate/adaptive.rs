//! Adaptive Gauss and Kronrod rules: the interval with the largest error is halved until the
//! sum of the errors is within the tolerance; an item a team of eight lanes.
//!
//! A step evaluates the rule on one interval, with two or three nodes a lane; all teams of a
//! warp do that together, whatever their items are at. A team keeps its intervals in
//! [shared memory](super::store), which also says which of them is halved next.
//!
//! Association: a lane its two or three nodes, in order, and its intervals, in order; the
//! lanes of a team by a butterfly.
//!
//! The difference of the two rules is the error's measure, as in QUADPACK; but it changes its
//! sign somewhere between two functions, and there it is small by chance. A second *null rule*,
//! of two degrees less, which is 0 elsewhere, keeps such an interval from being believed.
//! Beside what rounding makes of sums of values, the estimate has what the rounding of x makes
//! of a steep function.
//!
//! Sources: Piessens, de Doncker-Kapenga, Überhuber and Kahaner, QUADPACK, 1983 (QAGE, its
//! estimate of the error; QAGP's break points); Berntsen and Espelid, Error estimation in
//! automatic quadrature routines, 1991 (null rules). Nodes and weights are in
//! [`kronrod`](super::kronrod).

use cuda_std::shared::dynamic_shared_mem;
use cuda_std::{GpuFloat, grid, shared_array, thread, warp};

use super::batch::{
    Batch, CONVERGED, Drawn, NO_LIMITS, NOT_FINITE, OUT_OF_INTERVALS, OVERFLOW, ROUNDOFF, TEAM,
    lane_of_team, of_lane, of_team, votes_of_team,
};
use super::integrand::{Integrand, MAX_PARAMETERS, Parameters};
use super::interval::{Error, Interval, ROUNDING};
use super::kronrod::{COLUMNS, K15, K21, NODES};
use super::range::{Place, Range};
use super::real::Real;
use super::store::{Store, numbers_of_team};
use crate::scan::lanes::LANES;

/// The most warps of a block.
pub const MAX_WARPS: u32 = 8;

/// The most intervals of an item.
pub const MAX_INTERVALS: u32 = 1024;

/// What counts of a null rule, beside the difference of the two rules: little enough that it
/// costs no evaluations where the difference can be relied on, since that falls by the square
/// of what one more degree gains, and a smooth function's gain is more than 4.
const OF_NULL: f64 = 1.0 / 16.0;

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
    /// Intervals in the store, and how many of them are blind.
    count: u32,
    blind: u32,
    /// The largest integral of the magnitude that was found on an interval: its upper bits.
    seen: u32,
    evaluations: u32,
}

/// What the rule gives on an interval; the same in all lanes of a team.
#[derive(Clone, Copy)]
struct Estimate<R> {
    value: R,
    error: Error<R>,
    /// The integral of the function's magnitude, roughly.
    size: R,
    is_finite: bool,
    /// Where it is not, an x of it.
    at: R,
}

impl<R: Real> Estimate<R> {
    /// Whether an item of this interval alone has converged.
    #[inline(always)]
    fn is_enough(&self, batch: &Batch<R>) -> bool {
        let is_within = self.error.magnitude() <= batch.tolerance(self.value);
        is_within && self.value.is_number() && !self.error.is_blind(self.value)
    }
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
        blind: 0,
        seen: 0,
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
    /// Begins an item; one whose limits are equal, next to each other, or no numbers, ends at
    /// once.
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
        (self.count, self.blind) = (0, 0);
        self.seen = 0;
        self.evaluations = 0;
        let (low, high) = if to < from { (to, from) } else { (from, to) };
        self.range = Range::new(low, high);
        let (lower, upper) = self.range.interval();
        // SAFETY: the caller's.
        unsafe {
            if from == to {
                self.end(batch, R::ZERO, R::ZERO, CONVERGED);
            } else if from.is_nan() || to.is_nan() {
                self.fail(batch, R::ZERO, NO_LIMITS);
            } else if lower.above() >= upper {
                // No number is between them.
                let infinite = R::from_f64(f64::INFINITY);
                self.end(batch, R::ZERO, infinite, ROUNDOFF);
            } else {
                self.left = lower;
                self.phase = Phase::First;
                self.until_break::<I>(batch);
            }
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
        let one = R::from_f64(1.0);
        let (lower, upper) = self.range.interval();
        let length = self.half_length();
        let center = self.left + length;
        // Where rounding may put a node onto an end.
        let step = R::from_f64(1.0 / 1024.0) * length;
        let is_short = !(self.left + step > self.left && self.right - step < self.right);
        let (mut kronrod, mut gauss, mut null) = (R::ZERO, R::ZERO, R::ZERO);
        let (mut is_finite, mut at) = (true, R::ZERO);
        let is_at_work = self.phase != Phase::Idle;
        let mut k = 0;
        while k * TEAM < nodes {
            let index = k * TEAM + lane_of_team();
            if is_at_work && index < nodes {
                // SAFETY: the table has a row for every index; the node is this lane's.
                let [node, of_kronrod, of_gauss, of_null] = [0, 1, 2, 3]
                    .map(|column| unsafe { *table.add(index as usize * COLUMNS + column) });
                let mut t = center + length * node;
                if is_short {
                    t = GpuFloat::max(GpuFloat::min(t, upper.below()), lower.above());
                }
                let place = Place {
                    t,
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
            let at = of_lane(at, who);
            let sums = [of_team(kronrod), of_team(gauss), of_team(null)];
            let mut of = self.estimate::<I>(nodes, table, store, sums);
            (of.is_finite, of.at) = (infinite == 0, at);
            of
        }
    }

    /// Half of the interval's length, which may itself be more than a number can be.
    #[inline(always)]
    fn half_length(&self) -> R {
        let half = R::from_f64(0.5);
        half * self.right - half * self.left
    }

    /// The integral by the two rules and the null rule, which are sums of the nodes' values,
    /// and what they say of the error.
    ///
    /// # Safety
    /// All lanes of the warp call it, after [`evaluate`](Item::evaluate) has stored the values.
    #[inline(always)]
    unsafe fn estimate<I: Integrand<R>>(
        &self,
        nodes: u32,
        table: *const R,
        store: &Store<R>,
        [kronrod, gauss, null]: [R; 3],
    ) -> Estimate<R> {
        let mean = R::from_f64(0.5) * kronrod;
        let length = self.half_length();
        let (_, upper) = self.range.interval();
        // By how much x may be off; what it means to a function of the distances is not known.
        let furthest = GpuFloat::max(GpuFloat::abs(self.left), GpuFloat::abs(self.right));
        let blur = if I::USES_DISTANCES {
            R::ZERO
        } else {
            self.range.blur(furthest, upper - self.left)
        };
        let of_sums = R::from_f64(ROUNDING) * R::EPSILON * length;
        let (mut spread, mut rounding) = (R::ZERO, R::ZERO);
        // SAFETY: the caller's; every lane reads its own node's value and the one before.
        unsafe {
            warp::sync_warp(warp::FULL_MASK);
            let mut k = 0;
            while k * TEAM < nodes {
                let index = k * TEAM + lane_of_team();
                if self.phase != Phase::Idle && index < nodes {
                    let weight = *table.add(index as usize * COLUMNS + 1);
                    let value = *store.node(k);
                    let before = *store.node(k).sub(usize::from(index > 0));
                    spread = weight.mul_add(GpuFloat::abs(value - mean), spread);
                    let size = weight * GpuFloat::abs(value);
                    rounding = of_sums.mul_add(size, rounding);
                    rounding = blur.mul_add(GpuFloat::abs(value - before), rounding);
                }
                k += 1;
            }
            let (spread, rounding) = (of_team(spread) * length, of_team(rounding));
            // Where the two rules agree by chance, the null rule does not.
            let difference = GpuFloat::max(
                GpuFloat::abs(kronrod - gauss),
                R::from_f64(OF_NULL) * GpuFloat::abs(null),
            );
            let value = kronrod * length;
            Estimate {
                value,
                error: Error::of(difference * length, spread, rounding),
                size: spread + GpuFloat::abs(value),
                is_finite: true,
                at: R::ZERO,
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
            self.seen = self.seen.max(of.size.upper_of_magnitude());
            self.blind += u32::from(of.error.is_blind(of.value));
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
            let is_end = self.right >= self.range.interval().1;
            let mut chooses = false;
            if is_at_work && !of.is_finite {
                self.fail(batch, of.at, NOT_FINITE);
            } else if self.phase == Phase::First && self.count == 1 && is_end && of.is_enough(batch)
            {
                // The most frequent end, without a look at the store.
                self.end(batch, of.value, of.error.magnitude(), CONVERGED);
            } else if self.phase == Phase::First && !is_end {
                if self.count < store.most {
                    self.left = self.right;
                    self.until_break::<I>(batch);
                } else {
                    self.fail(batch, R::ZERO, OUT_OF_INTERVALS); // More breaks than intervals.
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

    /// Halves the worst interval, or one that is blind; or ends the item.
    ///
    /// # Safety
    /// All lanes of the warp call it.
    #[inline(always)]
    unsafe fn choose(&mut self, batch: &Batch<R>, store: &Store<R>, chooses: bool) {
        let count = |does: bool| if does { self.count } else { 0 };
        // SAFETY: the caller's.
        unsafe {
            let all = store.totals(count(chooses));
            let tolerance = batch.tolerance(all.value);
            let is_number = all.value.is_number() && all.error.is_number();
            let is_within = chooses && is_number && all.error <= tolerance;
            let mut unseen = None;
            let looks = is_within && self.blind > 0;
            if warp::warp_vote_any(warp::FULL_MASK, looks) {
                unseen = store.unseen(count(looks), R::from_upper(self.seen) > tolerance);
            }
            if !chooses {
                return;
            }
            if !is_number {
                self.fail(batch, R::ZERO, OVERFLOW);
                return;
            }
            let next = unseen.unwrap_or(all.worst);
            (self.left, self.right) = store.ends(next);
            let middle = self.left + self.half_length();
            let is_divisible = self.left < middle && middle < self.right;
            let is_done = is_within && unseen.is_none();
            let status = if is_done {
                CONVERGED
            } else if !is_divisible || unseen.is_none() && store.is_rounding(next) {
                ROUNDOFF
            } else if self.count >= store.most {
                OUT_OF_INTERVALS
            } else {
                self.phase = Phase::Left;
                (self.right, self.end) = (middle, self.right);
                self.slot = next;
                self.blind -= u32::from(store.is_blind(next));
                return;
            };
            // Of what was seen once, and then not again, nothing is known.
            let unknown = R::from_upper(unseen.map_or(0, |_| self.seen));
            let error = GpuFloat::max(all.error, unknown);
            self.end(batch, all.value, error, status);
        }
    }

    /// Writes the outcome.
    ///
    /// # Safety
    /// Outcomes have room for the item.
    #[inline(always)]
    unsafe fn end(&mut self, batch: &Batch<R>, value: R, error: R, status: u32) {
        self.phase = Phase::Idle;
        let value = if self.is_backwards { -value } else { value };
        // SAFETY: the caller's.
        unsafe { batch.put(self.item, value, error, self.evaluations, status) };
    }

    /// Writes that there is no value, and why: at `at`, if it is of one place.
    ///
    /// # Safety
    /// As [`Item::end`].
    #[inline(always)]
    unsafe fn fail(&mut self, batch: &Batch<R>, at: R, status: u32) {
        self.phase = Phase::Idle;
        // SAFETY: the caller's.
        unsafe { batch.put_none(self.item, at, self.evaluations, status) };
    }
}

/// Teams of a block of so many warps.
pub const fn teams(warps: u32) -> u32 {
    warps * LANES / TEAM
}
