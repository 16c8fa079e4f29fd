//! 16-bit floating point, exact to the bit: `add`, `sub`, `mul`, `fma`, `abs`,
//! `neg`, `min`, `max` on f16, bf16 and pairs of them; `compare` has `setp`
//! and `set`, `convert` has `cvt`.
//!
//! All of it goes through `softfloat`, one element at a time. A NaN result is
//! 0x7fff in both formats, as on a GPU; `abs` and `neg` change the sign bit
//! of a NaN and keep the rest. A sum or product of bf16 is rounded once, as
//! the fused operation that the hardware makes of it.

mod compare;
mod convert;

use ptx_syntax::Type;

use super::Group;
use super::extreme::{PROPAGATE, XOR_SIGN, extreme};
use super::softfloat::{BF16, F16, Format, Mode};
use crate::ir::{LaneFn, lanes};
use crate::lower::{Decoded, Decoder, Reason};
use crate::observe::Class;

pub(crate) const GROUP: Group = Group {
    name: "half",
    forms: &[
        "add sub mul: .rn; f16 f16x2 with .ftz .sat; bf16 bf16x2",
        "fma: .rn; f16 f16x2 with .ftz .sat .relu; bf16 bf16x2 with .relu",
        "abs neg: f16 f16x2 with .ftz; bf16 bf16x2",
        "min max: f16 f16x2 with .ftz; bf16 bf16x2; .NaN .xorsign.abs",
        "setp: float comparisons; .and .or .xor; f16 f16x2 with .ftz; bf16 bf16x2",
        "set: float comparisons; .and .or .xor; f16 f16x2 with .ftz, bf16 bf16x2, to u16 s16 u32 s32 f16 bf16 f16x2 bf16x2",
        "cvt: f16 bf16 to and from each other, u16 to u64, s16 to s64, f32 f64; f16 to and from u8 s8; f32 pairs to f16x2 bf16x2; f32 to tf32; f32 pairs and f16x2 to e4m3x2 e5m2x2, and those to f16x2; .rn .rz .rm .rp .rna .rni .rzi .rmi .rpi .ftz .sat .relu .satfinite",
    ],
    decode,
};

pub(super) const BRAIN: u64 = 1;
pub(super) const FTZ: u64 = 2;
pub(super) const SATURATE: u64 = 4;
const RELU: u64 = 8;
pub(super) const PACKED: u64 = 64;

fn format_of(aux: u64) -> Format {
    let format = if aux & BRAIN != 0 { BF16 } else { F16 };
    match aux & FTZ {
        0 => format,
        _ => format.flushing(),
    }
}

/// `BRAIN` and `PACKED` of a type; `None` when it is none of this group's.
fn traits_of(ty: Type) -> Option<u64> {
    Some(match ty {
        Type::F16 => 0,
        Type::F16x2 => PACKED,
        Type::BF16 => BRAIN,
        Type::BF16x2 => BRAIN | PACKED,
        _ => return None,
    })
}

/// `f` on the element, or on both.
#[inline(always)]
pub(super) fn elements(
    aux: u64,
    (a, b, c): (u32, u32, u32),
    f: impl Fn(Format, u64, u64, u64) -> u64,
) -> u32 {
    let format = format_of(aux);
    let element = |shift: u32| {
        let part = |row: u32| format.flushed(u64::from(row >> shift & 0xffff));
        let mut bits = format.flushed(f(format, part(a), part(b), part(c)));
        if aux & SATURATE != 0 {
            bits = format.saturate(bits);
        }
        if aux & RELU != 0 {
            bits = format.relu(bits);
        }
        (bits as u32 & 0xffff) << shift
    };
    match aux & PACKED {
        0 => element(0),
        _ => element(0) | element(16),
    }
}

/// Any NaN as the one that operations give.
#[inline(always)]
fn one_nan(format: Format, bits: u64) -> u64 {
    if format.is_nan(bits) {
        format.nan()
    } else {
        bits
    }
}

macro_rules! each {
    (|$format:ident, $a:ident, $b:ident, $c:ident, $aux:ident| $body:expr) => {
        lanes!(|a: u32, b: u32, c: u32; $aux| -> u32 {
            elements($aux, (a, b, c), |$format, $a, $b, $c| $body)
        })
    };
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    match d.opcode() {
        "setp" | "set" => return compare::decode(d),
        "cvt" => return convert::decode(d),
        _ => {}
    }
    let arithmetic = matches!(d.opcode(), "add" | "sub" | "mul" | "fma");
    let rounded = arithmetic && d.take("rn");
    let mut aux = 0;
    let mut flag = |d: &mut Decoder<'_, '_>, allowed: bool, word: &str, bit: u64| {
        if allowed && d.take(word) {
            aux |= bit;
        }
    };
    let extremes = matches!(d.opcode(), "min" | "max");
    flag(d, true, "ftz", FTZ);
    flag(d, arithmetic, "sat", SATURATE);
    flag(d, d.opcode() == "fma", "relu", RELU);
    flag(d, extremes, "NaN", PROPAGATE);
    flag(d, extremes, "xorsign", XOR_SIGN);
    if aux & XOR_SIGN != 0 && !d.take("abs") {
        return Err("`.xorsign` goes with `.abs`".into());
    }
    let ty = d.ty()?;
    let traits = traits_of(ty).ok_or_else(|| d.unsupported_type(ty))?;
    if traits & BRAIN != 0 && aux & (FTZ | SATURATE) != 0 {
        return Err("bf16 takes neither `.ftz` nor `.sat`".into());
    }
    if aux & SATURATE != 0 && aux & RELU != 0 {
        return Err("`.sat` and `.relu` exclude each other".into());
    }
    if d.opcode() == "fma" && !rounded {
        return Err("`fma` needs `.rn` here".into());
    }
    let run: LaneFn = match d.opcode() {
        "add" => each!(|format, a, b, _c, aux| format.add(a, b, Mode::Nearest)),
        "sub" => each!(|format, a, b, _c, aux| format.sub(a, b, Mode::Nearest)),
        "mul" => each!(|format, a, b, _c, aux| format.mul(a, b, Mode::Nearest)),
        "fma" => each!(|format, a, b, c, aux| format.fma(a, b, c, Mode::Nearest)),
        "abs" => each!(|format, a, _b, _c, aux| one_nan(format, a & !format.sign_bit())),
        "neg" => each!(|format, a, _b, _c, aux| one_nan(format, a ^ format.sign_bit())),
        "min" => each!(|format, a, b, _c, aux| extreme(aux, format, a, b, false)),
        _ => each!(|format, a, b, _c, aux| extreme(aux, format, a, b, true)),
    };
    let sources = match d.opcode() {
        "abs" | "neg" => 1,
        "fma" => 3,
        _ => 2,
    };
    let sources = &[ty; 3][..sources];
    d.each_lane(run, aux | traits, Class::Half, ty, sources)
}
