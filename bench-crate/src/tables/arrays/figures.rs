//! What the report draws of scans, reductions and selections: rates over sizes beside a copy and CUB, and what
//! a launch does where the device counts.

use crate::record::Record;
use crate::table::figure::{Figure, Figures, Lines, Values};
use crate::table::peers::{rate, ratio};

use super::is_default;

/// The claims of a family, by its name, what it does and the same where a sentence begins.
macro_rules! claims {
    ($name:literal, $of:literal, $begin:literal, $only:expr) => {
        Figures {
            claims: &[
                of(
                    THROUGHPUT,
                    concat!($name, "-throughput"),
                    concat!("Throughput of ", $of),
                    $only,
                ),
                of(
                    RATIO,
                    concat!($name, "-ratio"),
                    concat!($begin, ": the time of others in units of ours"),
                    $only,
                ),
            ],
            ..Figures::of(COUNTED)
        }
    };
}

/// Of scans.
pub(super) const SCAN: Figures = claims!("scan", "scans", "Scans", ALONE);

/// Of reductions.
pub(super) const REDUCE: Figures = claims!("reduce", "reductions", "Reductions", &[]);

/// Of selections.
pub(super) const SELECT: Figures = claims!("select", "selections", "Selections", &[]);

type Panels = &'static [&'static str];

/// The panels of scans that stand alone.
const ALONE: Panels = &[
    "inclusive sum, u8",
    "inclusive sum, i32",
    "inclusive sum, f32",
    "inclusive sum, f64",
];

/// The same figure of one table.
const fn of(like: Lines, file: &'static str, title: &'static str, alone: Panels) -> Figure {
    Figure::Lines(Lines {
        file,
        title,
        alone,
        ..like
    })
}

const THROUGHPUT: Lines = Lines {
    file: "",
    title: "",
    caption: "Bytes read and written in a second, higher is better; a panel for each type. A scan \
              or a reduction that is as fast as the copy has reached the rate of the memory.",
    x: |row| Some(row.cell.number("n")? as f64),
    across: "elements",
    is_decimal: false,
    up: "GB/s",
    is_logarithmic: false,
    panel: |row| {
        let part = |axis| row.cell.text(axis).unwrap_or_default().replace('_', " ");
        format!("{}, {}", part("operation"), part("type"))
    },
    values: throughput,
    better: f64::max,
    alone: &[],
};

const RATIO: Lines = Lines {
    caption: "Ours is 1 everywhere; the further above it another is, the longer it takes.",
    up: "time in units of ours",
    values: |row| {
        let peers = row.metrics.peers();
        let theirs =
            peers.filter_map(|(peer, timing)| Some((peer.name.clone(), ratio(row, Some(timing))?)));
        let theirs: Values = theirs.collect();
        let ours = (!theirs.is_empty()).then(|| (ours(row), 1.0));
        ours.into_iter().chain(theirs).collect()
    },
    ..THROUGHPUT
};

const COUNTED: &[&[Figure]] = &[&[Figure::Lines(Lines {
    title: "Warp instructions an element",
    caption: "Of one launch, lower is better.",
    up: "warp instructions an element",
    values: |row| {
        let counts = row.counts.as_ref().zip(row.cell.number("n"));
        let each = counts.map(|(counts, n)| counts.warp_instructions as f64 / n as f64);
        each.map(|each| (ours(row), each)).into_iter().collect()
    },
    ..THROUGHPUT
})]];

/// Our series: an algorithm that was asked for has its own.
fn ours(row: &Record) -> String {
    let algorithm = row
        .cell
        .text("algorithm")
        .filter(|_| !is_default(&row.cell));
    algorithm.unwrap_or("quadscan").replace('_', " ")
}

/// The rates of a row: ours, the peers' and the copy's.
fn throughput(row: &Record) -> Values {
    let mut rates = vec![(ours(row), rate(row, "bytes", "kernel"))];
    let bytes = row.metrics.count("bytes");
    rates.extend(row.metrics.peers().map(|(peer, timing)| {
        let rate = bytes.map(|bytes| bytes as f64 / timing.median_ms * 1e-6);
        (peer.name.clone(), rate)
    }));
    rates.push(("copy".to_owned(), rate(row, "copy_bytes", "copy")));
    rates
        .into_iter()
        .filter_map(|(series, rate)| Some((series, rate?)))
        .collect()
}
