//! `scan` and `reduce`: operations on whole arrays, by type and size, beside a copy of as
//! many bytes and beside peers.
//!
//! Nothing of it was published. What is timed is what an application gets: a plan's
//! launches, recorded in a graph (`docs/measurement.md`). On the emulator a row has the
//! result compared and the launch counted.

pub(in crate::tables) mod asked;
mod columns;
mod means;

pub use asked::Asked;

use super::{Column, Libraries, Selection, Table};
use crate::error::Result;
use crate::peers::operation::Element;
use crate::record::{Key, Record};
use crate::worker::protocol::{Reading, Task};
use crate::workload::{Family, Workload};

/// The algorithm of rows that leave it to the plan.
pub const DEFAULT: &str = "default";

/// The exponent of the smallest size where none is named.
const SMALLEST: u32 = 10;

/// The most elements.
const MOST: u64 = 1 << 33;

/// The most elements on the emulator where no size is named.
const MOST_EMULATED: u64 = 1 << 16;

/// A table of workloads.
pub struct Workloads {
    family: Family,
}

/// Prefix scans.
pub const SCAN: Workloads = Workloads {
    family: Family::Scan,
};

/// Reductions.
pub const REDUCE: Workloads = Workloads {
    family: Family::Reduce,
};

/// A cell's workload and type.
pub(crate) fn workload(key: &Key) -> Option<(&'static Workload, Element)> {
    let workload = Workload::by_name(key.operation.as_deref()?)?;
    Some((workload, Element::by_name(key.element.as_deref()?)?))
}

/// Whether a cell leaves the algorithm to the plan.
pub(crate) fn is_default(key: &Key) -> bool {
    key.algorithm.as_deref() == Some(DEFAULT)
}

impl Table for Workloads {
    fn name(&self) -> &'static str {
        match self.family {
            Family::Scan => "scan",
            Family::Reduce => "reduce",
        }
    }

    fn columns(&self) -> Vec<Column> {
        self.columns_of(&[])
    }

    fn columns_of(&self, records: &[Record]) -> Vec<Column> {
        columns::of(records)
    }

    fn cells(&self, selection: &Selection) -> Result<Vec<Key>> {
        let asked = &selection.arrays;
        let usual = (SMALLEST..=selection.extent.exponent()).map(|power| 1 << power);
        let sizes = asked.sizes_up_to(self.name(), MOST)?;
        let sizes = sizes.unwrap_or_else(|| usual.collect());
        let mut cells = Vec::new();
        for (workload, elements) in asked.workloads(self)? {
            let algorithms = asked.algorithms_of(workload)?;
            for element in elements {
                for &n in &sizes {
                    let key = |algorithm: &&'static str| Key {
                        algorithm: Some((*algorithm).to_owned()),
                        n: Some(n),
                        operation: Some(workload.name.to_owned()),
                        element: Some(element.name().to_owned()),
                        segment: workload.has_segments().then_some(asked.segment()),
                        ..Key::default()
                    };
                    cells.extend(algorithms.iter().map(key));
                }
            }
        }
        Ok(cells)
    }

    fn is_published(&self) -> bool {
        false
    }

    fn libraries(&self) -> Option<Libraries> {
        Some(Libraries::Arrays)
    }

    fn is_for_emulator(&self, key: &Key) -> bool {
        key.n.is_none_or(|n| n <= MOST_EMULATED)
    }

    fn task(&self, key: &Key) -> Option<Task> {
        let (workload, element) = workload(key)?;
        Some(Task::Workload {
            operation: workload.name.to_owned(),
            element,
            n: key.n?,
            segment: key.segment.unwrap_or(1),
            algorithm: key.algorithm.clone().filter(|_| !is_default(key)),
        })
    }

    fn fill_from_device(&self, record: &mut Record, reading: &Reading) -> Option<String> {
        record.timings.kernel = reading.kernel.clone();
        record.timings.copy = reading.copy.clone();
        record.timings.peers = reading.peers.clone();
        record.values.bytes = reading.bytes;
        record.values.copy_bytes = reading.copy_bytes;
        record.values.algorithm = reading.algorithm.clone();
        reading.wrong.clone()
    }

    fn summary(&self, records: &[Record]) -> Vec<String> {
        means::lines(self.name(), records)
    }
}

#[cfg(test)]
mod tests;
