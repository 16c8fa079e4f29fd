//! Markdown: a pipe table, numbers to the right.

use super::cells;
use crate::record::Record;
use crate::tables::Column;

fn line(cells: impl IntoIterator<Item = String>) -> String {
    let cells: Vec<String> = cells.into_iter().collect();
    format!("| {} |\n", cells.join(" | "))
}

/// A header, a rule, and a line a record.
pub(super) fn render(columns: &[Column], records: &[Record]) -> String {
    let escape = |text: String| text.replace('|', "\\|").replace('\n', " ");
    let mut text = line(columns.iter().map(|column| escape(column.name.clone())));
    text += &line(columns.iter().map(|_| "---:".to_owned()));
    for record in records {
        text += &line(cells(columns, record).into_iter().map(escape));
    }
    text
}
