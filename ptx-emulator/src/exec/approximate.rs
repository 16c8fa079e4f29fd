//! The approximate functions: `rcp`, `rsqrt`, `sqrt`, `div`, `sin`, `cos`,
//! `ex2`, `lg2`, `tanh` with `.approx`, and `div.full`.
//!
//! A GPU's bits are unspecified but for a bound of the error and a table of
//! special values (PTX ISA, each instruction). Here the value is computed in
//! f64, by IEEE operations and the crate `libm`, and rounded once to nearest:
//! nearer than any GPU, and the same bits on every host. A program must not
//! rely on them. The bounds that PTX states:
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

use ptx_syntax::Type;

use super::Group;
use super::decode::flag;
use super::float32::{canonical, flush};
use super::softfloat::{BF16, F16, F32, F64, Format, Mode};
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

const FTZ: u64 = 1;
const BRAIN: u64 = 2;
const PACKED: u64 = 4;

#[inline(always)]
fn operand(aux: u64, x: f32) -> f32 {
    if aux & FTZ != 0 { flush(x) } else { x }
}

#[inline(always)]
fn result(aux: u64, x: f64) -> u32 {
    if aux & FTZ != 0 && x.abs() <= f64::from(f32::MIN_POSITIVE) {
        let parts = F64.unpack(x.to_bits());
        return F32.flushing().convert(parts, Mode::Nearest) as u32;
    }
    canonical(x as f32)
}

/// A function of f64, on an f32.
macro_rules! single {
    ($function:expr) => {
        lanes!(|a: f32; aux| -> u32 { result(aux, $function(f64::from(operand(aux, a)))) })
    };
}

/// A function of f64, on one 16-bit value or two.
fn halves(aux: u64, a: u32, function: fn(f64) -> f64) -> u32 {
    let format: Format = if aux & BRAIN != 0 { BF16 } else { F16 };
    let flushes = aux & FTZ != 0;
    let flushed = |bits: u64| if flushes { format.flush(bits) } else { bits };
    let element = |bits: u32| {
        let parts = format.unpack(flushed(u64::from(bits & 0xffff)));
        let x = f64::from_bits(F64.convert(parts, Mode::Nearest));
        let y = F64.unpack(function(x).to_bits());
        flushed(format.convert(y, Mode::Nearest)) as u32
    };
    if aux & PACKED != 0 {
        element(a >> 16) << 16 | element(a)
    } else {
        element(a)
    }
}

/// `a * (1 / b)`: where 1/b is subnormal, PTX makes it zero.
#[inline(always)]
fn quotient(a: f32, b: f32) -> f64 {
    let huge = b.abs() > 2f32.powi(126) && b.is_finite();
    if huge {
        f64::from(a) * 0f64.copysign(f64::from(b))
    } else {
        f64::from(a) / f64::from(b)
    }
}

const UPPER: u64 = !0 << 32;

/// `function` of the upper word of an f64, as an upper word; subnormals are
/// zeros on both sides.
fn gross(bits: u64, function: fn(f64) -> f64) -> u64 {
    // A NaN with its payload below counts as an infinity.
    let y = function(f64::from_bits(F64.flush(bits & UPPER)));
    if y.is_nan() {
        0x7fff_ffff << 32
    } else {
        F64.flush(y.to_bits() & UPPER)
    }
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let full = d.opcode() == "div" && d.take("full");
    if !full {
        d.require("approx")?;
    }
    let ftz = d.take("ftz");
    let ty = d.ty()?;
    let run: LaneFn = match (d.opcode(), ty) {
        ("rcp", Type::F32) => single!(|x: f64| 1.0 / x),
        ("rsqrt", Type::F32) => single!(|x: f64| 1.0 / x.sqrt()),
        ("sqrt", Type::F32) => single!(f64::sqrt),
        ("sin", Type::F32) => single!(libm::sin),
        ("cos", Type::F32) => single!(libm::cos),
        ("lg2", Type::F32) => single!(libm::log2),
        ("ex2", Type::F32) => single!(libm::exp2),
        ("tanh", Type::F32) if !ftz => single!(libm::tanh),
        ("div", Type::F32) if full => lanes!(|a: f32, b: f32; aux| -> u32 {
            result(aux, f64::from(operand(aux, a)) / f64::from(operand(aux, b)))
        }),
        ("div", Type::F32) => lanes!(|a: f32, b: f32; aux| -> u32 {
            result(aux, quotient(operand(aux, a), operand(aux, b)))
        }),
        ("ex2", Type::F16 | Type::F16x2) if !ftz => {
            lanes!(|a: u32; aux| -> u32 { halves(aux, a, libm::exp2) })
        }
        ("ex2", Type::BF16 | Type::BF16x2) if ftz => {
            lanes!(|a: u32; aux| -> u32 { halves(aux, a, libm::exp2) })
        }
        ("tanh", Type::F16 | Type::F16x2 | Type::BF16 | Type::BF16x2) if !ftz => {
            lanes!(|a: u32; aux| -> u32 { halves(aux, a, libm::tanh) })
        }
        ("rcp", Type::F64) if ftz => lanes!(|a: u64| -> u64 { gross(a, |x| 1.0 / x) }),
        ("rsqrt", Type::F64) if ftz => {
            lanes!(|a: u64| -> u64 { gross(a, |x| 1.0 / x.sqrt()) })
        }
        ("rsqrt", Type::F64) => lanes!(|a: f64| -> f64 { 1.0 / a.sqrt() }),
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
    d.each_lane(
        run,
        flag(ftz, FTZ) | traits,
        Class::Approximate,
        ty,
        sources,
    )
}
