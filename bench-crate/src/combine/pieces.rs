//! A column in pieces: each block of rows is a launch, before whose elements stands what is
//! carried from the rows above. So a column may be larger than the device's memory, and what is
//! combined first depends on the number of rows alone.

use quadscan::device::Module;

use super::kernels::{Element, Kernels, Launch};
use super::operation::Form;
use super::request::Request;
use crate::columns::{Block, Column};
use crate::error::Result;

/// What has been combined of the rows so far.
pub(super) struct Pieces<T> {
    form: Form,
    is_exclusive: bool,
    launch: Launch<T>,
    combine: fn(T, T) -> T,
    carried: Option<Carried<T>>,
}

/// What the rows so far are together; by key, those of the last key.
struct Carried<T> {
    value: T,
    /// The key's cell.
    key: Option<Column>,
}

/// Rows of results.
pub(super) struct Results<T> {
    /// The keys, of a reduction by key.
    pub(super) keys: Option<Column>,
    pub(super) values: Vec<T>,
}

impl<T: Element> Pieces<T> {
    /// Of no rows yet.
    pub(super) fn new(
        request: &Request,
        kernels: &Kernels<T>,
        module: &Module,
    ) -> quadscan::Result<Self> {
        Ok(Self {
            form: request.form,
            is_exclusive: request.is_exclusive,
            launch: (kernels.launch)(module, request.is_exclusive)?,
            combine: kernels.combine,
            carried: None,
        })
    }

    /// The results of the next rows: of scans one each, of reductions those that are known now.
    /// `key` is the column of keys, where there is one.
    pub(super) fn next(
        &mut self,
        block: &Block,
        numbers: Vec<T>,
        key: Option<usize>,
    ) -> Result<Vec<Results<T>>> {
        let key = key.map(|key| &block.columns[key]);
        let mut results = Vec::new();
        // A key that ended with the rows above is done.
        let goes_on = match (&self.carried, key) {
            (
                Some(Carried {
                    key: Some(last), ..
                }),
                Some(key),
            ) => last.bytes(0) == key.bytes(0),
            (carried, _) => carried.is_some(),
        };
        let carried = match goes_on {
            true => self.carried.take().map(|carried| carried.value),
            false => {
                results.extend(self.end());
                None
            }
        };
        let starts = key.map_or(Vec::new(), |key| starts(key, block.rows()));
        let before = usize::from(carried.is_some());
        let last = numbers.last().copied();
        let elements: Vec<T> = carried.into_iter().chain(numbers).collect();
        let offsets: Vec<u32> = starts
            .iter()
            .enumerate()
            // The first segment has what is carried to it.
            .map(|(k, &row)| if k == 0 { 0 } else { (row + before) as u32 })
            .chain([elements.len() as u32])
            .collect();
        let mut found = (self.launch)(&elements, &offsets)?;
        let last = match (found.last().copied(), last) {
            (Some(found), Some(last)) if self.is_exclusive => Some((self.combine)(found, last)),
            (found, _) => found,
        };
        let end = block.rows().saturating_sub(1);
        self.carried = last.map(|value| Carried {
            value,
            key: key.map(|key| key.pick(&[end])),
        });
        match self.form {
            Form::Scan | Form::ScanByKey => results.push(Results {
                keys: None,
                values: found.split_off(before),
            }),
            Form::Reduce => {}
            // The last segment may go on.
            Form::ReduceByKey => {
                found.pop();
                results.push(Results {
                    keys: key.map(|key| key.pick(&starts[..found.len()])),
                    values: found,
                });
            }
        }
        Ok(results)
    }

    /// What reductions have left when all rows were there.
    pub(super) fn end(&mut self) -> Option<Results<T>> {
        let is_reduction = matches!(self.form, Form::Reduce | Form::ReduceByKey);
        let Carried { value, key } = self.carried.take().filter(|_| is_reduction)?;
        let values = vec![value];
        Some(Results { keys: key, values })
    }
}

/// The rows that have another key than the row before them, and the first.
pub(super) fn starts(key: &Column, rows: usize) -> Vec<usize> {
    let is_start = |row: &usize| *row == 0 || key.bytes(*row) != key.bytes(*row - 1);
    (0..rows).filter(is_start).collect()
}
