//! The PTX for older GPUs gives the bits of an H200 too, on an emulated T4, which is given
//! the PTX of `sm_75`. That every scan of these GPUs is right is said in the suite
//! `conformance`.

use quadscan::device::emulator::{Emulator, Settings, ptx_emulator::Model};
use quadscan::device::{Device, Module};
use quadscan_tests::fixtures::recording::{Result as LaunchResult, differences};
use quadscan_tests::fixtures::{LAUNCHES, Recording, SEED, launches};
use quadscan_tests::probes::operands::Random;

fn t4() -> Module {
    let settings = Settings {
        model: Model::t4(),
        ..Settings::default()
    };
    let device = Device::from_backend(Box::new(Emulator::new(settings)));
    let artifact = quadscan_bench::modules::ours().expect("the artifact is whole");
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

#[test]
fn launches_of_whole_arrays_give_the_same_bits_from_the_ptx_of_both() {
    let older = t4();
    let device = Device::from_backend(Box::new(Emulator::new(Settings::default())));
    let artifact = quadscan_bench::modules::ours().expect("the artifact is whole");
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
