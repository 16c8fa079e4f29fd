//! What atomics make of the old value and their operands.

use ptx_syntax::Type;

use crate::exec::float32::{canonical, flush};
use crate::exec::float64::or_nan;
use crate::exec::softfloat::{BF16, F16, Format, Mode};
use crate::ir::Rule;

/// The rule of a reduction without a second operand.
pub(crate) fn reduction(word: &str, ty: Type) -> Option<Rule> {
    if matches!(word, "exch" | "cas") {
        return None;
    }
    rule(word, ty).map(Rule)
}

/// The rules of an atomic: in general, and in global memory. Sums of `.s64` are those of `red.async`
/// alone.
pub(super) fn rules(word: &str, ty: Type) -> Option<(Rule, Rule)> {
    let rule = rule(word, ty).filter(|_| (word, ty) != ("add", Type::S64))?;
    let global = match (word, ty) {
        ("add", Type::F32) => flushed_sum,
        ("add", Type::F64) => global_sum64,
        _ => rule,
    };
    Some((Rule(rule), Rule(global)))
}

macro_rules! as_signed {
    ($bits:expr, |$old:ident, $a:ident| $body:expr) => {
        if $bits == 4 {
            |old, a, _| {
                let ($old, $a) = (old as u32 as i32, a as u32 as i32);
                u64::from(($body) as u32)
            }
        } else {
            |old, a, _| {
                let ($old, $a) = (old as i64, a as i64);
                ($body) as u64
            }
        }
    };
}

macro_rules! as_unsigned {
    ($bits:expr, |$old:ident, $a:ident| $body:expr) => {
        if $bits == 4 {
            |old, a, _| {
                let ($old, $a) = (old as u32, a as u32);
                u64::from($body)
            }
        } else {
            |$old, $a, _| $body
        }
    };
}

fn rule(word: &str, ty: Type) -> Option<fn(u64, u64, u64) -> u64> {
    let bytes = ty.bytes();
    let integer = matches!(ty, Type::U32 | Type::S32 | Type::U64 | Type::S64);
    let bits = matches!(ty, Type::B32 | Type::B64);
    Some(match word {
        "add" if integer => as_unsigned!(bytes, |old, a| old.wrapping_add(a)),
        // Sums are to nearest.
        "add" if ty == Type::F32 => |old, a, _| {
            let sum = f32::from_bits(old as u32) + f32::from_bits(a as u32);
            u64::from(canonical(sum))
        },
        "add" if ty == Type::F16 => |old, a, _| F16.add(old & 0xffff, a & 0xffff, Mode::Nearest),
        "add" if ty == Type::BF16 => |old, a, _| BF16.add(old & 0xffff, a & 0xffff, Mode::Nearest),
        "add" if ty == Type::F16x2 => |old, a, _| sum_of_pairs(F16, old, a),
        "add" if ty == Type::BF16x2 => |old, a, _| sum_of_pairs(BF16, old, a),
        "add" if ty == Type::F64 => |old, a, _| {
            let (old, a) = (f64::from_bits(old), f64::from_bits(a));
            or_nan(old + a, [old, a, 0.0])
        },
        "min" if integer && ty.is_signed() => as_signed!(bytes, |old, a| old.min(a)),
        "max" if integer && ty.is_signed() => as_signed!(bytes, |old, a| old.max(a)),
        "min" if integer => as_unsigned!(bytes, |old, a| old.min(a)),
        "max" if integer => as_unsigned!(bytes, |old, a| old.max(a)),
        "and" if bits => |old, a, _| old & a,
        "or" if bits => |old, a, _| old | a,
        "xor" if bits => |old, a, _| old ^ a,
        "exch" if bits => |_, a, _| a,
        "cas" if ty == Type::B16 => |old, a, b| if old & 0xffff == a & 0xffff { b } else { old },
        "cas" if ty == Type::B32 => |old, a, b| if old as u32 == a as u32 { b } else { old },
        "cas" if ty == Type::B64 => |old, a, b| if old == a { b } else { old },
        "inc" if ty == Type::U32 => |old, a, _| if old as u32 >= a as u32 { 0 } else { old + 1 },
        "dec" if ty == Type::U32 => |old, a, _| {
            if old as u32 == 0 || old as u32 > a as u32 {
                a
            } else {
                old - 1
            }
        },
        _ => return None,
    })
}

fn sum_of_pairs(format: Format, a: u64, b: u64) -> u64 {
    let sum = |shift: u32| {
        let part = |pair: u64| pair >> shift & 0xffff;
        format.add(part(a), part(b), Mode::Nearest) << shift
    };
    sum(0) | sum(16)
}

/// `add.f32` in global memory: PTX flushes subnormal operands and results
/// there, and not in shared memory.
fn flushed_sum(old: u64, a: u64, _: u64) -> u64 {
    let part = |bits: u64| flush(f32::from_bits(bits as u32));
    u64::from(canonical(flush(part(old) + part(a))))
}

/// `add.f64` in global memory: on an H200 a NaN stays as it is, and that of
/// the operand goes before the old one.
fn global_sum64(old: u64, a: u64, _: u64) -> u64 {
    if f64::from_bits(a).is_nan() {
        a
    } else if f64::from_bits(old).is_nan() {
        old
    } else {
        or_nan(f64::from_bits(old) + f64::from_bits(a), [0.0; 3])
    }
}
