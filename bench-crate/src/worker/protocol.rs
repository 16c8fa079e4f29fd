//! What the run says to the measuring process and what comes back: one JSON value
//! a line, jobs on its standard input, answers on its standard output, which holds
//! nothing else (`serve::claim_standard_output`). A job is a cell of a table, an answer what is
//! known of it then: neither names what any table has.

use serde::{Deserialize, Serialize};

use crate::measure::{Measurement, Sampling};
use crate::record::{Cell, DeviceInfo};

/// One cell for the measuring process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Job {
    /// Comes back with the answer.
    pub id: u64,
    /// The table.
    pub table: String,
    /// The cell.
    pub cell: Cell,
    /// How it is to be measured.
    pub sampling: Sampling,
}

/// The device that a measuring process holds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Greeting {
    /// What it is.
    #[serde(flatten)]
    pub device: DeviceInfo,
    /// Why it is no GPU, when the best device was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_gpu: Option<String>,
    /// Why its clocks are not known, on a device that has some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_clocks: Option<String>,
}

/// One line from the measuring process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The first line: it holds a device and has loaded the PTX.
    Ready(Box<Greeting>),
    /// The first line: there is no such device.
    NoDevice {
        /// Why.
        reason: String,
    },
    /// The first line: there is a device, but the request cannot be carried out
    /// on it (a corrupt PTX file, a driver too old).
    Refused {
        /// Why.
        reason: String,
    },
    /// A job was done.
    Done {
        /// The job's.
        id: u64,
        /// What came of it.
        measurement: Box<Measurement>,
    },
    /// A job failed.
    Failed {
        /// The job's.
        id: u64,
        /// Why.
        reason: String,
        /// Entries of the PTX that ran until then.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        entries: Vec<String>,
        /// True when the device's context is beyond use: the process ends.
        lost: bool,
    },
}
