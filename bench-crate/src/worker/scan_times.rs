//! The time of a scan: by one block, and by as many as fill the device.
//!
//! One block alone on a multiprocessor waits for its barriers most of the time, with
//! much or with little work between them. What fewer active warps are worth is seen
//! where other blocks want the multiprocessor meanwhile: in a batch, a block a scan.

use std::collections::HashMap;

use super::activity::{difference, input, sequential};
use super::protocol::{Algorithm, Reading};
use crate::block_scan;
use crate::measure::{Method, Rule, Timing, device as timing};
use quadscan::Result;
use quadscan::device::{DeviceProperties, Module};

/// How many times over a batch fills the device with the blocks of the naive scan,
/// which are the largest.
const WAVES: u32 = 8;

/// What is the same for all steps of a launch.
#[derive(Clone, Debug, Default)]
pub(super) struct Times {
    kernel: Option<Timing>,
    method: Option<Method>,
    batch: Option<Timing>,
    batch_blocks: Option<u32>,
    wrong: Option<String>,
}

/// The times of the launches that were asked for so far: each is measured once, and
/// not once a step.
#[derive(Debug, Default)]
pub(super) struct ScanTimes {
    known: HashMap<(Algorithm, u32, Option<u32>), Times>,
}

impl ScanTimes {
    /// Fills in the times of a scan of `n` elements; `repeat` as in a job. Nothing on
    /// a device without a timer.
    pub(super) fn fill(
        &mut self,
        reading: Reading,
        module: &Module,
        repeat: Option<u32>,
        algorithm: Algorithm,
        n: u32,
    ) -> Result<Reading> {
        if !module.device().properties().has_timer {
            return Ok(reading);
        }
        let key = (algorithm, n, repeat);
        let times = match self.known.get(&key) {
            Some(times) => times.clone(),
            None => {
                let times = measure(module, &Rule::new(repeat), algorithm, n)?;
                self.known.insert(key, times.clone());
                times
            }
        };
        Ok(Reading {
            kernel: times.kernel,
            kernel_method: times.method,
            batch: times.batch,
            batch_blocks: times.batch_blocks,
            wrong: reading.wrong.or(times.wrong),
            ..reading
        })
    }
}

/// Blocks of a batch of scans of `n` elements: the same for all algorithms.
fn batch_blocks(properties: &DeviceProperties, n: u32) -> u32 {
    let threads = Algorithm::Naive.threads(n as usize);
    let resident = (properties.max_threads_per_multiprocessor / threads)
        .clamp(1, properties.max_blocks_per_multiprocessor.max(1));
    WAVES * resident * properties.multiprocessors.max(1)
}

fn measure(module: &Module, rule: &Rule, algorithm: Algorithm, n: u32) -> Result<Times> {
    let device = module.device();
    let blocks = batch_blocks(device.properties(), n);
    let elements = input(n * blocks);
    let (one, all) = (
        device.upload(&elements[..n as usize])?,
        device.upload(&elements)?,
    );
    let mut one_output = device.alloc_zeroed(one.len())?;
    let mut all_output = device.alloc_zeroed(all.len())?;
    let mut single = || block_scan::launch(module, algorithm, &one, &mut one_output);
    let mut batch =
        || block_scan::launch_batch(module, algorithm, blocks, n, &all, &mut all_output);
    let launches: &mut [timing::Launch<'_>] = &mut [&mut single, &mut batch];
    let mut times = timing::kernels_and_methods(rule, device, launches)?.into_iter();
    let kernel = times.next();
    let expected: Vec<u32> = elements
        .chunks(n as usize)
        .flat_map(|scan| sequential(algorithm, scan))
        .collect();
    let (one_output, all_output) = (one_output.to_vec()?, all_output.to_vec()?);
    let wrong = difference("the timed scan", &one_output, &expected[..n as usize])
        .or_else(|| difference("the batch of scans", &all_output, &expected));
    Ok(Times {
        method: kernel.as_ref().map(|measured| measured.method),
        kernel: kernel.map(|measured| measured.timing),
        batch: times.next().map(|measured| measured.timing),
        batch_blocks: Some(blocks),
        wrong,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::cpu;

    #[test]
    fn a_batch_fills_every_multiprocessor_several_times_over() {
        let h200 = DeviceProperties {
            multiprocessors: 132,
            ..cpu::properties()
        };
        // Two blocks of 1024 threads are resident, and 32 of one warp.
        assert_eq!(batch_blocks(&h200, 1024), 8 * 2 * 132);
        assert_eq!(batch_blocks(&h200, 2048), 8 * 2 * 132);
        assert_eq!(batch_blocks(&h200, 2), 8 * 32 * 132);
    }
}
