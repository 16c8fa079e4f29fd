//! The peers from Python on batches of integrals: SciPy's, timed by a script before the cells
//! are.

use std::path::Path;
use std::time::Duration;

use super::{Request, of_peer};
use crate::peers::integrators::{Asked, Line, Timed};
use crate::record::{Cell, Metric};
use crate::tables::integrals::tolerance;

/// The longest that they may take together.
const LIMIT: Duration = Duration::from_secs(600);

/// An error of so many tolerances is worth a sentence.
const WRONG: f64 = 10.0;

/// The type that SciPy computes in.
const TYPE: &str = "f64";

/// What SciPy's integrators were timed on.
#[derive(Default)]
pub(super) struct Integrators {
    times: Vec<Timed>,
    /// Items of a batch.
    items: u64,
}

/// Whether a cell is of what they integrate, in their type.
fn is_theirs(cell: &Cell) -> bool {
    tolerance(cell).is_some() && cell.text("type") == Some(TYPE)
}

/// The rates on the kinds of the cells, at the largest number of items, and what else the
/// script says, a sentence each.
pub(super) fn time(request: &Request, peers: &Path, python: &Path) -> (Integrators, Vec<String>) {
    let cells = request.tables.iter().flat_map(|(_, cells)| cells);
    let cells: Vec<&Cell> = cells.filter(|cell| is_theirs(cell)).collect();
    let mut kinds: Vec<String> = Vec::new();
    for kind in cells.iter().filter_map(|cell| cell.text("integrand")) {
        if !kinds.iter().any(|known| known == kind) {
            kinds.push(kind.to_owned());
        }
    }
    let items = cells.iter().filter_map(|cell| cell.number("n")).max();
    let Some((items, tolerance)) = items.zip(cells.first().and_then(|cell| tolerance(cell))) else {
        let said = "--python has no effect: SciPy integrates in f64 alone".to_owned();
        return (Integrators::default(), vec![said]);
    };
    let asked = Asked {
        python,
        peers,
        device: super::number(request.device),
        kinds,
        items,
        tolerance,
        limit: LIMIT,
    };
    let (mut times, mut said) = (Vec::new(), Vec::new());
    let ended = asked.run(|line| {
        said.extend(line.reason());
        if let Line::Timed(timed) = line {
            said.extend(wrong(&timed));
            times.push(timed);
        }
    });
    said.extend(ended.err());
    (Integrators { times, items }, said)
}

/// That an integrator is far off, if it is.
fn wrong(timed: &Timed) -> Option<String> {
    (timed.largest_error > WRONG).then(|| {
        format!(
            "{} of {} is off by up to {:.1e} tolerances on {} integrals",
            timed.peer, timed.version, timed.largest_error, timed.kind
        )
    })
}

impl Integrators {
    /// The times of a cell's kind, for as many items, by their names.
    pub(super) fn of(&self, cell: &Cell) -> Vec<(String, Metric)> {
        if !is_theirs(cell) || cell.number("n") != Some(self.items) {
            return Vec::new();
        }
        let is_it = |timed: &&Timed| {
            Some(timed.kind.as_str()) == cell.text("integrand")
                && Some(timed.tolerance) == tolerance(cell)
        };
        let time = |timed: &Timed| {
            let ms = 1e3 * self.items as f64 / timed.per_second;
            let method = format!(
                "from {} in {} processes, off by up to {:.1e} tolerances",
                timed.items, timed.processes, timed.largest_error
            );
            let name = format!("SciPy {}", timed.peer);
            of_peer(&name, timed.version.clone(), ms, method)
        };
        self.times.iter().filter(is_it).filter_map(time).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Peer;

    /// The figures are made up: no run gave them.
    #[test]
    fn a_time_is_that_of_as_many_integrals_of_its_kind_in_f64() {
        let timed = Timed {
            kind: "smooth".into(),
            tolerance: 1e-10,
            peer: "quad".into(),
            version: "SciPy 0.0.1".into(),
            items: 500,
            processes: 8,
            per_second: 1e6,
            largest_error: 0.5,
        };
        assert_eq!(wrong(&timed), None);
        let far = Timed {
            largest_error: 1e4,
            ..timed.clone()
        };
        let sentence = "quad of SciPy 0.0.1 is off by up to 1.0e4 tolerances on smooth integrals";
        assert_eq!(wrong(&far).as_deref(), Some(sentence));
        let integrators = Integrators {
            times: vec![timed],
            items: 2000,
        };
        let cell = |kind: &str, element: &str, n: u64, tolerance: &str| {
            let cell = Cell::default()
                .with("integrand", kind)
                .with("rule", "g7k15");
            let cell = cell.with("type", element).with("n", n);
            cell.with("tolerance", tolerance)
        };
        let found = integrators.of(&cell("smooth", "f64", 2000, "1e-10"));
        let [(name, Metric::Time(time))] = found.as_slice() else {
            panic!("{found:?}")
        };
        assert_eq!((name.as_str(), time.timing.median_ms), ("SciPy quad", 2.0));
        assert_eq!(
            time.method.as_deref(),
            Some("from 500 in 8 processes, off by up to 5.0e-1 tolerances")
        );
        let peer = Peer {
            name: "SciPy quad".into(),
            version: "SciPy 0.0.1".into(),
        };
        assert_eq!(time.peer, Some(peer));
        for other in [
            cell("oscillating", "f64", 2000, "1e-10"),
            cell("smooth", "f32", 2000, "1e-10"),
            cell("smooth", "f64", 1000, "1e-10"),
            cell("smooth", "f64", 2000, "1e-9"),
            Cell::default(),
        ] {
            assert!(integrators.of(&other).is_empty(), "{}", other.describe());
        }
    }
}
