//! Programs of random launches are PTX, have no mistakes, and do not depend on who runs first.

use quadscan::device::emulator::ptx_emulator::Checks;
use quadscan::device::emulator::{Checking, Emulator, Settings};
use quadscan::device::{Device, DeviceChoice};

use super::run::{module, run_all};
use super::{Generator, Launch};

fn launches(seeds: std::ops::Range<u64>) -> Vec<Launch> {
    let generator = Generator::default();
    seeds.map(|seed| generator.launch(seed)).collect()
}

#[test]
fn programs_have_no_races_and_read_nothing_that_nobody_wrote() {
    let checking = Checking::new(Checks::all(), [], None);
    let verdicts = checking.verdicts();
    let emulator = Emulator::observed(Settings::default(), Box::new(checking));
    let device = Device::from_backend(Box::new(emulator));
    for launches in launches(1..151).chunks(50) {
        for (launch, written) in launches.iter().zip(run_all(&device, launches)) {
            written.unwrap_or_else(|error| panic!("seed {}: {error}", launch.seed));
        }
    }
    let verdicts = verdicts.take();
    assert_eq!(verdicts.len(), 150);
    for (kernel, verdict) in verdicts {
        assert!(
            verdict.checked.is_clean(),
            "{kernel}: {:?}",
            verdict.checked.findings
        );
    }
}

#[test]
fn a_seed_makes_the_same_launch_again_and_gives_the_same_bits_under_other_schedules() {
    let launches = launches(400..420);
    assert_eq!(module(&launches), module(&self::launches(400..420)));
    let on = |schedule| {
        let device = Device::open(DeviceChoice::Emulator { schedule }).expect("it is everywhere");
        run_all(&device, &launches)
    };
    let first = on(None);
    assert!(first.iter().all(Result::is_ok), "{first:?}");
    for seed in 1..4 {
        assert!(on(Some(seed)) == first, "schedule {seed}");
    }
}

#[test]
fn programs_are_ptx() {
    let Some(assembler) = cuda_inspect::tools::find("ptxas") else {
        eprintln!("skipped: {}", cuda_inspect::tools::REMEDY);
        return;
    };
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("random.ptx");
    std::fs::write(&path, module(&launches(500..520))).expect("a file");
    let mut command = std::process::Command::new(assembler);
    let command = command.args(["-arch=sm_90", "-o", "/dev/null"]).arg(&path);
    let output = command.output().expect("an assembler");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}
