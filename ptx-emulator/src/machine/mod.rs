//! The machine's state, and how instructions get at it: memory, paths, warps,
//! blocks, copies that end later. What instructions do is `exec`'s; who runs
//! next, `run`'s.

mod access;
mod block;
pub(crate) mod copying;
mod heap;
mod issue;
mod launch;
pub(crate) mod mbarrier;
mod memory;
mod model;
mod path;
mod printed;
mod resident;
mod rows;
mod storage;
pub(crate) mod transfer;
mod warp;
mod weak;
mod written;

pub(crate) use access::{Request, generic, interleaved, shared_offsets, with_bytes};
pub(crate) use block::{BARRIERS, BarrierState, BlockState, CLUSTER_BARRIER, OBSERVED_BARRIERS};
pub(crate) use heap::Heap;
pub(crate) use issue::Issue;
pub(crate) use launch::{Launch, MAX_DEVICES, mix};
pub(crate) use memory::{
    Allocation, CONSTANT_WINDOW, Cells, FUNCTIONS, Global, HEAP_FIRST, LOCAL_WINDOW,
    PARAMETER_WINDOW, SHARED_WINDOW, WINDOW,
};
pub(crate) use path::{Path, Paths, Polls, Wait};
pub(crate) use printed::Printed;
pub(crate) use resident::Resident;
pub(crate) use storage::active;
pub(crate) use warp::{Context, LaneFault, Next, Warp, full_mask};
pub(crate) use written::{GlobalWritten, Written};

pub use launch::{LaunchOptions, Schedule};
pub use model::Model;
