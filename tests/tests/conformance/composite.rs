//! One integral by composite rules.
//!
//! Expected values: `quadscan_bench::oracle::quadrature`, in twice the digits of f64.

use quadscan::integrate::formula::Number;
use quadscan::integrate::{Composite, Entry, IntegrandKernels, Kernels, Real, Rule};
use quadscan_bench::oracle::quadrature;
use quadscan_kernels::integrate::catalogue::{
    Gaussian, GenzOscillatory, PowerLog, QuarterCircle, Runge,
};
use quadscan_tests::suite::{Bench, Outcome};

const RULES: [Rule; 6] = [
    Rule::Trapezoid,
    Rule::Midpoint,
    Rule::Simpson,
    Rule::GaussLegendre(2),
    Rule::GaussLegendre(5),
    Rule::GaussLegendre(16),
];

/// More than a block works on.
const MOST_STRIPS: u64 = 40_001;

/// The integral that a plan makes.
fn integral<R: Real>(
    bench: &Bench,
    plan: &mut Composite<R>,
    rule: Rule,
    strips: u64,
    limits: (R, R),
    parameters: &[R],
) -> quadscan::Result<R> {
    let mut output = bench.device.upload(&[R::from_f64(f64::NAN); 3])?;
    plan.integrate(rule, strips, limits, parameters, output.slice_mut(1..2)?)?;
    let [before, value, behind] = output.to_vec()?[..] else {
        panic!("three numbers")
    };
    assert!(!before.is_number() && !behind.is_number(), "written beside");
    Ok(value)
}

/// Limits between which an integrand is integrated here: its own, or where these are
/// infinite a part of what is between them.
fn finite<R: Real>(of: &Kernels<R>) -> (f64, f64) {
    let (from, to) = (of.limits.0.to_f64(), of.limits.1.to_f64());
    match (from.is_finite(), to.is_finite()) {
        (true, true) => (from, to),
        (true, false) => (from, from + 3.0),
        (false, true) => (to - 3.0, to),
        (false, false) => (-2.0, 3.0),
    }
}

/// A parameter of each.
fn parameters<R: Real>(of: &Kernels<R>) -> Vec<f64> {
    let count = of.parameters.len();
    (0..count).map(|k| [2.75, 0.375, 1.5][k % 3]).collect()
}

/// All integrands by all rules, against the sums of the host's f64, by `allowed` of the
/// integral of the magnitude.
fn agree<R: Number>(bench: &Bench, of: fn(&Entry) -> Kernels<R>, allowed: f64) -> Outcome {
    for (module, entry) in bench.integrands()? {
        let (kernels, exact) = (of(entry), entry.f64);
        let (from, to) = finite(&kernels);
        let given = parameters(&kernels);
        let own: Vec<R> = given.iter().map(|&value| R::from_f64(value)).collect();
        let mut all = [0.0; quadscan::integrate::MAX_PARAMETERS];
        all[..given.len()].copy_from_slice(&given);
        // What the device is asked for, as it has it.
        let limits = (R::from_f64(from), R::from_f64(to));
        let (from, to) = (limits.0.to_f64(), limits.1.to_f64());
        let f = |x: f64| {
            let point = quadscan::integrate::Point {
                x,
                from_lower: x - from,
                to_upper: to - x,
            };
            (exact.eval_at)(point, &all)
        };
        let mut plan = Composite::<R>::new(&module, kernels, MOST_STRIPS)?;
        for strips in [1, 2, 31, 1000, 2047, MOST_STRIPS] {
            for rule in RULES {
                // Most of the nodes, and no other code for them: where results alone are looked
                // at, the other rules' do.
                let has_timer = bench.device.properties().has_timer;
                let is_long = matches!(rule, Rule::GaussLegendre(5 | 16)) && strips == MOST_STRIPS;
                if !has_timer && is_long {
                    continue;
                }
                let expected = quadrature::composite(rule, strips, (from, to), f);
                let found = integral(bench, &mut plan, rule, strips, limits, &own)?.to_f64();
                if !expected.is_finite() {
                    // A rule that looks at a limit where the function is infinite.
                    assert!(rule.ends() != 0.0 && !found.is_finite(), "{found:?}");
                    continue;
                }
                let error = (found - expected).abs();
                // The integral of the magnitude is no less.
                if error <= allowed * expected.abs() {
                    continue;
                }
                let size = quadrature::composite(rule, strips, (from, to), |x| f(x).abs());
                if error <= allowed * size {
                    continue;
                }
                // An x is rounded, which matters where the function is steep.
                let moved = |x: f64| {
                    let by = 2.0 * R::EPSILON.to_f64() * from.abs().max(to.abs());
                    let inwards = if x < 0.5 * (from + to) { by } else { -by };
                    (f(x + inwards) - f(x)).abs()
                };
                let of_nodes = quadrature::composite(rule, strips, (from, to), moved);
                assert!(
                    error <= allowed * size + of_nodes,
                    "{}, {}, {rule:?}, {strips} strips: {found:?}, not {expected:?}: {error:e}",
                    kernels.name,
                    R::TYPE_NAME
                );
            }
        }
    }
    Ok(())
}

pub(crate) fn every_integrand_by_every_rule_agrees_with_sums_in_twice_the_digits(
    bench: &Bench,
) -> Outcome {
    agree::<f64>(bench, |entry| entry.f64, 1e-15)?;
    // A term has 24 bits; what is lost in sums is less.
    agree::<f32>(bench, |entry| entry.f32, 4e-7)
}

/// The published integral, at sizes from 16 strips on; beyond 2^20 where time is measured.
pub(crate) fn the_quarter_circle_has_the_rules_own_value_to_the_last_digit(
    bench: &Bench,
) -> Outcome {
    let most = if bench.device.properties().has_timer {
        34
    } else {
        18
    };
    let mut double = Composite::<f64>::of::<QuarterCircle>(&bench.module, 1 << most)?;
    let mut single = Composite::<f32>::of::<QuarterCircle>(&bench.module, 1 << most)?;
    for power in 4..=most {
        for strips in [1_u64 << power, (1 << power) - 3 * (1 << (power - 3)) + 1] {
            let expected = quadrature::quarter_circle(strips);
            let rule = Rule::Trapezoid;
            let found = integral(bench, &mut double, rule, strips, (0.0, 1.0), &[])?;
            let error = (found - expected).abs();
            assert!(
                error <= 1e-15 * expected,
                "{strips} strips: {found:?}, not {expected:?}"
            );
            let found = integral(bench, &mut single, rule, strips, (0.0, 1.0), &[])?;
            let near = expected as f32;
            let allowed = if power < 16 { 4 } else { 1 };
            let ulps = found.to_bits().abs_diff(near.to_bits());
            assert!(ulps <= allowed, "{strips} strips: {found:?}, not {near:?}");
        }
    }
    Ok(())
}

pub(crate) fn an_integral_has_the_same_bits_for_every_launch_shape_and_again(
    bench: &Bench,
) -> Outcome {
    fn check<R: Number>(bench: &Bench, of: Kernels<R>) -> Outcome {
        let limits = (R::from_f64(0.0), R::from_f64(1.0));
        let most = 123_457;
        for (rule, strips) in [
            (Rule::Trapezoid, most),
            (Rule::Simpson, 70_001),
            (Rule::GaussLegendre(3), 9_999),
        ] {
            let mut plan = Composite::<R>::new(&bench.module, of, most)?;
            let first = integral(bench, &mut plan, rule, strips, limits, &[])?;
            for (blocks, warps) in [(1, 1), (1, 8), (3, 5), (11, 4), (64, 8), (1000, 2)] {
                let plan = Composite::<R>::new(&bench.module, of, most)?;
                let mut plan = plan.with_shape(blocks, warps)?;
                for _ in 0..2 {
                    let again = integral(bench, &mut plan, rule, strips, limits, &[])?;
                    assert_eq!(
                        bytemuck::bytes_of(&again),
                        bytemuck::bytes_of(&first),
                        "{} {} {rule:?} {blocks}x{warps}",
                        of.name,
                        R::TYPE_NAME
                    );
                }
            }
        }
        Ok(())
    }
    check::<f64>(bench, QuarterCircle::KERNELS)?;
    check::<f32>(bench, QuarterCircle::KERNELS)?;
    check::<f64>(bench, Runge::KERNELS)
}

pub(crate) fn integrals_go_backwards_and_are_zero_between_equal_limits(bench: &Bench) -> Outcome {
    let mut plan = Composite::<f64>::of::<Runge>(&bench.module, 5000)?;
    for rule in RULES {
        let forwards = integral(bench, &mut plan, rule, 4321, (-0.5, 2.0), &[])?;
        let backwards = integral(bench, &mut plan, rule, 4321, (2.0, -0.5), &[])?;
        assert_eq!(backwards, -forwards);
        assert_eq!(integral(bench, &mut plan, rule, 77, (1.5, 1.5), &[])?, 0.0);
    }
    Ok(())
}

/// Between limits so close that most nodes are none of f32, and at a limit where the
/// function is infinite: rules that do not look there stay finite.
pub(crate) fn nodes_stay_between_the_limits_however_close_they_are(bench: &Bench) -> Outcome {
    let mut plan = Composite::<f32>::of::<QuarterCircle>(&bench.module, 1 << 16)?;
    let to = 1.0_f32;
    let from = to - 8.0 * f32::EPSILON;
    for rule in RULES {
        // The root of anything beyond 1 is none.
        let value = integral(bench, &mut plan, rule, 1 << 16, (from, to), &[])?;
        let most = (to - from) * (2.0 * (to - from)).sqrt();
        assert!((0.0..=most).contains(&value), "{rule:?}: {value:e}");
    }
    Ok(())
}

pub(crate) fn limits_may_be_as_far_apart_as_numbers_go(bench: &Bench) -> Outcome {
    fn check<R: Real>(bench: &Bench, mut plan: Composite<R>, most: f64) -> Outcome {
        let limits = (R::ZERO, R::from_f64(0.9 * most));
        for strips in [1, 4, 31, 2000] {
            // Nothing is left of it at the first node.
            let value = integral(bench, &mut plan, Rule::Midpoint, strips, limits, &[])?;
            assert_eq!(value.to_f64(), 0.0, "{strips} strips, {}", R::TYPE_NAME);
        }
        Ok(())
    }
    let of = |most| Composite::<f32>::of::<Gaussian>(&bench.module, most);
    check(bench, of(2000)?, f64::from(f32::MAX))?;
    let of = |most| Composite::<f64>::of::<Gaussian>(&bench.module, most);
    check(bench, of(2000)?, f64::MAX)
}

/// Far from zero two nodes are few numbers apart: were many of them moved alike, the sum would
/// be another one. cos(x) by the midpoint rule, whose value is known in closed form; in f32 the
/// numbers are 2^-4 apart.
pub(crate) fn nodes_far_from_zero_are_rounded_each_by_itself(bench: &Bench) -> Outcome {
    fn check<R: Real>(bench: &Bench, mut plan: Composite<R>, allowed: f64) -> Outcome {
        let (from, to, strips) = (1e6, 1e6 + 100.0, 100_000);
        let limits = (R::from_f64(from), R::from_f64(to));
        let given = [R::from_f64(1.0), R::ZERO];
        let value = integral(bench, &mut plan, Rule::Midpoint, strips, limits, &given)?;
        let half = 0.5 * (to - from) / strips as f64;
        let expected = (to.sin() - from.sin()) * half / half.sin();
        let error = (value.to_f64() - expected).abs();
        assert!(error <= allowed, "{}: off by {error:e}", R::TYPE_NAME);
        Ok(())
    }
    const STRIPS: u64 = 100_000;
    let single = Composite::<f32>::of::<GenzOscillatory>(&bench.module, STRIPS)?;
    check(bench, single, 2e-3)?;
    let double = Composite::<f64>::of::<GenzOscillatory>(&bench.module, STRIPS)?;
    check(bench, double, 2e-13)
}

pub(crate) fn integrals_that_cannot_be_are_refused_and_nothing_is_written(
    bench: &Bench,
) -> Outcome {
    let refused = |outcome: quadscan::Result<Composite<f64>>| {
        outcome.map(|_| ()).expect_err("refused").to_string()
    };
    let of = |most| Composite::<f64>::of::<QuarterCircle>(&bench.module, most);
    assert_eq!(
        refused(of(0)),
        "strips is 0, allowed are 1 to 1099511627776"
    );
    assert_eq!(
        refused(of((1 << 40) + 1)),
        "strips is 1099511627777, allowed are 1 to 1099511627776"
    );
    assert_eq!(
        refused(of(10)?.with_shape(0, 1)),
        "blocks is 0, allowed are 1 and more"
    );
    assert_eq!(
        refused(of(10)?.with_shape(1, 9)),
        "warps is 9, allowed are 1 to 8"
    );

    let mut plan = of(1000)?;
    let mut output = bench.device.upload(&[7.0, 7.0])?;
    let mut refuses = |rule, strips, limits, parameters: &[f64], expected: &str| {
        let one = output.slice_mut(..1)?;
        let error = plan.integrate(rule, strips, limits, parameters, one);
        assert_eq!(error.expect_err(expected).to_string(), expected);
        Ok::<(), quadscan::Error>(())
    };
    let (rule, unit) = (Rule::Midpoint, (0.0, 1.0));
    refuses(
        rule,
        0,
        unit,
        &[],
        "strips is 0, allowed are 1 to 1000 for this plan",
    )?;
    refuses(
        rule,
        1001,
        unit,
        &[],
        "strips is 1001, allowed are 1 to 1000 for this plan",
    )?;
    refuses(
        Rule::GaussLegendre(1),
        1,
        unit,
        &[],
        "points is 1, allowed are 2 to 16",
    )?;
    refuses(
        Rule::GaussLegendre(17),
        1,
        unit,
        &[],
        "points is 17, allowed are 2 to 16",
    )?;
    refuses(
        rule,
        1,
        (f64::NAN, 1.0),
        &[],
        "from is NaN, a composite rule allows finite numbers",
    )?;
    refuses(
        rule,
        1,
        (0.0, f64::INFINITY),
        &[],
        "to is inf, a composite rule allows finite numbers",
    )?;
    refuses(
        rule,
        1,
        (-1e308, 1e308),
        &[],
        "to is 1e308, which is farther from -1e308 than f64 can represent",
    )?;
    refuses(
        rule,
        1,
        unit,
        &[1.0],
        "parameters are 1, quarter_circle has none",
    )?;
    let all = plan
        .integrate(rule, 1, unit, &[], &mut output)
        .expect_err("two");
    assert_eq!(all.to_string(), "output has 2 elements, allowed is one");
    assert_eq!(output.to_vec()?, [7.0, 7.0]);

    let mut plan = Composite::<f64>::of::<PowerLog>(&bench.module, 10)?;
    let error = plan.integrate(rule, 1, unit, &[], &mut bench.device.alloc_zeroed(1)?);
    assert_eq!(
        error.expect_err("too few").to_string(),
        "parameters are 0, power_log has 1: a"
    );
    Ok(())
}
