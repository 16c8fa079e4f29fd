//! Comparison and selection: `setp`, `set`, `selp`, `slct`, `testp`.

use super::{Group, Value, lane_fn, lanes, predicate, test2, write, write_predicate};
use crate::ast::{Operand, Type};
use crate::ir::{Class, Frame, LaneFn, Operands, Row, Slot};
use crate::lower::decoder::{Decoded, Decoder, Reason};

pub(crate) const GROUP: Group = Group {
    name: "compare",
    opcodes: &[
        (
            "setp",
            "all comparisons; .and .or .xor; .ftz; b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64",
        ),
        (
            "set",
            "all comparisons; .and .or .xor; .ftz; to u32 s32 f32 f16 bf16",
        ),
        ("selp", "b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64"),
        (
            "slct",
            "by s32 f32; b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64; .ftz",
        ),
        (
            "testp",
            ".finite .infinite .number .notanumber .normal .subnormal; f32 f64",
        ),
    ],
    decode,
};

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    match d.opcode() {
        "setp" | "set" => compare(d),
        "selp" => select(d),
        "slct" => select_by_sign(d),
        _ => test(d),
    }
}

/// What `setp` and `set` do with the comparison's bits: aux 0 takes them as
/// they are, 1 to 3 combine them with a predicate; bits 8 and 9 say what
/// `set` writes.
#[inline(always)]
fn store(frame: &mut Frame<'_>, operands: &Operands, mask: u32, bits: u32) {
    let other = predicate(frame, operands.s[2]);
    let combine = |bits: u32| match operands.aux & 0xff {
        0 => bits,
        1 => bits & other,
        2 => bits | other,
        _ => bits ^ other,
    };
    let (result, complement) = (combine(bits), combine(!bits));
    match operands.aux >> 8 {
        0 => {
            write_predicate(frame, operands.d[0], result, mask);
            if operands.d[1] != Slot::SINK {
                write_predicate(frame, operands.d[1], complement, mask);
            }
        }
        kind => {
            let one = match kind {
                1 => u32::MAX,
                2 => 1f32.to_bits(),
                3 => 0x3c00,
                _ => 0x3f80,
            };
            let mut row = Row::<u32>::default();
            for lane in 0..32 {
                row.0[lane] = if result >> lane & 1 != 0 { one } else { 0 };
            }
            write(u32::row_mut(frame, operands.d[0]), &row, mask);
        }
    }
}

macro_rules! compare_fn {
    ($T:ty, |$a:ident, $b:ident| $test:expr) => {
        lane_fn!(|f, o, m| {
            let bits = test2::<$T, $T>(f, o, |$a, $b| $test);
            store(f, o, m, bits);
        })
    };
}

macro_rules! ordered {
    ($word:expr, $T:ty) => {
        match $word {
            "eq" => Some(compare_fn!($T, |a, b| a == b)),
            "ne" => Some(compare_fn!($T, |a, b| a != b)),
            "lt" => Some(compare_fn!($T, |a, b| a < b)),
            "le" => Some(compare_fn!($T, |a, b| a <= b)),
            "gt" => Some(compare_fn!($T, |a, b| a > b)),
            "ge" => Some(compare_fn!($T, |a, b| a >= b)),
            _ => None,
        }
    };
}

macro_rules! float {
    ($word:expr, $T:ty, $flush:expr) => {
        match $word {
            "eq" => Some(compare_fn!($T, |a, b| $flush(a) == $flush(b))),
            // Ordered: false when an operand is NaN.
            "ne" => Some(compare_fn!($T, |a, b| $flush(a) < $flush(b) || $flush(a) > $flush(b))),
            "lt" => Some(compare_fn!($T, |a, b| $flush(a) < $flush(b))),
            "le" => Some(compare_fn!($T, |a, b| $flush(a) <= $flush(b))),
            "gt" => Some(compare_fn!($T, |a, b| $flush(a) > $flush(b))),
            "ge" => Some(compare_fn!($T, |a, b| $flush(a) >= $flush(b))),
            // Unordered: true when an operand is NaN.
            "equ" => Some(compare_fn!($T, |a, b| $flush(a) == $flush(b)
                || a.is_nan()
                || b.is_nan())),
            "neu" => Some(compare_fn!($T, |a, b| $flush(a) != $flush(b))),
            "ltu" => Some(compare_fn!($T, |a, b| $flush(a) < $flush(b)
                || a.is_nan()
                || b.is_nan())),
            "leu" => Some(compare_fn!($T, |a, b| $flush(a) <= $flush(b)
                || a.is_nan()
                || b.is_nan())),
            "gtu" => Some(compare_fn!($T, |a, b| $flush(a) > $flush(b)
                || a.is_nan()
                || b.is_nan())),
            "geu" => Some(compare_fn!($T, |a, b| $flush(a) >= $flush(b)
                || a.is_nan()
                || b.is_nan())),
            "num" => Some(compare_fn!($T, |a, b| !a.is_nan() && !b.is_nan())),
            "nan" => Some(compare_fn!($T, |a, b| a.is_nan() || b.is_nan())),
            _ => None,
        }
    };
}

#[inline(always)]
fn same<T>(value: T) -> T {
    value
}

fn run_of(word: &str, ty: Type, ftz: bool) -> Option<LaneFn> {
    // `lo`, `ls`, `hi`, `hs` are the unsigned comparisons of bit types.
    let unsigned = match (word, ty) {
        ("lo", Type::U16 | Type::U32 | Type::U64) => Some("lt"),
        ("ls", Type::U16 | Type::U32 | Type::U64) => Some("le"),
        ("hi", Type::U16 | Type::U32 | Type::U64) => Some("gt"),
        ("hs", Type::U16 | Type::U32 | Type::U64) => Some("ge"),
        _ => None,
    };
    let word = unsigned.unwrap_or(word);
    let bits = matches!(ty, Type::B16 | Type::B32 | Type::B64);
    if bits && !matches!(word, "eq" | "ne") || ftz && ty != Type::F32 {
        return None;
    }
    match ty {
        Type::B16 | Type::U16 => ordered!(word, u16),
        Type::B32 | Type::U32 => ordered!(word, u32),
        Type::B64 | Type::U64 => ordered!(word, u64),
        Type::S16 => ordered!(word, i16),
        Type::S32 => ordered!(word, i32),
        Type::S64 => ordered!(word, i64),
        Type::F32 if ftz => float!(word, f32, super::float32::flush),
        Type::F32 => float!(word, f32, same),
        Type::F64 => float!(word, f64, same),
        _ => None,
    }
}

fn compare(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let Some(word) = d.take_any(&[
        "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu",
        "gtu", "geu", "num", "nan",
    ]) else {
        return Err(d.unknown_modifier());
    };
    let combine = match d.take_any(&["and", "or", "xor"]) {
        None => 0,
        Some("and") => 1,
        Some("or") => 2,
        Some(_) => 3,
    };
    let ftz = d.take("ftz");
    let mut operands = Operands {
        aux: combine,
        ..Operands::default()
    };
    if d.opcode() == "set" {
        let to = d.ty()?;
        operands.aux |= match to {
            Type::U32 | Type::S32 => 1 << 8,
            Type::F32 => 2 << 8,
            Type::F16 => 3 << 8,
            Type::BF16 => 4 << 8,
            _ => return Err(d.unsupported_type(to)),
        };
        operands.d[0] = d.destination(0, to)?;
    }
    let ty = d.ty()?;
    let Some(run) = run_of(word, ty, ftz) else {
        if ty.is_float() && !matches!(ty, Type::F32 | Type::F64) {
            return Err(d.unsupported_type(ty));
        }
        return Err(format!(
            "`{}.{word}` on {ty:?} is not supported",
            d.opcode()
        ));
    };
    d.finish(if combine == 0 { 3 } else { 4 })?;
    if d.opcode() == "setp" {
        match d.operand(0)? {
            Operand::Pair(first, second) => {
                operands.d[0] = d.written(first, Type::Predicate, false)?.0;
                operands.d[1] = d.written(second, Type::Predicate, false)?.0;
            }
            _ => operands.d[0] = d.destination(0, Type::Predicate)?,
        }
    }
    operands.s[0] = d.source(1, ty)?;
    operands.s[1] = d.source(2, ty)?;
    if combine != 0 {
        operands.s[2] = d.predicate(3)?;
    }
    Ok(Decoded::lanes(run, operands, Class::Compare))
}

macro_rules! select_fn {
    ($T:ty) => {
        lane_fn!(|f, o, m| {
            let bits = predicate(f, o.s[2]);
            let mut out = Row::<$T>::default();
            let (a, b) = (<$T>::row(f, o.s[0]), <$T>::row(f, o.s[1]));
            for lane in 0..32 {
                out.0[lane] = if bits >> lane & 1 != 0 {
                    a.0[lane]
                } else {
                    b.0[lane]
                };
            }
            write(<$T>::row_mut(f, o.d[0]), &out, m);
        })
    };
}

fn select(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let ty = d.ty()?;
    let run = match ty.bytes() {
        2 | 4 => select_fn!(u32),
        8 => select_fn!(u64),
        _ => return Err(d.unsupported_type(ty)),
    };
    d.finish(4)?;
    let mut operands = Operands::default();
    operands.d[0] = d.destination(0, ty)?;
    operands.s[0] = d.source(1, ty)?;
    operands.s[1] = d.source(2, ty)?;
    operands.s[2] = d.predicate(3)?;
    Ok(Decoded::lanes(run, operands, Class::Compare))
}

fn select_by_sign(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let ftz = d.take("ftz");
    let (ty, by) = (d.ty()?, d.ty()?);
    let run = match (ty.bytes(), by) {
        (2 | 4, Type::S32) if !ftz => {
            lanes!(|a: u32, b: u32, c: i32| -> u32 { if c >= 0 { a } else { b } })
        }
        (8, Type::S32) if !ftz => {
            lanes!(|a: u64, b: u64, c: i32| -> u64 { if c >= 0 { a } else { b } })
        }
        // -0 counts as >= 0, NaN does not; a subnormal flushed is a zero.
        (2 | 4, Type::F32) if ftz => {
            lanes!(|a: u32, b: u32, c: f32| -> u32 {
                if super::float32::flush(c) >= 0.0 {
                    a
                } else {
                    b
                }
            })
        }
        (8, Type::F32) if ftz => {
            lanes!(|a: u64, b: u64, c: f32| -> u64 {
                if super::float32::flush(c) >= 0.0 {
                    a
                } else {
                    b
                }
            })
        }
        (2 | 4, Type::F32) => {
            lanes!(|a: u32, b: u32, c: f32| -> u32 { if c >= 0.0 { a } else { b } })
        }
        (8, Type::F32) => lanes!(|a: u64, b: u64, c: f32| -> u64 { if c >= 0.0 { a } else { b } }),
        _ => return Err(d.unsupported_type(by)),
    };
    d.finish(4)?;
    let mut operands = Operands::default();
    operands.d[0] = d.destination(0, ty)?;
    operands.s[0] = d.source(1, ty)?;
    operands.s[1] = d.source(2, ty)?;
    operands.s[2] = d.source(3, by)?;
    Ok(Decoded::lanes(run, operands, Class::Compare))
}

fn test(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let Some(word) = d.take_any(&[
        "finite",
        "infinite",
        "number",
        "notanumber",
        "normal",
        "subnormal",
    ]) else {
        return Err(d.unknown_modifier());
    };
    let ty = d.ty()?;
    macro_rules! tests {
        ($T:ty) => {
            match word {
                "finite" => compare_fn!($T, |a, _b| a.is_finite()),
                "infinite" => compare_fn!($T, |a, _b| a.is_infinite()),
                "number" => compare_fn!($T, |a, _b| !a.is_nan()),
                "notanumber" => compare_fn!($T, |a, _b| a.is_nan()),
                // Zeros count as normal; PTX ISA, `testp`.
                "normal" => compare_fn!($T, |a, _b| a.is_normal() || a == 0.0),
                _ => compare_fn!($T, |a, _b| a.is_subnormal()),
            }
        };
    }
    let run = match ty {
        Type::F32 => tests!(f32),
        Type::F64 => tests!(f64),
        _ => return Err(d.unsupported_type(ty)),
    };
    d.finish(2)?;
    let mut operands = Operands::default();
    operands.d[0] = d.destination(0, Type::Predicate)?;
    operands.s[0] = d.source(1, ty)?;
    operands.s[1] = operands.s[0];
    Ok(Decoded::lanes(run, operands, Class::Compare))
}
