//! The constants of the kernels: how many warps, rows and vectors, by the size of an element.
//!
//! Behaviour is elsewhere; here are numbers. A change of one of them changes the association,
//! and so the last bits of floats.

use super::lanes;
use super::lookahead::Shape;
use crate::operator::Operator;

/// Bytes that a lane moves in one instruction.
const VECTOR: usize = 16;

/// Constants of kernels that hold a tile in registers: [`one_block`](super::one_block) and
/// [`one_wave`](super::one_wave).
#[derive(Clone, Copy, Debug)]
pub struct Registers {
    /// Warps of a block.
    pub warps: usize,
    /// Rows of a warp.
    pub rows: usize,
    /// Neighbouring elements of a lane in a row.
    pub each: usize,
}

/// Constants of [`lookahead`](super::lookahead): those of its [`Shape`], and the elements
/// that they hold.
#[derive(Clone, Copy, Debug)]
pub struct Ahead {
    /// Elements of a lane in a tile.
    pub items: usize,
    /// See [`Shape::vectors`].
    pub vectors: usize,
    /// See [`Shape::workers`].
    pub workers: usize,
    /// See [`Shape::delay`].
    pub delay: usize,
    /// See [`Shape::ahead`].
    pub ahead: usize,
}

impl Ahead {
    /// The shape.
    pub const fn shape(self) -> Shape {
        Shape {
            vectors: self.vectors,
            workers: self.workers,
            delay: self.delay,
            ahead: self.ahead,
        }
    }
}

/// Elements of a vector.
const fn each<O: Operator>() -> usize {
    VECTOR / size_of::<O::Input>()
}

/// One block for a small array.
pub const fn one_block<O: Operator>() -> Registers {
    Registers {
        warps: lanes::LANES as usize,
        rows: 1,
        each: each::<O>(),
    }
}

/// Many small tiles, for the least time.
pub const fn one_wave_small<O: Operator>() -> Registers {
    Registers {
        warps: 8,
        rows: 1,
        each: each::<O>(),
    }
}

/// Larger tiles, so that more elements are resident at once.
pub const fn one_wave<O: Operator>() -> Registers {
    Registers {
        warps: 16,
        rows: 2,
        each: each::<O>(),
    }
}

/// Any number of elements, in 220 KiB of shared memory.
pub const fn lookahead<O: Operator>() -> Ahead {
    // Elements of 3, 6 or 12 bytes fill three vectors.
    let vectors = if size_of::<O::Input>() % 3 == 0 { 9 } else { 7 };
    Ahead {
        items: vectors * VECTOR / size_of::<O::Input>(),
        vectors,
        workers: 63 / vectors,
        delay: 4,
        ahead: 2,
    }
}
