//! Named values, those of one name from all machines beside each other: those that tables declare,
//! and the best cells of a sweep.

use super::figure::Figure;
use super::subject::Subject;
use super::svg::Swatch;
use super::svg::rows::{Row, Rows};
use super::svg::scale::is_drawable;
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

/// Whose a value is: of a series, of a machine where there are several, or of both.
fn whose(subject: &Subject<'_>, index: usize, series: &str) -> String {
    let machine = match subject.measured.len() {
        1 => "",
        _ => subject.measured[index].name(),
    };
    let parts = [machine, series]
        .into_iter()
        .filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(", ")
}

/// The look of a name among those that were seen.
fn look(seen: &mut Vec<String>, whose: &str) -> Swatch {
    let known = seen.iter().position(|name| name == whose);
    Swatch::Series(known.unwrap_or_else(|| {
        seen.push(whose.to_owned());
        seen.len() - 1
    }))
}

/// What a figure of bars says.
struct Words<'a> {
    file: &'static str,
    title: String,
    unit: &'static str,
    caption: &'a str,
}

fn figure(words: Words<'_>, bars: Vec<Bar>) -> Figure {
    let Words { title, unit, .. } = words;
    let row = |Bar { row, machine, at }: &Bar| {
        let value = number::significant(row.value);
        vec![
            row.name.clone(),
            row.whose.clone(),
            machine.clone(),
            value,
            at.clone(),
        ]
    };
    let header = ["what", "whose", "machine", unit, "blocks × threads"];
    let data = Grid::new(&header, bars.iter().map(row).collect());
    let legend = distinct(bars.iter().map(|bar| {
        let name = match (&bar.row.look, &*bar.row.whose) {
            (Swatch::Published, _) => format!("{}, published", bar.machine),
            (_, "") => bar.machine.clone(),
            (_, whose) => whose.to_owned(),
        };
        (bar.row.look.clone(), name)
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
        false => "The scale starts at 0.",
    };
    Figure {
        file: words.file,
        alt: format!("{title}. {}.", told.join("; ")),
        caption: format!("{} {scale}", words.caption).trim_start().to_owned(),
        data: data.without_empty_columns(),
        chart: Box::new(chart),
        title,
    }
}

/// The bars of rows by name, in the order in which names first appear.
fn by_name(subject: &Subject<'_>, bars: &Bars, title: &str) -> Vec<Bar> {
    let (mut found, mut seen): (Vec<Bar>, Vec<String>) = (Vec::new(), Vec::new());
    for value in bars.values {
        for (index, one) in subject.measured.iter().enumerate() {
            let rows = one.rows.iter().filter(|row| (bars.title)(row) == title);
            let mut rows: Vec<&Record> = rows.collect();
            // A row of a whole launch, which has fewer axes, comes before those of its parts.
            rows.sort_by_key(|row| row.cell.axes());
            for (name, series, value) in rows.into_iter().flat_map(value) {
                let whose = whose(subject, index, &series);
                let look = look(&mut seen, &whose);
                let is_same = |bar: &Bar| bar.row.name == name && bar.row.look == look;
                // Rows of one launch have its time each.
                if !is_drawable(value) || found.iter().any(is_same) {
                    continue;
                }
                let last = found.iter().rposition(|bar| bar.row.name == name);
                let row = Row {
                    name,
                    whose,
                    value,
                    look,
                };
                let bar = Bar {
                    row,
                    machine: one.name().to_owned(),
                    at: String::new(),
                };
                found.insert(last.map_or(found.len(), |last| last + 1), bar);
            }
        }
    }
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
        let words = Words {
            file: bars.file,
            title,
            unit,
            caption: bars.caption,
        };
        (!found.is_empty()).then(|| figure(words, found))
    };
    rising(rows().map(bars.title))
        .into_iter()
        .filter_map(drawn)
        .collect()
}

/// The best times of the device beside those of the host, of every machine and of the page.
pub(super) fn best(subject: &Subject<'_>, times: &[Best]) -> Option<Figure> {
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
                let row = Row {
                    name: time.name.to_owned(),
                    whose: whose(subject, index, ""),
                    value: ms,
                    look: Swatch::Series(index),
                };
                let machine = one.name().to_owned();
                bars.push(Bar { row, machine, at });
            }
        }
    }
    if bars.is_empty() {
        return None;
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
                look: Swatch::Published,
            },
            machine: sweep.device.to_owned(),
            at,
        }));
    }
    let caption = format!(
        "The best cell of each, {} strips. The host's times are for the whole sum too.",
        number::grouped(subject.strips().unwrap_or_default())
    );
    let words = Words {
        file: "",
        title,
        unit: "ms",
        caption: &caption,
    };
    Some(figure(words, bars))
}
