//! `limits`: what the device can do at most, by kernels that do one thing each; what
//! the sweeps' times are made of.
//!
//! Nothing of it was published. The emulator has no times, and skips it.

use super::column::{Column, median, noise, optional};
use super::{Selection, Table};
use crate::bench::host_oracle::HostOracle;
use crate::error::Result;
use crate::export::number;
use crate::limit::Limit;
use crate::record::{DeviceInfo, Key, Record};
use crate::worker::protocol::{Reading, Task};

/// The table.
pub struct Limits;

fn limit(key: &Key) -> Option<Limit> {
    Limit::by_name(key.limit.as_deref()?)
}

impl Table for Limits {
    fn name(&self) -> &'static str {
        "limits"
    }

    fn about(&self) -> &'static str {
        "what the device can do at most: arithmetic, memory, copies, launches"
    }

    fn columns(&self) -> Vec<Column> {
        // One of the two was timed: a kernel, or what the host waits for.
        let timing = |record: &Record| {
            let times = &record.timings;
            times.kernel.clone().or_else(|| times.gpu.clone())
        };
        let mut columns = vec![
            Column::ours("limit", |record| optional(record.key.limit.clone())),
            Column::ours("value", |record| {
                record
                    .values
                    .limit
                    .map(number::significant)
                    .unwrap_or_default()
            }),
            Column::ours("unit", |record| {
                optional(limit(&record.key).map(Limit::unit))
            }),
            Column::ours("ms", move |record| median(&timing(record))),
            Column::ours("noise_percent", move |record| noise(&timing(record))),
        ];
        columns.extend(Column::outcome());
        columns
    }

    fn cells(&self, _selection: &Selection) -> Result<Vec<Key>> {
        let cell = |limit: Limit| Key {
            limit: Some(limit.name().to_owned()),
            ..Key::default()
        };
        Ok(Limit::ALL.map(cell).to_vec())
    }

    fn is_published(&self) -> bool {
        false
    }

    fn fill_from_host(&self, _record: &mut Record, _host: &mut HostOracle) {}

    fn task(&self, key: &Key) -> Option<Task> {
        Some(Task::Limit { limit: limit(key)? })
    }

    fn skipped_on(&self, _key: &Key, device: &DeviceInfo) -> Option<String> {
        device
            .is_emulated()
            .then(|| "the emulator has no times".to_owned())
    }

    fn fill_from_device(&self, record: &mut Record, reading: &Reading) -> Option<String> {
        record.values.limit = reading.limit;
        record.timings.gpu = reading.gpu.clone();
        record.timings.kernel = reading.kernel.clone();
        reading.wrong.clone()
    }

    fn check_host(&self, _record: &Record) -> Option<std::result::Result<(), String>> {
        None
    }

    fn summary(&self, _records: &[Record]) -> Vec<String> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_cell_is_a_limit_that_the_device_is_asked_for() {
        let cells = Limits.cells(&Selection::default()).unwrap_or_default();
        let tasks: Vec<Task> = cells.iter().filter_map(|key| Limits.task(key)).collect();
        assert_eq!(tasks, Limit::ALL.map(|limit| Task::Limit { limit }));
    }
}
