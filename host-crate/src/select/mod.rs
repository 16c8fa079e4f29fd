//! Stream compaction: the elements of an array that a predicate, flags or their neighbours choose,
//! one behind the other, in their order.
//!
//! A [`Plan`] is made once for a [`Predicate`] and a number of elements, and selects as often as
//! it is asked to. Comparisons with a number ([`Compare`], a [`Condition`] each time) are there for
//! all types that scans have:
//!
//! ```
//! use quadscan::device::{Artifact, Device, DeviceChoice};
//! use quadscan::select::{Compare, Condition, Plan};
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
//! let input = device.upload(&[3, -1, 4, 4, -5])?;
//! let mut output = device.alloc::<i32>(5)?;
//! let mut count = device.alloc::<u64>(1)?;
//!
//! let mut plan = Plan::<Compare<i32>>::new(&module, 5)?;
//! plan.select(Condition::greater(0), &input, &mut output, &mut count)?;
//! let selected = count.to_vec()?[0] as usize;
//! assert_eq!(output.slice(..selected)?.to_vec()?, [3, 4, 4]);
//! plan.unique(&input, &mut output, &mut count)?;
//! assert_eq!(output.slice(..4)?.to_vec()?, [3, -1, 4, -5]);
//! plan.partition(Condition::greater(0), &input, &mut output, &mut count)?;
//! assert_eq!(output.to_vec()?, [3, 4, 4, -5, -1]);
//! # Ok(())
//! # }
//! ```
//!
//! A predicate of an application's own is used in the same way, with the module of the artifact
//! that its crate of kernels is built to: see
//! [`select_kernels!`](quadscan_kernels::select_kernels). Elements of 16 bytes that are not numbers have
//! [`AnyBit`], for flags and runs.
//!
//! [`ShardedPlan`] selects from an array that is on several devices.
//!
//! The result depends on the elements alone, not on the device or the grid.

mod plan;
mod sharded;

pub use plan::Plan;
pub use quadscan_kernels::select::{
    AnyBit, Comparable, Compare, Condition, Predicate, SelectKernels,
};
pub use sharded::ShardedPlan;
