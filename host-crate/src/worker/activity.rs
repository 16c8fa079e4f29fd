//! The work of one step of a scan.
//!
//! On a GPU the counted kernel says it. On the emulator the plain kernel is watched
//! while it runs, and the counted kernel has to say the same: two ways to one figure
//! that have nothing in common but the algorithm.

use ptx_emulator::count::Step;

use super::protocol::{Algorithm, Reading};
use crate::device::Module;
use crate::device::emulator::LastSteps;
use crate::error::Result;
use crate::oracle::scan::{self as oracle, StepActivity};
use crate::scan::{self, Counted};

/// Measures step `step` (from 1) of a scan of `n` elements, one combine a thread.
/// `watched` has the steps of the last launch, where the device gives them; the
/// device's counts are then those of the plain kernel alone.
pub(super) fn measure(
    module: &Module,
    watched: Option<&LastSteps>,
    algorithm: Algorithm,
    n: u32,
    step: u32,
) -> Result<Reading> {
    let input: Vec<u32> = (0..n).map(|i| i.wrapping_mul(2_654_435_761) >> 8).collect();
    let expected = match algorithm {
        Algorithm::Naive => oracle::inclusive(&input),
        Algorithm::WorkEfficient | Algorithm::WorkEfficientPadded => oracle::exclusive(&input),
    };
    let counted = counted(module, algorithm, &input)?;
    let wrong = difference("the scan", &counted.output, &expected);
    let index = (step as usize).saturating_sub(1);
    let Some(watched) = watched else {
        let work = counted.steps.get(index);
        return Ok(Reading {
            active_threads: work.map(|work| work.active_threads),
            active_warps: work.map(|work| work.active_warps),
            wrong,
            ..Reading::default()
        });
    };
    module.device().take_counts();
    let output = plain(module, algorithm, &input)?;
    let steps = combining(watched.take());
    let wrong = wrong
        .or_else(|| difference("the uncounted scan", &output, &expected))
        .or_else(|| disagreement(&steps, &counted.steps, index));
    let work = steps.get(index);
    Ok(Reading {
        active_threads: work.map(|work| activity(work).active_threads),
        active_warps: work.map(|work| activity(work).active_warps),
        wavefronts: work.map(|work| work.shared.loads.wavefronts),
        ideal_wavefronts: work.map(|work| work.shared.loads.ideal),
        wrong,
        ..Reading::default()
    })
}

fn counted(module: &Module, algorithm: Algorithm, input: &[u32]) -> Result<Counted> {
    match algorithm {
        Algorithm::Naive => scan::hillis_steele_activity(module, input),
        Algorithm::WorkEfficient => scan::blelloch_activity(module, input),
        Algorithm::WorkEfficientPadded => scan::blelloch_padded_activity(module, input),
    }
}

fn plain(module: &Module, algorithm: Algorithm, input: &[u32]) -> Result<Vec<u32>> {
    match algorithm {
        Algorithm::Naive => scan::hillis_steele(module, input),
        Algorithm::WorkEfficient => scan::blelloch(module, input),
        Algorithm::WorkEfficientPadded => scan::blelloch_padded(module, input),
    }
}

/// The steps in which threads combine elements: between two barriers they load two
/// of them from shared memory and store one. The others fill it, empty it, or clear
/// the root.
fn combining(steps: Vec<Step>) -> Vec<Step> {
    let combines = |step: &Step| step.combines.threads > 0;
    steps.into_iter().filter(combines).collect()
}

fn activity(step: &Step) -> StepActivity {
    // One block has at most 1024 threads.
    let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    StepActivity {
        active_threads: small(step.combines.threads),
        active_warps: small(step.combines.warps),
    }
}

/// Where a scan's result is not the sequential scan's, in one sentence.
fn difference(what: &str, got: &[u32], want: &[u32]) -> Option<String> {
    let i = got.iter().zip(want).position(|(got, want)| got != want)?;
    let (got, want) = (got[i], want[i]);
    Some(format!(
        "element {i} of {what} is {got}, the sequential scan's is {want}"
    ))
}

/// Where what was seen of the plain kernel is not what the counted kernel says, in
/// one sentence.
fn disagreement(seen: &[Step], counted: &[StepActivity], index: usize) -> Option<String> {
    if seen.len() != counted.len() {
        return Some(format!(
            "the plain kernel combines in {} steps, the counted one says {}",
            seen.len(),
            counted.len()
        ));
    }
    let (seen, counted) = (activity(seen.get(index)?), counted.get(index)?);
    (seen != *counted).then(|| {
        format!(
            "in the plain kernel {} threads of {} warps combine, the counted one says {} of {}",
            seen.active_threads, seen.active_warps, counted.active_threads, counted.active_warps
        )
    })
}

#[cfg(test)]
#[path = "activity_tests.rs"]
mod tests;
