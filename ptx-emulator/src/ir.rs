//! What runs: instructions with their operands resolved to rows of registers.
//!
//! A register is a row of 32 values, one a lane; predicates are rows of bits.
//! An immediate is a row of the constant pool, so that a lane loop reads all
//! of its operands alike. Everything pure is `Op::Lanes`, a function pointer
//! that its group's decoder picks: to add such an instruction, nothing here
//! changes. The other variants are what the machine itself has to know.

use crate::ast::{Space, Type};
use crate::exec::{
    async_copy::Asynchronous, atomic::Atomic, barrier::Barrier, mbarrier::Mbarrier, memory::Access,
    special::Special, system::System, warp::Collective,
};
use crate::observe::{Order, Scope};

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;
/// All lanes.
pub(crate) const FULL: u32 = u32::MAX;
/// No program counter: such a path never meets it.
pub(crate) const NEVER: u32 = u32::MAX;

/// One register of a warp, lane by lane.
#[derive(Copy, Clone, Debug)]
#[repr(align(64))]
pub(crate) struct Row<T>(pub(crate) [T; LANES]);

impl<T: Copy + Default> Default for Row<T> {
    fn default() -> Self {
        Row([T::default(); LANES])
    }
}

/// The three register files.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Width {
    Predicate,
    /// 8, 16 and 32 bits.
    W32,
    W64,
}

impl Width {
    /// The file that a value of this type lives in; 128 bits are two slots
    /// of `W64`.
    pub(crate) fn of(ty: Type) -> Width {
        match ty.bytes() {
            _ if ty == Type::Predicate => Width::Predicate,
            8 | 16 => Width::W64,
            _ => Width::W32,
        }
    }
}

/// A row that is written. Slot 0 of each file takes what goes to `_`.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Slot(pub(crate) u32);

impl Slot {
    pub(crate) const SINK: Slot = Slot(0);
}

const FLAG: u32 = 1 << 31;

/// A row that is read: a register, or (flagged) a row of the pool; for a
/// predicate the flag means `!p`.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Source(u32);

impl Source {
    pub(crate) fn register(slot: Slot) -> Self {
        Source(slot.0)
    }
    pub(crate) fn pool(index: u32) -> Self {
        Source(index | FLAG)
    }
    pub(crate) fn predicate(slot: Slot, negated: bool) -> Self {
        Source(slot.0 | if negated { FLAG } else { 0 })
    }
    pub(crate) fn flagged(self) -> bool {
        self.0 & FLAG != 0
    }
    pub(crate) fn index(self) -> usize {
        (self.0 & !FLAG) as usize
    }
}

/// Up to four rows written and four read, and a number that the group gives a
/// meaning (a shift, a look-up table, a selector).
#[derive(Copy, Clone, Debug, Default)]
pub(crate) struct Operands {
    pub(crate) d: [Slot; 4],
    pub(crate) s: [Source; 4],
    pub(crate) aux: u64,
}

/// The rows of one call frame of one warp, and the pool.
pub(crate) struct Frame<'a> {
    pub(crate) w32: &'a mut [Row<u32>],
    pub(crate) w64: &'a mut [Row<u64>],
    pub(crate) predicates: &'a mut [u32],
    pub(crate) pool: &'a Pool,
}

/// Immediates and addresses, a row each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    pub(crate) w32: Vec<Row<u32>>,
    pub(crate) w64: Vec<Row<u64>>,
}

/// A pure instruction: reads and writes rows in the lanes of the mask.
pub(crate) type LaneFn = fn(&mut Frame<'_>, &Operands, u32);

/// Where an address comes from.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Base {
    /// A row of 64-bit addresses.
    W64(Source),
    /// A row of 32-bit addresses (shared, local, const, param).
    W32(Source),
    /// The call frame in local memory.
    Frame,
}

#[derive(Copy, Clone, Debug)]
pub(crate) struct Address {
    pub(crate) base: Base,
    pub(crate) offset: i64,
}

/// State space of an access, known at load or (generic) by the address.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Room {
    Generic,
    Global,
    Shared,
    Local,
    Constant,
    Parameter,
}

impl Room {
    pub(crate) fn of(space: Space) -> Option<Room> {
        Some(match space {
            Space::Global => Room::Global,
            Space::Shared => Room::Shared,
            Space::Local => Room::Local,
            Space::Constant => Room::Constant,
            Space::Parameter => Room::Parameter,
            Space::Register => return None,
        })
    }
}

/// A call: bytes copied from the caller's frame to the callee's, and back.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) target: Target,
    /// Offset in the caller's frame, bytes.
    pub(crate) arguments: Vec<(u32, u32)>,
    pub(crate) returns: Vec<(u32, u32)>,
}

#[derive(Copy, Clone, Debug)]
pub(crate) enum Target {
    Function(u32),
    /// A row of function addresses.
    Indirect(Source),
}

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
    Collective(Box<Collective>),
    /// Gives the processor to another warp.
    Yield,
    /// `pmevent`: a mark for observers.
    Mark,
    Nothing,
}

/// The classes by which instructions are counted.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Integer arithmetic, logic, shifts, bits.
    Integer,
    /// 16-bit floating point.
    Half,
    /// 32-bit floating point.
    Single,
    /// 64-bit floating point.
    Double,
    /// Conversions.
    Convert,
    /// Comparisons and selections.
    Compare,
    /// Moves, special registers, address conversions.
    Move,
    /// Loads, stores, prefetches.
    Memory,
    /// Atomics and reductions in memory.
    Atomic,
    /// Fences.
    Fence,
    /// Branches, calls, returns, exits.
    Control,
    /// Block barriers.
    Barrier,
    /// Shuffles, votes and other warp collectives.
    Warp,
    /// Approximate functions.
    Approximate,
    /// Everything else.
    Other,
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
