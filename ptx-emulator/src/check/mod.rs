//! Checkers: observers that find races, uninitialised reads, misused barriers
//! and collectives. A checker is a file here and an `Observer`; what a GPU
//! itself stops a kernel for (bounds, alignment, use after free, deadlock) is
//! the machine's and always on. `report` makes findings of both.
//!
//! ```
//! use ptx_emulator::{Checks, Gpu, LaunchOptions, Model, Program, Shape};
//!
//! let program = Program::load(
//!     ".version 8.0 .target sm_75 .address_size 64
//!      .visible .entry reverse(.param .u64 data) {
//!          .reg .b32 %r<4>; .reg .b64 %rd<4>;
//!          .shared .align 4 .b8 TILE[16];
//!          ld.param.u64 %rd1, [data];
//!          mov.u32 %r1, %tid.x;
//!          mul.wide.u32 %rd2, %r1, 4;
//!          add.s64 %rd1, %rd1, %rd2;
//!          mov.u64 %rd3, TILE;
//!          sub.s64 %rd2, %rd3, %rd2;
//!          ld.shared.u32 %r2, [%rd2+12];
//!          st.global.u32 [%rd1], %r2;
//!          ret;
//!      }",
//! )?;
//! let mut gpu = Gpu::new(Model::h200());
//! let data = gpu.alloc_named(4 * 4, "data")?;
//! let shape = Shape { grid: [1, 1, 1], block: [4, 1, 1], shared_bytes: 0 };
//! let options = LaunchOptions::default();
//! let parameters: [&[u8]; 1] = [&data.to_le_bytes()];
//! let checked = gpu.check(&program, "reverse", shape, &parameters, &options, Checks::all())?;
//! let mut bytes = [0; 16];
//! gpu.copy_out(data, &mut bytes)?;
//! assert_eq!(
//!     checked.to_string(),
//!     "uninitialised read: shared memory that nobody has written (reverse, PTX line 11)
//!   TILE[3]: 4 bytes at offset 12 of 16 bytes of shared memory
//!   reads: block [0, 0, 0], thread [0, 0, 0], PTX line 11: `ld.shared.u32 %r2, [%rd2+12];`
//!   4 times"
//! );
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! With `.loc` in the PTX, a place is the line that the kernel's author wrote,
//! the innermost one of the kernel's own crate; what it called stands below
//! it (`in`), and what called it (`inlined at`).
//!
//! With `LaunchOptions::weak_memory`, loads give what PTX's memory model lets them
//! read, and not the newest values alone: the race checker knows what that is. Those
//! that gave an old value are `Checked::stale_reads`.

pub(crate) mod barrier;
pub(crate) mod collective;
pub(crate) mod finding;
pub(crate) mod found;
pub(crate) mod initialised;
pub(crate) mod launch;
mod race;
pub(crate) mod raw;
pub(crate) mod report;

pub use finding::{Finding, Location, Place};
pub use launch::Checked;
pub use raw::FindingKind;

use barrier::Barriers;
use collective::Collectives;
use initialised::Initialised;
use race::Races;

/// Which checkers watch a launch. A checked launch runs on one host core.
///
/// What they cost, in million warp instructions a second of one core's time (the
/// kernels of the examples `trapezoid` and `checks`, on 2026-11-26, on a machine that
/// had other work; the first is all arithmetic, the second, the scan of Hillis and
/// Steele, all shared memory and barriers):
///
/// | checks | trapezoid | scan |
/// | --- | --- | --- |
/// | none | 112 | 52 |
/// | initialised | | 32 |
/// | races | | 8.4 |
/// | barriers | | 45 |
/// | collectives | | 48 |
/// | all | | 7.5 |
///
/// A trapezoid accesses no memory in its loop, and the checks cost it nothing.
///
/// And in memory: `initialised` keeps a bit for each byte of global and shared
/// memory, and 4 bytes for each byte of a warp's local memory.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub struct Checks {
    /// Reads of shared, local and global memory that nobody has written.
    pub initialised: bool,
    /// Accesses to the same bytes that nothing orders.
    pub races: bool,
    /// Barriers of the block that not all threads come to alike.
    pub barriers: bool,
    /// Warp collectives that name lanes which have exited.
    pub collectives: bool,
}

impl Checks {
    /// All of them.
    pub fn all() -> Self {
        Checks::each(true)
    }

    /// None of them: what stops a kernel is found all the same.
    pub fn none() -> Self {
        Checks::each(false)
    }

    fn each(on: bool) -> Self {
        Checks {
            initialised: on,
            races: on,
            barriers: on,
            collectives: on,
        }
    }
}

impl Default for Checks {
    fn default() -> Self {
        Checks::all()
    }
}

/// All checkers as one observer.
pub(crate) type Checkers = (
    (Option<Initialised>, Option<Barriers>),
    (Option<Collectives>, Option<Races>),
);
