//! Fourier integrals, f(x) sin(omega x + phase) over a half-infinite or the whole line, by Ooura and
//! Mori's double exponential formula: an item a team of eight lanes.
//!
//! With `u = |omega| |x - limit|`, a wave is a sine and a cosine of `u`, and each of the two is
//! integrated by a trapezoidal rule in `t` where `u = M phi(t)`. Far out the nodes come double
//! exponentially close to the zeros of the sine, or of the cosine, so that the sum ends although f
//! hardly falls; next to the limit they crowd, so that f may be infinite there. Neither nodes nor
//! weights depend on the item: the host makes a [`Table`] of them, in which a weight has the sine.
//!
//! Of a level the table has four lists, each from its first node to its outermost one: of the sine,
//! outwards and to the limit, and of the cosine the same. Levels share no nodes: the next one has
//! half the step and twice the M.
//!
//! Association: a lane every eighth node of both lists of a wave; the lanes of a team by a butterfly; the
//! sine before the cosine.
//!
//! Sources: Ooura and Mori, The double exponential formula for oscillatory functions over the half
//! infinite interval, 1991, and A robust double exponential formula for Fourier-type integrals, 1999.

mod node;

use cuda_std::{GpuFloat, grid, thread, warp};

use super::batch::{Batch, Drawn, lane_of_team, of_lane, of_team, votes_of_team};
use super::integrand::{Integrand, MAX_PARAMETERS, Parameters};
use super::levels::{Levels, Sums, Table};
use super::outcome::{CONVERGED, NO_LIMITS, NOT_FINITE, OVERFLOW};
use super::real::Real;
use super::sizes::{LISTS, TEAM};
use node::{Term, at_limit, or_infinite};

/// The first level that may be the last, unless there are no more.
const FEWEST: u32 = 3;

/// Where the finite limit is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    Above,
    /// Nowhere: both sides of 0.
    Both,
}

/// A team's item. What is said to be a lane's is its own, and all else is the same in all lanes of
/// the team.
struct Item<R> {
    is_at_work: bool,
    item: u64,
    is_backwards: bool,
    side: Side,
    limit: R,
    parameters: Parameters<R>,
    /// 1 / |omega|.
    length: R,
    /// What the integrals of the sine and of the cosine count for.
    sine: R,
    cosine: R,
    level: u32,
    /// The list at hand, the next step's first node, and the list's end.
    list: u32,
    entry: u32,
    end: u32,
    /// A lane's terms of the wave at hand, their magnitudes, and what may be wrong with them.
    terms: R,
    size: R,
    doubt: R,
    /// The magnitude of a lane's last term of the list at hand.
    last: R,
    /// The same of the level's waves before, all together.
    sums: [R; 3],
    levels: Levels<R>,
    evaluations: u32,
}

/// Integrates the items of `batch`, whose last two parameters are omega and the phase, by the lists of
/// `table`; a cosine if `is_cosine` is not 0.
///
/// # Safety
/// As [`tanh_sinh::integrate`](super::tanh_sinh::integrate); the table has [`LISTS`] a level.
#[inline(always)]
pub unsafe fn integrate<I: Integrand<R>, R: Real>(
    batch: &Batch<R>,
    table: &Table<R>,
    is_cosine: u32,
) {
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
                item.begin::<I>(batch, table, is_cosine != 0, next);
            }
            if warp::warp_vote_all(warp::FULL_MASK, !item.is_at_work) {
                // What began and was done at once may have successors.
                if drawn.is_empty(batch) {
                    break;
                }
                continue;
            }
            item.take_step::<I>(batch, table);
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
        side: Side::Above,
        limit: R::ZERO,
        parameters: [R::ZERO; MAX_PARAMETERS],
        length: R::ZERO,
        sine: R::ZERO,
        cosine: R::ZERO,
        level: 0,
        list: 0,
        entry: 0,
        end: 0,
        terms: R::ZERO,
        size: R::ZERO,
        doubt: R::ZERO,
        last: R::ZERO,
        sums: [R::ZERO; 3],
        levels: Levels::NONE,
        evaluations: 0,
    };

    /// Begins an item; one without a wave or an infinite limit ends at once.
    ///
    /// # Safety
    /// The item is one of the batch; the table is one.
    #[inline(always)]
    unsafe fn begin<I: Integrand<R>>(
        &mut self,
        batch: &Batch<R>,
        table: &Table<R>,
        is_cosine: bool,
        item: u64,
    ) {
        let count = I::parameters();
        // SAFETY: the caller's.
        let (from, to) = unsafe { batch.limits(item) };
        // SAFETY: the caller's.
        self.parameters = unsafe { batch.parameters(item, count) };
        let (mut omega, mut phase) = (R::ZERO, R::ZERO);
        for (k, &parameter) in self.parameters.iter().enumerate() {
            if k + 2 == count {
                omega = parameter;
            }
            if k + 1 == count {
                phase = parameter;
            }
        }
        self.item = item;
        self.evaluations = 0;
        self.is_backwards = to < from;
        let (low, high) = if to < from { (to, from) } else { (from, to) };
        let is_wave = omega.is_number() && phase.is_number() && omega != R::ZERO;
        let (has_low, has_high) = (low.is_number(), high.is_number());
        if !(from < to || to < from) || !is_wave || has_low && has_high {
            // SAFETY: the caller's.
            unsafe {
                if from == to && is_wave {
                    self.end(batch, R::ZERO, R::ZERO, CONVERGED);
                } else {
                    self.fail(batch, R::ZERO, NO_LIMITS);
                }
            }
            return;
        }
        (self.side, self.limit) = match (has_low, has_high) {
            (true, _) => (Side::Above, low),
            (_, true) => (Side::Below, high),
            _ => (Side::Both, R::ZERO),
        };
        let (sine, cosine) = at_limit(omega, self.limit, phase);
        // sin(angle + s u), and cos(angle + s u), where s is the sign of the wave that u sees.
        let is_falling = (omega < R::ZERO) != (self.side == Side::Below);
        let (of_sine, of_cosine) = if is_cosine {
            (-sine, cosine)
        } else {
            (cosine, sine)
        };
        self.length = R::from_f64(1.0) / GpuFloat::abs(omega);
        self.sine = if is_falling { -of_sine } else { of_sine };
        self.cosine = of_cosine;
        self.is_at_work = true;
        self.levels = Levels::NONE;
        // SAFETY: the caller's.
        unsafe { self.begin_level(table, 0) };
    }

    /// Begins a level.
    ///
    /// # Safety
    /// The table has the level.
    #[inline(always)]
    unsafe fn begin_level(&mut self, table: &Table<R>, level: u32) {
        self.level = level;
        self.sums = [R::ZERO; 3];
        (self.terms, self.size, self.doubt) = (R::ZERO, R::ZERO, R::ZERO);
        let first = if self.sine == R::ZERO { LISTS / 2 } else { 0 };
        // SAFETY: the caller's.
        unsafe { self.begin_list(table, first) };
    }

    /// Begins a list of the level.
    ///
    /// # Safety
    /// The table has it.
    #[inline(always)]
    unsafe fn begin_list(&mut self, table: &Table<R>, list: u32) {
        self.list = list;
        self.last = R::ZERO;
        let place = (self.level * LISTS + list) as usize;
        // SAFETY: the caller's.
        [self.entry, self.end] = [0, 1].map(|k| unsafe { *table.begins.add(place + k) });
    }

    /// The next nodes of the list, and what follows where it is done.
    ///
    /// # Safety
    /// All lanes of the warp call it; the table is one.
    #[inline(always)]
    unsafe fn take_step<I: Integrand<R>>(&mut self, batch: &Batch<R>, table: &Table<R>) {
        // SAFETY: the caller's.
        unsafe {
            let index = self.entry + lane_of_team();
            let mut node = [R::ZERO; 2];
            if self.is_at_work && index < self.end {
                node = [0, 1].map(|field| *table.nodes.add(index as usize * 2 + field));
            }
            let [angle, weight] = node;
            let distance = angle * self.length;
            let is_one = distance >= R::MIN_POSITIVE;
            let mut of = Term::NONE;
            if is_one {
                of = self.eval::<I>(distance, weight);
            }
            let magnitude = of.magnitude;
            let size = of_team(self.size);
            // What the nodes from here on could add: they, or their weights, are next to nothing.
            let fallen = if self.list.is_multiple_of(2) {
                GpuFloat::abs(weight)
            } else {
                angle
            };
            let nothing = R::EPSILON * R::from_f64(1.0 / 32.0) * size;
            let is_nothing =
                is_one && fallen <= R::EPSILON && size > R::ZERO && magnitude <= nothing;
            let nodes = votes_of_team(is_one);
            let counted = votes_of_team(is_nothing).trailing_zeros().min(TEAM);
            let counts = is_one && lane_of_team() < counted;
            // A function may be finite at an infinite x, which says nothing of where the node is.
            let is_finite = of.value.is_number() && of.x.is_number();
            let infinite = votes_of_team(counts && !is_finite);
            let other = lane_of_team() ^ 1;
            let (there, value) = (of_lane(of.x, other), of_lane(of.value, other));
            let are_two = nodes >> other & 1 == 1 && value.is_number();
            let mut doubt = R::ZERO;
            if are_two && !I::uses_distances() {
                let jump = GpuFloat::abs(of.value - value);
                doubt = self.doubt_of(&of, node, jump, GpuFloat::abs(of.x - there));
            }
            if counts {
                self.terms = self.terms + of.term;
                self.size = self.size + magnitude;
                self.doubt = self.doubt + doubt;
            }
            if is_one {
                self.last = magnitude;
            }
            // The list's last two terms, where it ends before they are next to nothing.
            let ended = nodes.count_ones();
            let [last, before] =
                [1, 2].map(|back| of_lane(self.last, (ended + TEAM - back) % TEAM));
            if counted == TEAM && ended < TEAM && lane_of_team() == 0 {
                self.doubt = self.doubt + self.rest(last, before);
            }
            self.evaluations += nodes.count_ones() * (1 + u32::from(self.side == Side::Both));
            self.entry += TEAM;
            let at = of_lane(of.x, infinite.trailing_zeros() % TEAM);
            if infinite != 0 && self.is_at_work {
                self.fail(batch, at, NOT_FINITE);
            }
            let is_list_done = self.is_at_work && (counted < TEAM || nodes != (1 << TEAM) - 1);
            let is_wave_done = is_list_done && self.list % 2 == 1;
            if is_list_done && !is_wave_done {
                self.begin_list(table, self.list + 1);
            }
            if warp::warp_vote_any(warp::FULL_MASK, is_wave_done) {
                let all = [self.terms, self.size, self.doubt].map(|own| of_team(own));
                if is_wave_done {
                    self.end_wave(batch, table, all);
                }
            }
        }
    }

    /// Takes what a wave's two lists gave: terms, magnitudes and doubt.
    ///
    /// # Safety
    /// As [`Item::begin`].
    #[inline(always)]
    unsafe fn end_wave(
        &mut self,
        batch: &Batch<R>,
        table: &Table<R>,
        [terms, size, doubt]: [R; 3],
    ) {
        let is_sine = self.list < LISTS / 2;
        let factor = if is_sine { self.sine } else { self.cosine };
        let magnitude = GpuFloat::abs(factor);
        let [sum, sizes, doubts] = self.sums;
        self.sums = [
            factor.mul_add(terms, sum),
            magnitude.mul_add(size, sizes),
            magnitude.mul_add(doubt, doubts),
        ];
        (self.terms, self.size, self.doubt) = (R::ZERO, R::ZERO, R::ZERO);
        // SAFETY: the caller's.
        unsafe {
            if is_sine && self.cosine != R::ZERO {
                self.begin_list(table, LISTS / 2);
            } else {
                self.conclude(batch, table);
            }
        }
    }

    /// Takes what a level gave.
    ///
    /// # Safety
    /// As [`Item::begin`].
    #[inline(always)]
    unsafe fn conclude(&mut self, batch: &Batch<R>, table: &Table<R>) {
        let [sum, size, doubt] = self.sums.map(|sum| sum * self.length);
        let sums = Sums {
            sum,
            size,
            // Nothing is known of the first level's error.
            alternating: if self.level == 0 { size } else { R::ZERO },
            doubt: or_infinite(doubt),
            is_resolved: true,
        };
        let error = self.levels.take_alone(self.level, sums);
        let tolerance = batch.tolerance(self.levels.value());
        // A few changes may be small by chance.
        let is_known = self.level >= FEWEST || !self.levels.value().is_number();
        let status = match is_known || self.level >= table.last {
            true => self
                .levels
                .status(&error, tolerance, self.level, table.last),
            false => None,
        };
        // SAFETY: the caller's; the last level ends the item.
        unsafe {
            match status {
                Some(OVERFLOW) => self.fail(batch, R::ZERO, OVERFLOW),
                Some(status) => self.end(batch, self.levels.value(), error.total, status),
                None => self.begin_level(table, self.level + 1),
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
