//! A matrix, blocks down and threads across: as a table for a terminal, or in Markdown.

use super::{Format, Grid};
use crate::table::Matrix;

/// The corner of every matrix: what goes down and what goes across.
const CORNER: &str = "BLOCK \\ THREAD";

/// The title, and a line a number of blocks, in parts that fit the width of a terminal where it is
/// known; empty in forms that have no room for words.
pub fn render_matrix(format: Format, matrix: &Matrix, width: Option<usize>) -> String {
    let threads = matrix.threads.iter().map(u32::to_string);
    let rows = matrix.blocks.iter().zip(&matrix.cells);
    let grid = Grid {
        header: [CORNER.to_owned()].into_iter().chain(threads).collect(),
        rows: rows
            .map(|(blocks, cells)| [&[blocks.to_string()], &cells[..]].concat())
            .collect(),
    };
    let text = match (format, width) {
        (Format::Table, Some(width)) => grid.within(width, &[0]),
        _ => grid.render(format),
    };
    let title = &matrix.title;
    match format {
        Format::Table => format!("{title}\n{text}"),
        Format::Markdown => format!("{title}:\n\n{text}"),
        Format::Csv | Format::Json => String::new(),
    }
}
