//! Quadrature and prefix scan on the GPU.
//!
//! Nothing here measures, prints, or knows a table: that is the package `quadscan-bench`.
//!
//! Its layers, each of which uses those above it in this list alone:
//!
//! - `error`: one type for all errors.
//! - [`device`]: runs kernels, on a GPU or on an emulator.
//! - [`integrate`], [`reduce`]: plans of integrals and of reductions.
//! - [`scan`], [`select`]: plans of scans and of selections.

pub mod device;
mod error;
pub mod integrate;
pub mod reduce;
pub mod scan;
pub mod select;

pub use error::{Error, Result};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
