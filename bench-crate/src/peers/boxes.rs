//! The peers on integrals over boxes: `peers/cubature.py` times PAGANI, SciPy, vegas, m-Cubes and Cuba in
//! processes of its own, and says what it found in lines of JSON.

use std::path::Path;
use std::time::Duration;

use serde::Deserialize;

use super::script::Script;

/// The script's name in the peers' folder.
const SCRIPT: &str = "cubature.py";

/// The longest that it may take.
const LIMIT: Duration = Duration::from_secs(1800);

/// A line of the script.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Line {
    /// An integral.
    Timed(Timed),
    /// Why there is none.
    Missing(Missing),
}

/// What came of an integral, and how fast.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Timed {
    /// Integrand, dimensions and tolerance: `oscillatory:8:1e-3`.
    pub cell: String,
    /// The code, such as `PAGANI`.
    pub peer: String,
    /// Of what: `SciPy 1.17.1`.
    pub version: String,
    /// Milliseconds of a call.
    pub ms: f64,
    /// What was timed, and how often.
    pub clock: String,
    /// The integral.
    pub value: f64,
    /// What its error is at most, as the code says.
    pub claim: f64,
    /// Evaluations, of a code that counts them.
    pub evaluations: Option<u64>,
    /// Whether the code says that it reached the tolerance.
    pub converged: bool,
}

/// A code that cannot be had, or that failed.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Missing {
    /// The cell, or empty for all.
    pub cell: String,
    /// The code.
    pub peer: String,
    /// What it said.
    pub missing: String,
}

impl Missing {
    /// In one sentence.
    pub fn reason(&self) -> String {
        let Missing {
            cell,
            peer,
            missing,
        } = self;
        match &cell[..] {
            "" => format!("{peer} is not timed: {missing}"),
            cell => format!("{peer} failed on {cell}: {missing}"),
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
    /// The codes; `None` for those of the table `cubature`.
    pub codes: Option<&'a str>,
    /// Cells as [`Timed::cell`] has them.
    pub cells: Vec<String>,
}

impl Asked<'_> {
    /// Runs the script and hands on what it says, line by line. Err in one sentence when it did not
    /// come to its end.
    pub fn run(&self, hear: impl FnMut(Line)) -> Result<(), String> {
        let (device, cells) = (self.device.to_string(), self.cells.join(","));
        let mut arguments = vec!["--device", &device, "--cells", &cells];
        if let Some(codes) = self.codes {
            arguments.extend(["--peers", codes]);
        }
        let script = Script {
            name: SCRIPT,
            python: self.python,
            peers: self.peers,
            without: "no peer of integrals over boxes is timed",
            limit: LIMIT,
        };
        script.run(&arguments, hear)
    }
}

#[cfg(test)]
#[path = "boxes_tests.rs"]
mod tests;
