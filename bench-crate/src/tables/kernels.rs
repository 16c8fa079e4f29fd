//! `kernels`: kernels that are launched by themselves, by size; what whoever writes one sees
//! of it first. Its rows are of [`kernels::ALL`].
//!
//! Nothing of it was published. The first kernel is the copy, the limit of the others.

use super::beside::{rate, us};
use super::column::{Column, fixed, noise, optional};
use super::{Selection, Table};
use crate::error::{Error, Result};
use crate::kernels;
use crate::record::{Key, Record};
use crate::worker::protocol::{Reading, Task};

/// The most elements.
const MOST: u64 = 1 << 32;

/// The most elements on the emulator where no size is named.
const MOST_EMULATED: u64 = 1 << 16;

/// The table.
pub struct Kernels;

impl Table for Kernels {
    fn name(&self) -> &'static str {
        "kernels"
    }

    fn subjects(&self) -> Vec<&'static str> {
        kernels::ALL.iter().map(|kernel| kernel.name).collect()
    }

    fn columns(&self) -> Vec<Column> {
        let mut columns = vec![
            Column::ours("kernel", |record| optional(record.key.kernel.clone())),
            Column::ours("n", |record| optional(record.key.n)),
            Column::ours("bytes", |record| optional(record.values.bytes)).detail(),
            Column::ours("us", |record| us(record.timings.kernel.as_ref())),
            Column::ours("noise_percent", |record| noise(&record.timings.kernel)),
            Column::ours("gb_per_s", |record| {
                fixed(rate(record.values.bytes, record.timings.kernel.as_ref()), 1)
            }),
        ];
        columns.extend(Column::counts());
        columns.extend(Column::outcome());
        columns
    }

    fn cells(&self, selection: &Selection) -> Result<Vec<Key>> {
        let most = selection.extent.exponent();
        let usual = || (16..=most).step_by(4).map(|power| 1 << power).collect();
        let sizes = selection.arrays.sizes_up_to(self.name(), MOST)?;
        let sizes: Vec<u64> = sizes.unwrap_or_else(usual);
        let of_kernel = |kernel: &kernels::Kernel| {
            let name = kernel.name;
            let cell = move |n: &u64| Key {
                kernel: Some(name.to_owned()),
                n: Some(*n),
                ..Key::default()
            };
            sizes.iter().map(cell).collect::<Vec<_>>()
        };
        let asked = asked(selection)?;
        Ok(asked.into_iter().flat_map(of_kernel).collect())
    }

    fn is_published(&self) -> bool {
        false
    }

    fn is_for_emulator(&self, key: &Key) -> bool {
        key.n.is_none_or(|n| n <= MOST_EMULATED)
    }

    fn task(&self, key: &Key) -> Option<Task> {
        Some(Task::Kernel {
            kernel: key.kernel.clone()?,
            n: key.n?,
        })
    }

    fn fill_from_device(&self, record: &mut Record, reading: &Reading) -> Option<String> {
        record.timings.kernel = reading.kernel.clone();
        record.values.bytes = reading.bytes;
        reading.wrong.clone()
    }

    fn summary(&self, _records: &[Record]) -> Vec<String> {
        Vec::new()
    }
}

/// The kernels that are asked for, in their order in the list of all. Err when there is no
/// kernel of a name.
fn asked(selection: &Selection) -> Result<Vec<&'static kernels::Kernel>> {
    let Some(names) = &selection.kernels else {
        return Ok(kernels::ALL.iter().collect());
    };
    if let Some(name) = names.iter().find(|name| kernels::by_name(name).is_none()) {
        let known: Vec<&str> = kernels::ALL.iter().map(|kernel| kernel.name).collect();
        return Err(Error::Argument {
            argument: "--kernels".into(),
            problem: format!("`{name}` is unknown, known are {}", known.join(", ")),
        });
    }
    let is_asked = |kernel: &&kernels::Kernel| names.iter().any(|name| name == kernel.name);
    Ok(kernels::ALL.iter().filter(is_asked).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::Extent;
    use crate::tables::workload::Asked;

    fn sizes(selection: &Selection) -> Vec<u64> {
        let cells = Kernels.cells(selection).unwrap_or_default();
        let copies = cells
            .iter()
            .filter(|key| key.kernel.as_deref() == Some("limit_copy"));
        copies.filter_map(|key| key.n).collect()
    }

    #[test]
    fn every_kernel_has_a_row_a_size_and_a_job_each() {
        let of = |extent| {
            sizes(&Selection {
                extent,
                ..Selection::default()
            })
        };
        assert_eq!(of(Extent::Quick), [1 << 16, 1 << 20]);
        assert_eq!(of(Extent::Default), [1 << 16, 1 << 20, 1 << 24]);
        assert_eq!(of(Extent::Full), [1 << 16, 1 << 20, 1 << 24, 1 << 28]);
        let cells = Kernels.cells(&Selection::default()).unwrap_or_default();
        assert_eq!(cells.len(), 3 * Kernels.subjects().len());
        assert!(cells.iter().all(|key| Kernels.task(key).is_some()));
    }

    #[test]
    fn sizes_that_are_named_are_the_only_ones() {
        let asked = |n| Selection {
            arrays: Asked {
                sizes: Some(vec![n]),
                ..Asked::default()
            },
            ..Selection::default()
        };
        assert_eq!(sizes(&asked(1000)), [1000]);
        let error = Kernels.cells(&asked(MOST + 1)).map_err(|e| e.to_string());
        let said = "--sizes 4294967297 is more than kernels has, allowed there are 1 to 4294967296";
        assert_eq!(error, Err(said.to_owned()));
    }

    #[test]
    fn kernels_that_are_named_are_the_only_ones() {
        let cells = |name: &str| {
            let kernels = Some(vec![name.to_owned()]);
            let selection = Selection {
                kernels,
                ..Selection::default()
            };
            Kernels.cells(&selection).map_err(|error| error.to_string())
        };
        assert_eq!(cells("limit_copy").map(|cells| cells.len()), Ok(3));
        let said = cells("limit").unwrap_err();
        assert!(
            said.starts_with("--kernels `limit` is unknown, known are limit_copy"),
            "{said}"
        );
    }
}
