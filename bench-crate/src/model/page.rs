//! The page's two columns of 2010 under the same law: a span each, of a GPU whose
//! multiprocessors are known from data sheets.

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use super::Fit;
use super::fit::{self, Cell};
use super::machine::Machine;
use crate::tables::published::{self, Published, Row};

/// Strips of both columns.
const STRIPS: u64 = 65536 * 256;

/// Numbers of multiprocessors that are tried in place of the data sheet's.
const COUNTS: RangeInclusive<u32> = 8..=24;

/// A published column, explained.
pub(super) struct Page {
    /// Processors by the data sheet, as the page counts them.
    pub(super) processors: u32,
    /// With the data sheet's multiprocessors.
    pub(super) fit: Option<Fit>,
    /// The number of multiprocessors that fits the seen cells best, with its fit; the
    /// data sheet's where others do no better.
    pub(super) best: Option<(u32, Fit)>,
}

static F64: LazyLock<Page> = LazyLock::new(|| {
    explained(
        &published::SWEEP_F64,
        (Machine::tesla_s2050(), 448),
        |row| row.number("gpu_ms"),
    )
});

static F32: LazyLock<Page> = LazyLock::new(|| {
    explained(
        &published::SWEEP_F32,
        (Machine::geforce_8800_gt(), 112),
        middle_of_five,
    )
});

impl Page {
    /// The numbers of multiprocessors among which the best was looked for.
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

fn middle_of_five(row: &Row<'_>) -> Option<f64> {
    let mut times: Vec<f64> = (1..=5)
        .filter_map(|index| row.number(&format!("gpu_ms_{index}")))
        .collect();
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

fn explained(
    table: &Published,
    (machine, processors): (Machine, u32),
    time: fn(&Row<'_>) -> Option<f64>,
) -> Page {
    let cell = |row: Row<'_>| Some((row.number("blocks")?, row.number("threads")?, time(&row)?));
    let cells: Vec<Cell> = fit::in_order(table.rows().filter_map(cell).collect());
    let with = |count: u32| fit::published(&machine.with_count(count), STRIPS, &cells);
    let best = COUNTS
        .filter_map(|count| {
            let (fit, law) = with(count)?;
            let misses: f64 = fit::seen(&cells).map(|cell| fit::miss(&law, cell)).sum();
            Some((misses, count, fit))
        })
        .min_by(|a, b| a.0.total_cmp(&b.0));
    let fit = with(machine.multiprocessors.count).map(|fit| fit.0);
    Page {
        processors,
        fit,
        best: best.map(|(_, count, fit)| (count, fit)),
    }
}
