//! `sweep-f64` and `sweep-f32`: the page's kernel over grids and blocks, with its
//! time, its pi, and the host's time beside it.
//!
//! Each thread sums a contiguous sub-range, so blocks * threads has to divide the
//! strips; the page's integer division drops what is left over, and this program
//! refuses such sizes. In `sweep-f32` the column `pi` is computed by the page's
//! formula, whose last correction is off by 2^-7 (see
//! [`quarter_circle::pi_as_published_f32`]), and `pi_corrected` without the slip.

mod compared;
mod figures;
mod words;

use std::collections::BTreeSet;

use super::quarter_circle as common;
use crate::axes::{BLOCKS, STRIPS as STRIPS_AXIS, THREADS};
use crate::error::Result;
use crate::host::HostOracle;
use crate::measure::Bench;
use crate::number;
use crate::oracle::{Precision, quarter_circle};
use crate::record::{Cell, Record, Status, Value};
use crate::table::column::{
    COLD, CONDITIONS, COUNTS, Column, MORE, OUTCOME, Show, axis, derived, figure, fixed, ms, noise,
    sample,
};
use crate::table::figure::SPAN;
use crate::table::published::{self, Published, STRIPS};
use crate::table::{Asked, Extent, Judged, Short, Shown, Source, Table, TableAxis, values};

/// One of the two sweeps.
struct Sweep {
    precision: Precision,
    published: &'static Published,
    /// Decimals of the page's pi.
    decimals: usize,
    /// The page's clock around copy, kernel and copy: one, or five times.
    gpu: &'static [&'static str],
    /// The page's clock around its loop on the host.
    host: &'static [&'static str],
}

static F64_OF_THE_PAGE: Sweep = Sweep {
    precision: Precision::F64,
    published: &published::SWEEP_F64,
    decimals: 12,
    gpu: &["gpu_ms"],
    host: &["host_ms"],
};

static F32_OF_THE_PAGE: Sweep = Sweep {
    precision: Precision::F32,
    published: &published::SWEEP_F32,
    decimals: 6,
    gpu: &["gpu_ms_1", "gpu_ms_2", "gpu_ms_3", "gpu_ms_4", "gpu_ms_5"],
    host: &["cpu_ms_1", "cpu_ms_2", "cpu_ms_3", "cpu_ms_4", "cpu_ms_5"],
};

/// The sweep of a table.
fn of_table(name: &str) -> &'static Sweep {
    match name {
        "sweep-f64" => &F64_OF_THE_PAGE,
        _ => &F32_OF_THE_PAGE,
    }
}

/// The page's strips, and fewer for those in a hurry.
const STRIPS_OF_SWEEPS: TableAxis =
    TableAxis::of(&STRIPS_AXIS).usual(|asked, _| match asked.extent {
        Extent::Quick => values([1_u64 << 20]),
        Extent::Default | Extent::Full => values([STRIPS]),
    });

/// `sweep-f64`.
pub(crate) const F64: Table = Table {
    name: "sweep-f64",
    about: "time and pi of the f64 kernel by blocks and threads",
    columns: &[
        &[
            axis("blocks").published(),
            axis("threads").published(),
            ms("gpu_ms", "gpu").published(),
            ms("host_ms", "host").published(),
            ms("host_best_ms", "host_best"),
            axis("strips"),
            ms("kernel_ms", "kernel"),
            noise("kernel_noise_percent", "kernel").detail(),
            INVERSE_TIME_PER_THREAD.detail(),
            ms("nvcc_kernel_ms", "nvcc_kernel"),
            ms("nvcc_dyadic_kernel_ms", "nvcc_dyadic_kernel"),
            fixed("pi", 12),
            fixed("host_pi", 12),
            fixed("nvcc_pi", 12).detail(),
        ],
        &COLD,
        &CONDITIONS,
        &COUNTS,
        &OUTCOME,
        &[
            figure("published_gpu_ms", &published::SWEEP_F64, "gpu_ms"),
            figure("published_host_ms", &published::SWEEP_F64, "host_ms"),
            MORE,
        ],
    ],
    more_columns: |records| compared::columns(&F64_OF_THE_PAGE, "sweep-f64", records),
    axes: &[
        STRIPS_OF_SWEEPS,
        TableAxis::of(&BLOCKS).usual(|_, _| blocks(&F64_OF_THE_PAGE)),
        TableAxis::of(&THREADS).usual(|asked, cell| threads(&F64_OF_THE_PAGE, asked, cell)),
    ],
    figures: figures::F64,
    ..EMPTY
};

/// `sweep-f32`.
pub(crate) const F32: Table = Table {
    name: "sweep-f32",
    about: "time and pi of the f32 kernel by blocks and threads, five times each",
    columns: &[
        &[
            axis("blocks").published(),
            axis("threads").published(),
            sample("gpu_ms_1", "gpu", 0).published().detail(),
            sample("cpu_ms_1", "host", 0).published().detail(),
            sample("gpu_ms_2", "gpu", 1).published().detail(),
            sample("cpu_ms_2", "host", 1).published().detail(),
            sample("gpu_ms_3", "gpu", 2).published().detail(),
            sample("cpu_ms_3", "host", 2).published().detail(),
            sample("gpu_ms_4", "gpu", 3).published().detail(),
            sample("cpu_ms_4", "host", 3).published().detail(),
            sample("gpu_ms_5", "gpu", 4).published().detail(),
            sample("cpu_ms_5", "host", 4).published().detail(),
            fixed("pi", 6).published(),
            INVERSE_TIME_PER_THREAD.published().detail(),
            fixed("pi_corrected", 6),
            axis("strips"),
            ms("gpu_ms", "gpu"),
            ms("kernel_ms", "kernel"),
            noise("kernel_noise_percent", "kernel").detail(),
            ms("nvcc_kernel_ms", "nvcc_kernel"),
            ms("nvcc_dyadic_kernel_ms", "nvcc_dyadic_kernel"),
            ms("host_ms", "host"),
            ms("host_best_ms", "host_best"),
            fixed("host_pi", 6),
            fixed("host_pi_corrected", 6),
            fixed("nvcc_pi", 6).detail(),
        ],
        &COLD,
        &CONDITIONS,
        &COUNTS,
        &OUTCOME,
        &[
            of_f32("published_gpu_ms_1", "gpu_ms_1").detail(),
            of_f32("published_cpu_ms_1", "cpu_ms_1").detail(),
            of_f32("published_gpu_ms_2", "gpu_ms_2").detail(),
            of_f32("published_cpu_ms_2", "cpu_ms_2").detail(),
            of_f32("published_gpu_ms_3", "gpu_ms_3").detail(),
            of_f32("published_cpu_ms_3", "cpu_ms_3").detail(),
            of_f32("published_gpu_ms_4", "gpu_ms_4").detail(),
            of_f32("published_cpu_ms_4", "cpu_ms_4").detail(),
            of_f32("published_gpu_ms_5", "gpu_ms_5").detail(),
            of_f32("published_cpu_ms_5", "cpu_ms_5").detail(),
            of_f32("published_pi", "pi"),
            of_f32(
                "published_inverse_time_per_thread",
                "inverse_time_per_thread",
            )
            .detail(),
            MORE,
        ],
    ],
    more_columns: |records| compared::columns(&F32_OF_THE_PAGE, "sweep-f32", records),
    axes: &[
        STRIPS_OF_SWEEPS,
        TableAxis::of(&BLOCKS).usual(|_, _| blocks(&F32_OF_THE_PAGE)),
        TableAxis::of(&THREADS).usual(|asked, cell| threads(&F32_OF_THE_PAGE, asked, cell)),
    ],
    short: Short {
        shown: &[SPAN_MS, COUNTED, PUBLISHED_MS, Shown::exact("pi", "pi")],
        equal: &[("published_pi", &["pi", "host_pi"])],
        ..SHORT
    },
    figures: figures::F32,
    ..EMPTY
};

/// What both have in common.
const EMPTY: Table = Table {
    fits,
    is_usual: true,
    peers: &[Source::Kernel {
        file: "quarter_circle.cu",
        axis: "strips",
    }],
    host: of_host,
    measure,
    check,
    matrices: words::matrices,
    notes: words::notes,
    patience: |cell, has_timer| common::patience(common::grid(cell), has_timer, 1),
    weight: common::weight,
    summary,
    short: SHORT,
    ..Table::EMPTY
};

/// The page's matrix, with its time below ours.
const SHORT: Short = Short {
    across: "threads",
    shown: &[SPAN_MS, COUNTED, PUBLISHED_MS],
    is_stacked: true,
    best: Some(SPAN),
    rivals: &[
        ("nvcc", "nvcc_kernel"),
        ("in our form", "nvcc_dyadic_kernel"),
    ],
    ..Short::EMPTY
};

const SPAN_MS: Shown = Shown::rounded("gpu_ms", "ms");
const COUNTED: Shown =
    Shown::rounded("warp_instructions", "warp instructions").instead_of("gpu_ms");
const PUBLISHED_MS: Shown = Shown::rounded("published_gpu_ms", "published ms");

const fn of_f32(name: &'static str, column: &'static str) -> Column {
    figure(name, &published::SWEEP_F32, column)
}

/// The page's last column.
const INVERSE_TIME_PER_THREAD: Column = derived(
    "inverse_time_per_thread",
    "1000 / (`gpu` in ms * blocks * threads)",
    Show::Significant,
    |record| {
        let partials = common::grid(&record.cell)?.partials() as f64;
        let ms = record.ms("gpu").filter(|&ms| ms > 0.0)?;
        Some(1000.0 / (ms * partials))
    },
);

/// The page's shapes: blocks and threads, in its order.
fn shapes(sweep: &Sweep) -> impl Iterator<Item = (u64, u64)> {
    let rows = sweep.published.rows();
    rows.filter_map(|row| Some((row.number("blocks")?, row.number("threads")?)))
}

/// Numbers in order of size, each once.
fn distinct(numbers: impl Iterator<Item = u64>) -> Vec<Value> {
    values(numbers.collect::<BTreeSet<u64>>())
}

fn blocks(sweep: &Sweep) -> Vec<Value> {
    distinct(shapes(sweep).map(|(blocks, _)| blocks))
}

/// Where blocks are named all that the page has, else those that it has of the blocks.
fn threads(sweep: &Sweep, asked: &Asked, cell: &Cell) -> Vec<Value> {
    let has_place =
        |shape: &(u64, u64)| asked.has(&BLOCKS) || cell.number("blocks") == Some(shape.0);
    distinct(shapes(sweep).filter(has_place).map(|(_, threads)| threads))
}

/// Err when the page's division would drop strips.
fn fits(table: &Table, cell: &Cell) -> Result<()> {
    let partials = common::grid(cell).map_or(1, |grid| grid.partials());
    let dropped = cell.number("strips").unwrap_or_default() % partials.max(1);
    let why = format!(
        "{} refuses such a size because the page's integer division would drop {dropped} strips",
        table.name
    );
    common::fits(cell, &why)
}

/// The table's `pi` and the right one, from the total of the partial sums.
fn pi(sweep: &Sweep, total: f64, strips: u64) -> (f64, f64) {
    let corrected = quarter_circle::pi(sweep.precision, total, strips);
    let published = match sweep.precision {
        Precision::F64 => corrected,
        _ => quarter_circle::pi_as_published_f32(total, strips),
    };
    (published, corrected)
}

/// The right pi, where the table's is another.
fn corrected(sweep: &Sweep, corrected: f64) -> Option<f64> {
    Some(corrected).filter(|_| sweep.precision != Precision::F64)
}

fn of_host(record: &mut Record, host: &mut HostOracle) {
    let sweep = of_table(&record.table);
    let Some(grid) = common::grid(&record.cell) else {
        return;
    };
    let (precision, strips) = (sweep.precision, grid.strips);
    let time = host.range_loop_time(precision, strips);
    record.metrics.put("host", time);
    common::best_of_host(record, host, (precision, strips));
    let total = host.total(precision, strips, grid.partials());
    let (pi, right) = pi(sweep, total, strips);
    record.metrics.put("host_pi", Some(pi));
    record
        .metrics
        .put("host_pi_corrected", corrected(sweep, right));
}

fn measure(cell: &Cell, bench: &mut Bench<'_>) -> quadscan::Result<()> {
    let sweep = of_table(&bench.found().table);
    let grid = cell.read(common::grid)?;
    let totals = common::measure(bench, sweep.precision, grid)?;
    let (value, right) = pi(sweep, totals.ours, grid.strips);
    bench.put("pi", Some(value));
    bench.put("pi_corrected", corrected(sweep, right));
    let nvcc = totals.nvcc.map(|total| pi(sweep, total, grid.strips).0);
    bench.put("nvcc_pi", nvcc);
    Ok(())
}

fn check(record: &Record) -> Judged {
    let sweep = of_table(&record.table);
    let pi = record.number("host_pi")?;
    let strips = record.cell.number("strips")?;
    let published = sweep.published.figure(&record.cell, "pi");
    common::judge_pi(pi, published, sweep.decimals, sweep.precision, strips)
}

/// The best kernel, beside nvcc's.
fn summary(records: &[Record]) -> Vec<String> {
    let best = |metric: &str| {
        let right = records.iter().filter(|record| record.status == Status::Ok);
        let timed = right.filter_map(|record| Some((record.ms(metric)?, record)));
        timed.min_by(|a, b| a.0.total_cmp(&b.0))
    };
    let place = |record: &Record| {
        let shape = common::grid(&record.cell);
        shape.map_or(String::new(), |grid| {
            format!("{}x{}", grid.blocks, grid.threads)
        })
    };
    let Some((ours, at)) = best("kernel") else {
        return Vec::new();
    };
    let mut line = format!(
        "{}: best kernel {} ms at {}",
        at.table,
        number::milliseconds(ours),
        place(at)
    );
    for (what, metric) in [
        ("nvcc's best", "nvcc_kernel"),
        ("nvcc's with our algorithm", "nvcc_dyadic_kernel"),
    ] {
        if let Some((theirs, at)) = best(metric) {
            line.push_str(&format!(
                ", {what} {} ms at {}, ratio {:.3}",
                number::milliseconds(theirs),
                place(at),
                ours / theirs
            ));
        }
    }
    vec![line]
}
