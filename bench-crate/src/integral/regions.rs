//! `--regions`: how the box of an integral of two variables was divided, drawn as SVG.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::integrand::Integrand;
use super::method::Method;
use super::number::{Number, text};
use super::refused;
use crate::cli::IntegrateArguments;
use crate::error::Result;
use quadscan::integrate::CubedRegion;
use quadscan_kernels::cubature::region::{MAX_NODES, MIN_NODES};

const ARGUMENT: &str = "--regions";

/// The width and the height of the box, in pixels,
const SIDE: f64 = 480.0;
/// and of what is around it.
const MARGIN: f64 = 60.0;

/// The file that is asked for. Err where there is nothing to be drawn.
pub(super) fn file<R: Number>(
    arguments: &IntegrateArguments,
    of: &Integrand<R>,
    method: &Method<R>,
) -> Result<Option<PathBuf>> {
    let Some(path) = &arguments.regions else {
        return Ok(None);
    };
    let limits = of.over.as_ref().map_or(&[][..], |over| &over.limits[..]);
    let is_finite = |&(from, to): &(f64, f64)| from.is_finite() && to.is_finite() && from != to;
    let problem = if !matches!(method, Method::Cubature(_))
        || arguments.batch.is_some()
        || of.outputs > 1
    {
        "has no place here, allowed is it with one integral of one output by cubature".to_owned()
    } else if limits.len() != 2 || !limits.iter().all(is_finite) {
        "has no place here, allowed is it over boxes of two variables, whose limits are finite and apart"
            .to_owned()
    } else if path.extension().is_none_or(|form| form != "svg") {
        format!(
            "{} is none of its files, allowed is FILE.svg",
            path.display()
        )
    } else {
        return Ok(Some(path.clone()));
    };
    Err(refused(ARGUMENT, problem))
}

/// Writes the figure. Err where the file cannot be written.
pub(super) fn write<R: Number>(
    path: &Path,
    of: &Integrand<R>,
    regions: &[CubedRegion],
) -> Result<()> {
    let written = std::fs::write(path, figure(of, regions));
    written.map_err(|error| {
        refused(
            ARGUMENT,
            format!("{} is not written: {error}", path.display()),
        )
    })
}

/// A figure of the regions of an integrand of two variables: the more nodes, the darker.
fn figure<R: Number>(of: &Integrand<R>, regions: &[CubedRegion]) -> String {
    let ends = |k: usize| {
        let low = regions
            .iter()
            .map(|of| of.limits[k].0)
            .fold(f64::INFINITY, f64::min);
        let high = regions
            .iter()
            .map(|of| of.limits[k].1)
            .fold(f64::NEG_INFINITY, f64::max);
        (low, high)
    };
    let ((left, right), (low, high)) = (ends(0), ends(1));
    let place = |x: f64, y: f64| {
        (
            MARGIN + SIDE * (x - left) / (right - left),
            MARGIN + SIDE * (high - y) / (high - low),
        )
    };
    let whole = SIDE + 2.0 * MARGIN;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{whole}\" height=\"{whole}\" \
         viewBox=\"0 0 {whole} {whole}\" font-family=\"sans-serif\" font-size=\"14\">\n\
         <rect width=\"{whole}\" height=\"{whole}\" fill=\"white\"/>\n"
    );
    for region in regions {
        let [(from, to), (below, above)] = [region.limits[0], region.limits[1]];
        let ((x, y), (end, bottom)) = (place(from, above), place(to, below));
        let points = (region.nodes[0] * region.nodes[1]) as f64;
        let (fewest, most) = (
            (MIN_NODES * MIN_NODES) as f64,
            (MAX_NODES * MAX_NODES) as f64,
        );
        let light = 95.0 - 50.0 * (points / fewest).ln() / (most / fewest).ln();
        let _ = writeln!(
            svg,
            "<rect x=\"{x:.2}\" y=\"{y:.2}\" width=\"{:.2}\" height=\"{:.2}\" \
             fill=\"hsl(210,60%,{light:.0}%)\" stroke=\"#223\" stroke-width=\"0.5\"/>",
            end - x,
            bottom - y
        );
    }
    let names = of.over.as_ref().map_or(&[][..], |over| &over.variables[..]);
    let mut write = |x: f64, y: f64, anchor: &str, words: &str| {
        let words = words.replace('&', "&amp;").replace('<', "&lt;");
        let _ = writeln!(
            svg,
            "<text x=\"{x}\" y=\"{y}\" text-anchor=\"{anchor}\">{words}</text>"
        );
    };
    let (middle, bottom) = (whole / 2.0, MARGIN + SIDE);
    write(middle, MARGIN - 30.0, "middle", &of.formula);
    let points: usize = regions.iter().map(|of| of.nodes[0] * of.nodes[1]).sum();
    let words = format!(
        "{} regions, {points} points at the end; the more nodes, the darker",
        regions.len()
    );
    write(middle, MARGIN - 10.0, "middle", &words);
    write(MARGIN, bottom + 18.0, "start", &text(left));
    write(MARGIN + SIDE, bottom + 18.0, "end", &text(right));
    write(MARGIN - 6.0, bottom, "end", &text(low));
    write(MARGIN - 6.0, MARGIN + 12.0, "end", &text(high));
    if let [x, y] = names {
        write(middle, bottom + 18.0, "middle", x);
        write(MARGIN - 6.0, middle, "end", y);
    }
    svg.push_str("</svg>\n");
    svg
}
