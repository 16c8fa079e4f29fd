//! Integrals of functions of one variable, on the device.
//!
//! [`Composite`] is one integral over equal strips, by a composite rule; [`Adaptive`] is a
//! batch of them, each to a tolerance, by Gauss and Kronrod's rules, and [`TanhSinh`] one by
//! rules for functions that are infinite or steep at their limits. [`Fourier`] is a batch of integrals of a
//! formula and a wave, to infinity. [`Cubature`] is an integral
//! over a box of several dimensions, to a tolerance, [`Vegas`], [`Lattice`] and [`Sobol`] one of up
//! to 32, from random points or more even ones. Which integrands
//! there are says [`catalogue`](quadscan_kernels::integrate::catalogue); an application adds
//! its own with [`integrands!`](quadscan_kernels::integrands) in its crate of kernels, or writes
//! a [`Formula`], which needs no compiler of Rust; [`Outputs`] is a batch of integrals of several. [`samples`] are functions of which a table is known.
//!
//! ```
//! use quadscan::device::{Artifact, Device, DeviceChoice};
//! use quadscan::integrate::{Composite, Rule};
//! use quadscan_kernels::integrate::catalogue::QuarterCircle;
//!
//! # fn main() -> quadscan::Result<()> {
//! let device = Device::open(DeviceChoice::Auto)?;
//! # /*
//! let module = device.load(&Artifact::embedded()?)?;
//! # */ let folder = std::env::var("QUADSCAN_ARTIFACT").expect("`cargo xtask test` sets it");
//! # let module = device.load(&unsafe { Artifact::read(folder) }?)?;
//! let mut value = device.alloc(1)?;
//!
//! let mut plan = Composite::<f64>::of::<QuarterCircle>(&module, 1 << 16)?;
//! plan.integrate(Rule::Trapezoid, 1 << 16, (0.0, 1.0), &[], &mut value)?;
//! let [quarter] = value.to_vec()?[..] else { unreachable!() };
//! assert!((4.0 * quarter - std::f64::consts::PI).abs() < 1e-6);
//! # Ok(())
//! # }
//! ```

mod adaptive;
mod batch;
mod composite;
mod cubature;
pub mod formula;
mod fourier;
mod items;
mod monte_carlo;
pub mod names;
mod outputs;
mod refuse;
pub mod samples;
mod sharded;
mod sorted;
mod subject;
mod tanh_sinh;

pub use crate::error::FormulaError;
pub use adaptive::{Adaptive, Options};
pub use batch::Batch;
pub use composite::Composite;
pub use cubature::{Cubature, CubatureOptions, Cubed, CubedRegion, Status};
pub use formula::Formula;
pub use fourier::{Fourier, FourierOptions, Wave};
pub use items::Items;
pub use monte_carlo::{
    Estimate, Lattice, LatticeOptions, PointSet, QuasiMonteCarlo, Rank1, SamplingStatus, Scrambled,
    Sobol, SobolOptions, Vegas, VegasOptions,
};
pub use outputs::{Outputs, norm};
pub use quadscan_kernels::integrate::integrand::{Integrand, MAX_PARAMETERS, Parameters, Point};
pub use quadscan_kernels::integrate::launch::{Entry, IntegrandKernels, Kernels};
pub use quadscan_kernels::integrate::outcome::{
    CONVERGED, NO_LIMITS, NOT_FINITE, OUT_OF_INTERVALS, OVERFLOW, Outcome, ROUNDOFF,
};
pub use quadscan_kernels::integrate::real::Real;
pub use quadscan_kernels::integrate::rules::{GaussKronrod, Rule};
pub use sharded::ShardedComposite;
pub use tanh_sinh::{TanhSinh, TanhSinhOptions};
