//! Finite and infinite ranges of integration, as one: a variable that runs through a finite
//! interval, and what it means.
//!
//! | range | variable | x |
//! | --- | --- | --- |
//! | a..b | a..b | itself |
//! | a..inf | 0..1 | a + (1 - t) / t |
//! | -inf..b | 0..1 | b - (1 - t) / t |
//! | -inf..inf | 0..1 | (1 - t) / t and its negative |
//!
//! Source: Piessens, de Doncker-Kapenga, Überhuber and Kahaner, QUADPACK, 1983 (QAGI).

use cuda_std::GpuFloat;

use super::integrand::{Integrand, Parameters, Point};
use super::real::Real;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Finite,
    Above,
    Below,
    Whole,
}

/// A range of integration, from a lower limit to a higher one.
#[derive(Clone, Copy, Debug)]
pub struct Range<R> {
    /// Whether it is [`Kind::Finite`]: most ranges are, and pass by what the others need.
    is_finite: bool,
    kind: Kind,
    from: R,
    to: R,
}

/// A place in the variable's interval, and how far it is from its ends without cancellation.
#[derive(Clone, Copy, Debug)]
pub struct Place<R> {
    /// Where.
    pub t: R,
    /// How far from the lower end,
    pub from_lower: R,
    /// and from the upper one.
    pub to_upper: R,
}

impl<R: Real> Range<R> {
    /// No range.
    pub const NONE: Self = Self {
        is_finite: true,
        kind: Kind::Finite,
        from: R::ZERO,
        to: R::ZERO,
    };

    /// The range `from..to`; `from` is less than `to`.
    #[inline(always)]
    pub fn new(from: R, to: R) -> Self {
        let kind = match (from.is_number(), to.is_number()) {
            (true, true) => Kind::Finite,
            (true, false) => Kind::Above,
            (false, true) => Kind::Below,
            (false, false) => Kind::Whole,
        };
        Self {
            is_finite: kind == Kind::Finite,
            kind,
            from,
            to,
        }
    }

    /// The variable's interval.
    #[inline(always)]
    pub fn interval(&self) -> (R, R) {
        if self.is_finite {
            (self.from, self.to)
        } else {
            (R::ZERO, R::from_f64(1.0))
        }
    }

    /// How often the function is evaluated at a place.
    #[inline(always)]
    pub fn evaluations(&self) -> u32 {
        1 + u32::from(self.kind == Kind::Whole)
    }

    /// Where `x` is in the variable's interval; not inside where it is not in the range.
    #[inline(always)]
    pub fn place_of(&self, x: R) -> R {
        let one = R::from_f64(1.0);
        let distance = match self.kind {
            Kind::Finite => return x,
            Kind::Above => x - self.from,
            Kind::Below => self.to - x,
            Kind::Whole => GpuFloat::abs(x),
        };
        one / (one + distance)
    }

    /// The x of a place, the first or, where there are two, the second.
    #[inline(always)]
    pub fn point(&self, place: Place<R>, is_second: bool) -> Point<R> {
        if self.is_finite {
            return Point {
                x: place.t,
                from_lower: place.from_lower,
                to_upper: place.to_upper,
            };
        }
        let infinite = R::from_f64(f64::INFINITY);
        // From the limit, or from 0.
        let distance = place.to_upper / place.t;
        // Rounding moves an x that is close to the limit onto it.
        let (x, from_lower, to_upper) = match self.kind {
            Kind::Above => {
                let x = self.from + distance;
                let x = if x <= self.from { x.above() } else { x };
                (x, distance, infinite)
            }
            Kind::Below => {
                let x = self.to - distance;
                let x = if x >= self.to { x.below() } else { x };
                (x, infinite, distance)
            }
            _ => {
                let x = if is_second { -distance } else { distance };
                (x, infinite, infinite)
            }
        };
        Point {
            x,
            from_lower,
            to_upper,
        }
    }

    /// By how much rounding moves x, in the variable: at `t`, which is `to_upper` away from the
    /// upper end.
    #[inline(always)]
    pub fn blur(&self, t: R, to_upper: R) -> R {
        let t = GpuFloat::abs(t);
        if self.is_finite {
            return R::EPSILON * t;
        }
        // Of x = limit + (1 - t) / t, times dt / dx; the distance itself is exact.
        let limit = match self.kind {
            Kind::Above => GpuFloat::abs(self.from),
            Kind::Below => GpuFloat::abs(self.to),
            _ => R::ZERO,
        };
        R::EPSILON * (t * (limit * t + to_upper))
    }

    /// The integrand of the variable there: the function, times dx / dt.
    #[inline(always)]
    pub fn eval<I: Integrand<R>>(
        &self,
        place: Place<R>,
        point: Point<R>,
        parameters: &Parameters<R>,
    ) -> R {
        let value = I::eval_at(point, parameters);
        if self.is_finite {
            value
        } else {
            // One after the other: 1 / t^2 may be more than a number can be.
            value / place.t / place.t
        }
    }
}
