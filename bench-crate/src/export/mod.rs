//! Records to text: pure functions, nothing is measured and nothing printed.

mod csv;
mod json;
mod lines;
mod markdown;
mod matrix;
pub mod report;
mod table;

pub(crate) use lines::lines;
pub use matrix::render_matrix;

use crate::record::{Record, Status};
use crate::table::{Column, Group};

/// The form of the results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For a terminal.
    Table,
    /// RFC 4180, with line feeds.
    Csv,
    /// A pipe table.
    Markdown,
    /// One array of records for all tables.
    Json,
}

impl Format {
    /// As it is typed.
    pub fn by_name(name: &str) -> Option<Self> {
        match name {
            "table" => Some(Format::Table),
            "csv" => Some(Format::Csv),
            "markdown" => Some(Format::Markdown),
            "json" => Some(Format::Json),
            _ => None,
        }
    }

    /// Whether words beside the numbers may stand in it.
    pub fn has_room_for_words(self) -> bool {
        matches!(self, Format::Table | Format::Markdown)
    }
}

/// The columns that a form shows, in order: the published ones, ours, the
/// published figures; or the published ones alone.
pub fn select(columns: Vec<Column>, format: Format, published: bool) -> Vec<Column> {
    let order = |column: &Column| match column.group {
        Group::Published => 0,
        Group::Ours => 1,
        Group::Reference => 2,
    };
    let mut selected: Vec<Column> = columns
        .into_iter()
        .filter(|column| {
            if published {
                column.group == Group::Published
            } else {
                !(column.detail && format.has_room_for_words())
            }
        })
        .collect();
    selected.sort_by_key(order);
    selected
}

/// A table as text, line ends included. JSON holds several tables as one array,
/// see [`render_json`] and [`render_json_columns`].
pub fn render(format: Format, columns: &[Column], records: &[Record]) -> String {
    match format {
        Format::Csv => csv::render(columns, records),
        Format::Markdown => markdown::render(columns, records),
        Format::Table => table::render(columns, records),
        Format::Json => json::render_columns([(columns, records)]),
    }
}

/// Rows of texts below a header, none of them records, line ends included.
pub(crate) fn render_rows(format: Format, header: &[String], rows: &[Vec<String>]) -> String {
    match format {
        Format::Csv => csv::lines(header, rows),
        Format::Markdown => markdown::lines(header, rows),
        Format::Table => lines::lines(header, rows),
        Format::Json => json::objects(header, rows),
    }
}

/// All records of a run as one array.
pub fn render_json(records: &[&Record]) -> String {
    json::render_records(records)
}

/// The columns of all tables of a run as one array, an object a row.
pub fn render_json_columns(tables: &[(Vec<Column>, &[Record])]) -> String {
    json::render_columns(
        tables
            .iter()
            .map(|(columns, records)| (columns.as_slice(), *records)),
    )
}

/// One line for every reason of rows that failed or were skipped, and for every kind
/// of remark, with the number of such rows. A remark of one row is told whole, of
/// several rows as far as they have it in common.
pub fn footnotes(records: &[Record]) -> Vec<String> {
    let mut lines = reasons(records);
    lines.extend(remarks(records));
    lines
}

/// `row` or `rows`.
fn rows(count: usize) -> &'static str {
    if count == 1 { "row" } else { "rows" }
}

/// What a remark says before its first colon.
fn kind(remark: &str) -> &str {
    remark.split_once(": ").map_or(remark, |(kind, _)| kind)
}

fn remarks(records: &[Record]) -> Vec<String> {
    // Kind, number of rows, and the sentence while all rows have the same.
    let mut notes: Vec<(&str, usize, Option<&str>)> = Vec::new();
    for remark in records.iter().flat_map(|record| &record.remarks) {
        match notes.iter_mut().find(|note| note.0 == kind(remark)) {
            Some(note) => {
                note.1 += 1;
                note.2 = note.2.filter(|same| same == remark);
            }
            None => notes.push((kind(remark), 1, Some(remark))),
        }
    }
    notes
        .into_iter()
        .map(|(kind, count, same)| format!("{count} {}: {}", rows(count), same.unwrap_or(kind)))
        .collect()
}

fn reasons(records: &[Record]) -> Vec<String> {
    let mut notes: Vec<(Status, &str, usize)> = Vec::new();
    for record in records {
        let Some(reason) = record.reason.as_deref() else {
            continue;
        };
        match notes
            .iter_mut()
            .find(|note| (note.0, note.1) == (record.status, reason))
        {
            Some(note) => note.2 += 1,
            None => notes.push((record.status, reason, 1)),
        }
    }
    notes
        .into_iter()
        .map(|(status, reason, count)| {
            format!("{count} {} {}: {reason}", rows(count), status.name())
        })
        .collect()
}

/// The texts of a record under the columns.
fn cells(columns: &[Column], record: &Record) -> Vec<String> {
    columns.iter().map(|column| column.text(record)).collect()
}

#[cfg(test)]
mod tests;
