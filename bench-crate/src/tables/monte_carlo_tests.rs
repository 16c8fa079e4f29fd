//! Cells and the figure of given rows; and on the emulator, which has no times, what is computed and
//! compared.

use super::*;
use crate::record::{Metric, Status};
use crate::tables::testing::{beside, described, emulated, measured};

fn cell(integrand: &str, dimensions: u64, rule: &str) -> Cell {
    let cell = Cell::default().with("integrand", integrand);
    let cell = cell.with("dimensions", dimensions).with("rule", rule);
    cell.with("tolerance", "5e-2")
}

#[test]
fn a_cell_is_an_integrand_in_some_dimensions_by_a_rule_to_a_tolerance() {
    assert_eq!(described(&TABLE, &[]).len(), 5 * 3 * 3 * 4);
    let some = [
        ("integrands", "steps"),
        ("rules", "sobol"),
        ("tolerance", "1e-3"),
    ];
    let cells = [9, 16, 20].map(|dimensions| {
        format!("integrand=steps dimensions={dimensions} rule=sobol tolerance=1e-3")
    });
    assert_eq!(described(&TABLE, &some), cells);
}

#[test]
fn the_emulator_has_standard_errors_that_hold_and_skips_what_takes_minutes() {
    let mut session = emulated();
    for (of, rule) in Boxed::MANY
        .iter()
        .zip([VEGAS, LATTICE, SOBOL].iter().cycle())
    {
        let row = measured(&mut session, &TABLE, &cell(of.name, 2, rule));
        assert_eq!(
            (row.status, &row.reason),
            (Status::Ok, &None),
            "{}",
            of.name
        );
        let number = |name| row.metrics.number(name).expect(name);
        assert!(number("pull").abs() < 5.0, "{}", of.name);
        assert!(number("claim") <= SHOWN[0] * 5e-2, "{}", of.name);
        assert_eq!(row.metrics.text("ended"), Some("converged"), "{}", of.name);
        assert_eq!(row.ms("kernel"), None);
    }
    let row = measured(&mut session, &TABLE, &cell("kinks", 9, SOBOL));
    assert_eq!(row.status, Status::Skipped, "{row:?}");
}

#[test]
fn a_standard_error_that_does_not_hold_fails_where_nothing_says_so() {
    let said = |value, status| {
        let found = Estimate {
            value,
            sigma: 1e-3,
            chi_square: 1.0,
            evaluations: 9,
            iterations: 5,
            status,
        };
        objection("steps", &found, 1.0)
    };
    assert_eq!(said(1.005, SamplingStatus::Converged), None);
    let off = "steps: 1.1e0 is off by 1.0e-1, and its standard error is 1.0e-3";
    assert_eq!(said(1.1, SamplingStatus::OutOfRoom).as_deref(), Some(off));
    assert_eq!(said(1.1, SamplingStatus::Disagree), None);
    let none = "steps: the value is not finite";
    assert_eq!(
        said(f64::NAN, SamplingStatus::NotFinite).as_deref(),
        Some(none)
    );
}

#[test]
fn peers_have_lines_that_end_where_they_are_off() {
    let row = measured(&mut emulated(), &TABLE, &cell("gaussian", 2, LATTICE));
    let peer = |error: f64, claim: f64| {
        let [of_error, of_claim] = peers::metrics("m-Cubes");
        let row = beside(row.clone(), &[("m-Cubes", 2500.0)]);
        let row = row.having(&of_claim, Metric::from(claim));
        (TIMES.values)(&row.having(&of_error, Metric::from(error)))
    };
    assert_eq!(peer(0.06, 0.04), [("m-Cubes".to_owned(), 2.5)]);
    assert_eq!(peer(0.06, 0.06), []);
    assert_eq!(peer(0.3, 0.04), []);
    assert_eq!((TIMES.x)(&row), Some(20.0));
    assert_eq!((TIMES.panel)(&row), "gaussian, 2 dimensions");
}
