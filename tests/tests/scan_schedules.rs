//! Scans, reductions, selections and integrals whose tiles come when they like: on the emulator
//! under random schedules, which hold back warps and blocks for as long as they please, and under
//! all of its checks.
//!
//! `cargo xtask check` runs what the conformance tests state under a few schedules; here are
//! more of them, for scans of several tiles and blocks by every algorithm, for reductions and
//! selections, and for integrals of blocks that draw their units.

use quadscan::device::emulator::ptx_emulator::{Checks, Model};
use quadscan::device::emulator::{Checking, Emulator, Settings};
use quadscan::device::{Artifact, Device, Module};
use quadscan::integrate::{Composite, Rule};
use quadscan::reduce;
use quadscan::scan::{
    Affine, Algorithm, Compose, Operator as _, Options, Plan, ScanKernels, SegmentedPlan,
    SegmentedScanKernels, Sum,
};
use quadscan::select::{self, AnyBit, SelectKernels};
use quadscan_bench::modules;
use quadscan_kernels::integrate::catalogue::QuarterCircle;
use quadscan_kernels::reduce::ReduceKernels;
use quadscan_kernels::scan::ScanKernel;
use quadscan_tests::oracle::scan as oracle;

/// Schedules of each algorithm.
const SCHEDULES: u64 = 20;

/// Scans of a plan under one schedule: words of the earlier are there for the later.
const SCANS: usize = 2;

/// An operator that is not commutative, with totals of four words.
type Operator = Compose;

/// What stands before the first element.
const INITIAL: Affine = Affine { a: 1.0, b: -4.0 };

/// Maps whose compositions are exact.
fn elements(n: usize) -> Vec<Affine> {
    let map = |i: usize| Affine {
        a: if i.is_multiple_of(3) { -1.0 } else { 1.0 },
        b: (i % 17) as f64,
    };
    (0..n).map(map).collect()
}

/// Several tiles, the last cut short; several rounds of tiles where blocks are persistent.
fn size(algorithm: Algorithm) -> (u64, Option<u32>) {
    let kernels = <Operator as ScanKernels>::KERNELS.iter();
    let mut kernels = kernels.filter(|kernel| kernel.algorithm == algorithm);
    let kernel = kernels.next().expect("every algorithm has an entry");
    match algorithm {
        Algorithm::OneBlock => (kernel.tile - 3, None),
        Algorithm::LookAhead => (7 * kernel.tile + 33, Some(3)),
        _ => (5 * kernel.tile + 33, None),
    }
}

/// Does work on a GPU under a schedule; panics for a finding, and where nothing was launched.
fn watched(
    artifact: &Artifact,
    model: Model,
    schedule: u64,
    work: impl FnOnce(&Module) -> quadscan::Result<()>,
) -> quadscan::Result<()> {
    let mut modules = artifact.manifest().modules.iter().rev();
    let module = modules.find(|module| module.compute_capability() <= model.compute_capability);
    let kernels = module.into_iter().flat_map(|module| module.kernels());
    let checking = Checking::new(Checks::all(), kernels, None);
    let verdicts = checking.verdicts();
    let settings = Settings {
        model,
        schedule: Some(schedule),
        cores: 1,
        ..Settings::default()
    };
    let emulator = Emulator::observed(settings, Box::new(checking));
    let device = Device::from_backend(Box::new(emulator));
    work(&device.load(artifact)?)?;
    let verdicts = verdicts.take();
    assert!(!verdicts.is_empty(), "nothing was launched");
    for verdict in verdicts.values() {
        let checked = &verdict.checked;
        assert!(checked.is_clean(), "schedule {schedule}: {checked}");
    }
    Ok(())
}

/// Scans under a schedule; panics for a wrong result.
fn check(artifact: &Artifact, algorithm: Algorithm, schedule: u64) -> quadscan::Result<()> {
    watched(artifact, Model::h200(), schedule, |module| {
        let (n, max_blocks) = size(algorithm);
        let options = Options {
            algorithm: Some(algorithm),
            max_blocks,
            ..Options::default()
        };
        let mut plan = Plan::<Operator>::with(module, n, options)?;
        let elements = elements(n as usize);
        let input = module.device().upload(&elements)?;
        let expected = oracle::exclusive::<Operator>(INITIAL, &elements);
        for _ in 0..SCANS {
            let mut output = module.device().alloc::<Affine>(n as usize)?;
            plan.exclusive_with(INITIAL, &input, &mut output)?;
            assert!(
                output.to_vec()? == expected,
                "{algorithm}, schedule {schedule}"
            );
        }
        Ok(())
    })
}

/// Scans elements of four bytes that begin next to a vector under a schedule; panics for a wrong
/// result.
fn anywhere(artifact: &Artifact, schedule: u64) -> quadscan::Result<()> {
    let kernels = <Sum<u32> as ScanKernels>::KERNELS.iter();
    let mut kernels = kernels.filter(|kernel| kernel.algorithm == Algorithm::LookAhead);
    let tile = kernels.next().expect("it has an entry").tile as usize;
    watched(artifact, Model::h200(), schedule, |module| {
        let n = 4 * tile + 33;
        let options = Options {
            algorithm: Some(Algorithm::LookAhead),
            max_blocks: Some(3),
            ..Options::default()
        };
        let mut plan = Plan::<Sum<u32>>::with(module, n as u64, options)?;
        let elements: Vec<u32> = (0..n + 1)
            .map(|i| (i as u32).wrapping_mul(0x9e37_79b1))
            .collect();
        let input = module.device().upload(&elements)?;
        let expected = oracle::inclusive::<Sum<u32>>(None, &elements[1..]);
        for first in [0, 1, 3] {
            let mut output = module.device().alloc::<u32>(n + first)?;
            plan.inclusive(input.slice(1..)?, output.slice_mut(first..)?)?;
            let found = output.slice(first..)?.to_vec()?;
            assert!(found == expected, "to {first}, schedule {schedule}");
        }
        Ok(())
    })
}

#[test]
fn looking_ahead_from_any_address_scans_right_under_every_schedule() {
    let artifact = quadscan_bench::modules::ours().expect("the artifact is whole");
    for schedule in 0..SCHEDULES {
        let checked = anywhere(&artifact, schedule);
        checked.unwrap_or_else(|error| panic!("schedule {schedule}: {error}"));
    }
}

/// Where segments begin, and the elements of each: none, one, a warp's, several tiles'.
fn in_segments(elements: &[Affine]) -> (Vec<u32>, Vec<&[Affine]>) {
    let (mut offsets, mut parts) = (vec![0], Vec::new());
    let mut rest = elements;
    for length in [1, 31, 0, 64, 3, 5000, 700].into_iter().cycle() {
        if rest.is_empty() {
            break;
        }
        let (part, behind) = rest.split_at(rest.len().min(length));
        parts.push(part);
        rest = behind;
        offsets.push((elements.len() - rest.len()) as u32);
    }
    (offsets, parts)
}

/// Scans segments of several tiles under a schedule; panics for a wrong result.
fn segments(artifact: &Artifact, kernel: &ScanKernel, schedule: u64) -> quadscan::Result<()> {
    let model = match kernel.algorithm {
        // Of GPUs that cannot look ahead.
        Algorithm::DecoupledLookbackFixed => Model::t4(),
        _ => Model::h200(),
    };
    watched(artifact, model, schedule, |module| {
        let is_persistent = kernel.algorithm == Algorithm::LookAhead;
        let options = Options {
            algorithm: Some(kernel.algorithm),
            max_blocks: is_persistent.then_some(3),
            ..Options::default()
        };
        let n = (if is_persistent { 7 } else { 5 }) * kernel.tile + 33;
        let mut plan = SegmentedPlan::<Operator>::with(module, n, options)?;
        let elements = elements(n as usize);
        let (offsets, parts) = in_segments(&elements);
        let input = module.device().upload(&elements)?;
        let offsets = module.device().upload(&offsets)?;
        let parts = parts.into_iter();
        let expected = parts.flat_map(|part| oracle::exclusive::<Operator>(INITIAL, part));
        let expected: Vec<Affine> = expected.collect();
        for _ in 0..SCANS {
            let mut output = module.device().alloc::<Affine>(n as usize)?;
            plan.by_offsets(&offsets)
                .exclusive_with(INITIAL, &input, &mut output)?;
            let what = (kernel.entry, schedule);
            assert!(output.to_vec()? == expected, "{what:?}");
        }
        Ok(())
    })
}

/// Reduces arrays of one wave and of three blocks of many tiles, and segments, under a
/// schedule; panics for a wrong result.
fn reductions(artifact: &Artifact, schedule: u64) -> quadscan::Result<()> {
    watched(artifact, Model::h200(), schedule, |module| {
        let device = module.device();
        let of = |part: &[Affine]| part.iter().copied().fold(INITIAL, Operator::combine);
        let wave = 40 * <Operator as ReduceKernels>::ONE_WAVE.tile as usize + 33;
        let blocks = 4 * <Operator as ReduceKernels>::DEVICE.block() as usize + 33;
        let arrays = [
            (wave, reduce::Plan::<Operator>::new(module, wave)?),
            (blocks, reduce::Plan::with_blocks(module, blocks, 3)?),
        ];
        let mut segmented = reduce::SegmentedPlan::<Operator>::with_blocks(module, 3)?;
        for (n, mut plan) in arrays {
            let elements = elements(n);
            let input = device.upload(&elements)?;
            let (offsets, parts) = in_segments(&elements);
            let offsets = device.upload(&offsets)?;
            for _ in 0..SCANS {
                let mut output = device.alloc::<Affine>(1)?;
                plan.reduce_with(INITIAL, &input, &mut output)?;
                assert!(
                    output.to_vec()? == [of(&elements)],
                    "{n}, schedule {schedule}"
                );
                let mut output = device.alloc::<Affine>(parts.len())?;
                segmented.reduce_with(INITIAL, &input, &offsets, &mut output)?;
                let expected: Vec<Affine> = parts.iter().map(|part| of(part)).collect();
                assert!(output.to_vec()? == expected, "{n}, schedule {schedule}");
            }
        }
        Ok(())
    })
}

/// Integrals by blocks that have a unit or two, draw more or have none, under a schedule; panics
/// for other bits than those of a block alone.
fn integrals(artifact: &Artifact, schedule: u64) -> quadscan::Result<()> {
    const STRIPS: u64 = 20_001;
    watched(artifact, Model::h200(), schedule, |module| {
        let device = module.device();
        let integral = |plan: &mut Composite<f64>| {
            let mut output = device.alloc::<f64>(1)?;
            plan.integrate(Rule::Simpson, STRIPS, (0.0, 1.0), &[], &mut output)?;
            quadscan::Result::Ok(output.to_vec()?[0].to_bits())
        };
        let plan = || Composite::<f64>::of::<QuarterCircle>(module, STRIPS);
        let expected = integral(&mut plan()?.with_shape(1, 2)?)?;
        for blocks in [2, 4, 7] {
            let mut plan = plan()?.with_shape(blocks, 2)?;
            for _ in 0..SCANS {
                let found = integral(&mut plan)?;
                assert_eq!(found, expected, "{blocks} blocks, schedule {schedule}");
            }
        }
        Ok(())
    })
}

/// Selects elements of 16 bytes from a wave of tiles and from several rounds of three blocks, and
/// parts them, under a schedule; panics for a wrong result.
fn selections(artifact: &Artifact, schedule: u64) -> quadscan::Result<()> {
    type Predicate = AnyBit<[u32; 4]>;
    watched(artifact, Model::h200(), schedule, |module| {
        let device = module.device();
        let [wave, ahead] = <Predicate as SelectKernels>::KERNELS.map(|one| one.tile as usize);
        for (n, blocks) in [(5 * wave + 33, 6), (7 * ahead + 33, 3)] {
            let mut plan = select::Plan::<Predicate>::with_blocks(module, n, blocks)?;
            let is_chosen = |i: u32| i.wrapping_mul(0x9e37_79b9) >> 30 != 0;
            let element = |i: u32| [0, 0, u32::from(is_chosen(i)) * (i + 1), 0];
            let elements: Vec<[u32; 4]> = (0..n as u32).map(element).collect();
            let chosen = elements.iter().filter(|element| element[2] != 0);
            let mut expected: Vec<[u32; 4]> = chosen.copied().collect();
            let count_expected = expected.len() as u64;
            expected.resize(n, [0; 4]);
            let input = device.upload(&elements)?;
            let mut count = device.alloc::<u64>(1)?;
            for is_partition in [false, true] {
                let mut output = device.alloc_zeroed::<[u32; 4]>(n)?;
                match is_partition {
                    false => plan.select((), &input, &mut output, &mut count)?,
                    true => plan.partition((), &input, &mut output, &mut count)?,
                }
                assert_eq!(count.to_vec()?, [count_expected], "schedule {schedule}");
                assert!(output.to_vec()? == expected, "{n}, schedule {schedule}");
            }
        }
        Ok(())
    })
}

#[test]
fn selections_are_right_under_every_schedule() {
    let artifact = modules::ours().expect("the artifact is whole");
    for schedule in 0..SCHEDULES {
        let checked = selections(&artifact, schedule);
        checked.unwrap_or_else(|error| panic!("schedule {schedule}: {error}"));
    }
}

#[test]
fn integrals_have_the_same_bits_under_every_schedule() {
    let artifact = modules::ours().expect("the artifact is whole");
    for schedule in 0..SCHEDULES {
        let checked = integrals(&artifact, schedule);
        checked.unwrap_or_else(|error| panic!("schedule {schedule}: {error}"));
    }
}

#[test]
fn segments_are_scanned_right_under_every_schedule() {
    let artifact = modules::ours().expect("the artifact is whole");
    for kernel in <Operator as SegmentedScanKernels>::SEGMENTED {
        for schedule in 0..SCHEDULES {
            let checked = segments(&artifact, kernel, schedule);
            checked.unwrap_or_else(|error| panic!("{kernel:?}, {schedule}: {error}"));
        }
    }
}

#[test]
fn arrays_and_segments_are_reduced_right_under_every_schedule() {
    let artifact = modules::ours().expect("the artifact is whole");
    for schedule in 0..SCHEDULES {
        let checked = reductions(&artifact, schedule);
        checked.unwrap_or_else(|error| panic!("schedule {schedule}: {error}"));
    }
}

/// One test an algorithm, so that they run beside each other.
macro_rules! tests {
    ($($test:ident: $algorithm:ident;)*) => {
        $(#[test]
        fn $test() {
            let artifact = modules::ours().expect("the artifact is whole");
            for schedule in 0..SCHEDULES {
                let checked = check(&artifact, Algorithm::$algorithm, schedule);
                checked.unwrap_or_else(|error| panic!("schedule {schedule}: {error}"));
            }
        })*

        #[test]
        fn every_algorithm_has_a_test_here() {
            assert_eq!([$(Algorithm::$algorithm),*], Algorithm::ALL);
        }
    };
}

tests! {
    one_block_scans_right_under_every_schedule: OneBlock;
    small_waves_scan_right_under_every_schedule: OneWaveSmall;
    waves_scan_right_under_every_schedule: OneWave;
    looking_ahead_scans_right_under_every_schedule: LookAhead;
    looking_back_in_order_scans_right_under_every_schedule: DecoupledLookbackFixed;
    looking_back_as_published_scans_right_under_every_schedule: DecoupledLookback;
    three_launches_scan_right_under_every_schedule: ReduceThenScan;
    passes_scan_right_under_every_schedule: HillisSteele;
    trees_scan_right_under_every_schedule: Blelloch;
}
