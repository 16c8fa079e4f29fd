//! Levels of tanh-sinh rules: the table of their nodes, and what the error is once a level is
//! done. [`tanh_sinh`](super::tanh_sinh) goes through them; the host makes the table.

use cuda_std::GpuFloat;

use super::real::Real;

/// The first level that may be the last: three integrals tell something of their errors.
pub const MIN_LEVELS: u32 = 2;

/// The last level that there may be a table for.
pub const MAX_LEVELS: u32 = 10;

/// The level from which on what may be wrong with terms at the ends is taken for good.
pub(super) const SETTLED: u32 = 5;

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

/// The error of a level that changed the integral by `change`, the levels before it by
/// `last` and `before`.
///
/// Of a function that is analytic between the ends every level doubles the digits (Bailey,
/// Jeyabalan and Li, 2005, estimate the error by that). Here a level is trusted to be better
/// than the change that it brought by the worse one of the last two quotients, times eight;
/// and not trusted to have been luckier than the third power of the quotient before: a jump,
/// whose changes are erratic, is not taken for convergence.
#[inline(always)]
pub(super) fn estimate<R: Real>(change: R, last: R, before: R) -> R {
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
    use super::estimate;

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
