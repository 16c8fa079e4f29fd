//! `setp` and `set` on f16, bf16 and pairs of them.
//!
//! A comparison is a set of relations (less, equal, greater, unordered), and
//! it holds when the one between its operands is in the set.

use ptx_syntax::{Operand, Type};

use super::{BRAIN, FTZ, PACKED, format_of, traits_of};
use crate::exec::compare::{combination, combined};
use crate::exec::decode::flag;
use crate::exec::softfloat::Format;
use crate::ir::{Frame, Operands, Row, Value, lane_fn, mask_of, predicate, write, write_predicate};
use crate::lower::{Decoded, Decoder, Reason};
use crate::observe::Class;

const LESS: u64 = 1;
const EQUAL: u64 = 2;
const GREATER: u64 = 4;
const UNORDERED: u64 = 8;

/// The relations for which a comparison holds; `None` for an unknown word.
fn relations(word: &str) -> Option<u64> {
    Some(match word {
        "eq" => EQUAL,
        "ne" => LESS | GREATER,
        "lt" => LESS,
        "le" => LESS | EQUAL,
        "gt" => GREATER,
        "ge" => GREATER | EQUAL,
        "equ" => EQUAL | UNORDERED,
        "neu" => LESS | GREATER | UNORDERED,
        "ltu" => LESS | UNORDERED,
        "leu" => LESS | EQUAL | UNORDERED,
        "gtu" => GREATER | UNORDERED,
        "geu" => GREATER | EQUAL | UNORDERED,
        "num" => LESS | EQUAL | GREATER,
        "nan" => UNORDERED,
        _ => return None,
    })
}

#[inline(always)]
fn relation(format: Format, a: u64, b: u64) -> u64 {
    if format.is_nan(a) || format.is_nan(b) {
        UNORDERED
    } else if (a | b) & !format.sign_bit() == 0 {
        // Zeros of any sign.
        EQUAL
    } else {
        match format.key(a).cmp(&format.key(b)) {
            std::cmp::Ordering::Less => LESS,
            std::cmp::Ordering::Equal => EQUAL,
            std::cmp::Ordering::Greater => GREATER,
        }
    }
}

// aux: `BRAIN`, `FTZ`, `PACKED`; from bit 8 the relations, from bit 12 how to
// combine with the predicate (0 not at all, and, or, xor), bit 14 `set`; from
// bit 32 what `set` writes into an element that holds.
const RELATIONS: u32 = 8;
const COMBINE: u32 = 12;
const SET: u64 = 1 << 14;
const HOLDS: u32 = 32;

fn run(frame: &mut Frame<'_>, operands: &Operands, mask: u32) {
    let aux = operands.aux;
    let format = format_of(aux);
    let (a, b) = (
        *u32::row(frame, operands.s[0]),
        *u32::row(frame, operands.s[1]),
    );
    let other = predicate(frame, operands.s[2]);
    let combine = |bits| combined(aux >> COMBINE & 3, bits, other);
    let element = |shift: u32| {
        let part = |row: u32| format.flushed(u64::from(row >> shift & 0xffff));
        let related = |lane: usize| relation(format, part(a.0[lane]), part(b.0[lane]));
        mask_of(|lane| related(lane) & aux >> RELATIONS & 15 != 0)
    };
    let low = element(0);
    let high = if aux & PACKED != 0 { element(16) } else { 0 };
    let (low, high) = (combine(low), combine(high));
    if aux & SET == 0 {
        write_predicate(frame, operands.d[0], low, mask);
        if aux & PACKED != 0 {
            write_predicate(frame, operands.d[1], high, mask);
        }
        return;
    }
    let holds = (aux >> HOLDS) as u32;
    let out = Row(std::array::from_fn(|lane| {
        let element = |bits: u32| if bits >> lane & 1 != 0 { holds } else { 0 };
        if aux & PACKED != 0 {
            element(low) | element(high) << 16
        } else {
            element(low)
        }
    }));
    write(u32::row_mut(frame, operands.d[0]), &out, mask);
}

/// What `set` writes for true, to a destination of type `to`.
fn true_value(to: Type, from: Type) -> Option<u64> {
    let packed = matches!(from, Type::F16x2 | Type::BF16x2);
    Some(match to {
        Type::U16 | Type::S16 if !packed => 0xffff,
        Type::U32 | Type::S32 if packed => 0xffff,
        Type::U32 | Type::S32 => 0xffff_ffff,
        Type::F16 if from == Type::F16 => 0x3c00,
        Type::BF16 if from == Type::BF16 => 0x3f80,
        Type::F16x2 if from == Type::F16x2 => 0x3c00,
        Type::BF16x2 if from == Type::BF16x2 => 0x3f80,
        _ => return None,
    })
}

pub(super) fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let word = d.take_if(|word| relations(word).is_some());
    let Some(relations) = word.and_then(relations) else {
        return Err(d.unknown_modifier());
    };
    let combine = combination(d);
    let ftz = d.take("ftz");
    let to = (d.opcode() == "set").then(|| d.ty()).transpose()?;
    let ty = d.ty()?;
    let traits = traits_of(ty).ok_or_else(|| d.unsupported_type(ty))?;
    if ftz && traits & BRAIN != 0 {
        return Err("bf16 does not take `.ftz`".into());
    }
    d.finish(if combine == 0 { 3 } else { 4 })?;
    let mut operands = Operands {
        aux: traits | flag(ftz, FTZ) | relations << RELATIONS | combine << COMBINE,
        ..Operands::default()
    };
    match (to, d.operand(0)?) {
        (Some(to), _) => {
            let holds = true_value(to, ty).ok_or_else(|| d.unsupported_type(to))?;
            operands.aux |= SET | holds << HOLDS;
            operands.d[0] = d.destination(0, to)?;
        }
        (None, Operand::Pair(..)) if traits & PACKED != 0 => {
            d.pair(&mut operands, Type::Predicate)?;
        }
        (None, _) if traits & PACKED != 0 => {
            return Err("a comparison of pairs has two results, `p|q`".into());
        }
        (None, _) => operands.d[0] = d.destination(0, Type::Predicate)?,
    }
    operands.s[0] = d.source(1, ty)?;
    operands.s[1] = d.source(2, ty)?;
    if combine != 0 {
        operands.s[2] = d.predicate(3)?;
    }
    let run = lane_fn!(|f, o, m| run(f, o, m));
    Ok(Decoded::lanes(run, operands, Class::Compare))
}
