//! Device library for GPU kernels written in Rust: indices, barriers, shared memory, warps,
//! atomics, floating-point functions, printing.
//!
//! What lives here: what a kernel calls, and (on the host, in [`launch`]) what the macros say
//! about a kernel. What does not: compiling kernels (`cuda_builder`), loading and launching them.
//! The names and signatures are rust-cuda's, where it has them; what they become is PTX, which
//! each item's documentation names together with the oldest architecture that has it. Without
//! such a note, it is there from sm_70 on.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `device`, `registers`: how this crate reaches the device, and the host in its stead.
//! - [`cfg`](mod@cfg), `__private`: what a kernel is compiled for, and what macros' expansions name.
//! - [`launch`]: what the host knows of kernels.
//! - [`atomic`], [`float`], [`grid`], [`misc`], [`ptr`], [`warp`]: instructions, and functions made
//!   of them.
//! - [`intrinsics`], [`io`], [`mem`], [`thread`]: what needs those.
//! - [`shared`]: shared memory.
//! - [`bulk`]: copies between it and global memory.
//! - [`prelude`]: what nearly every kernel imports.
//!
//! Everything type-checks on the host. Pure functions (floating-point arithmetic) compute there,
//! atomics work there, and what only a GPU can do panics there with its name.
//!
//! ```
//! use cuda_std::prelude::*;
//!
//! /// `c[i] = a[i] + b[i]`; one thread an element.
//! #[kernel]
//! pub unsafe fn vecadd(a: &[f32], b: &[f32], c: *mut f32) {
//!     let i = thread::index_1d() as usize;
//!     if i < a.len() {
//!         unsafe { *c.add(i) = a[i] + b[i] };
//!     }
//! }
//! ```
#![no_std]
#![cfg_attr(
    target_os = "cuda",
    feature(
        asm_experimental_arch,
        core_intrinsics,
        link_llvm_intrinsics,
        stdarch_nvptx
    ),
    allow(internal_features, unused_attributes)
)]

extern crate alloc;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;
pub mod atomic;
pub mod bulk;
pub mod cfg;
mod device;
pub mod float;
pub mod grid;
pub mod intrinsics;
pub mod io;
#[cfg(not(target_os = "cuda"))]
pub mod launch;
pub mod mem;
pub mod misc;
pub mod prelude;
pub mod ptr;
mod registers;
pub mod shared;
pub mod thread;
pub mod warp;

pub use cuda_std_macros::{
    address_space, cluster, externally_visible, gpu_only, kernel, launch_bounds, launch_contract,
    max_registers, part, unroll,
};
pub use float::{FloatExt, GpuFloat};
pub use glam;
#[cfg(feature = "half")]
pub use half;
#[cfg(feature = "half")]
pub use half::{bf16, f16};
#[cfg(feature = "vek")]
pub use vek;
