//! Launches of the kernels that misbehave on purpose. The only file that names
//! them.

use std::time::Duration;

use quadscan_kernels::diagnostics::{fault, hang};

use quadscan::Result;
use quadscan::device::{LaunchShape, Module};

/// An address that no allocation has.
const INVALID_ADDRESS: u64 = 0x40;

/// Writes to an invalid address and waits: the device's error.
pub(crate) fn run_fault(module: &Module) -> Result<()> {
    let shape = LaunchShape::new(1, 1);
    // SAFETY: the store is meant to be refused by the device's memory management,
    // and no buffer is given; the process gives up its context afterwards.
    unsafe { module.launch_unchecked(fault, shape, (INVALID_ADDRESS, 1_u32)) }?;
    module.device().synchronize()
}

/// Spins for `duration` and waits. The time that the kernel spent.
pub(crate) fn run_hang(module: &Module, duration: Duration) -> Result<Duration> {
    let device = module.device();
    let mut spent = device.alloc_zeroed::<u64>(1)?;
    let nanoseconds = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
    module.launch(hang, LaunchShape::new(1, 1), (nanoseconds, &mut spent))?;
    let spent = spent.to_vec()?;
    Ok(Duration::from_nanos(
        spent.first().copied().unwrap_or_default(),
    ))
}
