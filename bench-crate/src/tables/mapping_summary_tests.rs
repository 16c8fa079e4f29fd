//! The lines under rows that are made up.

use super::*;
use crate::measure::Timing;
use crate::record::{DeviceInfo, HostInfo, Key, Timings, Values};
use crate::tables::Selection;
use crate::tables::Table;
use crate::tables::mapping::MappingTable;
use quadscan::device::{Counts, EMULATOR};

fn record(key: Key) -> Record {
    Record {
        run: "test".into(),
        table: "mapping".into(),
        key,
        status: Status::Ok,
        reason: None,
        values: Values::default(),
        timings: Timings::default(),
        counts: None,
        clocks: None,
        remarks: Vec::new(),
        device: None,
        host: HostInfo {
            cpu: "test".into(),
            cores: None,
            version: "0".into(),
            git_revision: "0".into(),
        },
        timestamp: "2026-01-01T00:00:00Z".into(),
    }
}

/// All rows of two shapes, filled in.
fn rows(fill: impl Fn(Way, &mut Record)) -> Vec<Record> {
    let cells = MappingTable.cells(&Selection {
        blocks: Some(vec![1, 2]),
        ..Selection::default()
    });
    let cells = cells.unwrap_or_default();
    assert_eq!(cells.len(), 96);
    let filled = |key: Key| {
        let mut record = record(key);
        if let Some(way) = way(&record.key) {
            fill(way, &mut record);
        }
        record
    };
    cells.into_iter().map(filled).collect()
}

/// A place of a word in a list, from 1.
fn rank<T: PartialEq>(all: &[T], one: T) -> f64 {
    1.0 + all.iter().position(|other| *other == one).unwrap_or(99) as f64
}

#[test]
fn each_choice_is_weighed_between_rows_that_are_otherwise_alike() {
    let rows = rows(|way, record| {
        // A shape takes twice as long as the other one: no ratio has it.
        let shape = f64::from(record.key.blocks.unwrap_or_default());
        let place = [1.0, 1.25, 3.0, 4.0][rank(Partials::ALL, way.partials) as usize - 1];
        let kernel = shape * place;
        let finish = [1.0, 0.75, 0.5, 2.0][rank(Finish::ALL, way.finish) as usize - 1];
        record.timings.kernel = Timing::from_samples(vec![kernel; 3]);
        record.timings.gpu = Timing::from_samples(vec![kernel * finish; 3]);
    });
    assert_eq!(
        lines(&rows),
        [
            "mapping: the sum is there soonest with contiguous, registers, same_launch (0.5 \
             ms), latest with block_strided, global, atomics (16 ms)",
            "mapping: kernel_ms against contiguous, median of rows alike: strided 1.00, \
             block_strided 1.00",
            "mapping: kernel_ms against registers, median of rows alike: shared 1.25, \
             shared_conflicts 3.00, global 4.00",
            "mapping: gpu_ms against host, median of rows alike: second_launch 0.75, \
             same_launch 0.50, atomics 2.00",
        ]
    );
}

#[test]
fn without_times_the_counts_and_the_repetition_are_told() {
    let rows = rows(|way, record| {
        let took = match way.partials {
            Partials::Registers | Partials::Global => 0,
            Partials::Shared => 10,
            Partials::SharedConflicts => 160,
        };
        record.counts = Some(Counts {
            shared_wavefronts: Some(took),
            ideal_shared_wavefronts: Some(took.min(10)),
            ..Counts::default()
        });
        let is_first = record.key.blocks == Some(1);
        record.values.repeats = Some(way.finish != Finish::Atomics || is_first);
        record.device = Some(DeviceInfo {
            name: "test".into(),
            kind: EMULATOR.into(),
            compute_capability: "9.0".into(),
            driver: None,
            cuda_version: None,
            ptx_sha256: "0".into(),
            ptx_arch: "sm_90".into(),
            rustc: "1".into(),
            llvm: "1".into(),
            multiprocessors: None,
        });
    });
    assert_eq!(
        lines(&rows),
        [
            "mapping: shared memory takes 1.00 of the fewest wavefronts with the words of a \
             warp next to each other, 16.00 with them in one pair of banks",
            "mapping: the digits repeat under 3 orders of warps and blocks: host in 24 of 24 \
             rows, second_launch in 24 of 24 rows, same_launch in 24 of 24 rows, atomics in 12 \
             of 24 rows",
        ]
    );
}

#[test]
fn rows_that_failed_or_were_skipped_say_nothing() {
    let rows = rows(|_, record| {
        record.status = Status::Skipped;
        record.values.repeats = Some(true);
    });
    assert_eq!(lines(&rows), [] as [String; 0]);
}
