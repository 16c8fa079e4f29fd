//! Choices from records that are made up, with one class: 4 to 4 bytes.

use std::collections::BTreeMap;

use quadscan_kernels::scan::tuned::ROWS;

use super::*;
use crate::tune::candidate::Candidate;
use crate::tune::record::Row as Time;

/// Shapes in use here: 32 x 2, 8 x 1, 16 x 2, 9 x 7 + 4 + 2.
fn used() -> Row {
    Row {
        element: 4,
        result: 4,
        one_block: Tile { warps: 32, rows: 2 },
        one_wave_small: Tile { warps: 8, rows: 1 },
        one_wave: Tile { warps: 16, rows: 2 },
        lookahead: Stream {
            workers: 9,
            times: 7,
            delay: 4,
            ahead: 2,
        },
        ..ROWS[0]
    }
}

fn measured(algorithm: Algorithm, shape: [usize; 4], times: &[(u32, f64)]) -> Measured {
    let [warps, rows, delay, ahead] = shape;
    let time = |&(exponent, us): &(u32, f64)| Time {
        n: 1 << exponent,
        median_us: Some(us),
        noise: None,
        samples: 1,
        method: None,
        wrong: None,
    };
    Measured {
        candidate: Candidate {
            entry: format!("{algorithm:?}_{warps}_{rows}"),
            algorithm,
            element: 4,
            result: 4,
            warps,
            rows,
            delay,
            ahead,
            items: 4,
            vectors: 1,
            results: 1,
        },
        times: times.iter().map(time).collect(),
    }
}

/// One shape of each kernel: the one in use.
pub(crate) fn record() -> Record {
    Record {
        tuned: "scan".to_owned(),
        device: "a GPU".to_owned(),
        compute_capability: (9, 0),
        driver: None,
        date: "2026-11-22T00:00:00Z".to_owned(),
        revision: None,
        quick: false,
        ptx: BTreeMap::new(),
        left_out: Vec::new(),
        candidates: vec![
            measured(Algorithm::OneBlock, [32, 2, 0, 0], &[(10, 1.0)]),
            measured(
                Algorithm::OneWaveSmall,
                [8, 1, 0, 0],
                &[(10, 2.0), (16, 2.0), (18, 4.0)],
            ),
            measured(
                Algorithm::OneWave,
                [16, 2, 0, 0],
                &[(16, 4.0), (18, 2.0), (20, 4.0), (22, 16.0)],
            ),
            measured(
                Algorithm::Lookahead,
                [9, 7, 4, 2],
                &[(18, 8.0), (20, 8.0), (22, 8.0), (28, 500.0)],
            ),
        ],
    }
}

fn chosen(record: &Record) -> Row {
    match rows(record, &[used()]) {
        Ok(rows) => rows[0],
        Err(problem) => panic!("{problem}"),
    }
}

fn refusal(record: &Record) -> String {
    match rows(record, &[used()]) {
        Ok(rows) => panic!("{rows:?}"),
        Err(problem) => problem,
    }
}

#[test]
fn a_threshold_lies_where_two_lines_in_log_n_cross() {
    // From twice as fast at 2^16 to twice as slow at 2^18: in the middle, at 2^17.
    let row = chosen(&record());
    assert_eq!(row.sm_90.one_wave_small, 4 << 17);
    // 2^20 twice as fast, 2^22 twice as slow.
    assert_eq!(row.sm_90.one_wave, 4 << 21);
    assert_eq!(row.older, used().older, "nobody measured it");
}

#[test]
fn a_kernel_that_is_never_the_fastest_has_a_threshold_of_zero() {
    let mut record = record();
    record.candidates[1].times.retain(|time| time.n < 1 << 12);
    record.candidates[2].times.iter_mut().for_each(|time| {
        time.median_us = Some(9.0);
    });
    record.candidates[2].times.remove(0);
    let row = chosen(&record);
    assert_eq!(row.sm_90.one_wave, 0);
}

#[test]
fn a_kernel_that_is_the_fastest_as_far_as_it_goes_is_used_so_far() {
    let mut record = record();
    record.candidates[2].times.pop();
    // It has no room for 2^22, where the next one was timed.
    assert_eq!(chosen(&record).sm_90.one_wave, 4 << 22);
}

#[test]
fn more_elements_weigh_more() {
    let mut record = record();
    // 10 % slower at 2^22, weight 1, and 10 % faster at 2^28, weight 7: 8 % in all.
    record.candidates.push(measured(
        Algorithm::Lookahead,
        [8, 7, 4, 2],
        &[(18, 8.0), (20, 8.0), (22, 8.8), (28, 450.0)],
    ));
    assert_eq!(chosen(&record).lookahead.workers, 8);
}

/// As the record of 2026-11-22 has some.
#[test]
fn more_workers_than_the_other_kernels_have_room_for_are_not_chosen() {
    let mut record = record();
    record.candidates.push(measured(
        Algorithm::Lookahead,
        [MOST_WORKERS + 1, 7, 3, 2],
        &[(18, 4.0), (20, 4.0), (22, 4.0), (28, 250.0)],
    ));
    assert_eq!(chosen(&record).lookahead, used().lookahead);
}

#[test]
fn a_tie_and_what_is_within_the_noise_change_nothing() {
    for faster in [500.0, 499.0] {
        let mut record = record();
        let times = [(18, 8.0), (20, 8.0), (22, 8.0), (28, faster)];
        let other = measured(Algorithm::Lookahead, [8, 7, 4, 2], &times);
        record.candidates.insert(0, other);
        assert_eq!(chosen(&record).lookahead, used().lookahead);
    }
}

#[test]
fn of_equal_shapes_that_are_not_in_use_the_first_is_taken() {
    let mut record = record();
    let times = [(18, 8.0), (20, 8.0), (22, 8.0), (28, 400.0)];
    for workers in [8, 7] {
        record
            .candidates
            .push(measured(Algorithm::Lookahead, [workers, 7, 4, 2], &times));
    }
    assert_eq!(chosen(&record).lookahead.workers, 8);
}

#[test]
fn the_smaller_kernels_are_chosen_for_what_they_do_together() {
    let mut record = record();
    // Faster where another kernel scans anyway: no reason to take it.
    let apart = [(16, 3.0), (18, 2.0), (20, 4.0), (22, 16.0)];
    record
        .candidates
        .push(measured(Algorithm::OneWave, [8, 2, 0, 0], &apart));
    assert_eq!(chosen(&record).one_wave, used().one_wave);
    let together = [(16, 4.0), (18, 1.5), (20, 3.0), (22, 16.0)];
    record
        .candidates
        .push(measured(Algorithm::OneWave, [8, 4, 0, 0], &together));
    assert_eq!(chosen(&record).one_wave, Tile { warps: 8, rows: 4 });
}

#[test]
fn one_block_with_more_room_is_taken_only_if_it_is_faster_than_what_it_displaces() {
    let mut record = record();
    let displaces = [(10, 1.0), (16, 9.0)];
    record
        .candidates
        .push(measured(Algorithm::OneBlock, [32, 4, 0, 0], &displaces));
    assert_eq!(chosen(&record).one_block, used().one_block);
}

#[test]
fn rows_of_which_a_record_has_candidates_are_told_from_the_others() {
    let other = Row {
        element: 8,
        result: 8,
        ..used()
    };
    assert_eq!(present(&record(), &[other, used()]), [used()]);
    assert!(rows(&record(), &[other, used()]).is_err());
}

#[test]
fn a_wrong_result_is_refused_with_its_entry() {
    let mut record = record();
    record.candidates[2].times[1].wrong = Some("result 7 is 8".to_owned());
    assert_eq!(
        refusal(&record),
        "OneWave_16_2 at 262144 elements gave wrong results: result 7 is 8"
    );
}

#[test]
fn a_missing_time_is_refused_with_its_entry() {
    let mut without = record();
    without.candidates[0].times[0].median_us = None;
    assert!(refusal(&without).contains("OneBlock_32_2 at 1024 elements has no time"));
    let mut fewer = record();
    let times = [(22, 7.0)];
    let other = measured(Algorithm::Lookahead, [8, 7, 4, 2], &times);
    fewer.candidates.push(other);
    assert!(refusal(&fewer).contains("has no time at 268435456 elements"));
    let mut none = record();
    none.candidates.remove(1);
    assert!(refusal(&none).contains("no times of OneWaveSmall for 4 to 4 bytes"));
    let mut empty = record();
    empty.candidates.clear();
    assert_eq!(refusal(&empty), "has no candidates");
}

#[test]
fn a_record_of_an_older_gpu_is_refused() {
    let mut record = record();
    record.compute_capability = (8, 6);
    assert!(refusal(&record).contains("compute capability 8.6"));
}
