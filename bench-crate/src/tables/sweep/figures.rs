//! What the report draws of a sweep: the published times and ours, the times by blocks and threads
//! and over their product, and what a launch does where the device counts.

use super::common;
use crate::record::Record;
use crate::table::figure::{BY_SHAPE, Best, Figure, Figures, HeatMap, KERNEL, Lines, SPAN, Values};
use crate::table::published::{Published, SWEEP_F32, SWEEP_F64};

/// Of `sweep-f64`.
pub(super) const F64: Figures = figures(&SWEEP_F64, F64_CLAIMS);

/// Of `sweep-f32`.
pub(super) const F32: Figures = figures(&SWEEP_F32, F32_CLAIMS);

/// Times by blocks and threads, over their product, and the best of device and host.
const FIGURES: &[&[Figure]] = &[
    &[Figure::HeatMap(HeatMap {
        name: KERNEL.name,
        value: |row| KERNEL.ms(row),
        ..BY_SHAPE
    })],
    &[Figure::Curve(KERNEL), Figure::Curve(SPAN)],
    &[Figure::HeatMap(HeatMap {
        name: SPAN.name,
        note: SPAN.note,
        value: |row| SPAN.ms(row),
        is_published: true,
        ..BY_SHAPE
    })],
    &[Figure::HeatMap(HeatMap {
        name: "warp instructions of a launch",
        unit: "instructions",
        lighter: "fewer",
        value: |row| Some(row.counts.as_ref()?.warp_instructions as f64),
        ..BY_SHAPE
    })],
    &[Figure::Best(&[
        Best::of("host, the page's loop", "host"),
        Best::of("host, the best it can do", "host_best"),
        Best::of("device, best span", "gpu").by_shape(),
        Best::of("device, best kernel", "kernel").by_shape(),
        Best::of("device, nvcc's best kernel", "nvcc_kernel").by_shape(),
        Best::of("device, nvcc's best, our form", "nvcc_dyadic_kernel").by_shape(),
    ])],
];

/// The span then and now, and the kernel.
const F64_CLAIMS: &[Figure] = &[Figure::Lines(Lines {
    file: "sweep-f64",
    title: "The published sweep in f64, then and now",
    values: |row| then_and_now(&SWEEP_F64, row),
    ..THEN_AND_NOW
})];

const F32_CLAIMS: &[Figure] = &[Figure::Lines(Lines {
    file: "sweep-f32",
    title: "The published sweep in f32, then and now",
    values: |row| then_and_now(&SWEEP_F32, row),
    ..THEN_AND_NOW
})];

/// The least time for each product of blocks and threads.
const THEN_AND_NOW: Lines = Lines {
    file: "",
    title: "",
    caption: "The least time for each number of threads in all, lower is better; both axes are \
              logarithmic. The span is the copy in, the kernel and the copy out.",
    x: |row| Some(common::grid(&row.cell)?.partials() as f64),
    across: "blocks × threads",
    is_decimal: false,
    up: "ms",
    is_logarithmic: true,
    panel: |_| String::new(),
    values: |_| Vec::new(),
    better: f64::min,
    alone: &[],
};

/// The times of a row beside the published one of its cell; nothing where none was published.
fn then_and_now(published: &Published, row: &Record) -> Values {
    let Published { device, gpu, .. } = published;
    let then = published.row(&row.cell);
    let then = then.and_then(|then| published.median([then].into_iter(), gpu));
    let (Some(then), Some(now)) = (then, SPAN.ms(row)) else {
        return Vec::new();
    };
    let kernel = KERNEL.ms(row).map(|ms| ("now: kernel".to_owned(), ms));
    let spans = [
        ("now: span".to_owned(), now),
        (format!("then: span, {device}"), then),
    ];
    spans.into_iter().chain(kernel).collect()
}

/// Figures of both, and those that the report begins with.
const fn figures(published: &'static Published, claims: &'static [Figure]) -> Figures {
    Figures {
        by: &["strips"],
        published: Some(published),
        claims,
        rows: FIGURES,
    }
}
