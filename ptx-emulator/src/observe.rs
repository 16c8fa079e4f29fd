//! What checkers and counters see of a run.
//!
//! An observer says by its constants what it wants to see; what it does not
//! want costs nothing, because the machine is compiled for the observer.
//! Observers combine as pairs: `(A, B)` sees everything twice.

use std::ops::Range;

use ptx_syntax::Type;

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

/// Where an event happens.
#[derive(Copy, Clone, Debug)]
pub struct Site {
    /// Index of the instruction: `Program::statement`, `Program::source`.
    pub pc: u32,
    /// Block index.
    pub block: [u32; 3],
    /// The block as one number; those of further devices follow.
    pub block_linear: u64,
    /// The number of the block's device.
    pub device: u8,
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
    /// Whether `loaded` or `stored` tell its values, in launches with weak memory: those of
    /// `ld`, `st`, `atom` and `red`.
    pub values: bool,
    /// The first rows of the call's registers, of 32 and of 64 bits; 0 of a copy that ends later.
    pub rows: [u32; 2],
}

/// A register of a function: its bits, and its row among those of its size.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Register {
    /// 8, 16, 32 or 64, and 1 of a predicate. A register of 128 bits is two of 64.
    pub bits: u32,
    pub(crate) row: u32,
}

/// A register by its name in the text, with the type that an instruction gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NamedRegister {
    /// `%r7`
    pub name: String,
    /// Of the instruction where it has one of the register's size, else the declared one.
    pub ty: Type,
    /// Which it is.
    pub register: Register,
}

/// The registers of one call of a function in a warp.
pub trait Registers {
    /// The bits that a lane has in a register.
    fn bits(&self, register: Register, lane: usize) -> u64;
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

/// The trait of observers from its events, and what passes each event on.
macro_rules! observer {
    ($($(#[$doc:meta])* fn $event:ident($($name:ident: $ty:ty),*);)*) => {
        /// Sees a run as it happens.
        ///
        /// `fork` makes an observer for one of the cores that run blocks; `merge`
        /// takes it back. An observer with `SERIAL` sees all blocks on one core.
        pub trait Observer: Send + Sized {
            /// Wants `instruction`.
            const INSTRUCTIONS: bool = false;
            /// Wants `access` and `fence`.
            const MEMORY: bool = false;
            /// Wants `barrier`, `barrier_passed`, `branch`, `call`, `copies`,
            /// `collective`, `exit` and `mark`.
            const CONTROL: bool = false;
            /// Wants `loaded` and `stored`, in launches with weak memory.
            const VALUES: bool = false;
            /// Wants `registers`, while it `follows` them.
            const REGISTERS: bool = false;
            /// Has to see all blocks on one core.
            const SERIAL: bool = false;

            /// An observer for another core.
            fn fork(&self) -> Self;
            /// Takes back what a fork saw.
            fn merge(&mut self, other: Self);
            /// Whether it wants `registers` now.
            fn follows(&self) -> bool {
                false
            }
            $(
                $(#[$doc])*
                #[allow(unused_variables)]
                fn $event(&mut self, $($name: $ty),*) {}
            )*
        }

        /// Both see everything.
        impl<A: Observer, B: Observer> Observer for (A, B) {
            const INSTRUCTIONS: bool = A::INSTRUCTIONS || B::INSTRUCTIONS;
            const MEMORY: bool = A::MEMORY || B::MEMORY;
            const CONTROL: bool = A::CONTROL || B::CONTROL;
            const VALUES: bool = A::VALUES || B::VALUES;
            const REGISTERS: bool = A::REGISTERS || B::REGISTERS;
            const SERIAL: bool = A::SERIAL || B::SERIAL;

            fn fork(&self) -> Self {
                (self.0.fork(), self.1.fork())
            }
            fn merge(&mut self, other: Self) {
                self.0.merge(other.0);
                self.1.merge(other.1);
            }
            fn follows(&self) -> bool {
                self.0.follows() || self.1.follows()
            }
            $(
                fn $event(&mut self, $($name: $ty),*) {
                    self.0.$event($($name),*);
                    self.1.$event($($name),*);
                }
            )*
        }

        /// An observer that may be left out when a launch begins.
        impl<A: Observer> Observer for Option<A> {
            const INSTRUCTIONS: bool = A::INSTRUCTIONS;
            const MEMORY: bool = A::MEMORY;
            const CONTROL: bool = A::CONTROL;
            const VALUES: bool = A::VALUES;
            const REGISTERS: bool = A::REGISTERS;
            const SERIAL: bool = A::SERIAL;

            fn fork(&self) -> Self {
                self.as_ref().map(A::fork)
            }
            fn merge(&mut self, other: Self) {
                if let (Some(own), Some(other)) = (self, other) {
                    own.merge(other);
                }
            }
            fn follows(&self) -> bool {
                self.as_ref().is_some_and(A::follows)
            }
            $(
                fn $event(&mut self, $($name: $ty),*) {
                    if let Some(own) = self {
                        own.$event($($name),*);
                    }
                }
            )*
        }
    };
}

observer! {
    /// The launch begins.
    fn launch(info: &LaunchInfo);
    /// A block becomes resident.
    fn block_begins(block: [u32; 3], linear: u64);
    /// All of its threads have exited.
    fn block_ends(block: [u32; 3], linear: u64);
    /// A warp runs an instruction; `active` lanes take part, of `path` that
    /// have come to it.
    fn instruction(at: Site, class: Class, active: u32, path: u32);
    /// Lanes are about to run an instruction; `rows` are the first ones of the call's registers,
    /// of 32 and of 64 bits.
    fn registers(at: Site, lanes: u32, rows: [u32; 2], registers: &dyn Registers);
    /// A warp is about to access memory.
    fn access(at: Site, access: &MemoryAccess<'_>);
    /// Lanes have loaded the newest `values` of one element; the observer may give them
    /// older ones.
    fn loaded(at: Site, access: &MemoryAccess<'_>, values: &mut [u64; 32]);
    /// Lanes store one element, or have updated it by an atomic. The stores of the `hidden`
    /// lanes do not get to memory: another write is newer.
    fn stored(
        at: Site, access: &MemoryAccess<'_>, old: &[u64; 32], new: &[u64; 32], hidden: &mut u32
    );
    /// A warp runs a fence.
    fn fence(at: Site, lanes: u32, order: Order, scope: Scope);
    /// Lanes come to a barrier of the block.
    fn barrier(at: Site, arrival: &BarrierArrival);
    /// A barrier of the block is complete.
    fn barrier_completes(block_linear: u64, id: u32);
    /// Lanes that came to the barrier of the cluster go on behind
    /// `barrier.cluster.wait`.
    fn barrier_passed(at: Site, lanes: u32);
    /// A branch divides lanes.
    fn branch(at: Site, taken: u32, path: u32);
    /// Lanes call a function; `frame` is its part of their local memory, bytes.
    fn call(at: Site, lanes: u32, frame: &Range<u32>);
    /// A call or a return copies parameters or results to these bytes of local
    /// memory.
    fn copies(at: Site, lanes: u32, bytes: &Range<u32>);
    /// Lanes come to a warp collective of `members`; `live` lanes of the warp
    /// have not exited.
    fn collective(at: Site, lanes: u32, members: u32, live: u32);
    /// A warp collective is complete: `lanes` have taken part. `orders` when it
    /// orders their accesses (`bar.warp.sync`), and not only their control flow.
    fn collective_completes(at: Site, lanes: u32, orders: bool);
    /// Lanes exit.
    fn exit(at: Site, lanes: u32);
    /// `pmevent`.
    fn mark(at: Site, lanes: u32);
}

impl Observer for () {
    fn fork(&self) -> Self {}
    fn merge(&mut self, _other: Self) {}
}
