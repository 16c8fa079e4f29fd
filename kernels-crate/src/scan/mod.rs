//! Device-wide prefix scan: any number of elements, any associative operator.
//!
//! One algorithm a file, each a generic function; [`scan_kernels!`](crate::scan_kernels)
//! makes the entries for an operator, [`instances`] lists ours. What is common: [`items`]
//! (a lane's elements), [`lanes`] (a warp's values), [`status`] (what blocks tell each
//! other). A host has the numbers: [`sizes`] (how many of what, by an operator), [`shape`] (what
//! follows of that), [`scratch`] (memory).

// A loop over constant indices unrolls, and what it indexes stays in registers.
#![allow(clippy::needless_range_loop)]

pub mod chained;
#[cfg(feature = "instances")]
pub mod instances;
#[cfg(not(target_os = "cuda"))]
pub mod launch;
mod macros;
pub mod scratch;
pub mod segment_flags;
pub mod segmented;
pub mod shape;
pub mod sizes;
pub mod textbook;
pub mod tuned;
pub mod tuning;
pub mod words;

// The algorithms, and what they have in common.
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod blelloch;
pub mod chain;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod decoupled_lookback;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod hillis_steele;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod items;
pub mod lanes;
pub mod launch_tag;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod lookahead;
pub mod lookback;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod one_block;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod one_wave;
pub mod partial;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod reduce_then_scan;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod request;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod rows;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod segment;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod short;
pub mod status;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod strips;
pub mod tagged;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod tile;

#[cfg(not(target_os = "cuda"))]
pub use launch::{Algorithm, ScanKernel, ScanKernels};
#[cfg(not(target_os = "cuda"))]
pub use segmented::SegmentedScanKernels;

/// Bit of a scan's `flags`: element i of the result is without element i of the input.
pub const EXCLUSIVE: u32 = 1;
/// Bit of a scan's `flags`: `initial` stands before the first element.
pub const HAS_INITIAL: u32 = 2;
/// Bit of the `flags` of [`lookahead`]'s kernels: nothing is scanned; the totals of the groups of
/// tiles are written, as accumulators.
pub const TOTALS: u32 = 1 << 4;
/// Bit of the `flags` of [`lookahead`]'s kernels: the tiles of the array are dealt to several
/// devices, and the scratch memory says to which ([`scratch`]).
pub const DEALT: u32 = 1 << 5;
/// Bit of the `flags` beside [`DEALT`] and [`HAS_INITIAL`]: there is no initial value, but what
/// other devices have stands before the first element of this one. Of segments, alone: the first one
/// began on another device, and what it is there is in the scratch memory
/// ([`BEFORE`](scratch::BEFORE)).
pub const FOLLOWS: u32 = 1 << 6;
/// Bit of the `flags` of segments: one begins at every element whose index is a multiple of the
/// number of [`Request::segments`](request::Request::segments); nothing is read of where they begin.
pub const OF_LENGTH: u32 = 1 << 7;
/// Bit of the `flags` of segments, in [`one_wave`] of small tiles: where they begin is said by
/// [`Request::segments`](request::Request::segments) offsets of 32 bits, or of 64 with
/// [`WIDE_OFFSETS`], where segment flags would be.
pub const BY_OFFSETS: u32 = 1 << 8;
/// Bit of the `flags` beside [`BY_OFFSETS`]: offsets have 64 bits.
pub const WIDE_OFFSETS: u32 = 1 << 9;
/// Bit of the `flags` of [`one_block`]'s kernels: lines of an array along one of its axes are
/// scanned, each from its own beginning.
pub const LINES: u32 = 1 << 10;
/// Bit of the `flags` of [`blelloch`]'s kernels: nothing is added afterwards, the results are
/// final.
pub const FINAL: u32 = 1 << 2;
