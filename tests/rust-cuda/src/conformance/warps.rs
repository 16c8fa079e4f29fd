//! Warps: lanes, votes, matches, shuffles and reductions, by their definitions in the PTX ISA.

use cuda_std::launch::SafeLaunch;
use quadscan::device::{Arguments, Buffer, LaunchShape};
use quadscan_tests::suite::{Bench, Outcome};
use subject_kernels::gpu::{self, LANE_WORDS};

use crate::bits::compare;

/// Lanes of a warp.
const LANES: u32 = 32;

/// Compares the words of every lane of three warps in two blocks with those that `of` says.
fn lanes<K>(bench: &Bench, kernel: K, of: impl Fn(u32) -> Vec<u32>) -> Outcome
where
    K: SafeLaunch,
    for<'b> (&'b mut Buffer<u32>,): Arguments<K::Formals, K::Names>,
{
    let (blocks, block) = (2, 3 * LANES);
    let count = (blocks * block) as usize;
    let mut output = bench.device.alloc_zeroed::<u32>(count * LANE_WORDS)?;
    bench
        .module
        .launch(kernel, LaunchShape::new(blocks, block), (&mut output,))?;
    let expected: Vec<u32> = (0..blocks * block)
        .flat_map(|thread| {
            let mut words = of(thread % LANES);
            words.resize(LANE_WORDS, 0);
            words
        })
        .collect();
    compare(&output.to_vec()?, &expected, |i| {
        format!("thread {}, word {}", i / LANE_WORDS, i % LANE_WORDS)
    })
}

/// The lanes for which this holds, as bits.
fn those(holds: impl Fn(u32) -> bool) -> u32 {
    (0..LANES)
        .filter(|&lane| holds(lane))
        .fold(0, |bits, lane| bits | 1 << lane)
}

pub(super) fn warp_functions(bench: &Bench) -> Outcome {
    lanes(bench, gpu::warp_functions, |lane| {
        vec![
            lane,
            those(|other| other < lane),
            those(|other| other <= lane),
            those(|other| other == lane),
            those(|other| other >= lane),
            those(|other| other > lane),
            0,
            1,
            those(|other| other % 3 == 0),
            those(|other| other / 4 == lane / 4),
            those(|other| other % 2 == lane % 2),
            u32::MAX,
        ]
    })
}

pub(super) fn warp_shuffles(bench: &Bench) -> Outcome {
    lanes(bench, gpu::warp_shuffles, |lane| {
        let up = if lane % 16 >= 3 { lane - 3 } else { lane };
        let down = |by: u32| if lane + by < LANES { lane + by } else { lane };
        vec![
            lane ^ 1,
            up,
            u32::from(lane % 16 >= 3),
            down(2),
            u32::from(lane + 2 < LANES),
            lane / 8 * 8 + 3,
            lane ^ 4,
            down(8),
            31,
        ]
    })
}

pub(super) fn warp_reductions(bench: &Bench) -> Outcome {
    let exclusive = (0..LANES).fold(0, |bits, lane| bits ^ 3 << (lane % 30));
    lanes(bench, gpu::warp_reductions, |lane| {
        let even = (0..LANES).filter(|other| other % 2 == 0).sum();
        vec![
            LANES * (LANES - 1) / 2,
            3,
            31 * 31,
            8,
            u32::MAX,
            exclusive,
            -16_i32 as u32,
            16,
            if lane % 2 == 0 { even } else { 0 },
        ]
    })
}
