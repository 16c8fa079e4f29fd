//! The special function unit of a Hopper GPU, bit for bit.
//!
//! The unit interpolates: the upper bits of a fixed-point argument choose a segment, and of the
//! lower bits x the result is `c0 + c1 x + c2 s(x)` in whole numbers, cut off. s is the square
//! without the products of bits that lie below its upper 15 columns. Oberman and Siu, "A
//! high-performance area-efficient multifunction interpolator" (ARITH 2005), describe the form;
//! the columns, the coefficients and what is done to an argument before and to a result after
//! were found from all results of an H100, and give every one of them (2026-11-24).
//!
//! Functions take and give the bits of an f32. As the unit, they take subnormal numbers for zeros;
//! what the assembler does about them where a form has no `.ftz` is in the functions that say so.

use super::coefficients::{
    EX2, LG2, RCP, RSQRT_EVEN, RSQRT_ODD, SIN, SQRT_EVEN, SQRT_ODD, Segment, TANH,
};

pub(super) const NAN: u32 = 0x7fff_ffff;
pub(super) const INFINITY: u32 = 0x7f80_0000;
pub(super) const ONE: u32 = 0x3f80_0000;
pub(super) const SIGN: u32 = 0x8000_0000;
const FRACTION: u32 = 0x007f_ffff;
const HIDDEN: u32 = 0x0080_0000;

/// Bits below a segment, and those of the reciprocal, which has twice the segments.
const LOW: u32 = 17;
const LOW_OF_RECIPROCAL: u32 = 16;

/// The value at an argument whose lower `low` bits are within a segment.
fn interpolate(segments: &[Segment], low: u32, argument: u32) -> i64 {
    let (constant, slope, curvature) = segments[(argument >> low) as usize];
    let x = argument & ((1 << low) - 1);
    constant + i64::from(slope) * i64::from(x) + i64::from(curvature) * square(x, low)
}

/// The upper 15 columns of the square of a number of so many bits: bit i times bit j stands in
/// column i + j + 1, a bit times itself in column 2 i, and what stands further right is left out.
fn square(x: u32, bits: u32) -> i64 {
    let left_out = 2 * bits - 15;
    let rows = (0..bits).filter(|i| x >> i & 1 != 0).map(|i| {
        let first = (i + 1).max(left_out - 1 - i);
        let own = if 2 * i >= left_out { 1 << (2 * i) } else { 0 };
        own + (i64::from(x >> first) << (first + i + 1))
    });
    rows.sum::<i64>() >> left_out
}

/// A fixed-point number of 0 or more with `point` bits behind the point, cut off to an f32.
fn cut(value: i64, point: u32) -> u32 {
    if value <= 0 {
        return 0;
    }
    let top = 63 - value.leading_zeros();
    let fraction = match top.checked_sub(23) {
        Some(shift) => value >> shift,
        None => value << (23 - top),
    };
    ((top + 127 - point) << 23) | (fraction as u32 & FRACTION)
}

fn is_nan(x: u32) -> bool {
    x & !SIGN > INFINITY
}

/// Zero, or a subnormal number, which counts as one.
fn is_zero(x: u32) -> bool {
    x & INFINITY == 0
}

/// The exponent of a number that is neither.
fn exponent(x: u32) -> i32 {
    (x >> 23 & 0xff) as i32 - 127
}

/// 2^x.
pub(super) fn ex2(x: u32) -> u32 {
    let negative = x & SIGN != 0;
    if is_nan(x) {
        return NAN;
    }
    let beyond = if negative { 0 } else { INFINITY };
    let exponent = exponent(x);
    if is_zero(x) || exponent < -23 {
        return ONE;
    }
    if exponent >= 8 {
        return beyond;
    }
    let significand = i64::from(x & FRACTION | HIDDEN);
    let mut fixed = (significand << 8) >> (8 - exponent);
    if negative {
        // The complement, but of whole numbers, which are exact.
        let whole = fixed & i64::from(FRACTION) == 0;
        fixed = if whole { -fixed } else { !fixed };
    }
    let power = (fixed >> 23) as i32;
    match power {
        128.. => INFINITY,
        ..-126 => 0,
        _ => {
            let fraction = interpolate(&EX2, LOW, fixed as u32 & FRACTION) >> 15;
            ((power + 127) as u32) << 23 | fraction as u32
        }
    }
}

/// The logarithm to base 2.
pub(super) fn lg2(x: u32) -> u32 {
    if is_zero(x) {
        return SIGN | INFINITY;
    }
    if is_nan(x) || x & SIGN != 0 {
        return NAN;
    }
    match x {
        INFINITY => INFINITY,
        ONE => 0,
        _ => {
            let fraction = interpolate(&LG2, LOW, x & FRACTION) >> 2;
            let sum = (i64::from(exponent(x)) << 36) + fraction;
            // A negative sum is complemented, not negated.
            match sum < 0 {
                true => SIGN | cut(!sum, 36),
                false => cut(sum, 36),
            }
        }
    }
}

/// 1 / x. A result below the normal numbers is whole here: `.ftz` makes it a zero.
pub(super) fn rcp(x: u32) -> u32 {
    let sign = x & SIGN;
    match x & !SIGN {
        x if is_zero(x) => sign | INFINITY,
        x if is_nan(x) => NAN,
        INFINITY => sign,
        x => {
            let significand = reciprocal(x & FRACTION);
            // The significand is 2^24 at a power of two.
            let (exponent, fraction) = match significand {
                0x0100_0000 => (254 - (x >> 23) as i32, 0),
                _ => (253 - (x >> 23) as i32, significand & FRACTION),
            };
            match exponent {
                1.. => sign | (exponent as u32) << 23 | fraction,
                _ => sign | below(fraction | HIDDEN, (1 - exponent) as u32),
            }
        }
    }
}

/// 2^24 over a significand in [1, 2), of which this is the fraction.
pub(super) fn reciprocal(fraction: u32) -> u32 {
    HIDDEN + (interpolate(&RCP, LOW_OF_RECIPROCAL, fraction) >> 15) as u32
}

/// A significand so many places below the normal numbers, to the nearest and to even.
fn below(significand: u32, places: u32) -> u32 {
    let (kept, lost) = (significand >> places, significand & ((1 << places) - 1));
    let half = 1 << (places - 1);
    kept + u32::from(lost > half || lost == half && kept & 1 != 0)
}

/// 2^24 over the root of a significand in [1, 2) or, with an odd exponent, [2, 4).
pub(super) fn reciprocal_root(fraction: u32, is_odd: bool) -> u32 {
    match (is_odd, fraction) {
        // The interpolation is one short.
        (false, 0) => 2 * HIDDEN,
        (false, _) => HIDDEN + (interpolate(&RSQRT_EVEN, LOW, fraction) >> 17) as u32,
        (true, _) => HIDDEN + (interpolate(&RSQRT_ODD, LOW, fraction) >> 17) as u32,
    }
}

/// 1 / sqrt(x).
pub(super) fn rsqrt(x: u32) -> u32 {
    match x {
        x if is_zero(x) => x & SIGN | INFINITY,
        x if is_nan(x) || x & SIGN != 0 => NAN,
        INFINITY => 0,
        x => {
            let exponent = exponent(x);
            let significand = reciprocal_root(x & FRACTION, exponent & 1 != 0);
            // The significand is 2^24 where the root is 1.
            (((125 - (exponent >> 1)) as u32) << 23) + significand
        }
    }
}

/// sqrt(x).
pub(super) fn sqrt(x: u32) -> u32 {
    match x {
        x if is_zero(x) => x & SIGN,
        x if is_nan(x) || x & SIGN != 0 => NAN,
        INFINITY => INFINITY,
        x => {
            let exponent = exponent(x);
            let table = if exponent & 1 != 0 {
                &SQRT_ODD
            } else {
                &SQRT_EVEN
            };
            let fraction = interpolate(table, LOW, x & FRACTION) >> 17;
            (((exponent >> 1) + 127) as u32) << 23 | fraction as u32
        }
    }
}

/// 1 / 2 pi, as the assembler multiplies by it.
const TURN: u32 = 0x3e22_f983;

/// sin(x) or, a quarter turn on, cos(x).
pub(super) fn sine(x: u32, quarters: u32) -> u32 {
    let of_zero = if quarters == 0 { x & SIGN } else { ONE };
    if x & !SIGN >= INFINITY {
        return NAN;
    }
    if is_zero(x) {
        return of_zero;
    }
    // Turns, cut off to a significand of 24 bits and then to 25 bits behind the point.
    let product = u64::from(x & FRACTION | HIDDEN) * u64::from(TURN & FRACTION | HIDDEN);
    let cut_off = if product >> 47 != 0 { 24 } else { 23 };
    let point = 46 - cut_off - exponent(x) - exponent(TURN);
    let significand = product >> cut_off;
    let turns = match point - 25 {
        places @ 0..=63 => significand >> places,
        64.. => 0,
        // Whole turns alone may be left.
        places => significand.checked_shl(-places as u32).unwrap_or(0),
    };
    let quarter = (turns >> 23) as u32 + quarters;
    let angle = turns as u32 & FRACTION;
    let angle = if quarter & 1 != 0 {
        !angle & FRACTION
    } else {
        angle
    };
    let sign = if quarters == 0 { x & SIGN } else { 0 };
    let value = match angle {
        0 => 0,
        _ => cut(interpolate(&SIN, LOW, angle), 37),
    };
    (sign ^ (quarter & 2) << 30) | value
}

/// Exponents of x from which on `tanh` is interpolated, how many lower bits of the fraction do not
/// count there, and the first segment.
const BINADES: [(u32, usize); 11] = [
    (6, 0),
    (6, 1),
    (6, 2),
    (5, 3),
    (5, 5),
    (4, 7),
    (4, 11),
    (4, 15),
    (3, 19),
    (2, 27),
    (3, 43),
];

/// tanh(x): x itself below 2^-8, and 1 from 8 on.
pub(super) fn tanh(x: u32) -> u32 {
    let exponent = exponent(x);
    match exponent {
        _ if is_nan(x) => NAN,
        ..-8 => x,
        3.. => x & SIGN | ONE,
        _ => {
            let (ignored, first) = BINADES[(exponent + 8) as usize];
            let segments = &TANH[first..];
            let value = interpolate(segments, LOW, (x & FRACTION) >> ignored);
            x & SIGN | cut(value, 40)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_square_leaves_out_what_lies_below_its_upper_columns() {
        let whole = |x: u32, bits: u32| i64::from(x).pow(2) >> (2 * bits - 15);
        // One bit has one product.
        assert_eq!(square(1 << 16, LOW), whole(1 << 16, LOW));
        assert_eq!(square(1 << 9, LOW), 0);
        assert_eq!(square(0x1_ffff, LOW) - whole(0x1_ffff, LOW), -8);
    }

    #[test]
    fn special_values_are_those_of_the_ptx_isa() {
        for (function, at_zero, at_infinity, at_minus) in [
            (ex2 as fn(u32) -> u32, ONE, INFINITY, 0),
            (lg2, SIGN | INFINITY, INFINITY, NAN),
            (rcp, INFINITY, 0, SIGN),
            (rsqrt, INFINITY, 0, NAN),
            (sqrt, 0, INFINITY, NAN),
            (tanh, 0, ONE, SIGN | ONE),
        ] {
            assert_eq!(function(0), at_zero);
            assert_eq!(function(INFINITY), at_infinity);
            assert_eq!(function(SIGN | INFINITY), at_minus);
            assert_eq!(function(0xffc1_2345), NAN);
        }
    }
}
