//! A combination of neighbouring elements, or of none: an operator need not have an identity.

use bytemuck::Pod;
use cuda_std::warp;

use super::lanes::unspecified;
use crate::operator::Operator;

/// What some neighbouring elements are combined to. Not an `Option`: in registers the value
/// stands beside its flag, and is there without being asked for.
#[derive(Clone, Copy)]
pub struct Partial<A> {
    /// The combination; unspecified where there is none.
    pub value: A,
    /// Whether there is one.
    pub exists: bool,
}

impl<A: Pod> Partial<A> {
    /// The combination of no elements.
    #[inline(always)]
    pub fn none() -> Self {
        Self {
            value: unspecified(),
            exists: false,
        }
    }

    /// The combination of some.
    #[inline(always)]
    pub fn some(value: A) -> Self {
        Self {
            value,
            exists: true,
        }
    }

    /// The combination of these elements and of those that follow, of which there are some.
    #[inline(always)]
    pub fn then<O: Operator<Accumulator = A>>(self, next: A) -> A {
        if self.exists {
            O::combine(self.value, next)
        } else {
            next
        }
    }

    /// The exclusive prefix of a lane, where this is that of its warp, and `exclusive` combines
    /// the items of the lanes below. A lane without items combines nothing.
    #[inline(always)]
    pub fn of_lane<O: Operator<Accumulator = A>>(
        self,
        exclusive: A,
        has_items: impl FnOnce() -> bool,
    ) -> Self {
        let lane = warp::lane_id();
        let mut value = exclusive;
        if self.exists {
            value = if lane == 0 {
                self.value
            } else if has_items() {
                O::combine(self.value, exclusive)
            } else {
                exclusive
            };
        }
        Self {
            value,
            exists: self.exists | (lane > 0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::Compose;
    use crate::operator::{Affine, Sum};

    #[test]
    fn what_follows_nothing_is_not_combined() {
        assert_eq!(Partial::none().then::<Sum<u32>>(7), 7);
        assert_eq!(Partial::some(2).then::<Sum<u32>>(7), 9);
    }

    #[test]
    fn operands_stay_in_their_order() {
        let (double, next) = (Affine { a: 2.0, b: 0.0 }, Affine { a: 1.0, b: 1.0 });
        assert_eq!(Partial::some(double).then::<Compose>(next).of(5.0), 11.0);
    }
}
