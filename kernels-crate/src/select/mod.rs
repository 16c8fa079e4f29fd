//! Stream compaction: some elements of an array, one behind the other, in their order.
//!
//! What chooses them is a [`Predicate`], an array of flags, or that an element differs from the
//! one before it; [`chosen`] finds that for a lane's items, and puts them where they belong. A
//! chosen element's place is how many were chosen before it: a sum, which blocks tell each other as
//! those of [scans](crate::scan). [`one_wave`] and [`lookahead`] are generic functions;
//! [`select_kernels!`](crate::select_kernels) makes the entries for a predicate, [`instances`]
//! lists ours.

pub mod condition;
#[cfg(feature = "instances")]
pub mod instances;
#[cfg(not(target_os = "cuda"))]
pub mod launch;
mod macros;
pub mod predicate;
pub mod sizes;

// The algorithms, and what they have in common.
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod chosen;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod lookahead;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod one_wave;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod request;

pub use condition::{Comparable, Compare, Condition};
#[cfg(not(target_os = "cuda"))]
pub use launch::{SelectKernel, SelectKernels};
pub use predicate::{AnyBit, Predicate};

/// Bit of a request's `mode`: flags choose, a byte an element, those that are not 0.
pub const BY_FLAGS: u32 = 1;
/// Bit of `mode`: the first element of every run of equal ones is chosen.
pub const UNIQUE: u32 = 1 << 1;
/// Bit of `mode`: the others are written too, behind the chosen ones, the last one first.
pub const PARTITION: u32 = 1 << 2;
/// Bits of `mode` from this one on: 0 for the first launch, 1 and 2 in turn for those that follow it,
/// each for the elements behind those of the one before.
pub const TURN: u32 = 3;
