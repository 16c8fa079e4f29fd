//! f64 arithmetic, exact to the bit: `add`, `sub`, `mul`, `fma`, `mad`,
//! `div`, `rcp`, `sqrt`, `abs`, `neg`, `min`, `max`, `copysign`, with every
//! rounding mode.
//!
//! A NaN result is an operand's NaN made quiet, sign and payload kept, as on
//! an H200: of several, `div` takes the first, `add`, `sub`, `mul`, `min` and
//! `max` the second, `fma` the second, then the third, then the first. (PTX
//! leaves open which, and an assembler may exchange the factors of a product.)
//! `abs` and `neg` leave a NaN's sign alone. Without a NaN operand, it is
//! 0xfff8000000000000.

use ptx_syntax::Type;

use super::Group;
use super::softfloat::{F64, Mode};
use crate::ir::{Frame, LANES, LaneFn, Operands, Row, Value, lane_fn, lanes, write};
use crate::lower::{Decoded, Decoder, Reason};
use crate::observe::Class;

pub(crate) const GROUP: Group = Group {
    name: "float64",
    forms: &[
        "add sub mul fma mad div rcp sqrt: f64; .rn .rz .rm .rp",
        "abs neg min max copysign: f64",
    ],
    decode,
};

const OPERATION: u32 = 8;

/// The NaN of an invalid operation.
const INVALID: u64 = 0xfff8 << 48;

/// A quiet NaN has this bit.
const QUIET: u64 = 1 << 51;

/// The bits of a result: the first NaN among the operands in this order, made
/// quiet, if there is one.
#[inline(always)]
pub(crate) fn or_nan(result: f64, operands: [f64; 3]) -> u64 {
    let [first, second, third] = operands;
    if first.is_nan() {
        first.to_bits() | QUIET
    } else if second.is_nan() {
        second.to_bits() | QUIET
    } else if third.is_nan() {
        third.to_bits() | QUIET
    } else if result.is_nan() {
        INVALID
    } else {
        result.to_bits()
    }
}

/// Arithmetic that is NaN where an operand is: who has none need not look for the operand.
#[inline(always)]
fn arithmetic(
    frame: &mut Frame<'_>,
    operands: &Operands,
    mask: u32,
    f: impl Fn([f64; 3]) -> f64,
    order: impl Fn([f64; 3]) -> [f64; 3],
) {
    let rows = [0, 1, 2].map(|index| f64::row(frame, operands.s[index]));
    let values = |lane: usize| rows.map(|row| f64::from_bits(row.0[lane]));
    let mut out = Row::<u64>::default();
    let mut nan = false;
    for lane in 0..LANES {
        let result = f(values(lane));
        nan |= result.is_nan();
        out.0[lane] = result.to_bits();
    }
    if nan {
        for lane in 0..LANES {
            out.0[lane] = or_nan(f64::from_bits(out.0[lane]), order(values(lane)));
        }
    }
    write(u64::row_mut(frame, operands.d[0]), &out, mask);
}

/// A result rounded to the nearest, and the order in which operands give their NaN.
macro_rules! nearest {
    (|[$a:pat, $b:pat, $c:pat]| $result:expr; $order:expr) => {
        lane_fn!(|frame, operands, mask| arithmetic(
            frame,
            operands,
            mask,
            |[$a, $b, $c]| $result,
            |[$a, $b, $c]| $order
        ))
    };
}

#[inline(always)]
fn soft(aux: u64, a: u64, b: u64, c: u64) -> u64 {
    let mode = Mode::from_code(aux);
    let bits = match aux >> OPERATION {
        0 => F64.add(a, b, mode),
        1 => F64.sub(a, b, mode),
        2 => F64.mul(a, b, mode),
        3 => F64.fma(a, b, c, mode),
        4 => F64.div(a, b, mode),
        5 => F64.div(1f64.to_bits(), a, mode),
        _ => F64.sqrt(a, mode),
    };
    let order = if aux >> OPERATION < 4 {
        [b, c, a]
    } else {
        [a, b, c]
    };
    or_nan(f64::from_bits(bits), order.map(f64::from_bits))
}

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    let mode = if matches!(d.opcode(), "abs" | "neg" | "min" | "max" | "copysign") {
        None
    } else {
        d.rounding()
    };
    d.type_of(&[Type::F64])?;
    if mode.is_none() && matches!(d.opcode(), "fma" | "mad" | "div" | "rcp" | "sqrt") {
        return Err(format!("`{}.f64` needs a rounding mode", d.opcode()));
    }
    let mode = mode.unwrap_or(Mode::Nearest);
    let (operation, sources) = match d.opcode() {
        "add" => (0, 2),
        "sub" => (1, 2),
        "mul" => (2, 2),
        "fma" | "mad" => (3, 3),
        "div" => (4, 2),
        "rcp" => (5, 1),
        "sqrt" => (6, 1),
        "abs" | "neg" => (7, 1),
        _ => (7, 2),
    };
    let run: LaneFn = match (d.opcode(), mode) {
        ("abs", _) => lanes!(|a: f64| -> u64 { or_nan(a.abs(), [a, 0.0, 0.0]) }),
        ("neg", _) => lanes!(|a: f64| -> u64 { or_nan(-a, [a, 0.0, 0.0]) }),
        ("min", _) => lanes!(|a: f64, b: f64| -> u64 {
            if a < b || b.is_nan() && !a.is_nan() || (a == b && a.is_sign_negative()) {
                a.to_bits()
            } else {
                or_nan(b, [b, 0.0, 0.0])
            }
        }),
        ("max", _) => lanes!(|a: f64, b: f64| -> u64 {
            if a > b || b.is_nan() && !a.is_nan() || (a == b && a.is_sign_positive()) {
                a.to_bits()
            } else {
                or_nan(b, [b, 0.0, 0.0])
            }
        }),
        // PTX: the magnitude of b with the sign of a.
        ("copysign", _) => lanes!(|a: u64, b: u64| -> u64 { a & 1 << 63 | b & !(1 << 63) }),
        ("add", Mode::Nearest) => nearest!(|[a, b, _]| a + b; [b, a, 0.0]),
        ("sub", Mode::Nearest) => nearest!(|[a, b, _]| a - b; [b, a, 0.0]),
        ("mul", Mode::Nearest) => nearest!(|[a, b, _]| a * b; [b, a, 0.0]),
        ("fma" | "mad", Mode::Nearest) => nearest!(|[a, b, c]| a.mul_add(b, c); [b, c, a]),
        ("div", Mode::Nearest) => nearest!(|[a, b, _]| a / b; [a, b, 0.0]),
        ("rcp", Mode::Nearest) => nearest!(|[a, _, _]| 1.0 / a; [a, 0.0, 0.0]),
        ("sqrt", Mode::Nearest) => nearest!(|[a, _, _]| a.sqrt(); [a, 0.0, 0.0]),
        ("fma" | "mad", _) => lanes!(|a: u64, b: u64, c: u64; aux| -> u64 { soft(aux, a, b, c) }),
        ("rcp" | "sqrt", _) => lanes!(|a: u64; aux| -> u64 { soft(aux, a, 0, 0) }),
        _ => lanes!(|a: u64, b: u64; aux| -> u64 { soft(aux, a, b, 0) }),
    };
    let aux = mode.code() | operation << OPERATION;
    let sources = &[Type::F64; 3][..sources];
    d.each_lane(run, aux, Class::Double, Type::F64, sources)
}
