//! A table's second form: one figure by blocks and threads, as the page of 2010
//! prints it. How it is written is `export`'s.

use crate::record::Record;

/// Texts by blocks (down) and threads (across). Cells without a figure are empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Matrix {
    /// What the figures are.
    pub title: String,
    /// Numbers of blocks, rising.
    pub blocks: Vec<u32>,
    /// Numbers of threads, rising.
    pub threads: Vec<u32>,
    /// A row a number of blocks.
    pub cells: Vec<Vec<String>>,
}

impl Matrix {
    /// The records' text in a column. `None` where that is empty throughout, where
    /// the records are a single row or column, or where they have several numbers
    /// of strips.
    pub fn of(
        title: impl Into<String>,
        records: &[Record],
        text: impl Fn(&Record) -> String,
    ) -> Option<Self> {
        let strips = records.first()?.cell.number("strips");
        let blocks = rising(records.iter().map(|record| record.cell.small("blocks")));
        let threads = rising(records.iter().map(|record| record.cell.small("threads")));
        if blocks.len() < 2 || threads.len() < 2 {
            return None;
        }
        if records
            .iter()
            .any(|record| record.cell.number("strips") != strips)
        {
            return None;
        }
        let mut cells = vec![vec![String::new(); threads.len()]; blocks.len()];
        for record in records {
            let row = blocks
                .iter()
                .position(|&b| Some(b) == record.cell.small("blocks"));
            let column = threads
                .iter()
                .position(|&t| Some(t) == record.cell.small("threads"));
            if let (Some(row), Some(column)) = (row, column) {
                cells[row][column] = text(record);
            }
        }
        let empty = cells.iter().flatten().all(String::is_empty);
        (!empty).then_some(Matrix {
            title: title.into(),
            blocks,
            threads,
            cells,
        })
    }
}

/// The values without repetition, in order of size.
fn rising(values: impl Iterator<Item = Option<u32>>) -> Vec<u32> {
    let mut values: Vec<u32> = values.flatten().collect();
    values.sort_unstable();
    values.dedup();
    values
}
