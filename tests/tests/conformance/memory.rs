//! Parts of buffers, and memory of the host that copies go to and from.

use quadscan::device::LaunchShape;
use quadscan_bench::oracle::block_scan as oracle;
use quadscan_kernels::block_scan::hillis_steele::{hillis_steele_inclusive_u32, threads};
use quadscan_tests::suite::{Bench, Outcome};

/// Elements that a part lacks of its buffer, before and behind.
const MARGIN: usize = 5;
const GUARD: u32 = 0xdead_beef;

pub(crate) fn a_kernel_works_on_parts_that_begin_at_any_element(bench: &Bench) -> Outcome {
    let n = 257;
    let numbers: Vec<u32> = (0..(n + 2 * MARGIN) as u32)
        .map(|i| i.wrapping_mul(2_654_435_761))
        .collect();
    let input = bench.device.upload(&numbers)?;
    let shape = LaunchShape::new(1, threads(n));
    for from in 0..=MARGIN {
        let to = MARGIN - from;
        let mut out = bench.device.upload(&vec![GUARD; n + 2 * MARGIN])?;
        let (part, target) = (input.slice(from..from + n)?, out.slice_mut(to..to + n)?);
        bench
            .module
            .launch(hillis_steele_inclusive_u32, shape, (part, target))?;
        let mut expected = vec![GUARD; n + 2 * MARGIN];
        expected[to..to + n].copy_from_slice(&oracle::inclusive(&numbers[from..from + n]));
        assert_eq!(out.to_vec()?, expected, "from {from} to {to}");
    }
    Ok(())
}

pub(crate) fn parts_of_one_buffer_are_read_and_written_by_one_launch(bench: &Bench) -> Outcome {
    let n = 100;
    let numbers: Vec<u32> = (1..=n as u32).collect();
    let mut buffer = bench.device.alloc_zeroed::<u32>(2 * n)?;
    buffer.slice_mut(..n)?.copy_from(&numbers)?;
    let (input, mut out) = buffer.split_at_mut(n)?;
    let shape = LaunchShape::new(1, threads(n));
    bench
        .module
        .launch(hillis_steele_inclusive_u32, shape, (&input, &mut out))?;
    // 1 + 2 + .. + i.
    let sums: Vec<u32> = (1..=n as u32).map(|i| i * (i + 1) / 2).collect();
    assert_eq!(out.to_vec()?, sums);
    assert_eq!(input.to_vec()?, numbers);
    Ok(())
}

pub(crate) fn copies_go_to_and_from_memory_that_the_host_keeps_in_place(bench: &Bench) -> Outcome {
    let n = 100_003;
    let mut numbers = bench.device.alloc_host::<u64>(n)?;
    assert!(numbers.iter().all(|&number| number == 0));
    for (number, square) in numbers.iter_mut().zip((0..).map(|i: u64| i * i)) {
        *number = square;
    }
    let buffer = bench.device.upload(&numbers)?;
    numbers.fill(0);
    buffer.slice(1..)?.copy_to(&mut numbers[..n - 1])?;
    for (i, &number) in (1..n as u64).zip(numbers.iter()) {
        assert_eq!(number, i * i);
    }
    assert_eq!(numbers[n - 1], 0);
    Ok(())
}
