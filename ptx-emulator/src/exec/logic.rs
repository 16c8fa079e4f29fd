//! Logic and shifts: `and`, `or`, `xor`, `not`, `cnot`, `lop3`, `shl`, `shr`,
//! `shf`, `prmt`, `szext`, `bmsk`.

use ptx_syntax::{Number, Operand, Type};

use super::Group;
use super::decode::each_type;
use super::integer::integers;
use crate::ir::{
    LANES, LaneFn, Operands, Row, Value, lane_fn, lanes, predicate, write, write_predicate,
};
use crate::lower::{Decoded, Decoder, Reason};
use crate::observe::Class;

pub(crate) const GROUP: Group = Group {
    name: "logic",
    forms: &[
        "and or xor not: pred b16 b32 b64",
        "cnot: b16 b32 b64",
        "lop3: b32; .or .and with a predicate",
        "shl: b16 b32 b64",
        "shr: b16 b32 b64 u16 u32 u64 s16 s32 s64",
        "shf: .l .r; .clamp .wrap; b32",
        "prmt: b32; no mode, .f4e .b4e .rc8 .ecl .ecr .rc16",
        "bmsk: .clamp .wrap; b32",
        "szext: .clamp .wrap; u32 s32",
    ],
    decode,
};

/// The same closure on each type of bits.
macro_rules! each_width {
    ($ty:expr, $($closure:tt)*) => {
        each_type!($ty, [B16 u16, B32 u32, B64 u64], $($closure)*)
    };
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    match d.opcode() {
        "lop3" => return lop3(d),
        "shl" | "shr" => return shift(d),
        "shf" => return funnel(d),
        "prmt" => return permute(d),
        "bmsk" | "szext" => return mask(d),
        _ => {}
    }
    let ty = d.ty()?;
    if ty == Type::Predicate {
        return predicates(d);
    }
    let run = match d.opcode() {
        "and" => each_width!(ty, (a, b) { a & b }),
        "or" => each_width!(ty, (a, b) { a | b }),
        "xor" => each_width!(ty, (a, b) { a ^ b }),
        "not" => each_width!(ty, (a) { !a }),
        _ => each_width!(ty, (a) { if a == 0 { 1 } else { 0 } }),
    };
    let unary = matches!(d.opcode(), "not" | "cnot");
    integers(d, run, 0, ty, &[ty; 2][..if unary { 1 } else { 2 }])
}

fn predicates(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    macro_rules! each {
        (|$a:ident, $b:ident| $body:expr) => {
            lane_fn!(|f, o, m| {
                let ($a, $b) = (predicate(f, o.s[0]), predicate(f, o.s[1]));
                write_predicate(f, o.d[0], $body, m)
            })
        };
    }
    let run: LaneFn = match d.opcode() {
        "and" => each!(|a, b| a & b),
        "or" => each!(|a, b| a | b),
        "xor" => each!(|a, b| a ^ b),
        "not" => each!(|a, _b| !a),
        _ => return Err(d.unsupported_type(Type::Predicate)),
    };
    let unary = d.opcode() == "not";
    d.finish(if unary { 2 } else { 3 })?;
    let mut operands = Operands::default();
    operands.d[0] = d.destination(0, Type::Predicate)?;
    operands.s[0] = d.predicate(1)?;
    if !unary {
        operands.s[1] = d.predicate(2)?;
    }
    Ok(Decoded::lanes(run, operands, Class::Compare))
}

/// Bit 4a+2b+c of the table is the result for the bits a, b, c.
#[inline(always)]
fn look_up(table: u64, a: u32, b: u32, c: u32) -> u32 {
    (0..8).fold(0, |sum, i| {
        let hit = (if i & 4 != 0 { a } else { !a })
            & (if i & 2 != 0 { b } else { !b })
            & (if i & 1 != 0 { c } else { !c });
        if table >> i & 1 != 0 { sum | hit } else { sum }
    })
}

/// With `.or` or `.and`, p says whether the result is not 0, combined with q.
fn lop3(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let combine = d.take_any(&["or", "and"]);
    if d.ty()? != Type::B32 {
        return Err("`lop3` is `.b32`".into());
    }
    d.finish(if combine.is_some() { 6 } else { 5 })?;
    let Operand::Number(Number::Integer(table @ 0..=255)) = d.operand(4)? else {
        return Err("the look-up table is a number from 0 to 255".into());
    };
    let mut operands = Operands {
        aux: *table,
        ..Operands::default()
    };
    if combine.is_some() && !matches!(d.operand(0)?, Operand::Pair(..)) {
        return Err("`lop3` with `.or` or `.and` has two results, `d|p`".into());
    }
    for index in 0..3 {
        operands.s[index] = d.source(index + 1, Type::B32)?;
    }
    let Some(combine) = combine else {
        operands.d[0] = d.destination(0, Type::B32)?;
        let run = lanes!(|a: u32, b: u32, c: u32; table| -> u32 { look_up(table, a, b, c) });
        return Ok(Decoded::lanes(run, operands, Class::Integer));
    };
    d.pair(&mut operands, Type::B32)?;
    operands.s[3] = d.predicate(5)?;
    operands.aux |= u64::from(combine == "and") << 8;
    let run = lane_fn!(|f, o, m| {
        let rows = [0, 1, 2].map(|index| *u32::row(f, o.s[index]));
        let mut out = Row::<u32>::default();
        let mut nonzero = 0;
        for lane in 0..LANES {
            let [a, b, c] = rows.each_ref().map(|row| row.0[lane]);
            out.0[lane] = look_up(o.aux & 0xff, a, b, c);
            nonzero |= u32::from(out.0[lane] != 0) << lane;
        }
        let other = predicate(f, o.s[3]);
        let bits = if o.aux >> 8 != 0 {
            nonzero & other
        } else {
            nonzero | other
        };
        write(u32::row_mut(f, o.d[0]), &out, m);
        write_predicate(f, o.d[1], bits, m);
    });
    Ok(Decoded::lanes(run, operands, Class::Integer))
}

/// Shifts by the width or more give zero, or the sign.
fn shift(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let ty = d.ty()?;
    macro_rules! shift {
        ($T:ty, |$a:ident, $n:ident| $body:expr) => {
            Some(lanes!(|$a: $T, $n: u32| -> $T { $body }))
        };
    }
    let run = match (d.opcode(), ty) {
        ("shl", Type::B16) => shift!(u16, |a, n| a.unbounded_shl(n)),
        ("shl", Type::B32) => shift!(u32, |a, n| a.unbounded_shl(n)),
        ("shl", Type::B64) => shift!(u64, |a, n| a.unbounded_shl(n)),
        ("shr", Type::B16 | Type::U16) => shift!(u16, |a, n| a.unbounded_shr(n)),
        ("shr", Type::B32 | Type::U32) => shift!(u32, |a, n| a.unbounded_shr(n)),
        ("shr", Type::B64 | Type::U64) => shift!(u64, |a, n| a.unbounded_shr(n)),
        ("shr", Type::S16) => shift!(i16, |a, n| a.unbounded_shr(n)),
        ("shr", Type::S32) => shift!(i32, |a, n| a.unbounded_shr(n)),
        ("shr", Type::S64) => shift!(i64, |a, n| a.unbounded_shr(n)),
        _ => None,
    };
    integers(d, run, 0, ty, &[ty, Type::U32])
}

fn funnel(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let direction = d.one_of(&["l", "r"])?;
    let mode = d.one_of(&["clamp", "wrap"])?;
    let ty = d.type_of(&[Type::B32])?;
    let run = match (direction, mode) {
        ("l", "clamp") => lanes!(|a: u32, b: u32, n: u32| -> u32 { left(a, b, n.min(32)) }),
        ("l", _) => lanes!(|a: u32, b: u32, n: u32| -> u32 { left(a, b, n & 31) }),
        (_, "clamp") => lanes!(|a: u32, b: u32, n: u32| -> u32 { right(a, b, n.min(32)) }),
        _ => lanes!(|a: u32, b: u32, n: u32| -> u32 { right(a, b, n & 31) }),
    };
    integers(d, Some(run), 0, ty, &[ty, ty, Type::U32])
}

/// The high word of `b:a << n`.
#[inline(always)]
fn left(a: u32, b: u32, n: u32) -> u32 {
    (((u64::from(b) << 32 | u64::from(a)) << n) >> 32) as u32
}

/// The low word of `b:a >> n`.
#[inline(always)]
fn right(a: u32, b: u32, n: u32) -> u32 {
    ((u64::from(b) << 32 | u64::from(a)) >> n) as u32
}

fn permute(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let ty = d.type_of(&[Type::B32])?;
    let mode = d.take_any(&["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]);
    macro_rules! selected {
        (|$c:ident| $selector:expr) => {
            lanes!(|a: u32, b: u32, c: u32| -> u32 {
                let $c = c & 3;
                select(a, b, $selector)
            })
        };
    }
    let run = match mode {
        None => lanes!(|a: u32, b: u32, c: u32| -> u32 { select(a, b, c) }),
        Some("f4e") => selected!(|i| i | (i + 1) << 4 | (i + 2) << 8 | (i + 3) << 12),
        // Backwards, wrapping from byte 0 to byte 7.
        Some("b4e") => {
            selected!(|i| i | ((i + 7) & 7) << 4 | ((i + 6) & 7) << 8 | ((i + 5) & 7) << 12)
        }
        Some("rc8") => selected!(|i| i * 0x1111),
        Some("ecl") => selected!(|i| i | i.max(1) << 4 | i.max(2) << 8 | 3 << 12),
        Some("ecr") => selected!(|i| i.min(1) << 4 | i.min(2) << 8 | i << 12),
        Some(_) => selected!(|i| if i & 1 != 0 { 0x3232 } else { 0x1010 }),
    };
    integers(d, Some(run), 0, ty, &[ty; 3])
}

/// Byte `i` of the result is byte `c[4i..4i+3]` of `b:a`; the top bit of the
/// selector spreads that byte's sign instead.
#[inline(always)]
fn select(a: u32, b: u32, c: u32) -> u32 {
    let bytes = u64::from(b) << 32 | u64::from(a);
    (0..4).fold(0, |word, i| {
        let selector = c >> (4 * i);
        let byte = (bytes >> (8 * (selector & 7))) as u32 & 0xff;
        let byte = if selector & 8 == 0 {
            byte
        } else {
            (byte >> 7) * 0xff
        };
        word | byte << (8 * i)
    })
}

fn mask(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let wrap = u64::from(d.one_of(&["clamp", "wrap"])? == "wrap");
    let ty = d.ty()?;
    let run = match (d.opcode(), ty) {
        // `length` ones from bit `start` on.
        ("bmsk", Type::B32) => Some(lanes!(|start: u32, length: u32; wrap| -> u32 {
            (((1u64 << bound(length, wrap)) - 1) << bound(start, wrap)) as u32
        })),
        ("szext", Type::U32) => Some(lanes!(|a: u32, n: u32; wrap| -> u32 {
            (u64::from(a) & ((1u64 << bound(n, wrap)) - 1)) as u32
        })),
        ("szext", Type::S32) => Some(lanes!(|a: u32, n: u32; wrap| -> u32 {
            match bound(n, wrap) {
                0 => 0,
                n => ((a << (32 - n)) as i32 >> (32 - n)) as u32,
            }
        })),
        _ => None,
    };
    integers(d, run, wrap, ty, &[Type::U32; 2])
}

/// A start or a length within 32 bits.
#[inline(always)]
fn bound(n: u32, wrap: u64) -> u32 {
    if wrap != 0 { n & 31 } else { n.min(32) }
}
