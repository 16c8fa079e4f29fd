//! Cells, columns and words of given rows of batches; and on the emulator, which has no times,
//! what is compared and what is wrong.

use super::*;
use crate::measure::{Sampling, Session};
use crate::record::Status;
use crate::record::sample::record;
use crate::tables::testing::{
    asked, beside, cells, csv, described, emulated, expect_to_come_back, expect_unknown, measured,
    problem,
};
use quadscan::integrate::OUT_OF_INTERVALS;

#[test]
fn a_cell_of_a_batch_is_a_kind_by_the_rules_that_converge_on_it_to_a_tolerance() {
    let cells = described(
        &TABLE,
        &[
            ("sizes", "64"),
            ("integrands", "end_point,oscillating,runge"),
            ("types", "f64"),
        ],
    );
    assert_eq!(
        cells,
        [
            "integrand=end_point rule=tanh-sinh type=f64 n=64 tolerance=1e-10",
            "integrand=oscillating rule=g7k15 type=f64 n=64 tolerance=1e-10",
            "integrand=oscillating rule=g10k21 type=f64 n=64 tolerance=1e-10",
            "integrand=oscillating rule=tanh-sinh type=f64 n=64 tolerance=1e-10",
        ]
    );
    // Seven kinds by rules, in two types, of 2^10 and 2^20 items.
    assert_eq!(described(&TABLE, &[]).len(), 7 * 2 * 2);
    let asked = described(
        &TABLE,
        &[
            ("sizes", "64"),
            ("integrands", "end_point"),
            ("rules", "g7k15,trapezoid"),
            ("tolerance", "2e-3"),
        ],
    );
    assert_eq!(
        asked,
        [
            "integrand=end_point rule=g7k15 type=f64 n=64 tolerance=2e-3",
            "integrand=end_point rule=g7k15 type=f32 n=64 tolerance=2e-3",
        ]
    );
}

#[test]
fn an_objection_names_the_list_and_what_is_allowed() {
    assert_eq!(
        problem(&TABLE, &[("integrands", "runge")]),
        "--integrands has no value for the table integrals, allowed are all, smooth, end_point, \
         oscillating"
    );
    assert_eq!(
        problem(&TABLE, &[("types", "i32")]),
        "--types has no value for the table integrals, allowed are all, f64, f32"
    );
    assert_eq!(
        problem(&TABLE, &[("sizes", "2^25")]),
        "--sizes 33554432 is too large for integrals, allowed are 1 to 16777216"
    );
    assert_eq!(
        problem(&TABLE, &[("tolerance", "1e-9")]),
        "--tolerance 1e-9 is less than g7k15 can reach in f32, allowed are 6.3e-6 to 0.1"
    );
}

#[test]
fn the_device_is_asked_for_what_the_cell_says() {
    let asked = asked(&[
        ("sizes", "9"),
        ("types", "f32"),
        ("integrands", "end_point"),
    ]);
    let cells = cells(&TABLE, &asked);
    assert_eq!(cells.len(), 1);
    assert_eq!(cells[0].text("type"), Some("f32"));
    let of = Batch::of(&cells[0]).expect("a batch");
    let named = (of.kind.name, of.method, of.items, of.tolerance);
    assert_eq!(named, ("end_point", Method::TanhSinh, 9, 1e-5));
}

fn cell(kind: &str, rule: &str, (element, tolerance): (&str, &str), n: u64) -> Cell {
    let cell = Cell::default().with("integrand", kind).with("rule", rule);
    let cell = cell.with("type", element).with("n", n);
    cell.with("tolerance", tolerance)
}

/// 2000 integrals in 10 us, SciPy's in 1 ms and 4 ms, and 0.1 ms on the device; the figures are
/// made up: no run gave them.
fn batch() -> Record {
    let row = record("integrals", cell("smooth", "g7k15", ("f64", "1e-10"), 2000))
        .having("converged", 1999_u64)
        .having("unconverged", 1_u64)
        .having("evaluations", 22.5)
        .having("largest_error", 0.25)
        .taking("kernel", 0.01);
    let peers = [
        ("SciPy quad", 1000.0),
        ("SciPy quad_vec", 4000.0),
        ("SciPy tanhsinh_cupy", 100.0),
    ];
    beside(row, &peers)
}

#[test]
fn a_row_has_its_rates_its_error_and_every_peer_a_ratio() {
    let lines = csv(&TABLE, &[batch()]);
    let (header, line) = (&lines[0], &lines[1]);
    assert!(
        header.starts_with(
            "integrand,rule,type,n,tolerance,us,noise_percent,integrals_per_s,evaluations,\
             converged,unconverged,largest_error,scipy_quad_per_s,scipy_quad_ratio,"
        ),
        "{header}"
    );
    let start = "smooth,g7k15,f64,2000,1e-10,10,0.0,200000000,22.5,1999,1,2.5e-1,2000000,100.0,";
    assert!(line.starts_with(start), "{line}");
    // The faster one of the host.
    assert!(header.contains(",cpu_ratio,"), "{header}");
    assert!(line.contains(",20000000,10.0,100.0,"), "{line}");
    expect_to_come_back(&[batch()]);
}

#[test]
fn below_the_table_stand_the_means_of_every_peer() {
    assert_eq!((TABLE.summary)(&[batch()]).len(), 3);
}

#[test]
fn every_kind_converges_by_its_methods_in_both_types() {
    let mut session = emulated();
    for kind in Kind::ALL {
        for method in kind.methods {
            for element in [("f64", "1e-10"), ("f32", "1e-5")] {
                let cell = cell(kind.name, method.name(), element, 67);
                let row = measured(&mut session, &TABLE, &cell);
                let at = cell.describe();
                assert_eq!((row.status, row.reason), (Status::Ok, None), "{at}");
                let found = ["converged", "unconverged"].map(|name| row.metrics.count(name));
                assert_eq!(found, [Some(67), Some(0)], "{at}");
                let evaluations = row.metrics.number("evaluations");
                assert!(evaluations.is_some_and(|each| each >= 15.0), "{at}");
                assert!(row.metrics.number("largest_error").is_some(), "{at}");
                assert_eq!(row.metrics.times().count(), 0, "{at}");
            }
        }
    }
}

/// What is said of outcomes of items with a = 1.
fn judged(session: &mut Session, outcomes: &[Outcome<f64>]) -> Record {
    let batch = Batch {
        kind: &Kind::ALL[0],
        method: Method::G7K15,
        items: 3,
        tolerance: 1e-3,
    };
    let (sampling, cell) = (Sampling::default(), Cell::default());
    let mut bench = Bench::new(session, &sampling, (TABLE.name, &cell));
    let is_right = judge(&mut bench, &batch, outcomes.iter().map(|one| (1.0, one)));
    let record = bench.finish().record;
    assert_eq!(is_right, record.status == Status::Ok);
    record
}

#[test]
fn an_item_that_converged_and_is_off_is_wrong_and_one_that_says_so_is_not() {
    let outcome = |value: f64, status| Outcome {
        value,
        evaluations: 20,
        status,
        ..Outcome::zeroed()
    };
    // With a = 1 the integral is 1/2, and a tolerance 1/2000.
    let right = outcome(0.5 + 2.5e-3, CONVERGED);
    let given_up = outcome(0.7, OUT_OF_INTERVALS);
    let mut session = emulated();
    let batch = judged(&mut session, &[right, given_up, given_up]);
    let found = ["converged", "unconverged"].map(|name| batch.metrics.count(name));
    assert_eq!((found, &batch.reason), ([Some(1), Some(2)], &None));
    assert_eq!(batch.number("evaluations"), Some(20.0));
    let largest = batch.number("largest_error");
    assert!(largest.is_some_and(|error| (error - 5.0).abs() < 1e-9));

    let far = outcome(0.5 + 6e-3, CONVERGED);
    let wrong = judged(&mut session, &[right, given_up, far]).reason;
    let sentence = "smooth by g7k15: 5.06e-1 for a = 1, where 5e-1 is right: 12.0 tolerances, \
                    and 10 are allowed";
    assert_eq!(wrong.as_deref(), Some(sentence));
    let wrong = judged(&mut session, &[given_up, given_up]).reason;
    let sentence = "smooth by g7k15: none of 2 items converged";
    assert_eq!(wrong.as_deref(), Some(sentence));

    let nothing = outcome(f64::NAN, CONVERGED);
    let batch = judged(&mut session, &[right, given_up, nothing]);
    assert!(batch.reason.is_some() && batch.number("largest_error").is_none());
}

#[test]
fn what_the_process_does_not_know_is_an_error_that_names_it() {
    let mut session = emulated();
    for unknown in [
        cell("rough", "g7k15", ("f64", "1e-10"), 8),
        cell("smooth", "simpson", ("f64", "1e-10"), 8),
        cell("smooth", "g7k15", ("f16", "1e-10"), 8),
    ] {
        expect_unknown(&mut session, &TABLE, &unknown);
    }
}
