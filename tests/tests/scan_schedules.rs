//! Scans whose tiles come when they like: on the emulator under random schedules, which hold
//! back warps and blocks for as long as they please, and under all of its checks.
//!
//! `cargo xtask check` runs what the conformance tests state under a few schedules; here are
//! more of them, for scans of several tiles and blocks by every algorithm.

use quadscan::device::emulator::ptx_emulator::Checks;
use quadscan::device::emulator::{Checking, Emulator, Settings};
use quadscan::device::{Artifact, Device};
use quadscan::oracle::scan as oracle;
use quadscan::scan::{Affine, Algorithm, Compose, Options, Plan, ScanKernels};

/// Schedules of each algorithm.
const SCHEDULES: u64 = 20;

/// Scans of a plan under one schedule: words of the earlier are there for the later.
const SCANS: usize = 2;

/// An operator that is not commutative, with totals of four words.
type Operator = Compose;

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
        Algorithm::LookAhead | Algorithm::LookAheadShifted => (7 * kernel.tile + 33, Some(3)),
        _ => (5 * kernel.tile + 33, None),
    }
}

/// Scans under a schedule; panics for a wrong result and for a finding.
fn check(artifact: &Artifact, algorithm: Algorithm, schedule: u64) -> quadscan::Result<()> {
    let modules = artifact.manifest().modules.last();
    let kernels = modules.into_iter().flat_map(|module| module.kernels());
    let checking = Checking::new(Checks::all(), kernels, None);
    let verdicts = checking.verdicts();
    let settings = Settings {
        schedule: Some(schedule),
        cores: 1,
        ..Settings::default()
    };
    let emulator = Emulator::observed(settings, Box::new(checking));
    let device = Device::from_backend(Box::new(emulator));
    let module = device.load(artifact)?;
    let (n, max_blocks) = size(algorithm);
    let options = Options {
        algorithm: Some(algorithm),
        max_blocks,
        ..Options::default()
    };
    let mut plan = Plan::<Operator>::with(&module, n, options)?;
    let elements = elements(n as usize);
    let input = device.upload(&elements)?;
    let initial = Affine { a: 1.0, b: -4.0 };
    let expected = oracle::exclusive::<Operator>(initial, &elements);
    for _ in 0..SCANS {
        let mut output = device.alloc::<Affine>(n as usize)?;
        plan.exclusive_with(initial, &input, &mut output)?;
        assert!(
            output.to_vec()? == expected,
            "{algorithm}, schedule {schedule}"
        );
    }
    let verdicts = verdicts.take();
    assert!(!verdicts.is_empty(), "{algorithm} launched nothing");
    for verdict in verdicts.values() {
        let checked = &verdict.checked;
        assert!(checked.is_clean(), "schedule {schedule}: {checked}");
    }
    Ok(())
}

/// One test an algorithm, so that they run beside each other.
macro_rules! statements {
    ($($statement:ident: $algorithm:ident;)*) => {
        $(#[test]
        fn $statement() {
            let artifact = Artifact::embedded().expect("the artifact is whole");
            for schedule in 0..SCHEDULES {
                let checked = check(&artifact, Algorithm::$algorithm, schedule);
                checked.unwrap_or_else(|error| panic!("schedule {schedule}: {error}"));
            }
        })*

        #[test]
        fn every_algorithm_has_a_statement_here() {
            assert_eq!([$(Algorithm::$algorithm),*], Algorithm::ALL);
        }
    };
}

statements! {
    one_block_scans_right_under_every_schedule: OneBlock;
    small_waves_scan_right_under_every_schedule: OneWaveSmall;
    waves_scan_right_under_every_schedule: OneWave;
    looking_ahead_scans_right_under_every_schedule: LookAhead;
    looking_ahead_anywhere_scans_right_under_every_schedule: LookAheadShifted;
    looking_back_in_order_scans_right_under_every_schedule: DecoupledLookbackFixed;
    looking_back_as_published_scans_right_under_every_schedule: DecoupledLookback;
    three_launches_scan_right_under_every_schedule: ReduceThenScan;
    passes_scan_right_under_every_schedule: HillisSteele;
    trees_scan_right_under_every_schedule: Blelloch;
}
