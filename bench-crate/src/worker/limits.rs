//! A limit of the device: its kernel or its copy, timed as the tables' are, and its
//! result compared.

use std::time::Instant;

use quadscan_kernels::limits::{CHAINS, RING, STEPS};

use super::protocol::{Job, Reading};
use crate::limit::{self, COPIED_BY_A_THREAD, Chains, Limit};
use crate::measure::{Rule, device as timing, milliseconds, sample};
use crate::oracle::chains;
use quadscan::Result;
use quadscan::device::{Buffer, Device, Module};

/// Threads of a block, where the shape is free.
const THREADS: u32 = 256;

/// Turns of the chains of a full grid: milliseconds on a large GPU.
const TURNS: u32 = 300;

/// Turns of one thread's chain.
const LATENCY_TURNS: u32 = 10_000;

/// The most bytes of a copy on the device, one way: well beyond its caches.
const COPIED: u64 = 1 << 28;

/// Bytes of a long copy between host and device.
const LONG: usize = 1 << 26;

/// Bytes of a short one.
const SHORT: usize = 8;

/// Measures `limit`, on a device with a timer.
pub(super) fn measure(module: &Module, job: &Job, limit: Limit) -> Result<Reading> {
    let measuring = Measuring {
        device: module.device().clone(),
        module,
        rule: Rule::new(job.repeat),
        untimed: job.untimed,
        limit,
    };
    match limit {
        Limit::FmaF64 | Limit::SqrtF64 => measuring.chains_f64(measuring.full_grid(), CHAINS),
        Limit::FmaF32 | Limit::SqrtF32 | Limit::SqrtApproxF32 => {
            measuring.chains_f32(measuring.full_grid(), CHAINS)
        }
        Limit::FmaLatencyF64 | Limit::SqrtLatencyF64 => measuring.chains_f64(ONE_THREAD, 1),
        Limit::FmaLatencyF32 | Limit::SqrtLatencyF32 => measuring.chains_f32(ONE_THREAD, 1),
        Limit::SharedLatency => measuring.shared_latency(),
        Limit::Copy => measuring.copy(),
        Limit::CopyIn => measuring.host_copy(LONG, |buffer, host| buffer.copy_from(host)),
        Limit::CopyOut => measuring.host_copy(LONG, |buffer, host| buffer.copy_to(host)),
        Limit::CopyInLatency => measuring.host_copy(SHORT, |buffer, host| buffer.copy_from(host)),
        Limit::CopyOutLatency => measuring.host_copy(SHORT, |buffer, host| buffer.copy_to(host)),
        Limit::Launch => measuring.launch(),
        Limit::LaunchAndWait => measuring.launch_and_wait(),
    }
}

const ONE_THREAD: Chains = Chains {
    blocks: 1,
    threads: 1,
    turns: LATENCY_TURNS,
};

struct Measuring<'a> {
    device: Device,
    module: &'a Module,
    rule: Rule,
    /// Only the results are asked for.
    untimed: bool,
    limit: Limit,
}

impl Measuring<'_> {
    /// As many threads as the device holds at once.
    fn full_grid(&self) -> Chains {
        let properties = self.device.properties();
        let blocks = (properties.max_threads_per_multiprocessor / THREADS).max(1);
        Chains {
            blocks: properties.multiprocessors * blocks,
            threads: THREADS,
            turns: TURNS,
        }
    }

    fn chains_f64(&self, of: Chains, chains: usize) -> Result<Reading> {
        let mut results = self.device.alloc_zeroed::<f64>(threads(of))?;
        let mut launch = || limit::chains_f64(self.limit, self.module, of, &mut results);
        let reading = self.kernel(&mut launch, work(of, chains))?;
        Ok(self.judged(reading, of, chains, results.to_vec()?))
    }

    fn chains_f32(&self, of: Chains, chains: usize) -> Result<Reading> {
        let mut results = self.device.alloc_zeroed::<f32>(threads(of))?;
        let mut launch = || limit::chains_f32(self.limit, self.module, of, &mut results);
        let reading = self.kernel(&mut launch, work(of, chains))?;
        let results = results.to_vec()?.into_iter().map(f64::from).collect();
        Ok(self.judged(reading, of, chains, results))
    }

    /// Every thread's chains have the same end.
    fn judged(&self, reading: Reading, of: Chains, chains: usize, results: Vec<f64>) -> Reading {
        let steps = u64::from(of.turns) * STEPS as u64;
        let first = results.first().copied().unwrap_or(f64::NAN);
        let right = chains::is_right(self.limit, chains as u32, steps, first);
        let wrong = if right && results.iter().all(|&sum| sum == first) {
            None
        } else {
            Some(format!("the chains end at {first}, which is not right"))
        };
        Reading { wrong, ..reading }
    }

    /// In one thread's steps: the ring has them all.
    fn shared_latency(&self) -> Result<Reading> {
        let mut result = self.device.alloc_zeroed::<u32>(1)?;
        let mut launch = || limit::shared_latency(self.module, LATENCY_TURNS, &mut result);
        let steps = u64::from(LATENCY_TURNS) * STEPS as u64;
        let reading = self.kernel(&mut launch, steps as f64)?;
        let (found, expected) = (result.to_vec()?, (steps % RING as u64) as u32);
        let wrong = (found != [expected])
            .then(|| format!("the chase ends at {found:?}, not at [{expected}]"));
        Ok(Reading { wrong, ..reading })
    }

    /// Bytes read and bytes written.
    fn copy(&self) -> Result<Reading> {
        let bytes = COPIED.min(self.device.memory_info()?.free / 4);
        let blocks = (bytes / (u64::from(THREADS) * COPIED_BY_A_THREAD as u64)).max(1) as u32;
        let vectors = blocks as usize * THREADS as usize * COPIED_BY_A_THREAD / 16;
        let pattern: Vec<[u32; 4]> = (0..vectors as u32).map(|i| [i, !i, i << 8, 7]).collect();
        let input = self.device.upload(&pattern)?;
        let mut output = self.device.alloc_zeroed::<[u32; 4]>(vectors)?;
        let mut launch = || limit::copy(self.module, (blocks, THREADS), &input, &mut output);
        let reading = self.kernel(&mut launch, 2.0 * 16.0 * vectors as f64)?;
        let wrong = (output.to_vec()? != pattern).then(|| "the copy is not its source".to_owned());
        Ok(Reading { wrong, ..reading })
    }

    /// Pageable memory, as in the page's span, by the host's clock.
    fn host_copy(
        &self,
        bytes: usize,
        mut copy: impl FnMut(&mut Buffer<u8>, &mut Vec<u8>) -> Result<()>,
    ) -> Result<Reading> {
        let mut host = vec![1_u8; bytes];
        let mut buffer = self.device.upload(&host)?;
        let work = match self.limit {
            Limit::CopyIn | Limit::CopyOut => bytes as f64,
            _ => 1.0,
        };
        self.span(work, || copy(&mut buffer, &mut host))
    }

    fn launch(&self) -> Result<Reading> {
        let mut output = self.device.alloc_zeroed::<u32>(1)?;
        self.kernel(&mut || limit::empty(self.module, &mut output), 1.0)
    }

    fn launch_and_wait(&self) -> Result<Reading> {
        let mut output = self.device.alloc_zeroed::<u32>(1)?;
        self.span(1.0, || limit::empty(self.module, &mut output))
    }

    /// Times a kernel by the device's events.
    fn kernel(&self, launch: timing::Launch<'_>, work: f64) -> Result<Reading> {
        if self.untimed {
            launch()?;
            return Ok(Reading::default());
        }
        let measured = timing::kernels_and_methods(&self.rule, &self.device, &mut [launch])?.pop();
        Ok(Reading {
            work: Some(work),
            kernel_method: measured.as_ref().map(|kernel| kernel.method),
            kernel: measured.map(|kernel| kernel.timing),
            ..Reading::default()
        })
    }

    /// Times what the host waits for by its own clock.
    fn span(&self, work: f64, mut once: impl FnMut() -> Result<()>) -> Result<Reading> {
        let mut timed = || {
            self.device.synchronize()?;
            let start = Instant::now();
            once()?;
            self.device.synchronize()?;
            Ok::<f64, quadscan::Error>(milliseconds(start.elapsed()))
        };
        // The first one pays for what the driver sets up lazily.
        timed()?;
        if self.untimed {
            return Ok(Reading::default());
        }
        Ok(Reading {
            work: Some(work),
            gpu: sample(&self.rule, timed)?,
            ..Reading::default()
        })
    }
}

fn threads(of: Chains) -> usize {
    of.blocks as usize * of.threads as usize
}

/// Steps of all chains of all threads.
fn work(of: Chains, chains: usize) -> f64 {
    threads(of) as f64 * f64::from(of.turns) * (STEPS * chains) as f64
}
