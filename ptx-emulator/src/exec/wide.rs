//! `mov.b128`: 128-bit registers from and to two of 64 bits. `ld` and `st` of
//! them are the group `memory`'s.

use ptx_syntax::{Operand, Type};

use super::Group;
use crate::ir::{Operands, Slot, Source, Value, lane_fn, write};
use crate::lower::{Decoded, Decoder, Reason};
use crate::observe::Class;

pub(crate) const GROUP: Group = Group {
    name: "wide",
    forms: &["mov: b128; packing from and unpacking to two halves"],
    decode,
};

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let ty = d.ty()?;
    if ty != Type::B128 {
        return Err(d.unsupported_type(ty));
    }
    d.finish(2)?;
    let (to, from) = (d.operand(0)?, d.operand(1)?);
    let mut operands = Operands::default();
    match to {
        Operand::Vector(parts) => {
            check(parts)?;
            for (index, part) in parts.iter().enumerate() {
                operands.d[index] = d.written(part, Type::B64, false)?.0;
            }
        }
        _ => {
            let slot = d.written(to, ty, false)?.0;
            if slot != Slot::SINK {
                operands.d[..2].copy_from_slice(&[slot, Slot(slot.0 + 1)]);
            }
        }
    }
    match from {
        Operand::Vector(parts) => {
            check(parts)?;
            for (index, part) in parts.iter().enumerate() {
                operands.s[index] = d.read(part, Type::B64, false)?;
            }
        }
        Operand::Name(name) => {
            let (slot, register) = d.register(name)?;
            if register != ty {
                return Err(format!("`{name}` is not a b128 register"));
            }
            operands.s[0] = Source::register(slot);
            operands.s[1] = Source::register(Slot(slot.0 + 1));
        }
        _ => return Err("a b128 register or two of 64 bits are expected".into()),
    }
    let run = lane_fn!(|f, o, m| {
        let rows = [0, 1].map(|index| *u64::row(f, o.s[index]));
        for (row, slot) in rows.iter().zip(o.d) {
            write(u64::row_mut(f, slot), row, m);
        }
    });
    Ok(Decoded::lanes(run, operands, Class::Move))
}

fn check(parts: &[Operand]) -> Result<(), Reason> {
    if parts.len() == 2 {
        Ok(())
    } else {
        Err("a b128 has two parts of 64 bits".into())
    }
}
