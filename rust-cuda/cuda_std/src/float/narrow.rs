//! Between `f32` and the formats of 16 bits, in the instructions that there are for it. The
//! methods of the crate `half` compute the same bit by bit on a device.

use half::{bf16, f16};

use crate::device::instruction;

/// A format of 16 bits whose sums are made in `f32`.
pub trait Narrow: Copy {
    /// The same number in `f32`.
    #[must_use = "the method returns a new number"]
    fn widen(self) -> f32;

    /// The nearest number of the format, the even one of two; NaN for NaN.
    #[must_use = "the method returns a new number"]
    fn round_from(wide: f32) -> Self;
}

/// PTX: `cvt.f32.f16` and `cvt.rn.f16.f32`.
impl Narrow for f16 {
    #[inline(always)]
    fn widen(self) -> f32 {
        instruction!("cvt.f32.f16", reg32 f32, (reg16 self.to_bits()), self.to_f32())
    }

    #[inline(always)]
    fn round_from(wide: f32) -> Self {
        let bits =
            instruction!("cvt.rn.f16.f32", reg16 u16, (reg32 wide), Self::from_f32(wide).to_bits());
        Self::from_bits(bits)
    }
}

/// The upper half of an `f32`. PTX: a shift, and `cvt.rn.bf16.f32` from sm_80 on.
impl Narrow for bf16 {
    #[inline(always)]
    fn widen(self) -> f32 {
        f32::from_bits(u32::from(self.to_bits()) << 16)
    }

    #[inline(always)]
    fn round_from(wide: f32) -> Self {
        #[cfg(all(target_os = "cuda", target_feature = "sm_80"))]
        {
            Self::from_bits(instruction!("cvt.rn.bf16.f32", reg16 u16, (reg32 wide)))
        }
        #[cfg(not(all(target_os = "cuda", target_feature = "sm_80")))]
        {
            let bits = wide.to_bits();
            let even = bits >> 16 & 1;
            let rounded = (bits.wrapping_add(0x7fff + even) >> 16) as u16;
            Self::from_bits(if wide.is_nan() { 0x7fff } else { rounded })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Narrow;
    use half::{bf16, f16};

    #[test]
    fn every_number_of_a_format_comes_back_as_it_was() {
        for bits in 0..=u16::MAX {
            let (short, brain) = (f16::from_bits(bits), bf16::from_bits(bits));
            if short.is_nan() {
                assert!(f16::round_from(short.widen()).is_nan());
            } else {
                assert_eq!(f16::round_from(short.widen()).to_bits(), bits);
            }
            if brain.is_nan() {
                assert!(bf16::round_from(brain.widen()).is_nan());
            } else {
                assert_eq!(bf16::round_from(brain.widen()).to_bits(), bits);
            }
        }
    }

    #[test]
    fn a_number_half_way_goes_to_the_even_one() {
        // The last bit of a bf16 is worth 2^-7 at 1, that of an f16 2^-10.
        let (brain, short) = (2f32.powi(-8), 2f32.powi(-11));
        assert_eq!(bf16::round_from(1.0 + brain).to_bits(), 0x3f80);
        assert_eq!(bf16::round_from(1.0 + 3.0 * brain).to_bits(), 0x3f82);
        assert_eq!(f16::round_from(1.0 + short).to_bits(), 0x3c00);
        assert_eq!(f16::round_from(1.0 + 3.0 * short).to_bits(), 0x3c02);
        assert_eq!(bf16::round_from(f32::MAX), bf16::INFINITY);
    }
}
