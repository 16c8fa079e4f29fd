//! The measuring process: cells are measured in a child of the run, so that a
//! kernel that faults or hangs takes the child with it and not the run.
//!
//! [`Executor`] is what the run sees; [`child::Child`] starts, watches and
//! restarts the process, [`pool::Pool`] is several of them as one; [`serve`] is the process's own
//! loop over a [`serve::Server`], which [`device`] is on a real device.

pub mod child;
mod conditions;
#[cfg(test)]
#[path = "tests/cpu.rs"]
pub(crate) mod cpu;
pub mod device;
pub mod pool;
pub mod protocol;
pub mod serve;

use std::time::Duration;

use quadscan::device::DeviceChoice;

use crate::cli::WorkerArguments;
use protocol::Job;

use crate::measure::Measurement;

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
    fn run(&mut self, job: &Job, limit: Duration) -> Result<Measurement, String>;
}
