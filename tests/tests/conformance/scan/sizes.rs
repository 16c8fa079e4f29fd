//! Numbers of elements: around warps, around the tiles of every kernel, and as the device
//! knows them.

use quadscan::scan::{Algorithm, Plan, Sum};
use quadscan_tests::oracle::scan as oracle;
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::{Bench, Outcome};

use super::sample::{compare, samples};
use super::{SEED, by, check, kernels};

pub(crate) fn scans_are_right_around_every_warp_and_tile(bench: &Bench) -> Outcome {
    for kernel in kernels::<Sum<u32>>(&bench.module) {
        let capacity = kernel.capacity().min(3 * kernel.tile + 1);
        let plan = Plan::<Sum<u32>>::with(&bench.module, capacity, by(kernel.algorithm));
        let mut plan = plan?;
        let around = |n: u64| [n - 1, n, n + 1];
        // A lane's vector is 4, a warp's row 128; a power of ten has no common divisor with
        // most of it.
        let mut sizes = vec![1, 2, 3, 4, 5, 31, 32, 33, 127, 128, 129, 1000, 10_000];
        sizes.extend((1..=3).flat_map(|tiles| around(tiles * kernel.tile)));
        for n in sizes.into_iter().filter(|&n| n <= capacity) {
            check(&mut plan, &bench.device, n as usize)?;
        }
    }
    Ok(())
}

pub(crate) fn a_plan_chooses_a_kernel_for_every_number_of_elements(bench: &Bench) -> Outcome {
    let mut plan = Plan::<Sum<u32>>::new(&bench.module, 10_000)?;
    assert_eq!(plan.algorithm_for(8192), Some(Algorithm::OneBlock));
    let wave = plan.algorithm_for(10_000);
    assert!(wave.is_some_and(Algorithm::is_one_wave), "{wave:?}");
    assert_eq!(plan.algorithm_for(10_001), None);
    for n in [0, 1, 8192, 8193, 10_000] {
        check(&mut plan, &bench.device, n)?;
    }
    Ok(())
}

/// The device knows how many elements there are; the host knows how many at most.
pub(crate) fn the_number_of_elements_may_be_on_the_device(bench: &Bench) -> Outcome {
    const MOST: usize = 15_000;
    let device = &bench.device;
    let elements: Vec<u32> = samples(MOST, &mut Random::named(SEED, "counted"));
    let expected = oracle::inclusive::<Sum<u32>>(None, &elements);
    let before = oracle::exclusive::<Sum<u32>>(9, &elements);
    let input = device.upload(&elements)?;
    let mut count = device.alloc_zeroed::<u64>(1)?;
    let algorithms = kernels::<Sum<u32>>(&bench.module).map(|kernel| kernel.algorithm);
    for algorithm in algorithms.filter(|&a| a != Algorithm::OneBlock && a.is_countable()) {
        let mut plan = Plan::<Sum<u32>>::with(&bench.module, MOST as u64, by(algorithm))?;
        for n in [0, 1, 4097, 8064, MOST, MOST + 1] {
            count.copy_from(&[n as u64])?;
            let n = n.min(MOST);
            let mut output = device.alloc_zeroed::<u32>(MOST)?;
            plan.counted(&count).inclusive(&input, &mut output)?;
            let found = output.to_vec()?;
            let what = format!("{algorithm:?}, {n} elements");
            compare(&found[..n], &expected[..n], &what);
            assert!(found[n..].iter().all(|&x| x == 0), "{what}: wrote beyond");
            plan.counted(&count)
                .exclusive_with(9, &input, &mut output)?;
            compare(&output.to_vec()?[..n], &before[..n], &what);
        }
    }
    Ok(())
}
