//! What the page says about each table: figures by the table's name, and all of
//! its rows.

use super::curve::{self, Measured};
use super::explanation::{Words, words};
use super::figure::{Figure, Grid};
use super::machines::Machine;
use super::published::{PublishedSweep, STRIPS};
use super::sweep::{
    KERNEL, SPAN, device_and_host, distinct, machines_heat_map, published_heat_map, strips,
    with_strips,
};
use super::{accuracy, activity, named};
use crate::export::{Format, cells, select};
use crate::model::{self, Explanation, Fit};
use crate::record::Record;
use crate::tables;

/// A table's part of the page.
pub(super) struct Section {
    pub(super) table: String,
    /// One line about it.
    pub(super) about: String,
    /// Figures; those of an inner list stand beside each other.
    pub(super) figures: Vec<Vec<Figure>>,
    /// What explains them.
    pub(super) words: Vec<Words>,
    /// All rows, a machine each.
    pub(super) rows: Vec<(String, Grid)>,
}

impl Section {
    /// Its place in the page.
    pub(super) fn id(&self) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '-' };
        format!(
            "table-{}",
            self.table.chars().map(plain).collect::<String>()
        )
    }
}

/// A section a table that any machine has rows of.
pub(super) fn sections(machines: &[Machine]) -> Vec<Section> {
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in machines.iter().flat_map(|machine| &machine.tables) {
        if !names.contains(&name.as_str()) {
            names.push(name);
        }
    }
    let known = tables::all();
    let place = |name: &str| known.iter().position(|table| table.name() == name);
    names.sort_by_key(|name| place(name).unwrap_or(known.len()));
    names
        .into_iter()
        .map(|name| section(machines, name))
        .collect()
}

fn section(machines: &[Machine], table: &str) -> Section {
    let with_rows: Vec<&Machine> = machines
        .iter()
        .filter(|machine| !machine.rows(table).is_empty())
        .collect();
    let mut section = Section {
        table: table.to_owned(),
        about: tables::by_name(table)
            .map_or("", |table| table.about())
            .to_owned(),
        figures: Vec::new(),
        words: Vec::new(),
        rows: all_rows(&with_rows, table),
    };
    match table {
        "sweep-f64" | "sweep-f32" => sweep(&mut section, &with_rows),
        "activity" => {
            section.figures = alone(activity::figures(&with_rows));
            section.figures.extend(alone(named::scans(&with_rows)));
        }
        "accuracy" => section.figures = vec![accuracy::figures(&with_rows)],
        "mapping" => section.figures = named::mapping(&with_rows),
        "limits" => section.figures = alone(named::limits(&with_rows)),
        _ => {}
    }
    if section.words.is_empty() {
        section.words = spoken(&with_rows, table, &[]);
    }
    section
}

/// What a table says about each machine's rows.
fn spoken(machines: &[&Machine], table: &str, explanations: &[Option<Explanation>]) -> Vec<Words> {
    machines
        .iter()
        .enumerate()
        .filter_map(|(index, machine)| {
            let explanation = explanations.get(index).and_then(Option::as_ref);
            words(machine, table, explanation)
        })
        .collect()
}

fn alone(figures: Vec<Figure>) -> Vec<Vec<Figure>> {
    figures.into_iter().map(|figure| vec![figure]).collect()
}

/// The figures of a sweep, for each number of strips in the records.
fn sweep(section: &mut Section, machines: &[&Machine]) {
    let table = section.table.clone();
    let sizes = distinct(
        machines
            .iter()
            .flat_map(|machine| strips(machine.rows(&table))),
    );
    // The model speaks of the size that it explains: the last, the largest.
    let common = sizes.last().copied().unwrap_or_default();
    for size in sizes {
        let heat_maps = |clock| {
            machines
                .iter()
                .map(|machine| {
                    machines_heat_map(
                        machine,
                        &table,
                        &with_strips(machine.rows(&table), size),
                        clock,
                    )
                })
                .collect::<Vec<Figure>>()
        };
        let mut spans = heat_maps(SPAN);
        if size == STRIPS {
            spans
                .extend(PublishedSweep::of(&table).map(|sweep| published_heat_map(&table, &sweep)));
        }
        let explanations: Vec<Option<Explanation>> = machines
            .iter()
            .map(|machine| model::explain(&with_strips(machine.rows(&table), size)))
            .collect();
        let measured = |fit: fn(&Explanation) -> Option<&Fit>| -> Vec<Measured<'_>> {
            let pairs = machines.iter().zip(&explanations);
            pairs
                .map(|(machine, explanation)| {
                    Measured::new(machine, &table, size, explanation.as_ref().and_then(fit))
                })
                .collect()
        };
        let kernels = measured(|explanation| explanation.kernel.as_ref());
        let whole = measured(|explanation| explanation.span.as_ref());
        section.figures.push(heat_maps(KERNEL));
        section.figures.push(vec![
            curve::figure(&table, size, KERNEL, &kernels),
            curve::figure(&table, size, SPAN, &whole),
        ]);
        section.figures.push(spans);
        section
            .figures
            .push(vec![device_and_host(machines, &table, size)]);
        if size == common {
            section.words = spoken(machines, &table, &explanations);
        }
    }
}

/// The rows of each machine with all columns that hold anything.
fn all_rows(machines: &[&Machine], table: &str) -> Vec<(String, Grid)> {
    machines
        .iter()
        .map(|machine| {
            let rows = machine.rows(table);
            (format!("All rows, {}", machine.name), grid_of(table, rows))
        })
        .collect()
}

fn grid_of(table: &str, rows: &[Record]) -> Grid {
    let Some(known) = tables::by_name(table) else {
        let mut grid = Grid::new(&["cell", "status", "reason"]);
        grid.rows.extend(rows.iter().map(|row| {
            let reason = row.reason.clone().unwrap_or_default();
            vec![row.key.describe(), row.status.name().to_owned(), reason]
        }));
        return grid;
    };
    let columns = select(known.columns(), Format::Csv, false);
    let texts: Vec<Vec<String>> = rows.iter().map(|row| cells(&columns, row)).collect();
    let kept: Vec<usize> = (0..columns.len())
        .filter(|&index| texts.iter().any(|row| !row[index].is_empty()))
        .collect();
    let pick = |row: &Vec<String>| kept.iter().map(|&index| row[index].clone()).collect();
    Grid {
        header: kept
            .iter()
            .map(|&index| columns[index].name.clone())
            .collect(),
        rows: texts.iter().map(pick).collect(),
    }
}
