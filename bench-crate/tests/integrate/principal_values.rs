//! Cauchy principal values from the shell. Expected: closed forms.

use crate::common::folder;
use crate::{Table, integrate_in, refused_in};

/// 1 / (x^2 + 1) / (x - c) over all x: -pi c / (c^2 + 1). Its rule has an infinite range.
#[test]
fn rows_have_poles_of_their_own_and_infinite_limits() {
    let folder = folder();
    std::fs::write(folder.path().join("poles.csv"), "c\n1\n-0.5\n2\n").expect("written");
    for rule in ["g10k21", "tanh-sinh"] {
        let limits = ["--from", "-inf", "--to", "inf", "--rule", rule];
        let of = [
            "--formula",
            "1/(x^2+1)",
            "--pv",
            "c",
            "--batch",
            "poles.csv",
        ];
        let table = Table::of(&integrate_in(folder.path(), &[of, limits].concat()));
        assert_eq!(table.header[..4], ["from", "to", "c", "value"]);
        for (value, c) in table.numbers("value").into_iter().zip([1.0, -0.5, 2.0]) {
            let exact = -std::f64::consts::PI * c / (c * c + 1.0);
            assert!((value - exact).abs() < 1e-9, "{rule}, {c}: {value}");
        }
        assert_eq!(table.texts("status"), ["converged"; 3]);
    }
}

/// Of exp(k x) / x from -1 to 2 at k = 1: Ei(2) - Ei(-1), and its derivative e^2 - 1/e.
#[test]
fn sides_may_be_of_two_lengths_and_the_integral_has_a_derivative() {
    let of = [
        "--formula",
        "exp(k*x)",
        "--principal-value",
        "0",
        "--parameters",
        "k=1",
    ];
    for (limits, sign) in [
        (["--from", "-1", "--to", "2"], 1.0),
        (["--from", "2", "--to", "-1"], -1.0),
    ] {
        let more = ["--derivative", "k", "--format", "csv"];
        let table = Table::of(&integrate_in(
            folder().path(),
            &[&of[..], &limits, &more].concat(),
        ));
        let exact = 4.954_234_356_001_89 + 0.219_383_934_395_520_27;
        assert!((table.numbers("value")[0] - sign * exact).abs() < 1e-9);
        let slope = 2.0_f64.exp() - (-1.0_f64).exp();
        assert!((table.numbers("d/dk")[0] - sign * slope).abs() < 1e-9);
    }
}

#[test]
fn what_has_no_principal_value_is_refused() {
    let folder = folder();
    std::fs::write(folder.path().join("poles.csv"), "c\n0.5\n1\n").expect("written");
    let of = |more: &[&str]| {
        let first = ["--formula", "exp(x)", "--from", "0", "--to", "1"];
        refused_in(folder.path(), &[&first[..], more].concat())
    };
    let names = "allowed are numbers and names of parameters";
    for (more, told) in [
        (
            &["--pv", "2"][..],
            "--principal-value has no value: pole is 2.0, allowed are numbers between 0.0 and 1.0".to_owned(),
        ),
        (
            &["--pv", "c", "--batch", "poles.csv"],
            "--batch poles.csv, line 3: pole is 1.0, allowed are numbers between 0.0 and 1.0".to_owned(),
        ),
        (&["--pv", "nan"], format!("--principal-value `nan` is not finite, {names}")),
        (&["--pv", "2*c"], format!("--principal-value `2*c` is neither a number nor a name, {names}")),
        (
            &["--pv", "0.5", "--rule", "simpson", "--strips", "8"],
            "--principal-value has no place in simpson, allowed is it with g7k15, g10k21 and tanh-sinh".to_owned(),
        ),
    ] {
        assert_eq!(of(more), told);
    }
}
