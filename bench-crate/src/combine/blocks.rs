//! The blocks of rows of a file, all of them or those of one of several processes.

use std::ops::Range;

use crate::columns::{Block, Reader, Source};
use crate::error::Result;
use crate::ranks::Ranks;

/// The rows of this process, of so many, in blocks of `each`.
pub(super) fn rows(all: u64, each: usize, ranks: &Ranks) -> Range<u64> {
    let blocks = all.div_ceil(each as u64);
    let bound = |rank: usize| {
        let block = u128::from(blocks) * rank as u128 / ranks.size() as u128;
        (block as u64).saturating_mul(each as u64).min(all)
    };
    bound(ranks.rank())..bound(ranks.rank() + 1)
}

/// The blocks of some of a file's rows.
pub(super) struct Blocks<'s> {
    reader: Reader<'s>,
    rows: Range<u64>,
    each: usize,
}

impl<'s> Blocks<'s> {
    pub(super) fn new(source: &'s Source, rows: Range<u64>, each: usize) -> Result<Self> {
        let mut reader = source.read(&[])?;
        if rows.start > 0 && !rows.is_empty() {
            reader.skip(rows.start)?;
        }
        Ok(Self { reader, rows, each })
    }

    pub(super) fn next(&mut self) -> Result<Option<Block>> {
        let left = usize::try_from(self.rows.end - self.rows.start);
        let most = left.map_or(self.each, |left| left.min(self.each));
        let block = match most {
            0 => None,
            most => self.reader.block(most)?,
        };
        self.rows.start += block.as_ref().map_or(0, Block::rows) as u64;
        Ok(block)
    }
}
