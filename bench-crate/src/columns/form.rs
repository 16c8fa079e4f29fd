//! What there has to be for each form of files: a reading of its rows, and a writing.

use std::io;

use super::block::{Block, Column, Heading};
use super::{Problem, ROWS};

/// What divides cells of text, where nothing else is said.
pub(crate) const COMMA: u8 = b',';

/// What reads rows of a form.
pub(super) trait Rows {
    /// The columns.
    fn headings(&self) -> &[Heading];

    /// Whether the file says how its columns are called.
    fn has_names(&self) -> bool {
        true
    }

    /// How many rows there are, where the file says so.
    fn rows(&self) -> Option<u64> {
        None
    }

    /// What divides cells in text.
    fn separator(&self) -> u8 {
        COMMA
    }

    /// Leaves out the next rows.
    fn skip(&mut self, mut rows: u64) -> Result<(), Problem> {
        while rows > 0 {
            let most = usize::try_from(rows).map_or(ROWS, |rows| rows.min(ROWS));
            match self.block(most)? {
                Some(block) => rows -= block.rows() as u64,
                None => break,
            }
        }
        Ok(())
    }

    /// The next rows, at most so many; nothing behind the last.
    fn block(&mut self, most: usize) -> Result<Option<Block>, Problem>;
}

/// What writes rows of a form.
pub(super) trait Writer {
    /// Appends rows: the cells of all columns, in the order of the headings.
    fn write(&mut self, columns: &[&Column]) -> io::Result<()>;

    /// Ends the file.
    fn finish(&mut self) -> io::Result<()>;
}
