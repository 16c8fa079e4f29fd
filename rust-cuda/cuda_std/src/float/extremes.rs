//! The smaller and the larger of two floats, with no exception: IEEE 754-2019's `minimum` and
//! `maximum` (section 9.6). `core`'s `min` and `max` drop a NaN, and may give either zero, so that
//! what several of them give together depends on their order; what these give does not.

#[cfg(feature = "half")]
use half::{bf16, f16};

#[cfg(all(target_os = "cuda", target_feature = "sm_80"))]
use crate::device::instruction;

/// The smaller and the larger of two floats. A NaN on either side gives a NaN, and -0 is less than
/// +0. Of the NaNs they give the one whose bits are all set but the sign, as PTX does.
///
/// ```
/// use cuda_std::float::Extremes;
///
/// assert_eq!(1.0f32.least(2.0), 1.0);
/// assert!(0.0f64.least(-0.0).is_sign_negative());
/// assert!(f32::INFINITY.greatest(f32::NAN).is_nan());
/// ```
pub trait Extremes: Copy {
    /// The smaller one.
    ///
    /// PTX: `min.NaN` from sm_80 on, but for `f64`: `min`, and a selection.
    #[must_use = "the method returns a new number"]
    fn least(self, other: Self) -> Self;

    /// The larger one.
    ///
    /// PTX: `max.NaN` from sm_80 on, but for `f64`: `max`, and a selection.
    #[must_use = "the method returns a new number"]
    fn greatest(self, other: Self) -> Self;
}

/// One of two floats from the order of their bits as signed integers, once those of negative
/// numbers are turned round: so -0 is less than +0.
#[cfg(not(all(target_os = "cuda", target_feature = "sm_80")))]
macro_rules! by_bits {
    ($float:ty, $signed:ty, $a:expr, $b:expr, $is_first:tt) => {{
        const SIGN: u32 = <$signed>::BITS - 1;
        let key = |x: $float| {
            let bits = x.to_bits() as $signed;
            bits ^ (bits >> SIGN & <$signed>::MAX)
        };
        let (a, b): ($float, $float) = ($a, $b);
        if a.is_nan() | b.is_nan() {
            <$float>::from_bits(<$signed>::MAX as _)
        } else if key(a) $is_first key(b) {
            a
        } else {
            b
        }
    }};
}

macro_rules! extremes {
    ($($float:ty, $bits:ty, $signed:ty, $register:ident, $least:literal, $greatest:literal;)*) => {$(
        impl Extremes for $float {
            #[inline(always)]
            fn least(self, other: Self) -> Self {
                #[cfg(all(target_os = "cuda", target_feature = "sm_80"))]
                {
                    let (a, b) = (self.to_bits(), other.to_bits());
                    Self::from_bits(instruction!($least, $register $bits, ($register a, $register b)))
                }
                #[cfg(not(all(target_os = "cuda", target_feature = "sm_80")))]
                {
                    by_bits!($float, $signed, self, other, <)
                }
            }

            #[inline(always)]
            fn greatest(self, other: Self) -> Self {
                #[cfg(all(target_os = "cuda", target_feature = "sm_80"))]
                {
                    let (a, b) = (self.to_bits(), other.to_bits());
                    Self::from_bits(instruction!($greatest, $register $bits, ($register a, $register b)))
                }
                #[cfg(not(all(target_os = "cuda", target_feature = "sm_80")))]
                {
                    by_bits!($float, $signed, self, other, >)
                }
            }
        }
    )*};
}

extremes! {
    f32, u32, i32, reg32, "min.NaN.f32", "max.NaN.f32";
}
#[cfg(feature = "half")]
extremes! {
    f16, u16, i16, reg16, "min.NaN.f16", "max.NaN.f16";
    bf16, u16, i16, reg16, "min.NaN.bf16", "max.NaN.bf16";
}

/// `min` and `max` know the zeros, and drop a NaN.
#[cfg(target_os = "cuda")]
macro_rules! and_nan {
    ($instruction:literal, $a:expr, $b:expr) => {{
        let value: f64;
        // SAFETY: a pure function of its registers.
        unsafe {
            core::arch::asm!(
                concat!($instruction, " {}, {}, {};"),
                out(reg64) value,
                in(reg64) $a,
                in(reg64) $b,
                options(pure, nomem, nostack, preserves_flags),
            );
        }
        if $a.is_nan() | $b.is_nan() {
            f64::from_bits(i64::MAX as u64)
        } else {
            value
        }
    }};
}

impl Extremes for f64 {
    #[inline(always)]
    fn least(self, other: Self) -> Self {
        #[cfg(target_os = "cuda")]
        {
            and_nan!("min.f64", self, other)
        }
        #[cfg(not(target_os = "cuda"))]
        {
            by_bits!(f64, i64, self, other, <)
        }
    }

    #[inline(always)]
    fn greatest(self, other: Self) -> Self {
        #[cfg(target_os = "cuda")]
        {
            and_nan!("max.f64", self, other)
        }
        #[cfg(not(target_os = "cuda"))]
        {
            by_bits!(f64, i64, self, other, >)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Extremes;

    /// In the order of IEEE 754, the zeros apart.
    const ORDERED: [f32; 9] = [
        f32::NEG_INFINITY,
        -2.5,
        -f32::MIN_POSITIVE,
        -1e-45,
        -0.0,
        0.0,
        1e-45,
        3.0,
        f32::INFINITY,
    ];

    #[test]
    fn of_two_numbers_the_smaller_and_the_larger_one_are_given_whatever_their_order() {
        for (i, &a) in ORDERED.iter().enumerate() {
            for (j, &b) in ORDERED.iter().enumerate() {
                let (low, high) = (ORDERED[i.min(j)], ORDERED[i.max(j)]);
                assert_eq!(a.least(b).to_bits(), low.to_bits(), "{a} {b}");
                assert_eq!(a.greatest(b).to_bits(), high.to_bits(), "{a} {b}");
                let (a, b) = (f64::from(a), f64::from(b));
                assert_eq!(a.least(b).to_bits(), f64::from(low).to_bits());
                assert_eq!(a.greatest(b).to_bits(), f64::from(high).to_bits());
            }
        }
    }

    #[test]
    fn a_nan_of_any_bits_gives_the_one_with_all_bits_but_the_sign() {
        let nan = f32::from_bits(0xffc0_0001);
        for number in ORDERED.into_iter().chain([f32::NAN]) {
            assert_eq!(nan.least(number).to_bits(), 0x7fff_ffff);
            assert_eq!(number.greatest(nan).to_bits(), 0x7fff_ffff);
        }
        assert_eq!(f64::NAN.least(0.0).to_bits(), 0x7fff_ffff_ffff_ffff);
    }

    #[cfg(feature = "half")]
    #[test]
    fn half_precision_is_ordered_alike() {
        use half::{bf16, f16};
        let (zero, below) = (f16::from_bits(0), f16::from_bits(0x8000));
        assert_eq!(zero.least(below).to_bits(), 0x8000);
        assert_eq!(below.greatest(zero).to_bits(), 0);
        assert_eq!(f16::NAN.least(zero).to_bits(), 0x7fff);
        let (one, two) = (bf16::from_f32(1.0), bf16::from_f32(2.0));
        assert_eq!(two.least(one), one);
        assert_eq!(one.greatest(bf16::NAN).to_bits(), 0x7fff);
    }
}
