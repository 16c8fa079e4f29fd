//! Work that is recorded once and launched again and again.

use quadscan::device::{Buffer, LaunchShape};
use quadscan_bench::oracle::block_scan as oracle;
use quadscan_kernels::block_scan::hillis_steele::{hillis_steele_inclusive_u32, threads};
use quadscan_kernels::integrate::trapezoid::trapezoid_f64;
use quadscan_tests::suite::{Bench, Outcome};

/// Part of a warp, several warps, and the largest scan of one block.
const SIZES: &[usize] = &[5, 257, 1024];

pub(crate) fn a_replayed_graph_gives_the_bits_of_single_launches(bench: &Bench) -> Outcome {
    let shape = LaunchShape::new(4, 64);
    let mut single = bench.device.alloc_zeroed::<f64>(256)?;
    let mut replayed = bench.device.alloc_zeroed::<f64>(256)?;
    // 3 * 2^14 strips, of which no abscissa is exact.
    let (count, strips) = (192, f64::from(3 << 14));
    bench
        .module
        .launch(trapezoid_f64, shape, (&mut single, count, strips))?;
    let graph = bench.device.capture(|| {
        bench
            .module
            .launch(trapezoid_f64, shape, (&mut replayed, count, strips))
    })?;
    assert_eq!(replayed.to_vec()?, [0.0; 256], "recording is not launching");
    for _ in 0..2 {
        replayed.fill_bytes(0)?;
        graph.launch()?;
        let bits = |sums: Vec<f64>| sums.into_iter().map(f64::to_bits).collect::<Vec<_>>();
        assert_eq!(bits(replayed.to_vec()?), bits(single.to_vec()?));
    }
    Ok(())
}

pub(crate) fn recorded_work_is_done_in_order_at_every_launch(bench: &Bench) -> Outcome {
    for &n in SIZES {
        let mut expected: Vec<u32> = (0..n as u32)
            .map(|i| i.wrapping_mul(2_654_435_761))
            .collect();
        let mut data = bench.device.upload(&expected)?;
        let mut scanned = bench.device.alloc_zeroed::<u32>(n)?;
        // Loads the code; what it leaves is overwritten.
        scan(bench, &mut data, &mut scanned)?;
        data.copy_from(&expected)?;
        let graph = bench
            .device
            .capture(|| scan(bench, &mut data, &mut scanned))?;
        for replay in 1..=3 {
            graph.launch()?;
            expected = oracle::inclusive(&expected);
            assert_eq!(data.to_vec()?, expected, "{n} elements, launch {replay}");
        }
    }
    Ok(())
}

/// Scans `data` in two parts: a launch, and a copy on the device.
fn scan(bench: &Bench, data: &mut Buffer<u32>, scanned: &mut Buffer<u32>) -> quadscan::Result<()> {
    let shape = LaunchShape::new(1, threads(data.len()));
    bench
        .module
        .launch(hillis_steele_inclusive_u32, shape, (&*data, &mut *scanned))?;
    data.copy_from_buffer(scanned)
}
