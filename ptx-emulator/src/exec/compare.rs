//! Comparison and selection: `setp`, `set`, `selp`, `slct`, `testp`.

use ptx_syntax::Type;

use super::Group;
use super::float32::flush;
use crate::ir::lanes::test2;
use crate::ir::{
    Bits, Frame, LANES, LaneFn, Operands, Row, Slot, Value, lane_fn, lanes, predicate, write,
    write_predicate,
};
use crate::lower::{Decoded, Decoder, Reason};
use crate::observe::Class;

pub(crate) const GROUP: Group = Group {
    name: "compare",
    forms: &[
        "setp: all comparisons; .and .or .xor; .ftz; b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64",
        "set: all comparisons; .and .or .xor; .ftz; to u32 s32 f32 f16 bf16",
        "selp: b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64",
        "slct: by s32 f32; b16 b32 b64 u16 u32 u64 s16 s32 s64 f32 f64; .ftz",
        "testp: .finite .infinite .number .notanumber .normal .subnormal; f32 f64",
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

/// Takes `.and`, `.or` or `.xor`, which a comparison is combined by with a
/// predicate; 0 for none.
pub(super) fn combination(d: &mut Decoder<'_, '_>) -> u64 {
    match d.take_any(&["and", "or", "xor"]) {
        None => 0,
        Some("and") => 1,
        Some("or") => 2,
        Some(_) => 3,
    }
}

#[inline(always)]
pub(super) fn combined(combination: u64, bits: u32, other: u32) -> u32 {
    match combination {
        0 => bits,
        1 => bits & other,
        2 => bits | other,
        _ => bits ^ other,
    }
}

/// What `setp` and `set` do with the comparison's bits: aux 0 takes them as
/// they are, 1 to 3 combine them with a predicate; bits 8 and 9 say what
/// `set` writes. Once for all of a hundred comparisons.
#[inline(never)]
fn store(frame: &mut Frame<'_>, operands: &Operands, mask: u32, bits: u32) {
    let other = predicate(frame, operands.s[2]);
    let combine = |bits| combined(operands.aux & 0xff, bits, other);
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
            let value = |lane| if result >> lane & 1 != 0 { one } else { 0 };
            let row = Row(std::array::from_fn(value));
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
    ($word:expr, $T:ty, $flush:expr) => {{
        macro_rules! flushed {
            (|$a:ident, $b:ident| $test:expr) => {
                Some(compare_fn!($T, |a, b| {
                    let ($a, $b) = ($flush(a), $flush(b));
                    $test
                }))
            };
        }
        match $word {
            "eq" => flushed!(|a, b| a == b),
            // Ordered: false when an operand is NaN.
            "ne" => flushed!(|a, b| (a < b) | (a > b)),
            "lt" => flushed!(|a, b| a < b),
            "le" => flushed!(|a, b| a <= b),
            "gt" => flushed!(|a, b| a > b),
            "ge" => flushed!(|a, b| a >= b),
            // Unordered: true when an operand is NaN.
            "equ" => flushed!(|a, b| a == b || a.is_nan() || b.is_nan()),
            "neu" => flushed!(|a, b| a != b),
            "ltu" => flushed!(|a, b| a < b || a.is_nan() || b.is_nan()),
            "leu" => flushed!(|a, b| a <= b || a.is_nan() || b.is_nan()),
            "gtu" => flushed!(|a, b| a > b || a.is_nan() || b.is_nan()),
            "geu" => flushed!(|a, b| a >= b || a.is_nan() || b.is_nan()),
            "num" => flushed!(|a, b| !a.is_nan() && !b.is_nan()),
            "nan" => flushed!(|a, b| a.is_nan() || b.is_nan()),
            _ => None,
        }
    }};
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
        Type::F32 if ftz => float!(word, f32, flush),
        Type::F32 => float!(word, f32, same),
        Type::F64 => float!(word, f64, same),
        _ => None,
    }
}

fn compare(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let word = d.one_of(&[
        "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu",
        "gtu", "geu", "num", "nan",
    ])?;
    let combine = combination(d);
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
        d.pair(&mut operands, Type::Predicate)?;
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
            let [a, b] = [o.s[0], o.s[1]].map(|source| <$T>::row(f, source));
            let mut out = Row::<$T>::default();
            for lane in 0..LANES {
                out.0[lane] = a.0[lane].or_old(b.0[lane], bits >> lane);
            }
            write(<$T>::row_mut(f, o.d[0]), &out, m);
        })
    };
}

/// Bytes of what is selected; 0 of the types that are not.
fn selected_bytes(ty: Type) -> u32 {
    match ty {
        Type::F16 | Type::F16x2 | Type::BF16 | Type::BF16x2 => 0,
        _ => ty.bytes(),
    }
}

fn select(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let ty = d.ty()?;
    let run = match selected_bytes(ty) {
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
    macro_rules! selected {
        ($T:ty) => {
            match by {
                Type::S32 => lanes!(|a: $T, b: $T, c: i32| -> $T { if c >= 0 { a } else { b } }),
                // -0 counts as >= 0, NaN does not; a subnormal flushed is a zero.
                _ if ftz => {
                    lanes!(|a: $T, b: $T, c: f32| -> $T { if flush(c) >= 0.0 { a } else { b } })
                }
                _ => lanes!(|a: $T, b: $T, c: f32| -> $T { if c >= 0.0 { a } else { b } }),
            }
        };
    }
    if !matches!((by, ftz), (Type::S32, false) | (Type::F32, _)) {
        return Err(d.unsupported_type(by));
    }
    let run = match selected_bytes(ty) {
        2 | 4 => selected!(u32),
        8 => selected!(u64),
        _ => return Err(d.unsupported_type(by)),
    };
    d.each_lane(run, 0, Class::Compare, ty, &[ty, ty, by])
}

fn test(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let word = d.one_of(&[
        "finite",
        "infinite",
        "number",
        "notanumber",
        "normal",
        "subnormal",
    ])?;
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
    let mut operands = d.rows(0, Type::Predicate, &[ty])?;
    operands.s[1] = operands.s[0];
    Ok(Decoded::lanes(run, operands, Class::Compare))
}
