//! What a sweep leaves behind: the device, the PTX, and of each candidate the times.
//! `choose` makes the table of it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::candidate::Candidate;

/// A sweep.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Record {
    /// What was tuned: `scan`.
    pub tuned: String,
    /// The device's name.
    pub device: String,
    /// Its compute capability, major and minor.
    pub compute_capability: (u32, u32),
    /// The driver's version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// When it began, UTC.
    pub date: String,
    /// The revision of the source that the program was built from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Whether it was short: few sizes, few classes.
    pub quick: bool,
    /// SHA-256 of the PTX, part by part.
    pub ptx: BTreeMap<String, String>,
    /// A sentence for every candidate and every number of elements that was left out.
    pub left_out: Vec<String>,
    /// In the order of the list.
    pub candidates: Vec<Measured>,
}

/// A candidate and what was found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Measured {
    /// The shape.
    #[serde(flatten)]
    pub candidate: Candidate,
    /// By the number of elements, the fewest first.
    pub times: Vec<Row>,
}

/// A candidate at a number of elements.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Elements.
    pub n: u64,
    /// The median of the samples, microseconds; none on a device without a timer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median_us: Option<f64>,
    /// The samples' spread, as a part of the median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
    /// Samples.
    pub samples: usize,
    /// What a sample was taken of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// What is wrong with the results; nothing where they are right.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wrong: Option<String>,
}

impl Measured {
    /// The time of `n` elements, microseconds.
    pub(super) fn at(&self, n: u64) -> Option<f64> {
        let found = self.times.iter().find(|time| time.n == n);
        found.and_then(|time| time.median_us)
    }
}
