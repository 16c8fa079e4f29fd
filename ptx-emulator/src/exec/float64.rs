//! f64 arithmetic, exact to the bit: `add`, `sub`, `mul`, `fma`, `mad`,
//! `div`, `rcp`, `sqrt`, `abs`, `neg`, `min`, `max`, `copysign`, with every
//! rounding mode.

use super::softfloat::{F64, Mode};
use super::{Group, lanes};
use crate::ast::Type;
use crate::ir::{Class, LaneFn, Operands};
use crate::lower::decoder::{Decoded, Decoder, Reason};

pub(crate) const GROUP: Group = Group {
    name: "float64",
    opcodes: &[
        ("add", "f64; .rn .rz .rm .rp"),
        ("sub", "f64; .rn .rz .rm .rp"),
        ("mul", "f64; .rn .rz .rm .rp"),
        ("fma", "f64; .rn .rz .rm .rp"),
        ("mad", "f64; .rn .rz .rm .rp"),
        ("div", "f64; .rn .rz .rm .rp"),
        ("rcp", "f64; .rn .rz .rm .rp"),
        ("sqrt", "f64; .rn .rz .rm .rp"),
        ("abs", "f64"),
        ("neg", "f64"),
        ("min", "f64"),
        ("max", "f64"),
        ("copysign", "f64"),
    ],
    decode,
};

const OPERATION: u32 = 8;

#[inline(always)]
fn soft(aux: u64, a: u64, b: u64, c: u64) -> u64 {
    let mode = Mode::from_code(aux);
    match aux >> OPERATION {
        0 => F64.add(a, b, mode),
        1 => F64.sub(a, b, mode),
        2 => F64.mul(a, b, mode),
        3 => F64.fma(a, b, c, mode),
        4 => F64.div(a, b, mode),
        5 => F64.div(1f64.to_bits(), a, mode),
        _ => F64.sqrt(a, mode),
    }
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let mode = if matches!(d.opcode(), "abs" | "neg" | "min" | "max" | "copysign") {
        None
    } else {
        d.take_any(&["rn", "rz", "rm", "rp"]).and_then(Mode::parse)
    };
    let ty = d.ty()?;
    if ty != Type::F64 {
        return Err(d.unsupported_type(ty));
    }
    if mode.is_none() && matches!(d.opcode(), "fma" | "mad" | "div" | "rcp" | "sqrt") {
        return Err(format!("`{}.f64` needs a rounding mode", d.opcode()));
    }
    let mode = mode.unwrap_or(Mode::Nearest);
    let (operation, sources) = match d.opcode() {
        "add" => (0, 2),
        "sub" => (1, 2),
        "mul" => (2, 2),
        "fma" | "mad" => (3, 3),
        "div" => (4, 2),
        "rcp" => (5, 1),
        "sqrt" => (6, 1),
        "abs" | "neg" => (7, 1),
        _ => (7, 2),
    };
    let run: LaneFn = match (d.opcode(), mode) {
        ("abs", _) => lanes!(|a: u64| -> u64 { a & !(1 << 63) }),
        ("neg", _) => lanes!(|a: u64| -> u64 { a ^ 1 << 63 }),
        ("min", _) => lanes!(|a: f64, b: f64| -> f64 {
            if a < b || b.is_nan() || (a == b && a.is_sign_negative()) {
                a
            } else {
                b
            }
        }),
        ("max", _) => lanes!(|a: f64, b: f64| -> f64 {
            if a > b || b.is_nan() || (a == b && a.is_sign_positive()) {
                a
            } else {
                b
            }
        }),
        // PTX: the magnitude of b with the sign of a.
        ("copysign", _) => lanes!(|a: u64, b: u64| -> u64 { a & 1 << 63 | b & !(1 << 63) }),
        ("add", Mode::Nearest) => lanes!(|a: f64, b: f64| -> f64 { a + b }),
        ("sub", Mode::Nearest) => lanes!(|a: f64, b: f64| -> f64 { a - b }),
        ("mul", Mode::Nearest) => lanes!(|a: f64, b: f64| -> f64 { a * b }),
        ("fma" | "mad", Mode::Nearest) => {
            lanes!(|a: f64, b: f64, c: f64| -> f64 { a.mul_add(b, c) })
        }
        ("div", Mode::Nearest) => lanes!(|a: f64, b: f64| -> f64 { a / b }),
        ("rcp", Mode::Nearest) => lanes!(|a: f64| -> f64 { 1.0 / a }),
        ("sqrt", Mode::Nearest) => lanes!(|a: f64| -> f64 { a.sqrt() }),
        ("fma" | "mad", _) => lanes!(|a: u64, b: u64, c: u64; aux| -> u64 { soft(aux, a, b, c) }),
        ("rcp" | "sqrt", _) => lanes!(|a: u64; aux| -> u64 { soft(aux, a, 0, 0) }),
        _ => lanes!(|a: u64, b: u64; aux| -> u64 { soft(aux, a, b, 0) }),
    };
    d.finish(1 + sources)?;
    let mut operands = Operands {
        aux: mode.code() | operation << OPERATION,
        ..Operands::default()
    };
    operands.d[0] = d.destination(0, Type::F64)?;
    for index in 0..sources {
        operands.s[index] = d.source(index + 1, Type::F64)?;
    }
    Ok(Decoded::lanes(run, operands, Class::Double))
}
