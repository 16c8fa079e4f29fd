//! Monte Carlo: integrals over boxes of up to 32 dimensions, from random points, lattices and Sobol points.
//!
//! [`integrand`] says what is integrated, and [`monte_carlo_kernels!`](crate::monte_carlo_kernels)
//! makes its kernels; [`formula`] has those of what is typed. [`philox`] numbers random numbers instead of drawing them, so that a result does
//! not depend on the threads. [`sizes`] is what a host has to know of a launch. [`vegas`] samples
//! strata through a grid (VEGAS+), as [`deal`] says, [`strata`] adds them up and the grid moves; [`lattice`] sums shifted
//! rank-1 lattices and the scrambled points of [`sobol`]. When there is enough of them the host says
//! (`quadscan::integrate::{Vegas, Lattice, Sobol}`).

#[cfg(any(not(target_os = "cuda"), feature = "instances"))]
pub mod formula;
pub mod integrand;
mod macros;
pub mod philox;
pub mod sizes;
pub mod sobol;

#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod deal;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
mod grid;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
mod lanes;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod lattice;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod strata;
#[cfg(any(target_os = "cuda", test, clippy, doc))]
pub mod vegas;
