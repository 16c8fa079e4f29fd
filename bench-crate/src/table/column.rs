//! A column: a name, where it stands, and a record's text in it.

use std::borrow::Cow;
use std::sync::Arc;

use super::published::Published;
use crate::number;
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
#[derive(Clone)]
pub struct Column {
    /// The name in the header.
    pub name: Cow<'static, str>,
    /// Where it stands.
    pub group: Group,
    /// Too much detail for a terminal: left to CSV and JSON.
    pub detail: bool,
    text: Text,
}

/// What a column has of a record; metrics are named by their keys.
#[derive(Clone)]
enum Text {
    /// The value of an axis.
    Axis(&'static str),
    /// A time's median, ms.
    Ms(&'static str),
    /// A time's median, us.
    Us(&'static str),
    /// One sample of a time, from 0, ms.
    Sample(&'static str, usize),
    /// The noise of a time, percent.
    Noise(&'static str),
    /// How a time was taken.
    Method(&'static str),
    /// A number with so many decimals.
    Fixed(&'static str, usize),
    /// A number as a power of ten, with so many decimals.
    Scientific(&'static str, usize),
    /// A number with five digits.
    Significant(&'static str),
    /// A number with all of its digits.
    Exact(&'static str),
    /// A count.
    Count(&'static str),
    /// A name.
    Name(&'static str),
    /// `yes` or `no`.
    Flag(&'static str),
    /// What the device counted.
    Counted(fn(&Counts) -> Option<u64>),
    /// The published figure of the record's cell.
    Figure(&'static Published, &'static str),
    /// Something of the whole record.
    Of(fn(&Record) -> String),
    /// The same, of a closure.
    With(Arc<dyn Fn(&Record) -> String + Send + Sync>),
    /// Nothing: where columns stand that depend on what was measured.
    More,
}

const fn column(name: &'static str, group: Group, text: Text) -> Column {
    Column {
        name: Cow::Borrowed(name),
        group,
        detail: false,
        text,
    }
}

/// A column of ours that shows an axis.
pub const fn axis(name: &'static str) -> Column {
    column(name, Group::Ours, Text::Axis(name))
}

/// The median of a time in ms.
pub const fn ms(name: &'static str, metric: &'static str) -> Column {
    column(name, Group::Ours, Text::Ms(metric))
}

/// The median of a time in us.
pub const fn us(name: &'static str, metric: &'static str) -> Column {
    column(name, Group::Ours, Text::Us(metric))
}

/// A sample of a time, from 0, in ms.
pub const fn sample(name: &'static str, metric: &'static str, index: usize) -> Column {
    column(name, Group::Ours, Text::Sample(metric, index))
}

/// The noise of a time, percent.
pub const fn noise(name: &'static str, metric: &'static str) -> Column {
    column(name, Group::Ours, Text::Noise(metric))
}

/// A number with so many decimals.
pub const fn fixed(name: &'static str, metric: &'static str, decimals: usize) -> Column {
    column(name, Group::Ours, Text::Fixed(metric, decimals))
}

/// A number as a power of ten, with so many decimals.
pub const fn scientific(name: &'static str, metric: &'static str, decimals: usize) -> Column {
    column(name, Group::Ours, Text::Scientific(metric, decimals))
}

/// A number with five digits.
pub const fn significant(name: &'static str, metric: &'static str) -> Column {
    column(name, Group::Ours, Text::Significant(metric))
}

/// A number with all of its digits.
pub const fn exact(name: &'static str, metric: &'static str) -> Column {
    column(name, Group::Ours, Text::Exact(metric))
}

/// A count, under its metric's name.
pub const fn count(name: &'static str) -> Column {
    column(name, Group::Ours, Text::Count(name))
}

/// A name, under its metric's name.
pub const fn name(name: &'static str) -> Column {
    column(name, Group::Ours, Text::Name(name))
}

/// `yes` or `no`, under its metric's name.
pub const fn flag(name: &'static str) -> Column {
    column(name, Group::Ours, Text::Flag(name))
}

/// What `text` makes of the record.
pub const fn of(name: &'static str, text: fn(&Record) -> String) -> Column {
    column(name, Group::Ours, Text::Of(text))
}

/// A column whose name and text depend on what was measured.
pub fn with(
    name: impl Into<String>,
    text: impl Fn(&Record) -> String + Send + Sync + 'static,
) -> Column {
    Column {
        name: Cow::Owned(name.into()),
        ..column("", Group::Ours, Text::With(Arc::new(text)))
    }
}

/// The published figure under its own name there; `published_` goes before it.
pub const fn figure(
    name: &'static str,
    published: &'static Published,
    figure: &'static str,
) -> Column {
    column(name, Group::Reference, Text::Figure(published, figure))
}

/// The place of the columns that depend on what was measured.
pub const MORE: Column = column("", Group::Ours, Text::More);

impl Column {
    /// The same column, left to CSV and JSON.
    #[must_use]
    pub const fn detail(mut self) -> Self {
        self.detail = true;
        self
    }

    /// The same column under a published name.
    #[must_use]
    pub const fn published(mut self) -> Self {
        self.group = Group::Published;
        self
    }

    /// The same column among the published figures.
    #[must_use]
    pub const fn reference(mut self) -> Self {
        self.group = Group::Reference;
        self
    }

    /// Whether it is [`MORE`].
    pub fn is_place_for_more(&self) -> bool {
        matches!(self.text, Text::More)
    }

    /// The record's text.
    pub fn text(&self, record: &Record) -> String {
        let metrics = &record.metrics;
        let number = |metric: &str, show: &dyn Fn(f64) -> String| {
            metrics.number(metric).map(show).unwrap_or_default()
        };
        match &self.text {
            Text::Axis(axis) => optional(record.cell.get(axis)),
            Text::Ms(metric) => number(metric, &number::milliseconds),
            Text::Us(metric) => number(metric, &|ms| number::significant(1e3 * ms)),
            Text::Sample(metric, index) => {
                let timing = record.timing(metric);
                let sample = timing.and_then(|timing| timing.samples_ms.get(*index));
                sample
                    .map(|&ms| number::milliseconds(ms))
                    .unwrap_or_default()
            }
            Text::Noise(metric) => {
                let noise = record.timing(metric).map(|timing| 100.0 * timing.noise);
                noise.map(|noise| format!("{noise:.1}")).unwrap_or_default()
            }
            Text::Method(metric) => {
                optional(metrics.time(metric).and_then(|time| time.method.as_ref()))
            }
            Text::Fixed(metric, decimals) => number(metric, &|value| format!("{value:.decimals$}")),
            Text::Scientific(metric, decimals) => {
                number(metric, &|value| format!("{value:.decimals$e}"))
            }
            Text::Significant(metric) => number(metric, &number::significant),
            Text::Exact(metric) => number(metric, &|value| format!("{value:?}")),
            Text::Count(metric) => optional(metrics.count(metric)),
            Text::Name(metric) => optional(metrics.text(metric)),
            Text::Flag(metric) => {
                let word = |is_so| if is_so { "yes" } else { "no" };
                optional(metrics.flag(metric).map(word))
            }
            Text::Counted(count) => optional(record.counts.as_ref().and_then(count)),
            Text::Figure(published, figure) => published.figure(&record.cell, figure).to_owned(),
            Text::Of(text) => text(record),
            Text::With(text) => text(record),
            Text::More => String::new(),
        }
    }
}

const fn counted(name: &'static str, count: fn(&Counts) -> Option<u64>) -> Column {
    column(name, Group::Ours, Text::Counted(count))
}

/// What one launch of the cell did, on a device that counts it.
pub const COUNTS: [Column; 7] = counts(true);

/// The same, with what memory did in sight.
pub const COUNTS_OF_MEMORY: [Column; 7] = counts(false);

const fn counts(hides_memory: bool) -> [Column; 7] {
    const fn of_memory(column: Column, is_hidden: bool) -> Column {
        match is_hidden {
            true => column.detail(),
            false => column,
        }
    }
    let shared = counted("shared_wavefronts", |c| c.shared_wavefronts);
    let ideal_shared = counted("ideal_shared_wavefronts", |c| c.ideal_shared_wavefronts);
    let global = counted("global_sectors", |c| c.global_sectors);
    let ideal_global = counted("ideal_global_sectors", |c| c.ideal_global_sectors);
    [
        counted("warp_instructions", |c| Some(c.warp_instructions)),
        counted("lane_instructions", |c| c.lane_instructions).detail(),
        counted("divergent_branches", |c| c.divergent_branches).detail(),
        of_memory(shared, hides_memory),
        of_memory(ideal_shared, hides_memory),
        of_memory(global, hides_memory),
        of_memory(ideal_global, hides_memory),
    ]
}

/// The time of a kernel with a cold cache, and what of it is the events' own.
pub const COLD: [Column; 2] = [
    ms(KERNEL_COLD, "kernel_cold"),
    ms("cold_events_ms", "cold_events").detail(),
];

/// Under which conditions a kernel's time was taken, and what has to be known about it.
pub const CONDITIONS: [Column; 3] = [
    column("kernel_method", Group::Ours, Text::Method("kernel")).detail(),
    of("sm_mhz", |record| {
        optional(
            record
                .clocks
                .as_ref()
                .and_then(|clocks| clocks.sm_after_mhz),
        )
    })
    .detail(),
    of("remarks", |record| record.remarks.join("; ")).detail(),
];

/// `device` (its kind, empty where none was used), `status`, `reason`, and the entries of the
/// PTX that ran, which every table has.
pub const OUTCOME: [Column; 4] = [
    of("device", |record| {
        optional(record.device.as_ref().map(|device| device.kind.clone()))
    })
    .detail(),
    of("status", |record| record.status.name().to_owned()),
    of("reason", |record| record.reason.clone().unwrap_or_default()).detail(),
    of("entries", |record| record.entries.join(" ")).detail(),
];

/// The text of a value that may be absent.
pub fn optional<T: ToString>(value: Option<T>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// A number with `decimals` decimals.
pub fn decimals(value: Option<f64>, decimals: usize) -> String {
    value
        .map(|value| format!("{value:.decimals$}"))
        .unwrap_or_default()
}
