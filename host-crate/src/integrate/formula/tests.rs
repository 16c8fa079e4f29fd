//! Formulas on the host: what texts mean, what is wrong with others, and derivatives.

use super::super::Point;
use super::Formula;
use crate::error::FormulaError;

fn at(x: f64) -> Point<f64> {
    Point {
        x,
        from_lower: x - 0.25,
        to_upper: 8.0 - x,
    }
}

/// The value at 1.75, with these parameters.
fn value(text: &str, parameters: &[f64]) -> f64 {
    let formula = Formula::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    formula.eval(at(1.75), parameters)
}

#[test]
fn outputs_are_divided_by_semicolons_and_have_all_parameters() {
    let all = Formula::outputs("let a = k*x; a; let b = a*w; b + 1", &[]);
    let all = all.unwrap_or_else(|error| panic!("{error}"));
    let values: Vec<f64> = all
        .iter()
        .map(|of| of.eval(at(1.75), &[2.0, 3.0]))
        .collect();
    assert_eq!(values, [3.5, 11.5]);
    assert!(all.iter().all(|of| of.parameters() == ["k", "w"]));
    let of = |text: &str| Formula::outputs(text, &[]).map_err(|error| error.to_string());
    assert_eq!(of(&["x"; 16].join(";")).map(|all| all.len()), Ok(16));
    let many = of(&["x"; 17].join(";")).err().unwrap_or_default();
    assert!(many.contains("allowed are 1 to 16 outputs"), "{many}");
    assert!(of("x;").is_err() && of("x; let a = 1;").is_err());
    assert!(Formula::parse("x; x").is_err());
}

/// Expected: Rust's own arithmetic and functions, within an ulp or two.
#[test]
fn texts_mean_what_they_say() {
    let x = 1.75_f64;
    for (text, expected) in [
        ("x", x),
        ("-x^2", -(x * x)),
        ("2^3^2", 512.0),
        ("2^-x^2", (-(x * x)).exp2()),
        ("-x*x + 3", 3.0 - x * x),
        ("1 - 2 - 3", -4.0),
        ("12 / 2 / 3", 2.0),
        ("2x", 3.5),
        ("2(x + 1)", 5.5),
        ("2 pi", std::f64::consts::TAU),
        ("-2x", -3.5),
        ("3*2x", 10.5),
        ("2x^2", 2.0 * x * x),
        ("2e", 2.0 * std::f64::consts::E),
        ("2e1x", 20.0 * x),
        ("1/(2x)", 1.0 / 3.5),
        ("+x", x),
        ("x^-2", 1.0 / (x * x)),
        ("x^0", 1.0),
        ("x^7", x.powi(7)),
        ("x^0.5", x.sqrt()),
        ("e^x", x.exp()),
        ("x < 2", 1.0),
        ("x >= 2", 0.0),
        ("(1 < x)*(x < 2)", 1.0),
        ("if(x > 1, 7, 8)", 7.0),
        ("if(x == 1, 7, 8)", 8.0),
        ("if(x != x, 7, 8)", 8.0),
        ("min(x, 1, 3)", 1.0),
        ("max(1, x)", x),
        ("abs(-x) + sign(-x)", x - 1.0),
        ("fract(x) + floor(x) + ceil(x) + trunc(-x)", 2.75),
        ("round(2.5) + round_ties_even(2.5)", 5.0),
        ("fma(x, x, 1)", x.mul_add(x, 1.0)),
        ("log(x, 3)", x.ln() / 3.0_f64.ln()),
        ("atan2(1, x)", 1.0_f64.atan2(x)),
        ("hypot(3, 4)", 5.0),
        ("pow(x, 1.5)", x.powf(1.5)),
        ("copysign(2, -x)", -2.0),
        ("from_lower + to_upper", 7.75),
        ("root(x) + reciprocal(x) + over(1, x)", x.sqrt() + 2.0 / x),
        ("let a = x + 1; let b = a*a; b - a", 2.75 * 2.75 - 2.75),
        ("inf > 1e308", 1.0),
        (" \n sin ( x )\t", x.sin()),
    ] {
        let found = value(text, &[]);
        assert!(
            (found - expected).abs() <= 4e-16 * expected.abs(),
            "{text}: {found:?}, not {expected:?}"
        );
    }
}

#[test]
fn parameters_are_in_the_order_in_which_they_occur() {
    let formula = Formula::parse("b*x + a*b - c_1").unwrap();
    assert_eq!(formula.parameters(), ["b", "a", "c_1"]);
    assert_eq!(formula.eval(at(2.0), &[3.0, 5.0, 1.0]), 20.0);
    let ordered = Formula::with_parameters("b*x + a", &["a", "b", "unused"]).unwrap();
    assert_eq!(ordered.parameters(), ["a", "b", "unused"]);
    assert_eq!(ordered.eval(at(2.0), &[1.0, 10.0, 0.0]), 21.0);
    let refused = Formula::with_parameters("alpha*x", &["alphas"]).unwrap_err();
    assert!(
        refused.problem().contains("did you mean `alphas`?"),
        "{refused}"
    );
}

/// Constants are those of each kind of numbers, not one rounded to the other.
#[test]
fn constants_are_folded_in_each_kind_of_numbers() {
    let formula = Formula::parse("0.1*3 + pi/7 + exp(0.3)").unwrap();
    assert_eq!(formula.operations(), 0);
    let single = Point {
        x: 0.0_f32,
        from_lower: 0.0,
        to_upper: 0.0,
    };
    let expected = 0.1_f32 * 3.0
        + std::f32::consts::PI / 7.0
        + quadscan_kernels::integrate::formula::f32::exp(0.3);
    assert_eq!(formula.eval(single, &[]), expected);
    assert_ne!(f64::from(expected), formula.eval(at(0.0), &[]));
}

#[test]
fn a_subexpression_is_computed_once() {
    let formula = Formula::parse("sin(x*k)^2 + sin(x*k)*cos(x*k)").unwrap();
    // A product, sine, square, cosine, product, sum.
    assert_eq!(formula.operations(), 6);
}

#[test]
fn what_is_wrong_is_told_with_its_place_and_a_suggestion() {
    for (text, column, problem) in [
        ("", 1, "the formula is empty"),
        (
            "2 +",
            4,
            "the formula ends where a number, a name or `(` is needed",
        ),
        ("sqr(x)", 1, "`sqr` is no function, did you mean `sqrt`?"),
        (
            "x y",
            3,
            "an operator is missing between `x` and `y`, the product is `*`",
        ),
        (
            "x(x + 1)",
            1,
            "`x` is no function, the product is `x*(...)`",
        ),
        (
            "(x)(x)",
            4,
            "an operator is missing between `)` and `(`, the product is `*`",
        ),
        (
            "1/2x",
            4,
            "`2x` behind `/` or `^` can be read in two ways, allowed are a `*` or parentheses",
        ),
        (
            "2 3",
            3,
            "two numbers stand beside each other, an operator is missing",
        ),
        (
            "(x + 1",
            7,
            "`)` is missing behind what stands in parentheses",
        ),
        ("x + 1)", 6, "a `)` has no `(`"),
        (
            "sin x",
            1,
            "`sin` is a function, its arguments stand in parentheses",
        ),
        ("sin(x, 2)", 1, "`sin` takes one argument, not 2"),
        (
            "log(x)",
            1,
            "`log` takes two arguments, not 1: the natural logarithm is `ln(x)`, others are `log2(x)`, `log10(x)`",
        ),
        (
            "0 < x < 1",
            7,
            "comparisons do not follow each other, both at once are `(a < b)*(b < c)`",
        ),
        ("x ** 2", 3, "`**` has no meaning, the power is `^`"),
        ("x = 2", 3, "`=` has no place here, the comparison is `==`"),
        ("2\u{b7}x", 2, "`\u{b7}` has no meaning, the product is `*`"),
        (
            "let pi = 3; x",
            5,
            "`pi` has a meaning already, allowed are other names",
        ),
        (
            ".",
            1,
            "a point stands alone, allowed are numbers such as 0.5",
        ),
        (
            "a+b+c+d+f+g+h+i+j",
            17,
            "`j` is one parameter too many, allowed are 8, and there are a, b, c, d, f, g, h, i",
        ),
        (
            "from*x",
            1,
            "`from` is no name for a parameter, allowed are words that mean nothing else",
        ),
    ] {
        let found = Formula::parse(text).expect_err(text);
        assert_eq!(
            (found.column(), found.problem()),
            (column, problem),
            "{text}"
        );
    }
    let found = Formula::parse("1 +\n  2*sqr(x)").unwrap_err();
    let told =
        "line 2, column 5: `sqr` is no function, did you mean `sqrt`?\n    2*sqr(x)\n      ^";
    assert_eq!(found.to_string(), told);
}

#[test]
fn depth_and_length_are_limited() {
    let deep = |depth: usize| format!("{}x{}", "(".repeat(depth), ")".repeat(depth));
    assert!(Formula::parse(&deep(150)).is_ok());
    for text in [
        deep(100_000 / 4),
        "-".repeat(60_000),
        "x^".repeat(30_000),
        "x".repeat(70_000),
    ] {
        let found = Formula::parse(&text).expect_err("too deep");
        assert!(
            found.column() >= 1 && found.problem().contains("more than 200") || text.len() > 65_536
        );
    }
    let long: String = (0..5000).map(|k| format!("+ x*{k}")).collect();
    assert!(
        Formula::parse(&long[2..])
            .unwrap_err()
            .problem()
            .contains("more than 4096 parts")
    );
}

/// Random tokens in a row: none ends in a panic, and what is refused has a column in its line.
#[test]
fn random_texts_are_refused_with_a_column_or_understood() {
    const WORDS: [&str; 36] = [
        "x", "k", "2", "0.5", "1e3", "+", "-", "*", "/", "^", "(", ")", ",", ";", "let", "=", "<",
        ">=", "==", "if", "min", "sin", "exp", "pow", "pi", "e", "\n", " ", ".", "\u{3c0}", "%",
        "_", "log", "e-", "!=", "a",
    ];
    let count: u64 = std::env::var("QUADSCAN_FORMULAS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(5_000);
    let mut refused = 0;
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..count {
        let length = random.usize(0..24);
        let text: String = (0..length)
            .map(|_| WORDS[random.usize(0..WORDS.len())])
            .collect();
        match Formula::parse(&text) {
            Ok(formula) => drop(formula.eval(at(0.5), &[1.0; 8])),
            Err(error) => {
                refused += 1;
                let line = text.split('\n').nth(error.line() - 1).unwrap_or_default();
                assert!(
                    (1..=line.chars().count() + 1).contains(&error.column()),
                    "{text:?}: {error}"
                );
                assert_eq!(error.to_string().ends_with('^'), !line.trim().is_empty());
            }
        }
    }
    assert!(refused > count / 2);
}

/// Expected: central differences.
#[test]
fn derivatives_are_slopes() {
    for text in [
        "x^3 - 2x",
        "sin(k*x)*exp(-x)",
        "ln(x + k)/x",
        "sqrt(x*k)",
        "x^k",
        "k^x",
        "atan2(x, k)",
        "hypot(x, k)",
        "tan(x/3)",
        "sinpi(x)",
        "cospi(x/3)",
        "erf(x)",
        "erfc(x)",
        "asin(x/8)",
        "acos(x/8)",
        "atan(x)",
        "sinh(x)",
        "cosh(x)",
        "tanh(x)",
        "asinh(x)",
        "acosh(x)",
        "atanh(x/8)",
        "cbrt(x)",
        "exp2(x)",
        "exp_m1(x)",
        "ln_1p(x)",
        "log2(x)",
        "log10(x)",
        "log(x, 3)",
        "abs(k - x)",
        "min(x, k)*max(x, k)",
        "if(x < k, x^2, k*x)",
        "fma(x, k, x)",
        "1/x",
        "root(x)",
        "reciprocal(x)",
        "over(k, x)",
        "from_lower*to_upper",
        "copysign(x, -k)",
        "floor(x) + x",
        "round(k)*x",
    ] {
        let formula = Formula::parse(text).unwrap();
        let n = formula.parameters().len();
        for by in ["x", "k"] {
            if by == "k" && n == 0 {
                assert!(formula.derivative(by).is_err());
                continue;
            }
            let slope: f64 = formula
                .derivative(by)
                .unwrap()
                .eval(at(1.75), &[2.375][..n]);
            let step = 1e-6;
            let moved = |step: f64| match by {
                "x" => formula.eval(at(1.75 + step), &[2.375][..n]),
                _ => formula.eval(at(1.75), &[2.375 + step][..n]),
            };
            let expected: f64 = (moved(step) - moved(-step)) / (2.0 * step);
            assert!(
                (slope - expected).abs() <= 1e-7 * (1.0 + expected.abs()),
                "{text} by {by}: {slope}, not {expected}"
            );
        }
    }
}

/// Expected: single precision is off by no more than the bound, and the same operations in double precision
/// are what it is off from.
#[test]
fn rounding_is_bounded() {
    const PARAMETER: f32 = 2.375;
    let mut random = fastrand::Rng::with_seed(3);
    let mut largest = 0.0_f64;
    for text in [
        "(1 - cos(x/64))/x^2",
        "exp(k*x) - exp(x*k - x/256)",
        "x^3 - 3*x^2 + 3*x - 1",
        "sin(64*k*x)*exp(-x)",
        "ln(x + k)/x",
        "sqrt(x*k) - cbrt(x)",
        "x^k + k^x",
        "atan2(x, k)*hypot(x, k)",
        "erf(x) + erfc(x/4) - sinpi(x)*cospi(x/2)",
        "acos(x/8) - asinh(x)",
        "min(x, k)*max(x, k) - x*k",
        "if(x < k, x^2, k*x)",
        "fma(x, k, x) - floor(x)",
        "from_lower*to_upper",
        "let a = tanh(x); 1 - a*a",
    ] {
        let formula = Formula::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let (bound, n) = (formula.rounding(), formula.parameters().len());
        for _ in 0..200 {
            let x = 0.25 + 7.75 * random.f32();
            let single = Point {
                x,
                from_lower: x - 0.25,
                to_upper: 8.0 - x,
            };
            let double = Point {
                x: x.into(),
                from_lower: single.from_lower.into(),
                to_upper: single.to_upper.into(),
            };
            let parameters = [PARAMETER];
            let value: f32 = formula.eval(single, &parameters[..n]);
            let exact: f64 = formula.eval(double, &parameters.map(f64::from)[..n]);
            let bound: f32 = bound.eval(single, &parameters[..n]);
            let share = (f64::from(value) - exact).abs() / f64::from(bound);
            assert!(
                share <= 1.0,
                "{text} at {x}: {value}, not {exact}, +- {bound}"
            );
            largest = largest.max(share);
        }
    }
    assert!(largest > 0.25, "{largest}");
    // What jumps where it has lost its place.
    for text in [
        "floor((x/8+1e16)-1e16)",
        "if((x/8+1e16)-1e16>0.5, 1, 0)",
        "sign((x-4)*1e-300+1-1)",
        "round(x/8+1e16)-1e16",
    ] {
        let bound = Formula::parse(text).unwrap_or_else(|error| panic!("{error}"));
        let bound: f64 = bound.rounding().eval(at(3.0), &[]);
        assert!(bound >= 1.0, "{text}: {bound}");
    }
    let far = Formula::parse("floor(x) + (x < 2)").unwrap_or_else(|error| panic!("{error}"));
    assert!([1.75, 2.0, 3.0].map(|x| far.rounding().eval(at(x), &[])) < [1e-14; 3]);
    // Where nothing is lost, nothing is passed on, however steep the function is.
    for text in ["sqrt(abs(x))", "cbrt(x) + 1", "hypot(x, x*0)"] {
        let bound = Formula::parse(text).unwrap_or_else(|error| panic!("{error}"));
        let bound: f64 = bound.rounding().eval(at(0.0), &[]);
        assert!(bound < 1e-15, "{text}: {bound}");
    }
    let exact = Formula::parse("max(k, 3)").unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(exact.rounding().eval(at(1.0), &[2.0]), 0.0);
}

#[test]
fn errors_are_errors_of_this_crate() {
    let error: crate::Error = FormulaError::new("x +", 3, "ends").into();
    assert_eq!(
        error.to_string(),
        "the formula, column 4: ends\n  x +\n     ^"
    );
}
