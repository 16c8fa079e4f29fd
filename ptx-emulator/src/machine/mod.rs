//! The machine: memory, warps, blocks, the scheduler of a launch, copies that
//! end later.

pub(crate) mod access;
pub(crate) mod block;
pub(crate) mod gpu;
pub(crate) mod heap;
pub(crate) mod launch;
pub(crate) mod mbarrier;
pub(crate) mod memory;
pub(crate) mod model;
pub(crate) mod path;
pub(crate) mod printed;
pub(crate) mod transfer;
pub(crate) mod warp;
