//! Logic and shifts: `and`, `or`, `xor`, `not`, `cnot`, `lop3`, `shl`, `shr`,
//! `shf`, `prmt`, `szext`, `bmsk`.

use super::{Group, Value, lane_fn, lanes, predicate, write, write_predicate};
use crate::ast::{Number, Operand, Type};
use crate::ir::{Class, LANES, LaneFn, Operands, Row};
use crate::lower::decoder::{Decoded, Decoder, Reason};

pub(crate) const GROUP: Group = Group {
    name: "logic",
    opcodes: &[
        ("and", "pred b16 b32 b64"),
        ("or", "pred b16 b32 b64"),
        ("xor", "pred b16 b32 b64"),
        ("not", "pred b16 b32 b64"),
        ("cnot", "b16 b32 b64"),
        ("lop3", "b32; .or .and with a predicate"),
        ("shl", "b16 b32 b64"),
        ("shr", "b16 b32 b64 u16 u32 u64 s16 s32 s64"),
        ("shf", ".l .r; .clamp .wrap; b32"),
        ("prmt", "b32; no mode, .f4e .b4e .rc8 .ecl .ecr .rc16"),
        ("bmsk", ".clamp .wrap; b32"),
        ("szext", ".clamp .wrap; u32 s32"),
    ],
    decode,
};

macro_rules! each_width {
    ($ty:expr, |$a:ident, $b:ident| $body:expr) => {
        match $ty {
            Type::B16 => Some(lanes!(|$a: u16, $b: u16| -> u16 { $body })),
            Type::B32 => Some(lanes!(|$a: u32, $b: u32| -> u32 { $body })),
            Type::B64 => Some(lanes!(|$a: u64, $b: u64| -> u64 { $body })),
            _ => None,
        }
    };
    ($ty:expr, |$a:ident| $body:expr) => {
        match $ty {
            Type::B16 => Some(lanes!(|$a: u16| -> u16 { $body })),
            Type::B32 => Some(lanes!(|$a: u32| -> u32 { $body })),
            Type::B64 => Some(lanes!(|$a: u64| -> u64 { $body })),
            _ => None,
        }
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
    let unary = matches!(d.opcode(), "not" | "cnot");
    let run = match d.opcode() {
        "and" => each_width!(ty, |a, b| a & b),
        "or" => each_width!(ty, |a, b| a | b),
        "xor" => each_width!(ty, |a, b| a ^ b),
        "not" => each_width!(ty, |a| !a),
        _ => each_width!(ty, |a| if a == 0 { 1 } else { 0 }),
    };
    let sources: &[Type] = if unary { &[ty] } else { &[ty, ty] };
    finish(d, run, ty, sources)
}

fn finish(
    d: &mut Decoder<'_, '_>,
    run: Option<LaneFn>,
    ty: Type,
    sources: &[Type],
) -> Result<Decoded, Reason> {
    let Some(run) = run else {
        return Err(d.unsupported_type(ty));
    };
    d.each_lane(run, 0, Class::Integer, ty, sources)
}

fn predicates(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let run: LaneFn = match d.opcode() {
        "and" => lane_fn!(|f, o, m| write_predicate(
            f,
            o.d[0],
            predicate(f, o.s[0]) & predicate(f, o.s[1]),
            m
        )),
        "or" => lane_fn!(|f, o, m| write_predicate(
            f,
            o.d[0],
            predicate(f, o.s[0]) | predicate(f, o.s[1]),
            m
        )),
        "xor" => lane_fn!(|f, o, m| write_predicate(
            f,
            o.d[0],
            predicate(f, o.s[0]) ^ predicate(f, o.s[1]),
            m
        )),
        "not" => lane_fn!(|f, o, m| write_predicate(f, o.d[0], !predicate(f, o.s[0]), m)),
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
    for index in 0..3 {
        operands.s[index] = d.source(index + 1, Type::B32)?;
    }
    let Some(combine) = combine else {
        operands.d[0] = d.destination(0, Type::B32)?;
        let run = lanes!(|a: u32, b: u32, c: u32; table| -> u32 { look_up(table, a, b, c) });
        return Ok(Decoded::lanes(run, operands, Class::Integer));
    };
    let Operand::Pair(first, second) = d.operand(0)? else {
        return Err("`lop3` with `.or` or `.and` has two results, `d|p`".into());
    };
    operands.d[0] = d.written(first, Type::B32, false)?.0;
    operands.d[1] = d.written(second, Type::Predicate, false)?.0;
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
    let run = match (d.opcode(), ty) {
        ("shl", Type::B16) => Some(lanes!(|a: u16, n: u32| -> u16 {
            if n < 16 { a << n } else { 0 }
        })),
        ("shl", Type::B32) => Some(lanes!(|a: u32, n: u32| -> u32 {
            if n < 32 { a << n } else { 0 }
        })),
        ("shl", Type::B64) => Some(lanes!(|a: u64, n: u32| -> u64 {
            if n < 64 { a << n } else { 0 }
        })),
        ("shr", Type::B16 | Type::U16) => Some(lanes!(|a: u16, n: u32| -> u16 {
            if n < 16 { a >> n } else { 0 }
        })),
        ("shr", Type::B32 | Type::U32) => Some(lanes!(|a: u32, n: u32| -> u32 {
            if n < 32 { a >> n } else { 0 }
        })),
        ("shr", Type::B64 | Type::U64) => Some(lanes!(|a: u64, n: u32| -> u64 {
            if n < 64 { a >> n } else { 0 }
        })),
        ("shr", Type::S16) => Some(lanes!(|a: i16, n: u32| -> i16 { a >> n.min(15) })),
        ("shr", Type::S32) => Some(lanes!(|a: i32, n: u32| -> i32 { a >> n.min(31) })),
        ("shr", Type::S64) => Some(lanes!(|a: i64, n: u32| -> i64 { a >> n.min(63) })),
        _ => None,
    };
    finish(d, run, ty, &[ty, Type::U32])
}

fn funnel(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let Some(direction) = d.take_any(&["l", "r"]) else {
        return Err(d.unknown_modifier());
    };
    let Some(mode) = d.take_any(&["clamp", "wrap"]) else {
        return Err(d.unknown_modifier());
    };
    let ty = d.ty()?;
    let run = match (direction, mode) {
        _ if ty != Type::B32 => None,
        ("l", "clamp") => Some(lanes!(|a: u32, b: u32, n: u32| -> u32 {
            left(a, b, n.min(32))
        })),
        ("l", _) => Some(lanes!(|a: u32, b: u32, n: u32| -> u32 {
            left(a, b, n & 31)
        })),
        (_, "clamp") => Some(lanes!(|a: u32, b: u32, n: u32| -> u32 {
            right(a, b, n.min(32))
        })),
        _ => Some(lanes!(|a: u32, b: u32, n: u32| -> u32 {
            right(a, b, n & 31)
        })),
    };
    finish(d, run, ty, &[ty, ty, Type::U32])
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
    let ty = d.ty()?;
    let mode = d.take_any(&["f4e", "b4e", "rc8", "ecl", "ecr", "rc16"]);
    let run = match mode {
        _ if ty != Type::B32 => None,
        None => Some(lanes!(|a: u32, b: u32, c: u32| -> u32 { select(a, b, c) })),
        Some("f4e") => Some(lanes!(|a: u32, b: u32, c: u32| -> u32 {
            let i = c & 3;
            select(a, b, i | (i + 1) << 4 | (i + 2) << 8 | (i + 3) << 12)
        })),
        // Backwards, wrapping from byte 0 to byte 7.
        Some("b4e") => Some(lanes!(|a: u32, b: u32, c: u32| -> u32 {
            let i = c & 3;
            select(
                a,
                b,
                i | ((i + 7) & 7) << 4 | ((i + 6) & 7) << 8 | ((i + 5) & 7) << 12,
            )
        })),
        Some("rc8") => Some(lanes!(|a: u32, b: u32, c: u32| -> u32 {
            select(a, b, (c & 3) * 0x1111)
        })),
        Some("ecl") => Some(lanes!(|a: u32, b: u32, c: u32| -> u32 {
            let i = c & 3;
            select(a, b, i | i.max(1) << 4 | i.max(2) << 8 | 3 << 12)
        })),
        Some("ecr") => Some(lanes!(|a: u32, b: u32, c: u32| -> u32 {
            let i = c & 3;
            select(a, b, i.min(1) << 4 | i.min(2) << 8 | i << 12)
        })),
        _ => Some(lanes!(|a: u32, b: u32, c: u32| -> u32 {
            select(a, b, if c & 1 != 0 { 0x3232 } else { 0x1010 })
        })),
    };
    finish(d, run, ty, &[ty; 3])
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
    let Some(mode) = d.take_any(&["clamp", "wrap"]) else {
        return Err(d.unknown_modifier());
    };
    let ty = d.ty()?;
    let wrap = u64::from(mode == "wrap");
    let run = match (d.opcode(), ty) {
        // `length` ones from bit `start` on.
        ("bmsk", Type::B32) => Some(lanes!(|start: u32, length: u32; wrap| -> u32 {
            let (start, length) = if wrap != 0 { (start & 31, length & 31) } else { (start.min(32), length.min(32)) };
            ((((1u64 << length) - 1) << start) & 0xffff_ffff) as u32
        })),
        ("szext", Type::U32) => Some(lanes!(|a: u32, n: u32; wrap| -> u32 {
            let n = if wrap != 0 { n & 31 } else { n.min(32) };
            (u64::from(a) & ((1u64 << n) - 1)) as u32
        })),
        ("szext", Type::S32) => Some(lanes!(|a: u32, n: u32; wrap| -> u32 {
            let n = if wrap != 0 { n & 31 } else { n.min(32) };
            if n == 0 { 0 } else { ((a << (32 - n)) as i32 >> (32 - n)) as u32 }
        })),
        _ => None,
    };
    let mut decoded = finish(d, run, ty, &[Type::U32; 2])?;
    decoded.operands.aux = wrap;
    Ok(decoded)
}
