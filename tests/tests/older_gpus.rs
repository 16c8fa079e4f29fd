//! The PTX for older GPUs gives the bits of an H200 too, on an emulated T4, which is given
//! the PTX of `sm_75`: the recorded launches, and scans.

use cuda_std::bf16;
use quadscan::device::emulator::{Emulator, Settings, ptx_emulator::Model};
use quadscan::device::{Artifact, Device, Module};
use quadscan::oracle::scan as oracle;
use quadscan::scan::{Affine, Algorithm, Compose, Max, Min, Plan, ScanKernels, Sum};
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

/// Scans these elements over and over.
fn scan<O: ScanKernels>(module: &Module, few: &[O::Input])
where
    O::Output: PartialEq + std::fmt::Debug,
{
    for n in [few.len(), 5000] {
        let elements: Vec<O::Input> = few.iter().copied().cycle().take(n).collect();
        let scanned = || -> quadscan::Result<Vec<O::Output>> {
            let input = module.device().upload(&elements)?;
            let mut output = module.device().alloc::<O::Output>(n)?;
            let mut plan = Plan::<O>::new(module, n as u64)?;
            assert_ne!(plan.algorithm_for(n as u64), Some(Algorithm::LookAhead));
            plan.inclusive(&input, &mut output)?;
            output.to_vec()
        };
        let expected = oracle::inclusive::<O>(None, &elements);
        let name = std::any::type_name::<O>();
        assert_eq!(scanned().expect("a T4 scans"), expected, "{name}, {n}");
    }
}

#[test]
fn scans_have_kernels_for_older_gpus() {
    let module = t4();
    scan::<Sum<u32>>(&module, &[1, u32::MAX, 7, 1 << 31]);
    scan::<Sum<bf16>>(&module, &[1.0, -0.5, 2.0, 0.25].map(bf16::from_f32));
    scan::<Min<f32>>(&module, &[3.5, 0.0, -0.0, f32::INFINITY, -1.0]);
    scan::<Max<f64>>(&module, &[-3.5, -0.0, 0.0, f64::NEG_INFINITY]);
    let (turn, shift) = (Affine { a: -1.0, b: 2.0 }, Affine { a: 1.0, b: 0.5 });
    scan::<Compose>(&module, &[turn, shift, shift]);
}

#[test]
fn launches_of_whole_arrays_give_the_same_bits_from_the_ptx_of_both() {
    let older = t4();
    let device = Device::from_backend(Box::new(Emulator::new(Settings::default())));
    let artifact = Artifact::embedded().expect("the artifact is whole");
    let newer = device.load(&artifact).expect("an H200 runs sm_90");
    for name in launches::names_of_arrays() {
        let of = |module| {
            let mut random = Random::named(SEED, name);
            launches::launch(module, name, &mut random, launches::Size::Random)
        };
        let found = (of(&older), of(&newer));
        assert_eq!(found.0.ok(), found.1.ok(), "{name}");
    }
}
