//! Formulas of several variables on the host.

use std::f64::consts::{E, PI};

use super::Formula;

const INF: f64 = f64::INFINITY;

fn formula(text: &str) -> Formula {
    Formula::of_variables(text, &["x", "y"]).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// The integral over a box by 400 midpoints an axis.
fn midpoints(text: &str, limits: [(f64, f64); 2]) -> f64 {
    let (finite, limits) = formula(text).over_finite_box(&limits).expect(text);
    let [(a, b), (c, d)] = limits[..] else {
        panic!("{limits:?}")
    };
    let n = 400;
    let at = |k: i32, from: f64, to: f64| from + (to - from) * (f64::from(k) + 0.5) / f64::from(n);
    let points = (0..n * n).map(|k| finite.eval_at(&[at(k % n, a, b), at(k / n, c, d)], &[]));
    points.sum::<f64>() * (b - a) * (d - c) / f64::from(n * n)
}

#[test]
fn an_infinite_box_becomes_a_finite_one_with_the_same_integral() {
    for (text, limits, exact) in [
        ("exp(x)*y", [(0.0, 1.0), (1.0, 3.0)], 4.0 * (E - 1.0)),
        ("exp(-x^2 - y^2)", [(-INF, INF), (-INF, INF)], PI),
        ("exp(-x^2 - y^2)", [(INF, -INF), (0.0, INF)], -PI / 2.0),
        ("exp(2 - x)*exp(y)", [(2.0, INF), (-INF, -1.0)], 1.0 / E),
    ] {
        let found = midpoints(text, limits);
        assert!((found - exact).abs() < 1e-4, "{text}: {found}, not {exact}");
    }
    let (finite, limits) = formula("1 + 0*x*y")
        .over_finite_box(&[(-INF, INF), (0.0, INF)])
        .expect("a box");
    assert_eq!(limits, [(-1.0, 1.0), (0.0, 1.0)]);
    // At infinity there is nothing.
    for point in [[-1.0, 0.5], [1.0, 0.5], [0.5, 1.0]] {
        assert_eq!(finite.eval_at(&point, &[]), 0.0, "{point:?}");
    }
}

#[test]
fn a_formula_of_no_variables_or_too_many_is_refused() {
    let names: Vec<String> = (0..33).map(|k| format!("v{k}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    for (count, problem) in [
        (0, "no variables are given, allowed are 1 to 32"),
        (33, "`v32` is one variable too many, allowed are 32"),
    ] {
        let said = Formula::of_variables("0", &names[..count]).unwrap_err();
        assert_eq!(said.problem(), problem);
    }
    assert!(Formula::of_variables("0", &names[..32]).is_ok());
}

#[test]
fn boxes_that_are_none_are_refused() {
    let of = formula("x*y");
    let said = |limits: &[(f64, f64)]| {
        let refused = of.over_finite_box(limits).err();
        refused.map(|error| error.to_string()).unwrap_or_default()
    };
    assert_eq!(said(&[(0.0, 1.0)]), "limits are 1, the formula has 2: x, y");
    let allowed = "allowed are two numbers, or an infinite limit and another one";
    for bad in [(0.0, f64::NAN), (INF, INF)] {
        let sentence = format!("limits of y are {:?} to {:?}, {allowed}", bad.0, bad.1);
        assert_eq!(said(&[(0.0, 1.0), bad]), sentence);
    }
    let of_x = Formula::parse("x").expect("a formula");
    let said = of_x.over_finite_box(&[(0.0, 1.0)]).unwrap_err().to_string();
    assert_eq!(said, "limits are 1, the formula has no variables of a box");
}

#[test]
fn a_name_is_a_variable_or_a_parameter_and_x_is_no_other_than_they() {
    let of = Formula::of_variables("r*k + x", &["r", "z"]).expect("a formula");
    assert_eq!(of.variables(), ["r", "z"]);
    assert_eq!(of.parameters(), ["k", "x"]);
    assert_eq!(of.eval_at(&[2.0, 5.0], &[3.0, 7.0]), 13.0);
    for (names, problem) in [
        (&["r", "r"][..], "`r` is no name for a variable"),
        (&["sin"], "`sin` is no name for a variable"),
        (&["2r"], "`2r` is no name for a variable"),
        (&["pi"], "`pi` is no name for a variable"),
    ] {
        let error = Formula::of_variables("1", names).unwrap_err();
        assert!(error.to_string().contains(problem), "{error}");
    }
}

#[test]
fn parameters_are_given_by_their_names() {
    let of = formula("k*x + w*y");
    let [first, second] = of
        .parameters_by_name(&[("w", 2.0), ("k", 1.5)])
        .expect("both");
    assert_eq!(
        (first[..3].to_vec(), second),
        (vec![1.5, 2.0, 0.0], [0.0; 10])
    );
    for (given, problem) in [
        (&[("k", 1.0)][..], "have no `w`"),
        (&[("k", 1.0), ("k", 1.0)], "have `k` twice"),
        (&[("x", 1.0)], "have a `x`"),
    ] {
        let error = of.parameters_by_name::<10>(given).unwrap_err().to_string();
        let sentence = format!("parameters {problem}, allowed are k, w, each once");
        assert_eq!(error, sentence);
    }
}

#[test]
fn slopes_are_by_each_variable_and_parameter() {
    let of = formula("k*x^2*y + y^3");
    let at = |by: &str| {
        let slope = of.derivative(by).expect(by);
        slope.eval_at(&[2.0, 3.0], &[5.0])
    };
    assert_eq!([at("x"), at("y"), at("k")], [60.0, 47.0, 12.0]);
    let error = of.derivative("z").unwrap_err().to_string();
    assert!(error.ends_with("allowed are x, y, k"), "{error}");
}
