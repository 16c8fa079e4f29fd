//! `faults`: kernels that misbehave on purpose, to show that a run survives them.
//!
//! Documented, but no benchmark: `quadscan bench faults --cell-timeout 5` runs a
//! harmless kernel, one that writes to an invalid address, a harmless one, one
//! that outlasts the time limit, and a harmless one. The second and the fourth
//! become failed rows, the others are ok, and the exit code is 1.

use super::column::{Column, optional};
use super::{Selection, Table};
use crate::error::Result;
use crate::record::{Key, Record};
use crate::worker::protocol::{Diagnostic, Reading, Task};

/// The table.
pub struct Faults;

/// The cells, in order.
const CELLS: [Diagnostic; 5] = [
    Diagnostic::Healthy,
    Diagnostic::Fault,
    Diagnostic::Healthy,
    Diagnostic::Hang,
    Diagnostic::Healthy,
];

impl Table for Faults {
    fn name(&self) -> &'static str {
        "faults"
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![
            Column::ours("step", |record| optional(record.key.step)),
            Column::ours("kernel", |record| optional(record.key.algorithm.clone())),
        ];
        columns.extend(Column::outcome());
        columns
    }

    fn cells(&self, _selection: &Selection) -> Result<Vec<Key>> {
        let cell = |(index, kind): (usize, Diagnostic)| Key {
            algorithm: Some(kind.name().to_owned()),
            step: Some(index as u32 + 1),
            ..Key::default()
        };
        Ok(CELLS.into_iter().enumerate().map(cell).collect())
    }

    fn task(&self, key: &Key) -> Option<Task> {
        let kind = CELLS
            .into_iter()
            .find(|kind| Some(kind.name()) == key.algorithm.as_deref())?;
        Some(Task::Diagnostic { kind })
    }

    fn fill_from_device(&self, _record: &mut Record, reading: &Reading) -> Option<String> {
        reading.wrong.clone()
    }

    fn summary(&self, _records: &[Record]) -> Vec<String> {
        Vec::new()
    }
}
