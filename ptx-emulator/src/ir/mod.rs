//! What runs: instructions with their operands resolved to rows of registers.
//!
//! Everything pure is `Op::Lanes`, a function pointer that its group's decoder
//! picks: to add such an instruction, nothing here changes. The other variants
//! are what the machine itself has to know; what each does is not here but in
//! `exec`.

mod address;
pub(crate) mod lanes;
mod memory;
mod row;
mod thread;

pub(crate) use address::{Address, Base, Room};
pub(crate) use lanes::{lane_fn, lanes};
pub(crate) use memory::{
    Access, AsyncStore, Asynchronous, Atomic, BulkCopy, Element, Family, Limit, Mbarrier,
    MbarrierKind, Rule,
};
pub(crate) use row::{
    Bits, FULL, Frame, LANES, LaneFn, Operands, Pool, Row, Slot, Source, Value, Width, lanes_of,
    mask_of, predicate, write, write_predicate,
};
pub(crate) use thread::{
    Barrier, BarrierKind, Call, Collective, Direction, Elements, Factor, Fragment, Held, Matrix,
    Passed, Product, Provided, Reduction, Register, RuntimeCall, Special, System, Target, Tile,
};

use crate::observe::{Class, Order, Scope};

/// No program counter: such a path never meets it.
pub(crate) const NEVER: u32 = u32::MAX;

/// What an instruction does.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    Lanes(LaneFn),
    Special(Special),
    /// d0 = address of `aux` in the call frame; generic when the flag is set.
    FrameAddress {
        wide: bool,
        generic: bool,
    },
    Load(Box<Access>),
    Store(Box<Access>),
    Atomic(Box<Atomic>),
    Fence(Order, Scope),
    Branch {
        target: u32,
        reconverge: u32,
    },
    BranchIndexed {
        index: Source,
        targets: Box<[u32]>,
        reconverge: u32,
    },
    Call(Box<Call>),
    Return,
    Exit,
    Trap,
    Barrier(Barrier),
    /// Copies that end later.
    Asynchronous(Box<Asynchronous>),
    Mbarrier(Box<Mbarrier>),
    System(Box<System>),
    Collective(Collective),
    /// Gives the processor to another warp.
    Yield,
    /// `pmevent`: a mark for observers.
    Mark,
    Nothing,
}

/// `@p`, `@!p` or none.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) struct Guard(pub(crate) Option<Source>);

#[derive(Clone, Debug)]
pub(crate) struct Instruction {
    pub(crate) op: Op,
    pub(crate) operands: Operands,
    pub(crate) guard: Guard,
    pub(crate) class: Class,
}
