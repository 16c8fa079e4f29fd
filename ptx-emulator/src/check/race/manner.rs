//! What an access does, and how: all that a race asks of it but its place.

use crate::observe::{AccessKind, MemoryAccess, Order, Scope};

/// How far a scope goes.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Reach {
    #[default]
    Block,
    Device,
    /// All devices.
    System,
}

impl Reach {
    pub(super) fn of(scope: Scope) -> Reach {
        match scope {
            // A cluster is one block here.
            Scope::None | Scope::Block | Scope::Cluster => Reach::Block,
            Scope::Gpu => Reach::Device,
            Scope::System => Reach::System,
        }
    }
}

/// What an access does and how.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Manner {
    pub(super) reads: bool,
    pub(super) writes: bool,
    /// Not weak.
    pub(super) strong: bool,
    pub(super) reach: Reach,
    /// The number of the thread's device.
    pub(super) device: u8,
    /// Bytes of a lane.
    pub(super) bytes: u8,
    /// Bytes of an element of it.
    pub(super) element: u8,
}

impl Manner {
    #[inline]
    pub(super) fn of(access: &MemoryAccess<'_>, device: u8) -> Manner {
        Manner {
            reads: access.kind != AccessKind::Store,
            writes: access.kind != AccessKind::Load,
            strong: access.order != Order::Weak,
            reach: Reach::of(access.scope),
            device,
            bytes: access.bytes as u8,
            element: access.element as u8,
        }
    }

    /// Whether elements of two accesses that overlap do so in full: they are
    /// aligned, so that the sizes tell.
    #[inline]
    pub(super) fn sizes_match(self, other: Manner) -> bool {
        self.element == other.element
    }

    /// Whether two accesses by threads of these blocks, which overlap, are morally strong.
    #[inline]
    pub(super) fn is_morally_strong(self, block: u32, other: Manner, other_block: u32) -> bool {
        let needed = match block == other_block {
            true => Reach::Block,
            false if self.device == other.device => Reach::Device,
            false => Reach::System,
        };
        self.strong
            && other.strong
            && self.sizes_match(other)
            && self.reach.min(other.reach) >= needed
    }

    pub(super) fn verb(self) -> &'static str {
        match (self.reads, self.writes) {
            (true, true) => "updates atomically",
            (false, true) => "writes",
            _ => "reads",
        }
    }
}

/// A `Manner` in two bytes.
#[derive(Copy, Clone, Debug, Default)]
pub(super) struct PackedManner(u16);

impl From<Manner> for PackedManner {
    #[inline]
    fn from(manner: Manner) -> Self {
        let bit = |flag, place| u16::from(flag) << place;
        let size = |bytes: u8| bytes.max(1).ilog2() as u16;
        PackedManner(
            bit(manner.reads, 0)
                | bit(manner.writes, 1)
                | bit(manner.strong, 2)
                | (manner.reach as u16) << 3
                | size(manner.bytes) << 5
                | size(manner.element) << 8
                | u16::from(manner.device) << 13,
        )
    }
}

impl PackedManner {
    #[inline(always)]
    pub(super) fn unpacked(self) -> Manner {
        let bit = |place: u32| self.0 >> place & 1 != 0;
        Manner {
            reads: bit(0),
            writes: bit(1),
            strong: bit(2),
            reach: match self.0 >> 3 & 3 {
                0 => Reach::Block,
                1 => Reach::Device,
                _ => Reach::System,
            },
            device: (self.0 >> 13) as u8,
            bytes: 1 << (self.0 >> 5 & 7),
            element: 1 << (self.0 >> 8 & 7),
        }
    }
}

/// Whether an order acquires and whether it releases.
pub(super) fn sides(order: Order) -> (bool, bool) {
    let both = matches!(order, Order::AcquireRelease | Order::SequentiallyConsistent);
    (
        both || order == Order::Acquire,
        both || order == Order::Release,
    )
}
