//! A step of tanh-sinh rules: four nodes from the center outwards at either end, half a team each.
//!
//! A half is done at the first node closer to its end than a number's resolution of the whole whose
//! term is next to nothing; what lies beyond is not looked at, and may overflow.

use cuda_std::GpuFloat;

use super::super::batch::{lane_of_team, of_lane, of_team, votes_of_team};
use super::super::integrand::Integrand;
use super::super::levels::Table;
use super::super::range::Place;
use super::super::real::Real;
use super::super::sizes::TEAM;
use super::{HALF, Item};

/// All lanes of a half.
const WHOLE_HALF: u32 = (1 << HALF) - 1;

/// A node of a lane.
struct Node<R> {
    /// How far from the interval's end, in its half length.
    delta: R,
    /// What the function is multiplied by.
    weight: R,
    /// Whether it is one, and so far from the end that a number can say it.
    is_one: bool,
}

/// What a lane's node gives.
struct Term<R> {
    x: R,
    value: R,
    term: R,
    /// By how much `x` may be off, as far as the function looks at it.
    blur: R,
}

impl<R: Real> Item<R> {
    /// The next nodes of the interval. An x where the function is not finite and matters,
    /// if there is one.
    ///
    /// # Safety
    /// All lanes of the warp call it; the table is one.
    #[inline(always)]
    pub(super) unsafe fn take_step<I: Integrand<R>>(&mut self, table: &Table<R>) -> Option<R> {
        // SAFETY: the caller's.
        unsafe {
            let node = self.node(table);
            let mut of = Term {
                x: R::ZERO,
                value: R::ZERO,
                term: R::ZERO,
                blur: R::ZERO,
            };
            if node.is_one {
                of = self.eval::<I>(&node);
            }
            let magnitude = GpuFloat::abs(of.term);
            // Of this level alone, which has half of the nodes: what other levels saw may be
            // further out.
            let nothing = R::EPSILON * R::from_f64(1.0 / 32.0) * of_team(self.own.size);
            let is_nothing = node.is_one && node.delta <= R::EPSILON && magnitude <= nothing;

            let side = lane_of_team() / HALF * HALF;
            let nodes = votes_of_team(node.is_one);
            let quiet = votes_of_team(is_nothing) >> side & WHOLE_HALF;
            let counted = quiet.trailing_zeros().min(HALF);
            let counts = node.is_one && lane_of_team() % HALF < counted;
            let infinite = votes_of_team(counts && !of.value.is_number());
            let outermost = votes_of_team(counts) >> side & WHOLE_HALF;

            let source = side + (outermost | 1).ilog2();
            let edge = of_lane(magnitude, source);
            if outermost != 0 {
                self.edge = edge;
            }
            // Every lane gets the value of the node before, and the half's first one that of
            // its last, which it needs in the next step.
            let inner = of_lane(of.value, side + (lane_of_team() + HALF - 1) % HALF);
            let is_first = lane_of_team().is_multiple_of(HALF);
            let before = if is_first { self.before } else { inner };
            self.before = inner;
            if counts {
                self.own.take(self.step, of.term);
                if before.is_number() {
                    let jump = GpuFloat::abs(of.value - before);
                    let of_terms = node.weight * jump * self.half_length();
                    self.own.take_jump(of_terms, of.blur * jump);
                }
            }
            self.evaluations += nodes.count_ones() * self.range.evaluations();
            self.entry += HALF;
            let is_last = nodes >> side & (1 << (HALF - 1)) == 0;
            self.is_done = self.is_done || counted < HALF || is_last;
            let at = of_lane(of.x, infinite.trailing_zeros() % TEAM);
            (infinite != 0).then_some(at)
        }
    }

    /// This lane's next node.
    ///
    /// # Safety
    /// The table is one.
    #[inline(always)]
    unsafe fn node(&self, table: &Table<R>) -> Node<R> {
        let index = self.entry + lane_of_team() % HALF;
        if !self.is_at_work || self.is_done || index >= self.end {
            let (delta, weight) = (R::from_f64(1.0), R::ZERO);
            return Node {
                delta,
                weight,
                is_one: false,
            };
        }
        // SAFETY: a node of the table.
        let [delta, weight] =
            [0, 1].map(|field| unsafe { *table.nodes.add(index as usize * 2 + field) });
        Node {
            delta,
            weight,
            is_one: delta * self.half_length() >= R::MIN_POSITIVE,
        }
    }

    /// Half of the interval's length, which may itself be more than a number can be.
    #[inline(always)]
    fn half_length(&self) -> R {
        let half = R::from_f64(0.5);
        half * self.right - half * self.left
    }

    /// The function at a node.
    #[inline(always)]
    fn eval<I: Integrand<R>>(&self, node: &Node<R>) -> Term<R> {
        let (lower, upper) = self.range.interval();
        let length = self.half_length();
        let distance = length * node.delta;
        let rest = (length - distance) + length;
        let is_upper = lane_of_team() >= HALF;
        let (t, from_left, to_right) = if is_upper {
            (self.right - distance, rest, distance)
        } else {
            (self.left + distance, distance, rest)
        };
        let place = Place {
            t: GpuFloat::max(GpuFloat::min(t, self.right.below()), self.left.above()),
            from_lower: (self.left - lower) + from_left,
            to_upper: (upper - self.right) + to_right,
        };
        let (mut value, mut time) = (R::ZERO, 0);
        let mut point = self.range.point(place, false);
        while time < self.range.evaluations() {
            point = self.range.point(place, time == 1);
            value = value + self.range.eval::<I>(place, point, &self.parameters);
            time += 1;
        }
        let is_limit = if is_upper {
            self.right == upper
        } else {
            self.left == lower
        };
        let resolution = R::from_f64(8.0) * R::EPSILON;
        let is_blurred = if is_limit {
            let nearest = GpuFloat::min(point.from_lower, point.to_upper);
            !I::uses_distances() && nearest < resolution * GpuFloat::abs(point.x)
        } else {
            distance < resolution * GpuFloat::abs(place.t)
        };
        // So close to an end, all of the term may be.
        let blur = if is_blurred {
            R::from_f64(2.0) * self.step * node.weight * length
        } else if I::uses_distances() {
            R::ZERO
        } else {
            self.range.blur(place.t, place.to_upper)
        };
        Term {
            x: point.x,
            value,
            term: node.weight * value * length,
            blur,
        }
    }
}
