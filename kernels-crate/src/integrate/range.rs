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
        Self { kind, from, to }
    }

    /// The variable's interval.
    #[inline(always)]
    pub fn interval(&self) -> (R, R) {
        match self.kind {
            Kind::Finite => (self.from, self.to),
            _ => (R::ZERO, R::from_f64(1.0)),
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
        // Most ranges are, and divisions are long.
        if self.kind == Kind::Finite {
            return Point {
                x: place.t,
                from_lower: place.from_lower,
                to_upper: place.to_upper,
            };
        }
        let infinite = R::from_f64(f64::INFINITY);
        // From the limit, or from 0.
        let distance = place.to_upper / place.t;
        let (x, from_lower, to_upper) = match self.kind {
            // Rounding moves an x that is close to the limit onto it.
            Kind::Above => {
                let x = GpuFloat::max(self.from + distance, self.from.above());
                (x, distance, infinite)
            }
            Kind::Below => {
                let x = GpuFloat::min(self.to - distance, self.to.below());
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
        let moved = match self.kind {
            Kind::Finite => t,
            // Of x = limit + (1 - t) / t, times dt / dx; the distance itself is exact.
            Kind::Above => t * (GpuFloat::abs(self.from) * t + to_upper),
            Kind::Below => t * (GpuFloat::abs(self.to) * t + to_upper),
            Kind::Whole => t * to_upper,
        };
        R::EPSILON * moved
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
        match self.kind {
            Kind::Finite => value,
            // One after the other: 1 / t^2 may be more than a number can be.
            _ => value / place.t / place.t,
        }
    }
}
