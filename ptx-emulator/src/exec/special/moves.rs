//! `mov`: registers, immediates, addresses, special registers, vectors.

use ptx_syntax::{Operand, Type};

use super::register::special;
use crate::exec::decode::is_wide;
use crate::exec::memory::registers;
use crate::ir::{
    LANES, Op, Operands, Row, Slot, Source, Special, Value, lane_fn, lanes, predicate, write,
    write_predicate,
};
use crate::lower::{Decoded, Decoder, Entity, Reason};
use crate::observe::Class;

pub(super) fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let count = d.vector(&["v2", "v4"]);
    let ty = d.ty()?;
    d.finish(2)?;
    let mut operands = Operands::default();
    if count > 1 {
        return each_part(d, ty, count);
    }
    if ty == Type::Predicate {
        return predicate_move(d);
    }
    let half = matches!(ty, Type::F16 | Type::BF16 | Type::F16x2 | Type::BF16x2);
    if ty == Type::B128 || ty.bytes() == 1 || half {
        return Err(d.unsupported_type(ty));
    }
    let (to, from) = (d.operand(0)?, d.operand(1)?);
    match (to, from) {
        (Operand::Vector(parts), _) => return unpack(d, ty, parts),
        (_, Operand::Vector(parts)) => return pack(d, ty, parts),
        _ => {}
    }
    operands.d[0] = d.destination(0, ty)?;
    if let Operand::Name(name) = from
        && d.scopes.find(name).is_none()
        && let Some((register, bits)) = special(name)
    {
        if ty.is_float() || ty.bytes() * 8 != bits && ty.bytes() != 4 {
            return Err(d.unsupported_type(ty));
        }
        let wide = is_wide(ty);
        let op = Op::Special(Special { register, wide });
        return Ok(Decoded::new(op, Class::Move).with(operands));
    }
    let (name, offset) = d.named(1)?.unwrap_or(("", 0));
    match d.scopes.find(name) {
        // The address of something in the frame is known when it runs.
        Some(Entity::Frame { offset: start, .. }) => {
            operands.aux = i64::from(*start).wrapping_add(offset) as u64;
            if !matches!(ty.bytes(), 4 | 8) {
                return Err(d.unsupported_type(ty));
            }
            let op = Op::FrameAddress {
                wide: is_wide(ty),
                generic: false,
            };
            return Ok(Decoded::new(op, Class::Move).with(operands));
        }
        Some(Entity::Parameter(formal)) => {
            let address = i64::from(formal.offset).wrapping_add(offset) as u64;
            operands.s[0] = match ty.bytes() {
                8 => d.builder.immediate64(address),
                4 => d.builder.immediate32(address as u32),
                _ => return Err(d.unsupported_type(ty)),
            };
            return Ok(move_row(operands, ty));
        }
        _ => {}
    }
    operands.s[0] = d.source(1, ty)?;
    Ok(move_row(operands, ty))
}

fn predicate_move(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let mut operands = Operands::default();
    operands.d[0] = d.destination(0, Type::Predicate)?;
    operands.s[0] = match d.operand(1)? {
        Operand::Name("%is_explicit_cluster") => Source::predicate(Slot::FALSE, false),
        _ => d.predicate(1)?,
    };
    let run = lane_fn!(|f, o, m| write_predicate(f, o.d[0], predicate(f, o.s[0]), m));
    Ok(Decoded::lanes(run, operands, Class::Move))
}

/// `mov.v4`: part by part.
fn each_part(d: &mut Decoder<'_, '_>, ty: Type, count: u32) -> Result<Decoded, Reason> {
    let (to, from) = (
        registers(d.operand(0)?, count)?,
        registers(d.operand(1)?, count)?,
    );
    let mut operands = Operands {
        aux: u64::from(count),
        ..Operands::default()
    };
    for (index, (to, from)) in to.iter().zip(from).enumerate() {
        operands.d[index] = d.written(to, ty, false)?.0;
        operands.s[index] = d.read(from, ty, false)?;
    }
    macro_rules! parts {
        ($T:ty) => {
            lane_fn!(|f, o, m| {
                let rows: [Row<$T>; 4] = o.s.map(|source| *<$T>::row(f, source));
                for (row, slot) in rows.iter().zip(o.d).take(o.aux as usize) {
                    write(<$T>::row_mut(f, slot), row, m);
                }
            })
        };
    }
    let run = if is_wide(ty) {
        parts!(u64)
    } else {
        parts!(u32)
    };
    Ok(Decoded::lanes(run, operands, Class::Move))
}

pub(super) fn move_row(operands: Operands, ty: Type) -> Decoded {
    let run = match is_wide(ty) {
        true => lanes!(|a: u64| -> u64 { a }),
        false => lanes!(|a: u32| -> u32 { a }),
    };
    Decoded::lanes(run, operands, Class::Move)
}

/// The type of one part of a vector of `parts` that makes up `ty`.
fn part_type(d: &Decoder<'_, '_>, ty: Type, parts: usize) -> Result<Type, Reason> {
    match (ty, parts) {
        (Type::B64, 2) => Ok(Type::B32),
        (Type::B64, 4) | (Type::B32, 2) => Ok(Type::B16),
        _ => Err(format!(
            "`{}` between {ty:?} and {parts} parts is not supported",
            d.opcode()
        )),
    }
}

fn pack(d: &mut Decoder<'_, '_>, ty: Type, parts: &[Operand]) -> Result<Decoded, Reason> {
    let part = part_type(d, ty, parts.len())?;
    let mut operands = Operands::default();
    operands.d[0] = d.destination(0, ty)?;
    for (index, operand) in parts.iter().enumerate() {
        operands.s[index] = d.read(operand, part, false)?;
    }
    let run = match (ty.bytes(), parts.len()) {
        (8, 2) => lanes!(|a: u32, b: u32| -> u64 { u64::from(a) | u64::from(b) << 32 }),
        (4, 2) => lanes!(|a: u16, b: u16| -> u32 { u32::from(a) | u32::from(b) << 16 }),
        _ => lane_fn!(|f, o, m| {
            let rows: [&Row<u32>; 4] = std::array::from_fn(|index| u32::row(f, o.s[index]));
            let mut out = Row::<u64>::default();
            for lane in 0..LANES {
                for (index, row) in rows.iter().enumerate() {
                    out.0[lane] |= u64::from(row.0[lane] as u16) << (16 * index);
                }
            }
            write(u64::row_mut(f, o.d[0]), &out, m);
        }),
    };
    Ok(Decoded::lanes(run, operands, Class::Move))
}

fn unpack(d: &mut Decoder<'_, '_>, ty: Type, parts: &[Operand]) -> Result<Decoded, Reason> {
    let part = part_type(d, ty, parts.len())?;
    let mut operands = Operands::default();
    operands.s[0] = d.source(1, ty)?;
    for (index, operand) in parts.iter().enumerate() {
        operands.d[index] = d.written(operand, part, false)?.0;
    }
    // aux: parts, bits of one.
    operands.aux = parts.len() as u64 | u64::from(part.bytes() * 8) << 8;
    let run = if ty.bytes() == 8 {
        lane_fn!(|f, o, m| {
            let whole = *u64::row(f, o.s[0]);
            for index in 0..(o.aux & 0xff) as usize {
                let out = Row(whole
                    .0
                    .map(|value| (value >> (index as u64 * (o.aux >> 8))) as u32));
                write(u32::row_mut(f, o.d[index]), &out, m);
            }
        })
    } else {
        lane_fn!(|f, o, m| {
            let whole = *u32::row(f, o.s[0]);
            for index in 0..(o.aux & 0xff) as usize {
                let out = Row(whole.0.map(|value| value >> (index as u64 * (o.aux >> 8))));
                write(u32::row_mut(f, o.d[index]), &out, m);
            }
        })
    };
    Ok(Decoded::lanes(run, operands, Class::Move))
}
