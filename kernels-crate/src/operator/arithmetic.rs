//! Sums and products. Integers wrap; floats round after every combination.

use core::marker::PhantomData;
#[cfg(feature = "half")]
use cuda_std::{bf16, f16, float::Narrow};

#[cfg(any(target_os = "cuda", test, clippy, doc))]
use super::bytes;
use super::operators;

/// The sum of `I`s, kept as `A`s and written as `O`s.
///
/// `Sum<u8, u64>` reads bytes and writes `u64`s. The formats of 16 bits are kept as `f32`
/// in any case: `Sum<f16>` rounds once, when a result is written. The neutral element of
/// floats is -0, since +0 + -0 is +0.
#[derive(Clone, Copy, Debug)]
pub struct Sum<I, A = I, O = A>(PhantomData<(I, A, O)>);

/// The product of `T`s; `f16` and `bf16` are kept as `f32`.
#[derive(Clone, Copy, Debug)]
pub struct Product<T>(PhantomData<T>);

/// The sum of the squares of `T`s: a scan of a function of the elements.
#[derive(Clone, Copy, Debug)]
pub struct SumOfSquares<T>(PhantomData<T>);

macro_rules! integers {
    ($($type:ty)*) => {
        operators! {$(
            Sum<$type>: $type => $type => $type,
                |x| x, <$type>::wrapping_add, |x| x, 0;
        )*}
        other_integers! { $($type)* }
    };
}

macro_rules! other_integers {
    ($($type:ty)*) => {
        operators! {$(
            Product<$type>: $type => $type => $type,
                |x| x, <$type>::wrapping_mul, |x| x, 1;
            SumOfSquares<$type>: $type => $type => $type,
                |x| x.wrapping_mul(x), <$type>::wrapping_add, |x| x, 0;
        )*}
    };
}

/// Sums whose words are added up by [`bytes`].
macro_rules! sums_of_bytes {
    ($($type:ty)*) => {
        operators! {$(
            Sum<$type>: $type => $type => $type,
                |x| x, <$type>::wrapping_add, |x| x, 0, {
                    #[cfg(any(target_os = "cuda", test, clippy, doc))]
                    #[inline(always)]
                    fn total_of<const V: usize>(elements: &[[u32; 4]; V]) -> Option<$type> {
                        Some(bytes::total(elements) as $type)
                    }

                    #[cfg(any(target_os = "cuda", test, clippy, doc))]
                    #[inline(always)]
                    fn scan_of<const V: usize>(
                        elements: &[[u32; 4]; V],
                        before: Option<$type>,
                        is_exclusive: bool,
                    ) -> Option<[[u32; 4]; V]> {
                        let before = before.unwrap_or(0) as u32;
                        Some(bytes::scan(elements, before, is_exclusive))
                    }
                };
        )*}
        other_integers! { $($type)* }
    };
}

macro_rules! wider_sums_of_bytes {
    ($($to:ty)*) => {
        operators! {$(
            Sum<u8, $to>: u8 => $to => $to,
                |x| <$to>::from(x), <$to>::wrapping_add, |x| x, 0, {
                    #[cfg(any(target_os = "cuda", test, clippy, doc))]
                    #[inline(always)]
                    fn total_of<const V: usize>(elements: &[[u32; 4]; V]) -> Option<$to> {
                        Some(bytes::total(elements) as $to)
                    }
                };
        )*}
    };
}

sums_of_bytes! { u8 i8 }
wider_sums_of_bytes! { u16 u32 u64 }
integers! { u16 u32 u64 i16 i32 i64 }

macro_rules! floats {
    ($($type:ty)*) => {
        operators! {$(
            Sum<$type>: $type => $type => $type, |x| x, |a, b| a + b, |x| x, -0.0;
            Product<$type>: $type => $type => $type, |x| x, |a, b| a * b, |x| x, 1.0;
            SumOfSquares<$type>: $type => $type => $type,
                |x| x * x, |a, b| a + b, |x| x, -0.0;
        )*}
    };
}

floats! { f32 f64 }

#[cfg(feature = "half")]
macro_rules! narrow_floats {
    ($($type:ty)*) => {
        operators! {$(
            Sum<$type>: $type => f32 => $type,
                Narrow::widen, |a, b| a + b, Narrow::round_from, -0.0;
            Sum<$type, f32>: $type => f32 => f32,
                Narrow::widen, |a, b| a + b, |x| x, -0.0;
            Product<$type>: $type => f32 => $type,
                Narrow::widen, |a, b| a * b, Narrow::round_from, 1.0;
        )*}
    };
}

#[cfg(feature = "half")]
narrow_floats! { f16 bf16 }

macro_rules! wider_integers {
    ($($from:ty => $($to:ty)*;)*) => {
        operators! {$($(
            Sum<$from, $to>: $from => $to => $to,
                |x| <$to>::from(x), <$to>::wrapping_add, |x| x, 0;
        )*)*}
    };
}

wider_integers! {
    u16 => u32 u64;
    u32 => u64;
    i8 => i16 i32 i64;
    i16 => i32 i64;
    i32 => i64;
}

operators! {
    Sum<f32, f64>: f32 => f64 => f64, f64::from, |a, b| a + b, |x| x, -0.0;
    Sum<f32, f64, f32>: f32 => f64 => f32, f64::from, |a, b| a + b, |x| x as f32, -0.0;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operator::Identity;

    fn fold<O: Identity>(elements: &[O::Input]) -> O::Output {
        let all = elements.iter().map(|&x| O::transform(x));
        O::finish(all.fold(O::IDENTITY, O::combine))
    }

    #[test]
    fn integers_wrap_in_the_accumulators_width() {
        assert_eq!(fold::<Sum<u8>>(&[200, 100]), 44);
        assert_eq!(fold::<Sum<u8, u32>>(&[200, 100]), 300);
        assert_eq!(fold::<Sum<i8, i32>>(&[-128, -1]), -129);
        assert_eq!(fold::<Product<i32>>(&[i32::MAX, 2]), -2);
    }

    #[cfg(feature = "half")]
    #[test]
    fn half_precision_is_rounded_once() {
        // 2048 + 1 is no f16: added one by one, the ones would be lost.
        let ones = [f16::from_f32(2048.0), f16::ONE, f16::ONE];
        assert_eq!(fold::<Sum<f16>>(&ones), f16::from_f32(2050.0));
        assert_eq!(fold::<Sum<bf16, f32>>(&[bf16::ONE; 300]), 300.0);
    }

    #[test]
    fn the_sum_of_nothing_keeps_the_sign_of_a_zero() {
        assert!(fold::<Sum<f32>>(&[-0.0]).is_sign_negative());
        assert!(fold::<Sum<f32>>(&[0.0]).is_sign_positive());
    }
}
