//! A column in pieces: each block of rows is a launch of its own, and what the rows above it are
//! together is combined with what came of it. So a column may be larger than the device's memory,
//! several devices and processes share it, and what is combined first depends on the number of rows alone.
//! Along an axis a row has many elements: one of each line, or, along axis 1, a line.

use quadscan::device::Module;

use super::kernels::{Element, Kernels, Launch, Lines};
use super::operation::Form;
use super::request::{Chosen, Request};
use crate::columns::{Block, Column, message};
use crate::device;
use crate::error::Result;

/// What has been combined of the rows so far.
pub(super) struct Pieces<T> {
    form: Form,
    is_exclusive: bool,
    lines: Option<Lines>,
    /// One for each device.
    launches: Vec<Launch<T>>,
    combine: fn(T, T) -> T,
    nothing: T,
    /// What the rows so far are together.
    pub(super) carried: Option<Carried<T>>,
}

/// What rows are together, down each line; by key, those of the last key.
#[derive(Clone, Debug)]
pub(super) struct Carried<T> {
    values: Vec<T>,
    /// The key's cell.
    key: Option<Column>,
}

/// A block by itself.
pub(super) struct Combined<T> {
    /// Of scans a value each element, of reductions one each key,
    values: Vec<T>,
    /// the elements where keys or lines begin,
    starts: Vec<usize>,
    /// and what it adds.
    pub(super) total: Total<T>,
}

/// What a block adds to what is carried.
pub(super) struct Total<T> {
    /// The key of its first row.
    key: Option<Column>,
    /// Whether all its rows have that one.
    is_one: bool,
    last: Carried<T>,
}

/// Rows of results.
pub(super) struct Results<T> {
    /// The keys, of a reduction by key.
    pub(super) keys: Option<Column>,
    pub(super) values: Vec<T>,
}

impl<T: Element> Carried<T> {
    /// For another process.
    pub(super) fn to_bytes(of: Option<&Self>) -> Vec<u8> {
        let value = of.map(|of| Column::of(&of.values));
        let key = of.and_then(|of| of.key.as_ref());
        message::to_bytes(&value.iter().chain(key).collect::<Vec<_>>())
    }

    /// What another process has made of it.
    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut columns = message::from_bytes(bytes).into_iter();
        let values = columns.next()?;
        let value = |line| bytemuck::pod_read_unaligned(values.bytes(line));
        Some(Self {
            values: (0..values.rows()).map(value).collect(),
            key: columns.next(),
        })
    }

    /// Whether rows with this key, or without any, go on with it.
    fn goes_on(&self, key: Option<&Column>) -> bool {
        match (&self.key, key) {
            (Some(last), Some(key)) => last.bytes(0) == key.bytes(0),
            _ => true,
        }
    }
}

impl<T: Element> Pieces<T> {
    /// Of no rows yet.
    pub(super) fn new(
        request: &Request,
        kernels: &Kernels<T>,
        modules: &[Module],
        chosen: Chosen,
    ) -> quadscan::Result<Self> {
        let lines = request.axis.map(|axis| Lines {
            axis,
            width: chosen.width,
            rows: chosen.rows(),
        });
        let launches = modules.iter().map(|module| (kernels.launch)(module, lines));
        Ok(Self {
            form: request.form,
            is_exclusive: request.is_exclusive,
            lines,
            launches: launches.collect::<quadscan::Result<_>>()?,
            combine: kernels.combine,
            nothing: kernels.nothing,
            carried: None,
        })
    }

    /// How many blocks are combined at a time.
    pub(super) fn devices(&self) -> usize {
        self.launches.len()
    }

    /// Blocks with their numbers by themselves, on a device each, of which there are enough. `key` is the
    /// column of keys, where there is one.
    pub(super) fn combined(
        &mut self,
        blocks: &[(Block, Vec<T>)],
        key: Option<usize>,
    ) -> Result<Vec<Combined<T>>> {
        let (nothing, stride, in_row) = (self.nothing, self.stride(), self.in_row());
        let combine = |launch: &mut Launch<T>, (block, numbers): &(Block, Vec<T>)| {
            let key = key.map(|key| &block.columns[key]);
            let line = in_row.unwrap_or(numbers.len()).max(1);
            let lines = || (0..numbers.len()).step_by(line).collect();
            let starts = key.map_or_else(lines, |key| starts(key, block.rows()));
            let all = numbers.len();
            let ends = starts.iter().skip(1).chain([&all]);
            let offsets: Vec<u32> = [0].into_iter().chain(ends.map(|&row| row as u32)).collect();
            let values = launch(numbers, &offsets)?;
            let total = Total {
                key: key.map(|key| key.pick(&[0])),
                is_one: starts.len() == 1,
                last: Carried {
                    values: (values.rchunks(stride).next())
                        .map_or_else(|| vec![nothing; stride], <[T]>::to_vec),
                    key: key.map(|key| key.pick(&[block.rows() - 1])),
                },
            };
            Ok(Combined {
                values,
                starts,
                total,
            })
        };
        let combined = device::at_once(&mut self.launches, blocks, combine);
        combined.into_iter().collect()
    }

    /// Elements from one of a line to the next.
    fn stride(&self) -> usize {
        let is_down = |lines: &Lines| lines.axis == 0;
        self.lines.filter(is_down).map_or(1, |lines| lines.width)
    }

    /// Elements of a line that is a row: nothing goes on from it to the next.
    pub(super) fn in_row(&self) -> Option<usize> {
        let is_along = |lines: &Lines| lines.axis == 1;
        self.lines.filter(is_along).map(|lines| lines.width)
    }

    /// Carries what a block adds on.
    pub(super) fn carry(&mut self, total: Total<T>) {
        if self.in_row().is_some() {
            return;
        }
        let mut last = total.last;
        if let Some(before) = self.carried.take()
            && total.is_one
            && before.goes_on(total.key.as_ref())
        {
            for (value, before) in last.values.iter_mut().zip(before.values) {
                *value = (self.combine)(before, *value);
            }
        }
        self.carried = Some(last);
    }

    /// The results of the next rows: of scans one each, of reductions those that are known now.
    pub(super) fn next(
        &mut self,
        block: &Block,
        combined: Combined<T>,
        key: Option<usize>,
    ) -> Vec<Results<T>> {
        let key = key.map(|key| &block.columns[key]);
        let Combined {
            mut values,
            starts,
            total,
        } = combined;
        let mut results = Vec::new();
        let goes_on = |carried: &Carried<T>| carried.goes_on(total.key.as_ref());
        let before = match self.carried.as_ref().filter(|carried| goes_on(carried)) {
            Some(carried) => Some(carried.values.clone()),
            // A key that ended with the rows above is done.
            None => {
                results.extend(self.end());
                None
            }
        };
        if let Some(before) = &before {
            let first = match self.form {
                Form::Scan | Form::ScanByKey => starts.get(1).copied().unwrap_or(values.len()),
                Form::Reduce | Form::ReduceByKey => 1,
            };
            for (value, before) in values[..first].iter_mut().zip(before.iter().cycle()) {
                *value = (self.combine)(*before, *value);
            }
        }
        self.carry(total);
        match self.form {
            Form::Scan | Form::ScanByKey => {
                if self.is_exclusive {
                    let stride = self.stride();
                    values.rotate_right(stride);
                    starts
                        .iter()
                        .for_each(|at| values[*at..][..stride].fill(self.nothing));
                    values[..stride].copy_from_slice(&before.unwrap_or(vec![self.nothing; stride]));
                }
                results.push(Results { keys: None, values });
            }
            Form::Reduce => {}
            // The last key may go on.
            Form::ReduceByKey => {
                values.pop();
                results.push(Results {
                    keys: key.map(|key| key.pick(&starts[..values.len()])),
                    values,
                });
            }
        }
        results
    }

    /// What reductions have left when all rows were there.
    pub(super) fn end(&mut self) -> Option<Results<T>> {
        let is_reduction = matches!(self.form, Form::Reduce | Form::ReduceByKey);
        let Carried { values, key } = self.carried.take().filter(|_| is_reduction)?;
        Some(Results { keys: key, values })
    }
}

/// The rows that have another key than the row before them, and the first.
pub(super) fn starts(key: &Column, rows: usize) -> Vec<usize> {
    let is_start = |row: &usize| *row == 0 || key.bytes(*row) != key.bytes(*row - 1);
    (0..rows).filter(is_start).collect()
}
