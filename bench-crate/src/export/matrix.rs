//! A matrix, blocks down and threads across: as a table for a terminal, or in
//! Markdown.

use super::{Format, lines, markdown};
use crate::table::Matrix;

/// The corner of every matrix: what goes down and what goes across.
const CORNER: &str = "BLOCK \\ THREAD";

/// The title, and a line a number of blocks; empty in forms that have no room for
/// words.
pub fn render_matrix(format: Format, matrix: &Matrix) -> String {
    let header: Vec<String> = std::iter::once(CORNER.to_owned())
        .chain(matrix.threads.iter().map(u32::to_string))
        .collect();
    let rows: Vec<Vec<String>> = matrix
        .blocks
        .iter()
        .zip(&matrix.cells)
        .map(|(blocks, cells)| {
            std::iter::once(blocks.to_string())
                .chain(cells.iter().cloned())
                .collect()
        })
        .collect();
    match format {
        Format::Table => format!("{}\n{}", matrix.title, lines::lines(&header, &rows)),
        Format::Markdown => format!("{}:\n\n{}", matrix.title, markdown::lines(&header, &rows)),
        Format::Csv | Format::Json => String::new(),
    }
}
