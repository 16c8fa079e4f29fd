//! Tanh-sinh rules: the trapezoidal rule after a change of variable that crowds the nodes at
//! the ends, so that what is singular there hardly matters; an item a team of eight lanes.
//!
//! Of an interval of half the length l, the nodes are l delta away from either end, where
//! delta = 1 - tanh(u) = 2 / (1 + exp(2 u)) and u = pi / 2 sinh t: down to the least normal
//! number. They are computed by the distance, never by differences, and an integrand gets it
//! ([`Point`](super::integrand::Point)). Level 0 takes t in steps of a half; every further
//! level takes the middles. An item's intervals, between breaks, are all taken at a level
//! before the next, and the rule's values of the whole range are compared.
//!
//! All teams of a warp go through steps (`step`) together, whatever their items are at.
//!
//! Association: a lane its nodes of a level's interval; the lanes of a team by a butterfly; the
//! intervals and the levels in order.
//!
//! Sources: Takahasi and Mori, Double exponential formulas for numerical integration, 1974;
//! Bailey, Jeyabalan and Li, A comparison of three high-precision quadrature schemes, 2005.

mod step;

use cuda_std::{GpuFloat, grid, thread, warp};

use super::batch::{Batch, Drawn, lane_of_team, most_of_team, of_team, votes_of_team};
use super::integrand::{Integrand, MAX_PARAMETERS, Parameters};
use super::levels::{Levels, Own, RESOLVED, Sums, Table};
use super::outcome::{CONVERGED, NO_LIMITS, NOT_FINITE, OVERFLOW};
use super::range::Range;
use super::real::Real;
use super::sizes::{STEP, TEAM};

/// Lanes that work at one end of an interval.
const HALF: u32 = TEAM / 2;

/// A team's item. What is said to be a half's is the same in its lanes, what is said to be
/// a lane's is its own, and all else is the same in all lanes of the team.
struct Item<R> {
    is_at_work: bool,
    item: u64,
    /// The range is gone through from its upper limit.
    is_backwards: bool,
    range: Range<R>,
    parameters: Parameters<R>,
    /// The interval between breaks that is at hand.
    left: R,
    right: R,
    level: u32,
    /// The level's step of t.
    step: R,
    /// The next step's first node, and the end of the level's.
    entry: u32,
    end: u32,
    /// A half's: nothing is left of the interval.
    is_done: bool,
    /// A half's: the magnitude of the outermost term.
    edge: R,
    /// Half a lane's: the function at the node before the half's first; infinite if there is none.
    before: R,
    /// A lane's.
    own: Own<R>,
    /// The terms of the level's intervals before this one, and with alternating signs.
    sum: R,
    alternating: R,
    levels: Levels<R>,
    evaluations: u32,
}

/// Integrates the items of `batch` by the rules of `table`.
///
/// # Safety
/// The arrays have room for all items; the table is one. Blocks of up to [`MAX_WARPS`](super::sizes::MAX_WARPS) whole
/// warps; the scratch memory is this launch's alone.
#[inline(always)]
pub unsafe fn integrate<I: Integrand<R>, R: Real>(batch: &Batch<R>, table: &Table<R>) {
    grid::wait_for_earlier();
    let mut drawn = Drawn::NONE;
    let mut item = Item::NONE;
    // SAFETY: the caller's; all lanes of a warp go through the loop together.
    unsafe {
        loop {
            let is_idle = !item.is_at_work;
            if !drawn.is_empty(batch)
                && warp::warp_vote_any(warp::FULL_MASK, is_idle)
                && let Some(next) = drawn.take(is_idle, batch)
            {
                item.begin::<I>(batch, table, next);
            }
            if warp::warp_vote_all(warp::FULL_MASK, !item.is_at_work) {
                // What began and was done at once may have successors.
                if drawn.is_empty(batch) {
                    break;
                }
                continue;
            }
            let place_of_infinity = item.take_step::<I>(table);
            item.go_on::<I>(batch, table, place_of_infinity);
        }
        thread::sync_threads();
        if thread::thread_idx_x() == 0 {
            batch.end();
        }
    }
}

impl<R: Real> Item<R> {
    const NONE: Self = Self {
        is_at_work: false,
        item: 0,
        is_backwards: false,
        range: Range::NONE,
        parameters: [R::ZERO; MAX_PARAMETERS],
        left: R::ZERO,
        right: R::ZERO,
        level: 0,
        step: R::ZERO,
        entry: 0,
        end: 0,
        is_done: false,
        edge: R::ZERO,
        before: R::ZERO,
        own: Own::NONE,
        sum: R::ZERO,
        alternating: R::ZERO,
        levels: Levels::NONE,
        evaluations: 0,
    };

    /// Begins an item; one whose limits are equal, or no numbers, ends at once.
    ///
    /// # Safety
    /// The item is one of the batch; the table is one.
    #[inline(always)]
    unsafe fn begin<I: Integrand<R>>(&mut self, batch: &Batch<R>, table: &Table<R>, item: u64) {
        // SAFETY: the caller's.
        let (from, to) = unsafe { batch.limits(item) };
        // SAFETY: the caller's.
        self.parameters = unsafe { batch.parameters(item, I::parameters()) };
        self.item = item;
        self.is_backwards = to < from;
        self.evaluations = 0;
        if from < to || to < from {
            let (low, high) = if to < from { (to, from) } else { (from, to) };
            self.range = Range::new(low, high);
            self.is_at_work = true;
            self.levels = Levels::NONE;
            // SAFETY: the caller's.
            unsafe { self.begin_level::<I>(batch, table, 0, R::from_f64(STEP)) };
        } else {
            // SAFETY: the caller's.
            unsafe {
                if from == to {
                    self.end(batch, R::ZERO, R::ZERO, CONVERGED);
                } else {
                    self.fail(batch, R::ZERO, NO_LIMITS);
                }
            }
        }
    }

    /// Begins a level.
    ///
    /// # Safety
    /// As [`Item::begin`]; the table has the level.
    #[inline(always)]
    unsafe fn begin_level<I: Integrand<R>>(
        &mut self,
        batch: &Batch<R>,
        table: &Table<R>,
        level: u32,
        step: R,
    ) {
        (self.level, self.step) = (level, step);
        self.own = Own::NONE;
        (self.sum, self.alternating) = (R::ZERO, R::ZERO);
        let (lower, _) = self.range.interval();
        // SAFETY: the caller's.
        unsafe {
            self.end = *table.begins.add(level as usize + 1);
            self.begin_interval::<I>(batch, table, lower);
        }
    }

    /// Begins the interval from `left` to the next break.
    ///
    /// # Safety
    /// As [`Item::begin`].
    #[inline(always)]
    unsafe fn begin_interval<I: Integrand<R>>(
        &mut self,
        batch: &Batch<R>,
        table: &Table<R>,
        left: R,
    ) {
        self.left = left;
        // SAFETY: the caller's.
        unsafe {
            self.right = batch.next_break::<I>(&self.range, &self.parameters, left);
            self.entry = *table.begins.add(self.level as usize);
        }
        self.is_done = false;
        self.own.terms = R::ZERO;
        // An interval that is too short for any node is not known to hold nothing.
        let infinite = R::from_f64(f64::INFINITY);
        (self.edge, self.before) = (infinite, infinite);
    }

    /// Goes on to the next interval or level where one is done, or ends the item.
    ///
    /// # Safety
    /// All lanes of the warp call it; as [`Item::begin`].
    #[inline(always)]
    unsafe fn go_on<I: Integrand<R>>(
        &mut self,
        batch: &Batch<R>,
        table: &Table<R>,
        place_of_infinity: Option<R>,
    ) {
        // SAFETY: the caller's.
        unsafe {
            let is_done = votes_of_team(self.is_done) == (1 << TEAM) - 1;
            if let Some(at) = place_of_infinity
                && self.is_at_work
            {
                self.fail(batch, at, NOT_FINITE);
            }
            let is_interval_done = self.is_at_work && is_done;
            if !warp::warp_vote_any(warp::FULL_MASK, is_interval_done) {
                return;
            }
            let (sum, alternating) = (of_team(self.own.terms), of_team(self.with_sign()));
            let mut is_level_done = false;
            if is_interval_done {
                self.sum = self.sum + sum;
                self.alternating = self.alternating + GpuFloat::abs(alternating);
                if lane_of_team().is_multiple_of(HALF) {
                    self.own.doubt = self.own.doubt + self.edge;
                }
                is_level_done = self.right >= self.range.interval().1;
                if !is_level_done {
                    self.begin_interval::<I>(batch, table, self.right);
                }
            }
            if warp::warp_vote_any(warp::FULL_MASK, is_level_done) {
                let [size, doubt] = [self.own.size, self.own.doubt].map(|own| of_team(own));
                let [peak, jump] = [self.own.peak, self.own.jump].map(|own| most_of_team(own));
                if is_level_done {
                    let [peak, jump] = [peak, jump].map(|upper| R::from_upper(upper));
                    let sums = Sums {
                        sum: self.sum,
                        size,
                        alternating: self.alternating,
                        doubt,
                        is_resolved: jump <= R::from_f64(RESOLVED) * peak,
                    };
                    self.conclude::<I>(batch, table, sums);
                }
            }
        }
    }

    /// This lane's terms of the interval, with the sign that they have where those of its
    /// nodes alternate, from one end to the other: a node's index at its end is odd with its
    /// lane; those of level 0 begin at the center, which both ends have, others half a node
    /// away from it.
    #[inline(always)]
    fn with_sign(&self) -> R {
        let is_odd = lane_of_team() % 2 == 1;
        let is_upper = lane_of_team() >= HALF && self.level > 0;
        if is_odd == is_upper {
            self.own.terms
        } else {
            -self.own.terms
        }
    }

    /// Takes what a level gave.
    ///
    /// # Safety
    /// As [`Item::begin`].
    #[inline(always)]
    unsafe fn conclude<I: Integrand<R>>(
        &mut self,
        batch: &Batch<R>,
        table: &Table<R>,
        sums: Sums<R>,
    ) {
        let error = self.levels.take(self.level, sums);
        let value = self.levels.value();
        let tolerance = batch.tolerance(value);
        // SAFETY: the caller's; the last level ends the item.
        unsafe {
            match self
                .levels
                .status(&error, tolerance, self.level, table.last)
            {
                Some(OVERFLOW) => self.fail(batch, R::ZERO, OVERFLOW),
                Some(status) => self.end(batch, value, error.total, status),
                None => {
                    let step = R::from_f64(0.5) * self.step;
                    self.begin_level::<I>(batch, table, self.level + 1, step);
                }
            }
        }
    }

    /// Writes the outcome.
    ///
    /// # Safety
    /// Outcomes have room for the item.
    #[inline(always)]
    unsafe fn end(&mut self, batch: &Batch<R>, value: R, error: R, status: u32) {
        self.is_at_work = false;
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
        self.is_at_work = false;
        // SAFETY: the caller's.
        unsafe { batch.put_none(self.item, at, self.evaluations, status) };
    }
}
