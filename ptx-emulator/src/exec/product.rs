//! Products of matrices that a warp holds together: `mma.sync` and `wmma` (PTX ISA 8.8, section "Warp
//! Level Matrix Instructions", the fragments of each shape). `wgmma` is not here.
//!
//! Sums of integers are exact, then cut off or saturated. Those of f64 are chains of fused
//! operations in the order of the columns of A. Of f16, bf16 and tf32 see
//! [`softfloat::tensor`](super::softfloat); of f16 the shape m8n8k4, which a Hopper GPU does not have,
//! is a chain of fused operations of f32 that begins with the first product and ends with C.

mod layout;
mod sum;
pub(super) mod tile;

use ptx_syntax::Type;

use self::layout::{Layout, places, quad, quad_of_f32};
use super::Group;
use super::matrix::together;
use super::memory::registers;
use super::softfloat::Mode;
use crate::ir::{Elements, FULL, Factor, Fragment, LANES, Op, Product, Row, Slot, Source, System};
use crate::lower::{Decoded, Decoder, Reason};
use crate::machine::{Issue, LaneFault};
use crate::observe::{Class, Observer};

pub(crate) const GROUP: Group = Group {
    name: "product",
    forms: &[
        "mma: .sync.aligned, .row.col; f64 .m8n8k4 .m16n8k4 .m16n8k8 .m16n8k16; f16 to f16 f32, bf16 to f32 .m16n8k8 .m16n8k16; f16 to f16 f32 .m8n8k4, .row .col; .tf32 to f32 .m16n8k4 .m16n8k8; to s32 with .satfinite u8 s8 .m8n8k16 .m16n8k16 .m16n8k32, .u4 .s4 .m8n8k32 .m16n8k32 .m16n8k64; to s32 .b1 with .xor.popc .and.popc .m8n8k128 .m16n8k128 .m16n8k256",
        "wmma: .load.a .load.b .load.c .store.d .mma, .sync.aligned, .row .col; all spaces; f16 with f16 f32, bf16 with f32, u8 s8 with s32 and .satfinite .m16n16k16 .m32n8k16 .m8n32k16; tf32 with f32 .m16n16k8; f64 .m8n8k4 .rn .rz .rm .rp; .u4 .s4 with s32 and .satfinite .m8n8k32; .b1 with s32 and .xor.popc .and.popc .m8n8k128",
    ],
    decode: |d| match d.opcode() {
        "wmma" => tile::decode(d),
        _ => decode(d),
    },
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
    let layouts = [d.one_of(&["row", "col"])?, d.one_of(&["row", "col"])?];
    let saturates = d.take("satfinite");
    let results = ["f16", "f32", "f64", "s32"];
    let to = d.one_of(&results)?;
    let factors = ["f16", "bf16", "tf32", "f64", "u8", "s8", "u4", "s4", "b1"];
    let (a, b) = (d.one_of(&factors)?, d.one_of(&factors)?);
    if shape == "m8n8k4" && a == "f16" && b == "f16" && ["f16", "f32"].contains(&to) {
        return quads(d, layouts, to);
    }
    if layouts != ["row", "col"] {
        return Err(format!("`mma` of {a} is `.row.col`"));
    }
    d.require(to)?;
    let (elements, least) = elements([to; 2], [a, b], saturates, d)?;
    // Of every type, a factor is the fewest elements that fill registers, or twice or four times
    // as many; only those of f64 and of integers are for 8 rows.
    let times = depth / least;
    let is_shape = match (elements, rows) {
        (Elements::Integer { .. } | Elements::Bits { .. } | Elements::Double { .. }, 8) => {
            times == 1
        }
        (Elements::Double { .. }, _) => [1, 2, 4].contains(&times),
        (_, 8) => false,
        _ => [1, 2].contains(&times),
    };
    if !is_shape || depth % least != 0 {
        return Err(format!("`mma` of {a} has no shape `{shape}` here"));
    }
    d.finish(4)?;
    product(d, elements, [rows, COLUMNS, depth], None)
}

/// The f16 shape of four products side by side.
fn quads(d: &mut Decoder<'_, '_>, layouts: [&str; 2], to: &str) -> Result<Decoded, Reason> {
    let from = d.one_of(if to == "f16" {
        &["f16"]
    } else {
        &["f16", "f32"]
    })?;
    d.finish(4)?;
    let narrow = [from == "f16", to == "f16"];
    let halves = |register: usize, part: usize| 2 * register + part;
    // Of A a row, of B a column has four neighbours.
    let factor = |along: bool| {
        places(2, 2, |register, lane, part| {
            let (group, line, at) = quad(lane, halves(register, part), along);
            (group * 8 + line) * 4 + at
        })
    };
    let summand = |narrow: bool| match narrow {
        true => places(4, 2, |register, lane, part| {
            let (group, line, at) = quad(lane, halves(register, part), true);
            (group * 8 + line) * 8 + at
        }),
        false => places(8, 1, |register, lane, _| quad_of_f32(lane, register)),
    };
    let bits = |narrow: bool| if narrow { 16 } else { 32 };
    let product = Product {
        elements: Elements::Chain { narrow },
        shape: [8, 8, 4],
        sources: [
            read(d, 1, 16, factor(layouts[0] == "row"))?,
            read(d, 2, 16, factor(layouts[1] == "col"))?,
            read(d, 3, bits(narrow[0]), summand(narrow[0]))?,
        ],
        result: written(d, 0, bits(narrow[1]), summand(narrow[1]))?,
    };
    let op = Op::System(Box::new(System::Product(product)));
    Ok(Decoded::new(op, Class::Warp))
}

/// A product of this shape, whose operands are d, a, b and c. `held` is how many registers a factor
/// has, where that is more than its elements fill.
fn product(
    d: &mut Decoder<'_, '_>,
    elements: Elements,
    shape: [usize; 3],
    held: Option<usize>,
) -> Result<Decoded, Reason> {
    let bits = elements.bits();
    let [from, to] = elements.summands();
    let [a, b] = ['a', 'b'].map(|matrix| Layout::of(matrix, shape, bits).places(held));
    let [c, result] = [from, to].map(|bits| Layout::of('c', shape, bits).places(None));
    let product = Product {
        elements,
        shape,
        sources: [
            read(d, 1, bits, a)?,
            read(d, 2, bits, b)?,
            read(d, 3, from, c)?,
        ],
        result: written(d, 0, to, result)?,
    };
    let op = Op::System(Box::new(System::Product(product)));
    Ok(Decoded::new(op, Class::Warp))
}

/// Parts of a register of elements.
fn parts(bits: u32) -> usize {
    if bits == 64 { 1 } else { 32 / bits as usize }
}

fn register_type(bits: u32) -> Type {
    if bits == 64 { Type::F64 } else { Type::B32 }
}

/// The registers of operand `index`, which holds a matrix in these places.
fn read(
    d: &mut Decoder<'_, '_>,
    index: usize,
    bits: u32,
    places: Vec<u16>,
) -> Result<Fragment<Source>, Reason> {
    let count = places.len() / LANES / parts(bits);
    let list = registers(d.operand(index)?, count as u32)?.iter();
    let registers: Result<_, Reason> = list
        .map(|register| d.read(register, register_type(bits), false))
        .collect();
    Ok(Fragment {
        registers: registers?,
        bits,
        places,
    })
}

/// As `read`, of an operand that is written.
fn written(
    d: &Decoder<'_, '_>,
    index: usize,
    bits: u32,
    places: Vec<u16>,
) -> Result<Fragment<Slot>, Reason> {
    let count = places.len() / LANES / parts(bits);
    let list = registers(d.operand(index)?, count as u32)?.iter();
    let registers: Result<_, Reason> = list
        .map(|register| Ok(d.written(register, register_type(bits), false)?.0))
        .collect();
    Ok(Fragment {
        registers: registers?,
        bits,
        places,
    })
}

/// What factors are made of, and the fewest of them that are summed over: a register of each lane
/// of a group, which is half as much for tf32 and a quarter for f64. Of c and of the result, the
/// types are given. An H200 makes one sum of 16 products, of tf32 of 8, but of 4 for `wmma`.
fn elements(
    [from, to]: [&str; 2],
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
    let narrow = [from == "f16", to == "f16"];
    let of_tf32 = if d.opcode() == "wmma" { 4 } else { 8 };
    let float = |of, at_once| Elements::Float {
        of,
        narrow,
        at_once,
    };
    let found = match (to, a, b) {
        ("f64", "f64", "f64") => {
            let mode = Mode::Nearest.code();
            (Elements::Double { mode }, 4)
        }
        ("f16" | "f32", "f16", "f16") => (float(Factor::F16, 16), 8),
        ("f32", "bf16", "bf16") => (float(Factor::BF16, 16), 8),
        ("f32", "tf32", "tf32") => (float(Factor::TF32, of_tf32), 4),
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

impl<R> Fragment<R> {
    /// The places of the parts of a lane's register.
    fn of(&self, register: usize, lane: usize) -> impl Iterator<Item = (u32, usize)> + '_ {
        let parts = parts(self.bits);
        let first = (register * LANES + lane) * parts;
        let places = self.places[first..first + parts].iter();
        let bits = self.bits;
        places
            .enumerate()
            .map(move |(part, place)| (part as u32 * bits, usize::from(*place)))
    }
}

/// The words of a register of a fragment whose elements are so many bits wide.
fn words<O: Observer>(at: &mut Issue<'_, '_, O>, source: Source, bits: u32) -> [u64; LANES] {
    match bits {
        64 => at.row::<u64>(source).0,
        _ => at.row::<u32>(source).0.map(u64::from),
    }
}

/// The elements that registers hold, in a list of as many.
fn gather<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    fragment: &Fragment<Source>,
    count: usize,
) -> Vec<u64> {
    let mut elements = vec![0; count];
    for (register, &source) in fragment.registers.iter().enumerate().rev() {
        let words = words(at, source, fragment.bits);
        for (lane, word) in words.into_iter().enumerate() {
            for (below, place) in fragment.of(register, lane) {
                elements[place] = word >> below & (u64::MAX >> (64 - fragment.bits));
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
    let [rows, columns, depth] = product.shape;
    let many = match product.elements {
        Elements::Chain { .. } => 4,
        _ => 1,
    };
    let [a, b, c] = &product.sources;
    let a = gather(at, a, many * rows * depth);
    let b = gather(at, b, many * columns * depth);
    let mut results = gather(at, c, many * rows * columns);
    let mut factors = vec![(0, 0); depth];
    for (place, result) in results.iter_mut().enumerate() {
        let (row, own) = (place / columns, place / (rows * columns));
        let column = own * columns + place % columns;
        let lines = a[row * depth..].iter().zip(&b[column * depth..]);
        for (pair, (&a, &b)) in factors.iter_mut().zip(lines) {
            *pair = (a, b);
        }
        *result = product.elements.result(*result, &factors);
    }
    let fragment = &product.result;
    for (register, &slot) in fragment.registers.iter().enumerate() {
        let word = |lane: usize| {
            let parts = fragment.of(register, lane);
            parts.fold(0, |word, (below, place)| word | results[place] << below)
        };
        if slot != Slot::SINK {
            let row = Row(std::array::from_fn(word));
            at.put(fragment.bits == 64, slot, &row, FULL);
        }
    }
    Ok(())
}
