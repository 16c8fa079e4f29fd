//! The peers from Python on batches of integrals: SciPy's, timed by a script before the cells
//! are.

use std::path::Path;
use std::time::Duration;

use super::Request;
use crate::measure::Timing;
use crate::peers::integrators::{Asked, Line, Timed};
use crate::peers::operation::Element;
use crate::record::{Key, PeerTime};
use crate::tables::integrate::tolerance;
use quadscan::device::DeviceChoice;

/// The longest that they may take together.
const LIMIT: Duration = Duration::from_secs(600);

/// An error of so many tolerances is worth a sentence.
const WRONG: f64 = 10.0;

/// The type that SciPy computes in.
const TYPE: Element = Element::F64;

/// What SciPy's integrators were timed on.
#[derive(Default)]
pub(super) struct Integrators {
    times: Vec<Timed>,
    /// Items of a batch.
    items: u64,
}

/// Whether a cell is of what they integrate, in their type.
fn is_theirs(key: &Key) -> bool {
    let element = key.element.as_deref().and_then(Element::by_name);
    tolerance(key).is_some() && element == Some(TYPE)
}

/// The rates on the kinds of the cells, at the largest number of items, and what else the
/// script says, a sentence each.
pub(super) fn time(request: &Request, peers: &Path, python: &Path) -> (Integrators, Vec<String>) {
    let cells = request.tables.iter().flat_map(|(_, cells)| cells);
    let cells: Vec<&Key> = cells.filter(|key| is_theirs(key)).collect();
    let mut kinds: Vec<String> = Vec::new();
    for kind in cells.iter().filter_map(|key| key.integrand.as_ref()) {
        if !kinds.contains(kind) {
            kinds.push(kind.clone());
        }
    }
    let items = cells.iter().filter_map(|key| key.n).max();
    let Some((items, tolerance)) = items.zip(cells.first().and_then(|key| tolerance(key))) else {
        let said = "--python has no effect: SciPy integrates in f64 alone".to_owned();
        return (Integrators::default(), vec![said]);
    };
    let asked = Asked {
        python,
        peers,
        device: match request.device {
            DeviceChoice::Cuda(Some(number)) => number,
            _ => 0,
        },
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
    /// The times of a cell's kind, for as many items.
    pub(super) fn of(&self, key: &Key) -> Vec<PeerTime> {
        if !is_theirs(key) || key.n != Some(self.items) {
            return Vec::new();
        }
        let is_it = |timed: &&Timed| {
            Some(&timed.kind) == key.integrand.as_ref() && Some(timed.tolerance) == tolerance(key)
        };
        let time = |timed: &Timed| {
            let ms = 1e3 * self.items as f64 / timed.per_second;
            Some(PeerTime {
                name: format!("SciPy {}", timed.peer),
                version: timed.version.clone(),
                timing: Timing::from_samples(vec![ms]).filter(|_| ms.is_finite())?,
                method: format!(
                    "from {} in {} processes, off by up to {:.1e} tolerances",
                    timed.items, timed.processes, timed.largest_error
                ),
            })
        };
        self.times.iter().filter(is_it).filter_map(time).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let key = |kind: &str, element: &str, n, tolerance: &str| Key {
            integrand: Some(kind.into()),
            rule: Some("g7k15".into()),
            element: Some(element.into()),
            n: Some(n),
            tolerance: Some(tolerance.into()),
            ..Key::default()
        };
        let found = integrators.of(&key("smooth", "f64", 2000, "1e-10"));
        let figures: Vec<_> = found
            .iter()
            .map(|time| (time.name.as_str(), time.timing.median_ms))
            .collect();
        assert_eq!(figures, [("SciPy quad", 2.0)]);
        assert_eq!(
            found[0].method,
            "from 500 in 8 processes, off by up to 5.0e-1 tolerances"
        );
        for other in [
            key("oscillating", "f64", 2000, "1e-10"),
            key("smooth", "f32", 2000, "1e-10"),
            key("smooth", "f64", 1000, "1e-10"),
            key("smooth", "f64", 2000, "1e-9"),
            Key::default(),
        ] {
            assert_eq!(integrators.of(&other), []);
        }
    }
}
