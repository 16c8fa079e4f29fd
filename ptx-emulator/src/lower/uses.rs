//! What an instruction does with registers, for whoever asks.

use crate::ir::Direction;
use crate::observe::{NamedRegister as Named, Register};

/// The origins of one byte: bytes of registers, any of which may decide it.
pub(crate) type Origins = Vec<(Register, usize)>;

/// A shuffle's lane or clamp.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Term {
    Register(Register),
    Number(u32),
}

/// Where the bytes of the results come from.
#[derive(Clone, Debug, Default)]
pub(crate) enum Flow {
    /// They are computed.
    #[default]
    Computed,
    /// Byte by byte, of each result.
    Copied(Vec<(Register, Vec<Origins>)>),
    /// The first one where the predicate is true, else the second.
    Selected {
        to: Register,
        from: [Option<Register>; 2],
        by: Register,
    },
    /// From the lane that `b` and `c` of a `shfl` choose.
    Shuffled {
        how: Direction,
        to: Register,
        from: Register,
        b: Term,
        c: Term,
    },
}

/// What an instruction does with registers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uses {
    /// Those that it writes.
    pub(crate) written: Vec<Named>,
    /// Those whose values decide anything but copies, a row each.
    pub(crate) read: Vec<Register>,
    pub(crate) flow: Flow,
}
