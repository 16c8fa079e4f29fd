//! What the report draws of single integrals: their rate beside the peers', and what a launch does
//! where the device counts.

use crate::table::figure::{Figure, Figures, Lines};

/// The rate, and the instructions.
pub(super) const FIGURES: Figures = Figures {
    claims: &[Figure::Lines(RATE)],
    ..Figures::of(&[&[Figure::Lines(INSTRUCTIONS)]])
};

/// The rate of one integral beside the peers'.
const RATE: Lines = Lines {
    file: "integral",
    title: "The rate of one integral beside CUDA C++",
    caption: "Higher is better. An evaluation is one call of the integrand; short integrals are \
              bound by their launch.",
    x: |row| Some(row.cell.number("strips")? as f64),
    across: "strips",
    is_decimal: false,
    up: "10⁹ evaluations/s",
    is_logarithmic: false,
    panel: |row| {
        let part = |axis| row.cell.text(axis).unwrap_or_default();
        format!("{}, {}", part("integrand").replace('_', " "), part("rule"))
    },
    values: |row| {
        let element = row.cell.text("type").unwrap_or_default();
        let each = row.metrics.count("evaluations");
        let rate = |ms| Some(1e-6 * row.cell.number("strips")? as f64 * each? as f64 / ms);
        let ours = ("quadscan".to_owned(), row.ms("kernel"));
        let theirs = row.metrics.peers();
        let theirs = theirs.map(|(peer, timing)| (peer.name.clone(), Some(timing.median_ms)));
        let named =
            |(name, ms): (String, Option<f64>)| Some((format!("{name}, {element}"), rate(ms?)?));
        [ours].into_iter().chain(theirs).filter_map(named).collect()
    },
    better: f64::max,
    alone: &[],
};

/// What an integral costs, where the device counts.
const INSTRUCTIONS: Lines = Lines {
    title: "Warp instructions a strip",
    caption: "Of one launch, lower is better.",
    up: "warp instructions a strip",
    values: |row| {
        let element = row.cell.text("type").unwrap_or_default();
        let strips = row.cell.number("strips");
        let counts = row.counts.as_ref().zip(strips);
        let each = counts.map(|(counts, strips)| counts.warp_instructions as f64 / strips as f64);
        each.map(|each| (element.to_owned(), each))
            .into_iter()
            .collect()
    },
    file: "",
    ..RATE
};
