//! What the page says about each table: the figures that it declares, its words, and all of its
//! rows.

use super::figure::Figure;
use super::machines::{Machine, sort_by_table};
use super::subject::{Subject, subjects};
use super::words::short;
use super::{bars, curve, errors, heat, steps};
use crate::export::{Format, Grid, select};
use crate::grouping::distinct;
use crate::model::{self, Explanation, Fit};
use crate::record::Record;
use crate::table::Table;
use crate::table::figure::Figure as Declared;
use crate::tables;

/// A table's part of the page.
pub(super) struct Section {
    pub(super) table: String,
    /// One line about it.
    pub(super) about: &'static str,
    /// Figures; those of an inner list stand beside each other.
    pub(super) figures: Vec<Vec<Figure>>,
    /// What explains them.
    pub(super) words: Vec<Words>,
    /// All rows, a machine each.
    pub(super) rows: Vec<(String, Grid)>,
}

/// Words of a section, and the small tables that belong to them.
pub(super) struct Words {
    pub(super) title: String,
    pub(super) lines: Vec<String>,
    pub(super) paragraphs: Vec<String>,
    pub(super) grids: Vec<(String, Grid)>,
}

fn draw(subject: &Subject<'_>, figure: &Declared) -> Vec<Figure> {
    match figure {
        Declared::HeatMap(time) => heat::figures(subject, *time),
        Declared::Curve(time) => vec![curve::figure(subject, *time)],
        Declared::Best(times) => vec![bars::best(subject, times)],
        Declared::Errors(errors) => errors::figures(subject, errors),
        Declared::Steps(_) => steps::figures(subject),
        Declared::Bars(bars) => bars::figures(subject, bars),
    }
}

/// A section a table that any machine has rows of.
pub(super) fn sections(machines: &[Machine]) -> Vec<Section> {
    let names = machines.iter().flat_map(|machine| &machine.tables);
    let mut names = distinct(names.map(|(name, _)| name.as_str()));
    sort_by_table(&mut names, |name| name);
    let section = |name: &str| {
        let of_table = machines
            .iter()
            .filter(|machine| !machine.rows(name).is_empty());
        section(&of_table.collect::<Vec<_>>(), name)
    };
    names.into_iter().map(section).collect()
}

fn section(machines: &[&Machine], name: &str) -> Section {
    let known = tables::by_name(name);
    let subjects = known.map_or(Vec::new(), |table| subjects(table, machines));
    let drawn = subjects.iter().flat_map(|subject| {
        let row = |row: &&[Declared]| {
            row.iter()
                .flat_map(|figure| draw(subject, figure))
                .collect()
        };
        subject.table.figures.rows.iter().map(row)
    });
    let told = machines.iter().filter_map(|machine| words(machine, known?));
    let rows = machines.iter().map(|machine| {
        let title = format!("All rows, {}", machine.name);
        (title, grid(known, machine.rows(name)))
    });
    Section {
        table: name.to_owned(),
        about: known.map_or("", |table| table.about),
        figures: drawn.filter(|row: &Vec<Figure>| !row.is_empty()).collect(),
        words: told.collect(),
        rows: rows.collect(),
    }
}

/// The rows with all columns that hold anything.
fn grid(known: Option<&Table>, rows: &[Record]) -> Grid {
    let Some(table) = known else {
        let row = |row: &Record| {
            let reason = row.reason.clone().unwrap_or_default();
            vec![row.cell.describe(), row.status.name().to_owned(), reason]
        };
        let header = ["cell", "status", "reason"];
        return Grid::new(&header, rows.iter().map(row).collect());
    };
    let columns = select(table.columns_of(&[]), Format::Csv, false);
    Grid::of(&columns, rows).without_empty_columns()
}

/// What a table says about a machine's rows; `None` where it says nothing.
fn words(machine: &Machine, table: &Table) -> Option<Words> {
    let rows = machine.rows(table.name);
    let words = Words {
        title: format!("{} in words, {}", table.name, machine.name),
        lines: (table.summary)(rows),
        paragraphs: (table.notes)(rows),
        grids: model::explain(rows).as_ref().map_or(Vec::new(), constants),
    };
    let is_empty = words.lines.is_empty() && words.paragraphs.is_empty() && words.grids.is_empty();
    (!is_empty).then_some(words)
}

/// The constants of the models that explain the times, a table a model.
fn constants(explanation: &Explanation) -> Vec<(String, Grid)> {
    let Explanation {
        kernel,
        span,
        published,
        ..
    } = explanation;
    let fits = [kernel, span, published].into_iter().flatten();
    let table = |fit: &Fit| {
        let rows = fit.constants.iter().map(|constant| {
            let [name, unit, meaning] =
                [constant.name, constant.unit, constant.meaning].map(str::to_owned);
            vec![name, constant.told(short), unit, meaning]
        });
        let error = fit.median_error.map(|error| {
            let percent = 100.0 * error;
            format!(", median error {percent:.1} % on cells that the fit did not see")
        });
        let title = format!(
            "Constants of the model, {}{}",
            fit.name,
            error.unwrap_or_default()
        );
        (
            title,
            Grid::new(&["constant", "value", "unit", "meaning"], rows.collect()),
        )
    };
    fits.filter(|fit| fit.explains()).map(table).collect()
}
