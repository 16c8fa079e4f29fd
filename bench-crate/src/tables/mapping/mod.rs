//! `mapping`: the page's other questions. Which thread gets which strip, where it
//! keeps its running sum, who adds the sums up: every way on one grid, with its time,
//! its digits, and whether they repeat.
//!
//! Three mappings, four places, four finishes: all 48 ways. 2^20 strips on the shape
//! that was the fastest on the page's Tesla, 64 blocks of 256 threads, so that the
//! emulator has them all within seconds; `--full` goes to the page's 2^24.
//!
//! Nothing of it was published. `gpu_ms` is from before the first launch until the
//! host has the sum: launches, the clearing of a total that atomics add to, and the
//! copy of what the host needs, which are all sums of threads or one total.
//!
//! Whether digits repeat is asked of repeated launches. A GPU has another order of
//! warps and blocks each time; an emulated launch is the same each time, so that the
//! emulator repeats it under other schedules.

mod summary;

use std::collections::HashMap;
use std::time::Instant;

use quadscan_kernels::integrate::mapping::SUM_THREADS;

use super::quarter_circle as common;
use crate::axes::{BLOCKS, FINISHES, MAPPINGS, PARTIALS, STRIPS, THREADS};
use crate::error::Result;
use crate::mapping::{Finish, Mapping, Partials, Summation, Way};
use crate::measure::{Bench, Contest, Session};
use crate::oracle::{Precision, mapping as oracle, quarter_circle};
use crate::record::{Cell, Record};
use crate::table::column::{
    COLD, CONDITIONS, COUNTS_OF_MEMORY, OUTCOME, Show, axis, derived, fixed, flag, ms,
};
use crate::table::figure::{BY_SHAPE, Figure, Figures, HeatMap, KERNEL, SPAN};
use crate::table::{Extent, Short, Shown, Table, TableAxis, values};
use crate::timing::device as timing;
use crate::trapezoid::Grid;
use quadscan::device::emulator::{Emulator, Settings};
use quadscan::device::{Counts, Device, Module};

/// The table.
pub(crate) const TABLE: Table = Table {
    name: "mapping",
    about: "time and digits by mapping of strips to threads, place of the sums and way to add them up",
    axes: &[
        TableAxis::filter(&MAPPINGS).known(Mapping::names).inner(),
        TableAxis::filter(&PARTIALS).known(Partials::names).inner(),
        TableAxis::filter(&FINISHES).known(Finish::names).inner(),
        TableAxis::of(&STRIPS).usual(|asked, _| match asked.extent {
            Extent::Quick | Extent::Default => values([USUAL]),
            Extent::Full => values([FULL]),
        }),
        TableAxis::of(&BLOCKS).usual(|_, _| values([SHAPE.0])),
        TableAxis::of(&THREADS).usual(|_, _| values([SHAPE.1])),
    ],
    columns: &[
        &[
            axis("mapping"),
            axis("partials"),
            axis("finish"),
            axis("strips"),
            axis("blocks"),
            axis("threads"),
            ms("gpu_ms", "gpu"),
            ms("kernel_ms", "kernel"),
            fixed("pi", 15),
            derived(
                "rounding_error",
                "`pi` minus the result of exact sums",
                Show::Scientific(1),
                rounding,
            ),
            flag("repeats"),
        ],
        &COLD,
        &CONDITIONS,
        &COUNTS_OF_MEMORY,
        &OUTCOME,
    ],
    is_usual: true,
    fits,
    measure,
    patience: |cell, has_timer| {
        common::patience(common::grid(cell), has_timer, 1 + OTHER_SCHEDULES)
    },
    summary: summary::lines,
    short: Short {
        across: "finish",
        shown: &[
            Shown::rounded("gpu_ms", "ms"),
            Shown::exact("rounding_error", "rounding error").instead_of("gpu_ms"),
        ],
        best: Some(SPAN),
        ..Short::EMPTY
    },
    figures: Figures {
        by: &["strips", "blocks", "threads"],
        ..Figures::of(&[
            &[
                Figure::HeatMap(HeatMap {
                    name: KERNEL.name,
                    value: |row| KERNEL.ms(row),
                    ..WAYS
                }),
                Figure::HeatMap(HeatMap {
                    name: SPAN.name,
                    note: SPAN.note,
                    value: |row| SPAN.ms(row),
                    ..WAYS
                }),
            ],
            &[
                Figure::HeatMap(HeatMap {
                    name: "wavefronts of shared memory",
                    value: |row| excess(row, |c| (c.shared_wavefronts, c.ideal_shared_wavefronts)),
                    ..COUNTED
                }),
                Figure::HeatMap(HeatMap {
                    name: "sectors of global memory",
                    value: |row| excess(row, |c| (c.global_sectors, c.ideal_global_sectors)),
                    ..COUNTED
                }),
            ],
        ])
    },
    ..Table::EMPTY
};

/// Strips of the table, and of its `--full` form.
const USUAL: u64 = 1 << 20;
const FULL: u64 = 1 << 24;

/// The page's fastest shape in f64.
const SHAPE: (u64, u64) = (64, 256);

/// Launches of a GPU whose sums are compared.
const RUNS: usize = 10;

/// Schedules of the emulator whose sums are compared, beside the one that was asked
/// for.
const OTHER_SCHEDULES: u64 = 2;

/// All ways: the mapping and the place of the sums by who adds them up.
const WAYS: HeatMap = HeatMap {
    down: ("mapping and place", |row| {
        let parts = [row.cell.text("mapping")?, row.cell.text("partials")?];
        Some(parts.join(", ").replace('_', " "))
    }),
    across: ("finish", |row| {
        Some(row.cell.text("finish")?.replace('_', " "))
    }),
    ..BY_SHAPE
};

/// What a launch of each way did, where the device counts.
const COUNTED: HeatMap = HeatMap {
    unit: "× ideal",
    lighter: "fewer",
    note: " 1 is without a conflict, or without a wasted sector.",
    ..WAYS
};

/// A count in units of what it is at best.
fn excess(row: &Record, count: fn(&Counts) -> (Option<u64>, Option<u64>)) -> Option<f64> {
    let (count, ideal) = count(row.counts.as_ref()?);
    let ideal = ideal.filter(|&ideal| ideal > 0)?;
    Some(count? as f64 / ideal as f64)
}

/// The way of a row.
fn way(cell: &Cell) -> Option<Way> {
    Some(Way {
        mapping: Mapping::by_name(cell.text("mapping")?)?,
        partials: Partials::by_name(cell.text("partials")?)?,
        finish: Finish::by_name(cell.text("finish")?)?,
    })
}

/// Err when the threads do not share the strips, or are too many.
fn fits(_: &Table, cell: &Cell) -> Result<()> {
    common::fits(
        cell,
        "in mapping every thread has as many strips as the others",
    )
}

/// What the sum lost to rounding: pi less what exact sums give.
fn rounding(record: &Record) -> Option<f64> {
    let limit = quarter_circle::trapezoid_limit(record.cell.number("strips")?);
    Some(record.number("pi")? - limit)
}

/// What the cells of the table have in common.
#[derive(Default)]
struct Kept {
    /// The oracle's sum of each thread.
    expected: HashMap<(Mapping, Grid), Vec<f64>>,
    /// The artifact on emulators of other schedules.
    others: Vec<Module>,
}

impl Kept {
    fn expected(&mut self, mapping: Mapping, grid: Grid) -> &[f64] {
        let of = || oracle::partials(mapping, grid.strips, grid.blocks, grid.threads);
        self.expected.entry((mapping, grid)).or_insert_with(of)
    }
}

/// The artifact on emulators of other schedules than the session's.
fn under_other_schedules(bench: &mut Bench<'_>) -> quadscan::Result<Vec<Module>> {
    let Session {
        artifact, schedule, ..
    } = bench.session();
    let (artifact, schedule) = (artifact.clone(), schedule.unwrap_or_default());
    let others = &mut bench.kept::<Kept>().others;
    while (others.len() as u64) < OTHER_SCHEDULES {
        let further = others.len() as u64 + 1;
        let settings = Settings {
            schedule: Some(schedule.wrapping_add(further)),
            ..Settings::default()
        };
        let device = Device::from_backend(Box::new(Emulator::new(settings)));
        others.push(device.load(&artifact)?);
    }
    Ok(others.clone())
}

/// Sums by a way: the sum of the last launch, and whether all others had its
/// bits. The device's counts are then those of one launch of the way.
fn measure(cell: &Cell, bench: &mut Bench<'_>) -> quadscan::Result<()> {
    let (way, grid) = cell.read(|cell| way(cell).zip(common::grid(cell)))?;
    let module = bench.module().clone();
    let device = module.device();
    let mut summation = Summation::new(&module, way, grid)?;
    let mut sums = Vec::new();
    if device.properties().has_timer {
        for _ in 1..RUNS {
            sums.push(summation.sum()?);
        }
    } else {
        for other in under_other_schedules(bench)? {
            sums.push(Summation::new(&other, way, grid)?.sum()?);
        }
    }
    device.take_counts();
    let total = summation.sum()?;
    sums.push(total);

    let pi = quarter_circle::pi(Precision::F64, total, grid.strips);
    let is_the_same = |sum: &f64| sum.to_bits() == total.to_bits();
    bench.put("pi", Some(pi));
    bench.put("repeats", Some(sums.iter().all(is_the_same)));
    if way.finish != Finish::Atomics {
        bench.same_bits(total.to_bits());
    }
    let partials = summation.partials()?;
    let expected = bench.kept::<Kept>().expected(way.mapping, grid);
    let differs = |partials: Vec<f64>| difference(&partials, expected);
    let is_wrong = |&sum: &f64| judge(way, grid, sum, expected);
    let wrong = partials.and_then(differs);
    let wrong = wrong.or_else(|| sums.iter().find_map(is_wrong));
    let is_far = || common::judge_pi(pi, "", 15, Precision::F64, grid.strips)?.err();
    bench.expect(wrong.or_else(is_far));
    if bench.is_timed() {
        let (begin, rule) = (Instant::now(), bench.rule());
        let gpu = timing::whole(&rule, device, &mut || summation.sum().map(drop))?;
        bench.put("gpu", gpu);
        let mut launch = || summation.launch();
        let mut contest = Contest::default();
        contest.ours("kernel", &mut launch);
        bench.time_all(&rule.after(begin.elapsed()), contest)?;
        bench.time_cold(&rule.after(begin.elapsed()), &mut launch)?;
    }
    Ok(())
}

/// Where the threads' sums differ in a bit from the oracle's, in one sentence.
fn difference(got: &[f64], want: &[f64]) -> Option<String> {
    let differs = |i: &usize| got[*i].to_bits() != want[*i].to_bits();
    let count = (0..want.len()).filter(differs).count();
    let first = (0..want.len()).find(differs)?;
    Some(format!(
        "{count} of {} threads' sums are not the host's, the first is number {first}: {:?}, not \
         {:?}",
        want.len(),
        got[first],
        want[first]
    ))
}

/// Why a total is not what the way has to give, in one sentence: the bits of its
/// order, or for atomics a sum within what any order can lose.
fn judge(way: Way, grid: Grid, sum: f64, partials: &[f64]) -> Option<String> {
    match oracle::total(way.finish, partials, grid.threads, SUM_THREADS) {
        Some(want) => (sum.to_bits() != want.to_bits())
            .then(|| format!("the sum is {sum:?}, in the same order on the host it is {want:?}")),
        None => {
            let (exact, bound) = oracle::any_order(partials);
            // Not `>`, which is false for what is not a number.
            let near = (sum - exact).abs() <= bound;
            (!near).then(|| {
                format!("the sum is {sum:?}, in every order it is {exact:?} to {bound:.1e}")
            })
        }
    }
}

#[cfg(test)]
#[path = "measure_tests.rs"]
mod tests;
