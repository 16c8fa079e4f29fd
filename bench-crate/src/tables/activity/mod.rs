//! `activity`: how many threads and warps work in each step of two scans of one
//! block, what their loads cost, and how long the scans take. Counted by the kernels
//! on a GPU, seen of the kernels that run on the emulator, never derived.
//!
//! `naive` is the kernel `hillis_steele` (inclusive), `work_efficient` is
//! `blelloch` (exclusive), `work_efficient_padded` the same with gaps in shared
//! memory, and `*_scattered` each with its work spread over all warps. Active is a thread
//! that executes the step's combine: the add and its store. A row is a step; one
//! without a step is a scan beside a second kernel (`concurrent`). How steps are counted is in
//! `steps`, how scans are timed in `times`, the lines under the table are in `summary`.

mod concurrent;
mod steps;
mod summary;
mod times;

use crate::axes::{CONCURRENT, ELEMENTS, PADDED, SCANS, SCATTERED, STEPS};
use crate::block_scan::Algorithm;
use crate::error::Result;
use crate::measure::Bench;
use crate::oracle::block_scan::{self as scan, Placing};
use crate::record::{Cell, Record};
use crate::table::column::{CONDITIONS, OUTCOME, axis, count, figure, ms, of, optional};
use crate::table::figure::{Bars, Figure, Figures, NamedValue, Time};
use crate::table::published::ACTIVITY;
use crate::table::{Asked, Judged, Short, Shown, Table, TableAxis};

/// The table.
pub(crate) const TABLE: Table = Table {
    name: "activity",
    about: "threads and warps that work in each step of two scans, and the scans' time",
    axes: &[
        TableAxis::filter(&SCANS).known(Algorithm::names),
        TableAxis::filter(&STEPS),
        TableAxis::of(&ELEMENTS),
    ],
    // `--cold` has no effect on scans of one block.
    columns: &[
        &[
            axis("algorithm").published(),
            axis("step").published(),
            count("active_threads").published(),
            count("active_warps").published(),
            of("elements", "axis `n`", |record| {
                optional(record.cell.get("n"))
            }),
            count("adds"),
            count("wavefronts"),
            count("ideal_wavefronts"),
            count("barriers").detail(),
            ms("kernel_ms", "kernel"),
            count("batch_blocks").detail(),
            ms("batch_ms", "batch"),
            ms("kernel_beside_ms", "kernel_beside").detail(),
            count("companion_blocks").detail(),
            count("companion_threads").detail(),
            ms("companion_ms", "companion").detail(),
            ms("companion_beside_ms", "companion_beside").detail(),
        ],
        &CONDITIONS,
        &OUTCOME,
        &[
            figure("published_active_threads", &ACTIVITY, "active_threads"),
            figure("published_active_warps", &ACTIVITY, "active_warps"),
        ],
    ],
    is_usual: true,
    cells: Some(cells),
    measure,
    check,
    summary: summary::lines,
    short: Short {
        across: "algorithm",
        shown: &[
            Shown::exact("active_threads", "threads"),
            Shown::exact("active_warps", "warps"),
        ],
        equal: &[
            ("published_active_threads", &["active_threads"]),
            ("published_active_warps", &["active_warps"]),
        ],
        ..Short::EMPTY
    },
    figures: Figures {
        by: &["n"],
        ..Figures::of(&[&[Figure::Steps(PUBLISHED_ELEMENTS)], &[Figure::Bars(TIMES)]])
    },
    ..Table::EMPTY
};

/// Elements of the published table.
const PUBLISHED_ELEMENTS: u64 = 1024;

/// The times of the scans, alone and beside a second kernel.
const TIMES: Bars = Bars {
    file: "",
    title: |row| format!("Times of scans of {} elements", optional(row.cell.get("n"))),
    unit: |_| "ms",
    values: &[
        |row| time(row, "alone", "kernel"),
        |row| time(row, "beside", "kernel_beside"),
        |row| time(row, "companion", "companion"),
        |row| time(row, "companion, beside", "companion_beside"),
    ],
    caption: "Alone: the scan by itself. Beside: while a second kernel, its companion, runs. The \
              companion's times are told the same way.",
};

fn time(row: &Record, part: &str, metric: &'static str) -> Vec<NamedValue> {
    let algorithm = row.cell.text("algorithm").unwrap_or_default();
    let name = format!("{}: {part}", algorithm.replace('_', "-"));
    let ms = Time::of(metric).ms(row).into_iter();
    ms.map(|ms| (name.clone(), String::new(), ms)).collect()
}

/// The published algorithms, in the order of the rows.
const PUBLISHED: [Algorithm; 2] = [Algorithm::Naive, Algorithm::WorkEfficient];

/// What each step has to be, by the walk on the host.
fn expected(algorithm: Algorithm, n: u32) -> Vec<scan::StepActivity> {
    let input = vec![1; n as usize];
    let placing = match (algorithm.is_scattered(), algorithm.is_padded()) {
        (false, _) => Placing::Packed,
        (true, false) => Placing::Scattered,
        (true, true) => Placing::Dealt,
    };
    if algorithm.is_inclusive() {
        scan::hillis_steele(&input, placing).1
    } else {
        scan::blelloch(&input, placing).1
    }
}

/// The launch that a row is of.
fn launch(cell: &Cell) -> Option<(Algorithm, u32)> {
    let algorithm = Algorithm::by_name(cell.text("algorithm")?)?;
    Some((algorithm, cell.small("n")?))
}

/// Steps of the scan that a row is of.
pub(crate) fn step_count(cell: &Cell) -> Option<usize> {
    let (algorithm, n) = launch(cell)?;
    Some(expected(algorithm, n).len())
}

/// What the row of a step has to be.
fn expected_step(cell: &Cell) -> Option<scan::StepActivity> {
    let (algorithm, n) = launch(cell)?;
    let index = (cell.number("step")? as usize).checked_sub(1)?;
    expected(algorithm, n).get(index).copied()
}

/// The algorithms that are asked for, in the order of the rows.
fn algorithms(asked: &Asked) -> impl Iterator<Item = Algorithm> + use<> {
    let (padded, scattered) = (asked.is_set(&PADDED), asked.is_set(&SCATTERED));
    let (published, is_named) = (asked.published, asked.has(&SCANS));
    let all = Algorithm::ALL.iter().copied();
    all.filter(move |algorithm| {
        PUBLISHED.contains(algorithm)
            || (!published
                && (is_named
                    || ((padded || !algorithm.is_padded())
                        && (scattered || !algorithm.is_scattered()))))
    })
}

fn cells(table: &Table, asked: &Asked) -> Result<Vec<Cell>> {
    let sizes = table.numbers(asked, &ELEMENTS)?;
    let sizes = sizes.unwrap_or_else(|| vec![PUBLISHED_ELEMENTS]);
    let concurrent = asked.is_set(&CONCURRENT) && !asked.published;
    let rows = |algorithm: Algorithm, n: u64| {
        let of = move |step: Option<u32>| {
            let cell = Cell::default().with("algorithm", algorithm.name());
            let cell = match step {
                Some(step) => cell.with("step", step),
                None => cell,
            };
            cell.with("n", n)
        };
        let steps = (1..=expected(algorithm, n as u32).len() as u32).map(Some);
        steps.chain(concurrent.then_some(None)).map(of)
    };
    let of_size = |n: u64| algorithms(asked).flat_map(move |algorithm| rows(algorithm, n));
    Ok(sizes.into_iter().flat_map(of_size).collect())
}

fn measure(cell: &Cell, bench: &mut Bench<'_>) -> quadscan::Result<()> {
    let (algorithm, n) = cell.read(launch)?;
    let Some(step) = cell.small("step") else {
        return concurrent::measure(bench, algorithm, n);
    };
    steps::measure(bench, algorithm, n, step)?;
    times::measure(bench, algorithm, n)?;
    let want = cell.read(expected_step)?;
    let metrics = &bench.found().metrics;
    let got = ["active_threads", "active_warps", "adds"].map(|name| metrics.count(name));
    let right = [want.active_threads, want.active_warps, want.adds];
    let is_right = got == right.map(|count| Some(count.into()));
    bench.expect((!is_right).then(|| {
        let [threads, warps, adds] = got.map(optional);
        format!(
            "{threads} threads and {warps} warps combine, with {adds} adds; the algorithm has {}, \
             {} and {}",
            want.active_threads, want.active_warps, want.adds
        )
    }));
    Ok(())
}

fn check(record: &Record) -> Judged {
    let row = ACTIVITY.row(&record.cell)?;
    let want = expected_step(&record.cell)?;
    let got = format!("{} {}", want.active_threads, want.active_warps);
    let published = ["active_threads", "active_warps"].map(|column| row.text(column));
    let published = published.join(" ");
    Some(if got == published {
        Ok(())
    } else {
        Err(format!(
            "the algorithm has {got} active threads and warps, published are {published}"
        ))
    })
}
