//! The measuring process on a device: opens it, loads the PTX, and has tables measure their
//! cells.

use std::io::{self, Write};
use std::path::Path;

use super::conditions::Conditions;
use super::protocol::{Answer, Greeting, Job};
use super::serve::{self, Failure, Server};
use crate::measure::{Bench, Measurement, Session};
use crate::modules;
use crate::record::{DeviceInfo, SmLimits, Status};
use crate::tables;
use quadscan::device::emulator::{Counting, Emulator, LastSteps, Settings};
use quadscan::device::{Artifact, Device, DeviceChoice};
use quadscan::{Error, Result};

/// Opens the device, loads the PTX and serves, with launches that wait for each other or not; or
/// says on one line why not.
pub fn serve(
    device: Result<DeviceChoice>,
    artifact: Option<&Path>,
    modules: &[String],
    no_pdl: bool,
    input: impl IntoIterator<Item = io::Result<String>>,
    output: &mut dyn Write,
) -> io::Result<()> {
    match device.and_then(|device| Loaded::open(device, artifact, modules)) {
        Ok(mut loaded) => {
            loaded.session.device.set_pdl(!no_pdl);
            serve::serve(&mut loaded, input, output)
        }
        Err(Error::NoDevice { reason }) => serve::decline(output, &Answer::NoDevice { reason }),
        Err(error) => serve::decline(
            output,
            &Answer::Refused {
                reason: error.to_string(),
            },
        ),
    }
}

/// An open device.
struct Opened {
    device: Device,
    /// Why it is no GPU, when the best device was asked for.
    no_gpu: Option<String>,
    /// The schedule of the emulator that was asked for.
    schedule: Option<u64>,
    /// What the last launch did step by step, on the emulator.
    steps: Option<LastSteps>,
}

impl Opened {
    /// Opens a device; launches on the emulator are counted.
    fn new(choice: DeviceChoice) -> Result<Self> {
        let counting = Counting::default();
        let counted = counting.steps();
        let emulator = |schedule| {
            let settings = Settings {
                schedule,
                ..Settings::default()
            };
            Device::from_backend(Box::new(Emulator::observed(settings, Box::new(counting))))
        };
        let (device, no_gpu) = match choice {
            DeviceChoice::Auto => Device::open_best_or(|| Some(emulator(None)))?,
            DeviceChoice::Cuda(_) => (Device::open(choice)?, None),
            DeviceChoice::Emulator { schedule } => (emulator(schedule), None),
        };
        let steps = (!device.properties().has_timer).then_some(counted);
        let schedule = match choice {
            DeviceChoice::Emulator { schedule } => schedule,
            DeviceChoice::Auto | DeviceChoice::Cuda(_) => None,
        };
        Ok(Opened {
            device,
            no_gpu,
            schedule,
            steps,
        })
    }
}

/// A device with the PTX loaded.
pub(crate) struct Loaded {
    session: Session,
    greeting: Greeting,
}

fn version(version: (u32, u32)) -> String {
    format!("{}.{}", version.0, version.1)
}

impl Loaded {
    fn open(device: DeviceChoice, artifact: Option<&Path>, modules: &[String]) -> Result<Self> {
        let opened = Opened::new(device)?;
        // SAFETY: whoever names a folder with --artifact vouches that it was
        // built from this program's kernels; every sum is checked besides.
        let artifact = unsafe { modules::artifact(artifact, modules) }?;
        Self::new(opened, artifact, modules)
    }

    /// With a device that is no real one.
    #[cfg(test)]
    pub(crate) fn with(device: Device, artifact: Artifact) -> Result<Self> {
        let opened = Opened {
            device,
            no_gpu: None,
            schedule: None,
            steps: None,
        };
        Self::new(opened, artifact, &[])
    }

    fn new(opened: Opened, artifact: Artifact, modules: &[String]) -> Result<Self> {
        let Opened {
            device,
            no_gpu,
            schedule,
            steps,
        } = opened;
        let module = device.load(&artifact)?;
        let properties = device.properties();
        let ptx_arch = module
            .manifest()
            .map(|module| module.arch.clone())
            .unwrap_or_default();
        let info = DeviceInfo {
            name: properties.name.clone(),
            kind: properties.kind.to_owned(),
            compute_capability: version(properties.compute_capability),
            driver: properties.driver.clone(),
            cuda_version: properties.driver_version.map(version),
            ptx_sha256: modules::hash(&artifact, &ptx_arch, modules),
            ptx_arch,
            rustc: artifact.manifest().rustc.clone(),
            llvm: artifact.manifest().llvm.clone(),
            sms: Some(SmLimits {
                count: properties.sm_count,
                max_threads: properties.max_threads_per_sm,
                max_blocks: properties.max_blocks_per_sm,
                registers: properties.registers_per_sm,
            }),
        };
        let no_clocks = crate::clocks::read(&device)
            .err()
            .map(|error| error.to_string());
        Ok(Loaded {
            greeting: Greeting {
                device: info,
                no_gpu,
                // An emulator's clocks are nobody's loss.
                no_clocks: no_clocks.filter(|_| properties.has_timer),
            },
            session: Session::new(module, artifact, steps, schedule),
        })
    }
}

impl Server for Loaded {
    fn greeting(&self) -> Greeting {
        self.greeting.clone()
    }

    fn carry_out(&mut self, job: &Job) -> std::result::Result<Measurement, Failure> {
        let Some(table) = tables::by_name(&job.table) else {
            return Err(Failure {
                reason: format!("there is no table `{}`", job.table),
                entries: Vec::new(),
                lost: false,
            });
        };
        let device = self.session.device.clone();
        // What an earlier job left is not this one's.
        device.take_counts();
        self.session.module.take_launched();
        let conditions = Conditions::now(&device);
        let mut bench = Bench::new(&mut self.session, &job.sampling, (table.name, &job.cell));
        let measured = (table.measure)(&job.cell, &mut bench);
        let mut found = bench.finish();
        let entries = self.session.module.take_launched();
        if let Err(error) = measured {
            return Err(Failure {
                reason: error.to_string(),
                entries,
                lost: error.is_context_lost(),
            });
        }
        let counts = device.take_counts();
        let record = &mut found.record;
        record.entries = entries;
        // Of nothing there are no counts, and not 0.
        record.counts = counts.filter(|_| record.status != Status::Skipped);
        record.clocks = conditions.until_now(&device);
        record.device = Some(self.greeting.device.clone());
        Ok(found)
    }
}

#[cfg(test)]
#[path = "device_tests.rs"]
mod tests;
