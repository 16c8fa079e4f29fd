//! Builds a crate of GPU kernels, written in Rust, to PTX.
//!
//! The interface is rust-cuda's `cuda_builder`; what stands behind it is
//! rustc's own NVPTX backend on a pinned nightly ([`toolchain`]), so that no
//! CUDA toolkit and no other LLVM are needed:
//!
//! 1. a nested cargo compiles the crate and core to one unoptimised module of
//!    LLVM bitcode;
//! 2. the toolchain's own libLLVM, loaded at run time, is told what rustc
//!    cannot say (entries, launch bounds, address spaces, which calls are
//!    convergent), optimises, and writes PTX;
//! 3. the PTX is checked ([`Lint`]) and described ([`manifest`]).
//!
//! Between 1 and 2, parts of the module that were built before are taken from the
//! target folder.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `error`
//! - `arch`, `manifest`: what is built for, and what a manifest says.
//! - `names`: which kernels a name on a command line stands for.
//! - `options`, `progress`, `files`, `environment`
//! - `dep_info`, `toolchain`: what rustc says that it read; the nightly, and where it is.
//! - `flags`, `linker`, `kernel_crate`: how the nested cargo is called, and of what.
//! - `advice`, `announce`: what a build says to who reads it, and to cargo.
//! - `cargo`, `llvm`: step 1, from a crate to bitcode; LLVM as this crate needs it.
//! - `lint`, `short_locations`: PTX, judged and shortened.
//! - `built`: a module as far as it is built.
//! - `stamp`, `store`: what earlier builds left.
//! - `passes`: step 2, from bitcode to PTX.
//! - `artifact`
//! - `writer`: step 3, the files of an artifact.
//! - `builder`: the options by rust-cuda's names, and the build.
//!
//! What is absent: nothing here talks to a driver, nothing but
//! [`toolchain::install`] uses the network, and nothing knows a particular
//! kernel. With `default-features = false` only [`manifest`], [`names`],
//! and [`NvvmArch`] remain, for programs that load what was built.

#[cfg(feature = "build")]
mod advice;
#[cfg(feature = "build")]
mod announce;
mod arch;
#[cfg(feature = "build")]
mod artifact;
#[cfg(feature = "build")]
mod builder;
#[cfg(feature = "build")]
mod built;
#[cfg(feature = "build")]
mod cargo;
#[cfg(feature = "build")]
mod dep_info;
#[cfg(feature = "build")]
mod environment;
mod error;
#[cfg(feature = "build")]
mod files;
#[cfg(feature = "build")]
mod flags;
#[cfg(feature = "build")]
mod kernel_crate;
#[cfg(feature = "build")]
mod linker;
#[cfg(feature = "build")]
mod lint;
#[cfg(feature = "build")]
mod llvm;
pub mod manifest;
pub mod names;
#[cfg(feature = "build")]
mod options;
#[cfg(feature = "build")]
mod passes;
#[cfg(feature = "build")]
mod progress;
#[cfg(feature = "build")]
mod short_locations;
#[cfg(feature = "build")]
mod stamp;
#[cfg(feature = "build")]
mod store;
#[cfg(feature = "build")]
pub mod toolchain;
#[cfg(feature = "build")]
mod writer;

pub use arch::NvvmArch;
#[cfg(feature = "build")]
pub use artifact::Artifact;
#[cfg(feature = "build")]
pub use builder::CudaBuilder;
pub use error::CudaBuilderError;
#[cfg(feature = "build")]
pub use lint::{Finding, Lint, LintLevel, check as check_ptx};
#[cfg(feature = "build")]
pub use options::{DebugInfo, EmitOption};
#[cfg(feature = "build")]
pub use progress::Progress;

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
