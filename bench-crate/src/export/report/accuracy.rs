//! The figures of `accuracy`: the error of pi against strips, by precision, with
//! what was predicted.

use std::f64::consts::PI;

use super::alike::{alike, names};
use super::figure::{Figure, Grid};
use super::machines::Machine;
use super::svg::Swatch;
use super::svg::scale::is_drawable;
use super::svg::scatter::{Point, Scatter, Series};
use crate::record::Record;

/// Whose pi.
#[derive(Clone, Copy)]
struct Whose {
    title: &'static str,
    caption: &'static str,
    /// Its metric.
    pi: &'static str,
    /// Whether the predictions are about it: they model one running sum.
    is_predicted: bool,
}

const HOST: Whose = Whose {
    title: "Error of pi against strips: one loop on the host",
    caption: "One running sum over all strips, as the page has it.",
    pi: "pi",
    is_predicted: true,
};

const DEVICE: Whose = Whose {
    title: "Error of pi against strips: partial sums on the device",
    caption: "As many partial sums as the grid has threads, added up on the host.",
    pi: "gpu_pi",
    is_predicted: false,
};

/// The errors of one precision: strips, measured, predicted, the rule's own.
#[derive(Clone, Debug, PartialEq)]
struct Errors {
    precision: String,
    rows: Vec<(u64, f64, Option<f64>, Option<f64>)>,
}

fn errors(rows: &[Record], whose: Whose) -> Option<Vec<Errors>> {
    let mut found: Vec<Errors> = Vec::new();
    for row in rows {
        let (Some(precision), Some(strips), Some(pi)) = (
            row.cell.text("precision"),
            row.cell.number("strips"),
            row.number(whose.pi),
        ) else {
            continue;
        };
        let precision = precision.to_owned();
        let predicted = row.number("predicted_error").filter(|_| whose.is_predicted);
        let entry = (strips, pi - PI, predicted, row.number("rule_error"));
        match found
            .iter_mut()
            .find(|errors| errors.precision == precision)
        {
            Some(errors) => errors.rows.push(entry),
            None => found.push(Errors {
                precision,
                rows: vec![entry],
            }),
        }
    }
    found
        .iter_mut()
        .for_each(|errors| errors.rows.sort_by_key(|row| row.0));
    (!found.is_empty()).then_some(found)
}

fn point(strips: u64, error: f64, what: &str) -> Point {
    Point {
        x: strips as f64,
        y: error.abs(),
        note: format!("{what}, {strips} strips: {error:.3e}"),
    }
}

fn series(errors: &[Errors]) -> Vec<Series> {
    let mut all = Vec::new();
    for (index, one) in errors.iter().enumerate() {
        all.push(Series {
            name: one.precision.clone(),
            look: Swatch::Series(index),
            points: one
                .rows
                .iter()
                .map(|row| point(row.0, row.1, &one.precision))
                .collect(),
        });
        let predicted: Vec<Point> = one
            .rows
            .iter()
            .filter_map(|row| Some(point(row.0, row.2?, &one.precision)))
            .collect();
        if predicted.len() > 1 {
            all.push(Series {
                name: format!("{}, predicted", one.precision),
                look: Swatch::Line(index),
                points: predicted,
            });
        }
    }
    // The rule's own error is the same in every precision.
    let of_rule = |one: &Errors| -> Vec<Point> {
        let rows = one.rows.iter();
        rows.filter_map(|row| Some(point(row.0, row.3?, "the rule")))
            .collect()
    };
    let rule = errors.iter().map(of_rule).max_by_key(Vec::len);
    all.extend(rule.filter(|points| points.len() > 1).map(|points| Series {
        name: "the rule's own error".into(),
        look: Swatch::Plain,
        points,
    }));
    all
}

fn data(errors: &[Errors]) -> Grid {
    let mut grid = Grid::new(&["precision", "strips", "error", "predicted", "of the rule"]);
    let text = |value: Option<f64>| {
        value
            .map(|error| format!("{error:.3e}"))
            .unwrap_or_default()
    };
    for one in errors {
        grid.rows
            .extend(one.rows.iter().map(|&(strips, error, predicted, rule)| {
                vec![
                    one.precision.clone(),
                    strips.to_string(),
                    text(Some(error)),
                    text(predicted),
                    text(rule),
                ]
            }));
    }
    grid
}

/// Each precision at its fewest and at its most strips.
fn said(errors: &[Errors]) -> String {
    let ends = |one: &Errors| {
        let (first, last) = (one.rows.first()?, one.rows.last()?);
        Some(format!(
            "{} from {:.1e} at {} strips to {:.1e} at {}",
            one.precision,
            first.1.abs(),
            first.0,
            last.1.abs(),
            last.0
        ))
    };
    let said: Vec<String> = errors.iter().filter_map(ends).collect();
    said.join("; ")
}

/// The host's figure and the device's; one a machine where machines differ.
pub(super) fn figures(machines: &[&Machine]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for whose in [HOST, DEVICE] {
        let found = alike(machines, |machine| errors(machine.rows("accuracy"), whose));
        if found.is_empty() {
            let reason = "No row of the records has this value of pi.";
            figures.push(Figure::absent(whose.title, reason));
        }
        figures.extend(
            found
                .iter()
                .map(|(machines, errors)| figure(whose, &names(machines), errors)),
        );
    }
    figures
}

fn figure(whose: Whose, machines: &str, errors: &[Errors]) -> Figure {
    let exact = errors
        .iter()
        .flat_map(|one| &one.rows)
        .filter(|row| !is_drawable(row.1.abs()))
        .count();
    let left_out = match exact {
        0 => String::new(),
        n => format!(" {n} of the values have no error that a logarithm could show."),
    };
    let chart = Scatter {
        across: "strips".into(),
        up: "|pi measured − pi|".into(),
        series: series(errors),
    };
    if chart.is_empty() {
        return Figure::absent(whose.title, format!("{machines}:{left_out}"));
    }
    let said = said(errors);
    Figure {
        title: whose.title.to_owned(),
        alt: format!("Error of pi against strips, both axes logarithmic: {said}."),
        caption: format!(
            "{} Both axes are logarithmic. Measured on {machines}.{left_out}",
            whose.caption
        ),
        body: Ok(Box::new(chart)),
        data: data(errors),
    }
}
