//! Device-wide reduction: all elements of an array combined to one, in their order, by
//! any associative operator.
//!
//! [`device`], [`one_wave`] and [`segmented`] are generic functions; [`reduce_kernels!`](crate::reduce_kernels)
//! makes the entries for an operator, [`instances`] lists ours. What is common: [`vectors`]
//! (how an array is read), [`tile`] (how a warp combines it), [`share`] (who has which
//! part), [`sizes`] (the numbers).

#[cfg(feature = "instances")]
pub mod instances;
#[cfg(not(target_os = "cuda"))]
pub mod launch;
mod macros;
pub mod sizes;

// The algorithms, and what they have in common.
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod device;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod one_wave;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod request;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod segmented;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod share;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod tile;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod vectors;

#[cfg(not(target_os = "cuda"))]
pub use launch::{ReduceKernel, ReduceKernels};

/// Bit of a reduction's `flags`: `initial` stands before the first element.
pub const HAS_INITIAL: u32 = 1 << 1;
/// Bit of a reduction's `flags`: all blocks are resident at once, and may wait for each
/// other.
pub const WAITS: u32 = 1 << 3;
/// Bit of the `flags` of [`device`]: the results are the totals of `words` slices of the array, an
/// accumulator each, and no scratch memory is needed.
pub const TOTALS: u32 = 1 << 4;
/// Bit of a segmented reduction's `flags`: offsets have 64 bits, not 32.
pub const WIDE_OFFSETS: u32 = 1 << 2;
