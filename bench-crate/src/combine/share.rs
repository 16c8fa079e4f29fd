//! The rows of a file that this process has, of several: neighbouring blocks, the first process the
//! first ones. No process has all of them.
//!
//! What is carried from block to block goes from process to process in that order, a few bytes each
//! time. So results have the bits that one process gives.

use std::ops::Range;

use super::Taken;
use super::blocks::{Blocks, rows};
use super::kernels::Element;
use super::operation::Form;
use super::pieces::{Carried, Pieces, Results};
use super::request::Chosen;
use super::survey::Survey;
use crate::columns::{Block, Column, Source, Watch, message};
use crate::error::Result;
use crate::ranks::{FIRST, Ranks};

/// What is combined of a file, by one process of several.
pub(super) struct Share<'a, T> {
    pub(super) pieces: Pieces<T>,
    pub(super) source: &'a Source,
    pub(super) chosen: Chosen,
    pub(super) survey: &'a Survey,
    pub(super) ranks: &'a Ranks,
}

impl<T: Element> Share<'_, T> {
    /// Hands the columns of results to `take`, a block of rows after the other: on the first process
    /// those of all, on the others none.
    pub(super) fn results(
        mut self,
        watch: &mut dyn Watch,
        mut take: impl FnMut(&[&Column]) -> Taken,
    ) -> Taken {
        self.begin()?;
        if !self.ranks.is_first() {
            let ranks = self.ranks;
            self.own(watch, |columns| {
                ranks.send(FIRST, &message::to_bytes(columns));
                Ok(())
            })?;
            ranks.send(FIRST, &[]);
            return Ok(());
        }
        let (ranks, mut done) = (self.ranks, self.rows().end);
        let all = self.survey.read;
        self.own(watch, &mut take)?;
        for rank in 1..ranks.size() {
            loop {
                let columns = message::from_bytes(&ranks.receive(rank));
                let Some(first) = columns.first() else { break };
                done += first.rows() as u64;
                take(&columns.iter().collect::<Vec<_>>())?;
                watch.progress(done.min(all), all);
            }
        }
        Ok(())
    }

    fn rows(&self) -> Range<u64> {
        rows(self.survey.read, self.chosen.rows(), self.ranks)
    }

    /// The next blocks, one for each device, with their numbers; none at the end.
    fn read(&self, blocks: &mut Blocks<'_>) -> Result<Vec<(Block, Vec<T>)>> {
        let mut read = Vec::new();
        while read.len() < self.pieces.devices()
            && let Some(block) = blocks.next()?
        {
            let numbers = self.survey.numbers(self.source, &block)?;
            read.push((block, numbers));
        }
        Ok(read)
    }

    /// Carries what stands before the rows of this process to it, and on to the next process.
    fn begin(&mut self) -> Result<()> {
        let (ranks, key) = (self.ranks, self.chosen.key);
        if ranks.is_alone() || self.pieces.in_row().is_some() {
            return Ok(());
        }
        // Nobody asks for what the last process adds, unless it is the result.
        let is_number = self.survey.form == Form::Reduce;
        let mut totals = Vec::new();
        if is_number || !ranks.is_last() {
            let mut blocks = Blocks::new(self.source, self.rows(), self.chosen.rows())?;
            while let read = self.read(&mut blocks)?
                && !read.is_empty()
            {
                let combined = self.pieces.combined(&read, key)?.into_iter();
                totals.extend(combined.map(|of| of.total));
            }
        }
        let before = match ranks.is_first() {
            true => None,
            false => Carried::from_bytes(&ranks.receive(ranks.rank() - 1)),
        };
        self.pieces.carried = before.clone();
        totals
            .into_iter()
            .for_each(|total| self.pieces.carry(total));
        if !ranks.is_last() {
            let carried = self.pieces.carried.as_ref();
            ranks.send(ranks.rank() + 1, &Carried::to_bytes(carried));
        }
        if !is_number {
            self.pieces.carried = before;
        }
        Ok(())
    }

    /// The results of this process's rows.
    fn own(&mut self, watch: &mut dyn Watch, mut take: impl FnMut(&[&Column]) -> Taken) -> Taken {
        let is_number = self.survey.form == Form::Reduce;
        // A number is known by now, but to one process.
        if self.ranks.is_alone() || !is_number {
            let (rows, each) = (self.rows(), self.chosen.rows());
            let (mut done, mut blocks) = (rows.start, Blocks::new(self.source, rows, each)?);
            while let read = self.read(&mut blocks)?
                && !read.is_empty()
            {
                let combined = self.pieces.combined(&read, self.chosen.key)?;
                for ((block, _), combined) in read.iter().zip(combined) {
                    for results in self.pieces.next(block, combined, self.chosen.key) {
                        let beside = self.survey.beside.iter().map(|k| &block.columns[*k]);
                        columns_of(beside.collect(), &results, self.chosen.width, &mut take)?;
                    }
                    done += block.rows() as u64;
                    watch.progress(done, self.survey.read);
                }
            }
        }
        match self.pieces.end().filter(|_| self.ranks.is_last()) {
            Some(results) => columns_of(Vec::new(), &results, self.chosen.width, &mut take),
            None => Ok(()),
        }
    }
}

/// Hands results, of which a row has so many, to `take`, with the columns beside them.
fn columns_of<T: Element>(
    beside: Vec<&Column>,
    results: &Results<T>,
    width: usize,
    take: &mut impl FnMut(&[&Column]) -> Taken,
) -> Taken {
    let of_column = |k: usize| results.values.iter().skip(k).step_by(width).copied();
    let values = (0..width).map(|k| Column::of::<T>(&of_column(k).collect::<Vec<_>>()));
    let values: Vec<Column> = values.collect();
    let mut columns = beside;
    columns.extend(&results.keys);
    columns.extend(&values);
    take(&columns)
}
