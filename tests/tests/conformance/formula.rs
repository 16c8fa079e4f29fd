//! Formulas as integrands: by every rule they have the bits of the same functions in Rust, and a
//! formula has one value on the host and on every device.
//!
//! Expected values: the integrands of `quadscan_kernels`' catalogue and of `tests/kernels`, and the
//! host's evaluation of a formula's graph.

use quadscan::device::{Actual, LaunchShape, Module};
use quadscan::integrate::formula::Number;
use quadscan::integrate::{
    Adaptive, Composite, Entry, Formula, Items, Kernels, Options, Outcome as Integral, Point, Real,
    Rule, TanhSinh, TanhSinhOptions,
};
use quadscan_kernels::integrate::formula::FUNCTIONS;
use quadscan_tests::probes::operands::Random;
use quadscan_tests::suite::{Bench, Outcome};

/// A function in Rust as a formula; what its distances from the limits are for stands beside what
/// equal strips evaluate.
#[derive(Clone, Copy)]
struct Same {
    name: &'static str,
    text: &'static str,
    with_distances: Option<&'static str>,
    breaks: &'static [f64],
}

const fn same(name: &'static str, text: &'static str) -> Same {
    Same {
        name,
        text,
        with_distances: None,
        breaks: &[],
    }
}

const fn with_breaks(name: &'static str, text: &'static str, breaks: &'static [f64]) -> Same {
    Same {
        breaks,
        ..same(name, text)
    }
}

/// All of them whose [formula](Kernels::text) the catalogue does not have; of breaks that are
/// parameters those of [`PARAMETERS`].
const ALL: &[Same] = &[
    same("genz_oscillatory", "cos(fma(a, x, tau*u))"),
    same(
        "genz_gaussian",
        "let scaled = a*(x - u); exp(-scaled*scaled)",
    ),
    same("planck", "if(x == 0, x, x*x*x / exp_m1(x/kt))"),
    same("quartic", "reciprocal(fma(x*x, x*x, 1))"),
    same("x_log", "x*ln_1p(x)"),
    same("square_arctangent", "x*x*atan(x)"),
    same("exponential_cosine", "exp(x)*cos(x)"),
    same(
        "arctangent_root",
        "let r = sqrt(fma(x, x, 2)); atan(r) / (fma(x, x, 1)*r)",
    ),
    same("root_log", "sqrt(x)*ln(x)"),
    same("square_log", "ln(x)^2"),
    Same {
        with_distances: Some(
            "if((x > 1)*(abs(x + to_upper - pi/2) < 2*eps), ln(sin(to_upper)), ln(cos(x)))",
        ),
        ..same("log_cosine", "ln(cos(x))")
    },
    Same {
        with_distances: Some(
            "if((x > 1)*(abs(x + to_upper - pi/2) < 2*eps), \
             sqrt(1/tan(to_upper)), sqrt(tan(x)))",
        ),
        ..same("root_tangent", "sqrt(tan(x))")
    },
    same("exponential_root", "exp(-x)/sqrt(x)"),
    same("damped_cosine", "exp(-x)*cos(x)"),
    same("bessel", "cos(2^a*sin(x))"),
    same("periodic", "2/(2 + sin(10*pi*x))"),
    with_breaks("root_of_distance", "sqrt(abs(x + 0.5))", &[-0.5]),
    same("exponential_of_cosine", "exp(cos(x))"),
    same("damped_sine", "exp(-x)*sin(50*x)"),
    with_breaks(
        "peaks",
        "let one = 1/cosh(10*(x - 0.2)); let two = (1/cosh(100*(x - 0.4)))^2;\n\
         let three = 1/cosh(1000*(x - 0.6)); let cube = three*three*three;\n\
         one*one + two*two + cube*cube",
        &[0.2, 0.4, 0.6],
    ),
    same(
        "genz_product_peak",
        "let d = x - u; reciprocal(fma(d, d, 1/(a*a)))",
    ),
    with_breaks("genz_continuous", "exp(-a*abs(x - u))", &[0.375]),
    with_breaks("genz_discontinuous", "if(x < u, exp(a*x), 0)", &[0.375]),
];

/// Of an integrand's parameters, in their order.
const PARAMETERS: [f64; 2] = [2.75, 0.375];

fn parsed<R: Real>(text: &str, kernels: &Kernels<R>) -> Formula {
    let formula = Formula::with_parameters(text, kernels.parameters);
    let formula = formula.unwrap_or_else(|error| panic!("{}: {error}", kernels.name));
    formula.in_rows(kernels.is_short)
}

/// The bits of an outcome.
fn bits<R: Real>(of: &Integral<R>) -> (u64, u64, u32, u32) {
    let number = |value: R| value.to_f64().to_bits();
    (
        number(of.value),
        number(of.error),
        of.evaluations,
        of.status,
    )
}

fn equal<R: Number>(bench: &Bench, module: &Module, of: &Same, kernels: Kernels<R>) -> Outcome {
    let own: Vec<R> = PARAMETERS[..kernels.parameters.len()]
        .iter()
        .map(|&value| R::from_f64(value))
        .collect();
    let (from, to) = kernels.limits;
    let finite = |limit: R, instead: f64| match limit.is_number() {
        true => limit,
        false => R::from_f64(instead),
    };
    let strips = (finite(from, -2.0), finite(to, 3.0));
    let formula = parsed(of.text, &kernels);
    let most = 40_001;
    let has = |rule| kernels.entry(rule).is_some();
    let mut one = Composite::<R>::new(module, kernels, most)?;
    let mut other = Composite::<R>::of_formula(&bench.module, &formula, most)?;
    for (rule, count) in [
        (Rule::Trapezoid, 31),
        (Rule::Midpoint, most),
        (Rule::GaussLegendre(5), 2047),
    ] {
        // Rules that look at a limit ask an integrand for its value by the distances, and others
        // by x.
        if !has("composite") || rule.ends() != 0.0 && of.with_distances.is_some() {
            continue;
        }
        let expected = one.value(rule, count, strips, &own)?;
        let found = other.value(rule, count, strips, &own)?;
        let is_same = found.to_f64().to_bits() == expected.to_f64().to_bits();
        assert!(
            is_same || found.is_nan() && expected.is_nan(),
            "{} in {} by {rule:?}: {found:?}, not {expected:?}",
            of.name,
            R::TYPE_NAME
        );
    }
    let formula = parsed(of.with_distances.unwrap_or(of.text), &kernels);
    let breaks: Vec<R> = of.breaks.iter().map(|&at| R::from_f64(at)).collect();
    let items = Items::between(from, to).with(&own);
    let options = |breaks| Options {
        breaks,
        ..Options::default()
    };
    if has("adaptive") {
        let plan = Adaptive::<R>::new(module, kernels, options(Vec::new()));
        let expected = plan?.outcomes(&items)?;
        let plan = Adaptive::<R>::of_formula(&bench.module, &formula, options(breaks.clone()));
        let found = plan?.outcomes(&items)?;
        assert_eq!(bits(&found[0]), bits(&expected[0]), "{}, adaptive", of.name);
    }
    if !has("tanh_sinh") {
        return Ok(());
    }
    let options = |breaks| TanhSinhOptions {
        breaks,
        levels: 6,
        ..TanhSinhOptions::default()
    };
    let expected = TanhSinh::<R>::new(module, kernels, options(Vec::new()))?.outcomes(&items)?;
    let plan = TanhSinh::<R>::of_formula(&bench.module, &formula, options(breaks));
    let found = plan?.outcomes(&items)?;
    assert_eq!(
        bits(&found[0]),
        bits(&expected[0]),
        "{}, tanh-sinh",
        of.name
    );
    Ok(())
}

fn each(bench: &Bench, run: impl Fn(&Module, &Same, &Entry) -> Outcome) -> Outcome {
    let integrands = bench.integrands()?;
    for (module, entry) in &integrands {
        let name = entry.f64.name;
        let of = ALL.iter().find(|of| of.name == name).copied();
        let of = of.or_else(|| Some(same(name, entry.f64.text()?)));
        run(module, &of.unwrap_or_else(|| panic!("{name}")), entry)?;
    }
    Ok(())
}

pub(crate) fn every_integrand_as_a_formula_has_the_same_bits_by_every_rule(
    bench: &Bench,
) -> Outcome {
    each(bench, |module, of, entry| {
        equal::<f64>(bench, module, of, entry.f64)
    })
}

pub(crate) fn formulas_have_the_bits_of_integrands_in_single_precision(bench: &Bench) -> Outcome {
    each(bench, |module, of, entry| {
        equal::<f32>(bench, module, of, entry.f32)
    })
}

/// A random expression of so many levels.
fn expression(random: &mut Random, depth: u32) -> String {
    if depth == 0 {
        let leaves = [
            "x",
            "a",
            "b",
            "0.3",
            "2",
            "pi",
            "from_lower",
            "to_upper",
            "1e-3",
        ];
        return leaves[random.below(leaves.len() as u64) as usize].to_owned();
    }
    let kind = random.below(12);
    let one = expression(random, depth - 1);
    match kind {
        0..=4 => {
            let signs = ["+", "-", "*", "/", "<"];
            format!(
                "({one} {} {})",
                signs[kind as usize],
                expression(random, depth - 1)
            )
        }
        5 => format!("(-{one}^{})", random.below(9) as i64 - 4),
        6 => {
            let (two, three) = (expression(random, depth - 1), expression(random, depth - 1));
            format!("if({one} <= {two}, {three}, {one})")
        }
        7 => {
            let names = ["min", "max", "copysign", "pow", "atan2", "hypot"];
            let name = names[random.below(names.len() as u64) as usize];
            format!("{name}({one}, {})", expression(random, depth - 1))
        }
        8 => {
            let (two, three) = (expression(random, depth - 1), expression(random, depth - 1));
            format!("fma({one}, {two}, {three})")
        }
        _ => {
            let names = [
                "sin",
                "cos",
                "tan",
                "exp",
                "ln",
                "sqrt",
                "abs",
                "floor",
                "ceil",
                "trunc",
                "sign",
                "fract",
                "round",
                "round_ties_even",
                "exp2",
                "exp_m1",
                "ln_1p",
                "log2",
                "log10",
                "asin",
                "acos",
                "atan",
                "sinh",
                "cosh",
                "tanh",
                "asinh",
                "acosh",
                "atanh",
                "cbrt",
            ];
            format!(
                "{}({one})",
                names[random.below(names.len() as u64) as usize]
            )
        }
    }
}

/// Numbers of all kinds, zeros and infinities among them.
fn number<R: Real>(random: &mut Random) -> R {
    let unit = random.below(1 << 53) as f64 / (1_u64 << 53) as f64;
    R::from_f64(match random.below(8) {
        0 => 0.0,
        1 => -0.0,
        2 => f64::INFINITY,
        3 => (unit - 0.5) * 1e9,
        4 => unit * 1e-30,
        _ => 4.0 * unit - 2.0,
    })
}

/// A parameter of a raw launch.
fn raw(bytes: &[u8]) -> Actual<'_> {
    Actual {
        bytes,
        elements: None,
    }
}

fn as_on_the_host<R: Number>(bench: &Bench, formulas: usize) -> Outcome {
    let mut random = Random::named(7, R::TYPE_NAME);
    let parameters: [R; 8] = std::array::from_fn(|k| R::from_f64(1.25 - 2.0 * k as f64));
    let places: Vec<R> = (0..3 * 64).map(|_| number(&mut random)).collect();
    let at = bench.device.upload(&places)?;
    let mut values = bench.device.alloc::<R>(places.len() / 3)?;
    let entry = format!("values_formula_{}", R::TYPE_NAME);
    for _ in 0..formulas {
        let depth = 1 + random.below(4) as u32;
        let text = expression(&mut random, depth);
        let formula = Formula::with_parameters(&text, &["a", "b"]);
        let formula = formula.unwrap_or_else(|error| panic!("{error}"));
        let module = bench
            .device
            .load_ptx(&formula.ptx::<R>(&bench.module, &entry)?)?;
        let n = values.len() as u64;
        let arguments = [
            &n.to_ne_bytes()[..],
            &at.address().to_ne_bytes(),
            bytemuck::bytes_of(&parameters),
            &values.address().to_ne_bytes(),
        ];
        let arguments = arguments.map(raw);
        // SAFETY: the kernel's parameters; there are three numbers for each value.
        unsafe { module.launch_raw(&entry, LaunchShape::new(1, 64), &arguments) }?;
        for (found, at) in values.to_vec()?.into_iter().zip(places.chunks(3)) {
            let [x, from_lower, to_upper] = [at[0], at[1], at[2]];
            let point = Point {
                x,
                from_lower,
                to_upper,
            };
            let expected = formula.eval(point, &parameters);
            let is_same = found.to_f64().to_bits() == expected.to_f64().to_bits();
            assert!(
                is_same || found.is_nan() && expected.is_nan(),
                "{text} at {point:?}: {found:?}, not {expected:?}"
            );
        }
        values.fill_bytes(0)?;
    }
    Ok(())
}

pub(crate) fn random_formulas_have_the_bits_of_the_host(bench: &Bench) -> Outcome {
    as_on_the_host::<f64>(bench, 60)?;
    as_on_the_host::<f32>(bench, 60)
}

fn functions<R: Number>(bench: &Bench) -> Outcome {
    let mut random = Random::named(8, R::TYPE_NAME);
    let places: Vec<R> = (0..3 * 256).map(|_| number(&mut random)).collect();
    let at = bench.device.upload(&places)?;
    let mut values = bench.device.alloc_zeroed::<R>(places.len() / 3)?;
    let entry = format!("functions_formula_{}", R::TYPE_NAME);
    for (number, (name, _)) in FUNCTIONS.iter().enumerate() {
        let (n, which) = (values.len() as u64, number as u32);
        let arguments = [
            &n.to_ne_bytes()[..],
            &which.to_ne_bytes(),
            &at.address().to_ne_bytes(),
            &values.address().to_ne_bytes(),
        ];
        let arguments = arguments.map(raw);
        // SAFETY: the kernel's parameters; there are three numbers for each value.
        unsafe {
            bench
                .module
                .launch_raw(&entry, LaunchShape::new(1, 256), &arguments)
        }?;
        // Terms of sums begin with a device's approximations, which have tests of their own.
        if name.starts_with("add_") {
            continue;
        }
        for (found, at) in values.to_vec()?.into_iter().zip(places.chunks(3)) {
            let expected = R::call(number as u8, [at[0], at[1], at[2]]);
            let is_same = found.to_f64().to_bits() == expected.to_f64().to_bits();
            assert!(
                is_same || found.is_nan() && expected.is_nan(),
                "{name} of {at:?}: {found:?}, not {expected:?}"
            );
        }
        values.fill_bytes(0)?;
    }
    Ok(())
}

pub(crate) fn elementary_functions_have_the_bits_of_the_host(bench: &Bench) -> Outcome {
    functions::<f64>(bench)?;
    functions::<f32>(bench)
}

/// Each item has parameters of its own; an outcome is that of the item alone.
pub(crate) fn a_batch_of_a_formula_has_parameters_of_each_item(bench: &Bench) -> Outcome {
    let formula = Formula::parse("exp(-k*x)*cos(w*x)")?;
    let mut plan = Adaptive::<f64>::of_formula(&bench.module, &formula, Options::default())?;
    let parameters: Vec<f64> = (0..20).flat_map(|k| [1.0 + f64::from(k), 2.0]).collect();
    let each = bench.device.upload(&parameters)?;
    let all = plan.outcomes(&Items::between(0.0, f64::INFINITY).with_each(&each))?;
    assert_eq!(all.len(), 20);
    for (outcome, of) in all.iter().zip(parameters.chunks(2)) {
        let [k, w] = [of[0], of[1]];
        let exact = k / (k * k + w * w);
        assert!(
            (outcome.value - exact).abs() <= 1e-10 * exact,
            "{outcome:?}, not {exact}"
        );
        let alone = plan.outcomes(&Items::between(0.0, f64::INFINITY).with(of))?;
        assert_eq!(bits(&alone[0]), bits(outcome));
    }
    Ok(())
}

/// The integral of x^(-9/10) between 1 and 2, by the distance from 1, is 10.
pub(crate) fn a_formula_knows_its_distance_from_a_limit(bench: &Bench) -> Outcome {
    let formula = Formula::parse("pow(from_lower, -0.9)")?;
    assert!(formula.uses_distances());
    let mut plan =
        TanhSinh::<f64>::of_formula(&bench.module, &formula, TanhSinhOptions::default())?;
    let found = plan.outcomes(&Items::between(1.0, 2.0))?[0];
    assert!((found.value - 10.0).abs() <= 1e-9, "{found:?}");
    let mut strips = Composite::<f64>::of_formula(&bench.module, &formula, 1000)?;
    let found = strips.value(Rule::Midpoint, 1000, (1.0, 2.0), &[])?;
    assert!((5.0..10.0).contains(&found), "{found}");
    Ok(())
}

pub(crate) fn formulas_that_do_not_fit_are_refused(bench: &Bench) -> Outcome {
    let formula = Formula::parse("k*x")?;
    let mut plan = Composite::<f64>::of_formula(&bench.module, &formula, 10)?;
    let refused = plan.value(Rule::Midpoint, 10, (0.0, 1.0), &[]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "parameters are 0, the formula has 1: k"
    );
    let text = ".version 7.0\n.target sm_75\n.address_size 64\n";
    let module = bench.device.load_ptx(text)?;
    let refused = Composite::<f64>::of_formula(&module, &formula, 10).unwrap_err();
    assert!(
        matches!(refused, quadscan::Error::NoManifest { .. }),
        "{refused}"
    );
    Ok(())
}
