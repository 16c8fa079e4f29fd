//! Shared memory, memory spaces and atomics.

use quadscan::device::LaunchShape;
use quadscan_tests::suite::{Bench, Outcome};
use subject_kernels::gpu;

use crate::bits::compare;

/// Blocks of the launches.
const BLOCKS: u32 = 5;

/// The elements that blocks turn round.
fn elements(count: u32) -> Vec<u32> {
    (0..count)
        .map(|i| i.wrapping_mul(0x0100_0193) ^ 0x811c_9dc5)
        .collect()
}

/// The element at the mirrored place of the same block.
fn mirrored(elements: &[u32], block: u32) -> impl Iterator<Item = u32> {
    elements
        .chunks(block as usize)
        .flat_map(|chunk| chunk.iter().rev().copied())
}

pub(super) fn static_shared(bench: &Bench) -> Outcome {
    let count = BLOCKS * gpu::SHARED_THREADS;
    let values = elements(count);
    let input = bench.device.upload(&values)?;
    let mut output = bench.device.alloc_zeroed::<u32>(count as usize)?;
    let shape = LaunchShape::new(BLOCKS, gpu::SHARED_THREADS);
    bench
        .module
        .launch(gpu::static_shared, shape, (&input, &mut output))?;
    let expected: Vec<u32> = mirrored(&values, gpu::SHARED_THREADS).collect();
    compare(&output.to_vec()?, &expected, |i| format!("element {i}"))
}

pub(super) fn dynamic_shared(bench: &Bench) -> Outcome {
    for block in [1, 31, 200] {
        let count = BLOCKS * block;
        let values = elements(count);
        let input = bench.device.upload(&values)?;
        let mut output = bench.device.alloc_zeroed::<u32>(count as usize)?;
        let shape = LaunchShape::new(BLOCKS, block).with_shared(12 * block);
        bench
            .module
            .launch(gpu::dynamic_shared, shape, (&input, &mut output))?;
        let both = mirrored(&values, block).zip(&values);
        let expected: Vec<u32> = both.map(|(other, own)| other ^ !own).collect();
        compare(&output.to_vec()?, &expected, |i| {
            format!("element {i} of blocks of {block}")
        })?;
    }
    Ok(())
}

pub(super) fn memory_spaces(bench: &Bench) -> Outcome {
    let mut output = bench.device.alloc_zeroed::<u32>(2)?;
    let mut seen = Vec::new();
    for i in 0..4_u32 {
        bench
            .module
            .launch(gpu::memory_spaces, LaunchShape::new(1, 1), (&mut output, i))?;
        seen.push(output.to_vec()?);
    }
    // The module may have counted before: each launch adds one.
    let first = seen[0][0];
    let expected: Vec<u32> = [2, 3, 5, 7]
        .into_iter()
        .zip(first..)
        .flat_map(|(weight, calls)| [calls, weight])
        .collect();
    if first < 41 {
        return Err(format!("the variable began at {first}, and the source says 40").into());
    }
    compare(&seen.concat(), &expected, |i| format!("word {i}"))
}

pub(super) fn atomic_operations(bench: &Bench) -> Outcome {
    const THREADS: u32 = 160;
    let n = BLOCKS * THREADS;
    let device = &bench.device;
    let mut totals = [0_u32; gpu::TOTALS];
    totals[1] = n;
    totals[3] = u32::MAX;
    totals[5] = u32::MAX;
    let mut words = device.upload(&totals)?;
    let mut wide = device.alloc_zeroed::<u64>(3)?;
    let mut floats = device.alloc_zeroed::<f32>(2)?;
    let mut doubles = device.alloc_zeroed::<f64>(2)?;
    let shape = LaunchShape::new(BLOCKS, THREADS);
    let arguments = (&mut words, &mut wide, &mut floats, &mut doubles);
    bench
        .module
        .launch(gpu::atomic_operations, shape, arguments)?;

    let (last, sum) = (n - 1, n * (n - 1) / 2);
    let expected = [
        sum,
        0,
        last,
        0,
        u32::MAX,
        0xffff_0000,
        (0..n).fold(0, |bits, i| bits ^ i),
        77,
        2 * n,
        (-(last as i32)) as u32,
        5,
        3 * n,
    ];
    compare(&words.to_vec()?, &expected, |i| format!("word {i}"))?;
    let bits = (0..n).fold(0_u64, |bits, i| bits ^ 1 << (i % 64));
    let expected = [u64::from(sum) << 20, bits, u64::from(last) << 40];
    compare(&wide.to_vec()?, &expected, |i| format!("wide word {i}"))?;
    // Sums of halves and quarters are exact in any order.
    let expected = [n as f32 / 2.0, last as f32];
    compare(&floats.to_vec()?, &expected, |i| format!("f32 {i}"))?;
    let expected = [f64::from(n) / 4.0, -f64::from(last)];
    compare(&doubles.to_vec()?, &expected, |i| format!("f64 {i}"))
}
