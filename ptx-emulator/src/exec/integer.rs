//! Integer arithmetic: `add`, `sub`, `mul`, `mad`, `div`, `rem`, `abs`,
//! `neg`, `min`, `max`, `sad`, carries, and the bit counts.
//!
//! Quotient and remainder of a division by zero are all ones, as on an H200;
//! PTX leaves both open.

mod field;

use super::{Group, lanes};
use crate::ast::Type;
use crate::ir::{Class, LaneFn, Operands};
use crate::lower::decoder::{Decoded, Decoder, Reason};

pub(crate) const GROUP: Group = Group {
    name: "integer",
    opcodes: &[
        ("add", "u16 s16 u32 s32 u64 s64; .sat s32"),
        ("sub", "u16 s16 u32 s32 u64 s64; .sat s32"),
        ("mul", ".lo .hi .wide; u16 s16 u32 s32 u64 s64"),
        ("mad", ".lo .hi .wide; u16 s16 u32 s32 u64 s64; .hi.sat s32"),
        ("mul24", ".lo .hi; u32 s32"),
        ("mad24", ".lo .hi; u32 s32; .hi.sat s32"),
        ("div", "u16 s16 u32 s32 u64 s64"),
        ("rem", "u16 s16 u32 s32 u64 s64"),
        ("abs", "s16 s32 s64"),
        ("neg", "s16 s32 s64"),
        ("min", "u16 s16 u32 s32 u64 s64"),
        ("max", "u16 s16 u32 s32 u64 s64"),
        ("sad", "u16 s16 u32 s32 u64 s64"),
        ("popc", "b32 b64"),
        ("clz", "b32 b64"),
        ("brev", "b32 b64"),
        ("bfind", "u32 s32 u64 s64; .shiftamt"),
        ("bfe", "u32 s32 u64 s64"),
        ("bfi", "b32 b64"),
        ("dp4a", "u32 s32 by u32 s32"),
        ("dp2a", ".lo .hi; u32 s32 by u32 s32"),
    ],
    decode,
};

/// The same closure on each integer type.
macro_rules! each_type {
    ($ty:expr, |$a:ident, $b:ident| $body:expr) => {
        match $ty {
            Type::U16 => Some(lanes!(|$a: u16, $b: u16| -> u16 { $body })),
            Type::S16 => Some(lanes!(|$a: i16, $b: i16| -> i16 { $body })),
            Type::U32 => Some(lanes!(|$a: u32, $b: u32| -> u32 { $body })),
            Type::S32 => Some(lanes!(|$a: i32, $b: i32| -> i32 { $body })),
            Type::U64 => Some(lanes!(|$a: u64, $b: u64| -> u64 { $body })),
            Type::S64 => Some(lanes!(|$a: i64, $b: i64| -> i64 { $body })),
            _ => None,
        }
    };
}

macro_rules! each_signed {
    ($ty:expr, |$a:ident| $body:expr) => {
        match $ty {
            Type::S16 => Some(lanes!(|$a: i16| -> i16 { $body })),
            Type::S32 => Some(lanes!(|$a: i32| -> i32 { $body })),
            Type::S64 => Some(lanes!(|$a: i64| -> i64 { $body })),
            _ => None,
        }
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
                "abs" => each_signed!(ty, |a| a.wrapping_abs()),
                _ => each_signed!(ty, |a| a.wrapping_neg()),
            };
            lanes_of(d, run, ty, &[ty])
        }
        "sad" => {
            let ty = d.ty()?;
            let run = match ty {
                Type::U16 => Some(lanes!(|a: u16, b: u16, c: u16| -> u16 {
                    c.wrapping_add(a.abs_diff(b))
                })),
                Type::S16 => Some(lanes!(|a: i16, b: i16, c: u16| -> u16 {
                    c.wrapping_add(a.abs_diff(b))
                })),
                Type::U32 => Some(lanes!(|a: u32, b: u32, c: u32| -> u32 {
                    c.wrapping_add(a.abs_diff(b))
                })),
                Type::S32 => Some(lanes!(|a: i32, b: i32, c: u32| -> u32 {
                    c.wrapping_add(a.abs_diff(b))
                })),
                Type::U64 => Some(lanes!(|a: u64, b: u64, c: u64| -> u64 {
                    c.wrapping_add(a.abs_diff(b))
                })),
                Type::S64 => Some(lanes!(|a: i64, b: i64, c: u64| -> u64 {
                    c.wrapping_add(a.abs_diff(b))
                })),
                _ => None,
            };
            lanes_of(d, run, ty, &[ty, ty, ty])
        }
        _ => binary(d),
    }
}

/// Operands of `run`: a destination and one source a type.
fn lanes_of(
    d: &mut Decoder<'_, '_>,
    run: Option<LaneFn>,
    result: Type,
    sources: &[Type],
) -> Result<Decoded, Reason> {
    let Some(run) = run else {
        return Err(d.unsupported_type(result));
    };
    d.finish(1 + sources.len())?;
    let mut operands = Operands::default();
    operands.d[0] = d.destination(0, result)?;
    for (index, &ty) in sources.iter().enumerate() {
        operands.s[index] = d.source(index + 1, ty)?;
    }
    Ok(Decoded::lanes(run, operands, Class::Integer))
}

fn binary(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let saturate = matches!(d.opcode(), "add" | "sub") && d.take("sat");
    let ty = d.ty()?;
    let run = match (d.opcode(), saturate) {
        ("add", true) if ty == Type::S32 => {
            Some(lanes!(|a: i32, b: i32| -> i32 { a.saturating_add(b) }))
        }
        ("sub", true) if ty == Type::S32 => {
            Some(lanes!(|a: i32, b: i32| -> i32 { a.saturating_sub(b) }))
        }
        (_, true) => None,
        ("add", _) => each_type!(ty, |a, b| a.wrapping_add(b)),
        ("sub", _) => each_type!(ty, |a, b| a.wrapping_sub(b)),
        ("div", _) => each_type!(ty, |a, b| if b == 0 { !0 } else { a.wrapping_div(b) }),
        ("rem", _) => each_type!(ty, |a, b| if b == 0 { !0 } else { a.wrapping_rem(b) }),
        ("min", _) => each_type!(ty, |a, b| a.min(b)),
        ("max", _) => each_type!(ty, |a, b| a.max(b)),
        _ => None,
    };
    lanes_of(d, run, ty, &[ty, ty])
}

fn multiply(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let Some(part) = d.take_any(&["lo", "hi", "wide"]) else {
        return Err(d.unknown_modifier());
    };
    let saturate = d.opcode() == "mad" && part == "hi" && d.take("sat");
    let ty = d.ty()?;
    let add = d.opcode() == "mad";
    let run = match (part, ty, add) {
        _ if saturate && ty != Type::S32 => None,
        _ if saturate => Some(lanes!(|a: i32, b: i32, c: i32| -> i32 {
            (((i64::from(a) * i64::from(b)) >> 32) as i32).saturating_add(c)
        })),
        ("lo", _, false) => each_type!(ty, |a, b| a.wrapping_mul(b)),
        ("lo", Type::U16 | Type::S16, true) => Some(lanes!(|a: u16, b: u16, c: u16| -> u16 {
            a.wrapping_mul(b).wrapping_add(c)
        })),
        ("lo", Type::U32 | Type::S32, true) => Some(lanes!(|a: u32, b: u32, c: u32| -> u32 {
            a.wrapping_mul(b).wrapping_add(c)
        })),
        ("lo", Type::U64 | Type::S64, true) => Some(lanes!(|a: u64, b: u64, c: u64| -> u64 {
            a.wrapping_mul(b).wrapping_add(c)
        })),
        ("hi", _, false) => high(ty),
        ("hi", _, true) => high_add(ty),
        ("wide", Type::U16, false) => Some(lanes!(|a: u16, b: u16| -> u32 {
            u32::from(a) * u32::from(b)
        })),
        ("wide", Type::S16, false) => Some(lanes!(|a: i16, b: i16| -> i32 {
            i32::from(a) * i32::from(b)
        })),
        ("wide", Type::U32, false) => Some(lanes!(|a: u32, b: u32| -> u64 {
            u64::from(a) * u64::from(b)
        })),
        ("wide", Type::S32, false) => Some(lanes!(|a: i32, b: i32| -> i64 {
            i64::from(a) * i64::from(b)
        })),
        ("wide", Type::U16, true) => Some(lanes!(|a: u16, b: u16, c: u32| -> u32 {
            (u32::from(a) * u32::from(b)).wrapping_add(c)
        })),
        ("wide", Type::S16, true) => Some(lanes!(|a: i16, b: i16, c: i32| -> i32 {
            (i32::from(a) * i32::from(b)).wrapping_add(c)
        })),
        ("wide", Type::U32, true) => Some(lanes!(|a: u32, b: u32, c: u64| -> u64 {
            (u64::from(a) * u64::from(b)).wrapping_add(c)
        })),
        ("wide", Type::S32, true) => Some(lanes!(|a: i32, b: i32, c: i64| -> i64 {
            (i64::from(a) * i64::from(b)).wrapping_add(c)
        })),
        _ => None,
    };
    let result = match (part, ty) {
        ("wide", Type::U16) => Type::U32,
        ("wide", Type::S16) => Type::S32,
        ("wide", Type::U32) => Type::U64,
        ("wide", Type::S32) => Type::S64,
        _ => ty,
    };
    if add {
        lanes_of(d, run, result, &[ty, ty, result])
    } else {
        lanes_of(d, run, result, &[ty, ty])
    }
}

fn high(ty: Type) -> Option<LaneFn> {
    Some(match ty {
        Type::U16 => {
            lanes!(|a: u16, b: u16| -> u16 { ((u32::from(a) * u32::from(b)) >> 16) as u16 })
        }
        Type::S16 => {
            lanes!(|a: i16, b: i16| -> i16 { ((i32::from(a) * i32::from(b)) >> 16) as i16 })
        }
        Type::U32 => {
            lanes!(|a: u32, b: u32| -> u32 { ((u64::from(a) * u64::from(b)) >> 32) as u32 })
        }
        Type::S32 => {
            lanes!(|a: i32, b: i32| -> i32 { ((i64::from(a) * i64::from(b)) >> 32) as i32 })
        }
        Type::U64 => {
            lanes!(|a: u64, b: u64| -> u64 { ((u128::from(a) * u128::from(b)) >> 64) as u64 })
        }
        Type::S64 => {
            lanes!(|a: i64, b: i64| -> i64 { ((i128::from(a) * i128::from(b)) >> 64) as i64 })
        }
        _ => return None,
    })
}

fn high_add(ty: Type) -> Option<LaneFn> {
    Some(match ty {
        Type::U16 => {
            lanes!(|a: u16, b: u16, c: u16| -> u16 {
                (((u32::from(a) * u32::from(b)) >> 16) as u16).wrapping_add(c)
            })
        }
        Type::S16 => {
            lanes!(|a: i16, b: i16, c: i16| -> i16 {
                (((i32::from(a) * i32::from(b)) >> 16) as i16).wrapping_add(c)
            })
        }
        Type::U32 => {
            lanes!(|a: u32, b: u32, c: u32| -> u32 {
                (((u64::from(a) * u64::from(b)) >> 32) as u32).wrapping_add(c)
            })
        }
        Type::S32 => {
            lanes!(|a: i32, b: i32, c: i32| -> i32 {
                (((i64::from(a) * i64::from(b)) >> 32) as i32).wrapping_add(c)
            })
        }
        Type::U64 => {
            lanes!(|a: u64, b: u64, c: u64| -> u64 {
                (((u128::from(a) * u128::from(b)) >> 64) as u64).wrapping_add(c)
            })
        }
        Type::S64 => {
            lanes!(|a: i64, b: i64, c: i64| -> i64 {
                (((i128::from(a) * i128::from(b)) >> 64) as i64).wrapping_add(c)
            })
        }
        _ => return None,
    })
}

/// The product of the low 24 bits has 48: `.lo` is its low 32, `.hi` its high
/// 32.
fn multiply24(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let Some(part) = d.take_any(&["lo", "hi"]) else {
        return Err(d.unknown_modifier());
    };
    let add = d.opcode() == "mad24";
    let saturate = add && part == "hi" && d.take("sat");
    let ty = d.ty()?;
    let shift = if part == "lo" { 0 } else { 16 };
    let run = match (ty, add) {
        _ if saturate && ty != Type::S32 => None,
        _ if saturate => Some(lanes!(|a: i32, b: i32, c: i32; shift| -> i32 {
            (((i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8)) >> shift) as i32).saturating_add(c)
        })),
        (Type::U32, false) => Some(lanes!(|a: u32, b: u32; shift| -> u32 {
            ((u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)) >> shift) as u32
        })),
        (Type::S32, false) => Some(lanes!(|a: i32, b: i32; shift| -> i32 {
            ((i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8)) >> shift) as i32
        })),
        (Type::U32, true) => Some(lanes!(|a: u32, b: u32, c: u32; shift| -> u32 {
            (((u64::from(a & 0xff_ffff) * u64::from(b & 0xff_ffff)) >> shift) as u32).wrapping_add(c)
        })),
        (Type::S32, true) => Some(lanes!(|a: i32, b: i32, c: i32; shift| -> i32 {
            (((i64::from(a << 8 >> 8) * i64::from(b << 8 >> 8)) >> shift) as i32).wrapping_add(c)
        })),
        _ => None,
    };
    let mut decoded = if add {
        lanes_of(d, run, ty, &[ty; 3])
    } else {
        lanes_of(d, run, ty, &[ty; 2])
    }?;
    decoded.operands.aux = shift;
    Ok(decoded)
}

fn count(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let shift_amount = d.opcode() == "bfind" && d.take("shiftamt");
    let ty = d.ty()?;
    let run = match (d.opcode(), ty) {
        ("popc", Type::B32) => Some(lanes!(|a: u32| -> u32 { a.count_ones() })),
        ("popc", Type::B64) => Some(lanes!(|a: u64| -> u32 { a.count_ones() })),
        ("clz", Type::B32) => Some(lanes!(|a: u32| -> u32 { a.leading_zeros() })),
        ("clz", Type::B64) => Some(lanes!(|a: u64| -> u32 { a.leading_zeros() })),
        ("brev", Type::B32) => Some(lanes!(|a: u32| -> u32 { a.reverse_bits() })),
        ("brev", Type::B64) => Some(lanes!(|a: u64| -> u64 { a.reverse_bits() })),
        // The most significant bit that is not a copy of the sign; none: all
        // ones. `.shiftamt` counts from the top.
        ("bfind", Type::U32) => Some(lanes!(|a: u32; shift| -> u32 { find32(a, shift) })),
        ("bfind", Type::S32) => Some(
            lanes!(|a: u32; shift| -> u32 { find32(if a >> 31 != 0 { !a } else { a }, shift) }),
        ),
        ("bfind", Type::U64) => Some(lanes!(|a: u64; shift| -> u32 { find64(a, shift) })),
        ("bfind", Type::S64) => Some(
            lanes!(|a: u64; shift| -> u32 { find64(if a >> 63 != 0 { !a } else { a }, shift) }),
        ),
        _ => None,
    };
    let result = if d.opcode() == "brev" { ty } else { Type::U32 };
    let Some(run) = run else {
        return Err(d.unsupported_type(ty));
    };
    let mut decoded = lanes_of(d, Some(run), result, &[ty])?;
    decoded.operands.aux = u64::from(shift_amount);
    Ok(decoded)
}

#[inline(always)]
fn find32(a: u32, shift_amount: u64) -> u32 {
    match a.leading_zeros() {
        32 => u32::MAX,
        zeros if shift_amount != 0 => zeros,
        zeros => 31 - zeros,
    }
}

#[inline(always)]
fn find64(a: u64, shift_amount: u64) -> u32 {
    match a.leading_zeros() {
        64 => u32::MAX,
        zeros if shift_amount != 0 => zeros,
        zeros => 63 - zeros,
    }
}

fn dot(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let half = if d.opcode() == "dp2a" {
        d.take_any(&["lo", "hi"])
    } else {
        None
    };
    if d.opcode() == "dp2a" && half.is_none() {
        return Err(d.unknown_modifier());
    }
    let (a, b) = (d.ty()?, d.ty()?);
    for ty in [a, b] {
        if !matches!(ty, Type::U32 | Type::S32) {
            return Err(d.unsupported_type(ty));
        }
    }
    // aux: bit 0 a signed, bit 1 b signed, bit 2 the high half of b.
    let aux = u64::from(a.is_signed())
        | u64::from(b.is_signed()) << 1
        | u64::from(half == Some("hi")) << 2;
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
    let mut decoded = lanes_of(d, Some(run), Type::U32, &[Type::U32; 3])?;
    decoded.operands.aux = aux;
    Ok(decoded)
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
