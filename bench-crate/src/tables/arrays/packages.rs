//! CuPy and PyTorch on the cells whose operations they have.

use std::time::Duration;

use super::{is_default, workload};
use crate::grouping::distinct;
use crate::peers::arrays::{Asked, Line};
use crate::record::Cell;
use crate::table::source::{Packages, Python};

/// The longest that they may take together.
const LIMIT: Duration = Duration::from_secs(300);

/// Bytes that calls go through before they come back to the same ones: three times the
/// cache of an H200, whatever the device.
const ROTATED: u64 = 150 << 20;

/// What the packages call a cell's operation, where they have it, and its elements.
fn operation(cell: &Cell) -> Option<(String, u64)> {
    let (workload, element) = workload(cell)?;
    let is_theirs = workload.is_of_packages() && is_default(cell);
    let operation = is_theirs.then(|| workload.operation(element).to_string())?;
    Some((operation, cell.number("n")?))
}

/// Times them, and hands on what the script says.
pub(super) fn time(of: &Python<'_>, cells: &[&Cell]) -> Packages {
    let mut found = Packages::default();
    let theirs = || cells.iter().filter_map(|cell| operation(cell));
    let operations = distinct(theirs().map(|(operation, _)| operation));
    let sizes = distinct(theirs().map(|(_, n)| n));
    if operations.is_empty() {
        let said = "--python has no effect: CuPy and PyTorch have none of these operations";
        found.said.push(said.to_owned());
        return found;
    }
    let asked = Asked {
        python: of.python,
        peers: of.peers,
        device: of.device,
        operations,
        sizes: &sizes,
        rotated: ROTATED,
        limit: LIMIT,
    };
    let ended = asked.run(|line| {
        found.said.extend(line.reason());
        let Line::Timed(timed) = line else {
            return;
        };
        let version = format!("{} {}", timed.peer, timed.version);
        let (samples, launches) = (timed.samples, timed.launches);
        let method = format!("median of {samples}, {} of {launches}", timed.method);
        let of = (timed.operation, timed.n);
        for cell in cells
            .iter()
            .filter(|cell| operation(cell).as_ref() == Some(&of))
        {
            let time = (1e-3 * timed.us, method.clone());
            found.add(cell, timed.peer.clone(), version.clone(), time);
        }
    });
    found.said.extend(ended.err());
    found
}
