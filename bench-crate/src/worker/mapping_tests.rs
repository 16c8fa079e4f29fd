//! Ways to sum on the emulator: what is counted, what repeats, what is found wrong.

use super::*;
use crate::mapping::{Finish, Partials};
use crate::worker::protocol::Task;
use quadscan::device::emulator::Counting;

const GRID: Grid = Grid {
    strips: 1 << 14,
    blocks: 8,
    threads: 64,
};

fn job(way: Way) -> Job {
    Job {
        id: 1,
        task: Task::Mapping {
            way,
            strips: GRID.strips,
            blocks: GRID.blocks,
            threads: GRID.threads,
        },
        repeat: None,
        peer: None,
        cold: false,
        checked: false,
        untimed: false,
    }
}

fn readings(mapping: Mapping, partials: Partials) -> Vec<Reading> {
    let read = || -> Result<Vec<Reading>> {
        let artifact = crate::modules::ours()?;
        let emulator = Emulator::observed(Settings::default(), Box::new(Counting::default()));
        let module = Device::from_backend(Box::new(emulator)).load(&artifact)?;
        let mut mappings = Mappings::new(artifact, None);
        let finishes = Finish::ALL.iter();
        let ways = finishes.map(|&finish| Way {
            mapping,
            partials,
            finish,
        });
        ways.map(|way| {
            let reading = mappings.measure(&module, &job(way), way, GRID)?;
            Ok(Reading {
                counts: module.device().take_counts(),
                ..reading
            })
        })
        .collect()
    };
    match read() {
        Ok(readings) => readings,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn every_way_is_right_and_all_but_atomics_repeat_under_other_schedules() {
    for &mapping in Mapping::ALL {
        for &partials in Partials::ALL {
            let readings = readings(mapping, partials);
            for (reading, finish) in readings.iter().zip(Finish::ALL) {
                let at = format!("{mapping:?} {partials:?} {finish:?}");
                assert_eq!(reading.wrong, None, "{at}");
                assert_eq!(
                    reading.repeats,
                    Some(*finish != Finish::Atomics),
                    "{at}: 512 atomic additions in three orders"
                );
                assert!(reading.gpu.is_none() && reading.kernel.is_none(), "{at}");
            }
        }
    }
}

#[test]
fn words_in_one_pair_of_banks_take_sixteen_times_the_wavefronts() {
    let wavefronts = |partials| {
        let readings = readings(Mapping::Contiguous, partials);
        // The host adds, so that all of shared memory is for running sums.
        let counts = readings[0].counts.as_ref();
        match counts.map(|c| (c.shared_wavefronts, c.ideal_shared_wavefronts)) {
            Some((Some(took), Some(ideal))) => (took, ideal),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(wavefronts(Partials::Registers), (0, 0));
    // 32 words of 8 bytes are two wavefronts of 128. A warp clears its words, reads
    // and writes them at each of 32 terms, and reads them at the end.
    let least = 2 * (1 + 2 * 32 + 1) * 8 * (64 / 32);
    assert_eq!(wavefronts(Partials::Shared), (least, least));
    let conflicts = wavefronts(Partials::SharedConflicts);
    assert_eq!(conflicts, (16 * least, least));
}

#[test]
fn a_second_launch_is_counted_with_the_first() {
    let readings = readings(Mapping::Contiguous, Partials::Registers);
    let instructions = |index: usize| {
        let counts = readings[index].counts.as_ref();
        counts.map_or(0, |counts| counts.warp_instructions)
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
