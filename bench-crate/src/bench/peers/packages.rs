//! The peers from Python: CuPy and PyTorch, timed by a script before the cells are.

use std::path::Path;
use std::time::Duration;

use super::Request;
use crate::measure::Timing;
use crate::peers::arrays::{Asked, Line, Timed};
use crate::record::{Key, PeerTime};
use crate::tables::workload::{is_default, workload};
use quadscan::device::DeviceChoice;

/// The longest that they may take together.
const LIMIT: Duration = Duration::from_secs(300);

/// Bytes that calls go through before they come back to the same ones: three times the
/// cache of an H200, whatever the device.
const ROTATED: u64 = 150 << 20;

/// What the packages call a cell's operation, where they have it.
fn operation(key: &Key) -> Option<String> {
    let (workload, element) = workload(key)?;
    let is_theirs = workload.is_of_packages() && is_default(key);
    is_theirs.then(|| workload.operation(element).to_string())
}

/// The times of the cells that the packages have, and what else the script says, a
/// sentence each.
pub(super) fn time(request: &Request, peers: &Path, python: &Path) -> (Vec<Timed>, Vec<String>) {
    let (mut operations, mut sizes) = (Vec::new(), Vec::new());
    for key in request.tables.iter().flat_map(|(_, cells)| cells) {
        let Some((operation, n)) = operation(key).zip(key.n) else {
            continue;
        };
        if !operations.contains(&operation) {
            operations.push(operation);
        }
        if !sizes.contains(&n) {
            sizes.push(n);
        }
    }
    let (mut times, mut said) = (Vec::new(), Vec::new());
    if operations.is_empty() {
        said.push("--python has no effect: CuPy and PyTorch have none of these operations".into());
        return (times, said);
    }
    let asked = Asked {
        python,
        peers,
        device: match request.device {
            DeviceChoice::Cuda(Some(number)) => number,
            _ => 0,
        },
        operations,
        sizes: &sizes,
        rotated: ROTATED,
        limit: LIMIT,
    };
    let ended = asked.run(|line| {
        said.extend(line.reason());
        if let Line::Timed(timed) = line {
            times.push(timed);
        }
    });
    said.extend(ended.err());
    (times, said)
}

/// The times of a cell's operation.
pub(super) fn of(times: &[Timed], key: &Key) -> Vec<PeerTime> {
    let Some(operation) = operation(key) else {
        return Vec::new();
    };
    let is_it = |timed: &&Timed| timed.operation == operation && Some(timed.n) == key.n;
    let time = |timed: &Timed| {
        Some(PeerTime {
            name: timed.peer.clone(),
            version: format!("{} {}", timed.peer, timed.version),
            timing: Timing::from_samples(vec![1e-3 * timed.us])?,
            method: format!(
                "median of {}, {} of {}",
                timed.samples, timed.method, timed.launches
            ),
        })
    };
    times.iter().filter(is_it).filter_map(time).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::arrays::Way;

    #[test]
    fn a_time_is_that_of_its_operation_type_and_size_alone() {
        let times = [Timed {
            peer: "cupy".into(),
            version: "0.0.1".into(),
            operation: "inclusive_sum_f32".into(),
            n: 1024,
            us: 2.5,
            samples: 11,
            method: Way::Graph,
            launches: 800,
        }];
        let key = |operation: &str, element: &str, algorithm: &str, n| Key {
            operation: Some(operation.into()),
            element: Some(element.into()),
            algorithm: Some(algorithm.into()),
            n: Some(n),
            ..Key::default()
        };
        let found = of(&times, &key("inclusive_sum", "f32", "default", 1024));
        let figures = found
            .iter()
            .map(|time| (time.name.as_str(), time.timing.median_ms));
        assert_eq!(figures.collect::<Vec<_>>(), [("cupy", 0.0025)]);
        assert_eq!(found[0].method, "median of 11, graph of 800");
        for other in [
            key("exclusive_sum", "f32", "default", 1024),
            key("in_place", "f32", "default", 1024),
            key("inclusive_sum", "i32", "default", 1024),
            key("inclusive_sum", "f32", "one_wave", 1024),
            key("inclusive_sum", "f32", "default", 2048),
        ] {
            assert_eq!(of(&times, &other), []);
        }
    }
}
