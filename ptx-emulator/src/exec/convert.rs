//! `cvt` between integers, f32 and f64, with every rounding mode and `.sat`.
//! `cvt` with 16-bit and narrower floating-point formats is another group's.
//!
//! An integer conversion takes the low bits of its source's row, extends them
//! as the source type says, and writes them extended as the destination type
//! says; the registers may be wider than the types.

use super::softfloat::{F32, F64, Format, Mode, Parts};
use super::{Group, float32, lanes};
use crate::ast::Type;
use crate::ir::{Class, LaneFn, Operands, Width};
use crate::lower::decoder::{Decoded, Decoder, Reason};

pub(crate) const GROUP: Group = Group {
    name: "convert",
    opcodes: &[(
        "cvt",
        "u8 u16 u32 u64 s8 s16 s32 s64 f32 f64, any to any; .rn .rz .rm .rp .rni .rzi .rmi .rpi .ftz .sat",
    )],
    decode,
};

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let rounding = d.take_any(&["rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi"]);
    let ftz = d.take("ftz");
    let saturate = d.take("sat");
    let (to, from) = (d.ty()?, d.ty()?);
    for ty in [to, from] {
        let known = matches!(ty, Type::F32 | Type::F64)
            || matches!(
                ty,
                Type::U8
                    | Type::U16
                    | Type::U32
                    | Type::U64
                    | Type::S8
                    | Type::S16
                    | Type::S32
                    | Type::S64
            );
        if !known {
            return Err(d.unsupported_type(ty));
        }
    }
    if ftz && to != Type::F32 && from != Type::F32 {
        return Err("`.ftz` needs an f32".into());
    }
    d.finish(2)?;
    let integral = matches!(rounding, Some("rni" | "rzi" | "rmi" | "rpi"));
    let mode = rounding.and_then(Mode::parse);
    let run = match (to.is_float(), from.is_float()) {
        (false, false) if mode.is_some() => return Err("integers are not rounded".into()),
        (false, false) => return integers(d, to, from, saturate),
        (true, false) => match mode {
            Some(mode) if !integral => from_integer(to, from, mode, saturate),
            _ => {
                return Err(
                    "a conversion from an integer to a float needs .rn, .rz, .rm or .rp".into(),
                );
            }
        },
        (false, true) => {
            let Some(mode) = mode.filter(|_| integral) else {
                return Err(
                    "a conversion from a float to an integer needs .rni, .rzi, .rmi or .rpi".into(),
                );
            };
            return to_integer(d, to, from, mode, ftz);
        }
        (true, true) => between_floats(to, from, mode, integral, ftz)?,
    };
    let mode = mode.unwrap_or(Mode::Nearest);
    let (destination, _) = d.written(d.operand(0)?, to, true)?;
    let source = d.operand(1)?;
    let mut operands = Operands {
        aux: mode.code()
            | u64::from(ftz) << 2
            | u64::from(saturate) << 3
            | u64::from(from.is_signed()) << 4
            | u64::from(from.bytes() * 8) << 8,
        ..Operands::default()
    };
    operands.d[0] = destination;
    operands.s[0] = d.read(source, from, !from.is_float())?;
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

fn integers(
    d: &mut Decoder<'_, '_>,
    to: Type,
    from: Type,
    saturate: bool,
) -> Result<Decoded, Reason> {
    let (destination, register) = d.written(d.operand(0)?, to, true)?;
    let source_operand = d.operand(1)?;
    let source = d.read(source_operand, from, true)?;
    let source_width = d.register_type(1).map_or(Width::of(from), Width::of);
    let run: LaneFn = match (source_width, Width::of(register), saturate) {
        (Width::W64, Width::W64, false) => {
            lanes!(|a: u64; aux| -> u64 { integer(a, aux & !(1 << 25)) })
        }
        (Width::W64, _, false) => {
            lanes!(|a: u64; aux| -> u32 { integer(a, aux & !(1 << 25)) as u32 })
        }
        (_, Width::W64, false) => {
            lanes!(|a: u32; aux| -> u64 { integer(u64::from(a), aux & !(1 << 25)) })
        }
        (_, _, false) => {
            lanes!(|a: u32; aux| -> u32 { integer(u64::from(a), aux & !(1 << 25)) as u32 })
        }
        (Width::W64, Width::W64, true) => {
            lanes!(|a: u64; aux| -> u64 { integer(a, aux | 1 << 25) })
        }
        (Width::W64, _, true) => lanes!(|a: u64; aux| -> u32 { integer(a, aux | 1 << 25) as u32 }),
        (_, Width::W64, true) => {
            lanes!(|a: u32; aux| -> u64 { integer(u64::from(a), aux | 1 << 25) })
        }
        (_, _, true) => {
            lanes!(|a: u32; aux| -> u32 { integer(u64::from(a), aux | 1 << 25) as u32 })
        }
    };
    let mut operands = Operands {
        aux: u64::from(from.bytes() * 8)
            | u64::from(from.is_signed()) << 8
            | u64::from(to.bytes() * 8) << 16
            | u64::from(to.is_signed()) << 24,
        ..Operands::default()
    };
    operands.d[0] = destination;
    operands.s[0] = source;
    Ok(Decoded::lanes(run, operands, Class::Convert))
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
    Parts::Finite {
        negative,
        significand: u128::from(magnitude),
        exponent: 0,
    }
}

/// `.sat` of an integer is 0 or 1, never in between.
fn from_integer(to: Type, from: Type, mode: Mode, saturate: bool) -> LaneFn {
    match (to, from, mode, saturate) {
        (Type::F32, Type::U32, Mode::Nearest, false) => lanes!(|a: u32| -> f32 { a as f32 }),
        (Type::F32, Type::S32, Mode::Nearest, false) => lanes!(|a: i32| -> f32 { a as f32 }),
        (Type::F64, Type::U32, _, false) => lanes!(|a: u32| -> f64 { f64::from(a) }),
        (Type::F64, Type::S32, _, false) => lanes!(|a: i32| -> f64 { f64::from(a) }),
        (Type::F32, Type::U64, Mode::Nearest, false) => lanes!(|a: u64| -> f32 { a as f32 }),
        (Type::F32, Type::S64, Mode::Nearest, false) => lanes!(|a: i64| -> f32 { a as f32 }),
        (Type::F64, Type::U64, Mode::Nearest, false) => lanes!(|a: u64| -> f64 { a as f64 }),
        (Type::F64, Type::S64, Mode::Nearest, false) => lanes!(|a: i64| -> f64 { a as f64 }),
        (Type::F32, Type::U64 | Type::S64, _, _) => {
            lanes!(|a: u64; aux| -> u32 { saturated32(F32.convert(integer_parts(a, aux), Mode::from_code(aux)), aux) })
        }
        (Type::F32, _, _, _) => lanes!(|a: u32; aux| -> u32 {
            saturated32(F32.convert(integer_parts(u64::from(a), aux), Mode::from_code(aux)), aux)
        }),
        (_, Type::U64 | Type::S64, _, _) => {
            lanes!(|a: u64; aux| -> u64 { saturated64(F64.convert(integer_parts(a, aux), Mode::from_code(aux)), aux) })
        }
        _ => lanes!(|a: u32; aux| -> u64 {
            saturated64(F64.convert(integer_parts(u64::from(a), aux), Mode::from_code(aux)), aux)
        }),
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

fn to_integer(
    d: &mut Decoder<'_, '_>,
    to: Type,
    from: Type,
    mode: Mode,
    ftz: bool,
) -> Result<Decoded, Reason> {
    let (destination, register) = d.written(d.operand(0)?, to, true)?;
    let source = d.source(1, from)?;
    let run: LaneFn = match (from, Width::of(register)) {
        (Type::F32, Width::W64) => lanes!(|a: f32; aux| -> u64 {
            let a = if aux & 4 != 0 { float32::flush(a) } else { a };
            clamped(integral64(f64::from(a), Mode::from_code(aux)), aux)
        }),
        (Type::F32, _) => lanes!(|a: f32; aux| -> u32 {
            let a = if aux & 4 != 0 { float32::flush(a) } else { a };
            clamped(integral64(f64::from(a), Mode::from_code(aux)), aux) as u32
        }),
        (_, Width::W64) => {
            lanes!(|a: f64; aux| -> u64 { clamped(integral64(a, Mode::from_code(aux)), aux) })
        }
        _ => {
            lanes!(|a: f64; aux| -> u32 { clamped(integral64(a, Mode::from_code(aux)), aux) as u32 })
        }
    };
    let mut operands = Operands {
        aux: mode.code() | u64::from(ftz) << 2 | range_of(to, from),
        ..Operands::default()
    };
    operands.d[0] = destination;
    operands.s[0] = source;
    Ok(Decoded::lanes(run, operands, Class::Convert))
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
        (Type::F32, Type::F64) => {
            if ftz {
                lanes!(|a: f64; aux| -> u32 {
                    narrowed(a, narrow(a.to_bits(), F32.flushing(), aux), aux)
                })
            } else if mode == Some(Mode::Nearest) {
                lanes!(|a: f64; aux| -> u32 { narrowed(a, a as f32, aux) })
            } else {
                lanes!(|a: f64; aux| -> u32 {
                    narrowed(a, narrow(a.to_bits(), F32, aux), aux)
                })
            }
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
            let a = if aux & 4 != 0 { float32::flush(a) } else { a };
            finish32(integral64(f64::from(a), Mode::from_code(aux)) as f32, aux)
        }),
        // Without modifiers, a move.
        (Type::F32, _) => lanes!(|a: u32; aux| -> u32 {
            if aux & 12 == 0 {
                a
            } else {
                finish32(f32::from_bits(a), aux)
            }
        }),
        (_, _) if integral => {
            lanes!(|a: f64; aux| -> u64 { saturated64(integral64(a, Mode::from_code(aux)).to_bits(), aux) })
        }
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
    let x = if aux & 4 != 0 { float32::flush(x) } else { x };
    if aux & 8 != 0 {
        float32::saturate(x).to_bits()
    } else {
        float32::canonical(x)
    }
}
