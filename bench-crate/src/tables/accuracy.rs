//! `accuracy`: pi from one loop over all strips, by precision and number of
//! strips. The page's first table: in f32 more strips make it worse.
//!
//! The table's `pi` is the host's loop, as published. Beside it stands the
//! device's: as many partial sums as a grid of up to 64 x 256 threads has. Each has
//! its error, the rule's own and the one that the sum's rounding predicts
//! ([`running_sum`]); what they say together is in the file `rounding`.

use std::f64::consts::PI;

use super::quarter_circle as common;
use super::rounding;
use crate::axes::{PRECISIONS as PRECISION_AXIS, STRIPS};
use crate::host::HostOracle;
use crate::measure::Bench;
use crate::oracle::{Precision, quarter_circle, running_sum};
use crate::record::{Cell, Record, Value};
use crate::table::column::{
    COLD, CONDITIONS, COUNTS, OUTCOME, Show, axis, derived, figure, fixed, ms, scientific,
};
use crate::table::figure::{Errors, Figure, Figures};
use crate::table::published::ACCURACY;
use crate::table::{Asked, Short, Shown, Table, TableAxis, values};
use crate::trapezoid::Grid;

/// The table.
pub(crate) const TABLE: Table = Table {
    name: "accuracy",
    about: "pi by precision and number of strips, one loop on the host; the device beside it",
    axes: &[
        TableAxis::filter(&PRECISION_AXIS)
            .known(|| PRECISIONS.iter().map(ToString::to_string).collect())
            .usual(|asked, _| {
                let published = &PRECISIONS[..2];
                let precisions = if asked.published {
                    published
                } else {
                    &PRECISIONS
                };
                values(precisions.iter().map(ToString::to_string))
            }),
        TableAxis::of(&STRIPS).usual(usual_strips),
    ],
    columns: &[
        &[
            axis("precision").published(),
            axis("strips").published(),
            fixed("pi", 12).published(),
            derived(
                "error",
                "`pi` minus its true value",
                Show::Scientific(2),
                |record| Some(record.number("pi")? - PI),
            ),
            scientific("rule_error", 2),
            scientific("predicted_error", 2),
            ms("host_ms", "host"),
            ms("host_best_ms", "host_best"),
            fixed("gpu_pi", 12),
            derived(
                "gpu_error",
                "`gpu_pi` minus the true value of pi",
                Show::Scientific(2),
                |record| Some(record.number("gpu_pi")? - PI),
            ),
            scientific("gpu_predicted_error", 2),
            ms("kernel_ms", "kernel"),
        ],
        &COLD,
        &CONDITIONS,
        &COUNTS,
        &OUTCOME,
        &[figure("published_pi", &ACCURACY, "pi")],
    ],
    is_usual: true,
    needs_device: false,
    is_for_device: |cell| grid(cell).is_some(),
    host: of_host,
    measure,
    check: |record| {
        let (precision, strips) = parts(&record.cell)?;
        let published = ACCURACY.figure(&record.cell, "pi");
        common::judge_pi(record.number("pi")?, published, 12, precision, strips)
    },
    patience: |cell, has_timer| common::patience(grid(cell).map(|of| of.1), has_timer, 1),
    weight: |cell, _| cell.number("strips").unwrap_or_default() as f64,
    notes: rounding::sentences,
    short: Short {
        shown: &[
            Shown::exact("pi", "pi"),
            Shown::exact("published_pi", "published"),
            Shown::exact("gpu_pi", "on the device"),
            Shown::exact("error", "error"),
        ],
        only: "published_pi",
        equal: &[("published_pi", &["pi"])],
        ..Short::EMPTY
    },
    figures: Figures::of(&[&[
        Figure::Errors(Errors {
            title: "Error of pi against strips: one loop on the host",
            caption: "One running sum over all strips, as the page has it.",
            pi: "pi",
            predicted: Some("predicted_error"),
        }),
        Figure::Errors(Errors {
            title: "Error of pi against strips: partial sums on the device",
            caption: "As many partial sums as the grid has threads, added up on the host.",
            pi: "gpu_pi",
            predicted: None,
        }),
    ]]),
    ..Table::EMPTY
};

/// The smallest size of the table, as an exponent of two.
const FIRST_EXPONENT: u32 = 16;

/// Precisions in the order of the rows; the page has the first two.
const PRECISIONS: [Precision; 6] = [
    Precision::F32,
    Precision::F64,
    Precision::F32Pure,
    Precision::F32Kahan,
    Precision::F32Pairwise,
    Precision::F32DoubleFloat,
];

/// The largest grid and block for the device's value.
const MOST_BLOCKS: u64 = 64;
const MOST_THREADS: u64 = 256;

/// The most strips that one thread is given: where the strips divide badly (a
/// prime number of them), the device's value is left out.
const MOST_STRIPS_A_THREAD: u64 = 1 << 20;

/// The most strips on the emulator, which runs some 10^7 warp instructions a
/// second: a few seconds a row.
const MOST_EMULATED_STRIPS: u64 = 1 << 26;

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 {
        a
    } else {
        greatest_common_divisor(b, a % b)
    }
}

fn parts(cell: &Cell) -> Option<(Precision, u64)> {
    let name = cell.text("precision")?;
    let mut all = PRECISIONS.into_iter();
    let precision = all.find(|precision| precision.to_string() == name)?;
    Some((precision, cell.number("strips")?))
}

/// Blocks and threads that divide the strips.
fn grid(cell: &Cell) -> Option<(Precision, Grid)> {
    let (precision, strips) = parts(cell)?;
    let threads = greatest_common_divisor(strips, MOST_THREADS);
    let blocks = greatest_common_divisor(strips / threads, MOST_BLOCKS);
    let grid = Grid {
        strips,
        blocks: blocks as u32,
        threads: threads as u32,
    };
    (strips / threads / blocks <= MOST_STRIPS_A_THREAD).then_some((precision, grid))
}

/// The numbers of strips of a precision where none are named; those of the page alone, where
/// that is asked for.
fn usual_strips(asked: &Asked, cell: &Cell) -> Vec<Value> {
    let powers = FIRST_EXPONENT..=asked.extent.exponent();
    let usual = powers.map(|power| 1_u64 << power);
    let is_published = |strips: &u64| {
        let cell = cell.clone().with("strips", *strips);
        !asked.published || ACCURACY.row(&cell).is_some()
    };
    values(usual.filter(is_published))
}

fn of_host(record: &mut Record, host: &mut HostOracle) {
    let Some((precision, strips)) = parts(&record.cell) else {
        return;
    };
    let (pi, timing) = host.plain(precision, strips);
    let predicted = running_sum::error_of_one_loop(precision, strips);
    let metrics = &mut record.metrics;
    metrics.put("pi", Some(pi));
    metrics.put("rule_error", Some(quarter_circle::rule_error(strips)));
    metrics.put("predicted_error", Some(predicted));
    metrics.put("host", timing);
    common::best_of_host(record, host, (precision, strips));
}

/// Why a device is not given so many strips, if it is not.
fn too_many(strips: u64, has_timer: bool) -> Option<String> {
    (!has_timer && strips > MOST_EMULATED_STRIPS).then(|| {
        format!(
            "{strips} strips would take the emulator minutes, it is given up to \
             {MOST_EMULATED_STRIPS}"
        )
    })
}

fn measure(cell: &Cell, bench: &mut Bench<'_>) -> quadscan::Result<()> {
    let (precision, grid) = cell.read(grid)?;
    let strips = grid.strips;
    if let Some(reason) = too_many(strips, bench.device().properties().has_timer) {
        bench.skip(reason);
        return Ok(());
    }
    let totals = common::measure(bench, precision, grid)?;
    let pi = quarter_circle::pi(precision, totals.ours, strips);
    let predicted = running_sum::error_of_partials(precision, strips, grid.partials());
    bench.put("gpu_pi", Some(pi));
    bench.put("gpu_predicted_error", Some(predicted));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Status;
    use crate::table::Extent;
    use crate::tables::testing::{asked, cells, emulated, measured};

    #[test]
    fn the_published_cells_come_in_the_published_order() {
        let asked = Asked {
            published: true,
            ..asked(&[])
        };
        let text = |cell: &Cell, axis| cell.get(axis).map(ToString::to_string);
        let cells: Vec<[Option<String>; 2]> = cells(&TABLE, &asked)
            .iter()
            .map(|cell| ["precision", "strips"].map(|axis| text(cell, axis)))
            .collect();
        let published: Vec<[Option<String>; 2]> = ACCURACY
            .rows()
            .map(|row| ["precision", "strips"].map(|axis| Some(row.text(axis).to_owned())))
            .collect();
        assert_eq!(cells, published);
    }

    #[test]
    fn the_sizes_end_where_the_extent_says() {
        for (extent, last) in [
            (Extent::Quick, 1 << 20),
            (Extent::Default, 1 << 24),
            (Extent::Full, 1 << 30),
        ] {
            let asked = Asked {
                extent,
                ..asked(&[])
            };
            let cells = cells(&TABLE, &asked);
            let strips = cells.iter().filter_map(|cell| cell.number("strips")).max();
            assert_eq!(strips, Some(last));
        }
    }

    fn cell(precision: Precision, strips: u64) -> Cell {
        let cell = Cell::default().with("precision", precision.to_string());
        cell.with("strips", strips)
    }

    #[test]
    fn the_device_gets_a_shape_that_divides_the_strips() {
        let shape = |strips: u64| {
            let found = grid(&cell(Precision::F32, strips));
            found.map(|(_, grid)| (grid.blocks, grid.threads))
        };
        assert_eq!(shape(1 << 24), Some((64, 256)));
        assert_eq!(shape(196608), Some((64, 256)));
        assert_eq!(shape(1000), Some((1, 8)));
        for strips in [1, 7, 1000, 196608, 65536, 999_983] {
            let (blocks, threads) = shape(strips).expect("a shape of the strips");
            assert_eq!(
                strips % (u64::from(blocks) * u64::from(threads)),
                0,
                "{strips}"
            );
        }
        assert_eq!(
            shape(2_147_483_647),
            None,
            "a prime number of strips is one thread's"
        );
    }

    #[test]
    fn sizes_that_take_the_emulator_minutes_are_skipped_there_alone() {
        let skipped = |exponent: u32, has_timer| too_many(1 << exponent, has_timer).is_some();
        assert!(skipped(27, false) && skipped(30, false));
        assert!(!skipped(26, false) && !skipped(30, true));
        let mut session = emulated();
        let skipped = measured(&mut session, &TABLE, &cell(Precision::F32Kahan, 1 << 27));
        let reason = "134217728 strips would take the emulator minutes, it is given up to 67108864";
        assert_eq!(
            (skipped.status, skipped.reason.as_deref()),
            (Status::Skipped, Some(reason))
        );
        let few = measured(&mut session, &TABLE, &cell(Precision::F32Kahan, 1 << 10));
        assert_eq!((few.status, few.reason), (Status::Ok, None));
        assert!(
            few.metrics
                .number("gpu_pi")
                .is_some_and(|pi| (pi - std::f64::consts::PI).abs() < 1e-4)
        );
    }
}
