//! A table of texts for a terminal. It depends on `comfy_table` alone: `cargo xtask` includes
//! this file.

use comfy_table::{CellAlignment, Table, presets::ASCII_MARKDOWN};

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
