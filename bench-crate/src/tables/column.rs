//! A column: a name, where it stands, and a record's text in it.

use crate::export::number;
use crate::measure::Timing;
use crate::record::Record;
use quadscan::device::Counts;

/// The column that `--cold` fills.
pub const KERNEL_COLD: &str = "kernel_cold_ms";

/// Where a column stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// First, under its published name, holding our measurement.
    Published,
    /// After those.
    Ours,
    /// Last: the published figure.
    Reference,
}

/// A column of a table. The text is empty where the record has no value.
pub struct Column {
    /// The name in the header.
    pub name: String,
    /// Where it stands.
    pub group: Group,
    /// Too much detail for a terminal: left to CSV and JSON.
    pub detail: bool,
    /// The record's text in this column.
    pub text: Box<dyn Fn(&Record) -> String>,
}

impl Column {
    /// A column with a published name.
    pub fn published(name: impl Into<String>, text: impl Fn(&Record) -> String + 'static) -> Self {
        Column {
            name: name.into(),
            group: Group::Published,
            detail: false,
            text: Box::new(text),
        }
    }

    /// A column of our own.
    pub fn ours(name: impl Into<String>, text: impl Fn(&Record) -> String + 'static) -> Self {
        Column {
            name: name.into(),
            group: Group::Ours,
            detail: false,
            text: Box::new(text),
        }
    }

    /// A published figure; the name gets its prefix here.
    pub fn reference(name: &str, text: impl Fn(&Record) -> String + 'static) -> Self {
        Column {
            name: format!("published_{name}"),
            group: Group::Reference,
            detail: false,
            text: Box::new(text),
        }
    }

    /// The same column, left to CSV and JSON.
    pub fn detail(self) -> Self {
        Column {
            detail: true,
            ..self
        }
    }

    /// What one launch of the cell did, on a device that counts it.
    pub fn counts() -> [Column; 7] {
        let counted = |name: &str, count: fn(&Counts) -> Option<u64>| {
            Column::ours(name, move |record| {
                optional(record.counts.as_ref().and_then(count))
            })
        };
        [
            counted("warp_instructions", |c| Some(c.warp_instructions)),
            counted("lane_instructions", |c| c.lane_instructions).detail(),
            counted("divergent_branches", |c| c.divergent_branches).detail(),
            counted("shared_wavefronts", |c| c.shared_wavefronts).detail(),
            counted("ideal_shared_wavefronts", |c| c.ideal_shared_wavefronts).detail(),
            counted("global_sectors", |c| c.global_sectors).detail(),
            counted("ideal_global_sectors", |c| c.ideal_global_sectors).detail(),
        ]
    }

    /// Under which conditions a kernel's time was taken, and what has to be known
    /// about it; the time with a cold cache, where it was asked for.
    pub fn conditions() -> [Column; 5] {
        [
            Column::ours(KERNEL_COLD, |record| median(&record.timings.kernel_cold)),
            Column::ours("cold_events_ms", |record| {
                median(&record.timings.cold_events)
            })
            .detail(),
            Column::ours("kernel_method", |record| {
                optional(record.timings.kernel_method)
            })
            .detail(),
            Column::ours("sm_mhz", |record| {
                optional(
                    record
                        .clocks
                        .as_ref()
                        .and_then(|clocks| clocks.sm_after_mhz),
                )
            })
            .detail(),
            Column::ours("remarks", |record| record.remarks.join("; ")).detail(),
        ]
    }

    /// `device` (its kind, empty where none was used), `status` and `reason`,
    /// which every table has.
    pub fn outcome() -> [Column; 3] {
        [
            Column::ours("device", |record| {
                optional(record.device.as_ref().map(|device| device.kind.clone()))
            })
            .detail(),
            Column::ours("status", |record| record.status.name().to_owned()),
            Column::ours("reason", |record| record.reason.clone().unwrap_or_default()).detail(),
        ]
    }
}

/// The text of a value that may be absent.
pub fn optional<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// A number with `decimals` decimals.
pub fn fixed(value: Option<f64>, decimals: usize) -> String {
    value
        .map(|value| format!("{value:.decimals$}"))
        .unwrap_or_default()
}

/// The median of a time, ms.
pub fn median(timing: &Option<Timing>) -> String {
    timing
        .as_ref()
        .map(|timing| number::milliseconds(timing.median_ms))
        .unwrap_or_default()
}

/// One sample of a time, ms, from 0.
pub fn sample(timing: &Option<Timing>, index: usize) -> String {
    timing
        .as_ref()
        .and_then(|timing| timing.samples_ms.get(index))
        .map(|&ms| number::milliseconds(ms))
        .unwrap_or_default()
}

/// The noise of a time, percent.
pub fn noise(timing: &Option<Timing>) -> String {
    timing
        .as_ref()
        .map(|timing| format!("{:.1}", 100.0 * timing.noise))
        .unwrap_or_default()
}
