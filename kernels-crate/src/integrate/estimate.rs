//! What a rule of Gauss and Kronrod gives on one interval, evaluated by a team of eight lanes,
//! two or three nodes each: the integral, and how far it may be off.
//!
//! The difference of the two rules is the error's measure, as in QUADPACK; but it changes its
//! sign somewhere between two functions, and there it is small by chance. A second *null rule*,
//! of two degrees less, which is 0 elsewhere, keeps such an interval from being believed.
//! Beside what rounding makes of sums of values, the estimate has what the rounding of x makes
//! of a steep function.
//!
//! No rule sees what lies between an end of the interval and the outermost node. So that of 21 nodes
//! also looks next to both ends, whether the function there is what the polynomial through the nodes
//! says; that enters the null rule. In eight lanes 23 places take as long as 21.
//!
//! Which interval is evaluated next is [`adaptive`](super::adaptive)'s.
//!
//! Sources: Piessens, de Doncker-Kapenga, Überhuber and Kahaner, QUADPACK, 1983 (its estimate
//! of the error); Berntsen and Espelid, Error estimation in automatic quadrature routines, 1991
//! (null rules). Nodes and weights are in [`kronrod`](super::kronrod).

use cuda_std::{GpuFloat, shared_array, thread, warp};

use super::batch::{Batch, lane_of_team, of_team, votes_of_team};
use super::integrand::{Integrand, Parameters};
use super::interval::Error;
use super::kronrod::{COLUMNS, ENDS, K15, K21};
use super::range::{Place, Range};
use super::real::Real;
use super::sizes::{NODES, ROUNDING, TEAM};
use super::store::Store;

/// What counts of a null rule, beside the difference of the two rules: little enough that it
/// costs no evaluations where the difference can be relied on, since that falls by the square
/// of what one more degree gains, and a smooth function's gain is more than 4.
const OF_NULL: f64 = 1.0 / 16.0;

/// What the rule gives on an interval; the same in all lanes of a team.
#[derive(Clone, Copy)]
pub(super) struct Estimate<R> {
    pub(super) value: R,
    pub(super) error: Error<R>,
    /// The integral of the function's magnitude, roughly.
    pub(super) size: R,
    pub(super) is_finite: bool,
    /// Where it is not, an x of it.
    pub(super) at: R,
}

impl<R: Real> Estimate<R> {
    /// Whether an item of this interval alone has converged.
    #[inline(always)]
    pub(super) fn is_enough(&self, batch: &Batch<R>) -> bool {
        let is_within = self.error.magnitude() <= batch.tolerance(self.value);
        is_within && self.value.is_number() && !self.error.is_blind(self.value)
    }
}

/// Half of the length of `left..right`, which may itself be more than a number can be.
#[inline(always)]
pub(super) fn half_length<R: Real>(left: R, right: R) -> R {
    let half = R::from_f64(0.5);
    half * right - half * left
}

/// An interval of a team's range, in the range's variable, and the function there.
pub(super) struct Section<'a, R> {
    pub(super) range: &'a Range<R>,
    pub(super) parameters: &'a Parameters<R>,
    pub(super) left: R,
    pub(super) right: R,
    /// Whether the team has an item; where not, nothing is evaluated.
    pub(super) is_at_work: bool,
}

/// A rule, whose table the block has in shared memory.
#[derive(Clone, Copy)]
pub(super) struct Rule<R> {
    nodes: u32,
    /// The nodes, and the ends where it looks at them.
    places: u32,
    table: *const R,
}

impl<R: Real> Rule<R> {
    /// The rule of so many nodes, 15 or 21.
    ///
    /// # Safety
    /// All threads of the block call it once, and come to a barrier before they use it.
    #[inline(always)]
    pub(super) unsafe fn new(nodes: u32) -> Self {
        let table = shared_array![u64; NODES * COLUMNS].cast::<R>();
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
        let places = if nodes == 15 { nodes } else { nodes + ENDS };
        Self {
            nodes,
            places,
            table,
        }
    }

    /// Evaluations of the function on an interval of `range`.
    #[inline(always)]
    pub(super) fn evaluations(&self, range: &Range<R>) -> u32 {
        self.places * range.evaluations()
    }

    /// The rule on an interval; keeps values where `store` has room for them.
    ///
    /// # Safety
    /// All lanes of the warp call it, those of a team with the same interval.
    #[inline(always)]
    pub(super) unsafe fn on<I: Integrand<R>>(
        &self,
        of: &Section<'_, R>,
        store: &Store<R>,
    ) -> Estimate<R> {
        let (mut kronrod, mut gauss, mut null) = (R::ZERO, R::ZERO, R::ZERO);
        // The first evaluation of this lane that gave no number.
        let mut failed = u32::MAX;
        // One loop for nodes and for the places that a node may have: a loop in another one would
        // have what all places have in common computed for every range.
        let times = of.range.evaluations();
        let places = if of.is_at_work { self.places } else { 0 };
        let (mut first, mut time, mut value) = (0, 0, R::ZERO);
        while first < self.nodes {
            let index = first + lane_of_team();
            let is_last = time + 1 == times;
            if index < places {
                // SAFETY: the table has a row for every index.
                let (place, [of_kronrod, of_gauss, of_null]) = unsafe { self.place(of, index) };
                let point = of.range.point(place, time == 1);
                let term = of.range.eval::<I>(place, point, of.parameters);
                // Where an end has no number, nothing is known.
                let is_number = term.is_number();
                if !is_number && index < self.nodes {
                    failed = failed.min(first + time);
                }
                if is_number || index < self.nodes {
                    value = value + term;
                }
                if is_last {
                    kronrod = of_kronrod.mul_add(value, kronrod);
                    gauss = of_gauss.mul_add(value, gauss);
                    null = of_null.mul_add(value, null);
                    if index < self.nodes {
                        // SAFETY: this lane's own.
                        unsafe { *store.node(index) = value };
                    }
                    value = R::ZERO;
                }
            }
            time = if is_last { 0 } else { time + 1 };
            first += if is_last { TEAM } else { 0 };
        }
        // SAFETY: the caller's.
        unsafe {
            let sums = [of_team(kronrod), of_team(gauss), of_team(null)];
            let mut found = self.judge::<I>(of, store, sums);
            let has_failed = failed != u32::MAX;
            if warp::warp_vote_any(warp::FULL_MASK, has_failed) {
                let votes = votes_of_team(has_failed);
                let who = (votes.trailing_zeros() & 31).min(TEAM - 1);
                let failed = warp::warp_shuffle_idx(warp::FULL_MASK, failed, who, TEAM).0;
                if votes != 0 {
                    let (place, _) = self.place(of, failed / TEAM * TEAM + who);
                    let point = of.range.point(place, failed % TEAM == 1);
                    (found.is_finite, found.at) = (false, point.x);
                }
            }
            found
        }
    }

    /// How many nodes are evaluated.
    #[inline(always)]
    fn nodes_of(&self, of: &Section<'_, R>) -> u32 {
        if of.is_at_work { self.nodes } else { 0 }
    }

    /// Where a node or an end is, and its weights: Kronrod's, Gauss' and the null rule's.
    ///
    /// # Safety
    /// The index is less than [`NODES`].
    #[inline(always)]
    unsafe fn place(&self, of: &Section<'_, R>, index: u32) -> (Place<R>, [R; 3]) {
        let one = R::from_f64(1.0);
        let (lower, upper) = of.range.interval();
        let length = half_length(of.left, of.right);
        // SAFETY: the caller's.
        let [node, kronrod, gauss, null] = [0, 1, 2, 3]
            .map(|column| unsafe { *self.table.add(index as usize * COLUMNS + column) });
        let mut t = of.left + length + length * node;
        if !(of.left < t && t < of.right) {
            // Rounding may have put it onto an end. Step by step: the ends' neighbours themselves
            // would be computed before the loop over nodes.
            while t >= upper {
                t = t.below();
            }
            while t <= lower {
                t = t.above();
            }
        }
        let place = Place {
            t,
            from_lower: (of.left - lower) + length * (one + node),
            to_upper: (upper - of.right) + length * (one - node),
        };
        (place, [kronrod, gauss, null])
    }

    /// The integral by the two rules and the null rule, which are sums of the nodes' values,
    /// and what they say of the error.
    ///
    /// # Safety
    /// As [`Rule::on`], which has stored the values.
    #[inline(always)]
    unsafe fn judge<I: Integrand<R>>(
        &self,
        of: &Section<'_, R>,
        store: &Store<R>,
        [kronrod, gauss, null]: [R; 3],
    ) -> Estimate<R> {
        let mean = R::from_f64(0.5) * kronrod;
        let length = half_length(of.left, of.right);
        let (_, upper) = of.range.interval();
        // By how much x may be off; what it means to a function of the distances is not known.
        let furthest = GpuFloat::abs(of.left).larger(GpuFloat::abs(of.right));
        let blur = if I::uses_distances() {
            R::ZERO
        } else {
            of.range.blur(furthest, upper - of.left)
        };
        let of_sums = R::from_f64(ROUNDING) * R::EPSILON * length;
        let (mut spread, mut rounding) = (R::ZERO, R::ZERO);
        // SAFETY: the caller's; every lane reads its own node's value and the one before.
        unsafe {
            warp::sync_warp(warp::FULL_MASK);
            let nodes = self.nodes_of(of);
            for row in 0..NODES as u32 / TEAM {
                let index = row * TEAM + lane_of_team();
                if index < nodes {
                    let weight = *self.table.add(index as usize * COLUMNS + 1);
                    let value = *store.node(index);
                    let before = *store.node(index).sub(usize::from(index > 0));
                    spread = weight.mul_add(GpuFloat::abs(value - mean), spread);
                    let size = weight * GpuFloat::abs(value);
                    rounding = of_sums.mul_add(size, rounding);
                    rounding = blur.mul_add(GpuFloat::abs(value - before), rounding);
                }
            }
            let (spread, rounding) = (of_team(spread) * length, of_team(rounding));
            // Where the two rules agree by chance, the null rule does not.
            let difference =
                GpuFloat::abs(kronrod - gauss).larger(R::from_f64(OF_NULL) * GpuFloat::abs(null));
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
}
