//! Affine maps, one after the other: an operator that is not commutative, on values of 16
//! bytes.
//!
//! Its scan solves the recurrence y(i) = a(i) y(i - 1) + b(i): result i is the map from
//! y(-1) to y(i). Source: Blelloch, Prefix sums and their applications, 1990, section 1.4.

use bytemuck::{Pod, Zeroable};

use super::operators;

/// The map y -> a y + b.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Affine {
    /// The factor.
    pub a: f64,
    /// What is added.
    pub b: f64,
}

// SAFETY: zeros are a value of both fields.
unsafe impl Zeroable for Affine {}
// SAFETY: two numbers of one size: nothing lies between them, nor behind them.
unsafe impl Pod for Affine {}

impl Affine {
    /// What it makes of `y`.
    #[inline(always)]
    pub fn of(self, y: f64) -> f64 {
        self.a * y + self.b
    }
}

/// The composition of affine maps: the first is applied first. The neutral element is y -> y;
/// composed with it, finite maps are what they were, the sign of a zero `b` aside.
#[derive(Clone, Copy, Debug)]
pub struct Compose;

operators! {
    Compose: Affine => Affine => Affine,
        |map| map,
        |first, second| Affine { a: second.a * first.a, b: second.of(first.b) },
        |map| map,
        Affine { a: 1.0, b: -0.0 };
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::{Identity, Operator};

    #[test]
    fn a_composition_applies_the_first_map_first() {
        let (double, next) = (Affine { a: 2.0, b: 0.0 }, Affine { a: 1.0, b: 1.0 });
        assert_eq!(Compose::combine(double, next).of(5.0), 11.0);
        assert_eq!(Compose::combine(next, double).of(5.0), 12.0);
    }

    #[test]
    fn the_identity_changes_no_map() {
        for map in [Affine { a: -0.5, b: -0.0 }, Affine { a: 3.0, b: 0.25 }] {
            assert_eq!(Compose::combine(Compose::IDENTITY, map), map);
            assert_eq!(Compose::combine(map, Compose::IDENTITY), map);
        }
    }
}
