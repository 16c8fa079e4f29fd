//! A scan, and a second kernel on another stream of the same device: what each takes
//! alone, and what each takes while the other runs.
//!
//! The second kernel is the quarter circle in f64 by one block on every
//! SM but one, which is left to the scan. Room for a scan's threads on
//! every SM is not enough. The memory of an SM is divided into
//! cache and shared memory; the second kernel has no shared memory and a scan has, and
//! the division does not change while a block runs. On an H200 (driver 580.159.04,
//! 2026-11-21) no scan began beside 132 blocks of 1024 threads, one on every
//! SM with 1024 threads to spare, unless both kernels asked for the same
//! division. Beside 131 the scans began 0.010 ms after the second kernel, and it took
//! 0.268 ms instead of 0.266.

use super::steps::{difference, input, sequential};
use crate::block_scan::{self, Algorithm};
use crate::measure::Bench;
use crate::oracle::{Precision, quarter_circle};
use crate::record::Time;
use crate::timing::beside::{self, Party};
use crate::trapezoid::{self, Grid};
use quadscan::device::{Artifact, Buffer, DeviceProperties, Event, Module};
use quadscan::{Error, Result};
use quadscan_kernels::integrate::trapezoid::MAX_STRIPS;

/// The most threads of the second kernel's block.
const MOST_THREADS: u32 = 1024;

/// The second kernel's length, ms: some hundred scans.
const COMPANION_MS: f64 = 2.5;

/// Strips of a thread of the second kernel while its length is not known.
const FIRST_STRIPS: u64 = 256;

/// Strips of a thread on a device without a timer, where a result is all there is.
const FEW_STRIPS: u64 = 4;

/// How far the second kernel's sum may be from a quarter of pi: its first and last
/// terms are not halved, and it has at least some hundred thousand strips.
const TOLERANCE: f64 = 1e-4;

/// The second kernel, on its own stream, with its partial sums.
struct Companion {
    module: Module,
    grid: Grid,
    partials: Buffer<f64>,
}

impl Companion {
    /// Opens another stream of the device, and finds the number of strips that takes
    /// [`COMPANION_MS`].
    fn open(module: &Module, artifact: &Artifact) -> Result<Self> {
        let device = module.device().another_stream()?;
        let (blocks, threads) = shape(device.properties());
        let parts = u64::from(blocks) * u64::from(threads);
        let grid = |strips: u64| Grid {
            strips: parts * strips.clamp(1, (MAX_STRIPS / parts).max(1)),
            blocks,
            threads,
        };
        let mut companion = Companion {
            module: device.load(artifact)?,
            grid: grid(FIRST_STRIPS),
            partials: device.alloc_zeroed(parts as usize)?,
        };
        companion.time()?;
        let strips = FIRST_STRIPS as f64 * COMPANION_MS / companion.time()?.max(1e-3);
        companion.grid = grid(strips as u64);
        Ok(companion)
    }

    fn launch(&mut self) -> Result<()> {
        trapezoid::f64_partials(&self.module, self.grid, &mut self.partials)
    }

    /// One launch, ms.
    fn time(&mut self) -> Result<f64> {
        let device = self.module.device();
        let (start, end) = (device.event()?, device.event()?);
        start.record()?;
        self.launch()?;
        end.record()?;
        Event::elapsed_ms(&start, &end)
    }

    /// Why the partial sums are not `first`, those of a launch alone, or no quarter of
    /// pi.
    fn wrong(&self, first: &[f64]) -> Result<Option<String>> {
        let sums = self.partials.to_vec()?;
        let same = first
            .iter()
            .zip(&sums)
            .all(|(a, b)| a.to_bits() == b.to_bits());
        if !same {
            return Ok(Some(
                "the second kernel gives another result beside the scan".into(),
            ));
        }
        let total: f64 = sums.iter().sum();
        let quarter = std::f64::consts::FRAC_PI_4;
        // Not `>`, which is false for what is not a number.
        let near = (total - quarter).abs() <= TOLERANCE;
        Ok((!near).then(|| format!("the second kernel's sum is {total}, not {quarter}")))
    }
}

/// Blocks and threads of the second kernel: a block on every SM but one,
/// as long as there is another.
fn shape(properties: &DeviceProperties) -> (u32, u32) {
    let blocks = properties.sm_count.saturating_sub(1).max(1);
    (blocks, properties.max_threads_per_block.min(MOST_THREADS))
}

/// Why none is left to the scan, where that is so.
fn no_room(properties: &DeviceProperties) -> Option<String> {
    (properties.sm_count < 2)
        .then(|| "the device has one SM, and the second kernel leaves none to the scan".into())
}

/// The second kernel, once it was opened.
#[derive(Default)]
struct Kept(Option<Companion>);

/// Times a scan of `n` elements and the second kernel; on a device without a timer, results alone.
pub(super) fn measure(bench: &mut Bench<'_>, algorithm: Algorithm, n: u32) -> Result<()> {
    if !bench.is_timed() {
        return results(bench, algorithm, n);
    }
    let (module, artifact) = (bench.module().clone(), bench.session().artifact.clone());
    let kept = bench.kept::<Kept>().0.take();
    let mut companion = match kept {
        Some(companion) => companion,
        None => Companion::open(&module, &artifact)?,
    };
    timed(bench, &mut companion, algorithm, n)?;
    bench.kept::<Kept>().0 = Some(companion);
    Ok(())
}

fn timed(
    bench: &mut Bench<'_>,
    companion: &mut Companion,
    algorithm: Algorithm,
    n: u32,
) -> Result<()> {
    let module = bench.module().clone();
    let device = module.device();
    let elements = input(n);
    let source = device.upload(&elements)?;
    let mut output = device.alloc_zeroed(elements.len())?;
    companion.launch()?;
    let alone = companion.partials.to_vec()?;
    let second = companion.module.device().clone();
    let times = beside::kernels(
        &bench.rule(),
        Party {
            device,
            launch: &mut || block_scan::launch(&module, algorithm, &source, &mut output),
        },
        Party {
            device: &second,
            launch: &mut || companion.launch(),
        },
    )?;
    let expected = sequential(algorithm, &elements);
    bench.expect(difference("the scan", &output.to_vec()?, &expected));
    bench.expect(companion.wrong(&alone)?);
    if let Some(remark) = no_room(device.properties()) {
        bench.remark(remark);
    }
    if times.kernel_beside.is_none() {
        bench.remark(format!(
            "the two kernels did not run at the same time: of the second one's, the scans took \
             {:.0} %",
            100.0 * times.overlap
        ));
    }
    let method = Some(times.method.to_string());
    let kernel = times.kernel.map(|timing| Time {
        timing,
        method,
        peer: None,
    });
    bench.put("kernel", kernel);
    bench.put("kernel_beside", times.kernel_beside);
    bench.put("companion", times.companion);
    bench.put("companion_beside", times.companion_beside);
    bench.put("companion_blocks", Some(companion.grid.blocks));
    bench.put("companion_threads", Some(companion.grid.threads));
    Ok(())
}

/// Runs both, one after the other, on a device without a timer: results alone, and
/// the counts of the scan.
fn results(bench: &mut Bench<'_>, algorithm: Algorithm, n: u32) -> Result<()> {
    let module = bench.module().clone();
    let device = module.device();
    let (blocks, threads) = (2, 32);
    let grid = Grid {
        strips: u64::from(blocks * threads) * FEW_STRIPS,
        blocks,
        threads,
    };
    let mut partials = device.alloc_zeroed::<f64>(grid.partials() as usize)?;
    trapezoid::f64_partials(&module, grid, &mut partials)?;
    let sums = quarter_circle::Partials::F64(partials.to_vec()?).sum();
    let expected = quarter_circle::partials(Precision::F64, grid.strips, grid.partials()).sum();
    let elements = input(n);
    let source = device.upload(&elements)?;
    let mut output = device.alloc_zeroed(elements.len())?;
    device.take_counts();
    block_scan::launch(&module, algorithm, &source, &mut output)?;
    let scanned = sequential(algorithm, &elements);
    bench.expect(difference("the scan", &output.to_vec()?, &scanned));
    let is_equal = sums.to_bits() == expected.to_bits();
    bench.expect((!is_equal).then(|| format!("the second kernel's sum is {sums}, not {expected}")));
    let name = device.properties().name.clone();
    bench.remark(Error::NoTimer { device: name }.to_string());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::worker::cpu;

    /// A device of so many SMs and so many threads a block.
    fn device(sm_count: u32, max_threads_per_block: u32) -> DeviceProperties {
        DeviceProperties {
            sm_count,
            max_threads_per_block,
            ..cpu::properties()
        }
    }

    #[test]
    fn the_second_kernel_is_on_every_sm_but_the_one_that_is_the_scans() {
        // An H200, an RTX 30, one with smaller blocks.
        assert_eq!(shape(&device(132, 1024)), (131, 1024));
        assert_eq!(shape(&device(82, 1024)), (81, 1024));
        assert_eq!(shape(&device(2, 512)), (1, 512));
        assert_eq!(no_room(&device(2, 512)), None);
    }

    #[test]
    fn one_sm_is_not_enough_for_both() {
        assert_eq!(shape(&device(1, 1024)), (1, 1024));
        let why = no_room(&device(1, 1024)).unwrap_or_default();
        assert!(why.contains("one SM"), "{why}");
    }
}
