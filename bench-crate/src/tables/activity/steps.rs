//! The work of one step of a scan.
//!
//! On a GPU the counted kernel says it. On the emulator the plain kernel is watched
//! while it runs, and the counted kernel has to say the same: two ways to one figure
//! that have nothing in common but the algorithm.

use ptx_emulator::count::Step;

use crate::block_scan::{self, Algorithm};
use crate::measure::Bench;
use crate::oracle::block_scan::{self as oracle, StepActivity};
use quadscan::Result;
use quadscan::device::Module;

/// Elements whose sums wrap.
pub(super) fn input(n: u32) -> Vec<u32> {
    (0..n).map(|i| i.wrapping_mul(2_654_435_761) >> 8).collect()
}

/// What the scan of `input` has to give.
pub(super) fn sequential(algorithm: Algorithm, input: &[u32]) -> Vec<u32> {
    if algorithm.is_inclusive() {
        oracle::inclusive(input)
    } else {
        oracle::exclusive(input)
    }
}

/// Counts step `step` (from 1) of a scan of `n` elements. Where the device shows the steps of the
/// last launch, the device's counts are then those of the plain kernel alone.
pub(super) fn measure(
    bench: &mut Bench<'_>,
    algorithm: Algorithm,
    n: u32,
    step: u32,
) -> Result<()> {
    let module = bench.module().clone();
    let input = input(n);
    let expected = sequential(algorithm, &input);
    let counted = block_scan::counted(&module, algorithm, &input)?;
    bench.expect(difference("the scan", &counted.output, &expected));
    let index = (step as usize).saturating_sub(1);
    let said = counted.steps.get(index);
    bench.put("adds", said.map(|work| work.adds));
    let Some(watched) = bench.session().steps.clone() else {
        bench.put("active_threads", said.map(|work| work.active_threads));
        bench.put("active_warps", said.map(|work| work.active_warps));
        return Ok(());
    };
    module.device().take_counts();
    let output = plain(&module, algorithm, &input)?;
    let all = watched.take();
    let barriers = u32::try_from(all.len()).ok().and_then(|n| n.checked_sub(1));
    let steps = combining(all);
    bench.expect(difference("the uncounted scan", &output, &expected));
    bench.expect(disagreement(&steps, &counted.steps, index));
    let work = steps.get(index);
    bench.put("active_threads", work.map(|work| active(work).0));
    bench.put("active_warps", work.map(|work| active(work).1));
    bench.put("wavefronts", work.map(|work| work.shared.loads.wavefronts));
    bench.put("ideal_wavefronts", work.map(|work| work.shared.loads.ideal));
    bench.put("barriers", barriers);
    Ok(())
}

fn plain(module: &Module, algorithm: Algorithm, input: &[u32]) -> Result<Vec<u32>> {
    let device = module.device();
    let source = device.upload(input)?;
    let mut output = device.alloc_zeroed(input.len())?;
    block_scan::launch(module, algorithm, &source, &mut output)?;
    output.to_vec()
}

/// The steps in which threads combine elements: between two barriers they load two
/// of them from shared memory and store one. The others fill it, empty it, or clear
/// the root.
fn combining(steps: Vec<Step>) -> Vec<Step> {
    let combines = |step: &Step| step.combines.threads > 0;
    steps.into_iter().filter(combines).collect()
}

/// Threads that combine in a step, and warps with such a thread.
fn active(step: &Step) -> (u32, u32) {
    // One block has at most 1024 threads.
    let small = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
    (small(step.combines.threads), small(step.combines.warps))
}

/// Where a scan's result is not the sequential scan's, in one sentence.
pub(super) fn difference(what: &str, got: &[u32], want: &[u32]) -> Option<String> {
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
    let (seen, counted) = (active(seen.get(index)?), counted.get(index)?);
    let said = (counted.active_threads, counted.active_warps);
    (seen != said).then(|| {
        format!(
            "in the plain kernel {} threads of {} warps combine, the counted one says {} of {}",
            seen.0, seen.1, said.0, said.1
        )
    })
}

#[cfg(test)]
#[path = "steps_tests.rs"]
mod tests;
