//! Launches with counters: what warps ran, and what their requests to memory
//! cost. A launch of arithmetic takes about a quarter longer than an unwatched one, and
//! the more it uses memory, the longer.

use std::sync::{Arc, Mutex, PoisonError};

use ptx_emulator::count::{self, Step};
use ptx_emulator::{Gpu, LaunchError, Report};

use super::{Launch, Observation};
use crate::device::Counts;

/// The steps of the last launch that ended well; clones share them.
#[derive(Clone, Debug, Default)]
pub struct LastSteps(Arc<Mutex<Vec<Step>>>);

impl LastSteps {
    /// The steps between barriers, in order; none are left behind.
    pub fn take(&self) -> Vec<Step> {
        self.replace(Vec::new())
    }

    fn replace(&self, steps: Vec<Step>) -> Vec<Step> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *last, steps)
    }
}

/// Runs launches with all counters.
#[derive(Debug, Default)]
pub struct Counting {
    counts: Counts,
    steps: LastSteps,
}

impl Counting {
    /// Where the steps of each launch will be.
    pub fn steps(&self) -> LastSteps {
        self.steps.clone()
    }
}

impl Observation for Counting {
    fn run(&mut self, gpu: &mut Gpu, launch: &Launch<'_>) -> Result<Report, LaunchError> {
        let (shape, options) = (launch.shape, &launch.options);
        self.steps.take();
        let (report, counted) = gpu.count(
            launch.program,
            launch.kernel,
            shape,
            launch.parameters,
            options,
        )?;
        self.counts += totals(&counted);
        self.steps.replace(counted.steps.steps);
        Ok(report)
    }

    fn take_counts(&mut self) -> Counts {
        std::mem::take(&mut self.counts)
    }
}

/// All instructions of a launch together. Its warp instructions are left out: a
/// report of the launch has them.
fn totals(counted: &count::Counts) -> Counts {
    let count::Tally {
        instructions,
        shared,
        global,
        ..
    } = counted.total();
    let (shared, global) = (shared.total(), global.total());
    Counts {
        warp_instructions: 0,
        lane_instructions: Some(instructions.lanes),
        divergent_branches: Some(instructions.divergent_branches),
        shared_wavefronts: Some(shared.wavefronts),
        ideal_shared_wavefronts: Some(shared.ideal),
        global_sectors: Some(global.sectors),
        ideal_global_sectors: Some(global.ideal),
    }
}

#[cfg(test)]
#[path = "counting_tests.rs"]
mod tests;
