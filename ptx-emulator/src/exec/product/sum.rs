//! An element of a product: from those of a row of A, of a column of B, and of C.

use crate::exec::float64::or_nan;
use crate::exec::softfloat::{BF16, F16, F32, F64, Format, Mode};
use crate::ir::{Elements, Factor};

impl Elements {
    /// Bits of a factor's element.
    pub(super) fn bits(self) -> u32 {
        match self {
            Elements::Double { .. } => 64,
            Elements::Float {
                of: Factor::TF32, ..
            } => 32,
            Elements::Float { .. } | Elements::Chain { .. } => 16,
            Elements::Integer { bits, .. } => bits,
            Elements::Bits { .. } => 1,
        }
    }

    /// Bits of an element of c and of the result.
    pub(super) fn summands(self) -> [u32; 2] {
        match self {
            Elements::Double { .. } => [64; 2],
            Elements::Float { narrow, .. } | Elements::Chain { narrow } => {
                narrow.map(|narrow| if narrow { 16 } else { 32 })
            }
            _ => [32; 2],
        }
    }

    /// The element of the result.
    pub(super) fn result(self, c: u64, factors: &[(u64, u64)]) -> u64 {
        let formats = |narrow: [bool; 2]| narrow.map(|narrow| if narrow { F16 } else { F32 });
        match self {
            Elements::Double { mode } => factors.iter().fold(c, |sum, &(a, b)| {
                let exact = F64.fma(a, b, sum, Mode::from_code(mode));
                let [exact, a, b, sum] = [exact, a, b, sum].map(f64::from_bits);
                or_nan(exact, [b, sum, a])
            }),
            Elements::Float {
                of,
                narrow,
                at_once,
            } => {
                let [from, to] = formats(narrow);
                let added = |(sum, from), some| (format(of).dot(some, sum, from, to), to);
                factors.chunks(at_once).fold((c, from), added).0
            }
            Elements::Chain { narrow } => {
                let [from, to] = formats(narrow);
                let wide = |of: Format, x| F32.convert(of.unpack(x), Mode::Nearest);
                let sum = factors.iter().fold(0, |sum, &(a, b)| {
                    F32.fma(wide(F16, a), wide(F16, b), sum, Mode::Nearest)
                });
                let sum = F32.add(sum, wide(from, c), Mode::Nearest);
                to.convert(F32.unpack(sum), Mode::Nearest)
            }
            Elements::Integer {
                bits,
                signed,
                saturates,
            } => {
                let value = |bits_of: u64, signed: bool| match signed {
                    true => (bits_of << (64 - bits)) as i64 >> (64 - bits),
                    false => bits_of as i64,
                };
                let products = factors
                    .iter()
                    .map(|&(a, b)| value(a, signed[0]) * value(b, signed[1]));
                let sum = i64::from(c as i32) + products.sum::<i64>();
                let least = i64::from(i32::MIN);
                let sum = if saturates {
                    sum.clamp(least, -1 - least)
                } else {
                    sum
                };
                u64::from(sum as u32)
            }
            Elements::Bits { is_and } => {
                let both = |&(a, b): &(u64, u64)| if is_and { a & b } else { a ^ b };
                let count = factors.iter().map(both).sum::<u64>() as u32;
                u64::from((c as u32).wrapping_add(count))
            }
        }
    }
}

fn format(of: Factor) -> Format {
    match of {
        Factor::F16 => F16,
        Factor::BF16 => BF16,
        Factor::TF32 => F32,
    }
}
