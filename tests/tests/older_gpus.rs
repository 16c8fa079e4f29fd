//! The PTX for older GPUs gives the bits of an H200 too, on an emulated T4, which is given
//! the PTX of `sm_75`: the recorded launches, and scans.

use cuda_std::{bf16, f16};
use quadscan::device::emulator::{Emulator, Settings, ptx_emulator::Model};
use quadscan::device::{Artifact, Device, Module};
use quadscan::oracle::scan as oracle;
use quadscan::scan::{
    Affine, Algorithm, BitAnd, BitOr, BitXor, Compose, Max, Min, Options, Plan, Product,
    ScanKernels, Sum, SumOfSquares,
};
use quadscan_tests::fixtures::recording::{Result as LaunchResult, differences};
use quadscan_tests::fixtures::{LAUNCHES, Recording, SEED, launches};
use quadscan_tests::probes::operands::Random;

fn t4() -> Module {
    let settings = Settings {
        model: Model::t4(),
        ..Settings::default()
    };
    let device = Device::from_backend(Box::new(Emulator::new(settings)));
    let artifact = Artifact::embedded().expect("the artifact is whole");
    let module = device.load(&artifact).expect("a T4 runs sm_75");
    let arch = module.manifest().map(|module| module.arch.as_str());
    assert_eq!(arch, Some("sm_75"));
    module
}

#[test]
fn recorded_launches_give_the_same_bits_from_the_ptx_of_sm_75() {
    let recorded = Recording::<LaunchResult>::read(LAUNCHES).expect("the recording is whole");
    let found = launches::run(&t4(), SEED).expect("all launches end well");
    assert_eq!(differences(&recorded.lines, &found), [""; 0]);
}

/// Scans these elements over and over: few, more than one block has, and more than a wave,
/// by the kernel that older GPUs have for any number of elements.
fn scan<O: ScanKernels>(module: &Module, few: &[O::Input])
where
    O::Output: PartialEq + std::fmt::Debug,
{
    let name = std::any::type_name::<O>();
    let any = Some(Algorithm::DecoupledLookbackFixed);
    let most = Plan::<O>::new(module, 1 << 33).expect("any number of elements");
    assert_eq!(most.algorithm_for(1 << 33), any, "{name}");
    let kernels = O::KERNELS.iter();
    let looks_back = kernels.clone().find(|kernel| Some(kernel.algorithm) == any);
    let tile = looks_back.expect("it is there").tile as usize;
    for (n, algorithm) in [(few.len(), None), (5000, None), (2 * tile + 77, any)] {
        let elements: Vec<O::Input> = few.iter().copied().cycle().take(n).collect();
        let scanned = || -> quadscan::Result<Vec<O::Output>> {
            let input = module.device().upload(&elements)?;
            let mut output = module.device().alloc::<O::Output>(n)?;
            let options = Options {
                algorithm,
                ..Options::default()
            };
            let mut plan = Plan::<O>::with(module, n as u64, options)?;
            assert_ne!(plan.algorithm_for(n as u64), Some(Algorithm::LookAhead));
            plan.inclusive(&input, &mut output)?;
            output.to_vec()
        };
        let expected = oracle::inclusive::<O>(None, &elements);
        assert_eq!(scanned().expect("a T4 scans"), expected, "{name}, {n}");
    }
}

#[test]
fn every_operator_scans_any_number_of_elements_on_older_gpus() {
    let module = t4();
    scan_numbers(&module);
    scan_extremes(&module);
    scan_bits(&module);
    let (turn, shift) = (Affine { a: -1.0, b: 2.0 }, Affine { a: 1.0, b: 0.5 });
    scan::<Compose>(&module, &[turn, shift, shift]);
}

/// Sums and products of numbers of which they are exact.
fn scan_numbers(module: &Module) {
    let narrow = [1.0, -0.5, -1.0, 0.5];
    let wide = [1u64, u64::MAX, 7, 1 << 63, 3];
    scan::<Sum<u8>>(module, &[1, 255, 7, 128]);
    scan::<Sum<u16>>(module, &[1, u16::MAX, 7, 1 << 15]);
    scan::<Sum<u32>>(module, &[1, u32::MAX, 7, 1 << 31]);
    scan::<Sum<u64>>(module, &wide);
    scan::<Sum<f16>>(module, &narrow.map(f16::from_f32));
    scan::<Sum<bf16>>(module, &narrow.map(bf16::from_f32));
    scan::<Sum<f32>>(module, &narrow);
    scan::<Sum<f64>>(module, &narrow.map(f64::from));
    scan::<Sum<u8, u32>>(module, &[1, 255, 7, 128]);
    scan::<Sum<u8, u64>>(module, &[1, 255, 7, 128]);
    scan::<Product<u32>>(module, &[3, 5, u32::MAX]);
    scan::<Product<u64>>(module, &[3, 5, u64::MAX]);
    let powers = [2.0, -0.5, -1.0, 0.5, 2.0];
    scan::<Product<f32>>(module, &powers);
    scan::<Product<f64>>(module, &powers.map(f64::from));
    scan::<SumOfSquares<f32>>(module, &[1.0, -0.5, 2.0]);
}

fn scan_extremes(module: &Module) {
    let floats = [3.5, 0.0, -0.0, f32::INFINITY, -1.0];
    let wide = floats.map(f64::from);
    scan::<Min<i32>>(module, &[3, -1, i32::MIN]);
    scan::<Min<u32>>(module, &[3, 1, u32::MAX]);
    scan::<Min<f32>>(module, &floats);
    scan::<Min<i64>>(module, &[3, -1, i64::MIN]);
    scan::<Min<u64>>(module, &[3, 1, u64::MAX]);
    scan::<Min<f64>>(module, &wide);
    scan::<Max<i32>>(module, &[-3, -1, i32::MIN]);
    scan::<Max<u32>>(module, &[3, 1, 0]);
    scan::<Max<f32>>(module, &floats.map(|x| -x));
    scan::<Max<i64>>(module, &[-3, -1, i64::MIN]);
    scan::<Max<u64>>(module, &[3, 1, 0]);
    scan::<Max<f64>>(module, &wide.map(|x| -x));
}

fn scan_bits(module: &Module) {
    let words = [0xffff_0ff0, 0xf0f0_fff0, 0xffff_ff00u32];
    let wide = words.map(|word| u64::from(word) << 16 | 3);
    scan::<BitAnd<u32>>(module, &words);
    scan::<BitOr<u32>>(module, &words.map(|word| !word));
    scan::<BitXor<u32>>(module, &words);
    scan::<BitAnd<u64>>(module, &wide);
    scan::<BitOr<u64>>(module, &wide.map(|word| !word));
    scan::<BitXor<u64>>(module, &wide);
}

#[test]
fn launches_of_whole_arrays_give_the_same_bits_from_the_ptx_of_both() {
    let older = t4();
    let device = Device::from_backend(Box::new(Emulator::new(Settings::default())));
    let artifact = Artifact::embedded().expect("the artifact is whole");
    let newer = device.load(&artifact).expect("an H200 runs sm_90");
    let is_there = |module: &Module, name: &str| {
        let manifest = module.manifest();
        manifest.is_some_and(|manifest| manifest.kernel(name).is_some())
    };
    for name in launches::names_of_arrays().filter(|name| is_there(&older, name)) {
        let of = |module| {
            let mut random = Random::named(SEED, name);
            launches::launch(module, name, &mut random, launches::Size::Random)
        };
        let (older, newer) = (of(&older), of(&newer));
        let newer = newer.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(older.ok(), Some(newer), "{name}");
    }
}
