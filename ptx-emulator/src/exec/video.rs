//! Scalar video instructions: arithmetic on words, halves and bytes (`vadd`, `vshr`, `vmad` ...).
//!
//! PTX ISA 8.8, section "Scalar Video Instructions", but the bits are those that an H200 gives by
//! the code that ptxas 13 makes of them (random launches, 2026-11-24). Where that is not the ISA's
//! formula, a comment says so. Of `.sat` together with `.min` or `.max` no rule is known.
//!
//! Negated operands and `.po` of `vmad` are not here, nor those that do two or four at once
//! (`vadd2`, `vadd4` ...).

use ptx_syntax::{Operand, Type};

use super::Group;
use super::decode::flag;
use crate::ir::{Operands, lanes};
use crate::lower::{Decoded, Decoder, Reason};
use crate::observe::Class;

pub(crate) const GROUP: Group = Group {
    name: "video",
    forms: &[
        "vadd vsub vabsdiff vmin vmax: u32 s32; .sat; .add .min .max with a third; bytes and halves",
        "vshl vshr: u32 s32; .clamp .wrap; .sat; .add .min .max with a third; bytes and halves",
        "vset: u32 s32; .eq .ne .lt .le .gt .ge; .add .min .max with a third; bytes and halves",
        "vmad: u32 s32; .sat .shr7 .shr15; bytes and halves; no negation, no `po`",
    ],
    decode,
};

type Operation = fn(i128, i128) -> i128;

/// What is done to two values, by opcode and mode; the low bits of `Operands::aux` are its place.
const OPERATIONS: [(&str, Operation); 16] = [
    ("vadd", |a, b| a + b),
    ("vsub", |a, b| a - b),
    ("vabsdiff", |a, b| (a - b).abs()),
    ("vmin", |a, b| a.min(b)),
    ("vmax", |a, b| a.max(b)),
    ("vshlclamp", |a, b| a << b.min(32)),
    ("vshlwrap", |a, b| a << (b & 31)),
    ("vshrclamp", |a, b| a >> b.min(32)),
    ("vshrwrap", |a, b| a >> (b & 31)),
    ("vseteq", |a, b| (a == b).into()),
    ("vsetne", |a, b| (a != b).into()),
    ("vsetlt", |a, b| (a < b).into()),
    ("vsetle", |a, b| (a <= b).into()),
    ("vsetgt", |a, b| (a > b).into()),
    ("vsetge", |a, b| (a >= b).into()),
    ("vmad", |a, b| a * b),
];

const SATURATE: u64 = 1 << 4;
/// The type of the result, and of both operands: their signs.
const SIGNED: [u64; 3] = [1 << 5, 1 << 6, 1 << 7];
/// `vshl` and `vshr`.
const SHIFT: u64 = 1 << 24;
/// What is done with the third operand: the word's place in `THIRDS`. `vmad` adds it before it
/// shifts.
const THIRD: u32 = 8;
const THIRDS: [&str; 8] = ["", "merge", "add", "min", "max", "shr0", "shr7", "shr15"];
/// The parts that the result and both operands are: places in `PARTS`, four bits each.
const PART: u32 = 12;
/// Parts of a word, and the bits below them. Their widths are 32, 16 and 8.
const PARTS: [(&str, u32); 7] = [
    ("", 0),
    ("h0", 0),
    ("h1", 16),
    ("b0", 0),
    ("b1", 8),
    ("b2", 16),
    ("b3", 24),
];

/// The bits below a part, and its width.
#[inline(always)]
fn part(aux: u64, operand: u32) -> (u32, u32) {
    let index = (aux >> (PART + 4 * operand) & 15) as usize;
    let width = [32, 16, 16, 8, 8, 8, 8][index];
    (PARTS[index].1, width)
}

#[inline(always)]
fn extended(value: u32, width: u32, signed: bool) -> i128 {
    let up = 32 - width;
    match signed {
        true => ((value << up) as i32 >> up).into(),
        false => (value << up >> up).into(),
    }
}

fn run(aux: u64, [a, b, c]: [u32; 3]) -> u32 {
    let operand = |index: u32, word: u32| {
        let (below, width) = part(aux, index);
        extended(word >> below, width, aux & SIGNED[index as usize] != 0)
    };
    let (_, operation) = OPERATIONS[(aux & 15) as usize];
    let (a, b) = (operand(1, a), operand(2, b));
    let (signed, result) = (aux & SIGNED[0] != 0, part(aux, 0));
    let third = THIRDS[(aux >> THIRD & 15) as usize];
    let mut value = match third {
        "shr0" => scaled([a, b, c.into()], 0, signed),
        "shr7" => scaled([a, b, c.into()], 7, signed),
        "shr15" => scaled([a, b, c.into()], 15, signed),
        _ => operation(a, b),
    };
    if aux & SATURATE != 0 {
        value = saturated(value, aux, result.1);
    }
    let word = extended(c, 32, signed);
    match third {
        "merge" => merged(value as u32, c, result),
        "add" => (value + word) as u32,
        "min" if is_less(value, word, signed) => value as u32,
        "max" if is_less(word, value, signed) => value as u32,
        "min" | "max" => c,
        _ => value as u32,
    }
}

/// `(a * b + c) >> by`. Words are signed whatever their type says, and what is shifted are 64 bits.
#[inline(always)]
fn scaled(words: [i128; 3], by: u32, signed: bool) -> i128 {
    let [a, b, c] = words.map(|word| i64::from(word as i32));
    let sum = a * b + c;
    match signed || by == 0 {
        true => (sum >> by).into(),
        false => (sum as u64 >> by).into(),
    }
}

/// The nearest value of the result's type. A part of the result is not the nearest one to a value
/// below 0: the low word is taken as unsigned. A shift saturates the whole word for a part too, and
/// 34 bits of it are looked at.
#[inline(always)]
fn saturated(value: i128, aux: u64, width: u32) -> i128 {
    let signed = aux & SIGNED[0] != 0;
    if width < 32 && aux & SHIFT == 0 {
        let most = u32::MAX >> (32 - width + u32::from(signed));
        return (value as u32).min(most).into();
    }
    let value = match aux & SHIFT {
        0 => value,
        _ => value << 94 >> 94,
    };
    let least = if signed { i32::MIN.into() } else { 0 };
    value.clamp(least, least + i128::from(u32::MAX))
}

/// `c` with a part of it replaced: `.h1` by the upper half of the word, others by its low bits.
#[inline(always)]
fn merged(value: u32, c: u32, (below, width): (u32, u32)) -> u32 {
    let mask = u32::MAX >> (32 - width) << below;
    let moved = match width {
        16 => value,
        _ => value << below,
    };
    c & !mask | moved & mask
}

/// The order of all bits of values that are signed, or that are not.
#[inline(always)]
fn is_less(a: i128, b: i128, signed: bool) -> bool {
    match signed {
        true => a < b,
        false => (a as u64) < b as u64,
    }
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let mode = match d.opcode() {
        "vshl" | "vshr" => d.one_of(&["clamp", "wrap"])?,
        "vset" => d.one_of(&["eq", "ne", "lt", "le", "gt", "ge"])?,
        _ => "",
    };
    let (sets, product) = (d.opcode() == "vset", d.opcode() == "vmad");
    let words = [Type::U32, Type::S32];
    let result = if sets { None } else { Some(d.type_of(&words)?) };
    let (a, b) = (d.type_of(&words)?, d.type_of(&words)?);
    // Of `vset`, the ISA does not say by which type the third is compared; so does an H200.
    let result = result.unwrap_or(a);
    if d.opcode().starts_with("vsh") && b != Type::U32 {
        return Err("a shift's distance is .u32".into());
    }
    let result = match product {
        true if a.is_signed() || b.is_signed() => Type::S32,
        true => Type::U32,
        false => result,
    };
    let saturate = !sets && d.take("sat");
    let parts = [part_of(d, 0)?, part_of(d, 1)?, part_of(d, 2)?];
    let third = match (
        d.take_any(if product { &THIRDS[6..] } else { &THIRDS[2..5] }),
        parts[0].1,
    ) {
        (None, 0) => {
            if product {
                "shr0"
            } else {
                ""
            }
        }
        (None, _) if !product => "merge",
        (Some(word), 0) => word,
        _ => return Err("a part of the result goes with no other use of the third operand".into()),
    };
    let given = d.instruction.operands.len();
    d.finish(if third.is_empty() {
        given.clamp(3, 4)
    } else {
        4
    })?;
    let place = |list: &[&str], word: &str| list.iter().position(|own| *own == word).unwrap_or(0);
    let names = OPERATIONS.map(|(name, _)| name);
    let mut operands = Operands {
        aux: place(&names, &format!("{}{mode}", d.opcode())) as u64
            | flag(saturate, SATURATE)
            | flag(d.opcode().starts_with("vsh"), SHIFT)
            | (place(&THIRDS, third) as u64) << THIRD,
        ..Operands::default()
    };
    for (index, ((_, part), ty)) in parts.iter().zip([result, a, b]).enumerate() {
        operands.aux |= (*part as u64) << (PART + 4 * index as u32);
        operands.aux |= flag(ty.is_signed(), SIGNED[index]);
    }
    operands.d[0] = d.written(&parts[0].0, Type::U32, false)?.0;
    operands.s[0] = d.read(&parts[1].0, Type::U32, false)?;
    operands.s[1] = d.read(&parts[2].0, Type::U32, false)?;
    operands.s[2] = if given == 4 {
        d.source(3, Type::U32)?
    } else {
        operands.s[0]
    };
    let run = lanes!(|a: u32, b: u32, c: u32; aux| -> u32 { run(aux, [a, b, c]) });
    Ok(Decoded::lanes(run, operands, Class::Integer))
}

/// An operand without the part of it that is meant, and that part's place in `PARTS`.
fn part_of<'d>(d: &Decoder<'d, '_>, index: usize) -> Result<(Operand<'d>, usize), Reason> {
    let operand = d.operand(index)?;
    let Operand::Name(name) = operand else {
        return Ok((operand.clone(), 0));
    };
    let (register, word) = name.split_once('.').unwrap_or((name, ""));
    match PARTS.iter().position(|(part, _)| *part == word) {
        Some(part) => Ok((Operand::Name(register), part)),
        None => Err(format!("`{name}` is no part of a register")),
    }
}
