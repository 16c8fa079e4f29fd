//! Formulas on the command line. Expected: closed forms, and the catalogue's functions.

use crate::common::{folder, quadscan};
use crate::{Table, integrate, integrate_in};

/// A formula without blanks, and options behind it.
fn formula(text: &str, options: &str) -> crate::common::Outcome {
    integrate(&format!("--formula {text} {options}"))
}

fn number(table: &Table, column: &str, row: usize) -> f64 {
    let place = table.header.iter().position(|name| name == column);
    table.rows[row][place.expect(column)]
        .parse()
        .expect("a number")
}

#[test]
fn a_formula_has_the_digits_of_the_same_function() {
    for rule in ["g7k15", "tanh-sinh", "midpoint --strips 1000"] {
        let options = format!("--from 0 --to 2 --rule {rule} --format csv");
        let own = integrate(&format!("--integrand gaussian {options}"));
        let typed = formula("exp(-0.5*x*x)", &options);
        assert_eq!((typed.code, typed.output), (0, own.output), "{rule}");
    }
}

#[test]
fn parameters_derivatives_and_rows_of_files_are_those_of_a_formula() {
    let folder = folder();
    std::fs::write(folder.path().join("items.csv"), "k,to\n1,1\n2,inf\n").expect("written");
    let arguments = [
        "--formula",
        "exp(-k * x)",
        "--from",
        "0",
        "--batch",
        "items.csv",
    ];
    let table = Table::of(&integrate_in(
        folder.path(),
        &[&arguments[..], &["--derivative", "k"]].concat(),
    ));
    let exact = [
        (1.0 - (-1.0_f64).exp(), 2.0 * (-1.0_f64).exp() - 1.0),
        (0.5, -0.25),
    ];
    for (row, (value, slope)) in exact.into_iter().enumerate() {
        assert!((number(&table, "value", row) - value).abs() < 1e-12);
        assert!((number(&table, "d/dk", row) - slope).abs() < 1e-12);
    }
    assert_eq!(table.rows.len(), exact.len());
}

/// Expected: 9e-10 / 2 with cancellation, and the integral of the bound's largest term, 1/x^2 of an ulp of 1.
#[test]
fn the_rounding_of_a_formula_is_in_its_claim() {
    const CANCELS: &str = "(1-cos(x))/x^2";
    let row = |text: &str, options: &str| {
        let found = formula(text, &format!("--format csv {options}"));
        let table = Table::of(&found);
        let status = table.texts("status")[0].to_owned();
        let numbers = ["value", "error"].map(|name| number(&table, name, 0));
        (numbers[0], numbers[1], status)
    };
    let next_to_0 = "--from 1e-10 --to 1e-9";
    assert_eq!(row(CANCELS, next_to_0), (0.0, 0.0, "converged".to_owned()));
    for rule in ["g10k21", "g7k15", "tanh-sinh"] {
        let (value, error, status) = row(CANCELS, &format!("{next_to_0} --rule {rule} --rounding"));
        assert_eq!(status, "roundoff");
        let is_bound = (value - 4.5e-10).abs() < error;
        assert!(is_bound && error < 1e-5, "{rule}: {value} +- {error}");
    }
    let options = format!("{next_to_0} --rounding");
    let (value, error, status) = row("2*(sin(x/2)/x)^2", &options);
    assert_eq!(status, "converged");
    assert!((value - 4.5e-10).abs() < error && error < 1e-23, "{error}");
    // An output is as exact as the larger one needs it.
    let options = "--from 1e-6 --to 1 --rounding";
    assert_eq!(row(CANCELS, options).2, "roundoff");
    let both = format!("{CANCELS};1e9*cos(x)");
    let found = formula(&both, &format!("--format csv {options}"));
    assert_eq!(Table::of(&found).texts("status"), ["converged"]);
    // Jumps: at a variable as it is, and behind a sum that has lost its place.
    assert_eq!(row("floor(x)", "--from 0 --to 2 --rounding").2, "converged");
    let (value, error, status) = row("floor((x+0.5+1e16)-1e16)", "--from 0 --to 1 --rounding");
    assert!(
        status == "roundoff" && (value - 0.5).abs() < error,
        "{value} +- {error}"
    );
}

#[test]
fn what_is_wrong_with_a_formula_stands_above_its_place() {
    let refused = formula("x^2+sqr(x)", "--from 0 --to 1");
    let told = "error: --formula, column 5: `sqr` is no function, did you mean `sqrt`?\n  x^2+sqr(x)\n      ^\n";
    assert_eq!((refused.code, &refused.errors[..]), (2, told));
    for (options, told) in [
        (
            "--parameters k=1",
            "error: --from is missing, the formula has no limits of its own\n",
        ),
        (
            "--from 0 --parameters k=1",
            "error: --to is missing, the formula has no limits of its own\n",
        ),
        (
            "--from 0 --to 1",
            "error: --parameters have no k, the formula needs k\n",
        ),
        (
            "--from 0 --to 1 --derivative j --parameters k=1",
            "error: --derivative `j` is no parameter of the formula, allowed are k\n",
        ),
    ] {
        let refused = formula("k*x", options);
        assert_eq!((refused.code, &refused.errors[..]), (2, told), "{options}");
    }
}

/// Of x^2 k at k = 3.
#[test]
fn values_and_slopes_are_printed_at_points() {
    let folder = folder();
    let of = |options: &[&str]| quadscan(folder.path(), &[&["formula", "x^2*k"], options].concat());
    let told = of(&["--at", "x=0.5,-2", "--parameters", "k=3", "--format", "csv"]);
    let expected = "x,value,d/dx,d/dk\n0.5,0.75,3.0,0.25\n-2.0,12.0,-12.0,4.0\n";
    assert_eq!((told.code, &told.output[..]), (0, expected), "{told:?}");
    let refused = of(&["--at", "1"]);
    let told = "error: --parameters have no k, allowed are k=NUMBER\n";
    assert_eq!((refused.code, &refused.errors[..]), (2, told));
    let told = of(&["--ptx"]);
    assert!(
        told.output.starts_with("//     2 mul.rn.f64\n.version "),
        "{told:?}"
    );
    assert!(told.output.contains("values_formula_f64") && told.code == 0);
}

/// One integral over a box as CSV.
fn over(text: &str, sides: &str, options: &[&str]) -> crate::common::Outcome {
    let first = ["--formula", text, "--over", sides, "--format", "csv"];
    integrate_in(folder().path(), &[&first[..], options].concat())
}

#[test]
fn a_formula_is_integrated_over_a_box() {
    use std::f64::consts::{FRAC_PI_4, PI};
    let table = Table::of(&over("exp(-x^2 - y^2)", "x=-inf..inf,y=0..inf", &[]));
    assert_eq!(table.header, ["value", "error", "evaluations", "status"]);
    let error = (number(&table, "value", 0) - FRAC_PI_4 * 2.0).abs();
    assert!(error <= number(&table, "error", 0) && error <= 1e-6 * PI);
    assert_eq!(table.texts("status"), ["converged"]);

    // w x y^2 over 0..1 by 0..3 is 4.5 w, and a slope by w of 4.5.
    let file = folder();
    std::fs::write(file.path().join("rows.csv"), "w,name\n2,two\n-1,one\n").expect("written");
    let arguments = [
        "--formula",
        "w*x*y^2",
        "--over",
        "x=0..1, y=0..3",
        "--batch",
        "rows.csv",
        "--derivative",
        "w",
    ];
    let table = Table::of(&integrate_in(file.path(), &arguments));
    let header = [
        "name",
        "w",
        "value",
        "error",
        "evaluations",
        "status",
        "d/dw",
    ];
    assert_eq!(table.header, header);
    for (row, value) in [9.0, -4.5].into_iter().enumerate() {
        assert!((number(&table, "value", row) - value).abs() < 1e-5);
        assert!((number(&table, "d/dw", row) - 4.5).abs() < 1e-5);
    }
}

#[test]
fn a_formula_is_integrated_by_random_points_lattices_and_sobol_points() {
    // A quarter of a disc, and a function of twelve variables.
    let options = [
        "--rule",
        "vegas",
        "--evaluations",
        "2^16",
        "--tolerance",
        "0.02",
    ];
    let disc = "if(x^2 + y^2 < 1, 1, 0)";
    let table = Table::of(&over(disc, "x=0..1,y=0..1", &options));
    assert_eq!(table.header, ["value", "error", "evaluations", "status"]);
    let error = (number(&table, "value", 0) - std::f64::consts::FRAC_PI_4).abs();
    assert!(error <= 5.0 * number(&table, "error", 0));
    assert_eq!(table.texts("status"), ["converged"]);
    let other = Table::of(&over(
        disc,
        "x=0..1,y=0..1",
        &[&options[..], &["--seed", "1"]].concat(),
    ));
    assert_ne!(number(&other, "value", 0), number(&table, "value", 0));

    let sides: Vec<String> = (0..12).map(|k| format!("r{k}=0..1")).collect();
    let sides = sides.join(",");
    for rule in ["lattice", "sobol"] {
        let options = [
            "--rule",
            rule,
            "--evaluations",
            "4096",
            "--tolerance",
            "1e-3",
        ];
        let table = Table::of(&over("exp(-(r0 + r11))", &sides, &options));
        let error = (number(&table, "value", 0) - (-(-1.0_f64).exp_m1()).powi(2)).abs();
        assert!(error <= 5.0 * number(&table, "error", 0), "{rule}");
        assert_eq!(table.texts("status"), ["converged"], "{rule}");
    }
}

/// The figure of docs/cubature.md.
#[test]
fn regions_of_a_box_are_drawn_as_documented() {
    let folder = folder();
    let asked = |formula: &str, sides: &str, options: &[&str]| {
        let first = ["--formula", formula, "--over", sides, "--tolerance", "1e-3"];
        integrate_in(folder.path(), &[&first[..], options].concat())
    };
    let drawn = asked(
        "abs(x^2+y^2-0.5)",
        "x=0..1,y=0..1",
        &["--regions", "regions.svg"],
    );
    assert_eq!(drawn.code, 0, "{drawn:?}");
    let read = |path: &std::path::Path| std::fs::read_to_string(path).expect("a figure");
    let figure = read(&folder.path().join("regions.svg"));
    let documented = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/regions.svg");
    assert_eq!(figure, read(documented.as_ref()));
    let place = "has no place here, allowed is it";
    for (sides, options, told) in [
        (
            "x=0..1,y=0..inf",
            &["--regions", "r.svg"][..],
            format!("{place} over boxes of two variables, whose limits are finite and apart"),
        ),
        (
            "x=0..1,y=0..1",
            &["--regions", "r.svg", "--rule", "vegas"],
            format!("{place} with one integral of one output by cubature"),
        ),
        (
            "x=0..1,y=0..1",
            &["--regions", "r.png"],
            "r.png is none of its files, allowed is FILE.svg".to_owned(),
        ),
    ] {
        let refused = asked("x*y", sides, options);
        let told = format!("error: --regions {told}\n");
        assert_eq!((refused.code, refused.errors), (2, told));
    }
}

#[test]
fn an_integral_over_a_box_that_needs_more_says_so() {
    let few = over(
        "exp(-9*abs(x - y))",
        "x=0..1,y=0..1",
        &["--evaluations", "30"],
    );
    let told = "the integral did not converge: out_of_room: regions or --evaluations were too few \
                for the tolerance, or regions too small to be divided, as where the integral diverges\n";
    assert_eq!((few.code, few.errors.ends_with(told)), (1, true), "{few:?}");
}

#[test]
fn what_has_no_place_over_a_box_is_refused() {
    let square = "x=0..1,y=0..1";
    for (sides, options, told) in [
        (
            square,
            &[][..],
            "--over and --parameters have no z, the formula needs z",
        ),
        (
            "x=0..1",
            &[],
            "--over has 1 variable, allowed for cubature are 2 to 10; of one are --from and --to",
        ),
        (
            square,
            &["--parameters", "z=1", "--rule", "g7k15"],
            "--rule `g7k15` is no rule of boxes, allowed are cubature, vegas, lattice and sobol",
        ),
        (
            square,
            &["--parameters", "z=1", "--precision", "f32"],
            "--precision `f32` has no place with --over, allowed is f64",
        ),
        (
            square,
            &["--parameters", "z=1", "--break", "0.5"],
            "--break has no place in cubature, allowed is it with g7k15, g10k21 and tanh-sinh",
        ),
        (
            square,
            &["--parameters", "z=1", "--evaluations", "0"],
            "--evaluations `0` is not a number of evaluations, allowed for cubature are 25 to \
             2^63, such as 10000 or 2^30",
        ),
        (
            square,
            &["--parameters", "z=1", "--tolerance", "1e-16"],
            "--tolerance `1e-16` is less than cubature can reach in f64, allowed are 2.8e-15 and \
             more, or a positive --absolute beside it",
        ),
    ] {
        let refused = over("x*y*z", sides, options);
        let told = format!("error: {told}\n");
        assert_eq!((refused.code, refused.errors), (2, told), "{options:?}");
    }
    let alone = integrate("--integrand runge --rule cubature");
    let told = "error: --rule cubature, vegas, lattice and sobol are of boxes, allowed are they with --over\n";
    assert_eq!((alone.code, &alone.errors[..]), (2, told));
}
