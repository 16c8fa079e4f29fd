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

/// The book's blocks of Rust, compiled and run.
#[cfg(doctest)]
mod book {
    #[doc = include_str!("../../docs/from-naive-to-look-back.md")]
    mod from_naive_to_look_back {}
    #[doc = include_str!("../../docs/gpu-box.md")]
    mod gpu_box {}
    #[doc = include_str!("../../docs/measuring-honestly.md")]
    mod measuring_honestly {}
    #[doc = include_str!("../../docs/memory-orders.md")]
    mod memory_orders {}
    #[doc = include_str!("../../docs/moving-over.md")]
    mod moving_over {}
}
