//! What is refused before anything is computed.

use crate::{integrate, refused_in};

/// The sentence for these words.
#[track_caller]
fn refused(arguments: &str) -> String {
    let words: Vec<&str> = arguments.split_whitespace().collect();
    let folder = crate::common::folder();
    let sentence = refused_in(folder.path(), &words);
    let written = std::fs::read_dir(folder.path()).map(Iterator::count);
    assert_eq!(written.ok(), Some(0), "{arguments} wrote something");
    sentence
}

#[test]
fn an_unknown_integrand_is_refused_with_those_that_exist() {
    let list = integrate("--list --format csv");
    assert_eq!((list.code, list.errors.as_str()), (0, ""));
    let table = crate::Table::of(&list);
    let names = table.texts("name").join(", ");
    assert!(names.contains("quarter_circle, ") && names.ends_with(", planck"));
    let sentence = refused("--integrand quartercircle");
    let start = "--integrand `quartercircle` is unknown, a similar name is `quarter_circle`, allowed \
                 are ";
    assert_eq!(sentence, format!("{start}{names}"));
    let sentence = refused("");
    assert_eq!(
        sentence,
        format!("--integrand is missing, allowed are {names}")
    );
}

#[test]
fn limits_that_are_none_are_refused() {
    for limit in ["nan", "x", "", "pi/2", "1e400"] {
        let folder = crate::common::folder();
        let words = ["--integrand", "runge", "--from", limit];
        let sentence = refused_in(folder.path(), &words);
        assert!(
            sentence.starts_with(&format!("--from `{limit}` is ")),
            "{sentence}"
        );
        assert!(
            sentence.ends_with(", allowed are numbers, inf and -inf"),
            "{sentence}"
        );
    }
    assert_eq!(
        refused("--integrand runge --to 1e39 --precision f32"),
        "--to `1e39` is too large for f32, allowed are numbers, inf and -inf"
    );
}

#[test]
fn equal_strips_have_no_infinite_limit() {
    for rule in ["trapezoid", "midpoint", "simpson", "gauss-legendre-5"] {
        assert_eq!(
            refused(&format!("--integrand runge --rule {rule} --strips 8")),
            "--to is inf, and equal strips allow finite limits alone; infinite ones have g7k15, \
             g10k21 and tanh-sinh"
        );
    }
    let sentence = refused("--integrand runge --rule simpson --strips 8 --from -inf --to 0");
    assert!(sentence.starts_with("--from is -inf, "), "{sentence}");
    assert_eq!(
        refused("--integrand runge --rule simpson --strips 8 --from -1e308 --to 1e308"),
        "--to is 1e308, which is farther from -1e308 than f64 can represent"
    );
}

#[test]
fn an_option_has_its_place_in_some_rules_and_is_refused_in_others() {
    for (rule, option, rules) in [
        (
            "g10k21",
            "--strips 8",
            "trapezoid, midpoint, simpson and gauss-legendre-N",
        ),
        (
            "tanh-sinh",
            "--strips 8",
            "trapezoid, midpoint, simpson and gauss-legendre-N",
        ),
        (
            "simpson",
            "--tolerance 1e-3",
            "g7k15, g10k21, tanh-sinh, cubature, vegas, lattice and sobol",
        ),
        (
            "simpson",
            "--absolute 1e-3",
            "g7k15, g10k21, tanh-sinh, cubature, vegas, lattice and sobol",
        ),
        ("simpson", "--break 0.5", "g7k15, g10k21 and tanh-sinh"),
        ("tanh-sinh", "--intervals 9", "g7k15 and g10k21"),
        ("g7k15", "--levels 9", "tanh-sinh and --fourier"),
        (
            "g7k15",
            "--evaluations 9",
            "cubature, vegas, lattice and sobol",
        ),
    ] {
        let (argument, _) = option.split_once(' ').unwrap_or_default();
        assert_eq!(
            refused(&format!(
                "--integrand quarter_circle --rule {rule} {option}"
            )),
            format!("{argument} has no place in {rule}, allowed is it with {rules}")
        );
    }
    assert_eq!(
        refused("--rounding"),
        "--rounding has no place without --formula, allowed is it with a formula"
    );
    assert_eq!(
        refused("--formula x --from 0 --to 1 --rule simpson --strips 8 --rounding"),
        "--rounding has no place in simpson, allowed is it with g7k15, g10k21, tanh-sinh and cubature"
    );
    assert_eq!(
        refused("--integrand quarter_circle --rule simpson"),
        "--strips is missing, simpson needs it: from 1 to 2^40"
    );
}

#[test]
fn numbers_out_of_range_are_refused_with_the_range() {
    for (arguments, sentence) in [
        (
            "--rule midpoint --strips 0",
            "--strips `0` is out of range, allowed are 1 to 2^40, such as 1000 or 2^20",
        ),
        (
            "--intervals 0",
            "--intervals `0` is out of range, allowed are 1 to 1024",
        ),
        (
            "--intervals 1025",
            "--intervals `1025` is out of range, allowed are 1 to 1024",
        ),
        (
            "--rule tanh-sinh --levels 1",
            "--levels `1` is out of range, allowed are 2 to 10",
        ),
        (
            "--rule tanh-sinh --levels x",
            "--levels `x` is not a whole number, allowed are 2 to 10",
        ),
        (
            "--absolute -1",
            "--absolute `-1` is not a tolerance, allowed are 0 and positive numbers",
        ),
        (
            "--tolerance nan",
            "--tolerance `nan` is not a tolerance, allowed are 0 and positive numbers",
        ),
        (
            "--tolerance inf",
            "--tolerance `inf` is not a tolerance, allowed are 0 and positive numbers",
        ),
    ] {
        assert_eq!(
            refused(&format!("--integrand quarter_circle {arguments}")),
            sentence
        );
    }
}

/// Adaptive rules take rounding for 50 epsilons, tanh-sinh rules for 32: of f64 1.11e-14 and
/// 7.1e-15, of f32 5.96e-6 and 3.8e-6.
#[test]
fn a_tolerance_below_what_the_precision_can_give_is_refused_with_what_it_can() {
    for (rule, precision, text, least) in [
        ("g7k15", "f64", "1e-14", "1.2e-14"),
        ("g10k21", "f64", "0", "1.2e-14"),
        ("tanh-sinh", "f64", "7e-15", "7.5e-15"),
        ("g10k21", "f32", "5e-6", "6.3e-6"),
        ("tanh-sinh", "f32", "1e-10", "4.0e-6"),
    ] {
        assert_eq!(
            refused(&format!(
                "--integrand quarter_circle --rule {rule} --precision {precision} --tolerance {text}"
            )),
            format!(
                "--tolerance `{text}` is less than {rule} can reach in {precision}, allowed are \
                 {least} and more, or a positive --absolute beside it"
            )
        );
    }
}

#[test]
fn parameters_are_those_of_the_integrand() {
    let allowed = "allowed are those of genz_gaussian: a=NUMBER,u=NUMBER";
    for (given, problem) in [
        ("1", "`1` are 1"),
        ("1,2,3", "`1,2,3` are 3"),
        ("a=1,b=2", "`b` is unknown"),
        ("a=1,a=2", "a is given twice"),
        ("a=1,2", "`2` has no name"),
        ("a=x,u=1", "`x` is not a number"),
        ("a=inf,u=1", "`a=inf` is not finite"),
    ] {
        let sentence = refused(&format!("--integrand genz_gaussian --parameters {given}"));
        assert_eq!(sentence, format!("--parameters {problem}, {allowed}"));
    }
    assert_eq!(
        refused("--integrand genz_gaussian"),
        "--parameters have no a and no u, genz_gaussian needs a, u"
    );
    assert_eq!(
        refused("--integrand genz_gaussian --parameters u=1"),
        "--parameters have no a, genz_gaussian needs a, u"
    );
    assert_eq!(
        refused("--integrand runge --parameters 1"),
        "--parameters `1` are 1, runge has none"
    );
}

#[test]
fn unknown_words_are_refused() {
    for (arguments, start) in [
        (
            "--integrand runge --rule simson",
            "--rule `simson` is unknown, allowed are trapezoid, ",
        ),
        (
            "--integrand runge --precision f16",
            "--precision `f16` is unknown, allowed are f64 and f32",
        ),
        (
            "--integrand runge --format xml",
            "--format `xml` is unknown, allowed are table, csv, ",
        ),
        (
            "--integrand runge --out r.txt",
            "--out r.txt is neither CSV nor .npy, allowed are FILE.csv, FILE.tsv and FILE.npy",
        ),
        (
            "--integrand runge --out none/r.csv",
            "--out none/r.csv cannot be written: ",
        ),
        (
            "--integrand runge --out r.csv --format csv",
            "the argument '--out <FILE>' cannot be ",
        ),
        (
            "--list --batch a.csv",
            "the argument '--list' cannot be used with",
        ),
    ] {
        let sentence = refused(arguments);
        assert!(sentence.starts_with(start), "{sentence}");
    }
    let folder = crate::common::folder();
    for (device, start) in [
        (
            "gpu",
            "--device `gpu` is unknown, allowed are auto, cuda, cuda:N, cuda:N,M,..., cuda:all, emulator and emulator:COUNT",
        ),
        // No machine has so many.
        ("cuda:4096", "--device cuda:4096 is not available: "),
    ] {
        let words = ["integrate", "--integrand", "runge", "--device", device];
        let outcome = crate::common::quadscan(folder.path(), &words);
        assert_eq!((outcome.code, outcome.output.as_str()), (2, ""));
        assert!(
            outcome.errors.starts_with(&format!("error: {start}")),
            "{outcome:?}"
        );
    }
}

#[test]
fn a_folder_without_ptx_is_refused() {
    assert_eq!(
        refused("--integrand runge --artifact nowhere"),
        "--artifact nowhere has no manifest.json, allowed is a folder that cuda_builder wrote"
    );
}
