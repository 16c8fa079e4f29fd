//! What can go wrong, one enum a stage: loading, memory, launching.

use ptx_syntax::{ParseError, Position};

/// An instruction, a modifier or a name that is not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Line and column in the PTX text.
    pub position: Position,
    /// The text that is refused.
    pub text: String,
    /// The kernel or function that it stands in; empty at module scope.
    pub function: String,
    /// `file:line` of the source, when the PTX has `.loc`.
    pub source_line: Option<String>,
    /// Why.
    pub reason: String,
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: `{}`: {}", self.position, self.text, self.reason)?;
        if !self.function.is_empty() {
            write!(f, " (in `{}`", self.function)?;
            if let Some(line) = &self.source_line {
                write!(f, ", {line}")?;
            }
            write!(f, ")")?;
        }
        Ok(())
    }
}

/// A module that cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoadError {
    /// Not PTX.
    #[error(transparent)]
    Parse(#[from] ParseError),
    /// PTX that this emulator does not run.
    #[error("{0}")]
    Refused(Box<Refusal>),
}

/// A copy or an allocation that cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MemoryError {
    /// The modelled GPU has no room.
    #[error("{bytes} bytes do not fit: {free} of the modelled GPU's memory are free")]
    Full {
        /// Asked for.
        bytes: u64,
        /// Left.
        free: u64,
    },
    /// The modelled GPU has room, and the computer that it runs on has not.
    #[error("this computer has no memory for {bytes} bytes of the modelled GPU")]
    Host {
        /// Asked for.
        bytes: u64,
    },
    /// No allocation holds these addresses.
    #[error("no allocation holds the {bytes} bytes at {address:#x}")]
    NotAllocated {
        /// First address.
        address: u64,
        /// How many.
        bytes: u64,
    },
}

/// An access that a GPU would stop a kernel for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// No live allocation or variable holds the address.
    #[error("{bytes} bytes at {address:#x} ({room}) are out of bounds{near}")]
    OutOfBounds {
        /// The address, or the offset in a space that has no addresses.
        address: u64,
        /// Bytes of the access.
        bytes: u32,
        /// `global`, `shared`, `local`, `const` or `param`.
        room: &'static str,
        /// The nearest allocation, in words; may be empty.
        near: String,
    },
    /// The address is not a multiple of the access's size.
    #[error("{bytes} bytes at {address:#x} ({room}) are misaligned")]
    Misaligned {
        /// As above.
        address: u64,
        /// Bytes that the address must be a multiple of.
        bytes: u32,
        /// As above.
        room: &'static str,
    },
    /// The allocation was freed.
    #[error("{bytes} bytes at {address:#x} lie in an allocation that was freed")]
    UseAfterFree {
        /// The address.
        address: u64,
        /// Bytes of the access.
        bytes: u32,
    },
    /// A store to memory that cannot be written.
    #[error("a store to read-only memory ({room})")]
    ReadOnly {
        /// `const` or `param`.
        room: &'static str,
    },
    /// A copy failed that goes on behind its instruction, and somebody waited
    /// for it.
    #[error("{kind}, in the copy that thread {thread:?} asked for by `{statement}`")]
    Copy {
        /// What is wrong with it.
        kind: Box<FaultKind>,
        /// Thread index in the block.
        thread: [u32; 3],
        /// The instruction that asked for it.
        statement: String,
    },
    /// `trap` or `brkpt`.
    #[error("trap")]
    Trap,
    /// Calls deeper than local memory allows; each takes 16 bytes besides its
    /// variables.
    #[error("calls need more than {limit} bytes of local memory a thread, or too many registers")]
    StackOverflow {
        /// Bytes.
        limit: u32,
    },
    /// A call of `__assertfail`, which `assert` makes.
    #[error("{file}:{line}: {function}: assertion `{message}` failed")]
    Assertion {
        /// What was asserted.
        message: String,
        /// The file of the source.
        file: String,
        /// The line of the source.
        line: u32,
        /// The function of the source.
        function: String,
    },
    /// An indirect call of something that is not a function.
    #[error("a call of {address:#x}, which is not a function with a body and these parameters")]
    NotAFunction {
        /// The address.
        address: u64,
    },
    /// A barrier for one number of threads, where others wait with another.
    #[error("barrier {id} for {}, but others have come to it for {}", count(*.threads), count(*.waiting))]
    BarrierCounts {
        /// Which barrier.
        id: u32,
        /// Threads that this instruction names; 0 for all of the block.
        threads: u32,
        /// Threads that the others named.
        waiting: u32,
    },
    /// A barrier of the block was used in a way that PTX leaves undefined.
    #[error("{0}")]
    Barrier(String),
    /// A warp collective was used in a way that PTX leaves undefined.
    #[error("{0}")]
    Collective(String),
    /// Another instruction was used in a way that PTX leaves undefined.
    #[error("{0}")]
    Undefined(String),
}

/// The threads that a barrier is for.
fn count(threads: u32) -> String {
    match threads {
        0 => "all threads of the block".into(),
        n => format!("{n} threads"),
    }
}

/// A fault and the thread that it happened in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What.
    pub kind: FaultKind,
    /// The kernel.
    pub kernel: String,
    /// Index of the instruction: `Program::source_stack`.
    pub pc: u32,
    /// Line in the PTX text.
    pub line: u32,
    /// The instruction.
    pub text: String,
    /// `file:line` of the author's source, when the PTX has `.loc`.
    pub source_line: Option<String>,
    /// The number of the device, where the launch is on several.
    pub device: Option<u32>,
    /// Block index.
    pub block: [u32; 3],
    /// Thread index in the block.
    pub thread: [u32; 3],
}

/// The device of a place in a report.
pub(crate) fn of_device(device: Option<u32>) -> String {
    device.map_or(String::new(), |device| format!("device {device}, "))
}

impl FaultKind {
    /// What went wrong, in a copy too.
    pub(crate) fn cause(&self) -> &FaultKind {
        match self {
            FaultKind::Copy { kind, .. } => kind.cause(),
            kind => kind,
        }
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} in kernel `{}`, {}block {:?}, thread {:?}, ",
            self.kind,
            self.kernel,
            of_device(self.device),
            self.block,
            self.thread
        )?;
        if let Some(line) = &self.source_line {
            write!(f, "{line}, ")?;
        }
        write!(f, "PTX line {}: `{}`", self.line, self.text)
    }
}

/// Who waits where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Waiter {
    /// The number of the device, where the launch is on several.
    pub device: Option<u32>,
    /// Block index.
    pub block: [u32; 3],
    /// Warp of the block.
    pub warp: u32,
    /// Lanes.
    pub lanes: u32,
    /// For what.
    pub reason: String,
    /// The lanes that a warp collective waits for, when it is one.
    pub collective: Option<u32>,
    /// Index of the instruction: `Program::source_stack`.
    pub pc: u32,
    /// Line in the PTX text.
    pub line: u32,
    /// `file:line` of the author's source, when the PTX has `.loc`.
    pub source_line: Option<String>,
}

impl std::fmt::Display for Waiter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{}block {:?} warp {} lanes {:#010x}: {}, PTX line {}",
            of_device(self.device),
            self.block,
            self.warp,
            self.lanes,
            self.reason,
            self.line
        )?;
        match &self.source_line {
            Some(line) => write!(f, " ({line})"),
            None => Ok(()),
        }
    }
}

/// A line a place: many warps wait at the same one.
fn list(waiters: &[Waiter]) -> String {
    const MOST: usize = 8;
    let mut places: Vec<(&Waiter, usize)> = Vec::new();
    for waiter in waiters {
        let place = |at: &Waiter| (at.device, at.pc);
        let same = |(other, _): &&mut (&Waiter, usize)| {
            (place(other), &other.reason) == (place(waiter), &waiter.reason)
        };
        match places.iter_mut().find(same) {
            Some((_, more)) => *more += 1,
            None => places.push((waiter, 0)),
        }
    }
    let mut text = String::new();
    for (waiter, more) in places.iter().take(MOST) {
        text.push_str(&format!("\n  {waiter}"));
        if *more > 0 {
            text.push_str(&format!(", and {more} more like it"));
        }
    }
    if places.len() > MOST {
        text.push_str(&format!("\n  and {} more places", places.len() - MOST));
    }
    text
}

/// A launch that cannot begin, or did not end well.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LaunchError {
    /// No entry of this name.
    #[error("no kernel `{name}`; the program has: {known}")]
    NoKernel {
        /// Asked for.
        name: String,
        /// The entries, separated by commas.
        known: String,
    },
    /// A shape that the modelled GPU or the kernel's own bounds do not allow.
    #[error("the launch does not fit: {0}")]
    Shape(String),
    /// The parameters are not those of the kernel.
    #[error("parameter {index} of `{kernel}` has {expected} bytes, not {found}")]
    Parameter {
        /// From 0; the number of parameters when there are too many or too few.
        index: usize,
        /// The kernel.
        kernel: String,
        /// Bytes, or the number of parameters.
        expected: usize,
        /// Bytes, or the number of parameters.
        found: usize,
    },
    /// `LaunchOptions::weak_memory` without the race checker, whose vector clocks it needs.
    #[error("weak memory is for launches that are checked for races (`Checks::races`)")]
    WeakMemory,
    /// A module variable without room, and the like.
    #[error(transparent)]
    Memory(#[from] MemoryError),
    /// An access or an instruction that stops the kernel.
    #[error("{0}")]
    Fault(Box<Fault>),
    /// No warp of a block can move.
    #[error("deadlock: no warp of the block can move{}", list(.0))]
    Deadlock(Vec<Waiter>),
    /// The instruction budget is used up.
    #[error(
        "livelock: the launch used up its {budget} warp instructions (`LaunchOptions::budget` raises them){}",
        list(.waiters)
    )]
    Livelock {
        /// Warp instructions.
        budget: u64,
        /// Where the resident warps are.
        waiters: Vec<Waiter>,
    },
}

impl LaunchError {
    pub(crate) fn shape(text: impl Into<String>) -> Self {
        LaunchError::Shape(text.into())
    }
}
