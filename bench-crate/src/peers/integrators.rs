//! The peers from Python on batches of integrals: `peers/integrals.py` times SciPy in a
//! process of its own, and says what it found in lines of JSON.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use super::script::Script;

/// The script's name in the peers' folder.
const SCRIPT: &str = "integrals.py";

/// A line of the script.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Line {
    /// A rate.
    Timed(Timed),
    /// Why there is none.
    Missing(Missing),
}

/// How fast an integrator is on a kind of integrals.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timed {
    /// The kind, as in [`Kind::ALL`](crate::workload::integrals::kinds::Kind::ALL).
    pub kind: String,
    /// Relative, or absolute where the kind says so.
    pub tolerance: f64,
    /// The integrator, such as `quad`.
    pub peer: String,
    /// Of what: `SciPy 1.17.1`.
    pub version: String,
    /// Integrals that were timed.
    pub items: u64,
    /// Processes that they were divided among.
    pub processes: u32,
    /// Integrals a second, of all processes.
    pub per_second: f64,
    /// The largest error in units of the tolerance.
    pub largest_error: f64,
}

/// An integrator that cannot be had, or that failed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// The kind.
    pub kind: String,
    /// The tolerance.
    pub tolerance: f64,
    /// The integrator.
    pub peer: String,
    /// What it said.
    pub missing: String,
}

impl Line {
    /// What it has to say other than a rate, in one sentence.
    pub fn reason(&self) -> Option<String> {
        match self {
            Line::Timed(_) => None,
            Line::Missing(of) => Some(format!(
                "{} failed on {} integrals: {}",
                of.peer, of.kind, of.missing
            )),
        }
    }
}

/// What the script is asked for.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// The program that runs it.
    pub python: &'a Path,
    /// The peers' folder.
    pub peers: &'a Path,
    /// The device's number.
    pub device: u32,
    /// Names of kinds.
    pub kinds: Vec<String>,
    /// Items of a batch.
    pub items: u64,
    /// Tolerances.
    pub tolerance: f64,
    /// The longest that it may take.
    pub limit: Duration,
}

impl Asked<'_> {
    /// Runs the script and hands on what it says, line by line. Err in one sentence
    /// when it did not come to its end.
    pub fn run(&self, hear: impl FnMut(Line)) -> Result<(), String> {
        let arguments = [
            ["--device", &self.device.to_string()],
            ["--kinds", &self.kinds.join(",")],
            ["--items", &self.items.to_string()],
            ["--tolerance", &format!("{:e}", self.tolerance)],
        ];
        let script = Script {
            name: SCRIPT,
            python: self.python,
            peers: self.peers,
            without: "SciPy is not timed",
            limit: self.limit,
        };
        script.run(arguments.as_flattened(), hear)
    }
}

#[cfg(test)]
#[path = "integrators_tests.rs"]
mod tests;
