//! The PTX for older GPUs gives the bits of an H200 too: the recorded launches,
//! on an emulated T4, which is given the PTX of `sm_75`.

use quadscan::device::emulator::{Emulator, Settings, ptx_emulator::Model};
use quadscan::device::{Artifact, Device};
use quadscan_tests::fixtures::recording::{Result as LaunchResult, differences};
use quadscan_tests::fixtures::{LAUNCHES, Recording, SEED, launches};

#[test]
fn recorded_launches_give_the_same_bits_from_the_ptx_of_sm_75() {
    let settings = Settings {
        model: Model::t4(),
        ..Settings::default()
    };
    let device = Device::from_backend(Box::new(Emulator::new(settings)));
    let artifact = Artifact::embedded().expect("the artifact is whole");
    let module = device.load(&artifact).expect("a T4 runs sm_75");
    let arch = module.manifest().map(|module| module.arch.as_str());
    assert_eq!(arch, Some("sm_75"));
    let recorded = Recording::<LaunchResult>::read(LAUNCHES).expect("the recording is whole");
    let found = launches::run(&module, SEED).expect("all launches end well");
    assert_eq!(differences(&recorded.lines, &found), [""; 0]);
}
