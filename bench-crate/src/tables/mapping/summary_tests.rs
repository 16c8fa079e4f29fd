//! The lines under rows that are made up.

use super::*;
use crate::record::sample::{device, record};
use crate::tables::mapping::TABLE;
use crate::tables::testing::{asked, cells};
use quadscan::device::{Counts, EMULATOR};

/// All rows of two shapes, filled in.
fn rows(fill: impl Fn(Way, Record) -> Record) -> Vec<Record> {
    let cells = cells(&TABLE, &asked(&[("blocks", "1,2")]));
    assert_eq!(cells.len(), 96);
    let filled = |cell| {
        let way = way(&cell).expect("a cell of the table has its way");
        fill(way, record("mapping", cell))
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
        let shape = f64::from(record.cell.small("blocks").unwrap_or_default());
        let place = [1.0, 1.25, 3.0, 4.0][rank(Partials::ALL, way.partials) as usize - 1];
        let kernel = shape * place;
        let finish = [1.0, 0.75, 0.5, 2.0][rank(Finish::ALL, way.finish) as usize - 1];
        record
            .taking("kernel", kernel)
            .taking("gpu", kernel * finish)
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
        let is_first = record.cell.number("blocks") == Some(1);
        Record {
            counts: Some(Counts {
                shared_wavefronts: Some(took),
                ideal_shared_wavefronts: Some(took.min(10)),
                ..Counts::default()
            }),
            device: Some(device(EMULATOR)),
            ..record.having("repeats", way.finish != Finish::Atomics || is_first)
        }
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
    let rows = rows(|_, record| Record {
        status: Status::Skipped,
        ..record.having("repeats", true)
    });
    assert_eq!(lines(&rows), [] as [String; 0]);
}
