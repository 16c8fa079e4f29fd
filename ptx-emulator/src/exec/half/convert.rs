//! `cvt` to and from f16 and bf16, to pairs of them, to tf32, and between
//! pairs and the 8-bit formats.
//!
//! The 8-bit formats are those of the OCP 8-bit floating point specification:
//! e5m2 is IEEE in shape, e4m3 has no infinity and one NaN a sign. PTX always
//! saturates to the largest finite value of them.

use ptx_syntax::Type;

use crate::exec::convert::{INTEGERS, between_rows, clamped, integer_parts, integral64, range_of};
use crate::exec::decode::flag;
use crate::exec::softfloat::{BF16, F16, F32, F64, Finite, Format, Mode, Parts};
use crate::ir::{Operands, Width, lanes};
use crate::lower::{Decoded, Decoder, Reason};
use crate::observe::Class;

// aux: bits 0..2 the mode, then the flags; 4, 8..16 as `integer_parts`, 16..27
// as `clamped`; the formats from bits 32 and 36.
const FTZ: u64 = 1 << 2;
const SATURATE: u64 = 1 << 3;
const RELU: u64 = 1 << 5;
const INTEGRAL: u64 = 1 << 6;
const FROM: u32 = 32;
const TO: u32 = 36;

const KIND_F16: u64 = 0;
const KIND_BF16: u64 = 1;
const KIND_F32: u64 = 2;
const KIND_F64: u64 = 3;
const KIND_INTEGER: u64 = 4;

fn kind_of(ty: Type) -> Option<u64> {
    Some(match ty {
        Type::F16 => KIND_F16,
        Type::BF16 => KIND_BF16,
        Type::F32 => KIND_F32,
        Type::F64 => KIND_F64,
        _ if INTEGERS.contains(&ty) => KIND_INTEGER,
        _ => return None,
    })
}

fn format_of(kind: u64) -> Option<Format> {
    match kind & 15 {
        KIND_F16 => Some(F16),
        KIND_BF16 => Some(BF16),
        KIND_F32 => Some(F32),
        KIND_F64 => Some(F64),
        _ => None,
    }
}

/// A NaN whose sign and payload (its upper bits, and quiet) survive a
/// conversion, as on an H200. The others become the one NaN of their format.
fn kept_nan(from: u64, to: u64, bits: u64) -> Option<u64> {
    match (from, to) {
        // The bits of a bf16 are the upper half of an f32.
        (KIND_BF16, KIND_F32) if BF16.is_nan(bits & 0xffff) => Some((bits & 0xffff) << 16),
        (KIND_F16, KIND_F64) if F16.is_nan(bits & 0xffff) => {
            Some((bits >> 15 & 1) << 63 | 0x7ff8 << 48 | (bits & 0x3ff) << 42)
        }
        (KIND_F64, KIND_F16) if F64.is_nan(bits) => {
            Some((bits >> 63) << 15 | 0x7e00 | bits >> 42 & 0x3ff)
        }
        _ => None,
    }
}

/// One value, from the low bits of a row to the low bits of a row.
fn convert(aux: u64, bits: u64) -> u64 {
    let flush = |format: Format, bits: u64| {
        if aux & FTZ != 0 && format == F32 {
            format.flush(bits)
        } else {
            bits
        }
    };
    if aux & (SATURATE | RELU) == 0
        && let Some(nan) = kept_nan(aux >> FROM & 15, aux >> TO & 15, bits)
    {
        return nan;
    }
    let parts = match format_of(aux >> FROM) {
        Some(format) => {
            let own = ((u128::from(format.sign_bit()) << 1) - 1) as u64;
            format.unpack(flush(format, bits & own))
        }
        None => integer_parts(bits, aux),
    };
    let mode = Mode::from_code(aux);
    let integral = |parts: Parts| {
        // Exact: a 16-bit format is within f64.
        integral64(f64::from_bits(F64.convert(parts, Mode::Nearest)), mode)
    };
    let Some(format) = format_of(aux >> TO) else {
        return clamped(integral(parts), aux);
    };
    let parts = if aux & INTEGRAL != 0 {
        F64.unpack(integral(parts).to_bits())
    } else {
        parts
    };
    let mut out = flush(format, format.convert(parts, mode));
    if aux & SATURATE != 0 {
        out = format.saturate(out);
    }
    if aux & RELU != 0 {
        out = format.relu(out);
    }
    out
}

pub(super) fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let rounding = d.take_any(&["rn", "rz", "rm", "rp", "rna", "rni", "rzi", "rmi", "rpi"]);
    let mut finite = d.take("satfinite");
    let relu = d.take("relu");
    finite |= d.take("satfinite");
    let ftz = d.take("ftz");
    let saturate = d.take("sat");
    if !ftz && !saturate {
        if let Some(word) = d.take_any(&["tf32", "e4m3x2", "e5m2x2"]) {
            return match word {
                "tf32" => to_tf32(d, rounding, finite, relu),
                _ if finite && rounding == Some("rn") => to_bytes(d, word == "e5m2x2", relu),
                _ => Err("a conversion to an 8-bit format needs `.rn.satfinite`".into()),
            };
        }
        if !finite && d.peek() == Some("f16x2") {
            d.take("f16x2");
            if let Some(word) = d.take_any(&["e4m3x2", "e5m2x2"]) {
                return from_bytes(d, word == "e5m2x2", rounding, relu);
            }
            return pair(d, Type::F16x2, rounding, relu);
        }
        if !finite && d.take("bf16x2") {
            return pair(d, Type::BF16x2, rounding, relu);
        }
    }
    if finite {
        return Err("`.satfinite` goes with tf32 and the 8-bit formats here".into());
    }
    let (to, from) = (d.ty()?, d.ty()?);
    let half = |ty| matches!(ty, Type::F16 | Type::BF16);
    let (Some(to_kind), Some(from_kind), true) =
        (kind_of(to), kind_of(from), half(to) || half(from))
    else {
        return Err(d.unsupported_type(if half(to) { from } else { to }));
    };
    if [to, from].contains(&Type::BF16) && to.bytes().min(from.bytes()) == 1 {
        return Err("there is no conversion between bf16 and 8 bits".into());
    }
    let integral = matches!(rounding, Some("rni" | "rzi" | "rmi" | "rpi"));
    if saturate && to == Type::BF16 {
        return Err("`.sat` does not go with bf16".into());
    }
    d.finish(2)?;
    if ftz && to != Type::F32 && from != Type::F32 {
        return Err("`.ftz` needs an f32".into());
    }
    if relu && !(half(to) && from == Type::F32) {
        return Err("`.relu` is for conversions from f32 to a 16-bit format".into());
    }
    check_rounding(to, from, rounding, integral)?;
    let mode = rounding.and_then(Mode::parse).unwrap_or(Mode::Nearest);
    let (destination, register) = d.written(d.operand(0)?, to, !to.is_float())?;
    let source_operand = d.operand(1)?;
    let mut operands = Operands {
        aux: mode.code()
            | flag(ftz, FTZ)
            | flag(saturate && to.is_float(), SATURATE)
            | flag(relu, RELU)
            | flag(integral, INTEGRAL)
            | u64::from(from.is_signed()) << 4
            | u64::from(from.bytes() * 8) << 8
            | range_of(to, from)
            | from_kind << FROM
            | to_kind << TO,
        ..Operands::default()
    };
    operands.d[0] = destination;
    operands.s[0] = d.read(source_operand, from, !from.is_float())?;
    let wide = d.register_type(1).map_or(Width::of(from), Width::of);
    let run = between_rows!(wide, Width::of(register), |a, aux| convert(aux, a));
    Ok(Decoded::lanes(run, operands, Class::Convert))
}

/// Whether a conversion with a 16-bit format takes this rounding.
fn check_rounding(
    to: Type,
    from: Type,
    rounding: Option<&str>,
    integral: bool,
) -> Result<(), Reason> {
    let exact =
        to == from || matches!(from, Type::F16 | Type::BF16) && matches!(to, Type::F32 | Type::F64);
    match rounding {
        _ if !to.is_float() && !integral => {
            return Err("a conversion to an integer needs .rni, .rzi, .rmi or .rpi".into());
        }
        _ if !to.is_float() => {}
        // Between the two formats that is `.rn`, as for ptxas.
        None if matches!(from, Type::F16 | Type::BF16) => {}
        Some(_) if to == from && integral => {}
        Some("rn" | "rz" | "rm" | "rp") if !exact => {}
        Some(_) if exact => return Err("this conversion is exact".into()),
        _ => return Err("this conversion needs .rn, .rz, .rm or .rp".into()),
    }
    Ok(())
}

/// `d = {a, b}`: the first operand becomes the upper element.
fn pair(
    d: &mut Decoder<'_, '_>,
    to: Type,
    rounding: Option<&str>,
    relu: bool,
) -> Result<Decoded, Reason> {
    d.type_of(&[Type::F32])?;
    let Some(mode) = rounding
        .filter(|word| matches!(*word, "rn" | "rz"))
        .and_then(Mode::parse)
    else {
        return Err("a conversion to a pair needs .rn or .rz".into());
    };
    let kind = if to == Type::F16x2 {
        KIND_F16
    } else {
        KIND_BF16
    };
    let run = lanes!(|a: u32, b: u32; aux| -> u32 {
        (convert(aux, u64::from(a)) << 16 | convert(aux, u64::from(b))) as u32
    });
    let aux = mode.code() | flag(relu, RELU) | KIND_F32 << FROM | kind << TO;
    d.each_lane(run, aux, Class::Convert, Type::B32, &[Type::F32; 2])
}

/// Bits of an f32 that tf32 does not have; a result has zeros there.
const BELOW_TF32: u32 = 13;
const LARGEST_TF32: u32 = 0x7f7f_e000;

/// aux: 0 to nearest with ties away from zero, 1 to nearest even, 2 to zero;
/// bit 2 to the largest finite value instead of infinity; bit 5 `RELU`.
fn tf32(aux: u64, bits: u32) -> u32 {
    let (sign, magnitude) = (bits & 0x8000_0000, bits & 0x7fff_ffff);
    if magnitude > 0x7f80_0000 {
        // As on an H200: cut, whatever is left of the payload.
        return bits >> BELOW_TF32 << BELOW_TF32;
    }
    if aux & RELU != 0 && sign != 0 {
        return 0;
    }
    let half = 1 << (BELOW_TF32 - 1);
    let added = match aux & 3 {
        0 => half,
        1 => half - 1 + (magnitude >> BELOW_TF32 & 1),
        _ => 0,
    };
    let rounded = if magnitude == 0x7f80_0000 {
        magnitude
    } else {
        (magnitude + added) >> BELOW_TF32 << BELOW_TF32
    };
    sign | if aux & 4 != 0 {
        rounded.min(LARGEST_TF32)
    } else {
        rounded
    }
}

fn to_tf32(
    d: &mut Decoder<'_, '_>,
    rounding: Option<&str>,
    finite: bool,
    relu: bool,
) -> Result<Decoded, Reason> {
    d.type_of(&[Type::F32])?;
    let mode = match rounding {
        Some("rna") if !relu => 0,
        Some("rn") => 1,
        Some("rz") => 2,
        _ => return Err("a conversion to tf32 needs .rna, .rn or .rz".into()),
    };
    let aux = mode | flag(finite, 4) | flag(relu, RELU);
    let run = lanes!(|a: u32; aux| -> u32 { tf32(aux, a) });
    d.each_lane(run, aux, Class::Convert, Type::B32, &[Type::F32])
}

// aux of the 8-bit formats: bit 0 e5m2, bit 5 `RELU`.

/// To an 8-bit format, to nearest even, saturated to the largest finite value.
fn narrow(aux: u64, x: f32) -> u32 {
    if x.is_nan() {
        return 0x7f;
    }
    if aux & RELU != 0 && x.is_sign_negative() {
        return 0;
    }
    let (fraction_bits, least_exponent, largest) = if aux & 1 != 0 {
        (2, -14, 57344.0)
    } else {
        (3, -6, 448.0)
    };
    let magnitude = f64::from(x.abs()).min(largest);
    let exponent = ((magnitude.to_bits() >> 52) as i32 - 1023).max(least_exponent);
    // Exact: a power of two; then an integer below 2^(fraction_bits + 1).
    let quantum = 2f64.powi(exponent - fraction_bits);
    let steps = (magnitude / quantum).round_ties_even() as u32;
    let bits = (((exponent - least_exponent) as u32) << fraction_bits) + steps;
    bits | u32::from(x.is_sign_negative()) << 7
}

/// An 8-bit value as f16, which holds all of them.
fn widen(aux: u64, byte: u32) -> u32 {
    if aux & 1 != 0 {
        // The upper half of an f16.
        let bits = u64::from(byte) << 8;
        return if F16.is_nan(bits) {
            0x7fff
        } else {
            bits as u32
        };
    }
    let (exponent, fraction) = (byte >> 3 & 15, byte & 7);
    if byte & 0x7f == 0x7f {
        return 0x7fff;
    }
    let hidden = if exponent == 0 { 0 } else { 8 };
    let parts = Parts::Finite(Finite {
        negative: byte & 0x80 != 0,
        significand: u128::from(hidden | fraction),
        exponent: exponent.max(1) as i32 - 7 - 3,
    });
    F16.convert(parts, Mode::Nearest) as u32
}

fn to_bytes(d: &mut Decoder<'_, '_>, e5m2: bool, relu: bool) -> Result<Decoded, Reason> {
    let aux = u64::from(e5m2) | flag(relu, RELU);
    match d.ty()? {
        Type::F32 => {
            let run = lanes!(|a: f32, b: f32; aux| -> u32 { narrow(aux, a) << 8 | narrow(aux, b) });
            d.each_lane(run, aux, Class::Convert, Type::B16, &[Type::F32; 2])
        }
        Type::F16x2 => {
            let run = lanes!(|a: u32; aux| -> u32 {
                let element = |bits: u32| {
                    let parts = F16.unpack(u64::from(bits & 0xffff));
                    narrow(aux, f32::from_bits(F32.convert(parts, Mode::Nearest) as u32))
                };
                element(a >> 16) << 8 | element(a)
            });
            d.each_lane(run, aux, Class::Convert, Type::B16, &[Type::F16x2])
        }
        other => Err(d.unsupported_type(other)),
    }
}

fn from_bytes(
    d: &mut Decoder<'_, '_>,
    e5m2: bool,
    rounding: Option<&str>,
    relu: bool,
) -> Result<Decoded, Reason> {
    if rounding != Some("rn") {
        return Err("a conversion from an 8-bit format needs `.rn`".into());
    }
    let aux = u64::from(e5m2) | flag(relu, RELU);
    let run = lanes!(|a: u32; aux| -> u32 {
        let element = |byte: u32| {
            let bits = widen(aux, byte & 0xff);
            if aux & RELU != 0 { F16.relu(u64::from(bits)) as u32 } else { bits }
        };
        element(a >> 8) << 16 | element(a)
    });
    d.each_lane(run, aux, Class::Convert, Type::F16x2, &[Type::B16])
}
