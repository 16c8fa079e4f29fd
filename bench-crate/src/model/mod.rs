//! Why a sweep takes the times it takes: a model with few constants, fitted to one
//! half of the cells and scored on the other, and its account in words.
//!
//! Pure functions of records: nothing is measured here and nothing printed. The
//! idea is the one by which a GPU is usually explained (Volkov, "Understanding
//! latency hiding on GPUs", Berkeley 2016): a thread alone waits for its latency,
//! many threads together are limited by the issue rate of an SM.

mod fit;
mod law;
mod machine;
mod page;
mod simplex;
mod text;

use std::collections::BTreeMap;

use crate::record::{Record, Status};
use fit::Cell;
use law::Law;
use machine::Machine;

/// A fitted number of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Constant {
    /// A word or two.
    pub name: &'static str,
    /// In its unit.
    pub value: f64,
    /// Empty where the number has none.
    pub unit: &'static str,
    /// One sentence.
    pub meaning: &'static str,
    /// Whether the seen cells tell it: with half of it, or its double, and all other
    /// constants fitted anew, they would fit worse.
    pub determined: bool,
}

impl Constant {
    /// The value as `digits` writes it, or that the cells do not tell it.
    pub fn told(&self, digits: impl Fn(f64) -> String) -> String {
        if self.determined {
            digits(self.value)
        } else {
            "not determined by these cells".to_owned()
        }
    }
}

/// A cell beside prediction of the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Predicted {
    /// Blocks of the grid.
    pub blocks: u32,
    /// Threads of a block.
    pub threads: u32,
    /// ms.
    pub measured_ms: f64,
    /// ms.
    pub predicted_ms: f64,
    /// Whether the fit used the cell.
    pub seen: bool,
}

impl Predicted {
    /// The prediction's error as a part of the measured time, with its sign.
    pub fn error(&self) -> f64 {
        self.predicted_ms / self.measured_ms - 1.0
    }
}

/// A model fitted to one column of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// `kernel`, `span` or `published`.
    pub name: String,
    /// At most five a kernel.
    pub constants: Vec<Constant>,
    /// Every cell of the column that has a time.
    pub cells: Vec<Predicted>,
    /// The median of the absolute relative errors of the cells that the fit did not
    /// see; `None` when it saw all.
    pub median_error: Option<f64>,
    law: Law,
}

/// A model whose median error on unseen cells is larger does not explain the times.
pub const EXPLAINS: f64 = 0.15;

impl Fit {
    /// Whether its account of the times may be believed: by its error on the cells
    /// that it did not see.
    pub fn explains(&self) -> bool {
        self.median_error.is_some_and(|error| error <= EXPLAINS)
    }

    /// Whether the cells tell the constant of that name.
    fn tells(&self, name: &str) -> bool {
        let found = self.constants.iter().find(|c| c.name == name);
        found.is_some_and(|constant| constant.determined)
    }

    /// The model's time of a launch, ms: of any shape, so that a line can be drawn.
    pub fn predict(&self, blocks: u32, threads: u32) -> f64 {
        self.law.ms(blocks, threads)
    }

    /// Strips of the cells that were fitted; the model says nothing of others.
    pub fn strips(&self) -> u64 {
        self.law.strips
    }
}

/// What the model says about one sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The table.
    pub table: String,
    /// Of the kernel alone; absent where nothing was measured.
    pub kernel: Option<Fit>,
    /// Of the page's span; absent where nothing was measured.
    pub span: Option<Fit>,
    /// Of the page's own column.
    pub published: Option<Fit>,
    /// Paragraphs; every number in them comes from the fits.
    pub text: Vec<String>,
}

/// Explains the records of one sweep on one machine. `None` for another table.
///
/// Without times (no GPU), or with too few of them, the page's column is explained
/// alone.
pub fn explain(records: &[Record]) -> Option<Explanation> {
    let table = &records.first()?.table;
    let page = page::of(table)?;
    let strips = common_strips(records)?;
    let machine = machine_of(records);
    let column = |metric: &str| cells(records, strips, metric);
    let kernel = machine.as_ref().and_then(|machine| {
        let cells = column("kernel");
        fit::kernel(machine, strips, &cells)
    });
    let span = kernel.as_ref().and_then(|(_, law)| {
        let cells = column("gpu");
        fit::span(law, &cells)
    });
    let (kernel, span) = (kernel.map(|fit| fit.0), span.map(|fit| fit.0));
    Some(Explanation {
        table: table.clone(),
        text: text::paragraphs(kernel.as_ref(), span.as_ref(), page),
        kernel,
        span,
        published: page.fit.clone(),
    })
}

/// The model of the page's own column of a sweep; `None` for another table.
pub fn published(table: &str) -> Option<&'static Fit> {
    page::of(table)?.fit.as_ref()
}

/// The number of strips of most records; the larger one of two that tie.
fn common_strips(records: &[Record]) -> Option<u64> {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for strips in records.iter().filter_map(strips_of) {
        *counts.entry(strips).or_default() += 1;
    }
    let most = counts
        .iter()
        .max_by_key(|&(strips, count)| (*count, *strips));
    most.map(|(&strips, _)| strips)
}

fn machine_of(records: &[Record]) -> Option<Machine> {
    let info = records.iter().find_map(|record| record.device.as_ref())?;
    let registers = records.iter().find_map(|record| record.number("registers"));
    Machine::of(info, registers.map(|registers| registers as u32))
}

/// The cells with a time, in the order of the fit.
fn cells(records: &[Record], strips: u64, metric: &str) -> Vec<Cell> {
    let cell = |record: &Record| {
        let ms = record.ms(metric).filter(|ms| *ms > 0.0)?;
        let shape = (record.cell.small("blocks")?, record.cell.small("threads")?);
        Some((shape.0, shape.1, ms))
    };
    let right = |record: &&Record| record.status == Status::Ok && strips_of(record) == Some(strips);
    fit::in_order(records.iter().filter(right).filter_map(cell).collect())
}

fn strips_of(record: &Record) -> Option<u64> {
    record.cell.number("strips")
}

#[cfg(test)]
mod tests;
