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
//! What ends with more than the tolerance, because rounding leaves it or there are no more
//! intervals, has looked at blind ones as what converges has: where one is still doubted, the
//! error is as large as what was seen.
//!
//! What the rule gives on an interval is [`estimate`](super::estimate)'s.
//!
//! Source: Piessens, de Doncker-Kapenga, Überhuber and Kahaner, QUADPACK, 1983 (QAGE; QAGP's
//! break points).

use cuda_std::shared::dynamic_shared_mem;
use cuda_std::{GpuFloat, grid, thread, warp};

use super::batch::{Batch, Drawn, lane_of_team};
use super::estimate::{Estimate, Rule, Section, half_length};
use super::integrand::{Integrand, MAX_PARAMETERS, Parameters};
use super::interval::Interval;
use super::outcome::{CONVERGED, NO_LIMITS, NOT_FINITE, OUT_OF_INTERVALS, OVERFLOW, ROUNDOFF};
use super::range::Range;
use super::real::Real;
use super::sizes::{ROUNDING, TEAM, numbers_of_team};
use super::store::{SHORTER, Store};

/// The bit of an item's number that says that its range is gone through from the upper limit.
const BACKWARDS: u64 = 1 << 63;

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
    range: Range<R>,
    parameters: Parameters<R>,
    /// The interval that is evaluated next, and the place of its result.
    left: R,
    right: R,
    slot: u32,
    /// Intervals in the store, and how many of them are blind.
    count: u32,
    blind: u32,
    /// The largest integral of the magnitude that was found on an interval: its upper bits.
    seen: u32,
    /// Half of the shortest interval's length: its upper bits.
    shortest: u32,
    /// Intervals that were evaluated.
    steps: u32,
}

/// What a team works with.
struct Team<'a, R> {
    batch: &'a Batch<R>,
    store: Store<R>,
    rule: Rule<R>,
}

/// Integrates the items of `batch` by `nodes` nodes, 15 or 21, with up to `most` intervals
/// each.
///
/// # Safety
/// The arrays have room for all items. Blocks of up to [`MAX_WARPS`](super::sizes::MAX_WARPS) whole warps, with
/// [`numbers_of_team`] numbers of dynamic shared memory for every eight lanes; the scratch
/// memory is this launch's alone.
#[inline(always)]
pub unsafe fn integrate<I: Integrand<R>, R: Real>(batch: &Batch<R>, nodes: u32, most: u32) {
    let team = thread::thread_idx_x() / TEAM;
    let store = Store {
        numbers: dynamic_shared_mem::<R>().wrapping_add(team as usize * numbers_of_team(most)),
        most,
    };
    grid::wait_for_earlier();
    // SAFETY: all threads are here; a barrier follows.
    let rule = unsafe { Rule::new(nodes) };
    thread::sync_threads();
    let with = Team { batch, store, rule };

    let mut drawn = Drawn::NONE;
    let mut item = Item {
        phase: Phase::Idle,
        range: Range::NONE,
        parameters: [R::ZERO; MAX_PARAMETERS],
        left: R::ZERO,
        right: R::ZERO,
        slot: 0,
        count: 0,
        blind: 0,
        seen: 0,
        shortest: 0,
        steps: 0,
    };
    // SAFETY: the caller's; all lanes of a warp go through the loop together.
    unsafe {
        loop {
            let is_idle = item.phase == Phase::Idle;
            if warp::warp_vote_any(warp::FULL_MASK, is_idle)
                && !drawn.is_empty(batch)
                && let Some(next) = drawn.take(is_idle, batch)
            {
                item.begin::<I>(&with, next);
            }
            if warp::warp_vote_all(warp::FULL_MASK, item.phase == Phase::Idle) {
                // What began and was done at once may have successors.
                if drawn.is_empty(batch) {
                    break;
                }
                continue;
            }
            let section = item.section();
            let estimate = with.rule.on::<I>(&section, &with.store);
            item.steps += 1;
            item.go_on::<I>(&with, estimate);
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
    unsafe fn begin<I: Integrand<R>>(&mut self, with: &Team<'_, R>, item: u64) {
        // SAFETY: the caller's.
        let (from, to) = unsafe { with.batch.limits(item) };
        // SAFETY: the caller's.
        self.parameters = unsafe { with.batch.parameters(item, I::parameters()) };
        if lane_of_team() == 0 {
            let direction = if to < from { BACKWARDS } else { 0 };
            // SAFETY: this lane's alone.
            unsafe { *with.store.item() = item | direction };
        }
        (self.count, self.blind) = (0, 0);
        (self.seen, self.shortest) = (0, u32::MAX >> 1);
        self.steps = 0;
        let (low, high) = if to < from { (to, from) } else { (from, to) };
        self.range = Range::new(low, high);
        let (lower, upper) = self.range.interval();
        // SAFETY: the caller's.
        unsafe {
            if from == to {
                self.end(with, R::ZERO, R::ZERO, CONVERGED);
            } else if from.is_nan() || to.is_nan() {
                self.fail(with, R::ZERO, NO_LIMITS);
            } else if lower.above() >= upper {
                // No number is between them.
                let infinite = R::from_f64(f64::INFINITY);
                self.end(with, R::ZERO, infinite, ROUNDOFF);
            } else {
                self.left = lower;
                self.phase = Phase::First;
                self.until_break::<I>(with.batch);
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

    /// What is evaluated next.
    #[inline(always)]
    fn section(&self) -> Section<'_, R> {
        Section {
            range: &self.range,
            parameters: &self.parameters,
            left: self.left,
            right: self.right,
            is_at_work: self.phase != Phase::Idle,
        }
    }

    /// Takes the rule's result on the interval, and chooses the next one; ends the item where
    /// there is none.
    ///
    /// # Safety
    /// All lanes of the warp call it; outcomes have room for the item.
    #[inline(always)]
    unsafe fn go_on<I: Integrand<R>>(&mut self, with: &Team<'_, R>, of: Estimate<R>) {
        let is_at_work = self.phase != Phase::Idle;
        // SAFETY: the caller's; a slot is less than `most`, and its lane's own.
        unsafe {
            self.seen = self.seen.max(of.size.upper_of_magnitude());
            let length = half_length(self.left, self.right);
            self.shortest = self.shortest.min(length.upper_of_magnitude());
            self.blind += u32::from(of.error.is_blind(of.value));
            if is_at_work && self.slot % TEAM == lane_of_team() {
                with.store.put(
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
                self.fail(with, of.at, NOT_FINITE);
            } else if self.phase == Phase::First
                && self.count == 1
                && is_end
                && of.is_enough(with.batch)
            {
                // The most frequent end, without a look at the store.
                self.end(with, of.value, of.error.magnitude(), CONVERGED);
            } else if self.phase == Phase::First && !is_end {
                if self.count < with.store.most {
                    self.left = self.right;
                    self.until_break::<I>(with.batch);
                } else {
                    self.fail(with, R::ZERO, OUT_OF_INTERVALS); // More breaks than intervals.
                }
            } else if self.phase == Phase::Left {
                self.phase = Phase::Right;
                (self.left, self.right) = (self.right, *with.store.kept());
                self.slot = self.count;
                self.count += 1;
            } else {
                chooses = is_at_work;
            }
            // Lanes read what others of their team wrote.
            warp::sync_warp(warp::FULL_MASK);
            if warp::warp_vote_any(warp::FULL_MASK, chooses) {
                self.choose(with, chooses);
            }
        }
    }

    /// Halves the worst interval, or one that is blind; or ends the item.
    ///
    /// # Safety
    /// All lanes of the warp call it.
    #[inline(always)]
    unsafe fn choose(&mut self, with: &Team<'_, R>, chooses: bool) {
        let count = |does: bool| if does { self.count } else { 0 };
        // SAFETY: the caller's.
        unsafe {
            let all = with.store.totals(count(chooses));
            let tolerance = with.batch.tolerance(all.value);
            let is_number = all.value.is_number() && all.error.is_number();
            let is_within = all.error <= tolerance;
            // Whatever an item ends for, blind intervals are looked at before.
            let is_last = chooses
                && is_number
                && (is_within
                    || self.count >= with.store.most
                    || with.store.is_rounding(all.worst)
                    || !with.store.is_divisible(all.worst));
            let looks = is_last && (self.blind > 0 || self.is_graded());
            let mut unseen = None;
            if warp::warp_vote_any(warp::FULL_MASK, looks) {
                unseen = with
                    .store
                    .unseen(count(looks), R::from_upper(self.seen) > tolerance);
            }
            if !chooses {
                return;
            }
            if !is_number {
                self.fail(with, R::ZERO, OVERFLOW);
                return;
            }
            let next = unseen.unwrap_or(all.worst);
            let status = if is_within && unseen.is_none() {
                CONVERGED
            } else if !with.store.is_divisible(next)
                || unseen.is_none() && with.store.is_rounding(next)
            {
                ROUNDOFF
            } else if self.count >= with.store.most {
                OUT_OF_INTERVALS
            } else {
                self.phase = Phase::Left;
                let (left, right) = with.store.ends(next);
                (self.left, self.right) = (left, left + half_length(left, right));
                if lane_of_team() == 0 {
                    // Where the right half ends; lanes are together before it is read.
                    *with.store.kept() = right;
                }
                self.slot = next;
                self.blind -= u32::from(with.store.is_blind(next));
                return;
            };
            // Of what was seen once, and then not again, nothing is known.
            let unknown = R::from_upper(unseen.map_or(0, |_| self.seen));
            let error = GpuFloat::max(all.error, unknown);
            self.end(with, all.value, error, status);
        }
    }

    /// Whether some intervals are so much shorter than others that those next to them may be
    /// doubted.
    #[inline(always)]
    fn is_graded(&self) -> bool {
        let (lower, upper) = self.range.interval();
        R::from_upper(self.shortest) < R::from_f64(SHORTER) * half_length(lower, upper)
    }

    /// Evaluations of the function.
    #[inline(always)]
    fn evaluations(&self, with: &Team<'_, R>) -> u32 {
        self.steps * with.rule.evaluations(&self.range)
    }

    /// Writes the outcome.
    ///
    /// # Safety
    /// Outcomes have room for the item.
    #[inline(always)]
    unsafe fn end(&mut self, with: &Team<'_, R>, value: R, error: R, status: u32) {
        self.phase = Phase::Idle;
        let evaluations = self.evaluations(with);
        let (mut error, mut status) = (error, status);
        if value != R::ZERO && error < R::MIN_POSITIVE {
            // Numbers so small have fewer digits than estimates count on.
            error = GpuFloat::max(error, self.underflow());
            if status == CONVERGED && error > with.batch.tolerance(value) {
                status = ROUNDOFF;
            }
        }
        if lane_of_team() == 0 {
            // SAFETY: the caller's; this lane has written it.
            unsafe {
                let item = *with.store.item();
                let value = if item & BACKWARDS != 0 { -value } else { value };
                with.batch
                    .put(item & !BACKWARDS, value, error, evaluations, status);
            }
        }
    }

    /// What the least numbers' rounding makes of the integral.
    #[inline(always)]
    fn underflow(&self) -> R {
        let least = R::MIN_POSITIVE * R::EPSILON;
        let (lower, upper) = self.range.interval();
        let length = upper - lower;
        (R::from_f64(ROUNDING) * least).mul_add(length, R::from_f64(f64::from(self.count)) * least)
    }

    /// Writes that there is no value, and why: at `at`, if it is of one place.
    ///
    /// # Safety
    /// As [`Item::end`].
    #[inline(always)]
    unsafe fn fail(&mut self, with: &Team<'_, R>, at: R, status: u32) {
        self.phase = Phase::Idle;
        let evaluations = self.evaluations(with);
        if lane_of_team() == 0 {
            // SAFETY: the caller's; this lane has written it.
            unsafe {
                with.batch
                    .put_none(*with.store.item() & !BACKWARDS, at, evaluations, status)
            };
        }
    }
}
