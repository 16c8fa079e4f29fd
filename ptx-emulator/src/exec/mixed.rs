//! Mixed precision: `add`, `sub`, `fma` in f32 with operands of f16 or bf16,
//! which are widened first.

use ptx_syntax::Type;

use super::Group;
use super::decode::flag;
use super::softfloat::{BF16, F16, F32, Mode};
use crate::ir::{LaneFn, lanes};
use crate::lower::{Decoded, Decoder, Reason};
use crate::observe::Class;

pub(crate) const GROUP: Group = Group {
    name: "mixed",
    forms: &[
        "add sub: f32 of f16 bf16 and f32; .rn .rz .rm .rp .sat",
        "fma: f32 of two f16 bf16 and f32; .rn .rz .rm .rp .sat",
    ],
    decode,
};

const BRAIN: u64 = 4;
const SATURATE: u64 = 8;

fn widen(aux: u64, bits: u32) -> u64 {
    let format = if aux & BRAIN != 0 { BF16 } else { F16 };
    F32.convert(format.unpack(u64::from(bits & 0xffff)), Mode::Nearest)
}

fn finish(aux: u64, bits: u64) -> u32 {
    if aux & SATURATE != 0 {
        F32.saturate(bits) as u32
    } else {
        bits as u32
    }
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let mode = d.rounding();
    let saturates = d.take("sat");
    let result = d.type_of(&[Type::F32])?;
    let ty = d.type_of(&[Type::F16, Type::BF16])?;
    if mode.is_none() && d.opcode() == "fma" {
        return Err("`fma.f32` needs a rounding mode".into());
    }
    let run: LaneFn = match d.opcode() {
        "add" => lanes!(|a: u32, b: u32; aux| -> u32 {
            finish(aux, F32.add(widen(aux, a), u64::from(b), Mode::from_code(aux)))
        }),
        "sub" => lanes!(|a: u32, b: u32; aux| -> u32 {
            finish(aux, F32.sub(widen(aux, a), u64::from(b), Mode::from_code(aux)))
        }),
        _ => lanes!(|a: u32, b: u32, c: u32; aux| -> u32 {
            let (a, b, c) = (widen(aux, a), widen(aux, b), u64::from(c));
            finish(aux, F32.fma(a, b, c, Mode::from_code(aux)))
        }),
    };
    let sources: &[Type] = if d.opcode() == "fma" {
        &[ty, ty, Type::F32]
    } else {
        &[ty, Type::F32]
    };
    let aux = mode.unwrap_or(Mode::Nearest).code()
        | flag(ty == Type::BF16, BRAIN)
        | flag(saturates, SATURATE);
    d.each_lane(run, aux, Class::Single, result, sources)
}
