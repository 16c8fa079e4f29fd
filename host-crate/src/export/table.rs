//! A table for a terminal: columns that hold nothing are left out.

use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};

use super::cells;
use crate::record::Record;
use crate::tables::Column;

/// A header, a rule, and a line a record.
pub(super) fn render(columns: &[Column], records: &[Record]) -> String {
    let rows: Vec<Vec<String>> = records
        .iter()
        .map(|record| cells(columns, record))
        .collect();
    let used: Vec<usize> = (0..columns.len())
        .filter(|&index| rows.is_empty() || rows.iter().any(|row| !row[index].is_empty()))
        .collect();
    let header: Vec<&str> = used
        .iter()
        .map(|&index| columns[index].name.as_str())
        .collect();
    let rows: Vec<Vec<&str>> = rows
        .iter()
        .map(|row| used.iter().map(|&index| row[index].as_str()).collect())
        .collect();
    lines(&header, &rows)
}

/// A header, a rule, and the rows; numbers to the right.
pub(crate) fn lines<T: AsRef<str>>(header: &[T], rows: &[Vec<T>]) -> String {
    let mut table = Table::new();
    table.load_style(ASCII_MARKDOWN);
    table.set_header(header.iter().map(AsRef::as_ref));
    for row in rows {
        table.add_row(row.iter().map(AsRef::as_ref));
    }
    for column in table.column_iter_mut() {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!("{table}\n")
}
