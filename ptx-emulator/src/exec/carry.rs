//! Extended-precision arithmetic: `add.cc`, `addc`, `sub.cc`, `subc`,
//! `mad.cc`, `madc`.
//!
//! A subtraction adds the complement, so its carry is the inverse of the borrow: `addc` after
//! `sub.cc` sees what a GPU's sees. The carry is a predicate of the function's frame, a bit a
//! lane; as PTX says, a call does not keep it.

use ptx_syntax::Type;

use super::Group;
use super::decode::{flag, is_wide};
use crate::ir::{LANES, LaneFn, Row, Source, Value, lane_fn, predicate, write, write_predicate};
use crate::lower::{Decoded, Decoder, Reason};
use crate::observe::Class;

pub(crate) const GROUP: Group = Group {
    name: "carry",
    forms: &[
        "add addc sub subc: .cc; u32 s32 u64 s64",
        "mad: .lo .hi with .cc; u32 s32 u64 s64",
        "madc: .lo .hi; .cc; u32 s32 u64 s64",
    ],
    decode,
};

const SUBTRACT: u64 = 1;
const CARRY_IN: u64 = 2;
const CARRY_OUT: u64 = 4;
const HIGH: u64 = 8;
const SIGNED: u64 = 16;
const MULTIPLY: u64 = 32;

/// The result and the carry of `bits`-wide operands: `a` (times `b`) and the
/// last operand, added or subtracted.
#[inline(always)]
fn step(aux: u64, bits: u32, [a, b, c]: [u64; 3], carry: bool) -> (u64, bool) {
    let mask = u64::MAX >> (64 - bits);
    let (x, y) = if aux & MULTIPLY != 0 {
        let product = if aux & SIGNED != 0 {
            let extended = |value: u64| i128::from((value << (64 - bits)) as i64 >> (64 - bits));
            (extended(a) * extended(b)) as u128
        } else {
            u128::from(a) * u128::from(b)
        };
        let part = if aux & HIGH != 0 {
            product >> bits
        } else {
            product
        };
        (part as u64 & mask, c)
    } else {
        (a, b)
    };
    let subtracts = aux & SUBTRACT != 0;
    let y = if subtracts { !y & mask } else { y };
    // A subtraction that reads no carry has nothing borrowed before.
    let carry = if aux & CARRY_IN != 0 {
        carry
    } else {
        subtracts
    };
    let wide = u128::from(x) + u128::from(y) + u128::from(carry);
    (wide as u64 & mask, wide >> bits != 0)
}

macro_rules! carried {
    ($T:ty, $bits:literal) => {
        lane_fn!(|f, o, m| {
            let carries = predicate(f, o.s[3]);
            let rows = [0, 1, 2].map(|index| *<$T>::row(f, o.s[index]));
            let mut out = Row::<$T>::default();
            let mut over = 0;
            for lane in 0..LANES {
                let values = rows.each_ref().map(|row| u64::from(row.0[lane]));
                let (value, carry) = step(o.aux, $bits, values, carries >> lane & 1 != 0);
                out.0[lane] = value as $T;
                over |= u32::from(carry) << lane;
            }
            write(<$T>::row_mut(f, o.d[0]), &out, m);
            if o.aux & CARRY_OUT != 0 {
                write_predicate(f, o.d[1], over, m);
            }
        })
    };
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let mut aux = match d.opcode() {
        "add" => 0,
        "addc" => CARRY_IN,
        "sub" => SUBTRACT,
        "subc" => SUBTRACT | CARRY_IN,
        "mad" => MULTIPLY,
        _ => MULTIPLY | CARRY_IN,
    };
    if aux & MULTIPLY != 0 {
        aux |= flag(d.one_of(&["lo", "hi"])? == "hi", HIGH);
    }
    if d.take("cc") {
        aux |= CARRY_OUT;
    } else if aux & CARRY_IN == 0 {
        return Err(d.unknown_modifier());
    }
    let ty = d.type_of(&[Type::U32, Type::S32, Type::U64, Type::S64])?;
    aux |= flag(ty.is_signed(), SIGNED);
    let sources = if aux & MULTIPLY != 0 { 3 } else { 2 };
    let mut operands = d.rows(aux, ty, &[ty; 3][..sources])?;
    let carry = d.scopes.carry();
    let carry = carry.ok_or("the function has too many predicates")?;
    operands.d[1] = carry;
    operands.s[3] = Source::predicate(carry, false);
    let run: LaneFn = match is_wide(ty) {
        true => carried!(u64, 64),
        false => carried!(u32, 32),
    };
    Ok(Decoded::lanes(run, operands, Class::Integer))
}
