//! Every part of the library once, as kernels written for rust-cuda use it.
#![allow(clippy::missing_safety_doc)]
pub mod atomics;
pub mod memory;
pub mod threads;
pub mod warps;
