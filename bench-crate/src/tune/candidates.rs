//! The shapes that a sweep compares: of each width class the one in use, and those beside
//! it that fit.

use quadscan_kernels::scan::tuned::ROWS;
use quadscan_kernels::scan::tuning::{Row, Stream, Tile};

use super::candidate::{Algorithm, Candidate};
use crate::grouping::distinct;

/// Workers, delay and ahead: what was the fastest by hand, and what lies around it; no more
/// workers than [`MOST_WORKERS`](quadscan_kernels::scan::tuning::MOST_WORKERS).
const STREAMS: [(usize, usize, usize); 8] = [
    (9, 4, 2),
    (7, 4, 2),
    (8, 4, 2),
    (9, 3, 2),
    (9, 5, 2),
    (9, 4, 1),
    (9, 4, 3),
    (8, 3, 2),
];

/// Warps and rows. The most warps are those that the kernels' bounds allow
/// (`kernels-crate/src/scan/macros.rs`).
const ONE_BLOCK: [(usize, usize); 5] = [(32, 2), (32, 1), (32, 4), (16, 1), (8, 1)];
const ONE_WAVE_SMALL: [(usize, usize); 5] = [(8, 1), (8, 2), (4, 1), (4, 2), (16, 1)];
const ONE_WAVE: [(usize, usize); 5] = [(16, 2), (16, 1), (16, 4), (8, 2), (8, 4)];

/// Vectors of 16 bytes of results, or of elements, that a lane holds in registers at most:
/// more of them do not fit there.
const MOST_IN_REGISTERS: usize = 16;

/// The fewest neighbouring elements that are whole vectors, and whose results are.
fn least(row: &Row) -> usize {
    16 / row.element.min(row.result)
}

fn registers(row: &Row, algorithm: Algorithm, tile: Tile) -> Candidate {
    let name = match algorithm {
        Algorithm::OneBlock => "one_block",
        Algorithm::OneWaveSmall => "one_wave_small",
        _ => "one_wave",
    };
    let (element, result, Tile { warps, rows }) = (row.element, row.result, tile);
    Candidate {
        entry: format!("{name}_{element}_{result}_w{warps}_r{rows}"),
        algorithm,
        element,
        result,
        warps,
        rows,
        delay: 0,
        ahead: 0,
        items: least(row),
        vectors: least(row) * element / 16,
        results: least(row) * result / 16,
    }
}

fn stream(row: &Row, of: Stream) -> Candidate {
    let (element, result) = (row.element, row.result);
    let Stream {
        workers,
        times,
        delay,
        ahead,
    } = of;
    Candidate {
        entry: format!("lookahead_{element}_{result}_w{workers}_t{times}_d{delay}_a{ahead}"),
        algorithm: Algorithm::Lookahead,
        element,
        result,
        warps: workers,
        rows: times,
        delay,
        ahead,
        items: times * least(row),
        vectors: times * least(row) * element / 16,
        results: times * least(row) * result / 16,
    }
}

/// All shapes of a class, that in use first of each kernel.
pub(super) fn of_class(row: &Row) -> Vec<Candidate> {
    let mut all = Vec::new();
    for (algorithm, used, others) in [
        (Algorithm::OneBlock, row.one_block, &ONE_BLOCK[..]),
        (
            Algorithm::OneWaveSmall,
            row.one_wave_small,
            &ONE_WAVE_SMALL[..],
        ),
        (Algorithm::OneWave, row.one_wave, &ONE_WAVE[..]),
    ] {
        all.push(registers(row, algorithm, used));
        let others = others.iter().map(|&(warps, rows)| Tile { warps, rows });
        let others = others.map(|tile| registers(row, algorithm, tile));
        all.extend(
            others.filter(|one| one.rows * one.vectors.max(one.results) <= MOST_IN_REGISTERS),
        );
    }
    all.push(stream(row, row.lookahead));
    all.extend(STREAMS.iter().map(|&(workers, delay, ahead)| {
        let mut of = Stream {
            workers,
            times: 1,
            delay,
            ahead,
        };
        let each = least(row);
        of.times = of.room(each, each * row.element / 16, each * row.result / 16);
        stream(row, of)
    }));
    distinct(all)
}

/// All shapes of all classes.
pub fn all() -> Vec<Candidate> {
    ROWS.iter().flat_map(of_class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use quadscan_kernels::scan::shape::Lookahead;
    use quadscan_kernels::scan::tuning::MOST_WORKERS;

    /// Shared memory of a block on compute capability 9.0, bytes (CUDA C++ Programming
    /// Guide, "Technical Specifications per Compute Capability").
    const SHARED: u32 = 227 << 10;

    #[test]
    fn every_shape_fits_wherever_the_array_begins() {
        for one in all() {
            assert_eq!(one.items * one.element, 16 * one.vectors, "{}", one.entry);
            assert_eq!(one.items * one.result, 16 * one.results, "{}", one.entry);
            let shape = Lookahead {
                items: one.items,
                vectors: one.vectors,
                results: one.results,
                workers: one.warps,
                delay: one.delay,
                ahead: one.ahead,
                shifted: true,
                segment_flags: 0,
            };
            if one.algorithm == Algorithm::Lookahead {
                assert!(shape.shared_bytes() <= SHARED, "{}", one.entry);
            }
        }
    }

    #[test]
    fn a_class_has_several_shapes_of_the_large_kernel_and_that_in_use_is_the_first() {
        for row in &ROWS {
            let of_class = of_class(row);
            let large: Vec<_> = of_class
                .iter()
                .filter(|one| one.algorithm == Algorithm::Lookahead)
                .collect();
            assert!((8..=9).contains(&large.len()), "{}", large.len());
            assert!(large.iter().all(|one| one.warps <= MOST_WORKERS));
            assert_eq!(*large[0], stream(row, row.lookahead));
        }
    }

    #[test]
    fn entries_have_names_of_their_own() {
        let mut names: Vec<_> = all().into_iter().map(|one| one.entry).collect();
        let count = names.len();
        names.sort();
        names.dedup();
        assert_eq!(names.len(), count);
    }
}
