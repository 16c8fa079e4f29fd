//! Integer arithmetic: `add`, `sub`, `mul`, `mad`, `div`, `rem`, `abs`,
//! `neg`, `min`, `max`, `sad`, and the bit counts.
//!
//! Quotient and remainder of a division by zero are all ones, as on an H200;
//! PTX leaves both open.

mod field;

use ptx_syntax::Type;

use super::Group;
use super::decode::each_type;
use crate::ir::{LaneFn, lanes};
use crate::lower::{Decoded, Decoder, Reason};
use crate::observe::Class;

pub(crate) const GROUP: Group = Group {
    name: "integer",
    forms: &[
        "add sub: u16 s16 u32 s32 u64 s64; .sat s32",
        "mul: .lo .hi .wide; u16 s16 u32 s32 u64 s64",
        "mad: .lo .hi .wide; u16 s16 u32 s32 u64 s64; .hi.sat s32",
        "mul24: .lo .hi; u32 s32",
        "mad24: .lo .hi; u32 s32; .hi.sat s32",
        "div rem: u16 s16 u32 s32 u64 s64",
        "abs neg: s16 s32 s64",
        "min max sad: u16 s16 u32 s32 u64 s64",
        "popc clz brev: b32 b64",
        "bfind: u32 s32 u64 s64; .shiftamt",
        "bfe: u32 s32 u64 s64",
        "bfi: b32 b64",
        "dp4a: u32 s32 by u32 s32",
        "dp2a: .lo .hi; u32 s32 by u32 s32",
    ],
    decode,
};

/// Products of twice the width.
trait Product: Sized {
    type Wide;
    fn wide(self, other: Self) -> Self::Wide;
    fn high(self, other: Self) -> Self;
}

macro_rules! product {
    ($($T:ident $Wide:ident),*) => {
        $(impl Product for $T {
            type Wide = $Wide;
            #[inline(always)]
            fn wide(self, other: $T) -> $Wide {
                $Wide::from(self) * $Wide::from(other)
            }
            #[inline(always)]
            fn high(self, other: $T) -> $T {
                (self.wide(other) >> $T::BITS) as $T
            }
        })*
    };
}

product!(u16 u32, i16 i32, u32 u64, i32 i64, u64 u128, i64 i128);

/// The same closure on each integer type, for all operands and the result.
macro_rules! each_integer {
    ($ty:expr, $($closure:tt)*) => {
        each_type!($ty, [U16 u16, S16 i16, U32 u32, S32 i32, U64 u64, S64 i64], $($closure)*)
    };
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    match d.opcode() {
        "mul" | "mad" => multiply(d),
        "mul24" | "mad24" => multiply24(d),
        "popc" | "clz" | "brev" | "bfind" => count(d),
        "bfe" | "bfi" => field::decode(d),
        "dp4a" | "dp2a" => dot(d),
        "abs" | "neg" => {
            let ty = d.ty()?;
            let run = match d.opcode() {
                "abs" => each_type!(ty, [S16 i16, S32 i32, S64 i64], (a) { a.wrapping_abs() }),
                _ => each_type!(ty, [S16 i16, S32 i32, S64 i64], (a) { a.wrapping_neg() }),
            };
            integers(d, run, 0, ty, &[ty])
        }
        "sad" => {
            let ty = d.ty()?;
            let run = each_integer!(ty, (a, b, c) { c.wrapping_add(a.abs_diff(b) as _) });
            integers(d, run, 0, ty, &[ty; 3])
        }
        _ => binary(d),
    }
}

pub(super) fn integers(
    d: &mut Decoder<'_, '_>,
    run: Option<LaneFn>,
    aux: u64,
    result: Type,
    sources: &[Type],
) -> Result<Decoded, Reason> {
    d.each_lane_of(run, aux, Class::Integer, result, sources)
}

fn binary(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let saturate = matches!(d.opcode(), "add" | "sub") && d.take("sat");
    let ty = d.ty()?;
    let run = match (d.opcode(), saturate) {
        ("add", true) => each_type!(ty, [S32 i32], (a, b) { a.saturating_add(b) }),
        (_, true) => each_type!(ty, [S32 i32], (a, b) { a.saturating_sub(b) }),
        ("add", _) => each_integer!(ty, (a, b) { a.wrapping_add(b) }),
        ("sub", _) => each_integer!(ty, (a, b) { a.wrapping_sub(b) }),
        ("div", _) => each_integer!(ty, (a, b) { if b == 0 { !0 } else { a.wrapping_div(b) } }),
        ("rem", _) => each_integer!(ty, (a, b) { if b == 0 { !0 } else { a.wrapping_rem(b) } }),
        ("min", _) => each_integer!(ty, (a, b) { a.min(b) }),
        _ => each_integer!(ty, (a, b) { a.max(b) }),
    };
    integers(d, run, 0, ty, &[ty; 2])
}

fn multiply(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let part = d.one_of(&["lo", "hi", "wide"])?;
    let add = d.opcode() == "mad";
    let saturate = add && part == "hi" && d.take("sat");
    let ty = d.ty()?;
    macro_rules! wide {
        ($T:ty, $Wide:ty) => {
            Some(match add {
                true => lanes!(|a: $T, b: $T, c: $Wide| -> $Wide { a.wide(b).wrapping_add(c) }),
                false => lanes!(|a: $T, b: $T| -> $Wide { a.wide(b) }),
            })
        };
    }
    let mut result = ty;
    let run = match (part, add) {
        _ if saturate => each_type!(ty, [S32 i32], (a, b, c) { a.high(b).saturating_add(c) }),
        ("lo", false) => each_integer!(ty, (a, b) { a.wrapping_mul(b) }),
        ("lo", true) => each_integer!(ty, (a, b, c) { a.wrapping_mul(b).wrapping_add(c) }),
        ("hi", false) => each_integer!(ty, (a, b) { a.high(b) }),
        ("hi", true) => each_integer!(ty, (a, b, c) { a.high(b).wrapping_add(c) }),
        _ => {
            let run;
            (result, run) = match ty {
                Type::U16 => (Type::U32, wide!(u16, u32)),
                Type::S16 => (Type::S32, wide!(i16, i32)),
                Type::U32 => (Type::U64, wide!(u32, u64)),
                Type::S32 => (Type::S64, wide!(i32, i64)),
                _ => (ty, None),
            };
            run
        }
    };
    let sources = [ty, ty, result];
    integers(d, run, 0, result, &sources[..if add { 3 } else { 2 }])
}

/// The product of the low 24 bits has 48: `.lo` is its low 32, `.hi` its high
/// 32.
fn multiply24(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let part = d.one_of(&["lo", "hi"])?;
    let add = d.opcode() == "mad24";
    let saturate = add && part == "hi" && d.take("sat");
    let ty = d.ty()?;
    macro_rules! shifted {
        ($a:ident, $b:ident, $shift:ident) => {
            ($a << 8 >> 8).wide($b << 8 >> 8) >> $shift
        };
    }
    let run = match (saturate, add) {
        (true, _) => each_type!(ty, [S32 i32], (a, b, c; shift) {
            (shifted!(a, b, shift) as i32).saturating_add(c)
        }),
        (_, false) => each_type!(ty, [U32 u32, S32 i32], (a, b; shift) {
            shifted!(a, b, shift) as _
        }),
        (_, true) => each_type!(ty, [U32 u32, S32 i32], (a, b, c; shift) {
            c.wrapping_add(shifted!(a, b, shift) as _)
        }),
    };
    let shift = if part == "lo" { 0 } else { 16 };
    integers(d, run, shift, ty, &[ty; 3][..if add { 3 } else { 2 }])
}

fn count(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let shift_amount = d.opcode() == "bfind" && d.take("shiftamt");
    let ty = d.ty()?;
    let run = match (d.opcode(), ty) {
        ("popc", Type::B32) => Some(lanes!(|a: u32| -> u32 { a.count_ones() })),
        ("popc", Type::B64) => Some(lanes!(|a: u64| -> u32 { a.count_ones() })),
        ("clz", Type::B32) => Some(lanes!(|a: u32| -> u32 { a.leading_zeros() })),
        ("clz", Type::B64) => Some(lanes!(|a: u64| -> u32 { a.leading_zeros() })),
        ("brev", _) => each_type!(ty, [B32 u32, B64 u64], (a) { a.reverse_bits() }),
        // The most significant bit that is not a copy of the sign; none: all
        // ones. `.shiftamt` counts from the top.
        ("bfind", Type::U32) => Some(lanes!(|a: u32; shift| -> u32 { find(a.into(), 32, shift) })),
        ("bfind", Type::S32) => {
            Some(lanes!(|a: i32; shift| -> u32 { find(((a ^ a >> 31) as u32).into(), 32, shift) }))
        }
        ("bfind", Type::U64) => Some(lanes!(|a: u64; shift| -> u32 { find(a, 64, shift) })),
        ("bfind", Type::S64) => {
            Some(lanes!(|a: i64; shift| -> u32 { find((a ^ a >> 63) as u64, 64, shift) }))
        }
        _ => None,
    };
    let result = match run {
        Some(_) if d.opcode() != "brev" => Type::U32,
        _ => ty,
    };
    integers(d, run, u64::from(shift_amount), result, &[ty])
}

#[inline(always)]
fn find(a: u64, width: u32, shift_amount: u64) -> u32 {
    match a.leading_zeros() {
        64 => u32::MAX,
        zeros if shift_amount != 0 => zeros + width - 64,
        zeros => 63 - zeros,
    }
}

fn dot(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let half = match d.opcode() {
        "dp2a" => d.one_of(&["lo", "hi"])?,
        _ => "",
    };
    let words = [Type::U32, Type::S32];
    let (a, b) = (d.type_of(&words)?, d.type_of(&words)?);
    // aux: bit 0 a signed, bit 1 b signed, bit 2 the high half of b.
    let aux =
        u64::from(a.is_signed()) | u64::from(b.is_signed()) << 1 | u64::from(half == "hi") << 2;
    let run = if d.opcode() == "dp4a" {
        lanes!(|a: u32, b: u32, c: u32; aux| -> u32 {
            (0..4).fold(c, |sum, i| {
                let x = part(a >> (8 * i), 8, aux & 1 != 0);
                let y = part(b >> (8 * i), 8, aux & 2 != 0);
                sum.wrapping_add(x.wrapping_mul(y))
            })
        })
    } else {
        lanes!(|a: u32, b: u32, c: u32; aux| -> u32 {
            let b = if aux & 4 != 0 { b >> 16 } else { b };
            (0..2).fold(c, |sum, i| {
                let x = part(a >> (16 * i), 16, aux & 1 != 0);
                let y = part(b >> (8 * i), 8, aux & 2 != 0);
                sum.wrapping_add(x.wrapping_mul(y))
            })
        })
    };
    integers(d, Some(run), aux, Type::U32, &[Type::U32; 3])
}

/// The low `bits` of `word`, extended to 32 bits.
#[inline(always)]
fn part(word: u32, bits: u32, signed: bool) -> u32 {
    let up = 32 - bits;
    if signed {
        ((word << up) as i32 >> up) as u32
    } else {
        word << up >> up
    }
}
