//! Integrals of tables. Expected: closed forms, which the rules have for polynomials.

use crate::common::{Outcome, folder};
use crate::{Table, integrate_in, refused_in};

/// `--samples` of a file with this text.
fn samples(text: &str, more: &[&str]) -> Outcome {
    let folder = folder();
    std::fs::write(folder.path().join("table.csv"), text).expect("written");
    integrate_in(folder.path(), &[&["--samples", "table.csv"], more].concat())
}

/// x^2 at uneven places, between other columns.
#[test]
fn simpsons_rule_has_the_parabola_up_to_each_sample() {
    let rows = [-1.0_f64, -0.5, 0.75, 1.0, 3.0].map(|x| format!("{},{x},a\n", x * x));
    let text = format!("y,x,name\n{}", rows.concat());
    let table = Table::of(&samples(&text, &["--cumulative"]));
    assert_eq!(table.header, ["x", "y", "integral"]);
    for (x, found) in table.numbers("x").iter().zip(table.numbers("integral")) {
        assert!(
            (found - (x.powi(3) + 1.0) / 3.0).abs() < 1e-14,
            "{x}: {found}"
        );
    }
    let alone = samples(&text, &[]);
    let words =
        "integral     of 5 samples from -1.0 to 3.0 by simpson\nvalue        9.333333333333332\n";
    assert_eq!((alone.code, &alone.output[..]), (0, words));
}

/// x^3 from 0 to 1 in steps of 1/8: what Gregory's parabolas at both ends miss cancels, and the
/// trapezoid rule has h^2/4 too much.
#[test]
fn even_steps_have_gregorys_rule_and_the_trapezoid_rule() {
    let rows: String = (0..=8)
        .map(|k| format!("{}\n", (f64::from(k) / 8.0).powi(3)))
        .collect();
    let value = |rule: &str| {
        let of = ["--dx", "0.125", "--rule", rule, "--format", "csv"];
        Table::of(&samples(&format!("y\n{rows}"), &of)).numbers("integral")[0]
    };
    assert!((value("trapezoid") - (0.25 + 0.25 / 64.0)).abs() < 1e-15);
    assert!((value("gregory") - 0.25).abs() < 1e-15);
    assert!((value("simpson") - 0.25).abs() < 1e-15);
}

#[test]
fn what_is_no_table_is_refused() {
    let folder = folder();
    let refused = |text: &str, more: &[&str]| {
        std::fs::write(folder.path().join("t.csv"), text).expect("written");
        refused_in(folder.path(), &[&["--samples", "t.csv"], more].concat())
    };
    let rises = "allowed are numbers that rise with each sample, or fall";
    for (text, more, told) in [
        ("x,z\n1,2\n", &[][..], "--samples t.csv has no column `y`, needed are x and y".to_owned()),
        ("y\n1\n", &[], "--samples t.csv has no column `x`, allowed is it, or --dx".to_owned()),
        (
            "x,y\n1,2\n",
            &["--dx", "1"],
            "--samples t.csv has a column `x`, which --dx gives as well, allowed is one of them".to_owned(),
        ),
        (
            "x,y\n1,2\n2,a\n",
            &[],
            "--samples t.csv, line 3: `a` is not a number, allowed in y are numbers, inf and -inf".to_owned(),
        ),
        (
            "x,y\n1,2\ninf,3\n",
            &[],
            "--samples t.csv, line 3: x is inf, allowed are finite numbers".to_owned(),
        ),
        (
            "x,y\n1,2\n2,nan\n",
            &[],
            "--samples t.csv, line 3: y is NaN, allowed are finite numbers".to_owned(),
        ),
        (
            "x,y\n1,2\n0,3\n0.5,3\n",
            &[],
            format!("--samples t.csv is no table: x has 0.0 at 1 and 0.5 behind it, {rises}"),
        ),
        (
            "x,y\n1,2\n",
            &[],
            "--samples t.csv is no table: y has 1 samples, allowed are 2 and more".to_owned(),
        ),
        ("x,y\n1,2\n", &["--rule", "gregory"], "--rule `gregory` is of even steps, allowed is it with --dx".to_owned()),
        (
            "y\n1\n",
            &["--dx", "0"],
            "--dx `0` is no distance, allowed are numbers other than 0".to_owned(),
        ),
        (
            "x,y\n1,2\n",
            &["--rule", "g10k21"],
            "--rule `g10k21` is no rule of samples, allowed with --samples are trapezoid, simpson and gregory".to_owned(),
        ),
    ] {
        assert_eq!(refused(text, more), told, "{more:?}");
    }
}
