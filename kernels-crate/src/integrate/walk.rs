//! Where a lane's nodes are: a way along the axis in equal turns.
//!
//! A number in `f64` that becomes one in `f32` takes the unit that has the roots as long as a
//! root does. In `f32` a way therefore knows where it is as two numbers, of which the second is
//! what the first has lost.

#[cfg_attr(test, allow(unused_imports, reason = "a test has std's functions"))]
use cuda_std::GpuFloat;

use super::real::Real;

/// A way from one place on, turn by turn.
#[derive(Clone, Copy, Debug)]
pub struct Walk<R> {
    /// The way's begin, and how long a unit is.
    from: f64,
    unit: f64,
    /// Units behind the begin, and those of a turn.
    at: f64,
    turn: f64,
    /// The place and the turn in two numbers each, and half a turn.
    place: Two<R>,
    stride: Two<R>,
    half: R,
}

impl<R: Real> Walk<R> {
    /// A way whose first place is `at` units of length `unit` behind `from`; a turn is `turn`
    /// units.
    #[inline(always)]
    pub fn new(from: f64, unit: f64, at: f64, turn: f64) -> Self {
        Self {
            from,
            unit,
            at,
            turn,
            place: Two::of(GpuFloat::mul_add(at, unit, from)),
            stride: Two::of(turn * unit),
            half: R::from_f64(0.5 * turn * unit),
        }
    }

    /// This place, and the one half a turn ahead.
    #[inline(always)]
    pub fn places(&self) -> (R, R) {
        if R::CONVERTS {
            let Two { high, low } = self.place;
            return (high, high + (low + self.half));
        }
        let place = |at: f64| R::from_f64(at.mul_add(self.unit, self.from));
        (place(self.at), place(self.at + 0.5 * self.turn))
    }

    /// Goes on by a turn.
    #[inline(always)]
    pub fn go_on(&mut self) {
        if R::CONVERTS {
            self.place = self.place.and(self.stride);
        } else {
            self.at += self.turn;
        }
    }
}

/// A number in two parts: the nearest one, and what it lacks.
#[derive(Clone, Copy, Debug)]
struct Two<R> {
    high: R,
    low: R,
}

impl<R: Real> Two<R> {
    #[inline(always)]
    fn of(value: f64) -> Self {
        let high = R::from_f64(value);
        let low = R::from_f64(value - high.to_f64());
        Self { high, low }
    }

    /// The sum, but for some 2^-47 of the larger of the two in `f32`.
    ///
    /// Source: Dekker, A floating-point technique for extending the available precision, 1971;
    /// the first sum by Knuth, The Art of Computer Programming, volume 2, 4.2.2.
    #[inline(always)]
    fn and(self, other: Self) -> Self {
        let sum = self.high + other.high;
        let part = sum - self.high;
        let lost = (self.high - (sum - part)) + (other.high - part);
        let rest = self.low + (lost + other.low);
        let high = sum + rest;
        let low = rest - (high - sum);
        Self { high, low }
    }
}

#[cfg(test)]
mod tests {
    use super::{Real, Walk};

    /// The largest distance of a way's places from those that are meant, in epsilons of the
    /// largest.
    fn off<R: Real>(from: f64, unit: f64, turns: u32) -> f64 {
        let mut walk = Walk::<R>::new(from, unit, 0.5, 32.0);
        let mut largest = 0.0_f64;
        let mut off = 0.0_f64;
        for turn in 0..turns {
            let meant = |ahead: f64| (f64::from(turn) * 32.0 + 0.5 + ahead).mul_add(unit, from);
            let (first, second) = walk.places();
            for (place, meant) in [(first, meant(0.0)), (second, meant(16.0))] {
                off = off.max((place.to_f64() - meant).abs());
                largest = largest.max(meant.abs());
            }
            walk.go_on();
        }
        off / largest / R::EPSILON.to_f64()
    }

    #[test]
    fn a_long_way_ends_where_it_is_meant_to() {
        for (from, unit, turns) in [
            (0.0, 2f64.powi(-40), 1 << 16),
            (0.3, 2f64.powi(-34), 1 << 16),
            (-1.0, 1.0 / 3e7, 1 << 20),
            (-7e4, 0.1, 1 << 18),
            (1e-30, 1e-35, 1000),
        ] {
            let off_f32 = off::<f32>(from, unit, turns);
            assert!(off_f32 <= 1.0, "{from} by {unit}: {off_f32}");
            assert_eq!(off::<f64>(from, unit, turns), 0.0);
        }
    }
}
