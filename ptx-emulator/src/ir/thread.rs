//! Instructions between threads, and between a thread and the system around
//! it: calls, barriers, collectives, special registers.

use super::address::{Address, Room};
use super::row::{Slot, Source, Width};

/// A call: what is copied from the caller to the callee, and back.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) target: Target,
    pub(crate) arguments: Vec<Passed>,
    pub(crate) returns: Vec<Passed>,
}

/// Where the caller has an argument or a result, and its bytes.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Passed {
    /// From this offset of its frame.
    Frame(u32, u32),
    /// A row of registers, or a number.
    Row(Source, u32),
}

impl Passed {
    pub(crate) fn bytes(self) -> u32 {
        match self {
            Passed::Frame(_, bytes) | Passed::Row(_, bytes) => bytes,
        }
    }
}

#[derive(Copy, Clone, Debug)]
pub(crate) enum Target {
    Function(u32),
    /// A row of function addresses.
    Indirect(Source),
}

/// A function that the device runtime provides.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Provided {
    Print,
    Allocate,
    Free,
    Assert,
}

/// A call of one. Arguments and results are offset and bytes in the caller's
/// frame.
#[derive(Clone, Debug)]
pub(crate) struct RuntimeCall {
    pub(crate) function: Provided,
    pub(crate) arguments: Vec<(u32, u32)>,
    pub(crate) returns: Vec<(u32, u32)>,
}

/// What the machine has to do for the system around a thread.
#[derive(Clone, Debug)]
pub(crate) enum System {
    ClusterArrive {
        aligned: bool,
        releases: bool,
    },
    ClusterWait,
    /// d0 = the address s0 in the block of rank s1.
    MapAddress {
        wide: bool,
    },
    Call(RuntimeCall),
    Matrix(Matrix),
    Product(Product),
    Tile(Tile),
}

/// `ldmatrix`, `stmatrix`, `movmatrix`: d or s are the registers, a matrix each.
#[derive(Clone, Debug)]
pub(crate) struct Matrix {
    /// Of rows in shared memory; `None` when the matrix only moves.
    pub(crate) address: Option<(Address, Room)>,
    pub(crate) count: usize,
    pub(crate) loads: bool,
    pub(crate) transposed: bool,
}

/// `mma` and `wmma.mma`: d = a b + c, of one product or several side by side.
#[derive(Clone, Debug)]
pub(crate) struct Product {
    pub(crate) elements: Elements,
    /// Rows and columns of a c, and what is summed over.
    pub(crate) shape: [usize; 3],
    /// a, b and c: of a, rows lie behind each other, of b columns.
    pub(crate) sources: [Fragment<Source>; 3],
    pub(crate) result: Fragment<Slot>,
}

/// Registers of all lanes that hold a matrix.
#[derive(Clone, Debug)]
pub(crate) struct Fragment<R> {
    pub(crate) registers: Vec<R>,
    /// Bits of an element.
    pub(crate) bits: u32,
    /// Which element each part of a register is: register by register, lane by lane. Where several
    /// are one element, they are loaded alike, and the first counts.
    pub(crate) places: Vec<u16>,
}

/// `wmma.load` and `wmma.store`: rows or columns, `stride` elements apart, from or to memory.
#[derive(Clone, Debug)]
pub(crate) struct Tile {
    pub(crate) address: Address,
    pub(crate) room: Room,
    /// `None` where they lie behind each other.
    pub(crate) stride: Option<Source>,
    /// Elements of a row or column.
    pub(crate) length: usize,
    /// Whether neighbours in a register are neighbours in memory.
    pub(crate) packed: bool,
    pub(crate) fragment: Held,
}

/// The registers of a [`Tile`].
#[derive(Clone, Debug)]
pub(crate) enum Held {
    Loaded(Fragment<Slot>),
    Stored(Fragment<Source>),
}

/// What a and b are made of, and how their products become elements of d.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Elements {
    /// Rounded by the mode of this code.
    Double {
        mode: u64,
    },
    /// Whether c and d are f16, or f32, and how many products make one sum.
    Float {
        of: Factor,
        narrow: [bool; 2],
        at_once: usize,
    },
    /// Of f16, a sum in f32 that begins with the first product and ends with c.
    Chain {
        narrow: [bool; 2],
    },
    Integer {
        bits: u32,
        signed: [bool; 2],
        saturates: bool,
    },
    Bits {
        is_and: bool,
    },
}

/// The formats of factors of which a tensor core makes sums.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Factor {
    F16,
    BF16,
    TF32,
}

/// What a barrier instruction does besides to arrive.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum BarrierKind {
    Sync,
    Arrive,
    Count,
    All,
    Any,
}

/// A barrier of the block.
#[derive(Clone, Debug)]
pub(crate) struct Barrier {
    pub(crate) kind: BarrierKind,
    /// All threads of a warp have to come to the same instruction.
    pub(crate) aligned: bool,
    pub(crate) id: Source,
    pub(crate) threads: Option<Source>,
    /// The predicate of a reduction, and where its result goes.
    pub(crate) vote: Source,
    pub(crate) result: Slot,
}

/// A warp collective. Operands: d0 the result, d1 the predicate that goes with
/// it; s0 the value, s1 and s2 `shfl`'s lane and clamp, s3 the member mask.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Collective {
    Sync,
    Shuffle(Direction),
    All,
    Any,
    Uniform,
    Ballot,
    MatchAny(Width),
    MatchAll(Width),
    Reduce(Reduction),
    Elect,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    Up,
    Down,
    Butterfly,
    Index,
}

#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reduction {
    Add,
    MinUnsigned,
    MaxUnsigned,
    MinSigned,
    MaxSigned,
    And,
    Or,
    Xor,
}

/// The special registers.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Register {
    Thread(usize),
    Threads(usize),
    Block(usize),
    Blocks(usize),
    Lane,
    Warp,
    Warps,
    LaneMask(fn(u32) -> u32),
    Sm,
    Sms,
    Grid,
    Clock,
    ClockHigh,
    Time,
    TimeLow,
    TimeHigh,
    DynamicShared,
    TotalShared,
    Zero,
    One,
}

/// A special register, to a row of 32 or 64 bits.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Special {
    pub(crate) register: Register,
    pub(crate) wide: bool,
}

impl Special {
    /// Whether its value depends on when it is read.
    pub(crate) fn is_clock(&self) -> bool {
        use Register::{Clock, ClockHigh, Time, TimeHigh, TimeLow};
        matches!(self.register, Clock | ClockHigh | Time | TimeLow | TimeHigh)
    }
}
