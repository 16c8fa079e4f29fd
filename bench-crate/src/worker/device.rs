//! The laboratory on a device: launches, times where there is a timer, counts where
//! the device does, and compares with the oracle.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bytemuck::Pod;

use super::activity;
use super::concurrent::{self, Companion};
use super::conditions::Conditions;
use super::kernel;
use super::kernel_times::KernelTimes;
use super::libraries::Libraries;
use super::limits;
use super::mapping::Mappings;
use super::protocol::{
    Algorithm, Answer, Diagnostic, Greeting, Job, Peer, PeerKernel, Reading, Task,
};
use super::scan_times::ScanTimes;
use super::serve::{self, Failure, Laboratory};
use super::sums::{Sum, peer_difference};
use super::workload;
use super::{integral, integrals};
use crate::diagnostics;
use crate::measure::{Rule, device as timing};
use crate::modules;
use crate::oracle::Precision;
use crate::oracle::quarter_circle::{self, Partials};
use crate::peers;
use crate::record::{DeviceInfo, Multiprocessors};
use crate::trapezoid::{self, Grid};
use quadscan::device::emulator::{Counting, Emulator, LastSteps, Settings};
use quadscan::device::{Artifact, Buffer, Device, DeviceChoice, LaunchShape, Module};
use quadscan::{Error, Result};

/// How long the hanging kernel spins: longer than anybody waits for it, and not
/// forever.
const HANG: Duration = Duration::from_secs(120);

/// Opens the device, loads the PTX and serves, with launches that wait for each other or not; or
/// says on one line why not.
pub fn serve(
    device: Result<DeviceChoice>,
    artifact: Option<&Path>,
    modules: &[String],
    one_by_one: bool,
    input: impl IntoIterator<Item = io::Result<String>>,
    output: &mut dyn Write,
) -> io::Result<()> {
    match device.and_then(|device| DeviceLaboratory::open(device, artifact, modules)) {
        Ok(mut laboratory) => {
            laboratory.device.launch_one_by_one(one_by_one);
            serve::serve(&mut laboratory, input, output)
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
struct DeviceLaboratory {
    device: Device,
    steps: Option<LastSteps>,
    module: Module,
    greeting: Greeting,
    partials: HashMap<(Precision, u64, u64), Partials>,
    peers: HashMap<PathBuf, Module>,
    libraries: Libraries<peers::library::Peer>,
    integrators: Libraries<peers::integral::Peer>,
    artifact: Artifact,
    scan_times: ScanTimes,
    /// Opened when a scan is to run beside it.
    companion: Option<Companion>,
    mappings: Mappings,
}

fn version(version: (u32, u32)) -> String {
    format!("{}.{}", version.0, version.1)
}

impl DeviceLaboratory {
    fn open(device: DeviceChoice, artifact: Option<&Path>, modules: &[String]) -> Result<Self> {
        let opened = Opened::new(device)?;
        // SAFETY: whoever names a folder with --artifact vouches that it was
        // built from this program's kernels; every sum is checked besides.
        let artifact = unsafe { modules::artifact(artifact, modules) }?;
        Self::new(opened, &artifact, modules)
    }

    fn new(opened: Opened, artifact: &Artifact, modules: &[String]) -> Result<Self> {
        let Opened {
            device,
            no_gpu,
            schedule,
            steps,
        } = opened;
        let module = device.load(artifact)?;
        let properties = device.properties();
        let ptx_arch = module
            .manifest()
            .map(|module| module.arch.clone())
            .unwrap_or_default();
        let ptx_sha256 = modules::hash(artifact, &ptx_arch, modules);
        let info = DeviceInfo {
            name: properties.name.clone(),
            kind: properties.kind.to_owned(),
            compute_capability: version(properties.compute_capability),
            driver: properties.driver.clone(),
            cuda_version: properties.driver_version.map(version),
            ptx_sha256,
            ptx_arch,
            rustc: artifact.manifest().rustc.clone(),
            llvm: artifact.manifest().llvm.clone(),
            multiprocessors: Some(Multiprocessors {
                count: properties.multiprocessors,
                max_threads: properties.max_threads_per_multiprocessor,
                max_blocks: properties.max_blocks_per_multiprocessor,
                registers: properties.registers_per_multiprocessor,
            }),
        };
        let no_clocks = crate::clocks::read(&device)
            .err()
            .map(|error| error.to_string());
        // An emulator's clocks are nobody's loss.
        let no_clocks = no_clocks.filter(|_| device.properties().has_timer);
        Ok(DeviceLaboratory {
            device,
            steps,
            module,
            greeting: Greeting {
                device: info,
                no_gpu,
                no_clocks,
            },
            partials: HashMap::new(),
            peers: HashMap::new(),
            libraries: Libraries::default(),
            integrators: Libraries::default(),
            artifact: artifact.clone(),
            scan_times: ScanTimes::default(),
            companion: None,
            mappings: Mappings::new(artifact.clone(), schedule),
        })
    }

    /// The oracle's partial sums, computed once.
    fn expected(&mut self, precision: Precision, grid: Grid) -> &Partials {
        self.partials
            .entry((precision, grid.strips, grid.partials()))
            .or_insert_with(|| quarter_circle::partials(precision, grid.strips, grid.partials()))
    }

    fn quarter_circle(&mut self, job: &Job, precision: Precision, grid: Grid) -> Result<Reading> {
        let module = self.module.clone();
        match precision {
            Precision::F64 => self.sums::<f64>(job, precision, grid, |buffer| {
                trapezoid::f64_partials(&module, grid, buffer)
            }),
            Precision::F32 => self.sums::<f32>(job, precision, grid, |buffer| {
                trapezoid::f32_partials(&module, grid, buffer)
            }),
            Precision::F32Pure => self.sums::<f32>(job, precision, grid, |buffer| {
                trapezoid::f32_pure_partials(&module, grid, buffer)
            }),
            Precision::F32Kahan => self.sums::<f32>(job, precision, grid, |buffer| {
                trapezoid::f32_kahan_partials(&module, grid, buffer)
            }),
            Precision::F32Pairwise => self.sums::<f32>(job, precision, grid, |buffer| {
                trapezoid::f32_pairwise_partials(&module, grid, buffer)
            }),
            Precision::F32DoubleFloat => self.sums::<[f32; 2]>(job, precision, grid, |buffer| {
                trapezoid::f32_double_float_partials(&module, grid, buffer)
            }),
        }
    }

    fn sums<T: Sum>(
        &mut self,
        job: &Job,
        precision: Precision,
        grid: Grid,
        mut launch: impl FnMut(&mut Buffer<T>) -> Result<()>,
    ) -> Result<Reading> {
        let mut partials = vec![T::zeroed(); grid.partials() as usize];
        let mut buffer = self.device.alloc_zeroed::<T>(partials.len())?;
        if job.untimed || !self.device.properties().has_timer {
            // Once: every launch gives the same, and no time is asked for or had.
            launch(&mut buffer)?;
            buffer.copy_to(&mut partials)?;
            return Ok(Reading {
                total: Some(T::in_order(&partials, precision)),
                wrong: T::first_difference(&partials, self.expected(precision, grid)),
                ..Reading::default()
            });
        }
        let (begin, rule) = (Instant::now(), Rule::new(job.repeat));
        let gpu = timing::span(&rule, &self.device, &mut buffer, &mut partials, &mut launch)?;
        // Without the oracle's time, which comes next.
        let spent = begin.elapsed();
        let wrong = if job.checked {
            None
        } else {
            T::first_difference(&partials, self.expected(precision, grid))
        };
        let total = Some(T::in_order(&partials, precision));

        let mut reading = Reading {
            total,
            gpu,
            wrong,
            ..Reading::default()
        };
        let mut peers = Vec::new();
        if let Some(Peer::Kernel(asked)) = &job.peer {
            match self.peers(asked, precision, grid, &mut partials) {
                Ok(Ok(found)) => {
                    peers = found;
                    reading.nvcc_total = Some(T::in_order(&partials, precision));
                }
                Ok(Err(wrong)) => reading.peer_problem = Some(format!("--peers: {wrong}")),
                Err(error) if error.is_context_lost() => return Err(error),
                Err(error) => reading.peer_problem = Some(format!("--peers: {error}")),
            }
        }
        let theirs: Vec<_> = peers.iter().map(|peer| || peer.launch()).collect();
        let times = KernelTimes {
            device: &self.device,
            job,
            spent,
        };
        times.fill(&mut reading, &mut || launch(&mut buffer), theirs)?;
        Ok(reading)
    }

    /// Loads the peer's forms, the published one first, launches each once and
    /// compares its result; `partials` is the published one's. The inner Err says
    /// which result is wrong: none of them is worth a time then.
    fn peers<T: Sum>(
        &mut self,
        peer: &PeerKernel,
        precision: Precision,
        grid: Grid,
        partials: &mut [T],
    ) -> Result<std::result::Result<Vec<LoadedPeer<T>>, String>> {
        let module = match self.peers.get(&peer.cubin) {
            Some(module) => module.clone(),
            None => {
                let bytes = std::fs::read(&peer.cubin).map_err(|source| Error::Unreadable {
                    path: peer.cubin.clone(),
                    source,
                })?;
                let module = self.device.load_cubin(&bytes)?;
                self.peers.insert(peer.cubin.clone(), module.clone());
                module
            }
        };
        let mut loaded = Vec::new();
        for entry in peer.dyadic_entry.iter().chain([&peer.entry]) {
            let form = LoadedPeer {
                module: module.clone(),
                entry: entry.clone(),
                shape: LaunchShape::new(grid.blocks, grid.threads),
                buffer: self.device.alloc_zeroed::<T>(partials.len())?,
            };
            form.launch()?;
            form.buffer.copy_to(partials)?;
            let expected = self.expected(precision, grid);
            if let Some(wrong) = peer_difference(partials, expected, precision, grid.strips) {
                return Ok(Err(format!("{entry} is wrong and not timed: {wrong}")));
            }
            loaded.insert(0, form);
        }
        Ok(Ok(loaded))
    }

    fn activity(&mut self, job: &Job, algorithm: Algorithm, n: u32, step: u32) -> Result<Reading> {
        let reading = activity::measure(&self.module, self.steps.as_ref(), algorithm, n, step)?;
        if job.untimed {
            return Ok(reading);
        }
        self.scan_times
            .fill(reading, &self.module, job.repeat, algorithm, n)
    }

    fn concurrent(&mut self, job: &Job, algorithm: Algorithm, n: u32) -> Result<Reading> {
        if job.untimed || !self.device.properties().has_timer {
            return concurrent::results(&self.module, algorithm, n);
        }
        let companion = match &mut self.companion {
            Some(companion) => companion,
            closed => closed.insert(Companion::open(&self.module, &self.artifact)?),
        };
        let rule = Rule::new(job.repeat);
        concurrent::measure(&self.module, companion, &rule, algorithm, n)
    }

    fn diagnostic(&self, kind: Diagnostic) -> Result<Reading> {
        match kind {
            Diagnostic::Healthy => {
                diagnostics::run_hang(&self.module, Duration::from_millis(1))?;
            }
            Diagnostic::Fault => diagnostics::run_fault(&self.module)?,
            Diagnostic::Hang => {
                diagnostics::run_hang(&self.module, HANG)?;
            }
        }
        Ok(Reading::default())
    }
}

impl Laboratory for DeviceLaboratory {
    fn greeting(&self) -> Greeting {
        self.greeting.clone()
    }

    fn carry_out(&mut self, job: &Job) -> std::result::Result<Reading, Failure> {
        // What an earlier job left is not this one's.
        self.device.take_counts();
        let conditions = Conditions::now(&self.device);
        let result = match job.task {
            Task::QuarterCircle {
                precision,
                strips,
                blocks,
                threads,
            } => self.quarter_circle(
                job,
                precision,
                Grid {
                    strips,
                    blocks,
                    threads,
                },
            ),
            Task::Activity { algorithm, n, step } => self.activity(job, algorithm, n, step),
            Task::Concurrent { algorithm, n } => self.concurrent(job, algorithm, n),
            Task::Limit { limit } => limits::measure(&self.module, job, limit),
            Task::Mapping {
                way,
                strips,
                blocks,
                threads,
            } => {
                let grid = Grid {
                    strips,
                    blocks,
                    threads,
                };
                self.mappings.measure(&self.module, job, way, grid)
            }
            Task::Workload { .. } => workload::measure(&self.module, &mut self.libraries, job),
            Task::Integral { .. } => integral::measure(&self.module, &mut self.integrators, job),
            Task::Integrals { .. } => integrals::measure(&self.module, job),
            Task::Kernel { ref kernel, n } => kernel::measure(&self.module, job, kernel, n),
            Task::Diagnostic { kind } => self.diagnostic(kind),
        };
        let counted = result.map(|reading| Reading {
            counts: self.device.take_counts(),
            clocks: conditions.until_now(&self.device),
            ..reading
        });
        counted.map_err(|error| Failure {
            reason: error.to_string(),
            lost: error.is_context_lost(),
        })
    }
}

/// The peer's kernel with its own partial sums.
struct LoadedPeer<T: Pod> {
    module: Module,
    entry: String,
    shape: LaunchShape,
    buffer: Buffer<T>,
}

impl<T: Pod> LoadedPeer<T> {
    fn launch(&self) -> Result<()> {
        // SAFETY: the peer's entries have one parameter, the address of
        // blocks * threads partial sums, and `buffer` holds as many.
        unsafe {
            self.module
                .launch_raw(&self.entry, self.shape, &[self.buffer.actual()])
        }
    }
}

#[cfg(test)]
#[path = "device_tests.rs"]
mod tests;
