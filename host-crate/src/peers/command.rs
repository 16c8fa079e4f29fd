//! `quadscan peers`: the peers alone, in the harness that times our kernels.
//!
//! A row is printed as soon as it is measured. What cannot be had is a notice, and
//! the rest goes on.

use std::time::Duration;

use super::arrays::{Asked, Line, Timed};
use super::compiler::{Build, architecture, find_nvcc};
use super::library::Peer;
use super::operation::{Form, Operation, Operator};
use super::request::Request;
use super::timing;
use crate::bench::Outcome;
use crate::bench::console::Console;
use crate::cli::PeersArguments;
use crate::device::{Device, DeviceChoice};
use crate::error::{Error, Result};
use crate::measure::Rule;

/// The longest that CuPy and PyTorch may take together.
const ARRAYS_LIMIT: Duration = Duration::from_secs(300);

/// Carries out `quadscan peers`.
///
/// # Errors
///
/// When the request cannot be carried out, or nothing could be timed.
pub fn peers(arguments: &PeersArguments, console: &mut dyn Console) -> Result<Outcome> {
    let request = Request::new(arguments)?;
    let device = open(request.device)?;
    let mut run = Run {
        libraries: libraries(&request, &device, console),
        request,
        device,
        console,
        rows: 0,
        is_wrong: false,
    };
    run.header();
    for operation in run.request.operations.clone() {
        run.operation(operation)?;
    }
    run.arrays();
    match (run.is_wrong, run.rows) {
        (true, _) => Ok(Outcome::Wrong),
        (false, 0) => Err(Error::Refused {
            problem: "no peer could be timed".to_owned(),
        }),
        (false, _) => Ok(Outcome::Fine),
    }
}

/// Opens a device that has times.
fn open(choice: DeviceChoice) -> Result<Device> {
    match choice {
        DeviceChoice::Auto => Device::open(DeviceChoice::Cuda(None)),
        other => Device::open(other),
    }
}

/// The libraries, of the toolkit's CUB and of the named one. Says why one is missing.
fn libraries(request: &Request, device: &Device, console: &mut dyn Console) -> Vec<Peer> {
    let Some(nvcc) = find_nvcc() else {
        console.notice("nvcc is not on the path, so CUB is not timed");
        return Vec::new();
    };
    let (major, minor) = device.properties().compute_capability;
    let toolkit = Build {
        nvcc,
        arch: architecture(&format!("{major}.{minor}")),
        peers: request.peers.clone(),
        cub: None,
        out: request.out.join("peers"),
    };
    let named = request.cub.clone().map(|cub| Build {
        cub: Some(cub),
        ..toolkit.clone()
    });
    let mut libraries: Vec<Peer> = Vec::new();
    for build in [toolkit].into_iter().chain(named) {
        console.milestone("building CUB's scans, unless they are built");
        // SAFETY: it was built from `peers/scan` just now or before.
        let loaded = build
            .library()
            .and_then(|path| unsafe { Peer::load(&path) });
        match loaded {
            Ok(peer) => {
                console.notice(&format!("peer: {}", peer.version()));
                libraries.push(peer);
            }
            Err(reason) => console.notice(&format!("CUB is not timed: {reason}")),
        }
    }
    libraries
}

/// A run under way.
struct Run<'a> {
    request: Request,
    device: Device,
    libraries: Vec<Peer>,
    console: &'a mut dyn Console,
    rows: usize,
    is_wrong: bool,
}

impl Run<'_> {
    fn header(&mut self) {
        let header = ["peer", "operation", "n", "us", "GB/s", "method"];
        self.console.result(&line(&header.map(str::to_owned)));
    }

    /// Times an operation at every size.
    fn operation(&mut self, operation: Operation) -> Result<()> {
        let mut peers = Vec::new();
        for peer in &self.libraries {
            if !peer.has(operation) {
                let name = peer.name();
                self.console.notice(&format!("{name} has no {operation}"));
                continue;
            }
            match timing::check(&self.device, peer, operation) {
                Ok(Ok(())) => peers.push(peer),
                Ok(Err(wrong)) => {
                    self.console.notice(&wrong);
                    self.is_wrong = true;
                }
                Err(error) if error.is_context_lost() => return Err(error),
                Err(error) => self.console.notice(&error.to_string()),
            }
        }
        if peers.is_empty() {
            return Ok(());
        }
        let (rule, run) = (Rule::new(self.request.repeat), self.request.run);
        for &n in &self.request.sizes {
            if operation.has_offsets() && n > u32::MAX.into() {
                let problem = format!("{operation} of {n}: its offsets are u32");
                self.console.notice(&problem);
                continue;
            }
            let measured = match timing::times(&self.device, &peers, operation, (n, run), &rule) {
                Ok(measured) => measured,
                Err(error) if error.is_context_lost() => return Err(error),
                Err(error) => {
                    self.console.notice(&format!("{operation} of {n}: {error}"));
                    continue;
                }
            };
            for (peer, measured) in peers.iter().zip(measured) {
                let us = 1e3 * measured.timing.median_ms;
                let bytes = operation.sizes(n, n.div_ceil(run)).moved();
                let method = measured.method.to_string();
                let row = row(peer.name(), &operation.to_string(), n, us, bytes, &method);
                self.console.result(&row);
                self.rows += 1;
            }
        }
        Ok(())
    }

    /// CuPy and PyTorch, which have running sums and sums.
    fn arrays(&mut self) {
        let is_theirs = |operation: &&Operation| {
            matches!(
                operation,
                Operation::Of(Form::Inclusive | Form::Reduce, Operator::Sum, _)
            )
        };
        let theirs: Vec<Operation> = self
            .request
            .operations
            .iter()
            .filter(is_theirs)
            .copied()
            .collect();
        if theirs.is_empty() {
            return;
        }
        let asked = Asked {
            python: &self.request.python,
            peers: &self.request.peers,
            device: match self.request.device {
                DeviceChoice::Cuda(Some(number)) => number,
                _ => 0,
            },
            operations: theirs.iter().map(ToString::to_string).collect(),
            sizes: &self.request.sizes,
            rotated: timing::rotated_bytes(&self.device),
            limit: ARRAYS_LIMIT,
        };
        let (console, rows) = (&mut *self.console, &mut self.rows);
        let ended = asked.run(|line| {
            if let Some(reason) = line.reason() {
                console.notice(&reason);
            }
            if let Line::Timed(timed) = line {
                console.result(&row_of(&timed, &theirs));
                *rows += 1;
            }
        });
        if let Err(reason) = ended {
            self.console.notice(&reason);
        }
    }
}

/// The row of a time of the script, which times whole arrays alone.
fn row_of(timed: &Timed, operations: &[Operation]) -> String {
    let is_it = |operation: &&Operation| operation.to_string() == timed.operation;
    let operation = operations.iter().find(is_it);
    let bytes = operation.map_or(0, |operation| operation.sizes(timed.n, 0).moved());
    let peer = format!("{} {}", timed.peer, timed.version);
    let method = format!("{} of {}", timed.method, timed.launches);
    row(&peer, &timed.operation, timed.n, timed.us, bytes, &method)
}

fn row(peer: &str, operation: &str, n: u64, us: f64, bytes: u64, method: &str) -> String {
    line(&[
        peer.to_owned(),
        operation.to_owned(),
        n.to_string(),
        format!("{us:.2}"),
        format!("{:.1}", bytes as f64 / us * 1e-3),
        method.to_owned(),
    ])
}

/// Columns of fixed widths: the next row is not known yet.
fn line([peer, operation, n, us, rate, method]: &[String; 6]) -> String {
    format!("{peer:<14} {operation:<28} {n:>10} {us:>10} {rate:>8}  {method}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::arrays::Way;
    use crate::peers::operation::Element;

    #[test]
    fn a_rate_counts_every_array_once() {
        let sum = Operation::Of(Form::Inclusive, Operator::Sum, Element::I32);
        let timed = |operation: &str| Timed {
            peer: "cupy".into(),
            version: "0.0.1".into(),
            operation: operation.into(),
            n: 1 << 20,
            us: 4.0,
            samples: 11,
            method: Way::Graph,
            launches: 500,
        };
        // 8 MiB in 4 us.
        let row = row_of(&timed("inclusive_sum_i32"), &[sum]);
        let words: Vec<&str> = row.split_whitespace().collect();
        let expected = "cupy 0.0.1 inclusive_sum_i32 1048576 4.00 2097.2 graph of 500";
        assert_eq!(words.join(" "), expected);
    }
}
