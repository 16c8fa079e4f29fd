//! Instructions that access memory: loads, stores, atomics, mbarriers and the
//! copies that end later.

use super::address::{Address, Room};
use super::row::{Slot, Source, Width};
use crate::observe::{Order, Scope};

/// A row that an element is loaded to or stored from.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Element {
    pub(crate) width: Width,
    pub(crate) slot: Slot,
    pub(crate) source: Source,
}

/// A load or a store.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    pub(crate) room: Room,
    pub(crate) address: Address,
    /// Bytes of one row of elements.
    pub(crate) bytes: u32,
    /// Bytes of one element; a b128 is one of two rows.
    pub(crate) element: u32,
    /// Loaded values are sign-extended.
    pub(crate) signed: bool,
    pub(crate) elements: Box<[Element]>,
    pub(crate) order: Order,
    pub(crate) scope: Scope,
}

/// What an atomic makes of the old value and its operands.
#[derive(Copy, Clone, Debug)]
pub(crate) struct Rule(pub(crate) fn(u64, u64, u64) -> u64);

impl Rule {
    /// The new value from the old one and the operands.
    pub(crate) fn apply(self, old: u64, a: u64, b: u64) -> u64 {
        (self.0)(old, a, b)
    }
}

/// An atomic; d0 is the old value.
#[derive(Clone, Debug)]
pub(crate) struct Atomic {
    pub(crate) room: Room,
    pub(crate) address: Address,
    pub(crate) bytes: u32,
    /// Bytes of one element: packed ones are combined each for itself.
    pub(crate) element: u32,
    pub(crate) rule: Rule,
    /// The same in global memory.
    pub(crate) global_rule: Rule,
    pub(crate) a: Element,
    pub(crate) b: Option<Element>,
    /// `None` for `red`.
    pub(crate) returns: Option<Width>,
    pub(crate) order: Order,
    pub(crate) scope: Scope,
}

/// What an mbarrier instruction does.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum MbarrierKind {
    Init,
    Invalidate,
    /// Arrives with a count.
    Arrive {
        drops: bool,
        /// The phase may end with it.
        completes: bool,
        /// The count is bytes that are expected; one thread arrives.
        expects: bool,
    },
    ExpectBytes,
    CompleteBytes,
    Test {
        /// The number is a parity and not a state.
        parity: bool,
        /// `try_wait`
        blocks: bool,
    },
}

/// An instruction on an mbarrier object. d0 is the state or the predicate that
/// it returns.
#[derive(Clone, Debug)]
pub(crate) struct Mbarrier {
    pub(crate) kind: MbarrierKind,
    pub(crate) at: Address,
    pub(crate) room: Room,
    /// A count, a parity (32 bits) or a state (64 bits).
    pub(crate) number: Option<Source>,
    pub(crate) returns: bool,
    pub(crate) order: Order,
    pub(crate) scope: Scope,
}

/// Which groups a copy belongs to.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub(crate) enum Family {
    /// `cp.async`
    Lane,
    /// `cp.async.bulk`
    Bulk,
}

/// A copy that ends later, or a wait for some.
#[derive(Clone, Debug)]
pub(crate) enum Asynchronous {
    Copy {
        to: Address,
        from: Address,
        bytes: u32,
        limit: Limit,
    },
    Bulk(BulkCopy),
    Store(AsyncStore),
    Prefetch {
        from: Address,
        room: Room,
        size: Source,
    },
    Commit(Family),
    Wait {
        family: Family,
        left: u32,
        read_only: bool,
        /// The open group is waited for too.
        commits: bool,
    },
    Arrive {
        at: Address,
        room: Room,
        increments: bool,
    },
}

/// How many bytes of the source `cp.async` reads.
#[derive(Copy, Clone, Debug)]
pub(crate) enum Limit {
    All,
    /// So many.
    Size(Source),
    /// None where the predicate is true.
    Ignored(Source),
}

/// `cp.async.bulk`
#[derive(Clone, Debug)]
pub(crate) struct BulkCopy {
    pub(crate) to: (Address, Room),
    pub(crate) from: (Address, Room),
    pub(crate) size: Source,
    /// The mbarrier that counts the bytes; without one, a bulk group does.
    pub(crate) signal: Option<(Address, Room)>,
    /// `.multicast::cluster`: the blocks that get the bytes.
    pub(crate) blocks: Option<Source>,
    /// With the bytes of one element.
    pub(crate) reduction: Option<(Rule, u32)>,
}

/// `st.async` and `red.async`
#[derive(Clone, Debug)]
pub(crate) struct AsyncStore {
    pub(crate) to: (Address, Room),
    pub(crate) signal: (Address, Room),
    pub(crate) values: Box<[Element]>,
    /// Bytes of one value.
    pub(crate) bytes: u32,
    pub(crate) reduction: Option<Rule>,
}
