//! A node of a Fourier integral: what the function gives there, and what rounding makes of it.

use cuda_std::GpuFloat;

use super::super::integrand::{Integrand, Point};
use super::super::real::Real;
use super::super::sizes::LISTS;
use super::{Item, Side};

/// What a lane's node gives: of both sides of 0, the x of the one that is not finite.
pub(super) struct Term<R> {
    pub(super) x: R,
    pub(super) value: R,
    pub(super) term: R,
    /// Of both sides, although their terms may cancel.
    pub(super) magnitude: R,
}

impl<R: Real> Term<R> {
    /// That of no node.
    pub(super) const NONE: Self = Self {
        x: R::ZERO,
        value: R::ZERO,
        term: R::ZERO,
        magnitude: R::ZERO,
    };
}

impl<R: Real> Item<R> {
    /// The function at this distance from the limit, with a weight.
    #[inline(always)]
    pub(super) fn eval<I: Integrand<R>>(&self, distance: R, weight: R) -> Term<R> {
        let infinite = R::from_f64(f64::INFINITY);
        let (is_below, is_both) = (self.side == Side::Below, self.side == Side::Both);
        let x = self.limit + if is_below { -distance } else { distance };
        // Rounding moves an x that is close to the limit onto it.
        let x = match self.side {
            Side::Above if x <= self.limit => self.limit.above(),
            Side::Below if x >= self.limit => self.limit.below(),
            _ => x,
        };
        let mut point = Point {
            x,
            from_lower: if self.side == Side::Above {
                distance
            } else {
                infinite
            },
            to_upper: if is_below { distance } else { infinite },
        };
        let (mut at, mut value, mut size, mut time) = (x, R::ZERO, R::ZERO, 0);
        while time <= u32::from(is_both) {
            if time == 1 {
                point.x = -x;
            }
            let other = I::eval_at(point, &self.parameters);
            if value.is_number() && !other.is_number() {
                at = point.x;
            }
            // Of a sine the other side has the other sign.
            let is_odd = time == 1 && self.list < LISTS / 2;
            value = value + if is_odd { -other } else { other };
            size = size + GpuFloat::abs(other);
            time += 1;
        }
        Term {
            x: at,
            value,
            term: weight * value,
            magnitude: GpuFloat::abs(weight) * size,
        }
    }

    /// What rounding of x makes of a term, by how much the function differs from that at a neighbour so
    /// far away.
    #[inline(always)]
    pub(super) fn doubt_of(&self, of: &Term<R>, [angle, weight]: [R; 2], jump: R, apart: R) -> R {
        let resolution = R::EPSILON * GpuFloat::abs(of.x);
        if angle * self.length < R::from_f64(8.0) * resolution {
            // x does not tell such nodes from the limit, and what lies there may be all that there is.
            let is_sine = self.list < LISTS / 2;
            let wave = GpuFloat::min(angle, R::from_f64(1.0));
            let share = if is_sine { angle * wave } else { angle };
            R::from_f64(16.0) * jump * share
        } else if apart > R::ZERO && self.limit != R::ZERO {
            // The jump may be infinite, and is nothing where x is the distance itself.
            R::EPSILON * GpuFloat::abs(self.limit) * (jump / apart) * GpuFloat::abs(weight)
        } else {
            R::ZERO
        }
    }

    /// What terms behind the last one sum up to at most: those of both lists fall faster and faster, once
    /// they do and the wave is not to be seen any more.
    #[inline(always)]
    pub(super) fn rest(&self, last: R, before: R) -> R {
        let ratio = last / before;
        if last == R::ZERO {
            R::ZERO
        } else if ratio < R::from_f64(1.0) && self.length >= R::from_f64(64.0) * R::MIN_POSITIVE {
            last / (R::from_f64(1.0) - ratio)
        } else {
            R::from_f64(f64::INFINITY)
        }
    }
}

/// A doubt; one that is NaN, of infinite terms, is infinite.
#[inline(always)]
pub(super) fn or_infinite<R: Real>(doubt: R) -> R {
    if doubt >= R::ZERO {
        doubt
    } else {
        R::from_f64(f64::INFINITY)
    }
}

/// Sine and cosine of omega limit + phase, of which nothing is lost however large it is.
#[inline(always)]
pub(super) fn at_limit<R: Real>(omega: R, limit: R, phase: R) -> (R, R) {
    let product = omega * limit;
    let lost = omega.mul_add(limit, -product);
    let sum = product + phase;
    // What the sum loses: Knuth, The Art of Computer Programming, 4.2.2.
    let part = sum - product;
    let rest = lost + ((product - (sum - part)) + (phase - part));
    // Of an angle that is far from 0 it is no small one.
    let (sine, cosine) = sum.sin_cos();
    let (rest_sine, rest_cosine) = rest.sin_cos();
    (
        sine.mul_add(rest_cosine, cosine * rest_sine),
        cosine.mul_add(rest_cosine, -(sine * rest_sine)),
    )
}

#[cfg(test)]
mod tests {
    use super::at_limit;

    /// Expected: 50 digits of mpmath, of the product of these two doubles.
    #[test]
    fn a_wave_far_from_0_keeps_its_phase() {
        let (sine, cosine) = at_limit(1e6_f64 + 0.1, 12_345.678_9, 0.25);
        assert!((sine - 0.972_099_235_167_109_9).abs() < 4e-16, "{sine}");
        assert!(
            (cosine + 0.234_569_983_134_074_23).abs() < 4e-16,
            "{cosine}"
        );
        let (sine, cosine) = at_limit(1e12_f64 + 0.1, 12_345.678_9, 0.25);
        assert!((sine + 0.654_995_937_830_385_2).abs() < 4e-16, "{sine}");
        assert!((cosine + 0.755_632_398_343_066_1).abs() < 4e-16, "{cosine}");
        assert_eq!(at_limit(3.0_f64, 0.0, 0.0), (0.0, 1.0));
    }
}
