//! What the page says about each table: figures by the table's name, and all of
//! its rows.

use super::curve::{self, Measured};
use super::explanation::{Words, words};
use super::figure::{Figure, Grid};
use super::machines::Machine;
use super::sweep::{
    KERNEL, SPAN, Subject, device_and_host, distinct, machines_heat_map, published_heat_map, strips,
};
use super::words::grouped;
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
    let place = |name: &str| known.iter().position(|table| table.name == name);
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
            .map_or("", |table| table.about)
            .to_owned(),
        figures: Vec::new(),
        words: with_rows
            .iter()
            .filter_map(|machine| words(machine, table))
            .collect(),
        rows: all_rows(&with_rows, table),
    };
    match table {
        "sweep-f64" | "sweep-f32" => section.figures = sweep(table, &with_rows),
        "activity" => {
            section.figures = alone(activity::figures(&with_rows));
            section.figures.extend(alone(named::scans(&with_rows)));
        }
        "accuracy" => section.figures = vec![accuracy::figures(&with_rows)],
        "mapping" => section.figures = named::mapping(&with_rows),
        "limits" => section.figures = alone(named::limits(&with_rows)),
        _ => {}
    }
    section
}

fn alone(figures: Vec<Figure>) -> Vec<Vec<Figure>> {
    figures.into_iter().map(|figure| vec![figure]).collect()
}

/// The figures of a sweep, for each number of strips in the records: of the
/// machines that have it.
fn sweep(table: &str, machines: &[&Machine]) -> Vec<Vec<Figure>> {
    let of_machine = |machine: &&Machine| strips(machine.rows(table));
    let sizes = distinct(machines.iter().flat_map(of_machine));
    let several = sizes.len() > 1;
    let subject = |&strips: &u64| Subject {
        table,
        name: match several {
            true => format!("{table}, {} strips", grouped(strips)),
            false => table.to_owned(),
        },
        strips,
    };
    let figures = |subject: Subject<'_>| sweep_of_size(&subject, machines);
    sizes.iter().map(subject).flat_map(figures).collect()
}

fn sweep_of_size(subject: &Subject<'_>, machines: &[&Machine]) -> Vec<Vec<Figure>> {
    let machines: Vec<Machine> = machines
        .iter()
        .filter_map(|machine| {
            machine.only(subject.table, |row| {
                row.cell.number("strips") == Some(subject.strips)
            })
        })
        .collect();
    let machines: Vec<&Machine> = machines.iter().collect();
    let explanations: Vec<Option<Explanation>> = machines
        .iter()
        .map(|machine| model::explain(machine.rows(subject.table)))
        .collect();
    let measured = |fit: fn(&Explanation) -> Option<&Fit>| -> Vec<Measured<'_>> {
        let pairs = machines.iter().zip(&explanations);
        pairs
            .map(|(machine, explanation)| Measured {
                machine,
                rows: machine.rows(subject.table),
                model: explanation.as_ref().and_then(fit),
            })
            .collect()
    };
    let heat_maps = |clock| -> Vec<Figure> {
        let maps = machines.iter();
        maps.map(|machine| machines_heat_map(machine, subject, clock))
            .collect()
    };
    let mut spans = heat_maps(SPAN);
    spans.extend(
        subject
            .published()
            .map(|sweep| published_heat_map(subject, &sweep)),
    );
    vec![
        heat_maps(KERNEL),
        vec![
            curve::figure(subject, KERNEL, &measured(|e| e.kernel.as_ref())),
            curve::figure(subject, SPAN, &measured(|e| e.span.as_ref())),
        ],
        spans,
        vec![device_and_host(&machines, subject)],
    ]
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
            vec![row.cell.describe(), row.status.name().to_owned(), reason]
        }));
        return grid;
    };
    let columns = select(known.columns_of(&[]), Format::Csv, false);
    let texts: Vec<Vec<String>> = rows.iter().map(|row| cells(&columns, row)).collect();
    let kept: Vec<usize> = (0..columns.len())
        .filter(|&index| texts.iter().any(|row| !row[index].is_empty()))
        .collect();
    let pick = |row: &Vec<String>| kept.iter().map(|&index| row[index].clone()).collect();
    Grid {
        header: kept
            .iter()
            .map(|&index| columns[index].name.to_string())
            .collect(),
        rows: texts.iter().map(pick).collect(),
    }
}
