//! The two kinds of numbers that integrals are computed in, `f32` and `f64`, and the sum
//! that loses nothing of note.

use core::fmt::Debug;
use core::ops::{Add, Div, Mul, Neg, Sub};

use bytemuck::Pod;
use cuda_std::GpuFloat;
use cuda_std::float::Addend;
use cuda_std::warp::WarpShuffleValue;

mod private {
    pub trait Sealed {}
    impl Sealed for f32 {}
    impl Sealed for f64 {}
}

/// `f32` or `f64`.
pub trait Real:
    GpuFloat
    + Addend<Self>
    + WarpShuffleValue
    + Pod
    + Debug
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + private::Sealed
{
    /// Its name in Rust. Not `NAME`, which a trait of an application's own may have.
    const TYPE_NAME: &'static str;
    /// 0.
    const ZERO: Self;
    /// The distance from 1 to the next larger number.
    const EPSILON: Self;
    /// The least positive normal number.
    const MIN_POSITIVE: Self;
    /// Whether what a sum loses is kept for every 32 terms and not for every 64: more of them
    /// cost less, and let a sum of equal terms lose half an ulp each.
    const FOLDS_EACH_ROW: bool;
    /// Whether it takes a conversion to make one of an `f64`.
    const CONVERTS: bool;

    /// The nearest number.
    fn from_f64(value: f64) -> Self;

    /// The same number.
    fn to_f64(self) -> f64;

    /// Whether it is neither infinite nor NaN.
    fn is_number(self) -> bool;

    /// Whether it is NaN.
    fn is_nan(self) -> bool;

    /// The last bit of its representation.
    fn last_bit(self) -> bool;

    /// The upper 32 bits of its magnitude's representation: of larger magnitudes as large or
    /// larger.
    fn upper_of_magnitude(self) -> u32;

    /// The number, 0 or more, with these upper bits and no others.
    fn from_upper(upper: u32) -> Self;

    /// The same number but for the last bit of its representation; an infinite one may become
    /// NaN.
    #[must_use]
    fn with_last_bit(self, bit: bool) -> Self;

    /// The larger of two numbers, by one comparison; where one is NaN, the second.
    #[must_use]
    #[inline(always)]
    fn larger(self, other: Self) -> Self {
        if self > other { self } else { other }
    }

    /// The next larger number; of a finite one.
    #[must_use]
    fn above(self) -> Self;

    /// The next smaller number; of a finite one.
    #[must_use]
    fn below(self) -> Self {
        -(-self).above()
    }
}

macro_rules! real {
    ($($float:ident $bits:ident $is_short:literal;)*) => {$(
        impl Real for $float {
            const TYPE_NAME: &'static str = stringify!($float);
            const ZERO: Self = 0.0;
            const EPSILON: Self = $float::EPSILON;
            const MIN_POSITIVE: Self = $float::MIN_POSITIVE;
            const FOLDS_EACH_ROW: bool = $is_short;
            const CONVERTS: bool = $is_short;

            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $float
            }

            #[inline(always)]
            fn to_f64(self) -> f64 {
                f64::from(self)
            }

            #[inline(always)]
            fn is_number(self) -> bool {
                self.is_finite()
            }

            #[inline(always)]
            fn is_nan(self) -> bool {
                $float::is_nan(self)
            }

            #[inline(always)]
            fn last_bit(self) -> bool {
                self.to_bits() & 1 == 1
            }

            #[inline(always)]
            fn upper_of_magnitude(self) -> u32 {
                (self.to_bits() >> ($bits::BITS - 32)) as u32 & 0x7fff_ffff
            }

            #[inline(always)]
            fn from_upper(upper: u32) -> Self {
                Self::from_bits($bits::from(upper) << ($bits::BITS - 32))
            }

            #[inline(always)]
            fn with_last_bit(self, bit: bool) -> Self {
                let even = self.to_bits() >> 1 << 1;
                Self::from_bits(if bit { even + 1 } else { even })
            }

            #[inline(always)]
            fn above(self) -> Self {
                self.next_up()
            }
        }
    )*};
}

real! {
    f32 u32 true;
    f64 u64 false;
}

/// A sum, and what its last addition has lost, which goes into the next: right to twice the
/// precision where no term exceeds the sum before it, else within 2 epsilon of all magnitudes.
///
/// Source: Kahan, Further remarks on reducing truncation errors, 1965.
#[derive(Clone, Copy, Debug)]
pub struct Running<R> {
    sum: R,
    /// How much more the sum is than it should be.
    excess: R,
}

impl<R: Real> Running<R> {
    /// 0.
    pub const ZERO: Self = Self {
        sum: R::ZERO,
        excess: R::ZERO,
    };

    /// Adds a term.
    #[inline(always)]
    pub fn add(&mut self, term: R) {
        let term = term - self.excess;
        let sum = self.sum + term;
        self.excess = (sum - self.sum) - term;
        self.sum = sum;
    }

    /// The sum.
    #[inline(always)]
    pub fn value(&self) -> f64 {
        self.sum.to_f64() - self.excess.to_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::{Real, Running};

    #[test]
    fn neighbours_are_next_to_each_other() {
        assert_eq!(1.0f32.above(), 1.0 + f32::EPSILON);
        assert_eq!(1.0f64.below(), 1.0 - f64::EPSILON / 2.0);
        assert_eq!((-1.0f64).above(), -1.0 + f64::EPSILON / 2.0);
        assert_eq!(0.0f32.below(), -f32::from_bits(1));
    }

    #[test]
    fn upper_bits_are_in_the_order_of_magnitudes() {
        let numbers = [0.0, 1e-300, 1.0, 1.0 + 1e-6, 3.0, 1e300, f64::INFINITY];
        assert!(numbers.map(Real::upper_of_magnitude).is_sorted());
        assert_eq!((-3.0f32).upper_of_magnitude(), 3.0f32.to_bits());
        assert_eq!(f64::from_upper((-1.5f64).upper_of_magnitude()), 1.5);
    }

    #[test]
    fn the_last_bit_is_that_of_the_representation() {
        assert!(!Real::last_bit(1.0f64) && Real::last_bit(1.0f64.above()));
        assert_eq!(1.0f32.with_last_bit(true), 1.0 + f32::EPSILON);
        assert_eq!((-1.0f32).with_last_bit(true).with_last_bit(false), -1.0);
        assert_eq!(0.0f64.with_last_bit(true), f64::from_bits(1));
    }

    #[test]
    fn what_additions_lose_is_kept() {
        // Of all signs and sizes: within two epsilons of the magnitudes.
        let (mut sum, mut exact, mut size) = (Running::<f32>::ZERO, 0.0, 0.0);
        let mut bits = 1_u32;
        for _ in 0..1 << 16 {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let scale = f32::from_bits((117 + (bits >> 5) % 20) << 23);
            let term = (bits as i32) as f32 / 2_147_483_648.0 * scale;
            sum.add(term);
            exact += f64::from(term);
            size += f64::from(term).abs();
        }
        let error = (sum.value() - exact).abs();
        assert!(
            error <= 2.0 * f64::from(f32::EPSILON) * size,
            "{error:e} of {size:e}"
        );
        let mut tenths = Running::<f32>::ZERO;
        for _ in 0..1 << 20 {
            tenths.add(0.1);
        }
        let exact = f64::from(0.1f32) * f64::from(1 << 20);
        assert!((tenths.value() - exact).abs() <= exact * 1e-12);
    }
}
