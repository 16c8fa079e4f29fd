//! How far a value of pi is off, against strips, by precision; with what was predicted.

use std::f64::consts::PI;

use super::figure::Figure;
use super::subject::Subject;
use super::svg::Swatch;
use super::svg::panels::{Axis, Panel, Panels, Point, Series};
use super::svg::scale::{Kind, is_drawable};
use crate::export::Grid;
use crate::grouping::groups;
use crate::record::Record;
use crate::table::figure::Errors;

/// What a row says of a number of strips.
#[derive(Clone, Debug, PartialEq)]
struct Error {
    strips: u64,
    measured: f64,
    predicted: Option<f64>,
    /// The rule's own, which is the same in every precision.
    of_rule: Option<f64>,
}

/// The errors of a precision, by strips.
type OfPrecision = (String, Vec<Error>);

fn errors(rows: &[Record], of: &Errors) -> Option<Vec<OfPrecision>> {
    let found = rows.iter().filter_map(|row| {
        let error = Error {
            strips: row.cell.number("strips")?,
            measured: row.number(of.pi)? - PI,
            predicted: of.predicted.and_then(|metric| row.number(metric)),
            of_rule: row.number("rule_error"),
        };
        Some((row.cell.text("precision")?.to_owned(), error))
    });
    let mut found: Vec<OfPrecision> = groups(found, |one| one.0.clone())
        .into_iter()
        .map(|(name, errors)| (name, errors.into_iter().map(|one| one.1).collect()))
        .collect();
    for (_, errors) in &mut found {
        errors.sort_by_key(|error| error.strips);
    }
    (!found.is_empty()).then_some(found)
}

fn points(errors: &[Error], what: &str, value: fn(&Error) -> Option<f64>) -> Vec<Point> {
    let point = |error: &Error| {
        let (strips, value) = (error.strips, value(error)?);
        Some(Point {
            x: strips as f64,
            y: value.abs(),
            note: format!("{what}, {strips} strips: {value:.3e}"),
        })
    };
    errors.iter().filter_map(point).collect()
}

/// A precision's errors as marks and the predicted ones as a line; the rule's own as another.
fn series(errors: &[OfPrecision]) -> Vec<Series> {
    let mut all = Vec::new();
    let mut push = |name: String, look: Swatch, points: Vec<Point>| {
        let is_line = !matches!(look, Swatch::Series(_));
        if !is_line || points.len() > 1 {
            all.push(Series { name, look, points });
        }
    };
    for (index, (name, errors)) in errors.iter().enumerate() {
        let measured = points(errors, name, |error| Some(error.measured));
        push(name.clone(), Swatch::Series(index), measured);
        let predicted = points(errors, name, |error| error.predicted);
        push(format!("{name}, predicted"), Swatch::Line(index), predicted);
    }
    let of_rule = |one: &OfPrecision| points(&one.1, "the rule", |error| error.of_rule);
    let rule = errors.iter().map(of_rule).max_by_key(Vec::len);
    push(
        "the rule's own error".into(),
        Swatch::Plain,
        rule.unwrap_or_default(),
    );
    all
}

fn data(errors: &[OfPrecision]) -> Grid {
    let text = |value: Option<f64>| value.map_or(String::new(), |error| format!("{error:.3e}"));
    let rows = errors.iter().flat_map(|(name, errors)| {
        errors.iter().map(move |error| {
            let Error {
                strips,
                measured,
                predicted,
                of_rule,
            } = *error;
            let [measured, predicted, of_rule] = [Some(measured), predicted, of_rule].map(text);
            vec![
                name.clone(),
                strips.to_string(),
                measured,
                predicted,
                of_rule,
            ]
        })
    });
    let header = ["precision", "strips", "error", "predicted", "of the rule"];
    Grid::new(&header, rows.collect())
}

/// Each precision at its fewest and at its most strips.
fn told(errors: &[OfPrecision]) -> String {
    let ends = |(name, errors): &OfPrecision| {
        let end = |error: &Error| (error.measured.abs(), error.strips);
        let ((few, from), (many, to)) = (end(errors.first()?), end(errors.last()?));
        Some(format!(
            "{name} from {few:.1e} at {from} strips to {many:.1e} at {to}"
        ))
    };
    let told: Vec<String> = errors.iter().filter_map(ends).collect();
    told.join("; ")
}

/// One figure of all machines that gave the same.
pub(super) fn figures(subject: &Subject<'_>, of: &Errors) -> Vec<Figure> {
    let found = subject.alike(|one| errors(&one.rows, of));
    let drawn = found
        .iter()
        .filter_map(|(machines, errors)| figure(of, machines, errors));
    drawn.collect()
}

fn figure(of: &Errors, machines: &str, errors: &[OfPrecision]) -> Option<Figure> {
    let all = errors.iter().flat_map(|(_, errors)| errors);
    let left_out = match all
        .filter(|error| !is_drawable(error.measured.abs()))
        .count()
    {
        0 => String::new(),
        n => format!(" {n} of the values have no error that a logarithm could show."),
    };
    let chart = Panels {
        across: Axis("strips", Kind::Decades),
        up: Axis("|pi measured − pi|", Kind::Decades),
        panels: vec![Panel {
            title: String::new(),
            series: series(errors),
        }],
    };
    if chart.is_empty() {
        return None;
    }
    let (caption, told) = (of.caption, told(errors));
    Some(Figure {
        file: "",
        title: of.title.to_owned(),
        alt: format!("Error of pi against strips, both axes logarithmic: {told}."),
        caption: format!("{caption} Both axes are logarithmic. Measured on {machines}.{left_out}"),
        chart: Box::new(chart),
        data: data(errors),
    })
}
