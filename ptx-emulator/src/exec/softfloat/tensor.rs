//! Sums of products as a tensor core makes them: not IEEE 754's, and not the PTX ISA's, which says
//! of them that they are as if in single precision at least, in any order.
//!
//! The model is that of Fasi, Higham, Mikaitis and Pranesh, "Numerical behavior of NVIDIA tensor
//! cores" (PeerJ Computer Science 7, 2021): products are exact; they and the summand are shifted
//! to the largest exponent among them, that of a product being the sum of its factors', and cut
//! off; their sum is cut off to f32 or rounded to f16. How far they are cut off is [`GUARD`], that of
//! an H200.

use super::{F32, Finite, Format, Mode, Parts};

/// Bits that a term has below those of an f32 whose exponent is the largest.
const GUARD: i32 = 2;

impl Format {
    /// The format of tf32: the upper 19 bits of an f32.
    pub(crate) fn upper_bits(self, bits: u64) -> u64 {
        match self == F32 {
            true => bits & !0x1fff,
            false => bits,
        }
    }

    /// The exponent of a value's first bit were it normal.
    fn exponent(self, value: Finite) -> i32 {
        value.exponent + self.fraction_bits as i32
    }

    /// The products of these factors and `c`, which is of the format `from`, added up at once by a
    /// tensor core; the factors are f16, bf16 or tf32 in f32.
    pub(crate) fn dot(self, factors: &[(u64, u64)], c: u64, from: Format, to: Format) -> u64 {
        let mut terms = Vec::with_capacity(factors.len() + 1);
        let mut infinite = [false; 2];
        let c = from.unpack(c);
        let products = factors.iter().map(|&(a, b)| {
            let [a, b] = [a, b].map(|bits| self.unpack(self.upper_bits(bits)));
            let exponent = match (a, b) {
                (Parts::Finite(a), Parts::Finite(b)) => self.exponent(a) + self.exponent(b),
                _ => 0,
            };
            (a.times(b), exponent)
        });
        let summand = match c {
            Parts::Finite(c) => from.exponent(c),
            _ => 0,
        };
        for (term, exponent) in products.chain([(c, summand)]) {
            match term {
                Parts::NaN => return to.nan,
                Parts::Infinity { negative } => infinite[usize::from(negative)] = true,
                Parts::Finite(value) if value.is_zero() => {}
                Parts::Finite(value) => terms.push((value, exponent)),
            }
        }
        match infinite {
            [true, true] => to.nan,
            [false, false] => to.aligned_sum(&terms),
            [_, negative] => to.signed(negative, to.infinity()),
        }
    }

    /// The sum of values, each cut off at the same bit below the largest exponent.
    fn aligned_sum(self, terms: &[(Finite, i32)]) -> u64 {
        let Some(largest) = terms.iter().map(|(_, exponent)| *exponent).max() else {
            return 0;
        };
        let last = largest - F32.fraction_bits as i32 - GUARD;
        let sum: i64 = terms.iter().map(|(value, _)| cut(*value, last)).sum();
        let value = Finite {
            negative: sum < 0,
            significand: sum.unsigned_abs().into(),
            exponent: last,
        };
        let mode = if self == F32 {
            Mode::Zero
        } else {
            Mode::Nearest
        };
        match self.round(value, false, mode) {
            _ if sum == 0 => 0,
            // What is too large is infinite, although it is cut off.
            bits if bits & !self.sign_bit() == self.infinity() - 1 && self.is_above(value) => {
                bits + 1
            }
            bits => bits,
        }
    }

    /// Whether a value is above all finite numbers.
    fn is_above(self, value: Finite) -> bool {
        value.top() > self.bias()
    }
}

/// The multiple of 2^last that is next to a value, towards zero.
fn cut(value: Finite, last: i32) -> i64 {
    let up = value.exponent - last;
    let magnitude = match up {
        0.. => value.significand << up,
        -127..0 => value.significand >> -up,
        _ => 0,
    } as i64;
    if value.negative {
        -magnitude
    } else {
        magnitude
    }
}
