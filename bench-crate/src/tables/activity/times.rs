//! The time of a scan: by one block, and by as many as fill the device.
//!
//! One block alone on an SM waits for its barriers most of the time, with
//! much or with little work between them. What fewer active warps are worth is seen
//! where other blocks want the SM meanwhile: in a batch, a block a scan.

use super::steps::{difference, input, sequential};
use crate::block_scan::{self, Algorithm};
use crate::measure::{Bench, Contest};
use crate::record::Metrics;
use quadscan::Result;
use quadscan::device::DeviceProperties;

/// How many times over a batch fills the device with the blocks of the naive scan,
/// which are the largest.
const WAVES: u32 = 8;

/// The times of the launches that were asked for so far: each is measured once, and
/// not once a step.
#[derive(Default)]
struct Known {
    times: Vec<(Launch, Times)>,
}

/// A scan, its number of elements, and how many samples were asked for.
type Launch = (Algorithm, u32, Option<u32>);

/// What is the same for all steps of a launch.
type Times = (Metrics, Option<String>);

/// Puts the times of a scan of `n` elements in; nothing on a device without a timer.
pub(super) fn measure(bench: &mut Bench<'_>, algorithm: Algorithm, n: u32) -> Result<()> {
    if !bench.is_timed() {
        return Ok(());
    }
    let launch = (algorithm, n, bench.sampling().repeat);
    let known = &bench.kept::<Known>().times;
    let found = known.iter().find(|(known, _)| *known == launch);
    if let Some((metrics, wrong)) = found.map(|(_, times)| times.clone()) {
        bench.put_all(&metrics);
        bench.expect(wrong);
        return Ok(());
    }
    let wrong = timed(bench, algorithm, n)?;
    bench.expect(wrong.clone());
    let mut metrics = Metrics::default();
    for name in ["kernel", "batch", "batch_blocks"] {
        metrics.put(name, bench.found().metrics.get(name).cloned());
    }
    bench.kept::<Known>().times.push((launch, (metrics, wrong)));
    Ok(())
}

/// Blocks of a batch of scans of `n` elements: the same for all algorithms.
fn batch_blocks(properties: &DeviceProperties, n: u32) -> u32 {
    let threads = Algorithm::Naive.threads(n as usize);
    let resident =
        (properties.max_threads_per_sm / threads).clamp(1, properties.max_blocks_per_sm.max(1));
    WAVES * resident * properties.sm_count.max(1)
}

/// Times a scan and a batch; what is wrong with their results, if anything is.
fn timed(bench: &mut Bench<'_>, algorithm: Algorithm, n: u32) -> Result<Option<String>> {
    let module = bench.module().clone();
    let device = module.device();
    let blocks = batch_blocks(device.properties(), n);
    let elements = input(n * blocks);
    let one = device.upload(&elements[..n as usize])?;
    let all = device.upload(&elements)?;
    let mut one_output = device.alloc_zeroed(one.len())?;
    let mut all_output = device.alloc_zeroed(all.len())?;
    let mut contest = Contest::default();
    contest.ours("kernel", || {
        block_scan::launch(&module, algorithm, &one, &mut one_output)
    });
    contest.ours("batch", || {
        block_scan::launch_batch(&module, algorithm, (blocks, n), &all, &mut all_output)
    });
    bench.time_all(&bench.rule(), contest)?;
    bench.put("batch_blocks", Some(blocks));
    let expected: Vec<u32> = elements
        .chunks(n as usize)
        .flat_map(|scan| sequential(algorithm, scan))
        .collect();
    let (one_output, all_output) = (one_output.to_vec()?, all_output.to_vec()?);
    let wrong = difference("the timed scan", &one_output, &expected[..n as usize]);
    Ok(wrong.or_else(|| difference("the batch of scans", &all_output, &expected)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::cpu;

    #[test]
    fn a_batch_fills_every_sm_several_times_over() {
        let h200 = DeviceProperties {
            sm_count: 132,
            ..cpu::properties()
        };
        // Two blocks of 1024 threads are resident, and 32 of one warp.
        assert_eq!(batch_blocks(&h200, 1024), 8 * 2 * 132);
        assert_eq!(batch_blocks(&h200, 2048), 8 * 2 * 132);
        assert_eq!(batch_blocks(&h200, 2), 8 * 32 * 132);
    }
}
