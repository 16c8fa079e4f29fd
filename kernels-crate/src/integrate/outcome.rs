//! What comes of an item of a batch.

use bytemuck::{Pod, Zeroable};

use super::real::Real;

/// The error is within the tolerance.
pub const CONVERGED: u32 = 0;
/// There are as many intervals as allowed, or the last level was reached.
pub const OUT_OF_INTERVALS: u32 = 1;
/// The function is not finite, at [`Outcome::at`].
pub const NOT_FINITE: u32 = 2;
/// The tolerance is less than the precision can give. So ends an integral that diverges, too: its
/// value grows from rule to rule. And one of an integrand that is singular at a limit and has no
/// `at:` (see [`integrands!`](crate::integrands)): `x` alone cannot tell the limit's neighbours apart.
pub const ROUNDOFF: u32 = 3;
/// A limit is NaN; of Fourier integrals, no limit is infinite, or omega and the phase make no wave.
pub const NO_LIMITS: u32 = 4;
/// Sums of finite values are more than a number can be.
pub const OVERFLOW: u32 = 5;

/// What came of an item.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C)]
pub struct Outcome<R> {
    /// The integral; NaN where the function is not finite, where sums overflow, where a limit
    /// is NaN, and where breaks are more than intervals.
    pub value: R,
    /// What its error is at most, as far as the rule can tell; infinite where there is no
    /// value.
    pub error: R,
    /// Where the function is not finite; else 0.
    pub at: R,
    /// Evaluations of the function.
    pub evaluations: u32,
    /// [`CONVERGED`] or why not.
    pub status: u32,
    /// Nothing; so that there are no bytes between the fields and behind them.
    pub padding: [u32; 2],
}

// SAFETY: zeros are a value of every field.
unsafe impl<R: Real> Zeroable for Outcome<R> {}
// SAFETY: three numbers of 4 or 8 bytes and four of 4 bytes: nothing lies between them, nor
// behind them, where 28 and 40 are multiples of 4 and 8.
unsafe impl<R: Real> Pod for Outcome<R> {}
