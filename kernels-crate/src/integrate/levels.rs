//! Levels of double exponential rules: the table of their nodes, and what the error is once a level is
//! done. [`tanh_sinh`](super::tanh_sinh) and [`fourier`](super::fourier) go through them; the host makes
//! the table.

use cuda_std::GpuFloat;

use super::outcome::{CONVERGED, OUT_OF_INTERVALS, OVERFLOW, ROUNDOFF};
use super::real::Real;
use super::sizes::{MIN_LEVELS, ROUNDING_OF_LEVELS};

/// How much the terms of neighbours may differ at most, in units of the largest term: by less
/// where there are four of a level's own nodes in a period. With fewer, levels may agree by
/// chance.
pub(super) const RESOLVED: f64 = 1.5;

/// What further levels may better, in units of the integral of the magnitude, whatever the
/// tolerance: three levels that agree to two digits may do so by chance, and where they agree
/// for a reason the next one has these digits.
const BELIEVED: f64 = 1e-5;

/// A level's error, in units of the change that it brought: more than 1, since what it has left
/// may go either way, and little, since levels double the digits.
const CHANGES: f64 = 4.0;

/// The level from which on what may be wrong with terms at the ends is taken for good.
const SETTLED: u32 = 5;

/// Nodes, level by level, from the center outwards.
#[derive(Debug)]
pub struct Table<R> {
    /// Delta and weight of a node each: the weight is dx / dt over half the interval's
    /// length, and a half of it at the center, which both ends have. Of Fourier integrals |omega| times the
    /// distance, and what multiplies the function.
    pub nodes: *const R,
    /// Where a level begins, or each of its [`LISTS`](super::sizes::LISTS), and behind the last one the
    /// number of nodes.
    pub begins: *const u32,
    /// The last level, [`MIN_LEVELS`] to [`MAX_LEVELS`](super::sizes::MAX_LEVELS).
    pub last: u32,
}

/// What a lane has of a level.
pub(super) struct Own<R> {
    /// Terms times the step, of the interval at hand.
    pub(super) terms: R,
    /// Their magnitudes, of all intervals.
    pub(super) size: R,
    /// What may be wrong with terms.
    pub(super) doubt: R,
    /// The largest term, and the largest difference of neighbours: the upper bits.
    pub(super) peak: u32,
    pub(super) jump: u32,
}

impl<R: Real> Own<R> {
    /// Nothing.
    pub(super) const NONE: Self = Self {
        terms: R::ZERO,
        size: R::ZERO,
        doubt: R::ZERO,
        peak: 0,
        jump: 0,
    };

    /// Takes a term, of a level with this step. A sum of terms may be more than a number can
    /// be where the integral is not.
    #[inline(always)]
    pub(super) fn take(&mut self, step: R, term: R) {
        let magnitude = GpuFloat::abs(term);
        self.terms = step.mul_add(term, self.terms);
        self.size = step.mul_add(magnitude, self.size);
        self.peak = self.peak.max(magnitude.upper_of_magnitude());
    }

    /// Takes a node's difference from the one before: of the terms, and what is in doubt.
    #[inline(always)]
    pub(super) fn take_jump(&mut self, of_terms: R, doubt: R) {
        self.jump = self.jump.max(of_terms.upper_of_magnitude());
        self.doubt = self.doubt + doubt;
    }
}

/// What a level gave, its own nodes alone; its terms times its step.
pub(super) struct Sums<R> {
    /// The sum of the terms,
    pub(super) sum: R,
    /// of their magnitudes,
    pub(super) size: R,
    /// and of the terms with alternating signs, from one end of an interval to the other: its
    /// magnitude, of all intervals.
    pub(super) alternating: R,
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
    /// How much the last level changed the integral.
    change: R,
    /// What nodes as far apart as those of the level before do not resolve, in either phase.
    amplitude: R,
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
        change: R::ZERO,
        amplitude: R::ZERO,
    };

    /// The integral.
    #[inline(always)]
    pub(super) fn value(&self) -> R {
        self.value
    }

    /// Takes the sums of the next level, which is half of what it adds to those before.
    #[inline(always)]
    pub(super) fn take(&mut self, level: u32, of: Sums<R>) -> Error<R> {
        let half = R::from_f64(0.5);
        let sum = half.mul_add(self.value, of.sum);
        let size = half.mul_add(self.size, of.size);
        self.take_whole(level, Sums { sum, size, ..of })
    }

    /// Takes the sums of a level that shares no nodes with others: what it has left is at least what the
    /// two changes before its own have in geometric progression.
    #[inline(always)]
    pub(super) fn take_alone(&mut self, level: u32, of: Sums<R>) -> Error<R> {
        let (before, earlier, doubt) = (self.change, self.amplitude, of.doubt);
        let error = self.take_whole(level, of);
        let is_falling = before < earlier;
        let quotient = if is_falling {
            before / earlier
        } else {
            R::from_f64(1.0)
        };
        let difference = GpuFloat::max(error.difference, before * quotient);
        Error {
            total: GpuFloat::max(error.total, difference + doubt),
            difference,
            ..error
        }
    }

    /// Takes the sums of a level that is a rule by itself.
    #[inline(always)]
    fn take_whole(&mut self, level: u32, of: Sums<R>) -> Error<R> {
        let (value, size) = (of.sum, of.size);
        let (change, amplitude, difference);
        if level == 0 {
            // Nodes of both phases are known from the next level on.
            (change, amplitude, difference) = (of.alternating, size, size);
        } else {
            change = GpuFloat::abs(value - self.value);
            // The level's own nodes are as far apart as those of all levels before.
            amplitude = R::from_f64(2.0).mul_add(of.alternating, self.change);
            difference = estimate(change, amplitude, self.amplitude);
        }
        (self.value, self.size) = (value, size);
        (self.change, self.amplitude) = (change, amplitude);
        // Sums of numbers that are less than normal ones have fewer digits.
        let least = if size > R::ZERO {
            R::MIN_POSITIVE
        } else {
            R::ZERO
        };
        let rounding = R::from_f64(ROUNDING_OF_LEVELS) * R::EPSILON * GpuFloat::max(size, least);
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
        if !self.value.is_number() {
            Some(OVERFLOW)
        } else if !is_last && (level < fewest || !error.is_resolved) {
            None
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

/// The error of a level that changed the integral by `change`, where nodes twice as far apart
/// do not resolve `amplitude` of it, and such as are four times as far apart `before`.
///
/// Of a function that is analytic between the ends every level doubles the digits (Bailey,
/// Jeyabalan and Li, 2005, estimate the error by that); but a small part of it, as of a
/// singularity just outside of the range, may converge much slower, and shows when the others
/// are gone. So a level's error is taken for [`CHANGES`] times the change that it brought; and
/// since that may be small by chance, being one phase of what the level before did not resolve,
/// a level is not trusted to have gained more than three times the digits by which the amplitude
/// fell before, which has both phases.
#[inline(always)]
fn estimate<R: Real>(change: R, amplitude: R, before: R) -> R {
    let (one, two) = (R::from_f64(1.0), R::from_f64(2.0));
    // Where nothing was unresolved, it is the rounding that changes things.
    let quotient = if before > R::ZERO {
        amplitude / before
    } else {
        one
    };
    let luck = GpuFloat::min(one, two * quotient);
    let changed = R::from_f64(CHANGES) * change;
    GpuFloat::max(changed, amplitude * luck * luck * luck)
}

#[cfg(test)]
mod tests {
    use super::super::outcome::{CONVERGED, OUT_OF_INTERVALS, OVERFLOW};
    use super::super::sizes::{MIN_LEVELS, STEP};
    use super::{Levels, SETTLED, Sums, estimate};

    /// The level at which an item ends, and how, whose levels' terms sum up to these,
    /// within a tolerance of 0.1.
    fn ends(sums: impl Fn(u32) -> f64, is_resolved: impl Fn(u32) -> bool) -> (u32, u32) {
        let (mut levels, mut level) = (Levels::NONE, 0);
        loop {
            let sum = sums(level) * STEP * 0.5_f64.powi(level as i32);
            let sums = Sums {
                sum,
                size: sum.abs(),
                alternating: 0.0,
                doubt: 0.0,
                is_resolved: is_resolved(level),
            };
            let error = levels.take(level, sums);
            if let Some(status) = levels.status(&error, 0.1, level, 8) {
                return (level, status);
            }
            level += 1;
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
        assert_eq!(ends(|_| f64::INFINITY, |_| true), (0, OVERFLOW));
    }

    #[test]
    fn the_change_is_the_error_where_levels_converge() {
        // Of 10^-2, 10^-4 and 10^-8, and slowly.
        assert_eq!(estimate(1e-8, 1e-4, 1e-2), 4e-8);
        assert_eq!(estimate(1e-2, 2e-2, 4e-2), 4e-2);
    }

    /// A jump's errors are a part of the step at random; a change may happen to be nothing.
    #[test]
    fn a_change_that_happens_to_be_small_is_not_the_error() {
        assert!(estimate(1e-9, 2e-2, 4e-2) >= 1e-2);
        assert!(estimate(0.0, 1e-3, 4e-3) >= 1e-4);
    }

    /// Three levels of a wave of which the second one has as many nodes as periods: in one
    /// phase there is nothing, and the other one tells.
    #[test]
    fn either_phase_of_what_is_not_resolved_counts() {
        let of = |sum: f64, alternating| Sums {
            sum,
            size: 0.5,
            alternating,
            doubt: 0.0,
            is_resolved: true,
        };
        let mut levels = Levels::NONE;
        levels.take(0, of(1.0, 0.1));
        levels.take(1, of(0.5, 0.2));
        let error = levels.take(2, of(0.5, 0.1));
        assert_eq!(levels.value(), 1.0);
        assert!(error.total >= 0.01, "{}", error.total);
    }

    /// Changes of 10^-2 and 10^-4, and then of nothing.
    #[test]
    fn of_a_level_alone_the_changes_before_count() {
        let of = |sum: f64, alternating| Sums {
            sum,
            size: 1.0,
            alternating,
            doubt: 0.0,
            is_resolved: true,
        };
        let mut levels = Levels::NONE;
        levels.take_alone(0, of(1.0, 1.0));
        assert!(levels.take_alone(1, of(1.01, 0.0)).total >= 1.0);
        assert!(levels.take_alone(2, of(1.0101, 0.0)).total > 3.9e-4);
        let error = levels.take_alone(3, of(1.0101, 0.0)).total;
        assert!((1e-6 - error).abs() < 1e-8, "{error}");
    }

    #[test]
    fn what_never_changes_has_no_error() {
        assert_eq!(estimate(0.0, 0.0, 0.0), 0.0);
        assert_eq!(estimate(0.0, 0.0, 1.0), 0.0);
    }

    /// Half of the numbers next to 0 are off by as much as half of the least one.
    #[test]
    fn sums_of_the_least_numbers_are_rounded() {
        let least = f64::from_bits(1);
        let of = |sum, alternating| Sums {
            sum,
            size: sum,
            alternating,
            doubt: 0.0,
            is_resolved: true,
        };
        let error = |sum| {
            let mut levels = Levels::NONE;
            levels.take(0, of(sum, 0.0)).total
        };
        assert!(error(least) >= 16.0 * least);
        assert_eq!(error(0.0), 0.0);
    }
}
