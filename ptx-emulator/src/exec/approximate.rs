//! The approximate functions: `rcp`, `rsqrt`, `sqrt`, `div`, `sin`, `cos`,
//! `ex2`, `lg2`, `tanh` with `.approx`, and `div.full`.
//!
//! PTX leaves their bits open within a bound of the error. Here they are those of a Hopper GPU:
//! [`unit`] is its special function unit, and this file what the assembler makes of each form with
//! it, found from results of an H100 (driver 580.159.04, 2026-11-24). Other GPUs may give others.
//! The bounds that PTX states:
//!
//! - `rcp.approx.f32`: 1 ulp; `div.approx.f32`: 2 ulp where |b| is in
//!   [2^-126, 2^126]; `div.full.f32`: 2 ulp; `ex2.approx.f32`: 2 ulp.
//! - `sqrt.approx.f32`: relative 2^-23; `rsqrt.approx.f32`: relative 2^-22.9;
//!   `tanh.approx.f32`: relative 2^-11.
//! - `sin.approx.f32`, `cos.approx.f32`: absolute 2^-20.5 in [-2 pi, 2 pi],
//!   2^-14.7 in [-100 pi, 100 pi], none beyond.
//! - `lg2.approx.f32`: absolute 2^-22 in (0.5, 2), relative 2^-22 elsewhere.
//! - `ex2.approx` to f16: relative 2^-9.9, to bf16: 2^-7; `tanh.approx` to
//!   f16: absolute 2^-10.987, to bf16: 2^-8.
//! - `rcp.approx.ftz.f64` and `rsqrt.approx.ftz.f64` see the upper 32 bits of
//!   their operand and give the upper 32 bits of a result: 20 bits of fraction.
//!   `rsqrt.approx.f64` has no stated bound.

mod coefficients;
mod unit;

use ptx_syntax::Type;

use super::Group;
use super::float32::{self, PRODUCT, canonical, flush};
use super::softfloat::{F16, F32, F64, Mode};
use crate::ir::{LaneFn, lanes};
use crate::lower::{Decoded, Decoder, Reason};
use crate::observe::Class;

pub(crate) const GROUP: Group = Group {
    name: "approximate",
    forms: &[
        "rcp: .approx; f32 with .ftz; .ftz.f64",
        "rsqrt: .approx; f32 with .ftz; f64 with .ftz",
        "sqrt: .approx; f32 with .ftz",
        "div: .approx .full; f32 with .ftz",
        "sin cos lg2: .approx; f32 with .ftz",
        "ex2: .approx; f32 with .ftz; f16 f16x2; .ftz.bf16 .ftz.bf16x2",
        "tanh: .approx; f32 f16 f16x2 bf16 bf16x2",
    ],
    decode,
};

const BRAIN: u64 = 1;
const PACKED: u64 = 2;

/// What brings subnormal numbers among the normal ones: 2^24.
const SCALE: f32 = 16_777_216.0;

fn flushed(x: u32) -> u32 {
    flush(f32::from_bits(x)).to_bits()
}

/// `function` of the unit on a number that may be subnormal: on 2^24 times as much then, and
/// `back` from there.
fn scaled(x: u32, function: fn(u32) -> u32, back: fn(f32) -> f32) -> u32 {
    if x & unit::INFINITY != 0 || x & !unit::SIGN == 0 {
        return function(x);
    }
    let value = function((f32::from_bits(x) * SCALE).to_bits());
    canonical(back(f32::from_bits(value)))
}

/// 2^x, whose result may be subnormal: the square of a root then.
fn ex2(x: u32) -> u32 {
    let value = f32::from_bits(x);
    if value >= -126.0 || value.is_nan() {
        return unit::ex2(x);
    }
    let root = f32::from_bits(unit::ex2((value * 0.5).to_bits()));
    (root * root).to_bits()
}

/// `a` and `1 / b`, whose product is a quotient; zero where 1/b is subnormal.
pub(super) fn quotient(a: f32, b: f32) -> [f32; 2] {
    let is_small = b != 0.0 && b.abs() < f32::MIN_POSITIVE;
    let factor = if is_small { SCALE } else { 1.0 };
    let reciprocal = flushed(unit::rcp((b * factor).to_bits()));
    [a * factor, f32::from_bits(reciprocal)]
}

/// The same where both are first brought to where 1/b is a normal number.
pub(super) fn full_quotient(a: f32, b: f32) -> [f32; 2] {
    let factor = match b.abs() {
        size if size < f32::MIN_POSITIVE => SCALE,
        size if size > 2f32.powi(126) && size.is_finite() => 0.25,
        _ => 1.0,
    };
    let reciprocal = unit::rcp((b * factor).to_bits());
    [a * factor, f32::from_bits(reciprocal)]
}

/// A function of the unit on one 16-bit value or two. A result is cut off, not rounded.
fn halves(aux: u64, a: u32, function: fn(u32) -> u32) -> u32 {
    let element = |bits: u32| match aux & BRAIN != 0 {
        true => function(bits << 16) >> 16,
        false => {
            let parts = F16.unpack(u64::from(bits & 0xffff));
            cut_to_f16(function(F32.convert(parts, Mode::Nearest) as u32))
        }
    };
    if aux & PACKED != 0 {
        element(a >> 16) << 16 | element(a & 0xffff)
    } else {
        element(a & 0xffff)
    }
}

/// The upper bits of an f32 that an f16 has room for.
fn cut_to_f16(x: u32) -> u32 {
    let (sign, size) = (x >> 16 & 0x8000, x & !unit::SIGN);
    if size > unit::INFINITY {
        return 0x7fff;
    }
    match (size >> 23) as i32 - 112 {
        31.. => sign | 0x7c00,
        exponent @ 1..=30 => sign | (exponent as u32) << 10 | size >> 13 & 0x3ff,
        exponent => {
            let significand = size & 0x007f_ffff | 0x0080_0000;
            sign | significand.checked_shr((14 - exponent) as u32).unwrap_or(0)
        }
    }
}

const UPPER: u64 = !0 << 32;
const NAN64: u64 = 0x7fff_ffff << 32;
/// What a whole f64 operation gives where there is no number.
const NEGATIVE_NAN: u64 = 0xfff8 << 48;
const INFINITY64: u64 = 0x7ff << 52;

/// What a function of f64 starts from: of the upper word of the operand that of 1 / x or, a root,
/// of 1 / sqrt(x), with 20 bits of fraction.
/// Subnormals are zeros on both sides.
fn start(bits: u64, is_root: bool) -> u64 {
    // A NaN with its payload below counts as an infinity.
    let x = F64.flush(bits & UPPER);
    let (sign, size) = (x & 1 << 63, x & !(1 << 63));
    if size > INFINITY64 || is_root && sign != 0 && size != 0 {
        return NAN64;
    }
    if size == 0 {
        return sign | INFINITY64;
    }
    if size == INFINITY64 {
        return sign;
    }
    // As of an f32 that has the bits: those below are not seen.
    let (exponent, fraction) = ((size >> 52) as i64, (size >> 29) as u32 & 0x007f_ffff);
    let (exponent, significand) = match is_root {
        true => {
            let exponent = exponent - 1023;
            let root = unit::reciprocal_root(fraction, exponent & 1 != 0);
            (1021 - (exponent >> 1), root)
        }
        false => (2044 - exponent, unit::reciprocal(fraction)),
    };
    // The significand has the hidden bit, or is twice as much where the result is a power of two.
    let upper = (exponent << 20) + i64::from(significand >> 3);
    match upper >> 20 {
        1.. => sign | (upper as u64) << 32,
        _ => sign,
    }
}

/// 1 / sqrt(x) by a step from [`start`]. (Where x is subnormal, of 2^54 times as much.)
fn rsqrt64(x: f64) -> f64 {
    if x < 0.0 {
        return f64::from_bits(NEGATIVE_NAN);
    }
    if x.is_nan() || x == 0.0 || x.is_infinite() {
        return 1.0 / x.sqrt();
    }
    if x < f64::MIN_POSITIVE {
        return rsqrt64(x * 2f64.powi(54)) * 2f64.powi(27);
    }
    let root = f64::from_bits(start(x.to_bits(), true));
    let error = (-x).mul_add(root * root, 1.0);
    error.mul_add(0.375, 0.5).mul_add(root * error, root)
}

/// The function of a form with `.ftz` or of that without.
macro_rules! single {
    ($ftz:ident, |$x:ident| $flushing:expr, $whole:expr) => {
        match $ftz {
            true => lanes!(|$x: u32| -> u32 { $flushing }),
            false => lanes!(|$x: u32| -> u32 { $whole }),
        }
    };
}

/// The product of the two numbers that a function makes of two.
macro_rules! quotients {
    ($ftz:ident, $function:expr) => {
        match $ftz {
            true => lanes!(|a: f32, b: f32| -> u32 {
                let [a, b] = $function(flush(a), flush(b)).map(flush);
                float32::flushed(a * b, || float32::again(PRODUCT, &[a, b]))
            }),
            false => lanes!(|a: f32, b: f32| -> u32 {
                let [a, b] = $function(a, b);
                canonical(a * b)
            }),
        }
    };
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let full = d.opcode() == "div" && d.take("full");
    if !full {
        d.require("approx")?;
    }
    let ftz = d.take("ftz");
    let ty = d.ty()?;
    let run: LaneFn = match (d.opcode(), ty) {
        ("rcp", Type::F32) => single!(
            ftz,
            |x| flushed(unit::rcp(x)),
            scaled(x, unit::rcp, |y| y * SCALE)
        ),
        ("rsqrt", Type::F32) => single!(
            ftz,
            |x| unit::rsqrt(x),
            scaled(x, unit::rsqrt, |y| y * 4096.0)
        ),
        ("sqrt", Type::F32) => single!(
            ftz,
            |x| unit::sqrt(x),
            scaled(x, unit::sqrt, |y| y / 4096.0)
        ),
        ("lg2", Type::F32) => single!(ftz, |x| unit::lg2(x), scaled(x, unit::lg2, |y| y - 24.0)),
        ("ex2", Type::F32) => single!(ftz, |x| unit::ex2(x), ex2(x)),
        ("sin", Type::F32) => lanes!(|x: u32| -> u32 { unit::sine(x, 0) }),
        ("cos", Type::F32) => lanes!(|x: u32| -> u32 { unit::sine(x, 1) }),
        ("tanh", Type::F32) if !ftz => lanes!(|x: u32| -> u32 { unit::tanh(x) }),
        ("div", Type::F32) if full => quotients!(ftz, full_quotient),
        ("div", Type::F32) => quotients!(ftz, quotient),
        ("ex2", Type::F16 | Type::F16x2) if !ftz => {
            lanes!(|a: u32; aux| -> u32 { halves(aux, a, unit::ex2) })
        }
        ("ex2", Type::BF16 | Type::BF16x2) if ftz => {
            lanes!(|a: u32; aux| -> u32 { halves(aux, a, unit::ex2) })
        }
        ("tanh", Type::F16 | Type::F16x2 | Type::BF16 | Type::BF16x2) if !ftz => {
            lanes!(|a: u32; aux| -> u32 { halves(aux, a, unit::tanh) })
        }
        ("rcp", Type::F64) if ftz => lanes!(|a: u64| -> u64 { start(a, false) }),
        ("rsqrt", Type::F64) if ftz => lanes!(|a: u64| -> u64 { start(a, true) }),
        ("rsqrt", Type::F64) => lanes!(|a: f64| -> f64 { rsqrt64(a) }),
        _ => {
            return Err(format!(
                "`{}.approx{}` on {ty:?} is not supported",
                d.opcode(),
                if ftz { ".ftz" } else { "" }
            ));
        }
    };
    let sources = if d.opcode() == "div" { 2 } else { 1 };
    let traits = match ty {
        Type::BF16 => BRAIN,
        Type::F16x2 => PACKED,
        Type::BF16x2 => BRAIN | PACKED,
        _ => 0,
    };
    let sources = &[ty; 2][..sources];
    d.each_lane(run, traits, Class::Approximate, ty, sources)
}
