//! Launches of a kernel and of its mutants under all checks.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use quadscan::device::emulator::ptx_emulator::{
    Checked, Checks, Finding, FindingKind, Gpu, LaunchError, LaunchOptions, Program, Report,
    Schedule, check::Place,
};
use quadscan::device::emulator::{Emulator, Launch, Observation, Settings};
use quadscan::device::{Artifact, Device, Module};

use super::change::{Change, Expected, Lines, Mutant};
use super::flow::Line;
use crate::fixtures::launches::{self, Size};
use crate::fixtures::recording::Result as LaunchResult;
use crate::probes::operands::Random;

/// The sizes of scans: of no elements and of few, where steps are left out; of
/// whole and of odd numbers of warps; with warps to spare; and the largest.
const SCANS: [(usize, u32); 11] = [
    (33, 2),
    (1000, 3),
    (1024, 0),
    (0, 0),
    (1, 0),
    (2, 1),
    (5, 0),
    (33, 0),
    (64, 1),
    (1000, 0),
    (2048, 0),
];

/// The sizes of integrals: blocks, threads of each and strips of each.
const TRAPEZOIDS: [(u32, u32, u32); 8] = [
    (1, 32, 1),
    (2, 33, 3),
    (3, 64, 4),
    (1, 7, 7),
    (2, 32, 8),
    (1, 100, 13),
    (4, 16, 32),
    (1, 1, 100),
];

/// The sizes that a kernel is launched with.
pub fn sizes(kernel: &str) -> Vec<Size> {
    let strips = |(blocks, threads, count)| Size::Strips {
        blocks,
        threads,
        count,
    };
    let elements = |(elements, more)| Size::Elements { elements, more };
    if kernel.starts_with("trapezoid") || kernel.starts_with("mapped") {
        TRAPEZOIDS.map(strips).to_vec()
    } else {
        SCANS.map(elements).to_vec()
    }
}

/// What the next launch runs, and what the last one gave.
#[derive(Default)]
struct Watch {
    program: Option<Arc<Program>>,
    schedule: Schedule,
    budget: u64,
    checked: Option<Checked>,
}

/// Runs a program in the place of the one that is asked for, under all checks.
/// A kernel that is stopped does not end the device.
struct Instead(Arc<Mutex<Watch>>);

fn lock(watch: &Mutex<Watch>) -> MutexGuard<'_, Watch> {
    watch.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Observation for Instead {
    fn run(&mut self, gpu: &mut Gpu, launch: &Launch<'_>) -> Result<Report, LaunchError> {
        let mut watch = lock(&self.0);
        let program = watch.program.clone();
        let program = program.as_deref().unwrap_or(launch.program);
        let options = LaunchOptions {
            schedule: watch.schedule,
            budget: watch.budget,
            cores: 1,
            ..LaunchOptions::default()
        };
        let (kernel, shape, parameters) = (launch.kernel, launch.shape, launch.parameters);
        let checked = gpu.check(program, kernel, shape, parameters, &options, Checks::all())?;
        let report = checked.report.clone();
        watch.checked = Some(checked);
        Ok(report)
    }
}

/// A device for launches of mutants.
pub struct Bench {
    module: Module,
    watch: Arc<Mutex<Watch>>,
}

/// One launch of a kernel as it is: what its mutants' are compared with.
pub struct Reference {
    size: Size,
    result: LaunchResult,
    warp_instructions: u64,
}

/// What became of a mutant.
#[derive(Clone, Debug)]
pub enum Fate {
    /// Reported, as it must be.
    Caught(Box<Finding>),
    /// Reported, but at another place.
    Misplaced(Box<Finding>),
    /// No access goes wrong, because another check of the kernel stops it.
    Stopped(Box<Finding>),
    /// Not reported; a result is wrong.
    Wrong,
    /// Not reported, and all results are right.
    Unharmed,
}

/// The warp instructions that a mutant may run for each that the kernel does,
/// and some for the shortest ones: more is a livelock.
const BUDGET: (u64, u64) = (4, 20_000);

impl Bench {
    /// A device with the artifact.
    ///
    /// # Errors
    ///
    /// The device's.
    pub fn new(artifact: &Artifact) -> quadscan::Result<Bench> {
        let watch = Arc::new(Mutex::new(Watch::default()));
        let instead = Box::new(Instead(watch.clone()));
        let emulator = Emulator::observed(Settings::default(), instead);
        let device = Device::from_backend(Box::new(emulator));
        let module = device.load(artifact)?;
        Ok(Bench { module, watch })
    }

    /// Launches a kernel, or what stands in its place, once; equal seeds give
    /// equal inputs.
    ///
    /// # Errors
    ///
    /// The device's.
    pub fn launch(
        &self,
        kernel: &str,
        size: Size,
        program: Option<Arc<Program>>,
        schedule: Schedule,
        budget: u64,
    ) -> quadscan::Result<(LaunchResult, Option<Checked>)> {
        *lock(&self.watch) = Watch {
            program,
            schedule,
            budget,
            checked: None,
        };
        let mut random = Random::named(crate::fixtures::SEED, &format!("{kernel} {size:?}"));
        let result = launches::launch(&self.module, kernel, &mut random, size)?;
        Ok((result, lock(&self.watch).checked.take()))
    }

    /// The launches of a kernel as it is.
    ///
    /// # Errors
    ///
    /// The device's.
    pub fn references(&self, kernel: &str) -> quadscan::Result<Vec<Reference>> {
        let one = |size| {
            let budget = LaunchOptions::default().budget;
            let (result, checked) =
                self.launch(kernel, size, None, Schedule::Deterministic, budget)?;
            Ok(Reference {
                size,
                result,
                warp_instructions: checked.map_or(0, |c| c.report.warp_instructions),
            })
        };
        sizes(kernel).into_iter().map(one).collect()
    }

    /// Launches a mutant until it is caught, under each of the schedules.
    ///
    /// # Errors
    ///
    /// The device's.
    pub fn fate(
        &self,
        kernel: &str,
        mutant: &Mutant,
        program: &Arc<Program>,
        references: &[Reference],
        schedules: &[Schedule],
    ) -> quadscan::Result<Fate> {
        let (mut misplaced, mut stopped, mut wrong) = (None, None, false);
        for &schedule in schedules {
            for reference in references {
                let (times, more) = BUDGET;
                let budget = times * reference.warp_instructions + more;
                let (size, program) = (reference.size, Some(program.clone()));
                let (result, checked) = self.launch(kernel, size, program, schedule, budget)?;
                wrong |= result != reference.result;
                let findings = checked.map(|checked| checked.findings).unwrap_or_default();
                let (right, other): (Vec<Finding>, Vec<Finding>) =
                    findings.into_iter().partition(|f| is_expected(f, mutant));
                // Without a barrier, nothing happens anywhere else.
                let is_strange = mutant.change == Change::Barrier && !other.is_empty();
                if let (Some(finding), false) = (right.into_iter().next(), is_strange) {
                    return Ok(Fate::Caught(Box::new(finding)));
                }
                for finding in other {
                    if finding.kind == FindingKind::Fault
                        && finding.at.statement.starts_with("trap")
                    {
                        stopped = stopped.or(Some(finding));
                    } else {
                        misplaced = misplaced.or(Some(finding));
                    }
                }
            }
        }
        Ok(match (misplaced, stopped) {
            (Some(finding), _) => Fate::Misplaced(Box::new(finding)),
            (None, Some(finding)) => Fate::Stopped(Box::new(finding)),
            (None, None) if wrong => Fate::Wrong,
            (None, None) => Fate::Unharmed,
        })
    }
}

/// The schedule that is always the same, and those of seeds.
pub fn schedules(count: u64) -> Vec<Schedule> {
    let seeds = (1..count).map(Schedule::Seed);
    std::iter::once(Schedule::Deterministic)
        .chain(seeds)
        .collect()
}

/// Whether a finding is what the change must lead to: one of the kinds, at the
/// place, and with the line of the source.
pub fn is_expected(finding: &Finding, mutant: &Mutant) -> bool {
    let is_in = |place: &Place, lines: &Lines| {
        let line = lines.get(&(place.line as usize)).and_then(Option::as_ref);
        line.is_some() && line.map(Line::to_string) == place.source
    };
    let some = |lines: &Lines| {
        let mut places = [&finding.at].into_iter().chain(&finding.other);
        places.any(|place| is_in(place, lines))
    };
    let is_order = matches!(
        mutant.change,
        Change::Barrier | Change::Fence | Change::Order
    );
    match (&mutant.expected, finding.kind) {
        (Expected::Between(before, after), FindingKind::Race) => {
            finding.other.as_ref().is_some_and(|other| {
                is_in(&finding.at, before) && is_in(other, after)
                    || is_in(other, before) && is_in(&finding.at, after)
            })
        }
        (Expected::Between(_, after), FindingKind::UninitialisedRead) => is_in(&finding.at, after),
        (Expected::Between(..), _) => false,
        (Expected::At(region), FindingKind::Race | FindingKind::UninitialisedRead) => some(region),
        _ if is_order => false,
        (Expected::At(region), FindingKind::Bounds | FindingKind::Barrier) => some(region),
        (_, FindingKind::Livelock) => some(&mutant.loops),
        _ => false,
    }
}
