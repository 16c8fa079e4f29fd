//! Scans one after the other: nothing is cleared between them, and what earlier ones left
//! in the scratch memory is never taken for a total.

use quadscan::device::Device;
use quadscan::scan::{Algorithm, Options, Plan, Sum};
use quadscan_kernels::scan::scratch::HEAD;
use quadscan_tests::oracle::scan as oracle;
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::{Bench, Outcome};

use super::sample::{compare, samples};
use super::{SEED, by, kernels};

/// More than three tiles of every kernel.
const MOST: usize = 25_000;

fn scan(plan: &mut Plan<Sum<u32>>, device: &Device, n: usize, turn: usize) -> Outcome {
    let elements: Vec<u32> = samples(n, &mut Random::named(SEED, &format!("{turn}")));
    let input = device.upload(&elements)?;
    let mut output = device.alloc_zeroed::<u32>(n)?;
    plan.inclusive(&input, &mut output)?;
    let expected = oracle::inclusive::<Sum<u32>>(None, &elements);
    let what = format!("scan {turn}, {n} elements");
    compare(&output.to_vec()?, &expected, &what);
    Ok(())
}

pub(crate) fn a_plan_scans_again_and_again_whatever_the_sizes(bench: &Bench) -> Outcome {
    let mut plan = Plan::<Sum<u32>>::new(&bench.module, MOST as u64)?;
    for (turn, n) in [MOST, 9000, 100, MOST, 17_000, MOST]
        .into_iter()
        .enumerate()
    {
        scan(&mut plan, &bench.device, n, turn)?;
    }
    Ok(())
}

/// Two launches before the tags begin again, with words that launches of the last cycle
/// left: plausible totals, with tags that are about to come back. Of tag 1 there are none,
/// since the launch with tag 2 has cleared them.
fn age(plan: &mut Plan<Sum<u32>>) -> Outcome {
    // SAFETY: plausible totals of earlier launches, and the count of these.
    let mut scratch = unsafe { plan.scratch_mut() };
    let mut words: Vec<u64> = (0..scratch.len() as u64)
        .map(|i| (i % 4 + 2) << 32 | 12_345)
        .collect();
    words[..HEAD as usize].fill(0);
    words[0] = ((1 << 32) - 3) << 32;
    scratch.copy_from(&words)?;
    Ok(())
}

/// Algorithms whose tiles tell each other their totals in words that are tagged.
fn is_tagged(algorithm: Algorithm) -> bool {
    let looks_back = matches!(
        algorithm,
        Algorithm::DecoupledLookback | Algorithm::DecoupledLookbackFixed
    );
    algorithm.is_resident() || looks_back
}

pub(crate) fn words_of_4294967295_launches_ago_are_not_taken_for_totals(bench: &Bench) -> Outcome {
    for kernel in kernels::<Sum<u32>>(&bench.module).filter(|kernel| is_tagged(kernel.algorithm)) {
        let algorithm = kernel.algorithm;
        let mut plan = Plan::<Sum<u32>>::with(&bench.module, MOST as u64, by(algorithm))?;
        age(&mut plan)?;
        let sizes = [9000, MOST, 2000, 9000, MOST, 9000, MOST, MOST];
        for (turn, n) in sizes.into_iter().enumerate() {
            scan(&mut plan, &bench.device, n, turn)?;
        }
        // All but two of the launches came after the tags began again. One block that is alone in
        // one wave tells nobody, and takes no tag.
        let takes = |n: &&usize| !algorithm.is_one_wave() || kernel.tiles(**n as u64) > 1;
        let taken = sizes.iter().filter(takes).count() as u64;
        // SAFETY: nothing is written.
        let scratch = unsafe { plan.scratch_mut() };
        assert_eq!(scratch.to_vec()?[0], (taken - 2) << 32, "{algorithm:?}");
    }
    Ok(())
}

pub(crate) fn scans_that_were_recorded_are_done_at_every_launch_of_the_graph(
    bench: &Bench,
) -> Outcome {
    let device = &bench.device;
    for n in [100, MOST] {
        let mut plan = Plan::<Sum<u32>>::with(&bench.module, n as u64, Options::default())?;
        let mut data = device.upload(&vec![1u32; n])?;
        let graph = device.capture(|| {
            plan.inclusive_in_place(&mut data)?;
            plan.exclusive_in_place(&mut data)
        })?;
        // What it was recorded with stays as long as the graph.
        drop(plan);
        let mut expected = vec![1; n];
        for turn in 0..3 {
            graph.launch()?;
            expected = oracle::inclusive::<Sum<u32>>(None, &expected);
            expected = oracle::exclusive::<Sum<u32>>(0, &expected);
            compare(
                &data.to_vec()?,
                &expected,
                &format!("{n} elements, launch {turn}"),
            );
        }
    }
    Ok(())
}
