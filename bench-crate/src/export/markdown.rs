//! Markdown: a pipe table, numbers to the right.

use super::cells;
use crate::record::Record;
use crate::table::Column;

fn line(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().collect();
    format!("| {} |\n", cells.join(" | "))
}

/// A header, a rule, and a line a record.
pub(super) fn render(columns: &[Column], records: &[Record]) -> String {
    let header: Vec<String> = columns
        .iter()
        .map(|column| column.name.to_string())
        .collect();
    let rows: Vec<Vec<String>> = records
        .iter()
        .map(|record| cells(columns, record))
        .collect();
    lines(&header, &rows)
}

/// Numbers to the right.
pub(super) fn lines(header: &[String], rows: &[Vec<String>]) -> String {
    let escape = |text: &String| text.replace('|', "\\|").replace('\n', " ");
    let mut text = line(header.iter().map(escape));
    text += &line(header.iter().map(|_| "---:".to_owned()));
    for row in rows {
        text += &line(row.iter().map(escape));
    }
    text
}
