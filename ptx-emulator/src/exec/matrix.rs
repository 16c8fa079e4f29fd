//! Matrices of 8 x 8 elements of 16 bits that a warp holds together: `ldmatrix`, `stmatrix`,
//! `movmatrix` (PTX ISA 8.8, section "Warp Level Matrix Instructions").
//!
//! A lane's register has two elements of a row: lane `l` those of row `l / 4`, columns `l % 4 * 2`
//! and the next. Products are in
//! `product`.

use ptx_syntax::Type;

use super::Group;
use super::memory::registers;
use crate::error::FaultKind;
use crate::ir::{FULL, LANES, Matrix, Op, Room, Row, Slot, System};
use crate::lower::{Decoded, Decoder, Reason};
use crate::machine::{Issue, LaneFault, Request, shared_offsets};
use crate::observe::{AccessKind, Class, Observer, Order, Scope};

pub(crate) const GROUP: Group = Group {
    name: "matrix",
    forms: &[
        "ldmatrix stmatrix: .sync.aligned.m8n8; .x1 .x2 .x4; .trans; .shared .shared::cta and generic; b16",
        "movmatrix: .sync.aligned.m8n8.trans; b16",
    ],
    decode,
};

/// Bytes of a row.
const ROW: u32 = 16;

/// The 16-bit elements of a matrix, row by row.
type Elements = [[u16; 8]; 8];

fn decode(d: &mut Decoder<'_, '_>) -> Result<Decoded, Reason> {
    d.require("sync")?;
    d.require("aligned")?;
    d.require("m8n8")?;
    let moves = d.opcode() == "movmatrix";
    let count = match moves {
        true => 1,
        false => match d.one_of(&["x1", "x2", "x4"])? {
            "x1" => 1,
            "x2" => 2,
            _ => 4,
        },
    };
    let transposed = d.take("trans");
    let mut room = Room::Generic;
    if !moves && d.take_any(&["shared", "shared::cta"]).is_some() {
        room = Room::Shared;
    }
    d.type_of(&[Type::B16])?;
    d.finish(2)?;
    if moves && !transposed {
        return Err("`movmatrix` is `.trans`".into());
    }
    let loads = d.opcode() != "stmatrix";
    let place = usize::from(loads);
    let address = (!moves).then(|| d.address(place, room)).transpose()?;
    let mut decoded = Decoded::new(Op::Nothing, Class::Warp);
    for (index, register) in registers(d.operand(1 - place)?, count)?.iter().enumerate() {
        match loads {
            true => decoded.operands.d[index] = d.written(register, Type::B32, false)?.0,
            false => decoded.operands.s[index] = d.read(register, Type::B32, false)?,
        }
    }
    if moves {
        decoded.operands.s[0] = d.source(1, Type::B32)?;
    }
    let matrix = Matrix {
        address,
        count: count as usize,
        loads,
        transposed,
    };
    decoded.op = Op::System(Box::new(System::Matrix(matrix)));
    Ok(decoded)
}

/// The elements that the lanes hold.
fn of_lanes(row: &Row<u32>) -> Elements {
    let mut elements = Elements::default();
    for (lane, word) in row.0.iter().enumerate() {
        let [first, second] = &mut elements[lane / 4][lane % 4 * 2..][..2] else {
            continue;
        };
        (*first, *second) = (*word as u16, (word >> 16) as u16);
    }
    elements
}

fn to_lanes(elements: &Elements) -> Row<u64> {
    Row(std::array::from_fn(|lane| {
        let [first, second] = [0, 1].map(|part| elements[lane / 4][lane % 4 * 2 + part]);
        u64::from(first) | u64::from(second) << 16
    }))
}

fn transposed(elements: &Elements) -> Elements {
    std::array::from_fn(|row| std::array::from_fn(|column| elements[column][row]))
}

/// All lanes of the warp are here.
pub(super) fn together<O: Observer>(at: &Issue<'_, '_, O>) -> Result<(), LaneFault> {
    if at.lanes == FULL {
        return Ok(());
    }
    let text = "a matrix instruction that not all lanes of the warp come to together";
    Err(at.fault(FaultKind::Collective(text.into())))
}

pub(crate) fn run<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    matrix: &Matrix,
) -> Result<(), LaneFault> {
    together(at)?;
    let mut matrices = [Elements::default(); 4];
    if !matrix.loads || matrix.address.is_none() {
        for (elements, source) in matrices.iter_mut().zip(at.operands.s).take(matrix.count) {
            *elements = of_lanes(&at.row::<u32>(source));
        }
    }
    let turn = |matrices: &mut [Elements; 4]| {
        if matrix.transposed {
            *matrices = matrices.map(|elements| transposed(&elements));
        }
    };
    if !matrix.loads {
        turn(&mut matrices);
        return transfer(at, matrix, &mut matrices);
    }
    transfer(at, matrix, &mut matrices)?;
    turn(&mut matrices);
    for (elements, slot) in matrices.iter().zip(at.operands.d).take(matrix.count) {
        if slot != Slot::SINK {
            at.put(false, slot, &to_lanes(elements), FULL);
        }
    }
    Ok(())
}

/// Rows from or to shared memory: lane `8 m + r` has the address of row `r` of matrix `m`.
fn transfer<O: Observer>(
    at: &mut Issue<'_, '_, O>,
    matrix: &Matrix,
    matrices: &mut [Elements; 4],
) -> Result<(), LaneFault> {
    let Some((address, room)) = &matrix.address else {
        return Ok(());
    };
    let lanes = FULL >> (LANES - 8 * matrix.count);
    let addresses = shared_offsets(*room, at.addresses(address), lanes)?;
    let kind = match matrix.loads {
        true => AccessKind::Load,
        false => AccessKind::Store,
    };
    let request = Request {
        room: Room::Shared,
        kind,
        order: Order::Weak,
        scope: Scope::None,
        bytes: ROW,
        element: 2,
        values: false,
    };
    at.show(&request, Room::Shared, &addresses, lanes);
    at.each_lane(
        Room::Shared,
        &addresses,
        lanes,
        ROW,
        |lane, cells, offset| {
            let row = &mut matrices[lane / 8][lane % 8];
            for (column, element) in row.iter_mut().enumerate() {
                let mut bytes = element.to_le_bytes();
                let place = offset + 2 * column as u64;
                match matrix.loads {
                    true => cells.read(place, &mut bytes),
                    false => cells.write(place, &bytes),
                }
                *element = u16::from_le_bytes(bytes);
            }
        },
    )
}
