//! What `lower::contract` makes of `mul` and of `add` or `sub`: a product or
//! quotient that keeps its factors, and the sum that takes factors for their product and
//! rounds once. No text decodes to these.

use ptx_syntax::Type;

use super::approximate::{self, full_quotient};
use super::decode::flag;
use super::float32::{again, canonical, flush, flushed, saturate};
use super::float64::or_nan;
use super::half::{self, BRAIN, PACKED, elements};
use super::softfloat::Mode;
use crate::ir::lanes::map2;
use crate::ir::{Frame, LANES, LaneFn, Operands, Row, Value, lane_fn, lanes, write};
use crate::lower::{FTZ, NEGATE_PRODUCT, NEGATE_TERM, SATURATE};

/// One 16-bit operation on one element or two.
macro_rules! half {
    (product, $traits:expr) => {
        lane_fn!(|f, o, m| keeping(f, o, m, |a: u32, b: u32, aux| {
            elements(flags(aux) | $traits, (a, b, 0), |format, a, b, _| {
                format.mul(a, b, Mode::Nearest)
            })
        }))
    };
    (sum, $traits:expr) => {
        lanes!(|a: u32, b: u32, c: u32; aux| -> u32 {
            elements(flags(aux) | $traits, (a, b, c), |format, a, b, c| {
                let sign = |set: u64| if aux & set != 0 { format.sign_bit() } else { 0 };
                let (a, c) = (a ^ sign(NEGATE_PRODUCT), c ^ sign(NEGATE_TERM));
                format.fma(a, b, c, Mode::Nearest)
            })
        })
    };
}

/// The flags as 16-bit operations have them.
#[inline(always)]
fn flags(aux: u64) -> u64 {
    flag(aux & FTZ != 0, half::FTZ) | flag(aux & SATURATE != 0, half::SATURATE)
}

/// A product that also writes its factors, to `d[1]` and `d[2]`.
#[inline(always)]
fn keeping<A: Value>(
    frame: &mut Frame<'_>,
    operands: &Operands,
    mask: u32,
    f: impl Fn(A, A, u64) -> A,
) {
    let factors = [operands.s[0], operands.s[1]].map(|source| *A::row(frame, source));
    map2(frame, operands, mask, f);
    for (slot, factor) in operands.d[1..].iter().zip(&factors) {
        write(A::row_mut(frame, *slot), factor, mask);
    }
}

/// `d[0]` = s0 * s1, `d[1]` = s0, `d[2]` = s1.
pub(crate) fn product(ty: Type) -> LaneFn {
    match ty {
        Type::F64 => lane_fn!(|f, o, m| keeping(f, o, m, |a: u64, b: u64, _| {
            let (a, b) = (f64::from_bits(a), f64::from_bits(b));
            or_nan(a * b, [b, a, 0.0])
        })),
        Type::F32 => lane_fn!(|f, o, m| keeping(f, o, m, |a: u32, b: u32, aux| {
            let (a, b) = (f32::from_bits(a), f32::from_bits(b));
            if aux & FTZ != 0 {
                let (a, b) = (flush(a), flush(b));
                flushed(a * b, || again(2, &[a, b]))
            } else {
                canonical(a * b)
            }
        })),
        Type::F16 => half!(product, 0),
        Type::F16x2 => half!(product, PACKED),
        Type::BF16 => half!(product, BRAIN),
        _ => half!(product, BRAIN | PACKED),
    }
}

/// `d[0]` = s0 / s1, `d[1]` and `d[2]` = the factors that it is made of.
pub(crate) fn quotient(full: bool) -> LaneFn {
    match full {
        true => lane_fn!(|f, o, m| divided(f, o, m, full_quotient)),
        false => lane_fn!(|f, o, m| divided(f, o, m, approximate::quotient)),
    }
}

#[inline(always)]
fn divided(
    frame: &mut Frame<'_>,
    operands: &Operands,
    mask: u32,
    factors: impl Fn(f32, f32) -> [f32; 2],
) {
    let ftz = operands.aux & FTZ != 0;
    let flushing = |x: f32| if ftz { flush(x) } else { x };
    let sources = [operands.s[0], operands.s[1]].map(|source| *u32::row(frame, source));
    let mut rows = [Row::<u32>::default(); 3];
    for lane in 0..LANES {
        let [a, b] = [0, 1].map(|side| flushing(f32::from_bits(sources[side].0[lane])));
        let [a, b] = factors(a, b).map(flushing);
        let product = match ftz {
            true => flushed(a * b, || again(2, &[a, b])),
            false => canonical(a * b),
        };
        for (row, bits) in rows.iter_mut().zip([product, a.to_bits(), b.to_bits()]) {
            row.0[lane] = bits;
        }
    }
    for (slot, row) in operands.d.iter().zip(&rows) {
        write(u32::row_mut(frame, *slot), row, mask);
    }
}

/// `d[0]` = s0 * s1 + s2, rounded once.
pub(crate) fn sum(ty: Type) -> LaneFn {
    match ty {
        // The sign of a NaN stays, as in `sub`.
        Type::F64 => lanes!(|a: f64, b: f64, c: f64; aux| -> u64 {
            let x = if aux & NEGATE_PRODUCT != 0 { -a } else { a };
            let z = if aux & NEGATE_TERM != 0 { -c } else { c };
            or_nan(x.mul_add(b, z), [b, c, a])
        }),
        Type::F32 => lanes!(|a: f32, b: f32, c: f32; aux| -> u32 {
            let a = if aux & NEGATE_PRODUCT != 0 { -a } else { a };
            let c = if aux & NEGATE_TERM != 0 { -c } else { c };
            let bits = if aux & FTZ != 0 {
                let (a, b, c) = (flush(a), flush(b), flush(c));
                flushed(a.mul_add(b, c), || again(3, &[a, b, c]))
            } else {
                canonical(a.mul_add(b, c))
            };
            if aux & SATURATE != 0 {
                saturate(f32::from_bits(bits)).to_bits()
            } else {
                bits
            }
        }),
        Type::F16 => half!(sum, 0),
        Type::F16x2 => half!(sum, PACKED),
        Type::BF16 => half!(sum, BRAIN),
        _ => half!(sum, BRAIN | PACKED),
    }
}
