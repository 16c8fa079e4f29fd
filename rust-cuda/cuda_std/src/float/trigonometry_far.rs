//! Sines, cosines and tangents of large arguments: Payne and Hanek's reduction to a quarter turn,
//! with 192 bits of 2 / pi, in f32 with 96. They are seldom asked for, and so functions that the others call.

use super::super::GpuFloat;
use super::super::arithmetic::{Times, sum_and_rest};
use super::double::Angle;
use super::single::Angle as AngleF32;

const HALF_PI: f64 = f64::from_bits(0x3ff9_21fb_5444_2d18);
const HALF_PI_2: f64 = f64::from_bits(0x3c91_a626_3314_5c07);

/// The bits of 2 / pi, after 64 zeros.
static TWO_OVER_PI: [u64; 21] = [
    0x0000_0000_0000_0000,
    0xa2f9_836e_4e44_1529,
    0xfc27_57d1_f534_ddc0,
    0xdb62_9599_3c43_9041,
    0xfe51_63ab_debb_c561,
    0xb724_6e3a_424d_d2e0,
    0x0649_2eea_09d1_921c,
    0xfe1d_eb1c_b129_a73e,
    0xe882_35f5_2ebb_4484,
    0xe99c_7026_b45f_7e41,
    0x3991_d639_8353_39f4,
    0x9c84_5f8b_bdf9_283b,
    0x1ff8_97ff_de05_980f,
    0xef2f_118b_5a0a_6d1f,
    0x6d36_7ecf_27cb_09b7,
    0x4f46_3f66_9e5f_ea2d,
    0x7527_bac7_ebe5_f17b,
    0x3d07_39f7_8a52_92ea,
    0x6bfb_5fb1_1f8d_5d08,
    0x5603_3046_fc7b_6bab,
    0xf0cf_bc20_9af4_361d,
];

/// Of `|x|` from 2^17 on; NaN of what is not finite.
#[inline(always)]
fn reduce(x: f64) -> Angle {
    if x.is_finite() {
        return reduce_large(x);
    }
    Angle {
        count: 0,
        high: f64::NAN,
        low: 0.0,
    }
}

/// `|x| >= 2^17`: the product of the mantissa with those bits of 2 / pi that matter modulo 4.
#[inline(always)]
pub(super) fn reduce_large(x: f64) -> Angle {
    let bits = x.to_bits();
    let mantissa = (bits & ((1 << 52) - 1)) | (1 << 52);
    // x = mantissa * 2^exponent; the bit of 2 / pi with weight 2^(1 - exponent) is the first.
    let exponent = ((bits >> 52) & 0x7ff) as i32 - 1075;
    let start = (exponent - 2 + 64) as u32;
    let (word, shift) = ((start / 64) as usize, start % 64);
    let take = |i: usize| {
        let i = (word + i).min(TWO_OVER_PI.len() - 2);
        ((u128::from(TWO_OVER_PI[i]) << 64 | u128::from(TWO_OVER_PI[i + 1])) << shift >> 64) as u64
    };
    let (w0, w1, w2) = (take(0), take(1), take(2));
    let p2 = u128::from(w2) * u128::from(mantissa);
    let p1 = u128::from(w1) * u128::from(mantissa) + (p2 >> 64);
    let r0 = w0.wrapping_mul(mantissa).wrapping_add((p1 >> 64) as u64);
    let (r1, r2) = (p1 as u64, p2 as u64);
    // r0 r1 r2: two bits of quadrant, then the fraction.
    let mut quadrant = r0 >> 62;
    let mut fraction = (u128::from(r0) << 64 | u128::from(r1)) << 2 | u128::from(r2 >> 62);
    let mut negative = bits >> 63 == 1;
    if fraction >> 127 == 1 {
        quadrant += 1;
        fraction = fraction.wrapping_neg();
        if negative {
            quadrant = quadrant.wrapping_neg();
        }
        negative = !negative;
    } else if negative {
        quadrant = quadrant.wrapping_neg();
    }
    if fraction == 0 {
        return Angle {
            count: quadrant,
            high: 0.0,
            low: 0.0,
        };
    }
    let zeros = fraction.leading_zeros();
    let normal = fraction << zeros;
    let scale = f64::from_bits(u64::from(1023 - 53 - zeros) << 52);
    let high = (normal >> 75) as u64 as f64 * scale;
    let low = ((normal << 53) >> 75) as u64 as f64 * scale * f64::from_bits((1023 - 53) << 52);
    let product = high.times(HALF_PI);
    let rest = GpuFloat::mul_add(high, HALF_PI, -product)
        + GpuFloat::mul_add(high, HALF_PI_2, low * HALF_PI);
    let (product, rest) = sum_and_rest(product, rest);
    let sign = if negative { -1.0 } else { 1.0 };
    Angle {
        count: quadrant,
        high: sign * product,
        low: sign * rest,
    }
}

/// The bits of 2 / pi after 32 zeros, as far as f32 needs them.
static TWO_OVER_PI_F32: [u32; 9] = [
    0x0000_0000,
    0xa2f9_836e,
    0x4e44_1529,
    0xfc27_57d1,
    0xf534_ddc0,
    0xdb62_9599,
    0x3c43_9041,
    0xfe51_63ab,
    0xdebb_c561,
];

/// Of `|x|` from 2^13 on, in integers of 64 bits and f32; NaN of what is not finite.
#[inline(always)]
pub(super) fn reduce_f32(x: f32) -> AngleF32 {
    if !x.is_finite() {
        return AngleF32 {
            count: 0,
            high: f32::NAN,
            low: 0.0,
        };
    }
    let bits = x.to_bits();
    let mantissa = u64::from((bits & 0x007f_ffff) | 0x0080_0000);
    // |x| = mantissa * 2^exponent; as above, with words of 32 bits.
    let start = ((bits >> 23) & 0xff) + 32 - 150 - 2;
    let (word, shift) = ((start / 32) as usize, start % 32);
    let take = |i: usize| {
        let i = (word + i).min(TWO_OVER_PI_F32.len() - 2);
        let both = u64::from(TWO_OVER_PI_F32[i]) << 32 | u64::from(TWO_OVER_PI_F32[i + 1]);
        both << shift >> 32
    };
    let product = ((mantissa * take(0)) << 32)
        .wrapping_add(mantissa * take(1))
        .wrapping_add((mantissa * take(2)) >> 32);
    // Two bits of quadrant, then the fraction, of which more than a half is a quadrant more.
    let fraction = (product << 2) as i64;
    let quadrant = (product.wrapping_add(1 << 61) >> 62) as u32;
    let head = fraction as f32;
    let rest = fraction.wrapping_sub(head as i64) as f32;
    // Times pi / 2^65.
    const SCALE: f32 = f32::from_bits((127 - 64) << 23);
    const HALF_PI: f32 = core::f32::consts::FRAC_PI_2;
    const HALF_PI_LOW: f32 = f32::from_bits(0xb33b_bd2e);
    let (head, rest) = (head * SCALE, rest * SCALE);
    let product = head.times(HALF_PI);
    let low = GpuFloat::mul_add(head, HALF_PI, -product)
        + GpuFloat::mul_add(head, HALF_PI_LOW, rest * HALF_PI);
    let (high, low) = sum_and_rest(product, low);
    let is_negative = x < 0.0;
    AngleF32 {
        count: if is_negative {
            quadrant.wrapping_neg()
        } else {
            quadrant
        },
        high: if is_negative { -high } else { high },
        low: if is_negative { -low } else { low },
    }
}

/// The functions of either type.
macro_rules! functions {
    ($($module:ident, $float:ident, $reduce:ident;)*) => {$(
        pub(super) mod $module {
            #[cold]
            #[inline(never)]
            pub(in super::super) fn sin(x: $float) -> $float {
                super::$reduce(x).sine_and_cosine().0
            }

            #[cold]
            #[inline(never)]
            pub(in super::super) fn cos(x: $float) -> $float {
                super::$reduce(x).sine_and_cosine().1
            }

            #[cold]
            #[inline(never)]
            pub(in super::super) fn tan(x: $float) -> $float {
                super::$reduce(x).tangent()
            }
        }
    )*};
}

functions! { double, f64, reduce; single, f32, reduce_f32; }
