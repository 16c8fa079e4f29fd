//! SciPy on batches of integrals of the cells' kinds, in f64 alone.

use std::time::Duration;

use super::tolerance;
use crate::grouping::distinct;
use crate::peers::integrators::{Asked, Line};
use crate::record::Cell;
use crate::table::source::{Packages, Python};

/// The longest that its integrators may take together.
const LIMIT: Duration = Duration::from_secs(600);

/// An error of so many tolerances is worth a sentence.
const WRONG: f64 = 10.0;

/// The type that SciPy computes in.
const TYPE: &str = "f64";

/// Times its integrators on the kinds of the cells, at the largest number of items, and hands on
/// what the script says.
pub(super) fn time(of: &Python<'_>, cells: &[&Cell]) -> Packages {
    let mut found = Packages::default();
    let theirs = cells.iter().filter(|cell| cell.text("type") == Some(TYPE));
    let theirs: Vec<&Cell> = theirs.copied().collect();
    let kinds = theirs.iter().filter_map(|cell| cell.text("integrand"));
    let kinds = distinct(kinds.map(str::to_owned));
    let items = theirs.iter().filter_map(|cell| cell.number("n")).max();
    let Some((items, first)) = items.zip(theirs.first().and_then(|cell| tolerance(cell))) else {
        let said = "--python has no effect: SciPy integrates in f64 alone";
        found.said.push(said.to_owned());
        return found;
    };
    let asked = Asked {
        python: of.python,
        peers: of.peers,
        device: of.device,
        kinds,
        items,
        tolerance: first,
        limit: LIMIT,
    };
    let ended = asked.run(|line| {
        found.said.extend(line.reason());
        let Line::Timed(timed) = line else {
            return;
        };
        let error = timed.largest_error;
        if error > WRONG {
            found.said.push(format!(
                "{} of {} is off by up to {error:.1e} tolerances on {} integrals",
                timed.peer, timed.version, timed.kind
            ));
        }
        let ms = 1e3 * items as f64 / timed.per_second;
        let method = format!(
            "from {} in {} processes, off by up to {error:.1e} tolerances",
            timed.items, timed.processes
        );
        let is_it = |cell: &&&Cell| {
            cell.number("n") == Some(items)
                && cell.text("integrand") == Some(&timed.kind)
                && tolerance(cell) == Some(timed.tolerance)
        };
        for cell in theirs.iter().filter(is_it) {
            let name = format!("SciPy {}", timed.peer);
            found.add(cell, name, timed.version.clone(), (ms, method.clone()));
        }
    });
    found.said.extend(ended.err());
    found
}
