//! Checkers: observers that find races, uninitialised reads, misused barriers
//! and collectives. A checker is a file here and an `Observer`; what a GPU
//! itself stops a kernel for (bounds, alignment, use after free, deadlock) is
//! the machine's and always on.

mod race;
pub(crate) mod raw;

pub use raw::FindingKind;
