//! Address spaces: `cvta` and `isspacep`.

use super::*;

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
    let Some(space) = d.take_any(&SPACES) else {
        return Err(d.unknown_modifier());
    };
    let ty = d.ty()?;
    if ty != Type::U64 {
        return Err(d.unsupported_type(ty));
    }
    d.finish(2)?;
    let mut operands = Operands::default();
    operands.d[0] = d.destination(0, ty)?;
    let (name, offset) = match d.operand(1)? {
        Operand::Name(name) => (Some(name), 0),
        Operand::NameOffset(name, offset) => (Some(name), *offset),
        _ => (None, 0),
    };
    if let Some(name) = name {
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
                return Ok(Decoded {
                    op: Op::FrameAddress {
                        wide: true,
                        generic: true,
                    },
                    operands,
                    class: Class::Move,
                });
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
    let Some(space) = d.take_any(&SPACES) else {
        return Err(d.unknown_modifier());
    };
    d.finish(2)?;
    let mut operands = Operands {
        aux: window(space),
        ..Operands::default()
    };
    operands.d[0] = d.destination(0, Type::Predicate)?;
    operands.s[0] = d.source(1, Type::U64)?;
    let run = lane_fn!(|f, o, m| {
        let row = u64::row(f, o.s[0]);
        let inside = |address: u64| match o.aux {
            0 => address < SHARED_WINDOW,
            window => address >= window && address - window < WINDOW,
        };
        let bits = (0..LANES).fold(0, |bits, lane| {
            bits | u32::from(inside(row.0[lane])) << lane
        });
        write_predicate(f, o.d[0], bits, m);
    });
    Ok(Decoded::lanes(run, operands, Class::Move))
}
