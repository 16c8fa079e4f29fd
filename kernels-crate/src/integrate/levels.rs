//! Levels of tanh-sinh rules: the table of their nodes, and what the error is once a level is
//! done. [`tanh_sinh`](super::tanh_sinh) goes through them; the host makes the table.

use cuda_std::GpuFloat;

use super::batch::{CONVERGED, OUT_OF_INTERVALS, OVERFLOW, ROUNDOFF};
use super::real::Real;

/// The first level that may be the last: three integrals tell something of their errors.
pub const MIN_LEVELS: u32 = 2;

/// How much the terms of neighbours may differ at most, in units of the largest term: by less
/// where there are four of a level's own nodes in a period. With fewer, levels may agree by
/// chance.
pub(super) const RESOLVED: f64 = 1.5;

/// What further levels may better, in units of the integral of the magnitude, whatever the
/// tolerance: three levels that agree to two digits may do so by chance, and where they agree
/// for a reason the next one has these digits.
const BELIEVED: f64 = 1e-5;

/// What rounding makes of a rule, in epsilons of the integral of the function's magnitude.
pub const ROUNDING: f64 = 32.0;

/// The last level that there may be a table for.
pub const MAX_LEVELS: u32 = 10;

/// The level from which on what may be wrong with terms at the ends is taken for good.
const SETTLED: u32 = 5;

/// The step of t at level 0; every further level halves it.
pub const STEP: f64 = 0.5;

/// Nodes, level by level, from the center outwards.
#[derive(Debug)]
pub struct Table<R> {
    /// Delta and weight of a node each: the weight is dx / dt over half the interval's
    /// length, and a half of it at the center, which both ends have.
    pub nodes: *const R,
    /// Where a level begins, and behind the last one the number of nodes.
    pub begins: *const u32,
    /// The last level, [`MIN_LEVELS`] to [`MAX_LEVELS`].
    pub last: u32,
}

/// What a level gave, its own nodes alone.
pub(super) struct Sums<R> {
    /// The sum of the terms,
    pub(super) sum: R,
    /// and of their magnitudes.
    pub(super) size: R,
    /// What may be wrong with terms.
    pub(super) doubt: R,
    /// Whether neighbours' terms are much alike: [`RESOLVED`].
    pub(super) is_resolved: bool,
}

/// What the levels so far gave.
pub(super) struct Levels<R> {
    /// The integral, and that of the magnitude.
    value: R,
    size: R,
    /// How much the last level changed the integral, and the one before.
    last_change: R,
    change_before: R,
}

/// What is known of the error.
pub(super) struct Error<R> {
    /// All of it.
    pub(super) total: R,
    /// What further levels would better, and what not.
    difference: R,
    rounding: R,
    doubt: R,
    is_resolved: bool,
}

impl<R: Real> Levels<R> {
    /// Nothing.
    pub(super) const NONE: Self = Self {
        value: R::ZERO,
        size: R::ZERO,
        last_change: R::ZERO,
        change_before: R::ZERO,
    };

    /// The integral.
    #[inline(always)]
    pub(super) fn value(&self) -> R {
        self.value
    }

    /// The integral of the magnitude.
    #[inline(always)]
    pub(super) fn size(&self) -> R {
        self.size
    }

    /// Takes the sums of the next level, of this step.
    #[inline(always)]
    pub(super) fn take(&mut self, level: u32, step: R, of: Sums<R>) -> Error<R> {
        let half = R::from_f64(0.5);
        let value = step.mul_add(of.sum, half * self.value);
        let size = step.mul_add(of.size, half * self.size);
        let change = if level == 0 {
            size
        } else {
            GpuFloat::abs(value - self.value)
        };
        let difference = estimate(change, self.last_change, self.change_before);
        (self.value, self.size) = (value, size);
        (self.last_change, self.change_before) = (change, self.last_change);
        let rounding = R::from_f64(ROUNDING) * R::EPSILON * size;
        Error {
            total: GpuFloat::max(difference + of.doubt, rounding),
            difference,
            rounding,
            doubt: of.doubt,
            is_resolved: of.is_resolved,
        }
    }

    /// How the item ends with this level; None if it goes on.
    #[inline(always)]
    pub(super) fn status(
        &self,
        error: &Error<R>,
        tolerance: R,
        level: u32,
        last: u32,
    ) -> Option<u32> {
        let is_last = level >= last;
        // What more nodes would not better: at coarse levels the outermost terms are further
        // from the ends, and look worse than they are.
        let is_settled = is_last || level >= SETTLED;
        let doubt = if is_settled { error.doubt } else { R::ZERO };
        let rest = GpuFloat::max(error.rounding, doubt);
        // Of a function that is 0 wherever it was looked at, little is known.
        let fewest = if self.size == R::ZERO {
            SETTLED
        } else {
            MIN_LEVELS
        };
        let is_believed = error.difference <= R::from_f64(BELIEVED) * self.size;
        if !is_last && (level < fewest || !error.is_resolved) {
            None
        } else if !self.value.is_number() {
            Some(OVERFLOW)
        } else if error.total.is_number() && error.total <= tolerance && (is_believed || is_last) {
            Some(CONVERGED)
        } else if error.difference <= rest && (is_last || rest > tolerance) {
            Some(ROUNDOFF)
        } else if is_last {
            Some(OUT_OF_INTERVALS)
        } else {
            None
        }
    }
}

/// The error of a level that changed the integral by `change`, the levels before it by
/// `last` and `before`.
///
/// Of a function that is analytic between the ends every level doubles the digits (Bailey,
/// Jeyabalan and Li, 2005, estimate the error by that). Here a level is trusted to be better
/// than the change that it brought by the worse one of the last two quotients, times eight;
/// and not trusted to have been luckier than the third power of the quotient before: a jump,
/// whose changes are erratic, is not taken for convergence.
#[inline(always)]
fn estimate<R: Real>(change: R, last: R, before: R) -> R {
    let (one, two, eight) = (R::from_f64(1.0), R::from_f64(2.0), R::from_f64(8.0));
    // Where a level changed nothing, it is the rounding that changes things.
    let quotient = if before > R::ZERO { last / before } else { one };
    let better = if last > R::ZERO { change / last } else { one };
    let trusted = change * GpuFloat::min(one, eight * GpuFloat::max(quotient, better));
    let luck = GpuFloat::min(one, two * quotient);
    GpuFloat::max(trusted, last * luck * luck * luck)
}

#[cfg(test)]
mod tests {
    use super::super::batch::{CONVERGED, OUT_OF_INTERVALS, OVERFLOW};
    use super::{Levels, MIN_LEVELS, SETTLED, STEP, Sums, estimate};

    /// The level at which an item ends, and how, whose levels' terms sum up to these,
    /// within a tolerance of 0.1.
    fn ends(sums: impl Fn(u32) -> f64, is_resolved: impl Fn(u32) -> bool) -> (u32, u32) {
        let (mut levels, mut step, mut level) = (Levels::NONE, STEP, 0);
        loop {
            let sum = sums(level);
            let sums = Sums {
                sum,
                size: sum.abs(),
                doubt: 0.0,
                is_resolved: is_resolved(level),
            };
            let error = levels.take(level, step, sums);
            if let Some(status) = levels.status(&error, 0.1, level, 8) {
                return (level, status);
            }
            (level, step) = (level + 1, step / 2.0);
        }
    }

    /// Terms of a level whose integral is 1, whatever the level.
    fn of_one(level: u32) -> f64 {
        f64::from(1 << level.max(1))
    }

    #[test]
    fn an_item_ends_where_levels_agree_and_neighbours_do() {
        assert_eq!(ends(of_one, |_| true), (MIN_LEVELS, CONVERGED));
        assert_eq!(ends(of_one, |level| level > 4), (5, CONVERGED));
        // The last level's estimate is all that there is.
        assert_eq!(ends(of_one, |_| false), (8, CONVERGED));
    }

    /// Integrals of 1, 1.01 and 1.02 in a row are within a tolerance of 0.1.
    #[test]
    fn a_loose_tolerance_is_not_met_by_chance() {
        let near = |level: u32| {
            let [whole, before] =
                [level, level.saturating_sub(1)].map(|k| 1.0 + 0.01 * f64::from(k));
            let halves = if level == 0 { 0.0 } else { before / 2.0 };
            (whole - halves) * f64::from(2 << level)
        };
        assert_eq!(ends(near, |_| true).0, 8);
    }

    #[test]
    fn zeros_are_looked_at_longer_and_what_never_agrees_ends_at_last() {
        assert_eq!(ends(|_| 0.0, |_| true), (SETTLED, CONVERGED));
        let erratic = |level| of_one(level) * f64::from(1 + level % 3);
        assert_eq!(ends(erratic, |_| true), (8, OUT_OF_INTERVALS));
        assert_eq!(ends(|_| f64::INFINITY, |_| true), (MIN_LEVELS, OVERFLOW));
    }

    /// Errors of 1e-2, 1e-4, 1e-8 and 1e-16.
    #[test]
    fn doubling_digits_are_trusted_for_a_part_of_them() {
        let error = estimate(1e-8, 1e-4, 1e-2);
        assert!((1e-16..=1e-9).contains(&error), "{error:e}");
    }

    /// A jump's errors are a part of the step at random; a change may happen to be nothing.
    #[test]
    fn a_change_that_happens_to_be_small_is_not_the_error() {
        assert!(estimate(1e-9, 2e-2, 4e-2) >= 1e-2);
        assert!(estimate(0.0, 1e-3, 4e-3) >= 1e-4);
    }

    #[test]
    fn slow_convergence_is_as_far_off_as_the_last_change() {
        assert!(estimate(1e-2, 2e-2, 4e-2) >= 1e-2);
    }

    #[test]
    fn what_never_changes_has_no_error() {
        assert_eq!(estimate(0.0, 0.0, 0.0), 0.0);
        assert_eq!(estimate(0.0, 0.0, 1.0), 0.0);
    }
}
