//! Quadrature and prefix scan on the GPU.
//!
//! [`device`] runs kernels, on a GPU or on an emulator; [`scan`], [`reduce`] and [`integrate`]
//! are plans of what an application wants to know. Nothing here measures, prints, or knows a
//! table: that is the package `quadscan-bench`.

pub mod device;
mod error;
pub mod integrate;
pub mod reduce;
pub mod scan;

pub use error::{Error, Result};
