//! Device code of quadscan: quadrature and prefix-scan kernels.
//!
//! One algorithm a file. Compiled for `nvptx64-nvidia-cuda` each `#[kernel]` is
//! an entry of the PTX; compiled for the host it is a typed launcher, so the
//! constants and the launch signatures are written down once, here.
//!
//! What does not live here: memory, launches, timing and checking (crate
//! `quadscan`), and thread indices, barriers and warp functions (`cuda_std`).
#![cfg_attr(not(target_os = "cuda"), no_std)]

pub mod block_scan;
pub mod diagnostics;
pub mod integrate;
pub mod limits;
pub mod operator;
pub mod reduce;
pub mod scan;

#[doc(hidden)]
pub use pastey;
