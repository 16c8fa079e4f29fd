//! Rules by their names, and what is asked of each.

use clap::Parser;

use super::*;
use crate::cli::{Cli, Command};

fn method(words: &str) -> std::result::Result<Method<f64>, String> {
    let words = ["quadscan", "integrate", "--rule"]
        .into_iter()
        .chain(words.split(' '));
    let cli = Cli::try_parse_from(words).map_err(|error| error.to_string())?;
    match cli.command {
        Command::Integrate(arguments) => Method::new(&arguments).map_err(|e| e.to_string()),
        _ => Err("not parsed as integrate".into()),
    }
}

#[test]
fn every_rule_has_one_name() {
    for (words, expected) in [
        ("trapezoid --strips 1", Rule::Trapezoid),
        ("midpoint --strips 1", Rule::Midpoint),
        ("simpson --strips 1", Rule::Simpson),
        ("gauss-legendre-2 --strips 1", Rule::GaussLegendre(2)),
        ("gauss-legendre-16 --strips 1", Rule::GaussLegendre(16)),
    ] {
        assert!(
            matches!(method(words), Ok(Method::Composite { rule, strips: 1 }) if rule == expected),
            "{words}"
        );
    }
    for (words, expected) in [
        ("g7k15", GaussKronrod::G7K15),
        ("g10k21", GaussKronrod::G10K21),
    ] {
        let found = method(words);
        assert!(
            matches!(found, Ok(Method::Adaptive(of)) if of.rule == expected),
            "{words}"
        );
    }
    assert!(matches!(method("tanh-sinh"), Ok(Method::TanhSinh(_))));
    for text in [
        "Simpson",
        "gauss-legendre-1",
        "gauss-legendre-17",
        "gauss-legendre-+2",
        "g7",
    ] {
        let sentence = format!(
            "--rule `{text}` is unknown, allowed are trapezoid, midpoint, simpson, \
             gauss-legendre-2 to gauss-legendre-16, g7k15, g10k21, tanh-sinh and, with --over, \
             cubature, vegas, lattice and sobol"
        );
        assert_eq!(method(text).err(), Some(sentence));
    }
}

#[test]
fn strips_are_a_number_or_a_power_of_two_up_to_two_to_the_fortieth() {
    for (text, expected) in [("1", 1), ("1000", 1000), ("2^0", 1), ("2^40", 1 << 40)] {
        let found = method(&format!("simpson --strips {text}"));
        assert!(
            matches!(found, Ok(Method::Composite { strips, .. }) if strips == expected),
            "{text}"
        );
    }
    let (no_number, out_of_range) = (
        ["-1", "+1", "1e6", "2^", "2^-1", "x"].map(|text| (text, "is not a number of strips")),
        ["0", "2^41", "2^64", "1099511627777"].map(|text| (text, "is out of range")),
    );
    for (text, problem) in no_number.into_iter().chain(out_of_range) {
        let sentence =
            format!("--strips `{text}` {problem}, allowed are 1 to 2^40, such as 1000 or 2^20");
        assert_eq!(
            method(&format!("simpson --strips {text}")).err(),
            Some(sentence)
        );
    }
}

/// Trapezoids and Simpson's strips share their ends.
#[test]
fn equal_strips_evaluate_each_of_their_nodes_once() {
    for (rule, nodes) in [
        (Rule::Trapezoid, 11),
        (Rule::Midpoint, 10),
        (Rule::Simpson, 21),
        (Rule::GaussLegendre(3), 30),
    ] {
        assert_eq!(Method::<f64>::evaluations(rule, 10), nodes, "{rule:?}");
    }
}

#[test]
fn of_the_tolerances_what_is_given_counts_and_the_relative_one_else() {
    let of = |words: &str| match method(words) {
        Ok(Method::Adaptive(of)) => Some((of.absolute, of.relative, of.intervals)),
        _ => None,
    };
    assert_eq!(of("g10k21"), Some((0.0, 1e-10, 64)));
    assert_eq!(of("g10k21 --tolerance 1e-6"), Some((0.0, 1e-6, 64)));
    assert_eq!(of("g10k21 --absolute 1e-6"), Some((1e-6, 0.0, 64)));
    let all = "g7k15 --tolerance 1e-20 --absolute 1e-6 --intervals 1024";
    assert_eq!(of(all), Some((1e-6, 1e-20, 1024)));
}

#[test]
fn a_break_is_a_finite_number() {
    let found = method("tanh-sinh --break -0.5,2e3");
    assert!(matches!(found, Ok(Method::TanhSinh(of)) if of.breaks == [-0.5, 2000.0]));
    for (text, problem) in [
        ("1,", "`` is not a number"),
        ("inf", "`inf` is not a point"),
    ] {
        let sentence = format!("--break {problem}, allowed are finite numbers, such as 0.25,0.5");
        assert_eq!(
            method(&format!("g7k15 --break {text}")).err(),
            Some(sentence)
        );
    }
}

#[test]
fn evaluations_are_those_of_the_first_rule_to_2_to_the_63() {
    let evaluations = |text: &str| {
        let start = "cubature --formula x*y --over x=0..1,y=0..1 --evaluations";
        match method(&format!("{start} {text}")) {
            Ok(Method::Cubature(of)) => Ok(of.evaluations),
            Ok(other) => Err(format!("{other:?}")),
            Err(problem) => Err(problem),
        }
    };
    assert_eq!(evaluations("2^63"), Ok(1 << 63));
    assert_eq!(evaluations("25"), Ok(25));
    for text in ["0", "24", "9223372036854775809", "18446744073709551615"] {
        let allowed = "allowed for cubature are 25 to 2^63, such as 10000 or 2^30";
        let problem = format!("--evaluations `{text}` is not a number of evaluations, {allowed}");
        assert_eq!(evaluations(text), Err(problem));
    }
}

#[test]
fn random_points_have_a_seed_and_evaluations_of_all_iterations() {
    let of = |words: &str| method(&format!("{words} --formula x*y --over x=0..1,y=0..1"));
    let vegas = of("vegas --evaluations 2^20 --seed 7 --tolerance 0.01");
    let found = matches!(vegas, Ok(Method::Vegas(of))
        if (of.evaluations, of.seed, of.relative) == ((1 << 20) / 30, 7, 0.01));
    assert!(found);
    let lattice = of("lattice --evaluations 2^20");
    assert!(matches!(lattice, Ok(Method::Lattice(of)) if (of.points, of.seed) == (1 << 16, 0)));
    for (words, sentence) in [
        (
            "vegas --evaluations 3839",
            "--evaluations `3839` is not a number of evaluations, allowed for vegas are 3840 to \
             64424509440, such as 10000 or 2^30",
        ),
        (
            "lattice --evaluations 2^29",
            "--evaluations `2^29` is not a number of evaluations, allowed for lattice are 4096 to \
             2^28, such as 10000 or 2^30",
        ),
        (
            "vegas --seed -1",
            "--seed `-1` is no seed, allowed are whole numbers up to 18446744073709551615",
        ),
        (
            "cubature --seed 1",
            "--seed has no place in cubature, allowed is it with vegas, lattice and sobol",
        ),
    ] {
        assert_eq!(of(words).err().as_deref(), Some(sentence));
    }
}
