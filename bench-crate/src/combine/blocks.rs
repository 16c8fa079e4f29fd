//! The blocks of rows of a file, all of them or those of one of several processes.

use std::ops::Range;

use crate::columns::{Block, ROWS, Reader, Source};
use crate::error::Result;
use crate::ranks::Ranks;

/// The rows of this process, of so many.
pub(super) fn rows(all: u64, ranks: &Ranks) -> Range<u64> {
    let blocks = all.div_ceil(ROWS as u64);
    let bound = |rank: usize| {
        let block = u128::from(blocks) * rank as u128 / ranks.size() as u128;
        (block as u64).saturating_mul(ROWS as u64).min(all)
    };
    bound(ranks.rank())..bound(ranks.rank() + 1)
}

/// The blocks of some of a file's rows.
pub(super) struct Blocks<'s> {
    reader: Reader<'s>,
    rows: Range<u64>,
}

impl<'s> Blocks<'s> {
    pub(super) fn new(source: &'s Source, rows: Range<u64>) -> Result<Self> {
        let mut reader = source.read(&[])?;
        if rows.start > 0 && !rows.is_empty() {
            reader.skip(rows.start)?;
        }
        Ok(Self { reader, rows })
    }

    pub(super) fn next(&mut self) -> Result<Option<Block>> {
        let left = usize::try_from(self.rows.end - self.rows.start);
        let most = left.map_or(ROWS, |left| left.min(ROWS));
        let block = match most {
            0 => None,
            most => self.reader.block(most)?,
        };
        self.rows.start += block.as_ref().map_or(0, Block::rows) as u64;
        Ok(block)
    }
}
