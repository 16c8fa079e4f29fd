//! The machine: memory, warps, blocks, the scheduler of a launch.

pub(crate) mod access;
pub(crate) mod block;
pub(crate) mod gpu;
pub(crate) mod launch;
pub(crate) mod memory;
pub(crate) mod model;
pub(crate) mod path;
pub(crate) mod warp;
