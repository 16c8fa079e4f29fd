//! What is integrated: functions of one real variable, with parameters.
//!
//! An [`Integrand`] is code that is compiled into the kernels of every rule; on the host the
//! same code gives the same bits. A kernel author adds one with
//! [`integrands!`](crate::integrands), in [`catalogue`](super::catalogue) or in a crate of
//! their own.

use cuda_std::float::Addend;

use super::real::Real;

/// The most parameters of an integrand.
pub const MAX_PARAMETERS: usize = 8;

/// An integrand's parameters; those that it does not have are 0.
pub type Parameters<R> = [R; MAX_PARAMETERS];

/// A place between the limits of an integral.
///
/// Close to a limit, `x` has lost the distance to it; a function that is singular there can
/// be computed from the distance.
#[derive(Clone, Copy, Debug)]
pub struct Point<R> {
    /// Where.
    pub x: R,
    /// The distance from the lower limit, `x - a`, without cancellation; infinite where the
    /// limit is.
    pub from_lower: R,
    /// The distance to the upper limit, `b - x`, in the same way.
    pub to_upper: R,
}

impl<R: Real> Point<R> {
    /// A place between two limits, with distances that are differences.
    #[inline(always)]
    pub fn between(x: R, (from, to): (R, R)) -> Self {
        Self {
            x,
            from_lower: x - from,
            to_upper: to - x,
        }
    }
}

/// A function of one real variable, in `R`, which is `f32` or `f64`.
pub trait Integrand<R: Real>: 'static {
    /// How many parameters it has, at most [`MAX_PARAMETERS`].
    const PARAMETERS: usize;

    /// Points between the limits where the function or a derivative of it jumps, or where it
    /// peaks so narrowly that a rule may not see it.
    const BREAKS: usize = 0;

    /// Whether the function is but a few instructions: then rules of equal strips compute
    /// many nodes in one piece of straight code.
    const IS_SHORT: bool = false;

    /// Whether [`eval_at`](Integrand::eval_at) computes from the distances where the function
    /// is steep next to a limit; where not, `x` tells the limit's neighbours apart at best.
    const USES_DISTANCES: bool = false;

    /// The limits that the function is known for; infinite ones are allowed.
    const LIMITS: (R, R);

    /// The function at `x`, which lies between the limits and is none of them.
    ///
    /// A number, or one that is not multiplied out: [`Addend`].
    fn eval(x: R, parameters: &Parameters<R>) -> impl Addend<R>;

    /// The function at a point whose distances from the limits are known; one of them is 0
    /// where a rule looks at a limit itself.
    #[inline(always)]
    fn eval_at(point: Point<R>, parameters: &Parameters<R>) -> R {
        Self::eval(point.x, parameters).value()
    }

    /// [`PARAMETERS`](Integrand::PARAMETERS), as a kernel asks.
    #[inline(always)]
    fn parameters() -> usize {
        Self::PARAMETERS
    }

    /// [`IS_SHORT`](Integrand::IS_SHORT), as a kernel asks.
    #[inline(always)]
    fn is_short() -> bool {
        Self::IS_SHORT
    }

    /// [`USES_DISTANCES`](Integrand::USES_DISTANCES), as a kernel asks.
    #[inline(always)]
    fn uses_distances() -> bool {
        Self::USES_DISTANCES
    }

    /// A sum with the function added to it, over [`scale`](Integrand::scale); the distances are
    /// differences here.
    #[inline(always)]
    fn add(at: Point<R>, parameters: &Parameters<R>, sum: R) -> R {
        Self::eval(at.x, parameters).add_to(sum)
    }

    /// The same at two places of a row, each to its own sum.
    #[inline(always)]
    fn add_both(at: [Point<R>; 2], parameters: &Parameters<R>, sums: (R, R)) -> (R, R) {
        let [one, other] = at.map(|at| Self::eval(at.x, parameters));
        Addend::add_both((one, other), sums)
    }

    /// What sums of the function's terms are multiplied by.
    #[inline(always)]
    fn scale() -> R {
        fn of<R: Real, A: Addend<R>>(_: impl FnOnce() -> A) -> R {
            A::SCALE
        }
        let parameters = [R::ZERO; MAX_PARAMETERS];
        of(|| Self::eval(R::ZERO, &parameters))
    }

    /// The break of this index, below [`BREAKS`](Integrand::BREAKS); one that is not between
    /// an integral's limits is none of it.
    #[inline(always)]
    fn break_point(_index: usize, _parameters: &Parameters<R>) -> R {
        R::ZERO
    }
}
