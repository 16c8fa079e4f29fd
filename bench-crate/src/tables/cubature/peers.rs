//! Peers on the cells' integrands: PAGANI, SciPy, vegas, m-Cubes and Cuba.

use crate::peers::boxes::{Asked, Line};
use crate::record::{Cell, Metric};
use crate::table::source::{Packages, Python};

/// The metrics of a peer's true relative error and of its claim.
pub(in crate::tables) fn metrics(peer: &str) -> [String; 2] {
    [format!("{peer} true error"), format!("{peer} claim")]
}

/// Times the codes, those of the script where none are named, on the cells, and hands on what it says.
pub(in crate::tables) fn timed(
    of: &Python<'_>,
    cells: &[&Cell],
    codes: Option<&'static str>,
) -> Packages {
    let mut found = Packages::default();
    let asked = Asked {
        python: of.python,
        peers: of.peers,
        device: of.device,
        codes,
        cells: cells.iter().filter_map(|cell| described(cell)).collect(),
    };
    let ended = asked.run(|line| match line {
        Line::Missing(of) => found.said.push(of.reason()),
        Line::Timed(timed) => {
            let is_it = |cell: &&&Cell| described(cell).as_ref() == Some(&timed.cell);
            let Some(cell) = cells.iter().find(is_it) else {
                return;
            };
            let Some((_, _, exact, _)) = super::asked(cell) else {
                return;
            };
            let error = (timed.value - exact).abs() / exact.abs();
            let numbers = [error, timed.claim / exact.abs()];
            for (name, number) in metrics(&timed.peer).into_iter().zip(numbers) {
                let metric = Metric::from(number);
                found.times.push(((*cell).clone(), name, metric));
            }
            let ended = match timed.converged {
                true => "converged",
                false => "did not converge",
            };
            let evaluations = timed.evaluations;
            let evaluations = evaluations.map(|count| format!(", {count} evaluations"));
            let evaluations = evaluations.unwrap_or_default();
            let method = format!("{}{evaluations}, {ended}", timed.clock);
            found.add(cell, timed.peer, timed.version, (timed.ms, method));
        }
    });
    found.said.extend(ended.err());
    found
}

/// A cell as the script has it: `oscillatory:8:1e-3`.
fn described(cell: &Cell) -> Option<String> {
    let (name, dimensions) = (cell.text("integrand")?, cell.number("dimensions")?);
    Some(format!("{name}:{dimensions}:{}", cell.text("tolerance")?))
}
