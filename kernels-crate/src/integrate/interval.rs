//! An interval of an adaptive rule: its integral, and what is known of its error.
//!
//! Source: Piessens, de Doncker-Kapenga, Überhuber and Kahaner, QUADPACK, 1983 (QK21's estimate
//! of the error).

use cuda_std::GpuFloat;

use super::real::Real;

/// The least part of the difference that is believed. QUADPACK's estimate falls faster than the
/// difference; what lies between an end and its next node, a corner or a steep part, does not.
const OF_DIFFERENCE: f64 = 1.0 / 8.0;

/// An interval.
#[derive(Clone, Copy)]
pub(super) struct Interval<R> {
    pub(super) left: R,
    pub(super) right: R,
    pub(super) value: R,
    pub(super) error: Error<R>,
}

/// An interval's error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Error<R> {
    /// 0 or more.
    magnitude: R,
    /// Halving the interval would not lessen it.
    is_rounding: bool,
    /// It is as large as it can be: the nodes do not resolve the function.
    is_blind: bool,
}

impl<R: Real> Error<R> {
    /// QUADPACK's estimate, of the difference of two rules, the integral of the function's
    /// distance from its mean, and what rounding makes of any rule.
    #[inline(always)]
    pub(super) fn of(difference: R, spread: R, rounding: R) -> Self {
        let one = R::from_f64(1.0);
        let (mut magnitude, mut is_blind) = (difference, false);
        if spread != R::ZERO && difference != R::ZERO {
            let ratio = R::from_f64(200.0) * difference / spread;
            let power = ratio * GpuFloat::sqrt(ratio);
            is_blind = power >= one;
            let of_spread = if is_blind { spread } else { spread * power };
            magnitude = of_spread.larger(R::from_f64(OF_DIFFERENCE) * difference);
        }
        let is_rounding = rounding > R::ZERO && magnitude <= rounding;
        Self {
            magnitude: if is_rounding { rounding } else { magnitude },
            is_rounding,
            is_blind: is_blind && !is_rounding,
        }
    }

    /// The error, 0 or more, as the store has it.
    #[inline(always)]
    pub(super) fn magnitude(&self) -> R {
        self.magnitude.with_last_bit(self.is_blind)
    }

    /// Whether the nodes do not resolve the function, or it is 0 at all of them: then its
    /// integral, `value`, is.
    #[inline(always)]
    pub(super) fn is_blind(&self, value: R) -> bool {
        is_blind(value, self.magnitude())
    }

    /// As one number: its sign and its last bit are what else is known of it.
    #[inline(always)]
    pub(super) fn packed(self) -> R {
        if self.is_rounding {
            -self.magnitude()
        } else {
            self.magnitude()
        }
    }
}

/// Whether an interval is blind, of its integral and of its error as one number.
#[inline(always)]
pub(super) fn is_blind<R: Real>(value: R, packed: R) -> bool {
    packed.last_bit() || value == R::ZERO && packed == R::ZERO
}

#[cfg(test)]
mod tests {
    use super::Error;
    use crate::integrate::real::Real;

    #[test]
    fn a_resolved_function_is_trusted_beyond_the_difference() {
        let of = Error::of(1e-8, 1.0, 1e-14);
        assert!(of.magnitude < 1e-8 && !of.is_rounding && !of.is_blind);
        assert!(of.packed() > 0.0 && !Real::last_bit(of.packed()));
    }

    #[test]
    fn an_eighth_of_the_difference_is_believed_whatever_the_estimate() {
        let of = Error::of(1e-10, 1.0, 1e-14);
        assert_eq!(of.magnitude, 1.25e-11);
        assert!(!of.is_rounding && !of.is_blind);
    }

    #[test]
    fn what_is_small_has_its_rounding_too() {
        let of = Error::of(0.0, 1e-300, 1e-314);
        assert!(of.is_rounding && of.magnitude == 1e-314);
    }

    #[test]
    fn an_estimate_as_large_as_the_function_itself_is_blind() {
        let of = Error::of(0.01, 1.0, 1e-14);
        assert!(of.is_blind && !of.is_rounding);
        assert_eq!(of.magnitude, 1.0);
        assert!(Real::last_bit(of.packed()));
    }

    /// A constant's difference and spread are both what rounding makes of them.
    #[test]
    fn what_is_less_than_rounding_is_rounding_and_sees() {
        let of = Error::of(1e-16, 1e-16, 1e-14);
        assert!(of.is_rounding && !of.is_blind);
        assert!(of.packed() < 0.0 && (of.packed() + 1e-14_f64).abs() < 1e-28);
    }

    #[test]
    fn nothing_has_no_error() {
        assert_eq!(Error::of(0.0, 0.0, 0.0).packed(), 0.0);
    }
}
