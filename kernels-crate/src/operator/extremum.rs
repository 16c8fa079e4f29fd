//! The smallest and the largest element.
//!
//! Of floats these are IEEE 754-2019's `minimum` and `maximum` (section 9.6), which are
//! associative to the bit: a NaN anywhere makes the result a NaN, the one whose bits are
//! all set but the sign, and -0 is less than +0. A result of one element alone is that
//! element, with the bits of its NaN.

use core::marker::PhantomData;
use cuda_std::float::Extremes;
#[cfg(feature = "half")]
use cuda_std::{bf16, f16};

use super::operators;

/// The smallest of `T`s.
#[derive(Clone, Copy, Debug)]
pub struct Min<T>(PhantomData<T>);

/// The largest of `T`s.
#[derive(Clone, Copy, Debug)]
pub struct Max<T>(PhantomData<T>);

macro_rules! integers {
    ($($type:ty)*) => {
        operators! {$(
            Min<$type>: $type => $type => $type, |x| x, Ord::min, |x| x, <$type>::MAX;
            Max<$type>: $type => $type => $type, |x| x, Ord::max, |x| x, <$type>::MIN;
        )*}
    };
}

integers! { u8 u16 u32 u64 i8 i16 i32 i64 }

macro_rules! floats {
    ($($type:ty)*) => {
        operators! {$(
            Min<$type>: $type => $type => $type,
                |x| x, Extremes::least, |x| x, <$type>::INFINITY;
            Max<$type>: $type => $type => $type,
                |x| x, Extremes::greatest, |x| x, <$type>::NEG_INFINITY;
        )*}
    };
}

floats! { f32 f64 }
#[cfg(feature = "half")]
floats! { f16 bf16 }

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::{Identity, Operator};

    /// Zeros, infinities and NaNs of both signs, and numbers.
    const VALUES: [f32; 9] = [
        -0.0,
        0.0,
        1.5,
        -2.0,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::NAN,
        f32::from_bits(0xffc0_0001),
        1e-45,
    ];

    #[test]
    fn extremes_of_floats_are_associative_and_commutative_to_the_bit() {
        fn check<O: Operator<Accumulator = f32>>() {
            let of = |a, b| O::combine(a, b);
            for a in VALUES {
                for b in VALUES {
                    assert_eq!(of(a, b).to_bits(), of(b, a).to_bits(), "{a} {b}");
                    for c in VALUES {
                        let (left, right) = (of(of(a, b), c), of(a, of(b, c)));
                        assert_eq!(left.to_bits(), right.to_bits(), "{a} {b} {c}");
                    }
                }
            }
        }
        check::<Min<f32>>();
        check::<Max<f32>>();
    }

    #[test]
    fn infinities_are_the_neutral_elements() {
        for x in VALUES.into_iter().filter(|x| !x.is_nan()) {
            let (low, high) = (Max::<f32>::IDENTITY, Min::<f32>::IDENTITY);
            assert_eq!(Max::<f32>::combine(low, x).to_bits(), x.to_bits());
            assert_eq!(Min::<f32>::combine(x, high).to_bits(), x.to_bits());
        }
    }
}
