//! Where elements and results are: in one array or two, at any element, with other data
//! around.

use bytemuck::{Zeroable, bytes_of};
use quadscan::device::{Actual, LaunchShape};
use quadscan::scan::{Algorithm, Compose, Identity, Plan, ScanKernels, Sum};
use quadscan_kernels::scan::ScanKernel;
use quadscan_tests::oracle::scan as oracle;
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::{Bench, Outcome};
use std::fmt::Debug;

use super::sample::{Same, Sample, compare, samples};
use super::{SEED, by, kernels};

/// Words around what a scan may write.
const GUARD: usize = 64;

/// Bytes of the words around; as the tag of a launch, one of the distant future.
const CANARY: u8 = 0xa5;

pub(crate) fn results_may_take_the_place_of_their_elements(bench: &Bench) -> Outcome {
    for kernel in kernels::<Sum<u32>>(&bench.module) {
        let n = (2 * kernel.tile + 5).min(kernel.capacity()) as usize;
        let elements: Vec<u32> = samples(n, &mut Random::named(SEED, "in place"));
        let plan = Plan::<Sum<u32>>::with(&bench.module, n as u64, by(kernel.algorithm));
        let mut plan = plan?;
        let mut data = bench.device.upload(&elements)?;
        plan.inclusive_in_place(&mut data)?;
        let expected = oracle::inclusive::<Sum<u32>>(None, &elements);
        compare(&data.to_vec()?, &expected, kernel.entry);
        plan.exclusive_in_place(&mut data)?;
        let expected = oracle::exclusive::<Sum<u32>>(Sum::<u32>::IDENTITY, &expected);
        compare(&data.to_vec()?, &expected, kernel.entry);
        plan.inclusive_with_in_place(5, &mut data)?;
        let expected = oracle::inclusive::<Sum<u32>>(Some(5), &expected);
        compare(&data.to_vec()?, &expected, kernel.entry);
        plan.exclusive_with_in_place(u32::MAX, &mut data)?;
        let expected = oracle::exclusive::<Sum<u32>>(u32::MAX, &expected);
        compare(&data.to_vec()?, &expected, kernel.entry);
    }
    Ok(())
}

/// Elements from any of a buffer on, results likewise, by each kernel.
fn at_any_element<O>(bench: &Bench) -> Outcome
where
    O: ScanKernels + Identity,
    O::Input: Sample,
    O::Output: Same + Debug,
{
    let name = std::any::type_name::<O>();
    let mut random = Random::named(SEED, name);
    for kernel in kernels::<O>(&bench.module) {
        let n = (kernel.tile + 7).min(kernel.capacity()) as usize;
        let mut plan = Plan::<O>::with(&bench.module, n as u64, by(kernel.algorithm))?;
        for (from, to) in [(0, 0), (1, 0), (0, 1), (1, 1), (3, 2)] {
            let elements: Vec<O::Input> = samples(n + from, &mut random);
            let input = bench.device.upload(&elements)?;
            let mut output = bench.device.alloc_zeroed::<O::Output>(n + to + 1)?;
            plan.inclusive(input.slice(from..)?, output.slice_mut(to..)?)?;
            let mut expected = vec![O::Output::zeroed(); to];
            expected.extend(oracle::inclusive::<O>(None, &elements[from..]));
            expected.push(O::Output::zeroed());
            let what = format!("{}, {from} to {to}", kernel.entry);
            compare(&output.to_vec()?, &expected, &what);
        }
    }
    Ok(())
}

pub(crate) fn elements_and_results_may_begin_anywhere(bench: &Bench) -> Outcome {
    at_any_element::<Sum<u8>>(bench)?;
    at_any_element::<Sum<u16>>(bench)?;
    at_any_element::<Sum<u32>>(bench)?;
    at_any_element::<Sum<u64>>(bench)?;
    at_any_element::<Sum<u8, u32>>(bench)?;
    at_any_element::<Compose>(bench)
}

pub(crate) fn a_scan_writes_its_results_and_nothing_else(bench: &Bench) -> Outcome {
    let device = &bench.device;
    for kernel in kernels::<Sum<u32>>(&bench.module) {
        for n in [1, 33, (kernel.tile as usize) - 1] {
            let options = by(kernel.algorithm);
            let mut plan = Plan::<Sum<u32>>::with(&bench.module, n as u64, options)?;
            let elements: Vec<u32> = samples(n, &mut Random::named(SEED, "canaries"));
            let input = device.upload(&elements)?;
            let mut output = device.alloc::<u32>(n + 2 * GUARD)?;
            output.fill_bytes(CANARY)?;
            plan.inclusive(&input, output.slice_mut(GUARD..GUARD + n)?)?;
            let found = output.to_vec()?;
            let what = format!("{}, {n} elements", kernel.entry);
            let expected = oracle::inclusive::<Sum<u32>>(None, &elements);
            compare(&found[GUARD..GUARD + n], &expected, &what);
            let canary = u32::from_ne_bytes([CANARY; 4]);
            let around = found[..GUARD].iter().chain(&found[GUARD + n..]);
            assert!(around.copied().all(|word| word == canary), "{what}");
            assert_eq!(input.to_vec()?, elements, "{what}");
        }
    }
    Ok(())
}

/// Launches a kernel with scratch memory in the midst of other words, three times, so that
/// the launches are among them that clear what they do not use.
fn scratch_between_canaries(bench: &Bench, kernel: &ScanKernel) -> Outcome {
    const TILES: u64 = 3;
    let (device, n) = (&bench.device, (TILES - 1) * kernel.tile + 5);
    let words = kernel.scratch_words(n);
    let mut all = device.alloc::<u64>(words as usize + 2 * GUARD)?;
    all.fill_bytes(CANARY)?;
    all.slice_mut(GUARD..GUARD + words as usize)?
        .fill_bytes(0)?;
    let scratch = all.address() + size_of::<[u64; GUARD]>() as u64;
    let elements: Vec<u32> = samples(n as usize, &mut Random::named(SEED, "scratch"));
    let source = device.upload(&elements)?;
    let output = device.alloc_zeroed::<u32>(n as usize)?;
    let (input, to) = (source.address(), output.address());
    let (none, flags) = (0u64, 0u32);
    let parameters: [&[u8]; 8] = [
        bytes_of(&input),
        bytes_of(&to),
        bytes_of(&n),
        bytes_of(&none),
        bytes_of(&flags),
        bytes_of(&flags),
        bytes_of(&scratch),
        bytes_of(&words),
    ];
    let parameters = parameters.map(|bytes| Actual {
        bytes,
        elements: None,
    });
    let shape = LaunchShape::new(TILES as u32, kernel.threads).with_shared(kernel.shared_bytes);
    for _ in 0..3 {
        // SAFETY: the parameters of every kernel of one launch, for memory that stays; three
        // blocks are resident at once anywhere.
        unsafe { bench.module.launch_raw(kernel.entry, shape, &parameters)? };
        let expected = oracle::inclusive::<Sum<u32>>(None, &elements);
        compare(&output.to_vec()?, &expected, kernel.entry);
    }
    let found = all.to_vec()?;
    let canary = u64::from_ne_bytes([CANARY; 8]);
    let around = found[..GUARD]
        .iter()
        .chain(&found[GUARD + words as usize..]);
    assert!(
        around.copied().all(|word| word == canary),
        "{}",
        kernel.entry
    );
    Ok(())
}

pub(crate) fn scratch_memory_is_written_and_nothing_around_it(bench: &Bench) -> Outcome {
    let of_one_launch = |kernel: &&ScanKernel| {
        let algorithm = kernel.algorithm;
        algorithm != Algorithm::OneBlock
            && (algorithm.is_chosen() || algorithm == Algorithm::DecoupledLookback)
    };
    let mut kernels = kernels::<Sum<u32>>(&bench.module).filter(of_one_launch);
    kernels.try_for_each(|kernel| scratch_between_canaries(bench, kernel))
}
