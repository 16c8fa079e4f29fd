//! The page's two columns of 2010 under the same law: a span each, of a GPU whose
//! SMs are known from data sheets.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use super::Fit;
use super::fit::{self, Cell};
use super::machine::Machine;
use crate::table::published::{self, Published, STRIPS};

/// Numbers of SMs that were tried in place of the data sheet's.
const COUNTS: RangeInclusive<u32> = 8..=24;

/// Those of them that fit the two columns best, which a test finds again: a second's search.
const BEST: [u32; 2] = [14, 16];

/// A published column, explained.
pub(super) struct Page {
    /// Processors by the data sheet, as the page counts them.
    pub(super) processors: u32,
    /// With the data sheet's SMs.
    pub(super) fit: Option<Fit>,
    /// The number of SMs that fits the seen cells best, with its fit; the
    /// data sheet's where others do no better.
    pub(super) best: Option<(u32, Fit)>,
}

static F64: LazyLock<Page> =
    LazyLock::new(|| explained(&published::SWEEP_F64, Machine::tesla_s2050(), 448, BEST[0]));

static F32: LazyLock<Page> = LazyLock::new(|| {
    explained(
        &published::SWEEP_F32,
        Machine::geforce_8800_gt(),
        112,
        BEST[1],
    )
});

impl Page {
    /// The numbers of SMs among which the best was looked for.
    pub(super) fn tried(&self) -> RangeInclusive<u32> {
        COUNTS
    }
}

/// The page's column of a sweep.
pub(super) fn of(table: &str) -> Option<&'static Page> {
    match table {
        "sweep-f64" => Some(&F64),
        "sweep-f32" => Some(&F32),
        _ => None,
    }
}

fn cells(sweep: &Published) -> Vec<Cell> {
    let spans = sweep.spans().into_iter();
    fit::in_order(
        spans
            .map(|((blocks, threads), ms)| (blocks, threads, ms))
            .collect(),
    )
}

fn explained(sweep: &Published, machine: Machine, processors: u32, best: u32) -> Page {
    let cells = cells(sweep);
    let with = |count| fit::published(&machine.with_count(count), STRIPS, &cells);
    Page {
        processors,
        fit: with(machine.sms.count).map(|fit| fit.0),
        best: with(best).map(|fit| (best, fit.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_number_of_sms_is_the_one_that_a_search_finds() {
        let best = |machine: Machine, cells: &[Cell]| {
            let tried = COUNTS.filter_map(|count| {
                let (_, law) = fit::published(&machine.with_count(count), STRIPS, cells)?;
                let misses = fit::seen(cells).map(|cell| fit::miss(&law, cell));
                Some((misses.sum::<f64>(), count))
            });
            let best = tried.min_by(|a, b| a.0.total_cmp(&b.0));
            best.map(|(_, count)| count)
        };
        let f64_cells = cells(&published::SWEEP_F64);
        let f32_cells = cells(&published::SWEEP_F32);
        let found = [
            best(Machine::tesla_s2050(), &f64_cells),
            best(Machine::geforce_8800_gt(), &f32_cells),
        ];
        assert_eq!(found, BEST.map(Some));
    }
}
