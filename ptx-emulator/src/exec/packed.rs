//! Pairs in one register, and what came with them: `add`, `min`, `max` on
//! u16x2 and s16x2, `.relu`, `add`, `sub`, `mul`, `fma` on f32x2, `cvt.pack`,
//! `fns`.

use ptx_syntax::Type;

use super::Group;
use super::decode::flag;
use super::float32::flush;
use super::softfloat::{F32, Mode};
use crate::ir::{LaneFn, lanes};
use crate::lower::{Decoded, Decoder, Reason};
use crate::observe::Class;

pub(crate) const GROUP: Group = Group {
    name: "packed",
    forms: &[
        "add: u16x2 s16x2; f32x2 with .rn .rz .rm .rp .ftz",
        "sub mul fma: f32x2; .rn .rz .rm .rp .ftz",
        "min max: u16x2; s16x2 s32 with .relu",
        "cvt: .pack.sat; u16 s16 u8 s8 u4 s4 u2 s2 from two s32",
        "fns: b32",
    ],
    decode,
};

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    match d.opcode() {
        "cvt" => return pack(d),
        "fns" => return find_set(d),
        "min" | "max" => return integers(d),
        "add" if d.take_any(&["u16x2", "s16x2"]).is_some() => {
            let run = lanes!(|a: u32, b: u32| -> u32 {
                // Without a carry from the lower half to the upper one.
                (a & 0x7fff_7fff).wrapping_add(b & 0x7fff_7fff) ^ (a ^ b) & 0x8000_8000
            });
            return d.each_lane(run, 0, Class::Integer, Type::B32, &[Type::B32; 2]);
        }
        _ => {}
    }
    singles(d)
}

/// `f` on both 16-bit halves.
#[inline(always)]
fn both<T: Copy>(a: u32, b: u32, part: impl Fn(u32) -> T, f: impl Fn(T, T) -> u32) -> u32 {
    f(part(a), part(b)) & 0xffff | f(part(a >> 16), part(b >> 16)) << 16
}

fn integers(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let relu = d.take("relu");
    let smallest = d.opcode() == "min";
    let word = d.one_of(&["u16x2", "s16x2", "s32"])?;
    let run: LaneFn = match (word, smallest) {
        ("u16x2", true) if !relu => {
            lanes!(|a: u32, b: u32| -> u32 { both(a, b, |x| x & 0xffff, |x, y| x.min(y)) })
        }
        ("u16x2", false) if !relu => {
            lanes!(|a: u32, b: u32| -> u32 { both(a, b, |x| x & 0xffff, |x, y| x.max(y)) })
        }
        // aux is the smallest result.
        ("s16x2", true) => lanes!(|a: u32, b: u32; least| -> u32 {
            both(a, b, |x| x as i16, |x, y| x.min(y).max(least as i16) as u32)
        }),
        ("s16x2", false) => lanes!(|a: u32, b: u32; least| -> u32 {
            both(a, b, |x| x as i16, |x, y| x.max(y).max(least as i16) as u32)
        }),
        ("s32", true) if relu => lanes!(|a: i32, b: i32| -> i32 { a.min(b).max(0) }),
        ("s32", false) if relu => lanes!(|a: i32, b: i32| -> i32 { a.max(b).max(0) }),
        _ => return Err(format!("`.relu` does not go with `.{word}`")),
    };
    let least = if relu { 0 } else { 0x8000 };
    d.each_lane(run, least, Class::Integer, Type::B32, &[Type::B32; 2])
}

const FTZ: u64 = 4;

#[inline(always)]
fn each(aux: u64, [a, b, c]: [u64; 3], f: impl Fn(u64, u64, u64) -> u64) -> u64 {
    let flushed = |bits: u32| {
        if aux & FTZ != 0 {
            flush(f32::from_bits(bits)).to_bits()
        } else {
            bits
        }
    };
    let part = |bits: u64| u64::from(flushed(bits as u32));
    let low = flushed(f(part(a), part(b), part(c)) as u32);
    let high = flushed(f(part(a >> 32), part(b >> 32), part(c >> 32)) as u32);
    u64::from(high) << 32 | u64::from(low)
}

fn singles(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let mode = d.rounding();
    let ftz = d.take("ftz");
    d.require("f32x2")?;
    if mode.is_none() && d.opcode() == "fma" {
        return Err("`fma.f32x2` needs a rounding mode".into());
    }
    let aux = mode.unwrap_or(Mode::Nearest).code() | flag(ftz, FTZ);
    macro_rules! pair {
        (|$format:ident, $a:ident, $b:ident, $c:ident, $mode:ident| $body:expr) => {
            lanes!(|a: u64, b: u64, c: u64; aux| -> u64 {
                let $mode = Mode::from_code(aux);
                let $format = if aux & FTZ != 0 { F32.flushing() } else { F32 };
                each(aux, [a, b, c], |$a, $b, $c| $body)
            })
        };
    }
    let (run, sources): (LaneFn, usize) = match d.opcode() {
        "add" => (pair!(|format, a, b, _c, mode| format.add(a, b, mode)), 2),
        "sub" => (pair!(|format, a, b, _c, mode| format.sub(a, b, mode)), 2),
        "mul" => (pair!(|format, a, b, _c, mode| format.mul(a, b, mode)), 2),
        _ => (pair!(|format, a, b, c, mode| format.fma(a, b, c, mode)), 3),
    };
    d.each_lane(
        run,
        aux,
        Class::Single,
        Type::B64,
        &[Type::B64; 3][..sources],
    )
}

/// `cvt.pack`: two s32 saturated to a narrower type, side by side, the second
/// one below; narrower than 16 bits, `c` is shifted in above them.
fn pack(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    d.require("pack")?;
    d.require("sat")?;
    let word = d.one_of(&["u16", "s16", "u8", "s8", "u4", "s4", "u2", "s2"])?;
    d.require("s32")?;
    let bits: u64 = match &word[1..] {
        "16" => 16,
        "8" => 8,
        "4" => 4,
        _ => 2,
    };
    let shifted = bits < 16;
    if shifted {
        d.require("b32")?;
    }
    // aux: bits, bit 8 signed, bit 9 with c.
    let aux = bits | u64::from(word.starts_with('s')) << 8 | u64::from(shifted) << 9;
    let run = lanes!(|a: i32, b: i32, c: u32; aux| -> u32 {
        let bits = (aux & 0xff) as u32;
        let (low, high) = if aux >> 8 & 1 != 0 {
            (-(1i32 << (bits - 1)), (1i32 << (bits - 1)) - 1)
        } else {
            (0, (1i32 << bits) - 1)
        };
        let part = |x: i32| x.clamp(low, high) as u32 & ((1 << bits) - 1);
        let pair = part(a) << bits | part(b);
        if aux >> 9 & 1 != 0 { c << (2 * bits) | pair } else { pair }
    });
    let sources = if shifted { 3 } else { 2 };
    d.each_lane(
        run,
        aux,
        Class::Convert,
        Type::B32,
        &[Type::B32; 3][..sources],
    )
}

/// `fns`: the position of the `offset`-th set bit of `mask`, counted from bit
/// `base` on (upwards when it is positive); offset 0 asks for bit `base`
/// itself. All ones when there is none.
fn find_set(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    d.require("b32")?;
    let run = lanes!(|mask: u32, base: u32, offset: i32| -> u32 { nth_set(mask, base, offset) });
    let sources = [Type::B32, Type::B32, Type::S32];
    d.each_lane(run, 0, Class::Integer, Type::B32, &sources)
}

fn nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    if base > 31 {
        return u32::MAX;
    }
    let set = |position: u32| mask >> position & 1 != 0;
    let found = match offset {
        0 => return if set(base) { base } else { u32::MAX },
        1.. => (base..32).filter(|&p| set(p)).nth(offset as usize - 1),
        _ => {
            let skipped = offset.unsigned_abs() as usize - 1;
            (0..=base).rev().filter(|&p| set(p)).nth(skipped)
        }
    };
    found.unwrap_or(u32::MAX)
}
