//! Products of matrices that a warp holds together: `mma.sync` (PTX ISA 8.8, section "Warp Level
//! Matrix Instructions", the fragments of each shape). `wmma` and `wgmma` are not here.
//!
//! Lane l is the l % 4-th of the l / 4-th group of four. Of the factors A and B, a register has
//! neighbours in the direction that is summed over, and the four lanes of a group have the next
//! ones; a group has a row of A and a column of B, and of 16 rows the ninth from its own too.
//!
//! Sums of integers are exact, then cut off or saturated. Those of f64 are chains of fused
//! operations in the order of the columns of A. Of f16, bf16 and tf32 see
//! [`softfloat::tensor`](super::softfloat).

use ptx_syntax::Type;

use super::Group;
use super::matrix::together;
use super::memory::registers;
use super::softfloat::{BF16, F16, F32, F64, Format, Mode};
use crate::ir::{Elements, FULL, Factor, LANES, Op, Product, Row, Slot, Source, System};
use crate::lower::{Decoded, Decoder, Reason};
use crate::machine::{Issue, LaneFault};
use crate::observe::{Class, Observer};

pub(crate) const GROUP: Group = Group {
    name: "product",
    forms: &[
        "mma: .sync.aligned, .row.col; f64 .m8n8k4 .m16n8k4 .m16n8k8 .m16n8k16; f16 to f16 f32, bf16 to f32 .m16n8k8 .m16n8k16; .tf32 to f32 .m16n8k4 .m16n8k8; to s32 with .satfinite u8 s8 .m8n8k16 .m16n8k16 .m16n8k32, .u4 .s4 .m8n8k32 .m16n8k32 .m16n8k64; to s32 .b1 with .xor.popc .and.popc .m8n8k128 .m16n8k128 .m16n8k256",
    ],
    decode,
};

/// Rows of B and columns of C.
const COLUMNS: usize = 8;

/// Each shape: its word, the rows of A, and the elements that are summed over.
const SHAPES: [(&str, usize, usize); 11] = [
    ("m8n8k4", 8, 4),
    ("m8n8k16", 8, 16),
    ("m8n8k32", 8, 32),
    ("m8n8k128", 8, 128),
    ("m16n8k4", 16, 4),
    ("m16n8k8", 16, 8),
    ("m16n8k16", 16, 16),
    ("m16n8k32", 16, 32),
    ("m16n8k64", 16, 64),
    ("m16n8k128", 16, 128),
    ("m16n8k256", 16, 256),
];

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    d.require("sync")?;
    d.require("aligned")?;
    let shape = d.one_of(&SHAPES.map(|(word, ..)| word))?;
    let (_, rows, depth) = SHAPES
        .into_iter()
        .find(|(word, ..)| *word == shape)
        .unwrap_or_default();
    d.require("row")?;
    d.require("col")?;
    let saturates = d.take("satfinite");
    let results = ["f16", "f32", "f64", "s32"];
    let to = d.one_of(&results)?;
    let factors = ["f16", "bf16", "tf32", "f64", "u8", "s8", "u4", "s4", "b1"];
    let (a, b) = (d.one_of(&factors)?, d.one_of(&factors)?);
    d.require(to)?;
    let (elements, least) = elements(to, [a, b], saturates, d)?;
    // Of every type, a factor is the fewest elements that fill registers, or twice or four times
    // as many; only those of f64 and of integers are for 8 rows.
    let times = depth / least;
    let is_shape = match (elements, rows) {
        (Elements::Double, 8) | (Elements::Integer { .. } | Elements::Bits { .. }, 8) => times == 1,
        (Elements::Double, _) => [1, 2, 4].contains(&times),
        (Elements::Float { .. }, 8) => false,
        _ => [1, 2].contains(&times),
    };
    if !is_shape || depth % least != 0 {
        return Err(format!("`mma` of {a} has no shape `{shape}` here"));
    }
    d.finish(4)?;
    let bits = elements.bits();
    let [wide, halves] = [bits == 64, to == "f16"];
    let counts = [
        rows / 8 * if halves { 1 } else { 2 },
        rows / 8 * times,
        times,
    ];
    let ty = if wide { Type::F64 } else { Type::B32 };
    let written = registers(d.operand(0)?, counts[0] as u32)?.iter();
    let slots: Result<Vec<Slot>, Reason> = written
        .map(|register| Ok(d.written(register, ty, false)?.0))
        .collect();
    let mut read = |index: usize, count: usize| -> Result<Vec<Source>, Reason> {
        let list = registers(d.operand(index)?, count as u32)?.iter();
        list.map(|register| d.read(register, ty, false)).collect()
    };
    let product = Product {
        elements,
        rows,
        depth,
        a: read(1, counts[1])?,
        b: read(2, counts[2])?,
        c: read(3, counts[0])?,
        d: slots?,
    };
    let op = Op::System(Box::new(System::Product(product)));
    Ok(Decoded::new(op, Class::Warp))
}

/// What factors are made of, and the fewest of them that are summed over: a register of each lane
/// of a group, which is half as much for tf32 and a quarter for f64.
fn elements(
    to: &str,
    [a, b]: [&str; 2],
    saturates: bool,
    d: &mut Decoder<'_, '_>,
) -> Result<(Elements, usize), Reason> {
    let signed = [a.starts_with('s'), b.starts_with('s')];
    let integer = |bits| Elements::Integer {
        bits,
        signed,
        saturates,
    };
    let narrow = to == "f16";
    let float = |of| Elements::Float { of, narrow };
    let found = match (to, a, b) {
        ("f64", "f64", "f64") => (Elements::Double, 4),
        ("f16" | "f32", "f16", "f16") => (float(Factor::F16), 8),
        ("f32", "bf16", "bf16") => (float(Factor::BF16), 8),
        ("f32", "tf32", "tf32") => (float(Factor::TF32), 4),
        ("s32", "u8" | "s8", "u8" | "s8") => (integer(8), 16),
        ("s32", "u4" | "s4", "u4" | "s4") => (integer(4), 32),
        ("s32", "b1", "b1") => {
            let is_and = d.one_of(&["xor", "and"])? == "and";
            d.require("popc")?;
            (Elements::Bits { is_and }, 128)
        }
        _ => return Err(format!("`mma` of {a} and {b} to {to} is not supported")),
    };
    match saturates && !matches!(found.0, Elements::Integer { .. }) {
        true => Err("`.satfinite` goes with integers".into()),
        false => Ok(found),
    }
}

impl Elements {
    /// Bits of a factor's element.
    fn bits(self) -> u32 {
        match self {
            Elements::Double => 64,
            Elements::Float {
                of: Factor::TF32, ..
            } => 32,
            Elements::Float { .. } => 16,
            Elements::Integer { bits, .. } => bits,
            Elements::Bits { .. } => 1,
        }
    }

    /// The element of C and of the result.
    fn result(self, c: u64, factors: &[(u64, u64)]) -> u64 {
        match self {
            Elements::Double => factors
                .iter()
                .fold(c, |sum, &(a, b)| F64.fma(a, b, sum, Mode::Nearest)),
            Elements::Float { of, narrow } => {
                let to = if narrow { F16 } else { F32 };
                format(of).dot(factors, c, to)
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

/// The elements that registers hold, in a list of as many: `place` says where the element of a
/// register, a lane and a part of the register is. All registers have the same number of parts.
fn gather<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    sources: &[Source],
    bits: u32,
    place: impl Fn(usize, usize, usize) -> usize,
) -> Vec<u64> {
    let parts = if bits == 64 { 1 } else { 32 / bits as usize };
    let mut elements = vec![0; sources.len() * LANES * parts];
    for (register, &source) in sources.iter().enumerate() {
        let row = match bits {
            64 => at.row::<u64>(source),
            _ => Row(at.row::<u32>(source).0.map(u64::from)),
        };
        for (lane, word) in row.0.iter().enumerate() {
            for part in 0..parts {
                let element = word >> (part as u32 * bits) & (u64::MAX >> (64 - bits));
                elements[place(register, lane, part)] = element;
            }
        }
    }
    elements
}

pub(crate) fn run<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    product: &Product,
) -> Result<(), LaneFault> {
    together(at)?;
    let &Product {
        elements, depth, ..
    } = product;
    let bits = elements.bits();
    let parts = if bits == 64 { 1 } else { 32 / bits as usize };
    let along =
        |block: usize, lane: usize, part: usize| block * 4 * parts + lane % 4 * parts + part;
    // Where there are 16 rows, every other register has one of the lower eight.
    let blocks = product.rows / 8;
    let a = gather(at, &product.a, bits, |register, lane, part| {
        let row = lane / 4 + 8 * (register % blocks);
        row * depth + along(register / blocks, lane, part)
    });
    let b = gather(at, &product.b, bits, |register, lane, part| {
        lane / 4 * depth + along(register, lane, part)
    });
    let c_bits = match elements {
        Elements::Double => 64,
        Elements::Float { narrow: true, .. } => 16,
        _ => 32,
    };
    let halves = if c_bits == 16 { 2 } else { 1 };
    let of_result = |register: usize, lane: usize, part: usize| {
        let element = register * halves + part;
        (lane / 4 + 8 * (element / 2)) * COLUMNS + lane % 4 * 2 + element % 2
    };
    let c = gather(at, &product.c, c_bits, of_result);
    let mut factors = vec![(0, 0); depth];
    let mut results = c;
    for (place, result) in results.iter_mut().enumerate() {
        let (row, column) = (place / COLUMNS, place % COLUMNS);
        for (k, pair) in factors.iter_mut().enumerate() {
            *pair = (a[row * depth + k], b[column * depth + k]);
        }
        *result = elements.result(*result, &factors);
    }
    for (register, &slot) in product.d.iter().enumerate() {
        let word = |lane: usize| {
            let part = |part: usize| results[of_result(register, lane, part)] << (part * 16);
            (0..halves).map(part).fold(0, |word, part| word | part)
        };
        if slot != Slot::SINK {
            at.put(bits == 64, slot, &Row(std::array::from_fn(word)), FULL);
        }
    }
    Ok(())
}
