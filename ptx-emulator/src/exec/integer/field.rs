//! Bit fields: `bfe` and `bfi`.

use super::lanes_of;
use crate::ast::Type;
use crate::exec::{Value, lane_fn, lanes, write};
use crate::ir::{LaneFn, Row};
use crate::lower::decoder::{Decoded, Decoder, Reason};

pub(super) fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let ty = d.ty()?;
    if d.opcode() == "bfe" {
        let run = match ty {
            Type::U32 => Some(lanes!(|a: u32, b: u32, c: u32| -> u32 {
                extract(u64::from(a), b, c, 32, false) as u32
            })),
            Type::S32 => Some(lanes!(|a: u32, b: u32, c: u32| -> u32 {
                extract(u64::from(a), b, c, 32, true) as u32
            })),
            Type::U64 => Some(lanes!(|a: u64, b: u32, c: u32| -> u64 {
                extract(a, b, c, 64, false)
            })),
            Type::S64 => Some(lanes!(|a: u64, b: u32, c: u32| -> u64 {
                extract(a, b, c, 64, true)
            })),
            _ => None,
        };
        return lanes_of(d, run, ty, &[ty, Type::U32, Type::U32]);
    }
    let run: Option<LaneFn> = match ty {
        Type::B32 => Some(lane_fn!(|f, o, m| {
            let mut out = Row::<u32>::default();
            let (a, b) = (u32::row(f, o.s[0]), u32::row(f, o.s[1]));
            let (start, length) = (u32::row(f, o.s[2]), u32::row(f, o.s[3]));
            for lane in 0..32 {
                out.0[lane] = insert(
                    u64::from(a.0[lane]),
                    u64::from(b.0[lane]),
                    start.0[lane],
                    length.0[lane],
                    32,
                ) as u32;
            }
            write(u32::row_mut(f, o.d[0]), &out, m);
        })),
        Type::B64 => Some(lane_fn!(|f, o, m| {
            let mut out = Row::<u64>::default();
            let (a, b) = (u64::row(f, o.s[0]), u64::row(f, o.s[1]));
            let (start, length) = (u32::row(f, o.s[2]), u32::row(f, o.s[3]));
            for lane in 0..32 {
                out.0[lane] = insert(a.0[lane], b.0[lane], start.0[lane], length.0[lane], 64);
            }
            write(u64::row_mut(f, o.d[0]), &out, m);
        })),
        _ => None,
    };
    lanes_of(d, run, ty, &[ty, ty, Type::U32, Type::U32])
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
