//! One record a measured cell: everything that is known about it, as one line of JSON.
//!
//! A record is self-contained (device, driver, PTX hash, compiler, revision), so that a row that
//! is read a year later still has its origin. It names no table's columns: what
//! was measured are [`Metrics`], by names that a table's columns read.

mod cell;
pub(crate) mod file;
mod metric;
mod ordered;
mod origin;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

pub use cell::{Cell, Value};
pub use metric::{Metric, Metrics, Peer, Time};
pub use origin::{Clocks, DeviceInfo, HostInfo, SmLimits};

use crate::timing::Timing;
use quadscan::device::Counts;

/// The form of the records that are written.
pub const SCHEMA: u32 = 2;

/// How a cell ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Measured, and the result is right.
    Ok,
    /// The result is wrong, or the cell could not be measured to its end.
    Failed,
    /// Not measured on the device, for the reason beside it.
    Skipped,
}

impl Status {
    /// `ok`, `failed` or `skipped`.
    pub fn name(self) -> &'static str {
        match self {
            Status::Ok => "ok",
            Status::Failed => "failed",
            Status::Skipped => "skipped",
        }
    }
}

/// One cell of one table, measured once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The form that it was written in: [`SCHEMA`].
    #[serde(deserialize_with = "known")]
    pub schema: u32,
    /// The run that measured it; the rows of one run belong together.
    pub run: String,
    /// The table.
    pub table: String,
    /// The cell.
    pub cell: Cell,
    /// How it ended.
    pub status: Status,
    /// Why, when it did not end well; one sentence.
    pub reason: Option<String>,
    /// Entries of the PTX that ran.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub entries: Vec<String>,
    /// Results and times, with every sample.
    pub metrics: Metrics,
    /// What our kernels did in one launch, where the device counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counts: Option<Counts>,
    /// The device's clocks meanwhile, where they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clocks: Option<Clocks>,
    /// What has to be known about the measurement, a sentence each: outliers, a
    /// throttled clock. What stands before a colon is the same for all of a kind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// The device, when one was used.
    pub device: Option<DeviceInfo>,
    /// The host.
    pub host: HostInfo,
    /// When it was measured: RFC 3339, UTC.
    pub timestamp: String,
}

/// The schema of a record that is read.
fn known<'de, D: Deserializer<'de>>(form: D) -> Result<u32, D::Error> {
    match u32::deserialize(form)? {
        SCHEMA => Ok(SCHEMA),
        other => Err(D::Error::custom(format!(
            "schema {other} is of another version, known is {SCHEMA}"
        ))),
    }
}

impl Record {
    /// Of a cell of which nothing is known yet.
    pub fn new(run: &str, table: &str, cell: &Cell, host: &HostInfo) -> Self {
        Record {
            schema: SCHEMA,
            run: run.to_owned(),
            table: table.to_owned(),
            cell: cell.clone(),
            status: Status::Ok,
            reason: None,
            entries: Vec::new(),
            metrics: Metrics::default(),
            counts: None,
            clocks: None,
            remarks: Vec::new(),
            device: None,
            host: host.clone(),
            timestamp: timestamp(),
        }
    }

    /// Adds what the device said of the same cell.
    pub fn add(&mut self, found: Record) {
        self.status = found.status;
        self.reason = found.reason;
        self.entries = found.entries;
        self.metrics.extend(found.metrics);
        self.counts = found.counts;
        self.clocks = found.clocks;
        self.remarks.extend(found.remarks);
    }

    /// A time, by its metric's name.
    pub fn timing(&self, metric: &str) -> Option<&Timing> {
        self.metrics.time(metric).map(|time| &time.timing)
    }

    /// The median of a time, ms.
    pub fn ms(&self, metric: &str) -> Option<f64> {
        self.timing(metric).map(|timing| timing.median_ms)
    }

    /// A number, by its metric's name.
    pub fn number(&self, metric: &str) -> Option<f64> {
        self.metrics.number(metric)
    }

    /// Whether it is a row of the same cell of the same table.
    pub fn is_of_cell_of(&self, other: &Record) -> bool {
        self.table == other.table && self.cell == other.cell
    }

    /// The table and the cell in words.
    pub fn describe(&self) -> String {
        format!("{} {}", self.table, self.cell.describe())
    }
}

/// The time now: RFC 3339, UTC, in seconds.
pub fn timestamp() -> String {
    humantime::format_rfc3339_seconds(std::time::SystemTime::now()).to_string()
}

/// Records for tests, which no run measured.
#[cfg(test)]
#[path = "tests/sample.rs"]
pub(crate) mod sample;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let mut written = sample::record("scan", Cell::default().with("n", 4_u64));
        written.entries = vec!["scan_f32".into()];
        written.metrics.put("bytes", Some(16_u64));
        let json = serde_json::to_string(&written).expect("records have a form");
        assert_eq!(serde_json::from_str::<Record>(&json).ok(), Some(written));
        for other in [1, 3] {
            let json = json.replacen(r#""schema":2"#, &format!(r#""schema":{other}"#), 1);
            let error = serde_json::from_str::<Record>(&json).expect_err("of another version");
            let said = format!("schema {other} is of another version, known is 2");
            assert!(error.to_string().starts_with(&said));
        }
    }
}
