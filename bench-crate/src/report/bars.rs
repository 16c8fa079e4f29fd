//! Named values, those of one name from all machines beside each other: bars that tables declare,
//! and the best cells of a sweep.

use super::figure::Figure;
use super::machines::Measured;
use super::subject::Subject;
use super::svg::Swatch;
use super::svg::rows::{Row, Rows};
use super::words::{place, short};
use crate::export::Grid;
use crate::grouping::{distinct, rising};
use crate::number;
use crate::record::Record;
use crate::table::figure::{Bars, Best, Time};

/// A bar, whose it is, and the cell that it is of.
struct Bar {
    row: Row,
    machine: String,
    at: String,
}

/// The bar of a machine.
fn bar(subject: &Subject<'_>, index: usize, name: String, value: f64, at: String) -> Bar {
    let machine = subject.measured[index].name().to_owned();
    Bar {
        row: Row {
            name,
            // One machine alone need not be named.
            whose: match subject.measured.len() {
                1 => String::new(),
                _ => machine.clone(),
            },
            value,
            look: Swatch::Series(index),
        },
        machine,
        at,
    }
}

fn figure(title: String, unit: &'static str, caption: &str, bars: Vec<Bar>) -> Figure {
    let mut data: Vec<Vec<String>> = Vec::new();
    for bar in &bars {
        let (name, value) = (bar.row.name.clone(), number::significant(bar.row.value));
        data.push(vec![name, bar.machine.clone(), value, bar.at.clone()]);
    }
    let legend = distinct(bars.iter().map(|bar| {
        let published = match bar.row.look {
            Swatch::Published(_) => ", published",
            _ => "",
        };
        (bar.row.look.clone(), format!("{}{published}", bar.machine))
    }));
    let is_told_apart = legend.len() > 1 || bars.iter().any(|bar| !bar.row.whose.is_empty());
    let chart = Rows {
        unit,
        rows: bars.into_iter().map(|bar| bar.row).collect(),
        legend: if is_told_apart { legend } else { Vec::new() },
    };
    let told = |row: &Row| format!("{}: {} {unit}", row.whole_name(), short(row.value));
    let told: Vec<String> = chart.rows.iter().map(told).collect();
    let told: Vec<&str> = told.iter().map(|told| told.trim_end()).collect();
    let scale = match chart.is_logarithmic() {
        true => "The scale is logarithmic.",
        false => "Bars start at 0.",
    };
    Figure {
        alt: format!("{title}. {}.", told.join("; ")),
        caption: format!("{caption} {scale}").trim_start().to_owned(),
        title,
        data: Grid::new(&["what", "machine", unit, "blocks × threads"], data)
            .without_empty_columns(),
        body: Ok(Box::new(chart)),
    }
}

/// The bars of rows by name, in the order in which names first appear.
fn by_name(subject: &Subject<'_>, bars: &Bars, title: &str) -> Vec<Bar> {
    let mut found: Vec<Bar> = Vec::new();
    for value in bars.values {
        for (index, one) in subject.measured.iter().enumerate() {
            let rows = one.rows.iter().filter(|row| (bars.title)(row) == title);
            let mut rows: Vec<&Record> = rows.collect();
            // A row of a whole launch, which has fewer axes, comes before those of its parts.
            rows.sort_by_key(|row| row.cell.axes());
            for (name, value) in rows.into_iter().filter_map(value) {
                let last = found.iter().rposition(|bar| bar.row.name == name);
                let look = Swatch::Series(index);
                // Rows of one launch have its time each.
                if last.is_none_or(|last| found[last].row.look != look) {
                    let place = last.map_or(found.len(), |last| last + 1);
                    found.insert(place, bar(subject, index, name, value, String::new()));
                }
            }
        }
    }
    found.retain(|bar| bar.row.is_drawable());
    found
}

/// A figure a title.
pub(super) fn figures(subject: &Subject<'_>, bars: &Bars) -> Vec<Figure> {
    let rows = || subject.measured.iter().flat_map(|one| &one.rows);
    let drawn = |title: String| {
        let found = by_name(subject, bars, &title);
        let unit = rows()
            .find(|row| (bars.title)(row) == title)
            .map(bars.unit)?;
        (!found.is_empty()).then(|| figure(title, unit, bars.caption, found))
    };
    let titles = rising(rows().map(bars.title)).into_iter();
    let drawn: Vec<Figure> = titles.filter_map(drawn).collect();
    if !drawn.is_empty() || bars.absent.is_empty() {
        return drawn;
    }
    let reasons = subject.measured.iter().filter_map(Measured::no_times);
    let reasons: Vec<String> = reasons.collect();
    let reason = match reasons.is_empty() {
        true => "No row has a time.".to_owned(),
        false => reasons.join(" "),
    };
    vec![Figure::absent(bars.absent, reason)]
}

/// The best times of the device beside those of the host, of every machine and of the page.
pub(super) fn best(subject: &Subject<'_>, times: &[Best]) -> Figure {
    let title = format!("{}: device and host", subject.name);
    let mut bars = Vec::new();
    for time in times {
        for (index, one) in subject.measured.iter().enumerate() {
            if let Some((ms, row)) = Time::of(time.metric).best(&one.rows) {
                let at = if time.has_shape {
                    place(row)
                } else {
                    String::new()
                };
                bars.push(bar(subject, index, time.name.to_owned(), ms, at));
            }
        }
    }
    if bars.is_empty() {
        return Figure::absent(title, "No machine has a time in this table.");
    }
    if let Some(sweep) = subject.published() {
        let host = sweep.host_ms().map(|ms| ("host", ms, String::new()));
        let span = sweep
            .best()
            .map(|((b, t), ms)| ("best span", ms, format!("{b} × {t}")));
        let published = [host, span].into_iter().flatten();
        bars.extend(published.map(|(name, value, at)| Bar {
            row: Row {
                name: format!("{}, {name}, published", sweep.device),
                whose: String::new(),
                value,
                look: Swatch::Published(0),
            },
            machine: sweep.device.to_owned(),
            at,
        }));
    }
    let caption = format!(
        "The best cell of each, {} strips. The host's times are for the whole sum too.",
        number::grouped(subject.strips().unwrap_or_default())
    );
    figure(title, "ms", &caption, bars)
}
