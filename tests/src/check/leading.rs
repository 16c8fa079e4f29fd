//! What led to a finding: the last lines that its thread went through before.
//!
//! Nothing is kept while kernels are checked. The test that showed a finding runs once more, under the
//! same schedule and the same checks, and the finding's thread is followed.

use std::collections::VecDeque;
use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use quadscan::device::emulator::ptx_emulator::observe::{Observer, Site};
use quadscan::device::emulator::ptx_emulator::{Checks, Class, Finding, Gpu, LaunchError};
use quadscan::device::emulator::ptx_emulator::{Program, Report};
use quadscan::device::emulator::{Emulator, Launch, Observation, Settings};
use quadscan::device::{Artifact, Device};

use super::trace::line;
use crate::suite::{Bench, Case};

/// Lines that are shown.
const SHOWN: usize = 10;

/// Instructions that are kept, enough for those lines.
const KEPT: usize = 1 << 14;

/// The last instructions of a thread: up to the first time that it comes to the finding, or to the
/// end where that stopped it.
struct Last {
    block: [u32; 3],
    warp: u32,
    lane: u32,
    /// The finding's instruction, once nothing more is kept behind it.
    end: Option<u32>,
    pcs: VecDeque<u32>,
}

impl Last {
    fn of(finding: &Finding, [width, height, _]: [u32; 3]) -> Self {
        let [x, y, z] = finding.at.thread;
        let linear = x + width * (y + height * z);
        Last {
            block: finding.at.block,
            warp: linear / 32,
            lane: linear % 32,
            end: (!finding.stopped).then_some(finding.at.pc),
            pcs: VecDeque::new(),
        }
    }
}

impl Observer for Last {
    const INSTRUCTIONS: bool = true;
    const SERIAL: bool = true;

    fn fork(&self) -> Self {
        Last {
            pcs: VecDeque::new(),
            ..*self
        }
    }

    fn merge(&mut self, other: Self) {
        self.pcs.extend(other.pcs);
    }

    fn instruction(&mut self, at: Site, _class: Class, active: u32, _path: u32) {
        let is_own = (at.block, at.warp) == (self.block, self.warp) && active >> self.lane & 1 != 0;
        if !is_own || self.end.is_some() && self.end == self.pcs.back().copied() {
            return;
        }
        if self.pcs.len() == KEPT {
            self.pcs.pop_front();
        }
        self.pcs.push_back(at.pc);
    }
}

/// Checks every launch, and follows the finding's thread in those of its kernel until one shows it.
struct Leading {
    finding: Finding,
    told: Arc<Mutex<Option<String>>>,
}

impl Observation for Leading {
    fn run(&mut self, gpu: &mut Gpu, launch: &Launch<'_>) -> Result<Report, LaunchError> {
        let (checked, last) = gpu.check_observed(
            launch.program,
            launch.kernel,
            launch.shape,
            launch.parameters,
            &launch.options,
            Checks::all(),
            Last::of(&self.finding, launch.shape.block),
        )?;
        let finding = &self.finding;
        let is_it = |other: &Finding| other.same_as(finding) && other.at == finding.at;
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_none() && checked.findings.iter().any(is_it) {
            *told = Some(lines(launch.program, &last.pcs));
        }
        checked.outcome.map(|()| checked.report)
    }
}

/// The last lines of a way, of the kernel's own crate; nothing where the PTX has none.
fn lines(program: &Program, pcs: &VecDeque<u32>) -> String {
    let places = pcs.iter().filter_map(|&pc| program.authors_line(pc));
    let mut places: Vec<String> = places.collect();
    places.dedup();
    let mut text = String::new();
    for (k, place) in places.iter().rev().take(SHOWN).rev().enumerate() {
        if k == 0 {
            text.push_str("\n  the thread came there by");
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "\n  {}", line(place).trim_end());
    }
    text
}

/// What led to a finding that a test shows under a schedule, to stand below it: lines, each after a
/// line end.
pub(super) fn leading(
    case: &Case,
    schedule: Option<u64>,
    finding: &Finding,
    artifact: &Artifact,
) -> String {
    let told = Arc::new(Mutex::new(None));
    let leading = Leading {
        finding: finding.clone(),
        told: told.clone(),
    };
    let settings = Settings {
        schedule,
        cores: 1,
        ..Settings::default()
    };
    let device = Device::from_backend(Box::new(Emulator::observed(settings, Box::new(leading))));
    // How the test ends was told when it was checked.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        (case.run)(&Bench::new(device, artifact.clone())?)
    }));
    let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
    told.take().unwrap_or_default()
}
