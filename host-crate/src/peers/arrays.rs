//! The peers from Python: `peers/arrays.py` times CuPy and PyTorch in a process of its
//! own, and says what it found in lines of JSON.

use std::fmt;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::compiler::find_source;

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
    /// What a line says; Err quotes a line that is none.
    pub fn of(text: &str) -> Result<Self, String> {
        serde_json::from_str(text).map_err(|_| format!("{SCRIPT} said `{text}`"))
    }

    /// What it has to say other than a time, in one sentence.
    pub fn reason(&self) -> Option<String> {
        match self {
            Line::Timed(_) => None,
            Line::Failed(of) => Some(format!(
                "{} {} did not do {} of {}: {}",
                of.peer, of.version, of.operation, of.n, of.failed
            )),
            Line::Missing(of) => Some(format!("{} is not there: {}", of.peer, of.missing)),
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
    pub fn run(&self, mut hear: impl FnMut(Line)) -> Result<(), String> {
        let script = find_source(self.peers, SCRIPT)
            .ok_or_else(|| format!("{} has no {SCRIPT}", self.peers.display()))?;
        let python = self.python.display();
        let sizes: Vec<String> = self.sizes.iter().map(u64::to_string).collect();
        let mut process = Command::new(self.python)
            .arg(script)
            .args(["--device", &self.device.to_string()])
            .args(["--operations", &self.operations.join(",")])
            .args(["--sizes", &sizes.join(",")])
            .args(["--rotated-bytes", &self.rotated.to_string()])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| {
                format!(
                    "--python {python} cannot be started, so CuPy and PyTorch are not timed: {e}"
                )
            })?;
        let heard = listen(&mut process, self.limit, &mut hear);
        if heard.is_err() {
            // It may have ended by itself meanwhile.
            let _ = process.kill();
        }
        let ended = process.wait();
        let last = heard?;
        match ended {
            Ok(status) if status.success() => Ok(()),
            Ok(status) => Err(format!("{SCRIPT} ended with {status}: {last}")),
            Err(e) => Err(format!("{SCRIPT}: {e}")),
        }
    }
}

/// Hears the process until it says no more; the last line of its errors. Err when the
/// limit passes first, or it says what is no line.
fn listen(
    process: &mut Child,
    limit: Duration,
    hear: &mut dyn FnMut(Line),
) -> Result<String, String> {
    let deadline = Instant::now() + limit;
    let (sender, lines) = channel();
    let (output, errors) = (process.stdout.take(), process.stderr.take());
    let errors = thread::spawn(move || {
        let mut text = Vec::new();
        // What cannot be read is not quoted.
        let _ = errors.map(|mut errors| errors.read_to_end(&mut text));
        let text = String::from_utf8_lossy(&text);
        text.lines().last().unwrap_or_default().to_owned()
    });
    thread::spawn(move || {
        let lines = output
            .into_iter()
            .flat_map(|output| BufReader::new(output).lines());
        for line in lines.map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    loop {
        match lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            Ok(line) => hear(Line::of(&line)?),
            Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {
                return Err(format!("{SCRIPT} was stopped after {} s", limit.as_secs()));
            }
        }
    }
    Ok(errors.join().unwrap_or_default())
}

#[cfg(test)]
#[path = "arrays_tests.rs"]
mod tests;
