//! Cubature: integrals over boxes of 2 to 10 dimensions, whose regions and degrees both adapt.
//!
//! [`region`] is what the host asks of a launch and what it gets; [`decay`] tells how many nodes a
//! piece of a line needs; [`integrand`] says what is integrated, and
//! [`cubature_integrands!`](crate::cubature_integrands) makes its kernels; [`formula`] has those of
//! what is typed. [`rule`] sums a product of Gauss-Legendre rules over many regions, [`lines`] tells
//! what it did not see, through points that [`beside`] draws, too, and plans where a region is to be
//! divided. [`adapt`] decides, on the host or on the
//! device.

pub mod adapt;
pub mod beside;
pub mod decay;
#[cfg(any(not(target_os = "cuda"), feature = "instances"))]
pub mod formula;
pub mod integrand;
mod macros;
pub mod region;

#[cfg(any(target_os = "cuda", test, clippy, doc))]
mod combine;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
mod lacks;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod lines;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
mod node;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
mod plane;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod rule;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
mod sharp;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
mod team;
