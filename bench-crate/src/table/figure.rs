//! The figures of a table in the report, declared as data. `report` draws them, a file a kind.

use super::published::Published;
use crate::record::{Record, Status};

/// The figures of a table.
pub struct Figures {
    /// Axes that divide the rows: the rows of each combination of their numbers have all figures.
    pub by: &'static [&'static str],
    /// The page's own sweep, which stands beside ours.
    pub published: Option<&'static Published>,
    /// What the table is measured for: the report begins with them.
    pub claims: &'static [Figure],
    /// Figures of an inner list stand beside each other.
    pub rows: &'static [&'static [Figure]],
}

impl Figures {
    /// Of all rows together.
    pub const fn of(rows: &'static [&'static [Figure]]) -> Self {
        Figures {
            by: &[],
            published: None,
            claims: &[],
            rows,
        }
    }
}

/// A figure.
pub enum Figure {
    /// A value by two names or numbers: a heat map a machine, and the published one.
    HeatMap(HeatMap),
    /// A time against blocks * threads, with the line of the model.
    Curve(Time),
    /// Of each time the best cell.
    Best(&'static [Best]),
    /// How far a value of pi is off, against strips, a series a precision.
    Errors(Errors),
    /// Active warps in each step of a scan; scans of this many elements were published.
    Steps(u64),
    /// Named values, those of one name from all machines beside each other.
    Bars(Bars),
    /// Values over a number: small multiples with a line a series.
    Lines(Lines),
}

/// Values of a row by the names of their series.
pub type Values = Vec<(String, f64)>;

/// Values over a number, in panels. No failed or skipped row has any.
pub struct Lines {
    /// The name of its file, where it stands alone.
    pub file: &'static str,
    /// What it is of, before the machine's name.
    pub title: &'static str,
    /// What to see in it: sentences.
    pub caption: &'static str,
    /// The number, and what it counts.
    pub x: fn(&Record) -> Option<f64>,
    /// The same in words, with the unit.
    pub across: &'static str,
    /// Whether powers of ten are marked across, and not powers of two.
    pub is_decimal: bool,
    /// What the values are, with the unit.
    pub up: &'static str,
    /// Whether values that are ten times as large are as far away as others.
    pub is_logarithmic: bool,
    /// The panel that a row is in.
    pub panel: fn(&Record) -> String,
    /// A row's values: ours first, then those that it stands beside.
    pub values: fn(&Record) -> Values,
    /// Which of two values of one series at one number is shown.
    pub better: fn(f64, f64) -> f64,
    /// The panels of the figure where it stands alone; all, if none is named.
    pub alone: &'static [&'static str],
}

/// A value by two names or numbers of a row.
pub struct HeatMap {
    /// In the middle of a sentence: `time of the kernel`.
    pub name: &'static str,
    /// What it is, as a sentence after a blank; empty where the name says it.
    pub note: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// What a lighter cell is: `faster`.
    pub lighter: &'static str,
    /// The value, which is the better the less it is.
    pub value: fn(&Record) -> Option<f64>,
    /// What its rows are called by.
    pub down: Side,
    /// What its columns are called by.
    pub across: Side,
    /// Whether the published sweep stands beside it.
    pub is_published: bool,
}

/// A side of a heat map: what its names are, and a row's.
pub type Side = (&'static str, fn(&Record) -> Option<String>);

/// Blocks and threads, the sides of a sweep.
pub const BY_SHAPE: HeatMap = HeatMap {
    name: "",
    note: "",
    unit: "ms",
    lighter: "faster",
    value: |_| None,
    down: ("blocks", |row| {
        row.cell.get("blocks").map(ToString::to_string)
    }),
    across: ("threads", |row| {
        row.cell.get("threads").map(ToString::to_string)
    }),
    is_published: false,
};

/// One of the times of a cell.
#[derive(Clone, Copy)]
pub struct Time {
    /// In the middle of a sentence: `time of the kernel`.
    pub name: &'static str,
    /// What it is, as a sentence after a blank; empty where the name says it.
    pub note: &'static str,
    /// Its metric.
    pub metric: &'static str,
}

/// The kernel's time.
pub const KERNEL: Time = Time {
    name: "time of the kernel",
    ..Time::of("kernel")
};

/// The time of the page's span.
pub const SPAN: Time = Time {
    name: "time of the span",
    note: " The span is the copy in, the kernel and the copy out.",
    ..Time::of("gpu")
};

impl Time {
    /// The time of a metric, without words.
    pub const fn of(metric: &'static str) -> Self {
        Time {
            name: "",
            note: "",
            metric,
        }
    }

    /// ms, where it was measured, is above 0, and the row is right. A row without a device is
    /// skipped and has the host's times all the same.
    pub fn ms(self, record: &Record) -> Option<f64> {
        let counts = match record.status {
            Status::Ok => true,
            Status::Skipped => record.device.is_none(),
            Status::Failed => false,
        };
        let ms = record.ms(self.metric).filter(|_| counts)?;
        (ms.is_finite() && ms > 0.0).then_some(ms)
    }

    /// The row with the least time.
    pub fn best(self, rows: &[Record]) -> Option<(f64, &Record)> {
        let timed = rows.iter().filter_map(|row| Some((self.ms(row)?, row)));
        timed.min_by(|a, b| a.0.total_cmp(&b.0))
    }
}

/// A time whose best cell is shown.
pub struct Best {
    /// What it is.
    pub name: &'static str,
    /// Its metric.
    pub metric: &'static str,
    /// Whether it depends on blocks and threads.
    pub has_shape: bool,
}

impl Best {
    /// Of a time that does not depend on blocks and threads.
    pub const fn of(name: &'static str, metric: &'static str) -> Self {
        Best {
            name,
            metric,
            has_shape: false,
        }
    }

    /// The same, of a time that does.
    #[must_use]
    pub const fn by_shape(mut self) -> Self {
        self.has_shape = true;
        self
    }
}

/// Whose pi is off.
pub struct Errors {
    /// The figure's title.
    pub title: &'static str,
    /// How the value was computed, in a sentence.
    pub caption: &'static str,
    /// The metric of the value.
    pub pi: &'static str,
    /// The metric of the predicted error, where there is one.
    pub predicted: Option<&'static str>,
}

/// A value of a row: its name, its series where the row has several, and the value.
pub type NamedValue = (String, String, f64);

/// Named values.
pub struct Bars {
    /// The name of its file, where it stands alone; empty where it does not.
    pub file: &'static str,
    /// The title of the figure that a row is in.
    pub title: fn(&Record) -> String,
    /// The unit of the values of a row; empty where they have none.
    pub unit: fn(&Record) -> &'static str,
    /// What a row shows. The values of the first function come first.
    pub values: &'static [fn(&Record) -> Vec<NamedValue>],
    /// What to know when looking at it; empty where the title says it.
    pub caption: &'static str,
}
