//! What led to a finding: the last lines that its thread went through before.
//!
//! Nothing is kept while kernels are checked. The test that showed a finding runs once more, under the
//! same schedule and the same checks, and the finding's thread is followed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use quadscan::device::emulator::ptx_emulator::{Checks, Finding, Gpu, LaunchError, Report};
use quadscan::device::emulator::{Emulator, Launch, Observation, Settings};
use quadscan::device::{Artifact, Device};

use super::steps::Steps;
use crate::suite::{Bench, Case};

/// Lines that are shown.
const SHOWN: usize = 10;

/// Instructions that are kept, enough for those lines.
const KEPT: usize = 1 << 14;

/// Checks every launch, and follows the finding's thread in those of its kernel until one shows it.
struct Leading {
    finding: Finding,
    told: Arc<Mutex<Option<String>>>,
}

impl Observation for Leading {
    fn run(&mut self, gpu: &mut Gpu, launch: &Launch<'_>) -> Result<Report, LaunchError> {
        let finding = &self.finding;
        let ([x, y, z], [width, height, _]) = (finding.at.thread, launch.shape.block);
        let thread = x + width * (y + height * z);
        let steps = Steps::first(launch.program, finding.at.block, thread, KEPT);
        let (checked, steps) = gpu.check_observed(
            launch.program,
            launch.kernel,
            launch.shape,
            launch.parameters,
            &launch.options,
            Checks::all(),
            steps.last((!finding.stopped).then_some(finding.at.pc)),
        )?;
        let is_it = |other: &Finding| other.same_as(finding) && other.at == finding.at;
        let mut told = self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.is_none() && checked.findings.iter().any(is_it) {
            *told = Some(lines(&steps.lines()));
        }
        checked.outcome.map(|()| checked.report)
    }
}

/// The last lines of a way; nothing where the PTX has none.
fn lines(lines: &[String]) -> String {
    let last = &lines[lines.len().saturating_sub(SHOWN)..];
    let last: String = last.iter().map(|line| format!("\n  {line}")).collect();
    match last.is_empty() {
        true => last,
        false => format!("\n  the thread came there by{last}"),
    }
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
