//! The peers from Python: `peers/arrays.py` times CuPy and PyTorch in a process of its
//! own, and says what it found in lines of JSON.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use super::script::Script;

/// The script's name in the peers' folder.
const SCRIPT: &str = "arrays.py";

/// A line of the script.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Line {
    /// A time.
    Timed(Timed),
    /// Why an operation was not timed.
    Failed(Failed),
    /// Why a package is not there.
    Missing(Missing),
}

/// The time of an operation of a package.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timed {
    /// The package, such as `cupy`.
    pub peer: String,
    /// Its version.
    pub version: String,
    /// The operation's name, as in `peers/scan`.
    pub operation: String,
    /// Elements.
    pub n: u64,
    /// The median.
    pub us: f64,
    /// Samples of the median.
    pub samples: u32,
    /// How it was launched.
    pub method: Way,
    /// Launches of a sample.
    pub launches: u32,
}

/// How a package was launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Way {
    /// By a CUDA graph.
    Graph,
    /// One call after the other, between two events: what Python takes for a call is
    /// in the time where it is longer than the kernels.
    Batch,
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Way::Graph => "graph",
            Way::Batch => "batch",
        })
    }
}

/// An operation that a package has not, or that failed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failed {
    /// The package.
    pub peer: String,
    /// Its version.
    pub version: String,
    /// The operation's name.
    pub operation: String,
    /// Elements.
    pub n: u64,
    /// What it said.
    pub failed: String,
}

/// A package that is not there.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// The package.
    pub peer: String,
    /// What it said.
    pub missing: String,
}

impl Line {
    /// What it has to say other than a time, in one sentence.
    pub fn reason(&self) -> Option<String> {
        match self {
            Line::Timed(_) => None,
            Line::Failed(of) => Some(format!(
                "{} {} failed on {} of {}: {}",
                of.peer, of.version, of.operation, of.n, of.failed
            )),
            Line::Missing(of) => Some(format!("{} is not available: {}", of.peer, of.missing)),
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
    /// Names of operations, as in `peers/scan`.
    pub operations: Vec<String>,
    /// Numbers of elements.
    pub sizes: &'a [u64],
    /// Bytes that launches go through before they come back to the same ones.
    pub rotated: u64,
    /// The longest that it may take.
    pub limit: Duration,
}

impl Asked<'_> {
    /// Runs the script and hands on what it says, line by line. Err in one sentence
    /// when it did not come to its end.
    pub fn run(&self, hear: impl FnMut(Line)) -> Result<(), String> {
        let sizes: Vec<String> = self.sizes.iter().map(u64::to_string).collect();
        let arguments = [
            ["--device", &self.device.to_string()],
            ["--operations", &self.operations.join(",")],
            ["--sizes", &sizes.join(",")],
            ["--rotated-bytes", &self.rotated.to_string()],
        ];
        let script = Script {
            name: SCRIPT,
            python: self.python,
            peers: self.peers,
            without: "CuPy and PyTorch are not timed",
            limit: self.limit,
        };
        script.run(arguments.as_flattened(), hear)
    }
}

#[cfg(test)]
#[path = "arrays_tests.rs"]
mod tests;
