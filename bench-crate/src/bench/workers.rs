//! The measuring processes of a run: they are started, report their device, and measure cells.
//! If there are none, there is a reason.

use std::sync::Arc;
use std::time::Duration;

use super::ranks::{Others, Together};
use super::request::Request;
use crate::error::{Error, Result};
use crate::measure::{Measurement, Sampling};
use crate::ranks::Ranks;
use crate::record::{Cell, DeviceInfo};
use crate::table::Table;
use crate::worker::Executor;
use crate::worker::child::{Child, Program, Start};
use crate::worker::pool::Pool;
use crate::worker::protocol::{Greeting, Job};
use quadscan::device::DeviceChoice;

/// What measures on the device, or why nothing does.
pub(super) struct Workers {
    held: std::result::Result<(Box<dyn Executor>, DeviceInfo), String>,
    jobs: u64,
}

impl Workers {
    /// An executor that holds a device.
    pub(super) fn of(executor: Box<dyn Executor>, device: DeviceInfo) -> Self {
        Workers {
            held: Ok((executor, device)),
            jobs: 0,
        }
    }

    /// None, for this reason.
    pub(super) fn none(reason: impl Into<String>) -> Self {
        Workers {
            held: Err(reason.into()),
            jobs: 0,
        }
    }

    /// Starts as many processes as are asked for, and one on an emulator, whose times could not
    /// differ; and sentences for people: which device it is, and why, and why its clocks are not
    /// known. Err when a device was asked for by name and is not there, or cannot run the PTX.
    pub(super) fn start(request: &Request, processes: u32) -> Result<(Self, Vec<String>)> {
        let nothing = |reason: String| {
            let notice = format!("{reason}; the columns of the device stay empty");
            Ok((Workers::none(reason), vec![notice]))
        };
        if !request.uses_device() {
            return nothing("no table asks for a device".into());
        }
        let program = program(request)?;
        let start = Child::start(program.clone()).map_err(|problem| Error::Worker { problem })?;
        match start {
            Start::Ready(child, greeting) => {
                let mut notices = vec![introduction(request.device, &greeting)];
                notices.extend(greeting.no_clocks.clone());
                let is_one = processes == 1 || greeting.device.is_emulated();
                let executor: Box<dyn Executor> = if is_one {
                    child
                } else {
                    let (pool, notice) = pool(&program, *child, &greeting, processes);
                    notices.extend(notice);
                    Box::new(pool)
                };
                Ok((Workers::of(executor, greeting.device), notices))
            }
            Start::NoDevice(reason) if request.device == DeviceChoice::Auto => {
                nothing(format!("no device: {reason}"))
            }
            Start::NoDevice(reason) => Err(Error::Argument {
                argument: "--device".into(),
                problem: format!(
                    "{} is not available: {reason}; --device auto uses the emulator instead",
                    request.device
                ),
            }),
            Start::Refused(problem) => Err(Error::Refused { problem }),
        }
    }

    /// The device. Err says why there is none.
    pub(super) fn device(&self) -> std::result::Result<&DeviceInfo, &str> {
        match &self.held {
            Ok((_, device)) => Ok(device),
            Err(reason) => Err(reason),
        }
    }

    /// Whether the device has times.
    pub(super) fn has_timer(&self) -> bool {
        self.device().is_ok_and(|device| !device.is_emulated())
    }

    /// Whether it is an emulator, which has none.
    pub(super) fn is_emulated(&self) -> bool {
        self.device().is_ok_and(DeviceInfo::is_emulated)
    }

    /// These and those of the other processes, where there are others. They end where these are none.
    pub(super) fn among(self, ranks: &Arc<Ranks>) -> Self {
        if ranks.is_alone() {
            return self;
        }
        let others = Others::of(ranks);
        let held = self.held.map(|(executor, device)| {
            let together = Together::new(executor, others);
            (Box::new(together) as Box<dyn Executor>, device)
        });
        Workers { held, ..self }
    }

    /// Carries out a job of another process.
    pub(super) fn carry_out(
        &mut self,
        job: &Job,
        patience: Duration,
    ) -> std::result::Result<Measurement, String> {
        let (executor, _) = self.held.as_mut().map_err(|reason| reason.clone())?;
        executor.run(job, patience)
    }

    /// Measures a cell. Err in one sentence when it fails; the next cell is measured in any case.
    pub(super) fn measure(
        &mut self,
        (table, cell): (&Table, &Cell),
        sampling: Sampling,
        patience: Duration,
    ) -> std::result::Result<Measurement, String> {
        self.jobs += 1;
        let job = Job {
            id: self.jobs,
            table: table.name.to_owned(),
            cell: cell.clone(),
            sampling,
        };
        self.carry_out(&job, patience)
    }
}

/// This process and others like it, started at the same time; and what to say when
/// not all of them hold the device.
fn pool(
    program: &Program,
    first: Child,
    greeting: &Greeting,
    processes: u32,
) -> (Pool<Child>, Option<String>) {
    let starts: Vec<_> = std::thread::scope(|scope| {
        let starting: Vec<_> = (1..processes)
            .map(|_| scope.spawn(|| Child::start(program.clone())))
            .collect();
        let started = starting.into_iter().map(|thread| thread.join());
        started.collect()
    });
    let mut members = vec![first];
    let mut problem = None;
    for start in starts {
        match start {
            Ok(Ok(Start::Ready(child, other))) if other.device == greeting.device => {
                members.push(*child);
            }
            Ok(Ok(Start::Ready(..))) => problem = Some("it has another device".to_owned()),
            Ok(Ok(Start::NoDevice(reason) | Start::Refused(reason)) | Err(reason)) => {
                problem = Some(reason);
            }
            Err(_) => problem = Some("its thread ended".to_owned()),
        }
    }
    let notice = problem.map(|problem| {
        format!(
            "{} of {processes} measuring processes hold the device, the others do not: {problem}",
            members.len()
        )
    });
    (Pool::new(members), notice)
}

/// Which device measures, and why this one.
fn introduction(asked: DeviceChoice, greeting: &Greeting) -> String {
    let why = match (&greeting.no_gpu, asked) {
        (Some(reason), _) => format!("since there is no GPU ({reason})"),
        (None, DeviceChoice::Auto) => "the first GPU of this machine".to_owned(),
        (
            None,
            DeviceChoice::Emulator {
                schedule: Some(seed),
            },
        ) => {
            format!("as asked for, with schedule {seed}")
        }
        (None, _) => "as asked for".to_owned(),
    };
    let info = &greeting.device;
    let what = if info.is_emulated() {
        "; it gives results and counts, and no times"
    } else {
        ""
    };
    format!("device: {}, {why}{what}", info.name)
}

/// The measuring program: this one, as `quadscan worker`, unless another is named.
fn program(request: &Request) -> Result<Program> {
    let executable = match &request.worker {
        Some(program) => program.clone(),
        None => std::env::current_exe().map_err(|e| Error::Worker {
            problem: e.to_string(),
        })?,
    };
    let device = request.device.to_string();
    let mut arguments = vec!["worker".into(), "--device".into(), device.into()];
    if let DeviceChoice::Emulator {
        schedule: Some(seed),
    } = request.device
    {
        arguments.extend(["--schedule".into(), seed.to_string().into()]);
    }
    if let Some(folder) = &request.artifact {
        arguments.extend(["--artifact".into(), folder.into()]);
    }
    let modules: Vec<String> = request.modules().into_iter().collect();
    if !modules.is_empty() {
        arguments.extend(["--modules".into(), modules.join(",").into()]);
    }
    if request.no_pdl {
        arguments.push("--no-pdl".into());
    }
    Ok(Program::new(executable, arguments))
}
