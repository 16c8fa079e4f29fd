//! What the page says about each table: the figures that it declares, its words, and all of its
//! rows.

use super::figure::Figure;
use super::machines::{Machine, Measured, sort_by_table};
use super::subject::{Subject, subjects};
use super::words::short;
use super::{bars, curve, errors, heat, lines, steps};
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
    /// What it is measured for: figures for the head of the page.
    pub(super) claims: Vec<Figure>,
    /// Why there are no figures of times, a sentence each.
    pub(super) missing: Vec<String>,
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
        Declared::HeatMap(map) => heat::figures(subject, map),
        Declared::Curve(time) => curve::figure(subject, *time).into_iter().collect(),
        Declared::Best(times) => bars::best(subject, times).into_iter().collect(),
        Declared::Errors(errors) => errors::figures(subject, errors),
        Declared::Steps(_) => steps::figures(subject),
        Declared::Bars(bars) => bars::figures(subject, bars),
        Declared::Lines(of) => lines::figure(subject, of, &[]).into_iter().collect(),
    }
}

/// The tables that any machine has rows of, in their order, each with those machines.
fn tables_of(machines: &[Machine]) -> Vec<(&str, Vec<&Machine>)> {
    let names = machines.iter().flat_map(|machine| &machine.tables);
    let mut names = distinct(names.map(|(name, _)| name.as_str()));
    sort_by_table(&mut names, |name| name);
    let of_table = |name| {
        let has_rows = |machine: &&Machine| !machine.rows(name).is_empty();
        (name, machines.iter().filter(has_rows).collect())
    };
    names.into_iter().map(of_table).collect()
}

/// A section a table that any machine has rows of.
pub(super) fn sections(machines: &[Machine]) -> Vec<Section> {
    let tables = tables_of(machines).into_iter();
    tables
        .map(|(name, machines)| section(&machines, name))
        .collect()
}

/// What the tables are measured for, to stand alone, with words on where each is from.
pub(super) fn pictures(machines: &[Machine]) -> Vec<(Figure, String)> {
    let tables = tables_of(machines).into_iter();
    let known = tables.filter_map(|(name, machines)| Some((tables::by_name(name)?, machines)));
    let subjects = known.flat_map(|(table, machines)| subjects(table, &machines));
    let drawn = subjects.flat_map(|subject| {
        let claims = subject.table.figures.claims.iter();
        let alone = claims.flat_map(|figure| match figure {
            Declared::Lines(of) => lines::figure(&subject, of, of.alone)
                .into_iter()
                .collect::<Vec<_>>(),
            other => draw(&subject, other),
        });
        let measured: Vec<String> = subject.measured.iter().map(Measured::origin).collect();
        let origin = format!("Measured on {}.", measured.join("; "));
        alone
            .map(|figure| (figure, origin.clone()))
            .collect::<Vec<_>>()
    });
    drawn.collect()
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
    let claims = subjects.iter().flat_map(|subject| {
        let claims = subject.table.figures.claims.iter();
        claims
            .flat_map(|figure| draw(subject, figure))
            .collect::<Vec<_>>()
    });
    let timeless = subjects.iter().flat_map(|subject| &subject.measured);
    let told = machines.iter().filter_map(|machine| words(machine, known?));
    let rows = machines.iter().map(|machine| {
        let title = format!("All rows, {}", machine.name);
        (title, grid(known, machine.rows(name)))
    });
    Section {
        table: name.to_owned(),
        about: known.map_or("", |table| table.about),
        claims: claims.collect(),
        missing: distinct(timeless.filter_map(Measured::no_times)),
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
