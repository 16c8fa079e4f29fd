//! `cvt` between integers, f32 and f64, with every rounding mode and `.sat`.
//! `cvt` with 16-bit and narrower floating-point formats is another group's.
//!
//! An integer conversion takes the low bits of its source's row, extends them
//! as the source type says, and writes them extended as the destination type
//! says; the registers may be wider than the types.

use ptx_syntax::Type;

use super::softfloat::{F32, F64, Finite, Format, Mode, Parts};
use super::{Group, float32};
use crate::ir::{LaneFn, Operands, Width, lanes};
use crate::lower::{Decoded, Decoder, Reason};
use crate::observe::Class;

pub(crate) const GROUP: Group = Group {
    name: "convert",
    forms: &[
        "cvt: u8 u16 u32 u64 s8 s16 s32 s64 f32 f64, any to any; .rn .rz .rm .rp .rni .rzi .rmi .rpi .ftz .sat",
    ],
    decode,
};

pub(super) const INTEGERS: [Type; 8] = [
    Type::U8,
    Type::U16,
    Type::U32,
    Type::U64,
    Type::S8,
    Type::S16,
    Type::S32,
    Type::S64,
];

/// A function to the low bits of a row of 64 or 32 bits.
macro_rules! to_rows {
    ($to:expr, |$a:ident: $A:ty, $aux:ident| $body:expr) => {
        match $to {
            Width::W64 => lanes!(|$a: $A; $aux| -> u64 { $body }),
            _ => lanes!(|$a: $A; $aux| -> u32 { ($body) as u32 }),
        }
    };
}

/// The same from the bits of one.
macro_rules! between_rows {
    ($from:expr, $to:expr, |$a:ident, $aux:ident| $body:expr) => {
        match $from {
            Width::W64 => $crate::exec::convert::to_rows!($to, |$a: u64, $aux| $body),
            _ => $crate::exec::convert::to_rows!($to, |a: u32, $aux| {
                let $a = u64::from(a);
                $body
            }),
        }
    };
}

pub(super) use between_rows;
pub(super) use to_rows;

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let rounding = d.take_any(&["rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"]);
    let ftz = d.take("ftz");
    let saturate = d.take("sat");
    let (to, from) = (d.ty()?, d.ty()?);
    for ty in [to, from] {
        if !matches!(ty, Type::F32 | Type::F64) && !INTEGERS.contains(&ty) {
            return Err(d.unsupported_type(ty));
        }
    }
    let bits = |ty: Type| 8 * ty.bytes() - u32::from(ty.is_signed());
    let holds_all = (to.is_signed() || !from.is_signed()) && bits(to) >= bits(from);
    if saturate && holds_all && INTEGERS.contains(&to) && INTEGERS.contains(&from) {
        return Err(format!("`.sat` does nothing from {from:?} to {to:?}"));
    }
    if ftz && to != Type::F32 && from != Type::F32 {
        return Err("`.ftz` needs an f32".into());
    }
    d.finish(2)?;
    let integral = matches!(rounding, Some("rni" | "rzi" | "rmi" | "rpi"));
    let mode = rounding.and_then(Mode::parse);
    match (to.is_float(), from.is_float()) {
        (false, false) if mode.is_some() => return Err("integers are not rounded".into()),
        (true, false) if mode.is_none() || integral => {
            return Err(
                "a conversion from an integer to a float needs .rn, .rz, .rm or .rp".into(),
            );
        }
        (false, true) if !integral => {
            return Err(
                "a conversion from a float to an integer needs .rni, .rzi, .rmi or .rpi".into(),
            );
        }
        _ => {}
    }
    let (destination, register) = d.written(d.operand(0)?, to, true)?;
    let source = d.read(d.operand(1)?, from, !from.is_float())?;
    let from_width = Width::of(d.register_type(1).unwrap_or(from));
    let to_width = Width::of(register);
    let rounded = mode.unwrap_or(Mode::Nearest);
    let flags = rounded.code() | u64::from(ftz) << 2 | u64::from(saturate) << 3;
    let (run, aux) = match (to.is_float(), from.is_float()) {
        (false, false) => {
            let aux = u64::from(from.bytes() * 8)
                | u64::from(from.is_signed()) << 8
                | u64::from(to.bytes() * 8) << 16
                | u64::from(to.is_signed()) << 24;
            (integers(from_width, to_width, saturate), aux)
        }
        (true, false) => {
            let aux = flags | u64::from(from.is_signed()) << 4 | u64::from(from.bytes() * 8) << 8;
            (from_integer(to, from, rounded, saturate), aux)
        }
        (false, true) => (to_integer(from, to_width), flags | range_of(to, from)),
        (true, true) => (between_floats(to, from, mode, integral, ftz)?, flags),
    };
    let mut operands = Operands {
        aux,
        ..Operands::default()
    };
    operands.d[0] = destination;
    operands.s[0] = source;
    Ok(Decoded::lanes(run, operands, Class::Convert))
}

/// The low `width` bits, extended.
#[inline(always)]
fn extend(bits: u64, width: u32, signed: bool) -> u64 {
    let up = (64 - width) & 63;
    if signed {
        ((bits << up) as i64 >> up) as u64
    } else {
        bits << up >> up
    }
}

/// aux: bits 0..8 source width, bit 8 signed; 16..24 destination width,
/// bit 24 signed; bit 25 saturate.
#[inline(always)]
fn integer(bits: u64, aux: u64) -> u64 {
    let (from, from_signed) = ((aux & 0xff) as u32, aux >> 8 & 1 != 0);
    let (to, to_signed) = ((aux >> 16 & 0xff) as u32, aux >> 24 & 1 != 0);
    let value = extend(bits, from, from_signed);
    let value = if aux >> 25 & 1 != 0 {
        let wide = if from_signed {
            i128::from(value as i64)
        } else {
            i128::from(value)
        };
        let (low, high) = if to_signed {
            (-(1i128 << (to - 1)), (1i128 << (to - 1)) - 1)
        } else {
            (0, (1i128 << to) - 1)
        };
        wide.clamp(low, high) as u64
    } else {
        value
    };
    extend(value, to, to_signed)
}

/// aux as in `integer`. Whether to saturate is known here, so that the loop
/// does not ask.
fn integers(from: Width, to: Width, saturate: bool) -> LaneFn {
    match saturate {
        false => between_rows!(from, to, |a, aux| integer(a, aux & !(1 << 25))),
        true => between_rows!(from, to, |a, aux| integer(a, aux | 1 << 25)),
    }
}

/// An integer as parts of a value. `aux` as in `decode`.
#[inline(always)]
pub(crate) fn integer_parts(bits: u64, aux: u64) -> Parts {
    let signed = aux >> 4 & 1 != 0;
    let value = extend(bits, (aux >> 8 & 0xff) as u32, signed);
    let negative = signed && (value as i64) < 0;
    let magnitude = if negative {
        value.wrapping_neg()
    } else {
        value
    };
    Parts::Finite(Finite {
        negative,
        significand: u128::from(magnitude),
        exponent: 0,
    })
}

/// `.sat` of an integer is 0 or 1, never in between.
fn from_integer(to: Type, from: Type, mode: Mode, saturate: bool) -> LaneFn {
    macro_rules! soft {
        ($format:ident, $A:ty, $D:ty, $saturated:ident) => {
            lanes!(|a: $A; aux| -> $D {
                let parts = integer_parts(a.into(), aux);
                $saturated($format.convert(parts, Mode::from_code(aux)), aux)
            })
        };
    }
    match (to, from, mode, saturate) {
        (Type::F32, Type::U32, Mode::Nearest, false) => lanes!(|a: u32| -> f32 { a as f32 }),
        (Type::F32, Type::S32, Mode::Nearest, false) => lanes!(|a: i32| -> f32 { a as f32 }),
        (Type::F32, Type::U64, Mode::Nearest, false) => lanes!(|a: u64| -> f32 { a as f32 }),
        (Type::F32, Type::S64, Mode::Nearest, false) => lanes!(|a: i64| -> f32 { a as f32 }),
        (Type::F64, Type::U32, _, false) => lanes!(|a: u32| -> f64 { f64::from(a) }),
        (Type::F64, Type::S32, _, false) => lanes!(|a: i32| -> f64 { f64::from(a) }),
        (Type::F64, Type::U64, Mode::Nearest, false) => lanes!(|a: u64| -> f64 { a as f64 }),
        (Type::F64, Type::S64, Mode::Nearest, false) => lanes!(|a: i64| -> f64 { a as f64 }),
        (Type::F32, Type::U64 | Type::S64, ..) => soft!(F32, u64, u32, saturated32),
        (Type::F32, ..) => soft!(F32, u32, u32, saturated32),
        (_, Type::U64 | Type::S64, ..) => soft!(F64, u64, u64, saturated64),
        _ => soft!(F64, u32, u64, saturated64),
    }
}

#[inline(always)]
fn saturated32(bits: u64, aux: u64) -> u32 {
    let value = f32::from_bits(bits as u32);
    if aux >> 3 & 1 != 0 {
        float32::saturate(value).to_bits()
    } else {
        bits as u32
    }
}

#[inline(always)]
fn saturated64(bits: u64, aux: u64) -> u64 {
    let value = f64::from_bits(bits);
    if aux >> 3 & 1 == 0 {
        bits
    } else if value > 0.0 {
        value.min(1.0).to_bits()
    } else {
        0
    }
}

/// To an integral value in the direction of the mode.
#[inline(always)]
pub(crate) fn integral64(x: f64, mode: Mode) -> f64 {
    match mode {
        Mode::Nearest => x.round_ties_even(),
        Mode::Zero => x.trunc(),
        Mode::Down => x.floor(),
        Mode::Up => x.ceil(),
    }
}

/// What `clamped` needs to know of the types.
pub(crate) fn range_of(to: Type, from: Type) -> u64 {
    u64::from(to.bytes() * 8) << 16
        | u64::from(to.is_signed()) << 24
        | u64::from(from == Type::F64 || to.bytes() == 8) << 26
}

/// An integral f64 or NaN to the range of the type. aux: bits 16..24 width,
/// bit 24 signed, bit 26 what becomes of NaN: 0, or (from f64, and to 64
/// bits) the top bit alone; PTX ISA, `cvt`.
#[inline(always)]
pub(crate) fn clamped(x: f64, aux: u64) -> u64 {
    let width = (aux >> 16 & 0xff) as u32;
    if x.is_nan() {
        return extend((aux >> 26 & 1) << (width - 1), width, aux >> 24 & 1 != 0);
    }
    if aux >> 24 & 1 != 0 {
        let limit = (1i128 << (width - 1)) as f64;
        if x >= limit {
            ((1i128 << (width - 1)) - 1) as u64
        } else if x < -limit {
            (-(1i128 << (width - 1))) as u64
        } else {
            x as i64 as u64
        }
    } else {
        let limit = (1i128 << width) as f64;
        if x <= 0.0 {
            0
        } else if x >= limit {
            ((1i128 << width) - 1) as u64
        } else {
            x as u64
        }
    }
}

fn to_integer(from: Type, to: Width) -> LaneFn {
    match from {
        Type::F32 => to_rows!(to, |a: f32, aux| {
            clamped(
                integral64(f64::from(flushed(a, aux)), Mode::from_code(aux)),
                aux,
            )
        }),
        _ => to_rows!(to, |a: f64, aux| clamped(
            integral64(a, Mode::from_code(aux)),
            aux
        )),
    }
}

/// Under `.ftz`, a subnormal to zero.
#[inline(always)]
fn flushed(x: f32, aux: u64) -> f32 {
    if aux & 4 != 0 { float32::flush(x) } else { x }
}

fn between_floats(
    to: Type,
    from: Type,
    mode: Option<Mode>,
    integral: bool,
    ftz: bool,
) -> Result<LaneFn, Reason> {
    let narrows = (to, from) == (Type::F32, Type::F64);
    match (narrows, mode.is_some(), integral) {
        (true, false, _) => return Err("a conversion from f64 to f32 needs a rounding mode".into()),
        (true, _, true) => return Err("f64 to f32 rounds by .rn, .rz, .rm or .rp".into()),
        (false, true, false) => {
            return Err("this conversion is exact and takes no rounding mode".into());
        }
        (false, true, true) if to != from => {
            return Err("only a conversion within a type rounds to integral".into());
        }
        _ => {}
    }
    Ok(match (to, from) {
        (Type::F32, Type::F64) if ftz => lanes!(|a: f64; aux| -> u32 {
            narrowed(a, narrow(a.to_bits(), F32.flushing(), aux), aux)
        }),
        (Type::F32, Type::F64) if mode == Some(Mode::Nearest) => {
            lanes!(|a: f64; aux| -> u32 { narrowed(a, a as f32, aux) })
        }
        (Type::F32, Type::F64) => {
            lanes!(|a: f64; aux| -> u32 { narrowed(a, narrow(a.to_bits(), F32, aux), aux) })
        }
        (Type::F64, Type::F32) => lanes!(|a: f32; aux| -> u64 {
            // Flushing makes the one NaN of f32 arithmetic of any.
            let a = if aux & 4 != 0 {
                f32::from_bits(float32::canonical(float32::flush(a)))
            } else {
                a
            };
            saturated64(f64::from(a).to_bits(), aux)
        }),
        (Type::F32, _) if integral => lanes!(|a: f32; aux| -> u32 {
            finish32(integral64(f64::from(flushed(a, aux)), Mode::from_code(aux)) as f32, aux)
        }),
        // Without modifiers, a move.
        (Type::F32, _) => lanes!(|a: u32; aux| -> u32 {
            if aux & 12 == 0 {
                a
            } else {
                finish32(f32::from_bits(a), aux)
            }
        }),
        _ if integral => lanes!(|a: f64; aux| -> u64 {
            saturated64(integral64(a, Mode::from_code(aux)).to_bits(), aux)
        }),
        _ => lanes!(|a: u64; aux| -> u64 { saturated64(a, aux) }),
    })
}

#[inline(always)]
fn narrow(a: u64, format: Format, aux: u64) -> f32 {
    f32::from_bits(format.convert(F64.unpack(a), Mode::from_code(aux)) as u32)
}

/// An f64 that was rounded: a NaN keeps its sign and the upper bits of its
/// payload, and is quiet.
#[inline(always)]
fn narrowed(a: f64, rounded: f32, aux: u64) -> u32 {
    if a.is_nan() && aux & 8 == 0 {
        let bits = a.to_bits();
        (bits >> 32) as u32 & 0x8000_0000 | 0x7fc0_0000 | (bits >> 29) as u32 & 0x3f_ffff
    } else {
        finish32(rounded, aux)
    }
}

#[inline(always)]
fn finish32(x: f32, aux: u64) -> u32 {
    let x = flushed(x, aux);
    if aux & 8 != 0 {
        float32::saturate(x).to_bits()
    } else {
        float32::canonical(x)
    }
}
