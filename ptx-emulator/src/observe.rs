//! What checkers and counters see of a run.
//!
//! An observer says by its constants what it wants to see; what it does not
//! want costs nothing, because the machine is compiled for the observer.
//! Observers combine as pairs: `(A, B)` sees everything twice.

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

/// Something that a checker found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// `race`, `uninitialised read`, `barrier`, `bounds` ...
    pub kind: &'static str,
    /// In words.
    pub message: String,
    /// `file:line` of the source, when the PTX has `.loc`.
    pub source_line: Option<String>,
    /// Line in the PTX text.
    pub line: u32,
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
    /// Wants `barrier`, `branch`, `collective` and `mark`.
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
    fn fence(&mut self, _at: Site, _lanes: u32) {}
    /// Lanes come to a barrier of the block; `waits` is false for `arrive`.
    fn barrier(&mut self, _at: Site, _id: u32, _lanes: u32, _expected: u32, _waits: bool) {}
    /// A barrier of the block is complete.
    fn barrier_completes(&mut self, _block_linear: u64, _id: u32) {}
    /// A branch divides lanes.
    fn branch(&mut self, _at: Site, _taken: u32, _path: u32) {}
    /// Lanes take part in a warp collective of `members`.
    fn collective(&mut self, _at: Site, _lanes: u32, _members: u32) {}
    /// `pmevent`.
    fn mark(&mut self, _at: Site, _lanes: u32) {}
    /// What was found; called once, at the end.
    fn findings(&mut self) -> Vec<Finding> {
        Vec::new()
    }
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
    fn fence(&mut self, at: Site, lanes: u32) {
        self.0.fence(at, lanes);
        self.1.fence(at, lanes);
    }
    fn barrier(&mut self, at: Site, id: u32, lanes: u32, expected: u32, waits: bool) {
        self.0.barrier(at, id, lanes, expected, waits);
        self.1.barrier(at, id, lanes, expected, waits);
    }
    fn barrier_completes(&mut self, block_linear: u64, id: u32) {
        self.0.barrier_completes(block_linear, id);
        self.1.barrier_completes(block_linear, id);
    }
    fn branch(&mut self, at: Site, taken: u32, path: u32) {
        self.0.branch(at, taken, path);
        self.1.branch(at, taken, path);
    }
    fn collective(&mut self, at: Site, lanes: u32, members: u32) {
        self.0.collective(at, lanes, members);
        self.1.collective(at, lanes, members);
    }
    fn mark(&mut self, at: Site, lanes: u32) {
        self.0.mark(at, lanes);
        self.1.mark(at, lanes);
    }
    fn findings(&mut self) -> Vec<Finding> {
        let mut all = self.0.findings();
        all.extend(self.1.findings());
        all
    }
}
