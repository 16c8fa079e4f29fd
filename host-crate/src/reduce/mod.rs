//! Reductions: all elements of an array combined to one, in their order.
//!
//! [`Plan`] is for one array, [`SegmentedPlan`] for many segments of one, [`ShardedPlan`] for an array
//! that is on several devices. A plan holds what the kernels need beside their arguments, and can
//! be used again and again: but for the last one's, a call launches one kernel, allocates nothing, waits for nothing, and may
//! be [recorded](crate::device::Device::capture). Which operators have kernels says
//! [`quadscan_kernels::reduce::instances`].
//!
//! ```
//! use quadscan::device::{Artifact, Device, DeviceChoice};
//! use quadscan::reduce::Plan;
//! use quadscan_kernels::operator::Sum;
//!
//! # fn main() -> quadscan::Result<()> {
//! let device = Device::open(DeviceChoice::Auto)?;
//! # /*
//! let module = device.load(&Artifact::embedded()?)?;
//! # */ let folder = std::env::var("QUADSCAN_ARTIFACT").expect("`cargo xtask test` sets it");
//! # let module = device.load(&unsafe { Artifact::read(folder) }?)?;
//! let numbers = device.upload(&[1.0f32, 2.0, 3.0])?;
//! let mut sum = device.alloc(1)?;
//!
//! let mut plan = Plan::<Sum<f32>>::new(&module, numbers.len())?;
//! plan.reduce(&numbers, &mut sum)?;
//! assert_eq!(sum.to_vec()?, [6.0]);
//! # Ok(())
//! # }
//! ```

mod plan;
mod refuse;
mod segmented;
mod sharded;

use quadscan_kernels::reduce::sizes;

pub use plan::Plan;
pub use segmented::{Offsets, SegmentedPlan};
pub use sharded::ShardedPlan;

use crate::device::Module;

/// Blocks of a launch, where nobody says how many: so many on each SM.
fn default_blocks(module: &Module) -> u32 {
    let sms = module.device().properties().sm_count;
    let blocks = sms.saturating_mul(sizes::BLOCKS_PER_SM);
    blocks.clamp(1, sizes::MAX_BLOCKS)
}
