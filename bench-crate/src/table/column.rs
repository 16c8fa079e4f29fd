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

/// How a number is shown.
#[derive(Clone, Copy, Debug)]
pub enum Show {
    /// A time in ms.
    Ms,
    /// A time in us.
    Us,
    /// So many decimals.
    Fixed(usize),
    /// A power of ten, with so many decimals.
    Scientific(usize),
    /// Five digits.
    Significant,
    /// All of its digits.
    Exact,
}

impl Show {
    fn text(self, number: f64) -> String {
        match self {
            Show::Ms => number::milliseconds(number),
            Show::Us => number::significant(1e3 * number),
            Show::Fixed(decimals) => format!("{number:.decimals$}"),
            Show::Scientific(decimals) => format!("{number:.decimals$e}"),
            Show::Significant => number::significant(number),
            Show::Exact => format!("{number:?}"),
        }
    }
}

/// What a column has of a record; metrics are named by their keys.
#[derive(Clone)]
enum Text {
    /// The value of an axis.
    Axis(&'static str),
    /// A number, or the median of a time.
    Number(&'static str, Show),
    /// One sample of a time, from 0, ms.
    Sample(&'static str, usize),
    /// The noise of a time, percent.
    Noise(&'static str),
    /// How a time was taken.
    Method(&'static str),
    /// A count.
    Count(&'static str),
    /// `yes` or `no`.
    Flag(&'static str),
    /// What the device counted.
    Counted(fn(&Counts) -> Option<u64>),
    /// The published figure of the record's cell.
    Figure(&'static Published, &'static str),
    /// A number made of the whole record, and what it is.
    Derived(fn(&Record) -> Option<f64>, Show, &'static str),
    /// A text of the whole record, and what it is.
    Of(fn(&Record) -> String, &'static str),
    /// The same, of a closure.
    With(Arc<dyn Fn(&Record) -> String + Send + Sync>, &'static str),
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

/// A number, or the median of a time.
pub const fn number(name: &'static str, metric: &'static str, show: Show) -> Column {
    column(name, Group::Ours, Text::Number(metric, show))
}

/// The median of a time in ms.
pub const fn ms(name: &'static str, metric: &'static str) -> Column {
    number(name, metric, Show::Ms)
}

/// The median of a time in us.
pub const fn us(name: &'static str, metric: &'static str) -> Column {
    number(name, metric, Show::Us)
}

/// A number with so many decimals, under its metric's name.
pub const fn fixed(metric: &'static str, decimals: usize) -> Column {
    number(metric, metric, Show::Fixed(decimals))
}

/// A number as a power of ten with so many decimals, under its metric's name.
pub const fn scientific(metric: &'static str, decimals: usize) -> Column {
    number(metric, metric, Show::Scientific(decimals))
}

/// A sample of a time, from 0, in ms.
pub const fn sample(name: &'static str, metric: &'static str, index: usize) -> Column {
    column(name, Group::Ours, Text::Sample(metric, index))
}

/// The noise of a time, percent.
pub const fn noise(name: &'static str, metric: &'static str) -> Column {
    column(name, Group::Ours, Text::Noise(metric))
}

/// A count, under its metric's name.
pub const fn count(name: &'static str) -> Column {
    column(name, Group::Ours, Text::Count(name))
}

/// `yes` or `no`, under its metric's name.
pub const fn flag(name: &'static str) -> Column {
    column(name, Group::Ours, Text::Flag(name))
}

/// A number that is made of the record, and what it is.
pub const fn derived(
    name: &'static str,
    about: &'static str,
    show: Show,
    number: fn(&Record) -> Option<f64>,
) -> Column {
    column(name, Group::Ours, Text::Derived(number, show, about))
}

/// A text that is made of the record, and what it is.
pub const fn of(name: &'static str, about: &'static str, text: fn(&Record) -> String) -> Column {
    column(name, Group::Ours, Text::Of(text, about))
}

/// The same of a column whose name and text depend on what was measured.
pub fn with(
    name: impl Into<String>,
    about: &'static str,
    text: impl Fn(&Record) -> String + Send + Sync + 'static,
) -> Column {
    Column {
        name: Cow::Owned(name.into()),
        ..column("", Group::Ours, Text::With(Arc::new(text), about))
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

    /// Whether it shows an axis.
    pub fn is_axis(&self) -> bool {
        matches!(self.text, Text::Axis(_))
    }

    /// Whether it is [`MORE`].
    pub fn is_place_for_more(&self) -> bool {
        matches!(self.text, Text::More)
    }

    /// What it is, with its unit.
    pub fn about(&self) -> String {
        match &self.text {
            Text::Axis(axis) => format!("axis `{axis}`"),
            Text::Number(time, Show::Ms) => format!("`{time}`, median, ms"),
            Text::Number(time, Show::Us) => format!("`{time}`, median, us"),
            Text::Number(metric, _) => format!("`{metric}`"),
            Text::Sample(time, index) => format!("`{time}`, sample {}, ms", index + 1),
            Text::Noise(time) => format!("`{time}`, noise, %"),
            Text::Method(time) => format!("`{time}`, what one sample measures"),
            Text::Count(metric) => format!("`{metric}`, a count"),
            Text::Flag(metric) => format!("`{metric}`, yes or no"),
            Text::Counted(_) => "counted in one launch on the emulator".to_owned(),
            Text::Figure(_, figure) => format!("the page's `{figure}`"),
            Text::Derived(_, Show::Ms, about) => format!("{about}, ms"),
            Text::Derived(_, _, about) | Text::Of(_, about) | Text::With(_, about) => {
                (*about).to_owned()
            }
            Text::More => String::new(),
        }
    }

    /// The record's text.
    pub fn text(&self, record: &Record) -> String {
        let metrics = &record.metrics;
        let show = |number: Option<f64>, show: Show| optional(number.map(|n| show.text(n)));
        match &self.text {
            Text::Axis(axis) => optional(record.cell.get(axis)),
            Text::Number(metric, how) => show(metrics.number(metric), *how),
            Text::Derived(number, how, _) => show(number(record), *how),
            Text::Sample(time, index) => {
                let samples = record.timing(time).map(|timing| &timing.samples_ms);
                let sample = samples.and_then(|samples| samples.get(*index));
                show(sample.copied(), Show::Ms)
            }
            Text::Noise(time) => {
                let noise = record.timing(time).map(|timing| 100.0 * timing.noise);
                show(noise, Show::Fixed(1))
            }
            Text::Method(time) => {
                optional(metrics.time(time).and_then(|time| time.method.as_ref()))
            }
            Text::Count(metric) => optional(metrics.count(metric)),
            Text::Flag(metric) => {
                let word = |is_so| if is_so { "yes" } else { "no" };
                optional(metrics.flag(metric).map(word))
            }
            Text::Counted(count) => optional(record.counts.as_ref().and_then(count)),
            Text::Figure(published, figure) => published.figure(&record.cell, figure).to_owned(),
            Text::Of(text, _) => text(record),
            Text::With(text, _) => text(record),
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
    of(
        "sm_mhz",
        "the SM clock after the measurement, MHz",
        |record| {
            let clocks = record.clocks.as_ref();
            optional(clocks.and_then(|clocks| clocks.sm_after_mhz))
        },
    )
    .detail(),
    of("remarks", "what to know about the measurement", |record| {
        record.remarks.join("; ")
    })
    .detail(),
];

/// How it ended, and where, and which entries of the PTX ran, which every table has.
pub const OUTCOME: [Column; 4] = [
    of(
        "device",
        "`cuda` or `emulator`, where one was used",
        |record| optional(record.device.as_ref().map(|device| &device.kind)),
    )
    .detail(),
    of("status", "`ok`, `failed` or `skipped`", |record| {
        record.status.name().to_owned()
    }),
    of("reason", "why the status is not ok", |record| {
        record.reason.clone().unwrap_or_default()
    })
    .detail(),
    of("entries", "the PTX entries that ran", |record| {
        record.entries.join(" ")
    })
    .detail(),
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
