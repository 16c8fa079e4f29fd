//! f32 arithmetic, exact to the bit: `add`, `sub`, `mul`, `fma`, `mad`,
//! `div`, `rcp`, `sqrt`, `abs`, `neg`, `min`, `max`, `copysign`, with every
//! rounding mode, `.ftz` and `.sat`.
//!
//! To nearest, the host's instruction is the IEEE operation; the directed
//! modes go through `softfloat`. A NaN result is 0x7fffffff, as on a GPU, also of
//! `abs` and `neg`.

use ptx_syntax::Type;

use super::Group;
use super::decode::flag;
use super::extreme::{PROPAGATE, XOR_SIGN, extreme};
use super::softfloat::{F32, Mode};
use crate::ir::{LaneFn, lanes};
use crate::lower::{Decoded, Decoder, Reason};
use crate::observe::Class;

pub(crate) const GROUP: Group = Group {
    name: "float32",
    forms: &[
        "add sub mul fma mad: f32; .rn .rz .rm .rp .ftz .sat",
        "div rcp sqrt: f32; .rn .rz .rm .rp .ftz",
        "abs neg: f32; .ftz",
        "min max: f32; .ftz .NaN .xorsign.abs; of three with .abs",
        "copysign: f32",
    ],
    decode,
};

const FTZ: u64 = 4;
const SATURATE: u64 = 8;
const OPERATION: u32 = 8;

/// Subnormals to zero of the same sign.
#[inline(always)]
pub(crate) fn flush(x: f32) -> f32 {
    if x.to_bits() & 0x7f80_0000 == 0 {
        f32::from_bits(x.to_bits() & 0x8000_0000)
    } else {
        x
    }
}

/// The bits of a result, a NaN being the one that f32 arithmetic gives. Bits
/// and not an f32: the compiler takes all NaNs for equal, and would leave out
/// a choice between two of them.
#[inline(always)]
pub(crate) fn canonical(x: f32) -> u32 {
    let bits = x.to_bits();
    if bits & 0x7fff_ffff > 0x7f80_0000 {
        NAN
    } else {
        bits
    }
}

/// The NaN that f32 arithmetic gives.
pub(crate) const NAN: u32 = 0x7fff_ffff;

/// To 0..=1; NaN to 0.
#[inline(always)]
pub(crate) fn saturate(x: f32) -> f32 {
    if x > 0.0 {
        if x < 1.0 { x } else { 1.0 }
    } else {
        0.0
    }
}

/// A result under `.ftz`. The host has rounded, and what became 2^-126 may have
/// been below: then `exact` decides.
#[inline(always)]
pub(super) fn flushed(result: f32, exact: impl FnOnce() -> u32) -> u32 {
    if result.abs() == f32::MIN_POSITIVE {
        exact()
    } else {
        canonical(flush(result))
    }
}

/// `$body` to nearest, with and without flushing and saturation.
macro_rules! nearest {
    ($ftz:expr, $saturate:expr, $operation:literal, |$($a:ident),*| $body:expr) => {
        match ($ftz, $saturate) {
            (false, false) => lanes!(|$($a: f32),*| -> u32 { canonical($body) }),
            (true, false) => lanes!(|$($a: f32),*| -> u32 {
                $(let $a = flush($a);)*
                flushed($body, || again($operation, &[$($a),*]))
            }),
            (false, true) => lanes!(|$($a: f32),*| -> f32 { saturate($body) }),
            (true, true) => lanes!(|$($a: f32),*| -> f32 {
                $(let $a = flush($a);)*
                saturate(f32::from_bits(flushed($body, || again($operation, &[$($a),*]))))
            }),
        }
    };
}

/// The operation of a product, for [`again`].
pub(super) const PRODUCT: u64 = 2;

/// An operation once more, in software, to nearest and flushing.
#[cold]
pub(super) fn again(operation: u64, operands: &[f32]) -> u32 {
    let part = |index: usize| operands.get(index).map_or(0, |x| x.to_bits());
    let aux = Mode::Nearest.code() | FTZ | operation << OPERATION;
    soft(aux, part(0), part(1), part(2))
}

/// An operand of softfloat, flushed under `FTZ`.
#[inline(always)]
fn flush_bits(aux: u64, x: u32) -> u64 {
    let flushes = aux & FTZ != 0;
    u64::from(if flushes {
        flush(f32::from_bits(x)).to_bits()
    } else {
        x
    })
}

/// Any mode, by the softfloat operation that `aux` names.
#[inline(always)]
fn soft(aux: u64, a: u32, b: u32, c: u32) -> u32 {
    let mode = Mode::from_code(aux);
    let (a, b, c) = (flush_bits(aux, a), flush_bits(aux, b), flush_bits(aux, c));
    let format = if aux & FTZ != 0 { F32.flushing() } else { F32 };
    let bits = match aux >> OPERATION {
        0 => format.add(a, b, mode),
        1 => format.sub(a, b, mode),
        PRODUCT => format.mul(a, b, mode),
        3 => format.fma(a, b, c, mode),
        4 => format.div(a, b, mode),
        5 => format.div(u64::from(1f32.to_bits()), a, mode),
        _ => format.sqrt(a, mode),
    };
    let result = bits as u32;
    if aux & SATURATE != 0 {
        saturate(f32::from_bits(result)).to_bits()
    } else {
        result
    }
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    if matches!(d.opcode(), "abs" | "neg" | "min" | "max" | "copysign") {
        return signs(d);
    }
    let mode = d.rounding();
    let ftz = d.take("ftz");
    let saturates = matches!(d.opcode(), "add" | "sub" | "mul" | "fma" | "mad") && d.take("sat");
    d.type_of(&[Type::F32])?;
    // Only add, sub and mul have a default; the others without a mode are
    // approximate and not of this group.
    if mode.is_none() && !matches!(d.opcode(), "add" | "sub" | "mul") {
        return Err(format!("`{}.f32` needs a rounding mode", d.opcode()));
    }
    let mode = mode.unwrap_or(Mode::Nearest);
    let (operation, sources) = match d.opcode() {
        "add" => (0, 2),
        "sub" => (1, 2),
        "mul" => (2, 2),
        "fma" | "mad" => (3, 3),
        "div" => (4, 2),
        "rcp" => (5, 1),
        _ => (6, 1),
    };
    let run: LaneFn = match (mode, operation) {
        (Mode::Nearest, 0) => nearest!(ftz, saturates, 0, |a, b| a + b),
        (Mode::Nearest, 1) => nearest!(ftz, saturates, 1, |a, b| a - b),
        (Mode::Nearest, 2) => nearest!(ftz, saturates, 2, |a, b| a * b),
        (Mode::Nearest, 3) => nearest!(ftz, saturates, 3, |a, b, c| a.mul_add(b, c)),
        (Mode::Nearest, 4) => nearest!(ftz, saturates, 4, |a, b| a / b),
        (Mode::Nearest, 5) => nearest!(ftz, saturates, 5, |a| 1.0 / a),
        (Mode::Nearest, _) => nearest!(ftz, saturates, 6, |a| a.sqrt()),
        (_, 3) => lanes!(|a: u32, b: u32, c: u32; aux| -> u32 { soft(aux, a, b, c) }),
        (_, 5 | 6) => lanes!(|a: u32; aux| -> u32 { soft(aux, a, 0, 0) }),
        _ => lanes!(|a: u32, b: u32; aux| -> u32 { soft(aux, a, b, 0) }),
    };
    let aux = mode.code() | flag(ftz, FTZ) | flag(saturates, SATURATE) | operation << OPERATION;
    singles(d, run, aux, sources)
}

/// The smaller one; a NaN loses against a number; -0 is below +0.
#[inline(always)]
fn minimum(a: f32, b: f32) -> u32 {
    if a < b || b.is_nan() || (a == b && a.is_sign_negative()) {
        canonical(a)
    } else {
        canonical(b)
    }
}

#[inline(always)]
fn maximum(a: f32, b: f32) -> u32 {
    if a > b || b.is_nan() || (a == b && a.is_sign_positive()) {
        canonical(a)
    } else {
        canonical(b)
    }
}

fn signs(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let ftz = d.opcode() != "copysign" && d.take("ftz");
    let propagate = matches!(d.opcode(), "min" | "max") && d.take("NaN");
    if matches!(d.opcode(), "min" | "max")
        && (d.instruction.operands.len() == 4 || d.instruction.has("abs"))
    {
        return extremes(d, ftz, propagate);
    }
    d.type_of(&[Type::F32])?;
    macro_rules! flushing {
        (|$($a:ident),*| $body:expr) => {
            match ftz {
                false => lanes!(|$($a: f32),*| -> u32 { $body }),
                true => lanes!(|$($a: f32),*| -> u32 {
                    $(let $a = flush($a);)*
                    $body
                }),
            }
        };
    }
    let run: LaneFn = match (d.opcode(), propagate) {
        ("abs", _) => flushing!(|a| canonical(a.abs())),
        ("neg", _) => flushing!(|a| canonical(-a)),
        ("min", false) => flushing!(|a, b| minimum(a, b)),
        ("max", false) => flushing!(|a, b| maximum(a, b)),
        ("min", true) => flushing!(|a, b| unless_nan(a, b, minimum)),
        ("max", true) => flushing!(|a, b| unless_nan(a, b, maximum)),
        // PTX: the magnitude of b with the sign of a.
        _ => lanes!(|a: u32, b: u32| -> u32 { a & 0x8000_0000 | b & 0x7fff_ffff }),
    };
    let sources = if matches!(d.opcode(), "abs" | "neg") {
        1
    } else {
        2
    };
    singles(d, run, 0, sources)
}

/// A NaN goes before all numbers.
#[inline(always)]
fn unless_nan(a: f32, b: f32, f: impl Fn(f32, f32) -> u32) -> u32 {
    if a.is_nan() || b.is_nan() {
        NAN
    } else {
        f(a, b)
    }
}

fn singles(
    d: &mut Decoder<'_, '_>,
    run: LaneFn,
    aux: u64,
    sources: usize,
) -> Result<Decoded, Reason> {
    let sources = &[Type::F32; 3][..sources];
    d.each_lane(run, aux, Class::Single, Type::F32, sources)
}

const MAGNITUDES: u64 = 64;
const LARGEST: u64 = 128;

/// `.xorsign.abs` of two, and all forms of three.
fn extremes(d: &mut Decoder<'_, '_>, ftz: bool, propagate: bool) -> Result<Decoded, Reason> {
    let three = d.instruction.operands.len() == 4;
    let mut aux = flag(ftz, FTZ) | flag(propagate, PROPAGATE);
    if d.opcode() == "max" {
        aux |= LARGEST;
    }
    if !three && d.take("xorsign") {
        aux |= XOR_SIGN;
        if !d.take("abs") {
            return Err("`.xorsign` goes with `.abs`".into());
        }
    } else if three && d.take("abs") {
        aux |= MAGNITUDES;
    }
    d.type_of(&[Type::F32])?;
    let run: LaneFn = if three {
        lanes!(|a: u32, b: u32, c: u32; aux| -> u32 { extreme_of(aux, extreme_of(aux, a, b), c) })
    } else {
        lanes!(|a: u32, b: u32; aux| -> u32 { extreme_of(aux, a, b) })
    };
    singles(d, run, aux, if three { 3 } else { 2 })
}

fn extreme_of(aux: u64, a: u32, b: u32) -> u32 {
    let sign = if aux & MAGNITUDES != 0 {
        F32.sign_bit()
    } else {
        0
    };
    let [a, b] = [a, b].map(|bits| flush_bits(aux, bits) & !sign);
    extreme(aux, F32, a, b, aux & LARGEST != 0) as u32
}
