//! Comparisons with numbers, which ready predicates are.
//!
//! A comparison with a number is a range of keys: bits of a number that are ordered as the numbers
//! are. So one kernel compares all types of one width, in either direction, and the launch says
//! which.

use bytemuck::{Pod, Zeroable};
use core::marker::PhantomData;
use core::ops::Not;
#[cfg(feature = "half")]
use cuda_std::{bf16, f16};

use super::predicate::Predicate;

/// The bits of a number.
pub trait Bits: Pod {
    /// As the low bits of more.
    fn wide(self) -> u64;
    /// The low bits of more.
    fn narrow(bits: u64) -> Self;
    /// Whether these are of one of the `span` + 1 keys from `low` on.
    fn is_within<T: Comparable<Bits = Self>>(self, condition: &Condition<T>) -> bool;
    /// Whether the numbers of these bits are equal.
    fn is_equal<T: Comparable<Bits = Self>>(self, other: Self, condition: &Condition<T>) -> bool;
}

macro_rules! bits {
    ($($bits:ty, $signed:ty;)*) => {$(
        impl Bits for $bits {
            fn wide(self) -> u64 {
                self.into()
            }

            fn narrow(bits: u64) -> Self {
                bits as Self
            }

            #[inline(always)]
            fn is_within<T: Comparable<Bits = Self>>(self, condition: &Condition<T>) -> bool {
                // All bits of a negative number's sign.
                let sign = (self as $signed >> (Self::BITS - 1)) as Self;
                (self ^ sign & condition.folded).wrapping_sub(condition.low) <= condition.span
            }

            #[inline(always)]
            fn is_equal<T: Comparable<Bits = Self>>(self, other: Self, condition: &Condition<T>) -> bool {
                let is_float = condition.folded != 0;
                let magnitude = if is_float { Self::MAX >> 1 } else { Self::MAX };
                let is_number = self & magnitude <= condition.greatest;
                (self == other) & is_number | ((self | other) & magnitude == 0)
            }
        }
    )*};
}

bits! {
    u8, i8;
    u16, i16;
    u32, i32;
    u64, i64;
}

/// A number that can be compared with others.
pub trait Comparable: Pod {
    /// Its bits.
    type Bits: Bits;
    /// The highest bit, by which keys of signed numbers differ from their bits.
    const SIGN: u64;
    /// What makes a key of a negative number's bits, by exclusive or, besides: all others, of floats.
    const FOLDED: u64;
    /// The keys of the least and the greatest finite number.
    const FINITE: [u64; 2];
    /// The keys of the least and the greatest number.
    const ALL: [u64; 2];
    /// The bits of the greatest number, without the sign of floats.
    const GREATEST: u64;

    /// The number's bits.
    fn bits(self) -> Self::Bits;

    /// The least and the greatest key of what is equal to the number: nothing is to a NaN.
    fn keys(self) -> Option<[u64; 2]>;
}

/// Which numbers are selected: those of a range, or all others.
///
/// ```
/// use quadscan_kernels::select::{Compare, Condition, Predicate};
///
/// let selects = |x: f32, condition| Compare::<f32>::selects(x, condition);
/// assert!(selects(-0.5, Condition::less(0.0)) && !selects(-0.0, Condition::less(0.0)));
/// assert!(selects(f32::NAN, Condition::is_nan()) && !selects(f32::NAN, Condition::less(1.0)));
/// assert!(selects(2.0, !Condition::equal(1.0)) && selects(2.0, Condition::between(1.0, 2.0)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Condition<T: Comparable> {
    low: T::Bits,
    span: T::Bits,
    folded: T::Bits,
    greatest: T::Bits,
    is_outside: T::Bits,
}

// SAFETY: bits alone, without padding.
unsafe impl<T: Comparable> Zeroable for Condition<T> {}
// SAFETY: as above.
unsafe impl<T: Comparable> Pod for Condition<T> {}

impl<T: Comparable> Condition<T> {
    /// Numbers whose keys are from `low` to `high`; none where `high` is less.
    fn range([low, high]: [u64; 2]) -> Self {
        let is_empty = low > high;
        // All keys, and of these the others.
        let [low, high] = if is_empty { [0, u64::MAX] } else { [low, high] };
        Self {
            // To turn the sign's bit is to add it.
            low: T::Bits::narrow(low.wrapping_sub(T::SIGN)),
            span: T::Bits::narrow(high.wrapping_sub(low)),
            folded: T::Bits::narrow(T::FOLDED),
            greatest: T::Bits::narrow(T::GREATEST),
            is_outside: T::Bits::narrow(is_empty.into()),
        }
    }

    /// Numbers of which a limit is such a key of `number`; none where it is NaN.
    fn beside(number: T, limits: impl Fn([u64; 2]) -> Option<[u64; 2]>) -> Self {
        let limits = number.keys().and_then(limits);
        Self::range(limits.unwrap_or([1, 0]))
    }

    /// Numbers less than `number`.
    pub fn less(number: T) -> Self {
        Self::beside(number, |[low, _]| Some([T::ALL[0], low.checked_sub(1)?]))
    }

    /// Numbers less than `number`, or equal to it.
    pub fn at_most(number: T) -> Self {
        Self::beside(number, |[_, high]| Some([T::ALL[0], high]))
    }

    /// Numbers greater than `number`.
    pub fn greater(number: T) -> Self {
        Self::beside(number, |[_, high]| Some([high.checked_add(1)?, T::ALL[1]]))
    }

    /// Numbers greater than `number`, or equal to it.
    pub fn at_least(number: T) -> Self {
        Self::beside(number, |[low, _]| Some([low, T::ALL[1]]))
    }

    /// Numbers equal to `number`.
    pub fn equal(number: T) -> Self {
        Self::beside(number, Some)
    }

    /// Numbers from `least` to `greatest`, both included.
    pub fn between(least: T, greatest: T) -> Self {
        Self::beside(least, |[low, _]| Some([low, greatest.keys()?[1]]))
    }

    /// Numbers that are not 0; NaNs are among them.
    pub fn non_zero() -> Self {
        !Self::equal(T::zeroed())
    }

    /// Floats that are not a number; of integers, none.
    pub fn is_nan() -> Self {
        !Self::range(T::ALL)
    }

    /// Floats that are neither infinite nor NaN; of integers, all.
    pub fn is_finite() -> Self {
        Self::range(T::FINITE)
    }
}

impl<T: Comparable> Not for Condition<T> {
    type Output = Self;

    /// All that this does not select.
    fn not(mut self) -> Self {
        self.is_outside = T::Bits::narrow(self.is_outside.wide() ^ 1);
        self
    }
}

/// Numbers of which a [`Condition`] holds.
///
/// Runs are of numbers that are equal: zeros of either sign are, and a NaN is a run of its own.
#[derive(Clone, Copy, Debug)]
pub struct Compare<T>(PhantomData<T>);

impl<T: Comparable> Predicate for Compare<T> {
    type Item = T;
    type Parameter = Condition<T>;

    #[inline(always)]
    fn selects(item: T, condition: Condition<T>) -> bool {
        let is_outside = condition.is_outside.wide() != 0;
        item.bits().is_within(&condition) != is_outside
    }

    #[inline(always)]
    fn repeats(item: T, before: T, condition: Condition<T>) -> bool {
        item.bits().is_equal(before.bits(), &condition)
    }

    fn of_runs() -> Condition<T> {
        Condition::range(T::ALL)
    }
}

macro_rules! integers {
    ($($type:ty: $bits:ty, $sign:expr;)*) => {$(
        impl Comparable for $type {
            type Bits = $bits;
            const SIGN: u64 = $sign;
            const FOLDED: u64 = 0;
            const FINITE: [u64; 2] = Self::ALL;
            const ALL: [u64; 2] = [0, <$bits>::MAX as u64];
            const GREATEST: u64 = <$bits>::MAX as u64;

            #[inline(always)]
            fn bits(self) -> $bits {
                self as $bits
            }

            fn keys(self) -> Option<[u64; 2]> {
                Some([self.bits().wide() ^ $sign; 2])
            }
        }
    )*};
}

integers! {
    u8: u8, 0;
    u16: u16, 0;
    u32: u32, 0;
    u64: u64, 0;
    i8: u8, 1 << 7;
    i16: u16, 1 << 15;
    i32: u32, 1 << 31;
    i64: u64, 1 << 63;
}

/// The type, its bits, the bits of infinity.
macro_rules! floats {
    ($($type:ty: $bits:ty, $infinity:expr;)*) => {$(
        impl Comparable for $type {
            type Bits = $bits;
            const SIGN: u64 = (<$bits>::MAX >> 1) as u64 + 1;
            const FOLDED: u64 = Self::SIGN - 1;
            const FINITE: [u64; 2] = [Self::ALL[0] + 1, Self::ALL[1] - 1];
            const ALL: [u64; 2] = [Self::SIGN - 1 - $infinity, Self::SIGN + $infinity];
            const GREATEST: u64 = $infinity;

            #[inline(always)]
            fn bits(self) -> $bits {
                self.to_bits()
            }

            fn keys(self) -> Option<[u64; 2]> {
                let (bits, sign) = (self.bits().wide(), Self::SIGN);
                let magnitude = bits & (sign - 1);
                match (magnitude, bits & sign) {
                    (0, _) => Some([sign - 1, sign]),
                    (magnitude, _) if magnitude > Self::GREATEST => None,
                    (magnitude, 0) => Some([sign + magnitude; 2]),
                    (magnitude, _) => Some([sign - 1 - magnitude; 2]),
                }
            }
        }
    )*};
}

floats! {
    f32: u32, f32::INFINITY.to_bits() as u64;
    f64: u64, f64::INFINITY.to_bits();
}
#[cfg(feature = "half")]
floats! {
    f16: u16, f16::INFINITY.to_bits() as u64;
    bf16: u16, bf16::INFINITY.to_bits() as u64;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every condition on a number, beside what it means.
    fn check<T: Comparable + PartialOrd + core::fmt::Debug>(numbers: &[T]) {
        for &x in numbers {
            let selects = |condition| Compare::<T>::selects(x, condition);
            for &y in numbers {
                let what = format_args!("{x:?} and {y:?}");
                assert_eq!(selects(Condition::less(y)), x < y, "{what}");
                assert_eq!(selects(Condition::at_most(y)), x <= y, "{what}");
                assert_eq!(selects(Condition::greater(y)), x > y, "{what}");
                assert_eq!(selects(Condition::at_least(y)), x >= y, "{what}");
                assert_eq!(selects(Condition::equal(y)), x == y, "{what}");
                assert_eq!(selects(!Condition::equal(y)), x != y, "{what}");
                let is_less = x < y;
                assert_eq!(selects(!Condition::less(y)), !is_less, "{what}");
                let repeats = Compare::<T>::repeats(x, y, Compare::<T>::of_runs());
                assert_eq!(repeats, x == y, "{what}");
                for &z in numbers {
                    let is_between = y <= x && x <= z;
                    assert_eq!(
                        selects(Condition::between(y, z)),
                        is_between,
                        "{what}, {z:?}"
                    );
                }
            }
            assert_eq!(selects(Condition::non_zero()), x != T::zeroed(), "{x:?}");
            let is_nan = x.partial_cmp(&x).is_none();
            assert_eq!(selects(Condition::is_nan()), is_nan, "{x:?}");
        }
    }

    #[test]
    fn conditions_are_rusts_comparisons() {
        check(&[0u8, 1, 127, 128, 254, 255]);
        check(&[i8::MIN, -127, -1, 0, 1, i8::MAX]);
        check(&[0u16, 1, u16::MAX]);
        check(&[i16::MIN, -1, 0, i16::MAX]);
        check(&[0u32, 1, u32::MAX - 1, u32::MAX]);
        check(&[i32::MIN, i32::MIN + 1, -1, 0, 1, i32::MAX]);
        check(&[0u64, 1, u64::MAX - 1, u64::MAX]);
        check(&[i64::MIN, -1, 0, 1, i64::MAX]);
        let floats = [
            f32::NEG_INFINITY,
            f32::MIN,
            -1.0,
            -f32::from_bits(1),
            -0.0,
            0.0,
            f32::from_bits(1),
            1.0,
            f32::MAX,
            f32::INFINITY,
            f32::NAN,
            f32::from_bits(u32::MAX),
        ];
        check(&floats);
        check(&floats.map(f64::from));
        for x in floats {
            let selects = |condition| Compare::<f32>::selects(x, condition);
            assert_eq!(selects(Condition::is_finite()), x.is_finite(), "{x}");
        }
    }

    #[cfg(feature = "half")]
    #[test]
    fn conditions_on_short_floats_are_rusts_comparisons() {
        let floats = [
            f32::NEG_INFINITY,
            -2.0,
            -0.0,
            0.0,
            1.5,
            f32::INFINITY,
            f32::NAN,
        ];
        check(&floats.map(f16::from_f32));
        check(&floats.map(bf16::from_f32));
    }
}
