//! What checkers and counters see of a run.
//!
//! An observer says by its constants what it wants to see; what it does not
//! want costs nothing, because the machine is compiled for the observer.
//! Observers combine as pairs: `(A, B)` sees everything twice.

use std::ops::Range;

use crate::ir::Class;

/// Where an event happens.
#[derive(Copy, Clone, Debug)]
pub struct Site {
    /// Index of the instruction: `Program::statement`, `Program::source`.
    pub pc: u32,
    /// Block index.
    pub block: [u32; 3],
    /// The block as one number.
    pub block_linear: u64,
    /// Warp of the block.
    pub warp: u32,
}

/// Load, store or both.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AccessKind {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// Reads and writes in one step.
    Atomic,
}

/// The memory that an access goes to.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    /// Device addresses.
    Global,
    /// Offsets in the block's shared memory.
    Shared,
    /// Offsets in the thread's local memory.
    Local,
    /// Offsets in the constant bank.
    Constant,
    /// Offsets in the parameter bank.
    Parameter,
}

/// How an access is ordered with others.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// Not at all.
    Weak,
    /// `.volatile`: relaxed with system scope.
    Volatile,
    /// `.relaxed`
    Relaxed,
    /// `.acquire`
    Acquire,
    /// `.release`
    Release,
    /// `.acq_rel`
    AcquireRelease,
    /// `.sc`
    SequentiallyConsistent,
}

/// Among whom an access is ordered.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Not a synchronising access.
    None,
    /// `.cta`
    Block,
    /// `.cluster`
    Cluster,
    /// `.gpu`
    Gpu,
    /// `.sys`
    System,
}

/// One warp's access to one memory, before it is made.
#[derive(Copy, Clone, Debug)]
pub struct MemoryAccess<'a> {
    /// What it does.
    pub kind: AccessKind,
    /// Where to.
    pub memory: Memory,
    /// Address or offset of each lane.
    pub addresses: &'a [u64; 32],
    /// Lanes that take part.
    pub lanes: u32,
    /// Bytes of one lane, vector included.
    pub bytes: u32,
    /// Bytes of one element of a vector or a packed type, else `bytes`: a
    /// lane's access is one of each element (PTX ISA, "Memory Consistency
    /// Model", "Vector Data-types" and "Packed Data-types").
    pub element: u32,
    /// Its order.
    pub order: Order,
    /// Its scope.
    pub scope: Scope,
}

/// The launch as a whole.
#[derive(Clone, Debug)]
pub struct LaunchInfo {
    /// The kernel.
    pub kernel: String,
    /// Blocks.
    pub grid: [u32; 3],
    /// Threads of a block.
    pub block: [u32; 3],
    /// Shared memory of a block, bytes.
    pub shared_bytes: u32,
}

/// Lanes of a warp come to a barrier of the block.
#[derive(Copy, Clone, Debug)]
pub struct BarrierArrival {
    /// Which barrier; 16 is that of the cluster, which is one block.
    pub id: u32,
    /// Lanes that come.
    pub lanes: u32,
    /// Lanes of the warp that have not exited.
    pub live: u32,
    /// Threads that it waits for; 0 for all of the block.
    pub expected: u32,
    /// False for `arrive`.
    pub waits: bool,
    /// All threads of the warp have to come to the same instruction.
    pub aligned: bool,
    /// What was done before it comes before what those do who wait; false for
    /// `barrier.cluster.arrive.relaxed`.
    pub releases: bool,
}

/// Sees a run as it happens.
///
/// `fork` makes an observer for one of the cores that run blocks; `merge`
/// takes it back. An observer with `SERIAL` sees all blocks on one core.
pub trait Observer: Send + Sized {
    /// Wants `instruction`.
    const INSTRUCTIONS: bool = false;
    /// Wants `access` and `fence`.
    const MEMORY: bool = false;
    /// Wants `barrier`, `barrier_passed`, `branch`, `call`, `copies`, `collective`, `exit` and
    /// `mark`.
    const CONTROL: bool = false;
    /// Has to see all blocks on one core.
    const SERIAL: bool = false;

    /// An observer for another core.
    fn fork(&self) -> Self;
    /// Takes back what a fork saw.
    fn merge(&mut self, other: Self);
    /// The launch begins.
    fn launch(&mut self, _info: &LaunchInfo) {}
    /// A block becomes resident.
    fn block_begins(&mut self, _block: [u32; 3], _linear: u64) {}
    /// All of its threads have exited.
    fn block_ends(&mut self, _block: [u32; 3], _linear: u64) {}
    /// A warp runs an instruction; `active` lanes take part, of `path` that
    /// have come to it.
    fn instruction(&mut self, _at: Site, _class: Class, _active: u32, _path: u32) {}
    /// A warp is about to access memory.
    fn access(&mut self, _at: Site, _access: &MemoryAccess<'_>) {}
    /// A warp runs a fence.
    fn fence(&mut self, _at: Site, _lanes: u32, _order: Order, _scope: Scope) {}
    /// Lanes come to a barrier of the block.
    fn barrier(&mut self, _at: Site, _arrival: &BarrierArrival) {}
    /// A barrier of the block is complete.
    fn barrier_completes(&mut self, _block_linear: u64, _id: u32) {}
    /// Lanes that came to the barrier of the cluster go on behind
    /// `barrier.cluster.wait`.
    fn barrier_passed(&mut self, _at: Site, _lanes: u32) {}
    /// A branch divides lanes.
    fn branch(&mut self, _at: Site, _taken: u32, _path: u32) {}
    /// Lanes call a function; `frame` is its part of their local memory, bytes.
    fn call(&mut self, _at: Site, _lanes: u32, _frame: Range<u32>) {}
    /// A call or a return copies parameters or results to these bytes of local
    /// memory.
    fn copies(&mut self, _at: Site, _lanes: u32, _bytes: Range<u32>) {}
    /// Lanes come to a warp collective of `members`; `live` lanes of the warp
    /// have not exited.
    fn collective(&mut self, _at: Site, _lanes: u32, _members: u32, _live: u32) {}
    /// A warp collective is complete: `lanes` have taken part. `orders` when it
    /// orders their accesses (`bar.warp.sync`), and not only their control flow.
    fn collective_completes(&mut self, _at: Site, _lanes: u32, _orders: bool) {}
    /// Lanes exit.
    fn exit(&mut self, _at: Site, _lanes: u32) {}
    /// `pmevent`.
    fn mark(&mut self, _at: Site, _lanes: u32) {}
}

impl Observer for () {
    fn fork(&self) -> Self {}
    fn merge(&mut self, _other: Self) {}
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    const INSTRUCTIONS: bool = A::INSTRUCTIONS || B::INSTRUCTIONS;
    const MEMORY: bool = A::MEMORY || B::MEMORY;
    const CONTROL: bool = A::CONTROL || B::CONTROL;
    const SERIAL: bool = A::SERIAL || B::SERIAL;

    fn fork(&self) -> Self {
        (self.0.fork(), self.1.fork())
    }
    fn merge(&mut self, other: Self) {
        self.0.merge(other.0);
        self.1.merge(other.1);
    }
    fn launch(&mut self, info: &LaunchInfo) {
        self.0.launch(info);
        self.1.launch(info);
    }
    fn block_begins(&mut self, block: [u32; 3], linear: u64) {
        self.0.block_begins(block, linear);
        self.1.block_begins(block, linear);
    }
    fn block_ends(&mut self, block: [u32; 3], linear: u64) {
        self.0.block_ends(block, linear);
        self.1.block_ends(block, linear);
    }
    fn instruction(&mut self, at: Site, class: Class, active: u32, path: u32) {
        self.0.instruction(at, class, active, path);
        self.1.instruction(at, class, active, path);
    }
    fn access(&mut self, at: Site, access: &MemoryAccess<'_>) {
        self.0.access(at, access);
        self.1.access(at, access);
    }
    fn fence(&mut self, at: Site, lanes: u32, order: Order, scope: Scope) {
        self.0.fence(at, lanes, order, scope);
        self.1.fence(at, lanes, order, scope);
    }
    fn barrier(&mut self, at: Site, arrival: &BarrierArrival) {
        self.0.barrier(at, arrival);
        self.1.barrier(at, arrival);
    }
    fn barrier_completes(&mut self, block_linear: u64, id: u32) {
        self.0.barrier_completes(block_linear, id);
        self.1.barrier_completes(block_linear, id);
    }
    fn barrier_passed(&mut self, at: Site, lanes: u32) {
        self.0.barrier_passed(at, lanes);
        self.1.barrier_passed(at, lanes);
    }
    fn branch(&mut self, at: Site, taken: u32, path: u32) {
        self.0.branch(at, taken, path);
        self.1.branch(at, taken, path);
    }
    fn call(&mut self, at: Site, lanes: u32, frame: Range<u32>) {
        self.0.call(at, lanes, frame.clone());
        self.1.call(at, lanes, frame);
    }
    fn copies(&mut self, at: Site, lanes: u32, bytes: Range<u32>) {
        self.0.copies(at, lanes, bytes.clone());
        self.1.copies(at, lanes, bytes);
    }
    fn collective(&mut self, at: Site, lanes: u32, members: u32, live: u32) {
        self.0.collective(at, lanes, members, live);
        self.1.collective(at, lanes, members, live);
    }
    fn collective_completes(&mut self, at: Site, lanes: u32, orders: bool) {
        self.0.collective_completes(at, lanes, orders);
        self.1.collective_completes(at, lanes, orders);
    }
    fn exit(&mut self, at: Site, lanes: u32) {
        self.0.exit(at, lanes);
        self.1.exit(at, lanes);
    }
    fn mark(&mut self, at: Site, lanes: u32) {
        self.0.mark(at, lanes);
        self.1.mark(at, lanes);
    }
}

/// An observer that may be left out when a launch begins.
impl<A: Observer> Observer for Option<A> {
    const INSTRUCTIONS: bool = A::INSTRUCTIONS;
    const MEMORY: bool = A::MEMORY;
    const CONTROL: bool = A::CONTROL;
    const SERIAL: bool = A::SERIAL;

    fn fork(&self) -> Self {
        self.as_ref().map(A::fork)
    }
    fn merge(&mut self, other: Self) {
        if let (Some(own), Some(other)) = (self, other) {
            own.merge(other);
        }
    }
    fn launch(&mut self, info: &LaunchInfo) {
        if let Some(own) = self {
            own.launch(info);
        }
    }
    fn block_begins(&mut self, block: [u32; 3], linear: u64) {
        if let Some(own) = self {
            own.block_begins(block, linear);
        }
    }
    fn block_ends(&mut self, block: [u32; 3], linear: u64) {
        if let Some(own) = self {
            own.block_ends(block, linear);
        }
    }
    fn instruction(&mut self, at: Site, class: Class, active: u32, path: u32) {
        if let Some(own) = self {
            own.instruction(at, class, active, path);
        }
    }
    fn access(&mut self, at: Site, access: &MemoryAccess<'_>) {
        if let Some(own) = self {
            own.access(at, access);
        }
    }
    fn fence(&mut self, at: Site, lanes: u32, order: Order, scope: Scope) {
        if let Some(own) = self {
            own.fence(at, lanes, order, scope);
        }
    }
    fn barrier(&mut self, at: Site, arrival: &BarrierArrival) {
        if let Some(own) = self {
            own.barrier(at, arrival);
        }
    }
    fn barrier_completes(&mut self, block_linear: u64, id: u32) {
        if let Some(own) = self {
            own.barrier_completes(block_linear, id);
        }
    }
    fn barrier_passed(&mut self, at: Site, lanes: u32) {
        if let Some(own) = self {
            own.barrier_passed(at, lanes);
        }
    }
    fn branch(&mut self, at: Site, taken: u32, path: u32) {
        if let Some(own) = self {
            own.branch(at, taken, path);
        }
    }
    fn call(&mut self, at: Site, lanes: u32, frame: Range<u32>) {
        if let Some(own) = self {
            own.call(at, lanes, frame);
        }
    }
    fn copies(&mut self, at: Site, lanes: u32, bytes: Range<u32>) {
        if let Some(own) = self {
            own.copies(at, lanes, bytes);
        }
    }
    fn collective(&mut self, at: Site, lanes: u32, members: u32, live: u32) {
        if let Some(own) = self {
            own.collective(at, lanes, members, live);
        }
    }
    fn collective_completes(&mut self, at: Site, lanes: u32, orders: bool) {
        if let Some(own) = self {
            own.collective_completes(at, lanes, orders);
        }
    }
    fn exit(&mut self, at: Site, lanes: u32) {
        if let Some(own) = self {
            own.exit(at, lanes);
        }
    }
    fn mark(&mut self, at: Site, lanes: u32) {
        if let Some(own) = self {
            own.mark(at, lanes);
        }
    }
}
