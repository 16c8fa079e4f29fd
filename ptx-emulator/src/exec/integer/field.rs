//! Bit fields: `bfe` and `bfi`.

use ptx_syntax::Type;

use super::integers;
use crate::ir::{LANES, Row, Value, lane_fn, lanes, write};
use crate::lower::{Decoded, Decoder, Reason};

pub(super) fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let ty = d.ty()?;
    macro_rules! extract {
        ($T:ty, $signed:expr) => {
            Some(lanes!(|a: $T, b: u32, c: u32| -> $T {
                extract(u64::from(a), b, c, <$T>::BITS, $signed) as $T
            }))
        };
    }
    macro_rules! insert {
        ($T:ty) => {
            Some(lane_fn!(|f, o, m| {
                let [a, b] = [o.s[0], o.s[1]].map(|source| <$T>::row(f, source));
                let [start, length] = [o.s[2], o.s[3]].map(|source| u32::row(f, source));
                let mut out = Row::<$T>::default();
                for lane in 0..LANES {
                    let (a, b) = (u64::from(a.0[lane]), u64::from(b.0[lane]));
                    let (start, length) = (start.0[lane], length.0[lane]);
                    out.0[lane] = insert(a, b, start, length, <$T>::BITS) as $T;
                }
                write(<$T>::row_mut(f, o.d[0]), &out, m);
            }))
        };
    }
    if d.opcode() == "bfe" {
        let run = match ty {
            Type::U32 => extract!(u32, false),
            Type::S32 => extract!(u32, true),
            Type::U64 => extract!(u64, false),
            Type::S64 => extract!(u64, true),
            _ => None,
        };
        return integers(d, run, 0, ty, &[ty, Type::U32, Type::U32]);
    }
    let run = match ty {
        Type::B32 => insert!(u32),
        Type::B64 => insert!(u64),
        _ => None,
    };
    integers(d, run, 0, ty, &[ty, ty, Type::U32, Type::U32])
}

/// PTX has them up to 255; of more, an H200 takes the low 8 bits, or of 64 bits all.
#[inline(always)]
fn bounds(start: u32, length: u32, width: u32) -> (u32, u32) {
    let within = |n: u32| if width == 32 { n & 0xff } else { n.min(0xff) };
    (within(start), within(length))
}

/// `bfe`: beyond the top, the sign (or zero) goes on.
#[inline(always)]
fn extract(a: u64, start: u32, length: u32, width: u32, signed: bool) -> u64 {
    let (start, length) = bounds(start, length, width);
    if length == 0 {
        return 0;
    }
    let top = (start + length - 1).min(width - 1);
    let sign = signed && a >> top & 1 != 0;
    let above = if sign { u64::MAX } else { 0 };
    let body = if start >= width { 0 } else { a >> start };
    let kept = if start >= width { 0 } else { top + 1 - start };
    let mask = if kept >= 64 {
        u64::MAX
    } else {
        (1 << kept) - 1
    };
    body & mask | above & !mask
}

/// `bfi`: `a` into `b`.
#[inline(always)]
fn insert(a: u64, b: u64, start: u32, length: u32, width: u32) -> u64 {
    let (start, length) = bounds(start, length, width);
    if start >= width || length == 0 {
        return b;
    }
    let mask = if length >= 64 {
        u64::MAX
    } else {
        (1 << length) - 1
    } << start;
    b & !mask | a << start & mask
}
