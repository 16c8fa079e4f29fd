//! Prefix scan of an array on the device: any number of elements, any associative operator.
//!
//! A [`Plan`] is made once for an operator and a number of elements, and scans as often as
//! it is asked to. The kernels, and in what order each combines, are
//! [`quadscan_kernels::scan`]'s; which of them scans is `choice`'s; operators are
//! [`quadscan_kernels::operator`]'s.
//!
//! ```
//! use quadscan::device::{Artifact, Device, DeviceChoice};
//! use quadscan::scan::{Plan, Sum};
//!
//! # fn main() -> quadscan::Result<()> {
//! # let choice = DeviceChoice::Emulator { schedule: None };
//! # /*
//! let device = Device::open(DeviceChoice::Auto)?;
//! # */ let device = Device::open(choice)?;
//! # /*
//! let module = device.load(&Artifact::embedded()?)?;
//! # */ let folder = std::env::var("QUADSCAN_ARTIFACT").expect("`cargo xtask test` sets it");
//! # let module = device.load(&unsafe { Artifact::read(folder) }?)?;
//! let input = device.upload(&[3u32, 1, 4, 1, 5])?;
//! let mut output = device.alloc::<u32>(5)?;
//!
//! let mut plan = Plan::<Sum<u32>>::new(&module, 5)?;
//! plan.inclusive(&input, &mut output)?;
//! assert_eq!(output.to_vec()?, [3, 4, 8, 9, 14]);
//! plan.exclusive_with(100, &input, &mut output)?;
//! assert_eq!(output.to_vec()?, [100, 103, 104, 108, 109]);
//! # Ok(())
//! # }
//! ```
//!
//! An operator of an application's own is used in the same way, with the module of the
//! artifact that its crate of kernels is built to: see
//! [`scan_kernels!`](quadscan_kernels::scan_kernels).
//!
//! **Bits of floats.** What a scan gives depends on the order in which it combines. Every
//! kernel that a plan chooses has one order, which depends on the number of elements alone,
//! not on which block was first nor on how many there are. So the same scan gives the same
//! bits from run to run. From GPU to GPU it does when it is asked to ([`Reproducibility`]).
//!
//! **Algorithms.** [`Algorithm`] names all, those that a plan chooses from and the published
//! ones that they are compared with; [`Options::algorithm`] asks for one.

mod axis;
mod choice;
mod launch;
mod methods;
mod options;
mod plan;
mod segment_source;
mod segmented;
mod sharded;
mod textbook;

pub use crate::reduce::Offsets;
pub use axis::AxisPlan;
pub use options::{Options, Reproducibility};
pub use plan::{Counted, Plan};
pub use quadscan_kernels::operator::{
    Affine, BitAnd, BitOr, BitXor, Compose, Identity, Max, Min, Operator, Product, Sum,
    SumOfSquares,
};
pub use quadscan_kernels::scan::launch::UnknownAlgorithm;
pub use quadscan_kernels::scan::{Algorithm, ScanKernels, SegmentedScanKernels};
pub use segmented::{SegmentedPlan, Segments};
pub use sharded::{ShardedPlan, ShardedSegmentedPlan, ShardedSegments};
