//! The measuring process: cells are measured in a child of the run, so that a
//! kernel that faults or hangs takes the child with it and not the run.
//!
//! [`Executor`] is what the run sees; [`child::Child`] starts, watches and
//! restarts the process; [`serve`] is the process's own loop over a
//! [`serve::Laboratory`], which [`device`] implements on a real device.

mod activity;
pub mod child;
mod concurrent;
mod conditions;
#[cfg(test)]
pub(crate) mod cpu;
pub mod device;
mod integral;
mod integrals;
mod kernel;
mod kernel_times;
mod libraries;
mod limits;
mod mapping;
pub mod panel;
pub mod protocol;
mod scan_times;
pub mod serve;
mod sums;
pub(crate) mod workload;

use std::time::Duration;

use quadscan::device::DeviceChoice;

use crate::cli::WorkerArguments;
pub use mapping::OTHER_SCHEDULES;
use protocol::{Job, Reading};

impl WorkerArguments {
    /// The device, with its schedule.
    ///
    /// # Errors
    ///
    /// [`quadscan::Error::UnknownDevice`].
    pub fn device(&self) -> quadscan::Result<DeviceChoice> {
        Ok(match self.device.parse()? {
            DeviceChoice::Emulator { .. } => DeviceChoice::Emulator {
                schedule: self.schedule,
            },
            other => other,
        })
    }
}

/// Carries out jobs on a device.
pub trait Executor {
    /// Carries out one job within `limit`. The reason in one sentence when it
    /// fails; the executor is ready for the next job in any case.
    fn run(&mut self, job: &Job, limit: Duration) -> Result<Reading, String>;
}
