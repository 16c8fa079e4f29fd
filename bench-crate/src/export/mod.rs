//! Records to text: pure functions, nothing is measured and nothing printed.

mod fit;
mod grid;
mod lines;
mod matrix;
mod sheet;
mod short;

pub use fit::{COLUMNS, hanging, wrapped};
pub use grid::Grid;
pub(crate) use lines::lines;
pub use matrix::render_matrix;
pub use short::{Room, short};

use serde_json::{Map, Value};

use crate::grouping::groups;
use crate::named::named;
use crate::number::count;
use crate::record::Record;
use crate::table::{Column, Group};

named! {
    /// The form of the results.
    Format {
        /// For a terminal.
        Table = "table",
        /// RFC 4180, with line feeds.
        Csv = "csv",
        /// A pipe table.
        Markdown = "markdown",
        /// One array of records for all tables.
        Json = "json",
    }
}

impl Format {
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

/// A table as text, line ends included; for a terminal without the columns that hold nothing.
/// JSON holds several tables as one array, see [`render_json`] and [`render_json_columns`].
pub fn render(format: Format, columns: &[Column], records: &[Record]) -> String {
    let grid = Grid::of(columns, records);
    match format {
        Format::Table if !records.is_empty() => grid.without_empty_columns().render(format),
        _ => grid.render(format),
    }
}

/// The same for a terminal of so many columns: what does not fit stands below, each part after the
/// axes in which the rows differ.
pub fn render_within(width: usize, columns: &[Column], records: &[Record]) -> String {
    let grid = Grid::of(columns, records).without_empty_columns();
    let is_key = |&column: &usize| {
        let name = grid.header[column].as_str();
        let is_axis = columns.iter().any(|of| of.name == name && of.is_axis());
        let mut texts = grid.rows.iter().map(|row| &row[column]);
        is_axis && texts.any(|text| *text != grid.rows[0][column])
    };
    let keys: Vec<usize> = (0..grid.header.len()).filter(is_key).collect();
    grid.within(width, &keys)
}

/// All records of a run as one array, with everything that is known about them.
pub fn render_json(records: &[&Record]) -> String {
    grid::pretty(&records)
}

/// The columns of all tables of a run as one array, an object a row.
pub fn render_json_columns(tables: &[(Vec<Column>, &[Record])]) -> String {
    let objects = tables.iter().flat_map(|(columns, records)| {
        let grid = Grid::of(columns, records);
        grid.objects().collect::<Vec<Map<String, Value>>>()
    });
    grid::pretty(&objects.collect::<Vec<_>>())
}

/// One line for every reason of rows that failed or were skipped, with the number of such rows.
pub fn reasons<'a>(records: impl Iterator<Item = &'a Record>) -> Vec<String> {
    let reasons = records.filter_map(|record| Some((record.status, record.reason.as_ref()?)));
    let reasons = groups(reasons, |reason| *reason).into_iter();
    let reasons = reasons.map(|((status, reason), rows)| {
        let (rows, status) = (count(rows.len(), "row"), status.name());
        format!("{rows} {status}: {reason}")
    });
    reasons.collect()
}

/// The reasons, and one line for every kind of remark, with the number of such rows. A remark of
/// one row is told whole, of several rows as far as they have it in common.
pub fn footnotes(records: &[Record]) -> Vec<String> {
    let remarks = records.iter().flat_map(|record| &record.remarks);
    // What a remark says before its first colon.
    let kind = |remark: &&String| remark.split(": ").next().unwrap_or_default().to_owned();
    let remarks = groups(remarks, kind).into_iter().map(|(kind, all)| {
        let is_same = all.iter().all(|remark| *remark == all[0]);
        format!(
            "{}: {}",
            count(all.len(), "row"),
            if is_same { all[0] } else { &kind }
        )
    });
    reasons(records.iter()).into_iter().chain(remarks).collect()
}

#[cfg(test)]
mod tests;
