//! A chained scan inside a kernel of one's own: `docs/chained-scans.md` has the kernel.

use quadscan::device::LaunchShape;
use quadscan_kernels::scan::chained;
use quadscan_tests::suite::{Bench, Outcome};
use test_kernels::chained::{THREADS, select_above};

pub(crate) fn a_kernel_selects_by_a_chained_scan_and_again(bench: &Bench) -> Outcome {
    let module = bench.test_kernels()?;
    // The last block has some threads without elements.
    let numbers: Vec<f32> = (0..3001_u32).map(|i| (i * 7919 % 1000) as f32).collect();
    let blocks = numbers.len().div_ceil(THREADS as usize) as u32;
    let words = chained::scratch_words(blocks.into(), size_of::<u64>());
    let input = bench.device.upload(&numbers)?;
    let mut output = bench.device.alloc_zeroed::<f32>(numbers.len())?;
    let mut count = bench.device.alloc_zeroed::<u64>(1)?;
    let mut scratch = bench.device.alloc_zeroed::<u64>(words as usize)?;
    // Nothing is cleared in between.
    for limit in [500.0, 10.0, 998.0, 2000.0] {
        let kept: Vec<f32> = numbers.iter().copied().filter(|&x| x > limit).collect();
        // SAFETY: a block for every `THREADS` elements; output and scratch are as large as they must
        // be, and of this launch alone.
        unsafe {
            module.launch_unchecked(
                select_above,
                LaunchShape::new(blocks, THREADS),
                (&input, limit, &mut output, &mut count, &mut scratch, words),
            )?;
        }
        assert_eq!(count.to_vec()?, [kept.len() as u64]);
        assert_eq!(output.to_vec()?[..kept.len()], kept);
    }
    Ok(())
}
