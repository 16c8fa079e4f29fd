//! A way to sum on a device: its sum again and again, judged, timed and counted.
//!
//! Whether digits repeat is asked of repeated launches. A GPU has another order of
//! warps and blocks each time; an emulated launch is the same each time, so that the
//! emulator repeats it under other schedules.

use std::collections::HashMap;
use std::time::Instant;

use quadscan_kernels::integrate::mapping::SUM_THREADS;

use super::kernel_times::KernelTimes;
use super::protocol::{Job, Reading};
use crate::mapping::{Mapping, Summation, Way};
use crate::measure::{Rule, device as timing};
use crate::oracle::mapping as oracle;
use crate::trapezoid::Grid;
use quadscan::Result;
use quadscan::device::emulator::{Emulator, Settings};
use quadscan::device::{Artifact, Device, Module};

/// Launches of a GPU whose sums are compared.
const RUNS: usize = 10;

/// Schedules of the emulator whose sums are compared, beside the one that was asked
/// for.
pub const OTHER_SCHEDULES: u64 = 2;

/// What the cells of the table have in common.
pub(super) struct Mappings {
    artifact: Artifact,
    schedule: Option<u64>,
    expected: HashMap<(Mapping, Grid), Vec<f64>>,
    others: Vec<Module>,
}

impl Mappings {
    /// `schedule` is the one that the emulator was asked for, to which the module
    /// of `artifact` that is measured was loaded.
    pub(super) fn new(artifact: Artifact, schedule: Option<u64>) -> Self {
        Mappings {
            artifact,
            schedule,
            expected: HashMap::new(),
            others: Vec::new(),
        }
    }

    /// Sums by a way: the sum of the last launch, and whether all others had its
    /// bits. The device's counts are then those of one launch of the way.
    pub(super) fn measure(
        &mut self,
        module: &Module,
        job: &Job,
        way: Way,
        grid: Grid,
    ) -> Result<Reading> {
        let device = module.device();
        let has_timer = device.properties().has_timer;
        let mut summation = Summation::new(module, way, grid)?;
        let mut sums = Vec::new();
        if has_timer {
            for _ in 1..RUNS {
                sums.push(summation.sum()?);
            }
        } else {
            for other in self.under_other_schedules()? {
                sums.push(Summation::new(other, way, grid)?.sum()?);
            }
        }
        device.take_counts();
        let total = summation.sum()?;
        sums.push(total);

        let expected = self.expected(way.mapping, grid);
        let partials = summation.partials()?;
        let wrong = partials
            .and_then(|partials| difference(&partials, expected))
            .or_else(|| sums.iter().find_map(|&sum| judge(way, grid, sum, expected)));
        let mut reading = Reading {
            total: Some(total),
            repeats: Some(sums.iter().all(|sum| sum.to_bits() == total.to_bits())),
            wrong,
            ..Reading::default()
        };
        if has_timer && !job.untimed {
            let (begin, rule) = (Instant::now(), Rule::new(job.repeat));
            let mut whole = || summation.sum().map(drop);
            reading.gpu = timing::whole(&rule, device, &mut whole)?;
            let times = KernelTimes {
                device,
                job,
                spent: begin.elapsed(),
            };
            let nobody: Vec<fn() -> Result<()>> = Vec::new();
            times.fill(&mut reading, &mut || summation.launch(), nobody)?;
        }
        Ok(reading)
    }

    /// The oracle's sum of each thread, computed once.
    fn expected(&mut self, mapping: Mapping, grid: Grid) -> &[f64] {
        self.expected
            .entry((mapping, grid))
            .or_insert_with(|| oracle::partials(mapping, grid.strips, grid.blocks, grid.threads))
    }

    /// The artifact on emulators of other schedules.
    fn under_other_schedules(&mut self) -> Result<&[Module]> {
        while (self.others.len() as u64) < OTHER_SCHEDULES {
            let further = self.others.len() as u64 + 1;
            let settings = Settings {
                schedule: Some(self.schedule.unwrap_or_default().wrapping_add(further)),
                ..Settings::default()
            };
            let device = Device::from_backend(Box::new(Emulator::new(settings)));
            self.others.push(device.load(&self.artifact)?);
        }
        Ok(&self.others)
    }
}

/// Where the threads' sums differ in a bit from the oracle's, in one sentence.
fn difference(got: &[f64], want: &[f64]) -> Option<String> {
    let differs = |i: &usize| got[*i].to_bits() != want[*i].to_bits();
    let count = (0..want.len()).filter(differs).count();
    let first = (0..want.len()).find(differs)?;
    Some(format!(
        "{count} of {} threads' sums are not the host's, the first is number {first}: {:?}, not \
         {:?}",
        want.len(),
        got[first],
        want[first]
    ))
}

/// Why a total is not what the way has to give, in one sentence: the bits of its
/// order, or for atomics a sum within what any order can lose.
fn judge(way: Way, grid: Grid, sum: f64, partials: &[f64]) -> Option<String> {
    match oracle::total(way.finish, partials, grid.threads, SUM_THREADS) {
        Some(want) => (sum.to_bits() != want.to_bits())
            .then(|| format!("the sum is {sum:?}, in the same order on the host it is {want:?}")),
        None => {
            let (exact, bound) = oracle::any_order(partials);
            // Not `>`, which is false for what is not a number.
            let near = (sum - exact).abs() <= bound;
            (!near).then(|| {
                format!("the sum is {sum:?}, in every order it is {exact:?} to {bound:.1e}")
            })
        }
    }
}

#[cfg(test)]
#[path = "mapping_tests.rs"]
mod tests;
