//! Fourier integrals, and formulas of several outputs, from the shell. Expected: closed forms.

use std::f64::consts::PI;

use crate::common::folder;
use crate::{Table, integrate_in, refused_in};

const HALF_LINE: [&str; 4] = ["--from", "0", "--to", "inf"];

/// x / (c^2 + x^2) sin(w x): pi/2 exp(-c w), and its derivative by c.
#[test]
fn rows_have_waves_of_their_own() {
    let folder = folder();
    let rows = "w,c\n1,1\n-2,0.5\n30,0.1\n";
    std::fs::write(folder.path().join("waves.csv"), rows).expect("written");
    let of = [
        "--formula",
        "x/(c^2+x^2)",
        "--fourier",
        "sin",
        "--omega",
        "w",
    ];
    let more = ["--batch", "waves.csv", "--derivative", "c"];
    let table = Table::of(&integrate_in(
        folder.path(),
        &[&of[..], &HALF_LINE, &more].concat(),
    ));
    assert_eq!(table.header[..5], ["from", "to", "c", "w", "value"]);
    let values = table
        .numbers("value")
        .into_iter()
        .zip(table.numbers("d/dc"));
    for ((value, slope), (w, c)) in values.zip([(1.0, 1.0), (-2.0, 0.5), (30.0, 0.1)]) {
        let exact = f64::signum(w) * PI / 2.0 * (-c * f64::abs(w)).exp();
        assert!((value - exact).abs() < 1e-10, "{w}, {c}: {value}");
        assert!(
            (slope + f64::abs(w) * exact).abs() < 1e-9,
            "{w}, {c}: {slope}"
        );
    }
    assert_eq!(table.texts("status"), ["converged"; 3]);
}

#[test]
fn what_is_no_fourier_integral_is_refused() {
    let folder = folder();
    std::fs::write(folder.path().join("waves.csv"), "w\n1\n0\n").expect("written");
    let of = |more: &[&str]| {
        let first = ["--formula", "1/x", "--fourier", "sin"];
        refused_in(folder.path(), &[&first[..], more].concat())
    };
    let wave = "or its phase not finite, allowed are numbers other than 0; without a wave there is no --fourier";
    for (more, told) in [
        (
            &["--omega", "1", "--from", "0", "--to", "9"][..],
            "--fourier has no value: goes from 0.0 to 9.0, allowed is it with an infinite limit".to_owned(),
        ),
        (
            &["--omega", "w", "--from", "0", "--to", "inf", "--batch", "waves.csv"],
            format!("--batch waves.csv, line 3: omega is 0.0, {wave}"),
        ),
        (
            &["--omega", "2*w", "--from", "0", "--to", "inf"],
            "--omega `2*w` is neither a number nor a name, allowed are numbers and names of parameters".to_owned(),
        ),
        (
            &["--omega", "1", "--from", "0", "--to", "inf", "--precision", "f32"],
            "--precision `f32` has no place with --fourier, allowed is f64".to_owned(),
        ),
        (
            &["--omega", "1", "--from", "0", "--to", "inf", "--intervals", "9"],
            "--intervals has no place in --fourier, allowed is it with g7k15 and g10k21".to_owned(),
        ),
    ] {
        assert_eq!(of(more), told);
    }
    let of = ["-i", "runge", "--omega", "1"];
    let told = "--omega has no place without --fourier, allowed is it with a wave";
    assert_eq!(refused_in(folder.path(), &of), told);
}

/// exp(-k x) cos(3 x) and sin: k / (k^2 + 9) and 3 / (k^2 + 9). Of cos from 0 to pi nothing is left.
#[test]
fn outputs_have_a_value_and_a_claim_each_and_one_tolerance() {
    let folder = folder();
    std::fs::write(folder.path().join("rates.csv"), "k\n1\n4\n").expect("written");
    let text = "let a = exp(-k*x); a*cos(3*x); a*sin(3*x)";
    let of = [
        "--formula",
        text,
        "--batch",
        "rates.csv",
        "--derivative",
        "k",
    ];
    let table = Table::of(&integrate_in(
        folder.path(),
        &[&of[..], &HALF_LINE].concat(),
    ));
    let results = [
        "value_1",
        "error_1",
        "value_2",
        "error_2",
        "evaluations",
        "status",
        "at",
        "d/dk_1",
        "d/dk_2",
    ];
    assert_eq!(table.header[3..], results);
    for (row, k) in [1.0, 4.0].into_iter().enumerate() {
        let below: f64 = k * k + 9.0;
        for (name, exact) in [
            ("value_1", k / below),
            ("value_2", 3.0 / below),
            ("d/dk_1", (9.0 - k * k) / below / below),
            ("d/dk_2", -6.0 * k / below / below),
        ] {
            let found = table.numbers(name)[row];
            assert!((found - exact).abs() < 1e-10, "{name}, {k}: {found}");
        }
    }
    let of = [
        "--formula",
        "cos(x); sin(x)",
        "--from",
        "0",
        "--to",
        "3.141592653589793",
    ];
    let alone = integrate_in(folder.path(), &of);
    assert!(
        alone.code == 0 && alone.output.contains("\nvalue_2      2.0"),
        "{alone:?}"
    );
    let of = ["--formula", "x; x", "--batch", "rates.csv"];
    std::fs::write(folder.path().join("rates.csv"), "from,to,error_2\n1,2,3\n").expect("written");
    let told = "--batch rates.csv has a column `error_2`, which the results have as well, allowed are other names";
    assert_eq!(refused_in(folder.path(), &of), told);
}
