//! Which element of a matrix a part of a lane's register is.
//!
//! Lane l is the l % 4-th of the l / 4-th group of four. A group has a line of the matrix, which is a
//! row of A and of C and a column of B: its lanes have the neighbours of a register each, one behind
//! the other. The next registers have what is behind them in the line, and the lines behind the first
//! eight. The ISA says so of `mma`; of `wmma`, whose fragments it leaves open, so does an H200
//! (2026-11-26), whatever the order in memory.

use super::parts;
use crate::ir::LANES;

/// How registers hold a matrix.
#[derive(Copy, Clone, Debug)]
pub(super) struct Layout {
    lines: usize,
    /// Elements of a line.
    length: usize,
    /// Bits of an element.
    bits: u32,
    /// Neighbours that a lane has; of C two, in two registers where one holds a single element.
    near: usize,
    /// Whether registers go along a line before they go to the ninth one from theirs.
    along_first: bool,
    /// Whether lines are columns of C, and rows of its list.
    pub(super) turned: bool,
}

impl Layout {
    /// That of A, B or C of a product of so many rows, columns and terms.
    pub(super) fn of(matrix: char, [rows, columns, depth]: [usize; 3], bits: u32) -> Layout {
        let turned = matrix == 'c' && rows == 8 && columns == 32;
        let (lines, length) = match matrix {
            'a' => (rows, depth),
            'b' => (columns, depth),
            _ if turned => (columns, rows),
            _ => (rows, columns),
        };
        Layout {
            lines,
            length,
            bits,
            near: if matrix == 'c' { 2 } else { parts(bits) },
            along_first: matrix == 'b' && columns == 16,
            turned,
        }
    }

    /// The line, and the place in it, of part `part` of a register of a lane. Registers go to the
    /// ninth line from theirs, then along the line, then to the lines behind those 16; those that
    /// are left over begin anew.
    pub(super) fn at(self, register: usize, lane: usize, part: usize) -> (usize, usize) {
        let parts = parts(self.bits);
        let element = register * parts + part;
        let (block, part) = (element / self.near, element % self.near);
        let blocks = self.lines / 8;
        let along = (self.length / (4 * self.near)).max(1);
        let first = if self.along_first { 1 } else { blocks.min(2) };
        let line = (block % first + block / (first * along) * first) % blocks;
        let before = (block / first % along * 4 + lane % 4) * self.near;
        (lane / 4 + 8 * line, before + part)
    }

    /// Registers that the elements fill.
    pub(super) fn registers(self) -> usize {
        self.lines * self.length / (LANES * parts(self.bits))
    }

    /// The places of all parts in a list of the elements, line by line, of so many registers.
    pub(super) fn places(self, registers: Option<usize>) -> Vec<u16> {
        let registers = registers.unwrap_or(self.registers());
        places(registers, parts(self.bits), |register, lane, part| {
            match (self.turned, self.at(register, lane, part)) {
                (true, (column, row)) => row * self.lines + column,
                (false, (line, at)) => line * self.length + at,
            }
        })
    }
}

/// The places of all parts: register by register, lane by lane.
pub(super) fn places(
    registers: usize,
    parts: usize,
    place: impl Fn(usize, usize, usize) -> usize,
) -> Vec<u16> {
    let all = 0..registers * LANES * parts;
    all.map(|at| place(at / (LANES * parts), at / parts % LANES, at % parts) as u16)
        .collect()
}

/// Of the shape of four products, m8n8k4 of f16: whose an element is, its line, and its place in it.
/// The eight lanes of a product have a line each, and elements along it, or with `along` false, four
/// of them have a place each, and elements across the lines.
pub(super) fn quad(lane: usize, element: usize, along: bool) -> (usize, usize, usize) {
    let (product, upper) = (lane / 4 % 4, lane / 16 * 4);
    match along {
        true => (product, lane % 4 + upper, element),
        false => (product, element + upper, lane % 4),
    }
}

/// Of the same shape, the place of an element of C of f32 in a list of those of all products.
pub(super) fn quad_of_f32(lane: usize, element: usize) -> usize {
    let row = (lane & 1) + (element & 2) + lane / 16 * 4;
    let column = (element & 4) + (lane & 2) + (element & 1);
    (lane / 4 % 4 * 8 + row) * 8 + column
}
