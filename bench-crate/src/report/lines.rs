//! Values over a number: small multiples with a line a series, as a table declares them.

use super::figure::Figure;
use super::machines::Measured;
use super::subject::Subject;
use super::svg::Swatch;
use super::svg::panels::{Axis, Panel, Panels, Point, Series};
use super::svg::scale::Kind;
use super::words::{list, short};
use crate::export::Grid;
use crate::grouping::{distinct, groups};
use crate::number;
use crate::record::{Record, Status};
use crate::table::figure::Lines;

/// A value: its panel, its series, its place, and itself.
struct Value {
    panel: String,
    series: String,
    x: f64,
    y: f64,
}

/// The values of all machines, of which each has but one at a place.
fn values(subject: &Subject<'_>, lines: &Lines) -> Vec<Value> {
    let mut values: Vec<Value> = Vec::new();
    for one in &subject.measured {
        let right = one.rows.iter().filter(|row| row.status == Status::Ok);
        for value in right.flat_map(|row| of_row(subject, one, lines, row)) {
            let is_same = |other: &&mut Value| {
                (&other.panel, &other.series, other.x) == (&value.panel, &value.series, value.x)
            };
            match values.iter_mut().find(is_same) {
                Some(other) => other.y = (lines.better)(other.y, value.y),
                None => values.push(value),
            }
        }
    }
    values
}

fn of_row(subject: &Subject<'_>, one: &Measured<'_>, lines: &Lines, row: &Record) -> Vec<Value> {
    let Some(x) = (lines.x)(row) else {
        return Vec::new();
    };
    let whose = |series| match subject.measured.len() {
        1 => series,
        _ => format!("{}: {series}", one.name()),
    };
    let value = |(series, y)| Value {
        panel: (lines.panel)(row),
        series: whose(series),
        x,
        y,
    };
    (lines.values)(row).into_iter().map(value).collect()
}

/// The figure with some panels; with all, if none is named. None where no row has values.
pub(super) fn figure(subject: &Subject<'_>, lines: &Lines, only: &[&str]) -> Option<Figure> {
    let mut values = values(subject, lines);
    values.retain(|value| only.is_empty() || only.contains(&&*value.panel));
    let names = distinct(values.iter().map(|value| value.series.clone()));
    let panels = groups(&values, |value| value.panel.clone()).into_iter();
    let (across, up) = (
        match lines.is_decimal {
            true => Kind::Decades,
            false => Kind::Doublings,
        },
        match lines.is_logarithmic {
            true => Kind::Decades,
            false => Kind::FromZero,
        },
    );
    let chart = Panels {
        across: Axis(lines.across, across),
        up: Axis(lines.up, up),
        panels: panels
            .map(|(title, values)| panel(title, &values, &names, lines))
            .collect(),
    };
    if chart.is_empty() {
        return None;
    }
    let machines: Vec<&str> = subject.measured.iter().map(Measured::name).collect();
    let (machines, of) = (list(&machines), &subject.name[subject.table.name.len()..]);
    let title = format!("{}{of}: {machines}", lines.title);
    let series: Vec<&str> = names.iter().map(String::as_str).collect();
    let shown: Vec<&str> = chart.panels.iter().map(|panel| &*panel.title).collect();
    let panels = match shown[..] {
        [""] => String::new(),
        _ => format!(", in panels for {}", list(&shown)),
    };
    Some(Figure {
        file: lines.file,
        alt: format!(
            "{} against {}, lines of {}{panels}. {}",
            lines.up,
            lines.across,
            list(&series),
            lines.caption
        ),
        caption: lines.caption.to_owned(),
        data: data(&values, &names, lines),
        chart: Box::new(chart),
        title,
    })
}

fn panel(title: String, values: &[&Value], names: &[String], lines: &Lines) -> Panel {
    let series = names.iter().enumerate().map(|(number, name)| {
        let mut own: Vec<&&Value> = values
            .iter()
            .filter(|value| value.series == *name)
            .collect();
        own.sort_by(|a, b| a.x.total_cmp(&b.x));
        let point = |value: &&Value| Point {
            x: value.x,
            y: value.y,
            note: format!(
                "{title}, {name}, {}: {} {}",
                number::grouped(value.x as u64),
                short(value.y),
                lines.up
            ),
        };
        Series {
            name: name.clone(),
            look: Swatch::Joined(number),
            points: own.into_iter().map(point).collect(),
        }
    });
    Panel {
        series: series.collect(),
        title,
    }
}

/// A row a panel and number, a column a series.
fn data(values: &[Value], names: &[String], lines: &Lines) -> Grid {
    let rows = groups(values, |value| (value.panel.clone(), value.x)).into_iter();
    let row = |((panel, x), values): ((String, f64), Vec<&Value>)| {
        let text = |name: &String| {
            let found = values.iter().find(|value| value.series == *name);
            found.map_or(String::new(), |value| number::significant(value.y))
        };
        let place = [panel, (x as u64).to_string()].into_iter();
        place.chain(names.iter().map(text)).collect()
    };
    let units = names.iter().map(|name| format!("{name}, {}", lines.up));
    let header = ["panel".to_owned(), lines.across.to_owned()];
    Grid {
        header: header.into_iter().chain(units).collect(),
        rows: rows.map(row).collect(),
    }
}
