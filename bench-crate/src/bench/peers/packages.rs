//! The peers from Python: CuPy and PyTorch, timed by a script before the cells are.

use std::path::Path;
use std::time::Duration;

use super::{Request, of_peer};
use crate::peers::arrays::{Asked, Line, Timed};
use crate::record::{Cell, Metric};
use crate::tables::arrays::{is_default, workload};

/// The longest that they may take together.
const LIMIT: Duration = Duration::from_secs(300);

/// Bytes that calls go through before they come back to the same ones: three times the
/// cache of an H200, whatever the device.
const ROTATED: u64 = 150 << 20;

/// What the packages call a cell's operation, where they have it.
fn operation(cell: &Cell) -> Option<String> {
    let (workload, element) = workload(cell)?;
    let is_theirs = workload.is_of_packages() && is_default(cell);
    is_theirs.then(|| workload.operation(element).to_string())
}

/// The times of the cells that the packages have, and what else the script says, a
/// sentence each.
pub(super) fn time(request: &Request, peers: &Path, python: &Path) -> (Vec<Timed>, Vec<String>) {
    let (mut operations, mut sizes) = (Vec::new(), Vec::new());
    for cell in request.tables.iter().flat_map(|(_, cells)| cells) {
        let Some((operation, n)) = operation(cell).zip(cell.number("n")) else {
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
        device: super::number(request.device),
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

/// The times of a cell's operation, by their names.
pub(super) fn of(times: &[Timed], cell: &Cell) -> Vec<(String, Metric)> {
    let Some(operation) = operation(cell) else {
        return Vec::new();
    };
    let is_it = |timed: &&Timed| timed.operation == operation && Some(timed.n) == cell.number("n");
    let time = |timed: &Timed| {
        let method = format!(
            "median of {}, {} of {}",
            timed.samples, timed.method, timed.launches
        );
        let version = format!("{} {}", timed.peer, timed.version);
        of_peer(&timed.peer, version, 1e-3 * timed.us, method)
    };
    times.iter().filter(is_it).filter_map(time).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::peers::arrays::Way;
    use crate::record::Peer;

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
        let cell = |operation: &str, element: &str, algorithm: &str, n: u64| {
            let cell = Cell::default().with("operation", operation);
            let cell = cell.with("type", element).with("algorithm", algorithm);
            cell.with("n", n)
        };
        let found = of(&times, &cell("inclusive_sum", "f32", "default", 1024));
        let [(name, Metric::Time(time))] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!((name.as_str(), time.timing.median_ms), ("cupy", 0.0025));
        assert_eq!(time.method.as_deref(), Some("median of 11, graph of 800"));
        let peer = Peer {
            name: "cupy".into(),
            version: "cupy 0.0.1".into(),
        };
        assert_eq!(time.peer, Some(peer));
        for other in [
            cell("exclusive_sum", "f32", "default", 1024),
            cell("in_place", "f32", "default", 1024),
            cell("inclusive_sum", "i32", "default", 1024),
            cell("inclusive_sum", "f32", "one_wave", 1024),
            cell("inclusive_sum", "f32", "default", 2048),
        ] {
            assert!(of(&times, &other).is_empty(), "{}", other.describe());
        }
    }
}
