//! The machine's state, and how instructions get at it: memory, paths, warps,
//! blocks, copies that end later. What instructions do is `exec`'s; who runs
//! next, `run`'s.

pub(crate) mod access;
pub(crate) mod block;
pub(crate) mod heap;
pub(crate) mod issue;
pub(crate) mod launch;
pub(crate) mod mbarrier;
pub(crate) mod memory;
pub(crate) mod model;
pub(crate) mod path;
pub(crate) mod printed;
pub(crate) mod transfer;
pub(crate) mod warp;
pub(crate) mod written;

mod storage;
