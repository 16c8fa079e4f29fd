//! Video instructions on the two halves or four bytes of a word (`vadd2`, `vavrg4`, `vset2` ...).
//!
//! PTX ISA 8.8, section "SIMD Video Instructions". Each result's operands are any parts of the two
//! words; the results replace those parts of the third word that the mask names, or are added to it.

use ptx_syntax::{Operand, Type};

use super::Group;
use super::decode::flag;
use crate::ir::{Operands, lanes};
use crate::lower::{Decoded, Decoder, Reason};
use crate::observe::Class;

pub(crate) const GROUP: Group = Group {
    name: "video_parallel",
    forms: &[
        "vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2: u32 s32; .sat, or .add to a third; any halves",
        "vadd4 vsub4 vavrg4 vabsdiff4 vmin4 vmax4: u32 s32; .sat, or .add to a third; any bytes",
        "vset2: u32 s32; .eq .ne .lt .le .gt .ge; .add to a third; any halves",
        "vset4: u32 s32; .eq .ne .lt .le .gt .ge; .add to a third; any bytes",
    ],
    decode,
};

type Operation = fn(i32, i32) -> i32;

/// What is done to two parts, by opcode and comparison; the low bits of `Operands::aux` are its
/// place.
const OPERATIONS: [(&str, Operation); 12] = [
    ("vadd", |a, b| a + b),
    ("vsub", |a, b| a - b),
    ("vavrg", |a, b| (a + b + i32::from(a + b >= 0)) >> 1),
    ("vabsdiff", |a, b| (a - b).abs()),
    ("vmin", |a, b| a.min(b)),
    ("vmax", |a, b| a.max(b)),
    ("vseteq", |a, b| (a == b).into()),
    ("vsetne", |a, b| (a != b).into()),
    ("vsetlt", |a, b| (a < b).into()),
    ("vsetle", |a, b| (a <= b).into()),
    ("vsetgt", |a, b| (a > b).into()),
    ("vsetge", |a, b| (a >= b).into()),
];

const BYTES: u64 = 1 << 4;
const SATURATE: u64 = 1 << 5;
const ADD: u64 = 1 << 6;
/// The type of the result, and of both operands: their signs.
const SIGNED: [u64; 3] = [1 << 7, 1 << 8, 1 << 9];
/// A bit for each part that is a result.
const MASK: u32 = 12;
/// Which part of both words an operand is, four bits for each result.
const PARTS: [u32; 2] = [16, 32];

fn run(aux: u64, [a, b, c]: [u32; 3]) -> u32 {
    let (_, operation) = OPERATIONS[(aux & 15) as usize];
    let width = if aux & BYTES == 0 { 16 } else { 8 };
    let words = u64::from(a) | u64::from(b) << 32;
    let operand = |index: usize, place: u32| {
        let part = (aux >> (PARTS[index] + 4 * place)) as u32 & 15;
        let up = 32 - width;
        let high = ((words >> (part * width)) as u32) << up;
        match aux & SIGNED[index + 1] {
            0 => (high >> up) as i32,
            _ => high as i32 >> up,
        }
    };
    let mut result = c;
    for place in (0..32 / width).filter(|place| aux >> (MASK + place) & 1 != 0) {
        let mut value = operation(operand(0, place), operand(1, place));
        if aux & SATURATE != 0 {
            let signed = u32::from(aux & SIGNED[0] != 0);
            let least = -(signed as i32) << (width - 1);
            value = value.clamp(least, least + (1 << width) - 1);
        }
        result = match aux & ADD {
            0 => {
                let below = place * width;
                let mask = u32::MAX >> (32 - width) << below;
                result & !mask | (value as u32) << below & mask
            }
            _ => result.wrapping_add(value as u32),
        };
    }
    result
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let (name, count) = d.opcode().split_at(d.opcode().len() - 1);
    let bytes = count == "4";
    let words = [Type::U32, Type::S32];
    let sets = name == "vset";
    let first = if sets { Type::U32 } else { d.type_of(&words)? };
    let types = [first, d.type_of(&words)?, d.type_of(&words)?];
    let comparison = match sets {
        true => d.one_of(&["eq", "ne", "lt", "le", "gt", "ge"])?,
        false => "",
    };
    let saturates = !sets && d.take("sat");
    let adds = !saturates && d.take("add");
    d.finish(4)?;
    let operation = format!("{name}{comparison}");
    let place = OPERATIONS.iter().position(|(own, _)| *own == operation);
    let mut operands = Operands {
        aux: place.unwrap_or(0) as u64
            | flag(bytes, BYTES)
            | flag(saturates, SATURATE)
            | flag(adds, ADD),
        ..Operands::default()
    };
    for (ty, bit) in types.iter().zip(SIGNED) {
        operands.aux |= flag(ty.is_signed(), bit);
    }
    let (result, parts) = split(d, 0, bytes)?;
    let parts = parts.unwrap_or(if bytes { vec![3, 2, 1, 0] } else { vec![1, 0] });
    let limit = if bytes { 4 } else { 2 };
    if parts.is_empty() || parts[0] >= limit || !parts.is_sorted_by(|a, b| a > b) {
        return Err("a mask names parts of the result from the highest to the lowest".into());
    }
    for part in parts {
        operands.aux |= 1 << (MASK + part);
    }
    operands.d[0] = d.written(&result, Type::U32, false)?.0;
    for (index, shift) in PARTS.into_iter().enumerate() {
        let (word, parts) = split(d, index + 1, bytes)?;
        let own = (0..limit).rev().map(|part| part + limit * index as u32);
        let parts = parts.unwrap_or_else(|| own.collect());
        if parts.len() != limit as usize || parts.iter().any(|part| *part >= 2 * limit) {
            let most = 2 * limit - 1;
            return Err(format!("an operand is {limit} parts from 0 to {most}"));
        }
        for (place, part) in parts.iter().rev().enumerate() {
            operands.aux |= u64::from(*part) << (shift + 4 * place as u32);
        }
        operands.s[index] = d.read(&word, Type::U32, false)?;
    }
    operands.s[2] = d.source(3, Type::U32)?;
    let run = lanes!(|a: u32, b: u32, c: u32; aux| -> u32 { run(aux, [a, b, c]) });
    Ok(Decoded::lanes(run, operands, Class::Integer))
}

/// An operand without the parts of it that are named behind its name, and these: `%r1.h10`.
fn split<'d>(
    d: &Decoder<'d, '_>,
    index: usize,
    bytes: bool,
) -> Result<(Operand<'d>, Option<Vec<u32>>), Reason> {
    let operand = d.operand(index)?;
    let Operand::Name(name) = operand else {
        return Ok((operand.clone(), None));
    };
    let Some((register, parts)) = name.split_once('.') else {
        return Ok((operand.clone(), None));
    };
    let digits = parts.strip_prefix(if bytes { 'b' } else { 'h' });
    let parts = digits.and_then(|digits| digits.chars().map(|digit| digit.to_digit(10)).collect());
    match parts {
        Some(parts) => Ok((Operand::Name(register), Some(parts))),
        None => Err(format!("`{name}` names no parts of a register")),
    }
}
