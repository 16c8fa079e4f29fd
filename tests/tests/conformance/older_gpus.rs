//! What GPUs that cannot look ahead have in the place of kernels that do: on an emulated T4,
//! which is given the PTX for these, whatever the suite's device is.

use std::fmt::Debug;

use cuda_std::{bf16, f16};
use libtest_mimic::Failed;
use quadscan::Error;
use quadscan::device::Module;
use quadscan::device::emulator::Settings;
use quadscan::device::emulator::ptx_emulator::Model;
use quadscan::scan::{
    Affine, Algorithm, Compose, Max, Min, Options, Plan, Product, ScanKernels, SegmentedPlan,
    SegmentedScanKernels, Sum,
};
use quadscan_tests::oracle::scan as oracle;
use quadscan_tests::suite::{Bench, Outcome, skipping};

const WORDS: [u32; 4] = [1, u32::MAX, 7, 1 << 31];
const NARROW: [f32; 4] = [1.0, -0.5, -1.0, 0.5];
const FLOATS: [f32; 5] = [3.5, 0.0, -0.0, f32::INFINITY, -1.0];
const MAPS: [Affine; 3] = [
    Affine { a: -1.0, b: 2.0 },
    Affine { a: 1.0, b: 0.5 },
    Affine { a: 1.0, b: 0.5 },
];

/// Scans these elements over and over: few, more than one block has, and more than a wave,
/// by the kernel that older GPUs have for any number of elements.
fn scan<O: ScanKernels>(module: &Module, few: &[O::Input]) -> Outcome
where
    O::Output: PartialEq + Debug,
{
    let name = std::any::type_name::<O>();
    let any = Some(Algorithm::DecoupledLookbackFixed);
    let most = Plan::<O>::new(module, 1 << 33)?;
    assert_eq!(most.algorithm_for(1 << 33), any, "{name}");
    let kernels = O::KERNELS.iter();
    let looks_back = kernels.clone().find(|kernel| Some(kernel.algorithm) == any);
    let tile = looks_back.expect("it is there").tile as usize;
    for (n, algorithm) in [(few.len(), None), (5000, None), (2 * tile + 77, any)] {
        let elements: Vec<O::Input> = few.iter().copied().cycle().take(n).collect();
        let input = module.device().upload(&elements)?;
        let mut output = module.device().alloc::<O::Output>(n)?;
        let options = Options {
            algorithm,
            ..Options::default()
        };
        let mut plan = Plan::<O>::with(module, n as u64, options)?;
        assert_ne!(plan.algorithm_for(n as u64), Some(Algorithm::LookAhead));
        plan.inclusive(&input, &mut output)?;
        let expected = oracle::inclusive::<O>(None, &elements);
        assert_eq!(output.to_vec()?, expected, "{name}, {n}");
    }
    Ok(())
}

/// The same in segments, by the kernel for any number of elements: of one element, of a few,
/// and longer than a tile.
fn segments<O: SegmentedScanKernels>(module: &Module, few: &[O::Input]) -> Outcome
where
    O::Output: PartialEq + Debug,
{
    let any = Some(Algorithm::DecoupledLookbackFixed);
    let kernels = O::SEGMENTED.iter();
    let looks_back = kernels.clone().find(|kernel| Some(kernel.algorithm) == any);
    let tile = looks_back.expect("it is there").tile as usize;
    let n = 3 * tile + 77;
    let elements: Vec<O::Input> = few.iter().copied().cycle().take(n).collect();
    let ends = [0, 1, 8, 40, tile + 90, n];
    let options = Options {
        algorithm: any,
        ..Options::default()
    };
    let mut plan = SegmentedPlan::<O>::with(module, n as u64, options)?;
    let device = module.device();
    let (input, offsets) = (
        device.upload(&elements)?,
        device.upload(&ends.map(|end| end as u32))?,
    );
    let mut output = device.alloc_zeroed::<O::Output>(n)?;
    plan.by_offsets(&offsets).inclusive(&input, &mut output)?;
    let segments = ends.windows(2).map(|ends| &elements[ends[0]..ends[1]]);
    let expected = segments.flat_map(|segment| oracle::inclusive::<O>(None, segment));
    let expected: Vec<O::Output> = expected.collect();
    assert_eq!(output.to_vec()?, expected, "{}", std::any::type_name::<O>());
    Ok(())
}

/// What older GPUs run of the suite's kernels.
fn t4(bench: &Bench) -> Result<Module, Failed> {
    let settings = Settings {
        model: Model::t4(),
        ..Settings::default()
    };
    match bench.emulated(settings) {
        Ok(bench) => Ok(bench.module),
        Err(Error::NoArchitecture { .. }) => Err(skipping("the PTX is for newer GPUs alone")),
        Err(error) => Err(error.into()),
    }
}

pub(crate) fn every_operator_scans_any_number_of_elements(bench: &Bench) -> Outcome {
    let module = t4(bench)?;
    scan_numbers(&module)?;
    scan_extremes(&module)?;
    scan::<Compose>(&module, &MAPS)
}

pub(crate) fn every_operator_scans_segments_of_any_length(bench: &Bench) -> Outcome {
    let module = t4(bench)?;
    segments::<Sum<u32>>(&module, &WORDS)?;
    segments::<Sum<u64>>(&module, &WORDS.map(|word| u64::from(word) << 24))?;
    segments::<Sum<f32>>(&module, &NARROW)?;
    segments::<Sum<f64>>(&module, &NARROW.map(f64::from))?;
    segments::<Min<i32>>(&module, &[3, -1, i32::MIN])?;
    segments::<Min<f32>>(&module, &FLOATS)?;
    segments::<Max<i32>>(&module, &[-3, -1, i32::MIN])?;
    segments::<Max<f32>>(&module, &FLOATS.map(|x| -x))?;
    segments::<Compose>(&module, &MAPS)
}

/// Sums and products of numbers of which they are exact.
fn scan_numbers(module: &Module) -> Outcome {
    let wide = [1u64, u64::MAX, 7, 1 << 63, 3];
    scan::<Sum<u8>>(module, &[1, 255, 7, 128])?;
    scan::<Sum<u16>>(module, &[1, u16::MAX, 7, 1 << 15])?;
    scan::<Sum<u32>>(module, &WORDS)?;
    scan::<Sum<u64>>(module, &wide)?;
    scan::<Sum<f16>>(module, &NARROW.map(f16::from_f32))?;
    scan::<Sum<bf16>>(module, &NARROW.map(bf16::from_f32))?;
    scan::<Sum<f32>>(module, &NARROW)?;
    scan::<Sum<f64>>(module, &NARROW.map(f64::from))?;
    scan::<Sum<u8, u32>>(module, &[1, 255, 7, 128])?;
    scan::<Sum<u8, u64>>(module, &[1, 255, 7, 128])?;
    scan::<Product<u32>>(module, &[3, 5, u32::MAX])?;
    scan::<Product<f32>>(module, &[2.0, -0.5, -1.0, 0.5, 2.0])
}

fn scan_extremes(module: &Module) -> Outcome {
    scan::<Min<i32>>(module, &[3, -1, i32::MIN])?;
    scan::<Min<f32>>(module, &FLOATS)?;
    scan::<Max<i32>>(module, &[-3, -1, i32::MIN])?;
    scan::<Max<f32>>(module, &FLOATS.map(|x| -x))
}
