//! Steps that are seen and steps that are said, and what happens when they differ.

use ptx_emulator::count::Activity;

use super::*;
use crate::measure::Session;
use crate::record::{Cell, Record};
use crate::tables::activity::TABLE;
use crate::tables::testing::{emulated, measured};
use quadscan::device::Counts;
use quadscan::device::emulator::LastSteps;

fn row(session: &mut Session, algorithm: Algorithm, n: u32, step: u32) -> Record {
    let cell = Cell::default().with("algorithm", algorithm.name());
    measured(session, &TABLE, &cell.with("step", step).with("n", n))
}

fn rows(session: &mut Session, algorithm: Algorithm, n: u32, steps: u32) -> Vec<Record> {
    let steps = 1..=steps;
    steps.map(|step| row(session, algorithm, n, step)).collect()
}

fn sum(rows: &[Record], metric: &str) -> Option<u64> {
    rows.iter().map(|row| row.metrics.count(metric)).sum()
}

#[test]
fn bank_conflicts_are_in_the_work_efficient_scan_and_gone_with_the_padding() {
    let mut session = emulated();
    let plain = rows(&mut session, Algorithm::WorkEfficient, 1024, 19);
    assert!(plain.iter().all(|row| row.reason.is_none()));
    // Two loads of each warp: conflicts of 2, 4, ... lanes up to a bank for all.
    let wavefronts = plain.iter().map(|row| row.metrics.count("wavefronts"));
    let found: Vec<u64> = wavefronts.map(Option::unwrap_or_default).collect();
    assert_eq!(found[..9], [64, 64, 64, 64, 64, 32, 16, 8, 4]);
    assert_eq!(found[9..], [2, 4, 8, 16, 32, 64, 64, 64, 64, 64]);
    assert_eq!(sum(&plain, "wavefronts"), Some(762));
    assert_eq!(sum(&plain, "ideal_wavefronts"), Some(142));
    let padded = rows(&mut session, Algorithm::WorkEfficientPadded, 1024, 19);
    assert_eq!(sum(&padded, "wavefronts"), Some(142));
    let work = |rows: &[Record]| -> Vec<_> {
        let pair = |row: &Record| {
            ["active_threads", "active_warps"].map(|metric| row.metrics.count(metric))
        };
        rows.iter().map(pair).collect()
    };
    assert_eq!(work(&plain), work(&padded));
    assert!(padded.iter().all(|row| row.reason.is_none()));
}

#[test]
fn the_naive_scan_is_seen_to_work_as_published_without_conflicts() {
    let naive = rows(&mut emulated(), Algorithm::Naive, 1024, 10);
    let work = ["active_threads", "active_warps"].map(|metric| sum(&naive, metric));
    assert_eq!(work, [Some(9217), Some(289)]);
    for row in &naive {
        assert_eq!(row.reason, None);
        // Every element is loaded, and those that combine load another.
        let count = |metric| row.metrics.count(metric).unwrap_or(0);
        assert!(count("wavefronts") >= 32 + count("active_warps"));
    }
}

#[test]
fn a_watched_row_has_the_counts_of_the_plain_kernel_alone() {
    let mut session = emulated();
    let module = session.module.clone();
    let input: Vec<u32> = (0..64).collect();
    assert!(super::plain(&module, Algorithm::WorkEfficient, &input).is_ok());
    let plain = module.device().take_counts();
    assert!(block_scan::counted(&module, Algorithm::WorkEfficient, &input).is_ok());
    let counted = module.device().take_counts();
    assert_ne!(plain, counted);
    let row = row(&mut session, Algorithm::WorkEfficient, 64, 1);
    assert_eq!(row.reason, None);
    let instructions = |counts: Option<Counts>| counts.map_or(0, |counts| counts.warp_instructions);
    assert_eq!(instructions(row.counts), instructions(plain));
}

#[test]
fn a_run_in_which_nothing_was_seen_makes_the_row_wrong() {
    let mut session = emulated();
    session.steps = Some(LastSteps::default());
    let row = row(&mut session, Algorithm::WorkEfficient, 1024, 1);
    assert_eq!(row.metrics.count("active_threads"), None);
    assert_eq!(
        row.reason.as_deref(),
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
