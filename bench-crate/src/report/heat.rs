//! A value by two names or numbers: a heat map a machine, and one of the published sweep.

use super::figure::Figure;
use super::subject::Subject;
use super::svg::heat::{Cell, HeatMap};
use super::words::{note, short};
use crate::number;
use crate::record::Record;
use crate::table::figure::{HeatMap as Declared, SPAN};

/// The machines' maps, and the published one beside them.
pub(super) fn figures(subject: &Subject<'_>, map: &Declared) -> Vec<Figure> {
    let name = &subject.name;
    let of_machines = subject.measured.iter().filter_map(|one| {
        let title = format!("{name}, {}: {}", one.name(), map.name);
        let cells = one.rows.iter().filter_map(|row| cell(map, row));
        figure(title, map, cells.collect())
    });
    let published = subject.published().filter(|_| map.is_published);
    let of_page = published.and_then(|sweep| {
        let title = format!("{name}, {}: published {}", sweep.device, SPAN.name);
        let cell = |(shape, ms): ((u32, u32), f64)| Cell {
            row: shape.0.to_string(),
            column: shape.1.to_string(),
            value: Some(ms),
            note: note(sweep, shape, ms),
        };
        figure(title, map, sweep.spans().into_iter().map(cell).collect())
    });
    // What was published stands beside ours, and not alone.
    let ours: Vec<Figure> = of_machines.collect();
    let of_page = of_page.filter(|_| !ours.is_empty());
    ours.into_iter().chain(of_page).collect()
}

/// The cell of a row: what was tried and has no value is crossed out.
fn cell(map: &Declared, row: &Record) -> Option<Cell> {
    let (down, across) = ((map.down.1)(row)?, (map.across.1)(row)?);
    let value = (map.value)(row);
    let says = match value {
        Some(value) => format!("{} {}", number::significant(value), map.unit),
        None => row.reason.clone().unwrap_or_else(|| "no value".into()),
    };
    Some(Cell {
        note: format!("{down} × {across}: {}", says.trim_end()),
        row: down,
        column: across,
        value,
    })
}

/// None where no cell has a value.
fn figure(title: String, map: &Declared, cells: Vec<Cell>) -> Option<Figure> {
    let valued = || cells.iter().filter_map(|cell| Some((cell.value?, cell)));
    let told = |(value, cell): (f64, &Cell)| {
        let text = format!("{} {}", short(value), map.unit);
        format!("{} at {} × {}", text.trim_end(), cell.row, cell.column)
    };
    let least = told(valued().min_by(|a, b| a.0.total_cmp(&b.0))?);
    // Of several that are equal the first.
    let most = told(valued().rev().max_by(|a, b| a.0.total_cmp(&b.0))?);
    let crossed = match cells.len() - valued().count() {
        0 => String::new(),
        n => format!(" {n} cells that were tried and have no value are crossed out."),
    };
    let Declared {
        name,
        note,
        lighter,
        down: (down, _),
        across: (across, _),
        ..
    } = map;
    let chart = HeatMap {
        rows: down,
        columns: across,
        unit: map.unit,
        cells,
    };
    Some(Figure {
        file: "",
        alt: format!(
            "Heat map of the {name} by {down}, down, and {across}, across, on a logarithmic \
             scale: from {most} to {least}.{crossed}"
        ),
        caption: format!(
            "The {name}, {down} down, {across} across; lighter is {lighter}. The best cell, \
             {least}, is framed; the worst is {most}. Cells that are not there were not measured.\
             {crossed}{note}"
        ),
        data: chart.matrix(number::significant),
        chart: Box::new(chart),
        title,
    })
}
