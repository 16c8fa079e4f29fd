//! Cells, columns and words of given rows of one integral; and on the emulator, which has no
//! times, what is compared and what is wrong.

use super::*;
use crate::measure::{Sampling, Session};
use crate::record::Status;
use crate::record::sample::record;
use crate::table::Asked;
use crate::tables::testing::{
    asked, beside, cells, csv, described, emulated, expect_to_come_back, expect_unknown, measured,
    problem,
};

#[test]
fn a_cell_of_one_integral_is_an_integrand_a_rule_a_type_and_strips() {
    let cells = described(
        &TABLE,
        &[
            ("sizes", "7,2^40"),
            ("types", "f32"),
            ("integrands", "gaussian,smooth,runge"),
            ("rules", "simpson"),
        ],
    );
    assert_eq!(
        cells,
        [
            "integrand=runge rule=simpson type=f32 strips=7",
            "integrand=runge rule=simpson type=f32 strips=1099511627776",
            "integrand=gaussian rule=simpson type=f32 strips=7",
            "integrand=gaussian rule=simpson type=f32 strips=1099511627776",
        ]
    );
}

#[test]
fn where_nothing_is_said_the_quarter_circle_has_six_rules_and_the_others_one() {
    let all = described(&TABLE, &[]);
    // Nine, in two types, of 2^16, 2^24 and 2^30 strips.
    assert_eq!(all.len(), 9 * 2 * 3);
    let circles = all.iter().filter(|cell| cell.contains("quarter_circle"));
    assert_eq!(circles.count(), 6 * 2 * 3);
    let full = Asked {
        extent: Extent::Full,
        ..asked(&[])
    };
    let full = cells(&TABLE, &full);
    assert!(
        full.iter()
            .any(|cell| cell.number("strips") == Some(1 << 34))
    );
    let is_for_emulator = |n: u64| TABLE.is_for_emulator(&Cell::default().with("strips", n));
    assert!(is_for_emulator(1 << 16) && !is_for_emulator(1 << 17));
}

#[test]
fn an_objection_names_the_list_and_what_is_allowed() {
    let said = problem(&TABLE, &[("integrands", "circle")]);
    let start = "--integrands `circle` is unknown, allowed are all, quarter_circle, runge, ";
    assert!(said.starts_with(start), "{said}");
    let said = problem(&TABLE, &[("rules", "g7k15")]);
    let start = "--rules has no value for the table integral, allowed are all, trapezoid, ";
    assert!(said.starts_with(start), "{said}");
}

#[test]
fn the_device_is_asked_for_what_the_cell_says() {
    let asked = asked(&[("sizes", "9"), ("types", "f64"), ("integrands", "runge")]);
    let cells = cells(&TABLE, &asked);
    assert_eq!(cells.len(), 1);
    assert_eq!(cells[0].text("type"), Some("f64"));
    let of = Integral::of(&cells[0]).expect("an integral");
    let named = (of.single.name, of.rule, of.strips);
    assert_eq!(named, ("runge", Rule::Trapezoid, 9));
}

/// 2^20 strips of five evaluations each in 10 us, nvcc's in 25; the figures are made up: no run
/// gave them.
fn one() -> Record {
    let cell = Cell::default()
        .with("integrand", "runge")
        .with("rule", "gauss-legendre-5");
    let row = record(
        "integral",
        cell.with("type", "f64").with("strips", 1_u64 << 20),
    )
    .having("value", 0.75)
    .having("expected", 0.5)
    .having("relative_error", 1.5e-16)
    .having("ulps", 1_u64)
    .having("evaluations", 5_u32)
    .taking("kernel", 0.01);
    beside(row, &[("nvcc 0.0.1", 25.0)])
}

#[test]
fn a_row_has_its_rates_its_error_and_every_peer_a_ratio() {
    let lines = csv(&TABLE, &[one()]);
    assert!(
        lines[0].starts_with(
            "integrand,rule,type,strips,us,noise_percent,g_strips_per_s,g_evaluations_per_s,\
             relative_error,ulps,nvcc_0.0.1_us,nvcc_0.0.1_ratio,"
        ),
        "{lines:?}"
    );
    // 1048576 in 10 us are 104.8576 in 10^9 a second.
    let start = "runge,gauss-legendre-5,f64,1048576,10,0.0,104.86,524.29,1.5e-16,1,25,2.500,";
    assert!(lines[1].starts_with(start), "{lines:?}");
    expect_to_come_back(&[one()]);
}

#[test]
fn below_the_table_stand_the_means_of_every_peer() {
    assert_eq!(
        (TABLE.summary)(&[one()]),
        [
            "integral: nvcc 0.0.1's time in units of ours, geometric mean: 2.500 (1 row); the \
             lowest is 2.500: integrand=runge rule=gauss-legendre-5 type=f64 strips=1048576"
        ]
    );
    let mut failed = one();
    failed.status = Status::Failed;
    assert_eq!((TABLE.summary)(&[failed]), [""; 0]);
}

fn cell(integrand: &str, rule: &str, element: &str, strips: u64) -> Cell {
    let cell = Cell::default()
        .with("integrand", integrand)
        .with("rule", rule);
    cell.with("type", element).with("strips", strips)
}

#[test]
fn every_integrand_is_right_by_every_rule_in_both_types() {
    let mut session = emulated();
    for single in Single::ALL {
        for rule in rules() {
            for element in TYPE_NAMES {
                let cell = cell(single.name, &name_of(rule), element, 1001);
                let row = measured(&mut session, &TABLE, &cell);
                let at = cell.describe();
                assert_eq!((row.status, row.reason), (Status::Ok, None), "{at}");
                let count = |metric| row.metrics.count(metric);
                assert_eq!(count("evaluations"), Some(evaluations(rule).into()), "{at}");
                assert!(count("ulps").is_some_and(|ulps| ulps <= 8), "{at}");
                assert_eq!(row.metrics.times().count(), 0, "{at}");
            }
        }
    }
}

/// What is said of a result of 2^20 strips of the quarter circle by the trapezoid rule.
fn judged<R: Number>(session: &mut Session, found: f64, expected: f64) -> Record {
    let integral = Integral {
        single: &Single::ALL[0],
        rule: Rule::Trapezoid,
        strips: 1 << 20,
    };
    let (sampling, cell) = (Sampling::default(), Cell::default());
    let mut bench = Bench::new(session, &sampling, (TABLE.name, &cell));
    let is_right = compare::<R>(&mut bench, &integral, found, expected);
    let record = bench.finish().record;
    assert_eq!(is_right, record.status == Status::Ok);
    record
}

#[test]
fn a_result_is_wrong_beyond_what_is_promised() {
    let mut session = emulated();
    let mut judge = |found: f64, expected: f64, is_double: bool| match is_double {
        true => judged::<f64>(&mut session, found, expected).reason,
        false => judged::<f32>(&mut session, found, expected).reason,
    };
    assert_eq!(judge(0.75 + 6e-16, 0.75, true), None);
    assert_eq!(
        judge(0.75 + 8e-16, 0.75, true).as_deref(),
        Some(
            "quarter_circle by trapezoid: 7.500000000000008e-1, where the rule gives 7.5e-1, and \
             1e-15 of it is allowed"
        )
    );
    // An ulp of f32 there is 2^-24.
    let ulp = 2.0_f64.powi(-24);
    assert_eq!(judge(0.75 + ulp, 0.75, false), None);
    let wrong = judge(0.75 + 2.0 * ulp, 0.75, false).unwrap_or_default();
    assert!(wrong.ends_with("and 1 ulp is allowed"), "{wrong}");
    for nothing in [f64::NAN, f64::INFINITY, -0.75] {
        assert!(judge(nothing, 0.75, false).is_some() && judge(nothing, 0.75, true).is_some());
    }
    // Of what is no number a record has none.
    let none = judged::<f64>(&mut session, f64::NAN, 0.75);
    for metric in ["value", "relative_error", "ulps"] {
        assert_eq!(none.metrics.get(metric), None, "{metric}");
    }
}

#[test]
fn what_the_process_does_not_know_is_an_error_that_names_it() {
    let mut session = emulated();
    for unknown in [
        cell("runges", "simpson", "f64", 8),
        cell("runge", "boole", "f64", 8),
        cell("runge", "simpson", "f16", 8),
    ] {
        expect_unknown(&mut session, &TABLE, &unknown);
    }
}
