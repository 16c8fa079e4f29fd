//! Ways to sum: which rows there are; on the emulator what is counted, what repeats, what is
//! found wrong.

use super::*;
use crate::record::Status;
use crate::table::Asked;
use crate::tables::testing::{asked, cells, emulated, measured, problem};

const GRID: Grid = Grid {
    strips: 1 << 14,
    blocks: 8,
    threads: 64,
};

#[test]
fn every_way_is_a_row_of_one_shape() {
    let cells = cells(&TABLE, &asked(&[]));
    assert_eq!(cells.len(), 3 * 4 * 4);
    let mut ways: Vec<Way> = cells.iter().filter_map(way).collect();
    ways.dedup();
    assert_eq!(ways.len(), 48, "each row has a way of its own");
    let shape = Grid {
        strips: 1 << 20,
        blocks: 64,
        threads: 256,
    };
    assert!(cells.iter().all(|cell| common::grid(cell) == Some(shape)));
}

#[test]
fn lists_take_the_place_of_the_size_and_the_shape() {
    let all = cells(
        &TABLE,
        &asked(&[("strips", "12288"), ("blocks", "4,8"), ("threads", "96")]),
    );
    assert_eq!(all.len(), 2 * 48);
    let second = Grid {
        strips: 3 << 12,
        blocks: 8,
        threads: 96,
    };
    assert_eq!(common::grid(&all[48]), Some(second));
    let full = Asked {
        extent: Extent::Full,
        ..asked(&[])
    };
    assert_eq!(cells(&TABLE, &full)[0].number("strips"), Some(1 << 24));
}

#[test]
fn shapes_that_do_not_share_the_strips_are_refused() {
    let of = |strips, blocks, threads| {
        problem(
            &TABLE,
            &[("strips", strips), ("blocks", blocks), ("threads", threads)],
        )
    };
    assert_eq!(
        of("1000", "3", "32"),
        "--strips 1000 is not a multiple of blocks * threads = 3 * 32 = 96, and in mapping every \
         thread has as many strips as the others"
    );
    let many = of("2147483648", "2097152", "1024");
    assert!(
        many.starts_with("--blocks 2097152 with --threads 1024 makes 2147483648"),
        "{many}"
    );
}

/// What comes of a mapping and a place by every finish.
fn records(session: &mut Session, mapping: Mapping, partials: Partials) -> Vec<Record> {
    let cell = |finish: &Finish| {
        let cell = Cell::default().with("mapping", mapping.name());
        let cell = cell
            .with("partials", partials.name())
            .with("finish", finish.name());
        let cell = cell.with("strips", GRID.strips).with("blocks", GRID.blocks);
        cell.with("threads", GRID.threads)
    };
    let cells = Finish::ALL.iter().map(cell);
    cells.map(|cell| measured(session, &TABLE, &cell)).collect()
}

#[test]
fn every_way_is_right_and_all_but_atomics_repeat_under_other_schedules() {
    let mut session = emulated();
    for &mapping in Mapping::ALL {
        for &partials in Partials::ALL {
            let records = records(&mut session, mapping, partials);
            for (record, finish) in records.iter().zip(Finish::ALL) {
                let at = format!("{mapping:?} {partials:?} {finish:?}");
                assert_eq!((record.status, &record.reason), (Status::Ok, &None), "{at}");
                assert_eq!(
                    record.metrics.flag("repeats"),
                    Some(*finish != Finish::Atomics),
                    "{at}: 512 atomic additions in three orders"
                );
                assert_eq!(record.metrics.times().count(), 0, "{at}");
            }
        }
    }
}

#[test]
fn words_in_one_pair_of_banks_take_sixteen_times_the_wavefronts() {
    let mut session = emulated();
    let mut wavefronts = |partials| {
        let records = records(&mut session, Mapping::Contiguous, partials);
        // The host adds, so that all of shared memory is for running sums.
        let counts = records[0].counts.expect("the emulator counts");
        (counts.shared_wavefronts, counts.ideal_shared_wavefronts)
    };
    assert_eq!(wavefronts(Partials::Registers), (Some(0), Some(0)));
    // 32 words of 8 bytes are two wavefronts of 128. A warp clears its words, reads
    // and writes them at each of 32 terms, and reads them at the end.
    let least = 2 * (1 + 2 * 32 + 1) * 8 * (64 / 32);
    assert_eq!(wavefronts(Partials::Shared), (Some(least), Some(least)));
    let conflicts = wavefronts(Partials::SharedConflicts);
    assert_eq!(conflicts, (Some(16 * least), Some(least)));
}

#[test]
fn a_second_launch_is_counted_with_the_first() {
    let records = records(&mut emulated(), Mapping::Contiguous, Partials::Registers);
    let instructions = |index: usize| {
        let counts = records[index].counts.expect("the emulator counts");
        counts.warp_instructions
    };
    assert!(instructions(0) > 0, "the host adds");
    assert!(instructions(1) > instructions(0), "a second launch adds");
}

#[test]
fn a_wrong_bit_of_a_thread_or_of_a_total_is_said() {
    let partials = [0.25_f64, 0.5, 0.125];
    let mut other = partials;
    other[1] = f64::from_bits(other[1].to_bits() ^ 1);
    assert_eq!(difference(&partials, &partials), None);
    let wrong = difference(&other, &partials).unwrap_or_default();
    assert!(
        wrong.starts_with("1 of 3 threads' sums are not the host's, the first is number 1: 0.5"),
        "{wrong}"
    );
    let way = |finish| Way {
        mapping: Mapping::Strided,
        partials: Partials::Registers,
        finish,
    };
    let next = f64::from_bits(0.875_f64.to_bits() + 1);
    for &finish in Finish::ALL {
        let judge = |sum| judge(way(finish), GRID, sum, &partials);
        assert_eq!(judge(0.875), None, "{finish:?}");
        let is_atomic = finish == Finish::Atomics;
        assert_eq!(judge(next).is_none(), is_atomic, "{finish:?}: {next:?}");
        assert!(judge(0.875 + 1e-15).is_some(), "{finish:?}");
        assert!(judge(f64::NAN).is_some(), "{finish:?}");
    }
}
