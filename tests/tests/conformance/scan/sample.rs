//! Elements to scan, of which the results are exact in any order of combination, and the
//! comparison of results.

use cuda_std::{bf16, f16};
use quadscan::scan::Affine;
use quadscan_tests::probes::operands::Random;

/// Elements of one type.
pub(crate) trait Sample: Copy {
    /// One whose sums and products with thousands of others are exact.
    fn sample(random: &mut Random) -> Self;
}

/// Whether two results are the same: bit for bit, all NaNs being one.
pub(crate) trait Same {
    fn is_same(&self, other: &Self) -> bool;
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Sample for $type {
            fn sample(random: &mut Random) -> Self {
                random.bits() as $type
            }
        }

        impl Same for $type {
            fn is_same(&self, other: &Self) -> bool {
                self == other
            }
        }
    )*};
}

integers! { u8 u16 u32 u64 i8 i16 i32 i64 }

/// Sums of thousands of these are multiples of 1/2 below 2^23, and products powers of two
/// whose exponents stay below 127: most are 1 or -1.
fn small(random: &mut Random) -> f32 {
    match random.below(64) {
        0 => 2.0,
        1 => -0.5,
        2 => -2.0,
        3 => 0.5,
        other if other % 2 == 0 => 1.0,
        _ => -1.0,
    }
}

macro_rules! floats {
    ($($type:ty: $from:expr;)*) => {$(
        impl Sample for $type {
            fn sample(random: &mut Random) -> Self {
                let from: fn(f32) -> $type = $from;
                from(small(random))
            }
        }

        impl Same for $type {
            fn is_same(&self, other: &Self) -> bool {
                self.to_bits() == other.to_bits() || self.is_nan() && other.is_nan()
            }
        }
    )*};
}

floats! {
    f16: f16::from_f32;
    bf16: bf16::from_f32;
    f32: |x| x;
    f64: f64::from;
}

impl Sample for Affine {
    fn sample(random: &mut Random) -> Self {
        Affine {
            a: random.pick(&[1.0, -1.0]),
            b: f64::from(small(random)),
        }
    }
}

impl Same for Affine {
    fn is_same(&self, other: &Self) -> bool {
        self.a.is_same(&other.a) && self.b.is_same(&other.b)
    }
}

/// So many elements.
pub(crate) fn samples<T: Sample>(n: usize, random: &mut Random) -> Vec<T> {
    (0..n).map(|_| T::sample(random)).collect()
}

/// Fails with the first result that is not the expected one.
pub(crate) fn compare<T: Same + std::fmt::Debug>(found: &[T], expected: &[T], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let differs = |(found, expected): (&T, &T)| !found.is_same(expected);
    if let Some(i) = found.iter().zip(expected).position(differs) {
        let (found, expected) = (&found[i], &expected[i]);
        panic!("{what}: result {i} is {found:?}, not {expected:?}");
    }
}
