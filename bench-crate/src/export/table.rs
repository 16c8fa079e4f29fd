//! A table for a terminal: columns that hold nothing are left out.

use super::cells;
use super::lines::lines;
use crate::record::Record;
use crate::table::Column;

/// A header, a rule, and a line a record.
pub(super) fn render(columns: &[Column], records: &[Record]) -> String {
    let rows: Vec<Vec<String>> = records
        .iter()
        .map(|record| cells(columns, record))
        .collect();
    let used: Vec<usize> = (0..columns.len())
        .filter(|&index| rows.is_empty() || rows.iter().any(|row| !row[index].is_empty()))
        .collect();
    let header: Vec<&str> = used.iter().map(|&index| &*columns[index].name).collect();
    let rows: Vec<Vec<&str>> = rows
        .iter()
        .map(|row| used.iter().map(|&index| row[index].as_str()).collect())
        .collect();
    lines(&header, &rows)
}
