//! Address spaces: `cvta` and `isspacep`.

use ptx_syntax::{Space, Type};

use super::moves::move_row;
use crate::ir::{Op, Operands, Value, lane_fn, lanes, mask_of, write_predicate};
use crate::lower::{Decoded, Decoder, Entity, Reason, Symbol};
use crate::machine::{CONSTANT_WINDOW, LOCAL_WINDOW, PARAMETER_WINDOW, SHARED_WINDOW, WINDOW};
use crate::observe::Class;

/// The first generic address of a space; 0 for global.
fn window(word: &str) -> u64 {
    match word {
        "shared" | "shared::cta" | "shared::cluster" => SHARED_WINDOW,
        "local" => LOCAL_WINDOW,
        "const" => CONSTANT_WINDOW,
        "param" | "param::entry" => PARAMETER_WINDOW,
        _ => 0,
    }
}

const SPACES: [&str; 8] = [
    "global",
    "shared",
    "shared::cta",
    "shared::cluster",
    "local",
    "const",
    "param",
    "param::entry",
];

pub(super) fn decode_cvta(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let to = d.take("to");
    let space = d.one_of(&SPACES)?;
    let ty = d.type_of(&[Type::U64])?;
    d.finish(2)?;
    let mut operands = Operands::default();
    operands.d[0] = d.destination(0, ty)?;
    if let Some((name, offset)) = d.named(1)? {
        match d.scopes.find(name) {
            Some(Entity::Register { .. }) => {}
            Some(Entity::Frame {
                offset: start,
                space: own,
                ..
            }) if !to => {
                if *own == Space::Local && space != "local" {
                    return Err(format!("`{name}` is in local memory"));
                }
                operands.aux = i64::from(*start).wrapping_add(offset) as u64;
                let op = Op::FrameAddress {
                    wide: true,
                    generic: true,
                };
                return Ok(Decoded::new(op, Class::Move).with(operands));
            }
            Some(Entity::Parameter(formal)) if !to => {
                let address = i64::from(formal.offset).wrapping_add(offset) as u64;
                operands.s[0] = d
                    .builder
                    .immediate64(address.wrapping_add(PARAMETER_WINDOW));
                return Ok(move_row(operands, ty));
            }
            _ => {
                let symbol = d.find_symbol(name)?;
                if let Symbol::Variable(_) = symbol {
                    operands.s[0] = d.builder.address_of(symbol, offset, true, !to);
                    return Ok(move_row(operands, ty));
                }
            }
        }
    }
    operands.s[0] = d.source(1, ty)?;
    let distance = window(space);
    operands.aux = if to {
        distance.wrapping_neg()
    } else {
        distance
    };
    let run = lanes!(|a: u64; aux| -> u64 { a.wrapping_add(aux) });
    Ok(Decoded::lanes(run, operands, Class::Move))
}

pub(super) fn decode_isspacep(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let space = d.one_of(&SPACES)?;
    d.finish(2)?;
    let mut operands = Operands {
        aux: window(space),
        ..Operands::default()
    };
    operands.d[0] = d.destination(0, Type::Predicate)?;
    let ty = match d.register_type(1) {
        Some(ty) if ty.bytes() == 4 => Type::U32,
        _ => Type::U64,
    };
    operands.s[0] = d.source(1, ty)?;
    if ty == Type::U32 {
        // Windows begin beyond 32 bits: what fits into them is global.
        let run = lane_fn!(|f, o, m| write_predicate(f, o.d[0], if o.aux == 0 { m } else { 0 }, m));
        return Ok(Decoded::lanes(run, operands, Class::Move));
    }
    let run = lane_fn!(|f, o, m| {
        let row = u64::row(f, o.s[0]);
        let inside = |address: u64| match o.aux {
            0 => address < SHARED_WINDOW,
            window => address >= window && address - window < WINDOW,
        };
        let bits = mask_of(|lane| inside(row.0[lane]));
        write_predicate(f, o.d[0], bits, m);
    });
    Ok(Decoded::lanes(run, operands, Class::Move))
}
