//! Cells, columns and the figure of given rows; and on the emulator, which has no times, what is
//! computed and compared.

use super::*;
use crate::record::Metric;
use crate::tables::testing::{
    beside, cells, csv, described, emulated, expect_to_come_back, expect_unknown, measured, problem,
};

#[test]
fn a_cell_is_an_integrand_in_its_own_dimensions_to_each_tolerance() {
    assert_eq!(described(&TABLE, &[]).len(), 7 * 7);
    let some = described(
        &TABLE,
        &[
            ("integrands", "gaussian_peak,continuous"),
            ("tolerance", "1e-5"),
        ],
    );
    assert_eq!(
        some,
        [
            "integrand=gaussian_peak dimensions=5 tolerance=1e-5",
            "integrand=continuous dimensions=8 tolerance=1e-5",
        ]
    );
    let few = crate::table::Asked {
        axes: [("dimensions".to_owned(), "1".to_owned())].into(),
        ..crate::tables::testing::asked(&[])
    };
    let said = TABLE.selected(&few).err().map(|error| error.to_string());
    let sentence = "--axis dimensions 1 is too small for cubature, allowed are 2 to 10";
    assert_eq!(said.as_deref(), Some(sentence));
    assert_eq!(
        problem(&TABLE, &[("integrands", "runge")]),
        "--integrands has no value for the table cubature, allowed are all, oscillatory, \
         product_peak, corner_peak, gaussian_peak, continuous, discontinuous, power_of_squares"
    );
}

fn cell(integrand: &str, dimensions: u64) -> Cell {
    let cell = Cell::default().with("integrand", integrand);
    cell.with("dimensions", dimensions)
        .with("tolerance", "1e-5")
}

#[test]
fn the_emulator_has_claims_that_hold_and_skips_what_takes_minutes() {
    let mut session = emulated();
    for of in Boxed::ALL {
        let row = measured(&mut session, &TABLE, &cell(of.name, 2));
        assert_eq!(
            (row.status, &row.reason),
            (Status::Ok, &None),
            "{}",
            of.name
        );
        let number = |name| row.metrics.number(name).expect(name);
        assert!(
            number("true_error") <= number("claim").max(ROUNDING),
            "{}",
            of.name
        );
        assert!(number("claim") <= 1e-5, "{}", of.name);
        assert_eq!(row.metrics.text("ended"), Some("converged"));
        assert_eq!(row.ms("kernel"), None);
        let launched = session.module.take_launched();
        let rule = "cubature_rule_formula".to_owned();
        assert!(launched.contains(&rule), "{launched:?}");
        expect_to_come_back(&[row]);
    }
    let row = measured(&mut session, &TABLE, &cell("continuous", 8));
    assert_eq!(row.status, Status::Skipped, "{row:?}");
    expect_unknown(&mut session, &TABLE, &cell("runge", 2));
}

#[test]
fn a_claim_that_does_not_hold_and_a_value_that_is_none_fail() {
    let found = |value, status| Cubed {
        value,
        error: 1e-6,
        evaluations: 9,
        regions: 1,
        rounds: 1,
        status,
    };
    let said = |value, status| objection("runge", &found(value, status), 1.0);
    assert_eq!(said(1.000_000_5, Ended::Converged), None);
    let off = "runge: 1.1e0 is off by 1.0e-1, and claims 1.0e-6";
    assert_eq!(said(1.1, Ended::OutOfRoom).as_deref(), Some(off));
    let none = "runge: the value is not finite";
    assert_eq!(said(f64::NAN, Ended::NotFinite).as_deref(), Some(none));
}

#[test]
fn peers_have_columns_and_lines_that_end_where_they_are_off() {
    let row = measured(&mut emulated(), &TABLE, &cell("gaussian_peak", 2));
    let peer = |error: f64| {
        let row = beside(row.clone(), &[("PAGANI", 2500.0)]);
        let [of_error, of_claim] = peers::metrics("PAGANI");
        let row = row.having(&of_claim, Metric::from(1e-6));
        row.having(&of_error, Metric::from(error))
    };
    let lines = csv(&TABLE, &[peer(2e-6)]);
    assert!(
        lines[0].contains("pagani_ms,pagani_ratio,pagani_claim,pagani_error"),
        "{}",
        lines[0]
    );
    assert!(
        lines[1].contains(",2.5,,1.0e-6,2.0e-6,") || lines[1].contains(",2.500,,1.0e-6,2.0e-6,"),
        "{}",
        lines[1]
    );
    assert_eq!((TIMES.values)(&peer(2e-6)), [("PAGANI".to_owned(), 2.5)]);
    assert_eq!((TIMES.values)(&peer(2e-5)), []);
    assert_eq!((TIMES.x)(&row), Some(1e5));
    assert_eq!((TIMES.panel)(&row), "gaussian peak, 2 dimensions");
}

/// What the script says, with a shell script in its place.
#[test]
fn what_the_script_says_becomes_times_and_errors_of_cells() {
    let said = r#"{"cell": "gaussian_peak:2:1e-5", "peer": "PAGANI", "version": "PAGANI, nvcc 0.0", "ms": 2.5, "clock": "one", "value": 0.0, "claim": 0.0, "evaluations": 7, "converged": true}
{"cell": "", "peer": "vegas", "missing": "there is none"}"#;
    let folder = tempfile::tempdir().expect("a folder");
    let asked = "--device 0 --cells gaussian_peak:2:1e-5";
    let script = format!("[ \"$*\" = \"{asked}\" ] || exit 3\ncat <<'END'\n{said}\nEND\n");
    std::fs::write(folder.path().join("cubature.py"), script).expect("it is written");
    let python = source::Python {
        python: std::path::Path::new("sh"),
        peers: folder.path(),
        device: 0,
    };
    let cell = cell("gaussian_peak", 2);
    let found = peers::timed(&python, &[&cell], None);
    assert_eq!(found.said, ["vegas is not timed: there is none"]);
    let names: Vec<&str> = found.times.iter().map(|(_, name, _)| &name[..]).collect();
    assert_eq!(names, ["PAGANI true error", "PAGANI claim", "PAGANI"]);
    assert_eq!(found.times[0].2, Metric::from(1.0));
    assert!(cells(&TABLE, &crate::tables::testing::asked(&[])).len() > 1);
}
