//! `limits`: what the device can do at most, by kernels that do one thing each; what
//! the sweeps' times are made of.
//!
//! Nothing of it was published. The emulator has no times, and skips it.

use super::column::{Column, median, noise, optional};
use super::{Selection, Table};
use crate::error::Result;
use crate::export::number;
use crate::limit::Limit;
use crate::measure::Timing;
use crate::record::{DeviceInfo, Key, Record};
use crate::worker::protocol::{Reading, Task};

/// The table.
pub struct Limits;

fn limit(key: &Key) -> Option<Limit> {
    Limit::by_name(key.limit.as_deref()?)
}

/// What was timed: a kernel, or what the host waits for.
fn timing(record: &Record) -> Option<Timing> {
    let times = &record.timings;
    times.kernel.clone().or_else(|| times.gpu.clone())
}

impl Table for Limits {
    fn name(&self) -> &'static str {
        "limits"
    }

    fn columns(&self) -> Vec<Column> {
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
            Column::ours("ms", |record| median(&timing(record))),
            Column::ours("noise_percent", |record| noise(&timing(record))),
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

    fn is_usual(&self) -> bool {
        true
    }

    fn task(&self, key: &Key) -> Option<Task> {
        Some(Task::Limit { limit: limit(key)? })
    }

    fn skipped_on(&self, _key: &Key, device: &DeviceInfo) -> Option<String> {
        device
            .is_emulated()
            .then(|| "the emulator has no times".to_owned())
    }

    fn fill_from_device(&self, record: &mut Record, reading: &Reading) -> Option<String> {
        record.timings.gpu = reading.gpu.clone();
        record.timings.kernel = reading.kernel.clone();
        let (limit, timing) = (limit(&record.key)?, timing(record));
        record.values.limit = timing
            .zip(reading.work)
            .map(|(timing, work)| limit.value(work, timing.median_ms));
        reading.wrong.clone()
    }

    fn summary(&self, _records: &[Record]) -> Vec<String> {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{HostInfo, Status, Timings, Values};

    #[test]
    fn every_cell_is_a_limit_that_the_device_is_asked_for() {
        let cells = Limits.cells(&Selection::default()).unwrap_or_default();
        let tasks: Vec<Task> = cells.iter().filter_map(|key| Limits.task(key)).collect();
        assert_eq!(tasks, Limit::ALL.map(|limit| Task::Limit { limit }));
    }

    #[test]
    fn a_value_is_of_the_time_that_is_kept_with_it() {
        let key = Key {
            limit: Some("copy".into()),
            ..Key::default()
        };
        let mut record = Record {
            run: String::new(),
            table: "limits".into(),
            key,
            status: Status::Ok,
            reason: None,
            values: Values::default(),
            timings: Timings::default(),
            counts: None,
            clocks: None,
            remarks: Vec::new(),
            device: None,
            host: HostInfo::current(),
            timestamp: String::new(),
        };
        let reading = Reading {
            work: Some(4e9),
            kernel: Timing::from_samples(vec![1.0, 2.0, 2.0]),
            ..Reading::default()
        };
        assert_eq!(Limits.fill_from_device(&mut record, &reading), None);
        // 4e9 bytes in 2 ms.
        assert_eq!(record.values.limit, Some(2000.0));
    }
}
