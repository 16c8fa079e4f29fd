//! `wmma`: matrices between memory and fragments, and their products.

use ptx_syntax::Type;

use super::layout::{Layout, places};
use super::{elements, parts, product, read, words, written};
use crate::exec::matrix::together;
use crate::exec::memory::room;
use crate::ir::{Elements, FULL, Fragment, Held, LANES, Op, Row, Slot, System, Tile};
use crate::lower::{Decoded, Decoder, Reason};
use crate::machine::{Issue, LaneFault, Request};
use crate::observe::{AccessKind, Class, Observer, Order, Scope};

/// The shapes of each type of factors, and of what they are added to.
const SHAPES: [(&str, [usize; 3]); 7] = [
    ("m16n16k16", [16, 16, 16]),
    ("m32n8k16", [32, 8, 16]),
    ("m8n32k16", [8, 32, 16]),
    ("m16n16k8", [16, 16, 8]),
    ("m8n8k4", [8, 8, 4]),
    ("m8n8k32", [8, 8, 32]),
    ("m8n8k128", [8, 8, 128]),
];
const FACTORS: [&str; 9] = ["f16", "bf16", "tf32", "f64", "u8", "s8", "u4", "s4", "b1"];
const SUMMANDS: [&str; 4] = ["f16", "f32", "f64", "s32"];
const ORDERS: [&str; 2] = ["row", "col"];

/// Places of rows or columns in memory are this far from each other in a `Tile`'s list.
const PITCH: usize = 256;

/// Registers of a factor of f16, in which some elements are twice.
const OF_F16: usize = 8;

pub(super) fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    match d.one_of(&["load", "store", "mma"])? {
        "load" => {
            let matrix = d.one_of(&["a", "b", "c"])?;
            tile(d, matrix)
        }
        "store" => {
            d.require("d")?;
            tile(d, "d")
        }
        _ => multiply(d),
    }
}

/// Whether products of this shape have factors or summands of this type.
fn is_shape(shape: [usize; 3], ty: &str) -> bool {
    let [rows, columns, depth] = shape;
    match ty {
        "f16" | "bf16" | "u8" | "s8" => depth == 16,
        "tf32" => depth == 8,
        "f64" => depth == 4,
        "u4" | "s4" => depth == 32,
        "b1" => depth == 128,
        "f32" => depth == 8 || depth == 16,
        _ => depth == 16 || rows * columns == 64 && depth > 4,
    }
}

fn shape(d: &mut Decoder<'_, '_>) -> Result<[usize; 3], Reason> {
    let word = d.one_of(&SHAPES.map(|(word, _)| word))?;
    let found = SHAPES.into_iter().find(|(own, _)| *own == word);
    Ok(found.unwrap_or_default().1)
}

fn width(ty: &str) -> u32 {
    match ty {
        "f64" => 64,
        "f32" | "s32" | "tf32" => 32,
        "f16" | "bf16" => 16,
        "u8" | "s8" => 8,
        "u4" | "s4" => 4,
        _ => 1,
    }
}

fn tile(d: &mut Decoder<'_, '_>, matrix: &str) -> Result<Decoded, Reason> {
    d.require("sync")?;
    d.require("aligned")?;
    let by_rows = d.one_of(&ORDERS)? == "row";
    let shape = shape(d)?;
    let space = room(d);
    let sums = matrix == "c" || matrix == "d";
    let ty = d.one_of(if sums { &SUMMANDS } else { &FACTORS })?;
    let bits = width(ty);
    if !is_shape(shape, ty) {
        return Err(format!("`wmma` of {ty} has no such shape"));
    }
    // Of less than a byte, the ISA has only the order of `mma`.
    if bits < 8 && by_rows != (matrix == "a") {
        return Err(format!("a factor of {ty} is `.row` of a, `.col` of b"));
    }
    let given = d.instruction.operands.len();
    d.finish(given.clamp(2, 3))?;
    let letter = match matrix {
        "a" => 'a',
        "b" => 'b',
        _ => 'c',
    };
    let layout = Layout::of(letter, shape, bits);
    let held = (ty == "f16" && !sums).then_some(OF_F16);
    let count = held.unwrap_or(layout.registers());
    // Whether a line of the fragment is one in memory: a row of a and c, a column of b and of c
    // where that is turned.
    let lines = by_rows != (matrix == "b" || sums && layout.turned);
    let places = places(count, parts(bits), |register, lane, part| {
        let (line, at) = layout.at(register, lane, part);
        if lines {
            line * PITCH + at
        } else {
            at * PITCH + line
        }
    });
    let [rows, columns, depth] = shape;
    let stores = matrix == "d";
    let (address, room) = d.address(usize::from(!stores), space)?;
    let fragment = match stores {
        true => Held::Stored(read(d, 1, bits, places)?),
        false => Held::Loaded(written(d, 0, bits, places)?),
    };
    let tile = Tile {
        address,
        room,
        stride: (given == 3).then(|| d.source(2, Type::U32)).transpose()?,
        length: match (matrix, by_rows) {
            ("a", true) | ("b", false) => depth,
            ("a", false) | ("c" | "d", false) => rows,
            _ => columns,
        },
        packed: lines,
        fragment,
    };
    let op = Op::System(Box::new(System::Tile(tile)));
    Ok(Decoded::new(op, Class::Warp))
}

fn multiply(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    d.require("sync")?;
    d.require("aligned")?;
    let orders = [d.one_of(&ORDERS)?, d.one_of(&ORDERS)?];
    let shape = shape(d)?;
    let mode = d.rounding();
    let saturates = d.take("satfinite");
    let to = d.one_of(&SUMMANDS)?;
    // Factors of f16 are not named.
    let named = d.take_any(&FACTORS[1..]);
    let (factors, from) = match named {
        None => (["f16"; 2], d.one_of(&["f16", "f32"])?),
        Some(factor) => {
            d.require(factor)?;
            d.require(to)?;
            ([factor; 2], to)
        }
    };
    let (mut elements, _) = elements([from, to], factors, saturates, d)?;
    if let (Elements::Double { mode: own }, Some(mode)) = (&mut elements, mode) {
        *own = mode.code();
    } else if mode.is_some() {
        return Err("a rounding goes with f64".into());
    }
    let bits = width(factors[0]);
    if !is_shape(shape, factors[0]) || bits < 8 && orders != ["row", "col"] {
        return Err(format!("`wmma` of {} has no such shape", factors[0]));
    }
    d.finish(4)?;
    product(d, elements, shape, (factors[0] == "f16").then_some(OF_F16))
}

pub(crate) fn run<O: Observer>(at: &mut Issue<'_, '_, O>, tile: &Tile) -> Result<(), LaneFault> {
    together(at)?;
    let base = at.addresses(&tile.address);
    let stride = match tile.stride {
        Some(source) => at.row::<u32>(source).0.map(u64::from),
        None => [tile.length as u64; LANES],
    };
    let registers = match &tile.fragment {
        Held::Loaded(fragment) => fragment.registers.len(),
        Held::Stored(fragment) => fragment.registers.len(),
    };
    for register in 0..registers {
        match &tile.fragment {
            Held::Loaded(fragment) => {
                let mut row = Row::<u64>::default();
                let moves = tile.moves(fragment, register, (&base, &stride));
                for (addresses, bytes, below) in moves {
                    let request = request(tile, AccessKind::Load, bytes, fragment.bits);
                    at.by_room(&request, addresses, &mut |at, room, addresses, lanes| {
                        at.each_lane(room, addresses, lanes, bytes, |lane, cells, offset| {
                            let mut value = [0; 8];
                            cells.read(offset, &mut value[..bytes as usize]);
                            row.0[lane] |= u64::from_le_bytes(value) << below;
                        })
                    })?;
                }
                let slot = fragment.registers[register];
                if slot != Slot::SINK {
                    at.put(fragment.bits == 64, slot, &row, FULL);
                }
            }
            Held::Stored(fragment) => {
                let words = words(at, fragment.registers[register], fragment.bits);
                let moves = tile.moves(fragment, register, (&base, &stride));
                for (addresses, bytes, below) in moves {
                    let request = request(tile, AccessKind::Store, bytes, fragment.bits);
                    at.by_room(&request, addresses, &mut |at, room, addresses, lanes| {
                        at.each_lane(room, addresses, lanes, bytes, |lane, cells, offset| {
                            let value = (words[lane] >> below).to_le_bytes();
                            cells.write(offset, &value[..bytes as usize]);
                        })
                    })?;
                }
            }
        }
    }
    Ok(())
}

fn request(tile: &Tile, kind: AccessKind, bytes: u32, bits: u32) -> Request {
    Request {
        room: tile.room,
        kind,
        order: Order::Weak,
        scope: Scope::None,
        bytes,
        element: (bits / 8).max(1),
        values: false,
    }
}

impl Tile {
    /// The accesses of a register: addresses of the lanes, bytes, and the bits below them.
    fn moves<R>(
        &self,
        fragment: &Fragment<R>,
        register: usize,
        (base, stride): (&[u64; LANES], &[u64; LANES]),
    ) -> Vec<([u64; LANES], u32, u32)> {
        let parts = parts(fragment.bits);
        let (count, bits) = match self.packed {
            true => (1, fragment.bits * parts as u32),
            false => (parts, fragment.bits),
        };
        let each = |part: usize| {
            let addresses = std::array::from_fn(|lane| {
                let place = fragment.places[(register * LANES + lane) * parts + part];
                let (line, at) = (usize::from(place) / PITCH, usize::from(place) % PITCH);
                let elements = stride[lane].wrapping_mul(line as u64) + at as u64;
                base[lane].wrapping_add(elements.wrapping_mul(u64::from(fragment.bits)) / 8)
            });
            (addresses, bits / 8, part as u32 * fragment.bits)
        };
        (0..count).map(each).collect()
    }
}
