//! Steps that are seen and steps that are said, and what happens when they differ.

use ptx_emulator::count::{Activity, Step};

use super::*;
use quadscan::device::Device;
use quadscan::device::emulator::{Counting, Emulator, Settings};

fn emulated() -> (Module, LastSteps) {
    let counting = Counting::default();
    let steps = counting.steps();
    let emulator = Emulator::observed(Settings::default(), Box::new(counting));
    let device = Device::from_backend(Box::new(emulator));
    match crate::modules::ours().and_then(|artifact| device.load(&artifact)) {
        Ok(module) => (module, steps),
        Err(e) => panic!("{e}"),
    }
}

fn readings(algorithm: Algorithm, n: u32, steps: u32) -> Vec<Reading> {
    let (module, watched) = emulated();
    (1..=steps)
        .map(
            |step| match measure(&module, Some(&watched), algorithm, n, step) {
                Ok(reading) => reading,
                Err(e) => panic!("{e}"),
            },
        )
        .collect()
}

fn sum(readings: &[Reading], value: fn(&Reading) -> Option<u64>) -> Option<u64> {
    readings.iter().map(value).sum()
}

#[test]
fn bank_conflicts_are_in_the_work_efficient_scan_and_gone_with_the_padding() {
    let plain = readings(Algorithm::WorkEfficient, 1024, 19);
    assert!(plain.iter().all(|reading| reading.wrong.is_none()));
    // Two loads of each warp: conflicts of 2, 4, ... lanes up to a bank for all.
    let found: Vec<_> = plain.iter().map(|r| r.wavefronts.unwrap_or(0)).collect();
    assert_eq!(found[..9], [64, 64, 64, 64, 64, 32, 16, 8, 4]);
    assert_eq!(found[9..], [2, 4, 8, 16, 32, 64, 64, 64, 64, 64]);
    assert_eq!(sum(&plain, |r| r.wavefronts), Some(762));
    assert_eq!(sum(&plain, |r| r.ideal_wavefronts), Some(142));
    let padded = readings(Algorithm::WorkEfficientPadded, 1024, 19);
    assert_eq!(sum(&padded, |r| r.wavefronts), Some(142));
    let work = |readings: &[Reading]| -> Vec<_> {
        let pair = |r: &Reading| (r.active_threads, r.active_warps);
        readings.iter().map(pair).collect()
    };
    assert_eq!(work(&plain), work(&padded));
    assert!(padded.iter().all(|reading| reading.wrong.is_none()));
}

#[test]
fn the_naive_scan_is_seen_to_work_as_published_without_conflicts() {
    let naive = readings(Algorithm::Naive, 1024, 10);
    let warps = sum(&naive, |r| r.active_warps.map(u64::from));
    let threads = sum(&naive, |r| r.active_threads.map(u64::from));
    assert_eq!((threads, warps), (Some(9217), Some(289)));
    for reading in &naive {
        assert_eq!(reading.wrong, None);
        // Every element is loaded, and those that combine load another.
        let loads = reading.wavefronts.unwrap_or(0);
        assert!(loads >= 32 + u64::from(reading.active_warps.unwrap_or(0)));
    }
}

#[test]
fn a_watched_row_has_the_counts_of_the_plain_kernel_alone() {
    let (module, watched) = emulated();
    let input: Vec<u32> = (0..64).collect();
    assert!(super::plain(&module, Algorithm::WorkEfficient, &input).is_ok());
    let plain = module.device().take_counts();
    assert!(block_scan::counted(&module, Algorithm::WorkEfficient, &input).is_ok());
    let counted = module.device().take_counts();
    assert_ne!(plain, counted);
    let reading = measure(&module, Some(&watched), Algorithm::WorkEfficient, 64, 1);
    assert!(reading.is_ok_and(|reading| reading.wrong.is_none()));
    let row = module.device().take_counts();
    let instructions = |counts: Option<quadscan::device::Counts>| {
        counts.map_or(0, |counts| counts.warp_instructions)
    };
    assert_eq!(instructions(row), instructions(plain));
}

#[test]
fn a_run_in_which_nothing_was_seen_makes_the_row_wrong() {
    let (module, _) = emulated();
    let elsewhere = LastSteps::default();
    let reading = match measure(&module, Some(&elsewhere), Algorithm::WorkEfficient, 1024, 1) {
        Ok(reading) => reading,
        Err(e) => panic!("{e}"),
    };
    assert_eq!(reading.active_threads, None);
    assert_eq!(
        reading.wrong.as_deref(),
        Some("the plain kernel combines in 0 steps, the counted one says 19")
    );
}

#[test]
fn a_step_that_was_seen_otherwise_than_said_is_wrong_with_its_reason() {
    let seen = |threads, warps| Step {
        combines: Activity {
            threads,
            warps,
            ..Activity::default()
        },
        ..Step::default()
    };
    let said = [
        StepActivity {
            active_threads: 512,
            active_warps: 16,
            adds: 512,
        },
        StepActivity {
            active_threads: 256,
            active_warps: 8,
            adds: 256,
        },
    ];
    assert_eq!(disagreement(&[seen(512, 16), seen(256, 8)], &said, 1), None);
    let off = [seen(512, 16), seen(255, 8)];
    assert_eq!(disagreement(&off, &said, 0), None, "another row's");
    assert_eq!(
        disagreement(&off, &said, 1).as_deref(),
        Some("in the plain kernel 255 threads of 8 warps combine, the counted one says 256 of 8")
    );
    assert_eq!(
        disagreement(&off[..1], &said, 0).as_deref(),
        Some("the plain kernel combines in 1 steps, the counted one says 2")
    );
}
