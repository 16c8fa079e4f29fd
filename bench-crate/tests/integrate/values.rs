//! What one integral gives.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use crate::{Table, integrate, value};

#[track_caller]
fn assert_near(found: f64, expected: f64, error: f64) {
    assert!((found - expected).abs() <= error, "{found}, not {expected}");
}

/// Of exp(-x^2 / 2): sqrt(2 pi).
#[test]
fn every_rule_with_a_tolerance_gives_the_closed_form_with_an_error_and_a_status() {
    let exact = TAU.sqrt();
    for rule in ["g7k15", "g10k21", "tanh-sinh"] {
        for (precision, error) in [("f64", 1e-12), ("f32", 1e-5)] {
            let outcome = integrate(&format!(
                "--integrand gaussian --rule {rule} --precision {precision} --format csv"
            ));
            assert_eq!(
                (outcome.code, outcome.errors.as_str()),
                (0, "device: H200 (emulated)\n")
            );
            let table = Table::of(&outcome);
            let header = "from,to,value,error,evaluations,status,at";
            assert_eq!(table.header.join(","), header);
            assert_near(table.numbers("value")[0], exact, error);
            let estimate = table.numbers("error")[0];
            assert!(
                estimate > 0.0 && estimate < 1e-4 * exact,
                "{rule}: {estimate}"
            );
            assert!(table.numbers("evaluations")[0] >= 15.0);
            assert_eq!(
                (table.texts("status")[0], table.texts("at")[0]),
                ("converged", "")
            );
        }
    }
}

/// Of 1 / (1 + x^2) from 0 to 1, by one strip: f(0) = 1, f(1/2) = 4/5, f(1) = 1/2.
#[test]
fn a_rule_of_equal_strips_gives_its_own_sum_and_no_error() {
    let middle = 4.0 / 5.0;
    for (rule, expected, nodes) in [
        ("trapezoid", 0.75, "2"),
        ("midpoint", middle, "1"),
        ("simpson", (1.5 + 4.0 * middle) / 6.0, "3"),
    ] {
        let table = Table::of(&integrate(&format!(
            "--integrand runge --to 1 --rule {rule} --strips 1 --format csv"
        )));
        assert_near(table.numbers("value")[0], expected, 1e-15);
        assert_eq!(table.texts("error"), [""]);
        assert_eq!(table.texts("evaluations"), [nodes]);
        assert_eq!(table.texts("status"), ["computed"]);
    }
    let gauss = value("--integrand quarter_circle --rule gauss-legendre-16 --strips 2^10");
    assert_near(gauss, PI / 4.0, 1e-8);
}

/// Of 1 / (1 + x^2): atan.
#[test]
fn limits_go_either_way_to_infinity_and_to_nothing() {
    for rule in ["g10k21", "tanh-sinh"] {
        let of = |limits: &str| value(&format!("--integrand runge --rule {rule} {limits}"));
        assert_near(of(""), FRAC_PI_2, 1e-10);
        assert_near(of("--from -inf --to inf"), PI, 1e-9);
        assert_near(of("--from 1 --to -1"), -FRAC_PI_2, 1e-10);
        assert_near(of("--from inf --to 1"), -PI / 4.0, 1e-10);
        assert_eq!(of("--from 0.5 --to 0.5"), 0.0);
    }
    let trapezoid = "--integrand runge --rule trapezoid --strips 1000";
    assert_near(
        value(&format!("{trapezoid} --from 1 --to 0")),
        -PI / 4.0,
        1e-6,
    );
    let nothing = Table::of(&integrate(&format!(
        "{trapezoid} --from 2 --to 2 --format csv"
    )));
    assert_eq!(
        (nothing.texts("value"), nothing.texts("evaluations")),
        (vec!["0.0"], vec!["0"])
    );
}

/// Of cos(2 pi u + a x) from 0 to 1: (sin(2 pi u + a) - sin(2 pi u)) / a.
#[test]
fn parameters_are_given_in_order_or_by_name() {
    let exact = ((FRAC_PI_2 + 3.0).sin() - 1.0) / 3.0;
    for parameters in ["3,0.25", "a=3,u=0.25", "u=0.25,a=3"] {
        let found = value(&format!(
            "--integrand genz_oscillatory --parameters {parameters}"
        ));
        assert_near(found, exact, 1e-10);
    }
    // x^-0.5 ln(1 / x) from 0 to 1: 1 / (1 - 0.5)^2.
    let power = "--integrand power_log --rule tanh-sinh --parameters";
    for negative in ["-0.5", "a=-0.5"] {
        assert_near(value(&format!("{power} {negative}")), 4.0, 1e-9);
    }
}

#[test]
fn breaks_are_where_intervals_begin() {
    let of = |breaks: &str| {
        let arguments = format!("--integrand runge --to 1 --rule g7k15 {breaks} --format csv");
        Table::of(&integrate(&arguments)).numbers("evaluations")[0]
    };
    // Three intervals of 15 nodes; a point that is not between the limits is none.
    assert_eq!(of("--break 0.25,0.5,7 --tolerance 0.1"), 45.0);
    assert_eq!(of("--tolerance 0.1"), 15.0);
}

/// The least tolerances that are allowed, which 1 / (1 + x^2) reaches, and one that an
/// absolute tolerance lets through, which rounding does not.
#[test]
fn what_the_precision_can_give_is_allowed_and_reached() {
    for (rule, precision, least) in [
        ("g10k21", "f64", "1.2e-14"),
        ("tanh-sinh", "f64", "7.5e-15"),
        ("g7k15", "f32", "6.3e-6"),
        ("tanh-sinh", "f32", "4.0e-6"),
    ] {
        let of = |rest: &str| {
            integrate(&format!(
                "--integrand runge --to 1 --rule {rule} --precision {precision} {rest} --format csv"
            ))
        };
        let outcome = of(&format!("--tolerance {least}"));
        let status = Table::of(&outcome).texts("status").join("");
        assert_eq!(
            (outcome.code, status.as_str()),
            (0, "converged"),
            "{rule} {precision}"
        );
        let outcome = of("--tolerance 1e-15 --absolute 1e-30");
        assert_eq!(outcome.code, 1);
        assert_eq!(Table::of(&outcome).texts("status"), ["roundoff"]);
    }
}

#[test]
fn an_integral_without_a_result_says_why_and_exits_1() {
    for (arguments, status, at) in [
        (
            "--integrand power_log --parameters 0 --rule g7k15 --intervals 5",
            "out_of_intervals",
            "",
        ),
        (
            "--integrand power_log --parameters 0 --rule midpoint --strips 8 --from -1",
            "not_finite",
            "",
        ),
        (
            "--integrand power_log --parameters 0 --rule trapezoid --strips 8",
            "not_finite",
            "",
        ),
        (
            "--integrand genz_oscillatory --parameters 50,0 --rule tanh-sinh --levels 2",
            "out_of_intervals",
            "",
        ),
        // A pole that the rule's middle hits.
        (
            "--integrand power_log --parameters 0 --rule g10k21 --from -1 --to 1 --break -0.5",
            "not_finite",
            "-",
        ),
    ] {
        let outcome = integrate(&format!("{arguments} --format csv"));
        assert_eq!(outcome.code, 1, "{arguments}: {outcome:?}");
        let table = Table::of(&outcome);
        assert_eq!(table.texts("status"), [status], "{arguments}");
        assert!(table.texts("at")[0].starts_with(at), "{outcome:?}");
        let last = outcome.errors.lines().last().unwrap_or_default();
        let start = format!("the integral did not converge: {status}: ");
        assert!(last.starts_with(&start), "{last}");
    }
}

#[test]
fn forms_of_the_result_have_the_same_digits() {
    let arguments = "--integrand gaussian --precision f32 --tolerance 1e-5";
    let digits = Table::of(&integrate(&format!("{arguments} --format csv")));
    let digits = digits.texts("value")[0].to_owned();
    // The digits are the number's own: no other f32 is nearer.
    let number: f32 = digits.parse().unwrap_or_default();
    assert_eq!(format!("{number:?}"), digits);
    for format in ["table", "markdown", "json"] {
        let outcome = integrate(&format!("{arguments} --format {format}"));
        assert_eq!(outcome.code, 0);
        let is_there = outcome
            .output
            .split([' ', ',', '|', '\n'])
            .any(|word| word == digits);
        assert!(is_there, "{digits} in {}", outcome.output);
    }
}
