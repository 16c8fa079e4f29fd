//! Where in memory an instruction works.

use ptx_syntax::Space;

use super::row::Source;
use crate::observe::Memory;

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

    /// The memory that an observer sees.
    pub(crate) fn memory(self) -> Memory {
        match self {
            Room::Generic | Room::Global => Memory::Global,
            Room::Shared => Memory::Shared,
            Room::Local => Memory::Local,
            Room::Constant => Memory::Constant,
            Room::Parameter => Memory::Parameter,
        }
    }

    /// For messages: as in PTX.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Room::Generic | Room::Global => "global",
            Room::Shared => "shared",
            Room::Local => "local",
            Room::Constant => "const",
            Room::Parameter => "param",
        }
    }
}
