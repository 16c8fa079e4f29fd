//! Device code of quadscan: quadrature and prefix-scan kernels.
//!
//! One algorithm a file. Compiled for `nvptx64-nvidia-cuda` each `#[kernel]` is
//! an entry of the PTX; compiled for the host it is a typed launcher, so the
//! constants and the launch signatures are written down once, here.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `instances`: the list of operators that our own PTX has kernels of.
//! - `operator`: what scans and reductions combine.
//! - `scan`: prefix scans of whole arrays, and of their segments.
//! - `reduce`: reductions of arrays, and of their segments, by the same tagged words and warps.
//! - `select`: stream compaction, by the same tagged words and warps.
//! - `block_scan`: the published scans of one block.
//! - `integrate`: integrals by rules over integrands.
//! - `cubature`: integrals over boxes of several dimensions.
//! - `monte_carlo`: integrals over boxes of more dimensions, from random points, lattices and Sobol points.
//! - `limits`, `diagnostics`: kernels that do one thing, or go wrong on purpose.
//!
//! **Device code is the device's alone.** A program on the host needs launchers, numbers,
//! operators and integrands; the algorithms are in modules that it does not compile,
//!
//! ```text
//! #[cfg(any(target_os = "cuda", test, clippy, doc))]
//! ```
//!
//! so that a change of one leaves every program as it is. Unit tests, lints and documentation of
//! this crate do compile them. What both sides need is in a file that both compile: `sizes`,
//! `shape` and `scratch` of scans, `sizes` of reductions, `sizes`, `chunks` and `outcome` of
//! integrals. A kernel that is all there is of its algorithm ([`limits`]) has its body where its
//! launcher is.
//!
//! What does not live here: memory, launches, timing and checking (crate
//! `quadscan`), and thread indices, barriers and warp functions (`cuda_std`).
#![cfg_attr(not(target_os = "cuda"), no_std)]
#![cfg_attr(target_os = "cuda", feature(asm_experimental_arch))]

#[cfg(not(target_os = "cuda"))]
extern crate alloc;

pub mod block_scan;
pub mod cubature;
pub mod diagnostics;
pub mod integrate;
pub mod limits;
pub mod monte_carlo;
pub mod operator;
pub mod reduce;
pub mod scan;
pub mod select;

mod instances;

#[cfg(target_os = "cuda")]
#[doc(hidden)]
pub use pastey;

/// Square roots and their like as methods, for the functions of a module that has operators or
/// integrands. On the host nothing may be left for the import to do: where some crate links std,
/// its own methods come first, in a crate without std too.
#[doc(hidden)]
#[macro_export]
macro_rules! float_methods {
    () => {
        #[allow(unused_imports, reason = "see above")]
        use ::cuda_std::GpuFloat as _;
    };
}

/// Lanes of a warp.
pub const LANES: u32 = cuda_std::warp::WARP_SIZE;
