//! Integrals that several devices share.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use quadscan::device::emulator::ptx_emulator::{Gpu, LaunchError, Report};
use quadscan::device::emulator::{Launch, Observation, Unobserved};
use quadscan::integrate::{
    Composite, Cubature, CubatureOptions, Formula, Rule, ShardedComposite, Status,
};
use quadscan_bench::modules;
use quadscan_kernels::cubature::integrand::Parameters;
use quadscan_kernels::integrate::catalogue::QuarterCircle;

use crate::{devices, of_family};
#[test]
fn an_integral_has_the_same_bits_on_every_number_of_devices() {
    let artifact = modules::ours().expect("the artifact is whole");
    let strips = 2 << 22;
    let value = |count: usize| {
        let modules = devices(count).load(&artifact).expect("it loads");
        let plans = modules.iter();
        let plans = plans.map(|module| Composite::<f32>::of::<QuarterCircle>(module, strips));
        let plan = ShardedComposite::new(plans.collect::<quadscan::Result<_>>().expect("plans"));
        let mut plan = plan.expect("of one function");
        let value = plan.value(Rule::Midpoint, strips, (0.0, 1.0), &[]);
        value.expect("an integral")
    };
    let values = [1, 2].map(value);
    assert_eq!(values[0].to_bits(), values[1].to_bits());
    assert!((4.0 * f64::from(values[0]) - std::f64::consts::PI).abs() < 1e-6);
}

#[test]
fn plans_of_several_functions_are_refused() {
    let artifact = modules::ours().expect("the artifact is whole");
    let modules = devices(2).load(&artifact).expect("it loads");
    let plan = |of: usize, text: &str| {
        let formula = Formula::parse(text).expect("a formula");
        Composite::<f64>::of_formula(&modules[of], &formula, 8).expect("a plan")
    };
    let error = ShardedComposite::new(vec![plan(0, "x"), plan(1, "x*x")]).expect_err("two");
    assert!(
        error.to_string().contains("are of several functions"),
        "{error}"
    );
    let mut plan = ShardedComposite::new(vec![plan(0, "x"), plan(1, "x")]).expect("one");
    let error = plan
        .value(Rule::Trapezoid, 9, (0.0, 1.0), &[])
        .expect_err("too many");
    assert!(
        error.to_string().contains("is 9, allowed are 1 to 8"),
        "{error}"
    );
    let plan = |of: usize, text: &str| {
        let formula = Formula::of_variables(text, &["x", "y"]).expect("a formula");
        Cubature::of_formula(&modules[of], &formula, CubatureOptions::default()).expect("a plan")
    };
    let error = Cubature::together(vec![plan(0, "x+y"), plan(1, "x*y")]).expect_err("two");
    assert!(
        error.to_string().contains("are of several integrands"),
        "{error}"
    );
}

/// Counts the launches of a device, of kernels whose names begin so.
struct Counting(Arc<AtomicUsize>, &'static str);

impl Observation for Counting {
    fn run(&mut self, gpu: &mut Gpu, launch: &Launch<'_>) -> Result<Report, LaunchError> {
        let is_counted = launch.kernel.starts_with(self.1);
        self.0.fetch_add(usize::from(is_counted), Ordering::Relaxed);
        Unobserved.run(gpu, launch)
    }
}

#[test]
fn an_integral_over_a_box_is_the_same_on_every_number_of_devices_which_all_take_part() {
    let artifact = modules::ours().expect("the artifact is whole");
    let formula = Formula::of_variables("abs(x - y)", &["x", "y"]).expect("a formula");
    let options = CubatureOptions {
        relative: 1e-7,
        ..CubatureOptions::default()
    };
    let outcome = |count: usize| {
        let launches: Vec<_> = (0..count).map(|_| Arc::new(AtomicUsize::new(0))).collect();
        let counting = launches
            .iter()
            .map(|of| Box::new(Counting(of.clone(), "")) as _);
        let modules = of_family(None, counting).load(&artifact).expect("it loads");
        let plans = modules.iter();
        let plans = plans.map(|module| Cubature::of_formula(module, &formula, options));
        let plans = plans.collect::<quadscan::Result<_>>().expect("plans");
        let mut plan = Cubature::together(plans).expect("of one integrand");
        let parameters = formula.parameters_by_name(&[]).expect("none");
        let outcome = plan
            .integrate(&[(0.0, 1.0); 2], &parameters)
            .expect("an integral");
        let each = plan.integrate_each(&[(0.0, 1.0); 2], &[parameters; 2]);
        assert_eq!(each.expect("integrals"), [outcome; 2]);
        let taken = launches.iter().map(|of| of.load(Ordering::Relaxed));
        (outcome, taken.collect::<Vec<_>>())
    };
    let (expected, _) = outcome(1);
    assert!((expected.value - 1.0 / 3.0).abs() <= expected.error);
    let (found, launches) = outcome(2);
    assert_eq!(found, expected);
    assert!(!launches.contains(&0), "{launches:?} of {found:?}");
}

/// Kinks along both axes: (1 + m / pi)^2 regions, about.
fn kinks() -> Formula {
    Formula::of_variables("abs(sin(m*x)*sin(m*y)) + exp(k*x)", &["x", "y"]).expect("a formula")
}

fn members(formula: &Formula, of: &[(f64, f64)]) -> Vec<Parameters> {
    let parameters = |&(m, k): &(f64, f64)| formula.parameters_by_name(&[("m", m), ("k", k)]);
    let members = of.iter().map(parameters).collect::<quadscan::Result<_>>();
    members.expect("both are parameters")
}

fn to_three_digits() -> CubatureOptions {
    CubatureOptions {
        relative: 1e-3,
        ..CubatureOptions::default()
    }
}

#[test]
fn two_devices_that_decide_for_their_members_have_the_bits_of_one() {
    let artifact = modules::ours().expect("the artifact is whole");
    let formula = kinks();
    let of = [0.0, 1.0, 5.0, 0.5, 2.0, 8.0, 3.0].map(|k| (0.5 * k, k));
    let members = members(&formula, &of);
    let outcomes = |count: usize| {
        let launches: Vec<_> = (0..count).map(|_| Arc::new(AtomicUsize::new(0))).collect();
        let counting = launches
            .iter()
            .map(|of| Box::new(Counting(of.clone(), "cubature_decide")) as _);
        let modules = of_family(None, counting).load(&artifact).expect("it loads");
        let plan = |module| {
            let plan = Cubature::of_formula(module, &formula, to_three_digits());
            plan.map(|plan| plan.with_places(2, 1))
        };
        let plans = modules.iter().map(plan);
        let plans = plans.collect::<quadscan::Result<_>>().expect("plans");
        let mut plan = Cubature::together(plans).expect("of one integrand");
        let each = plan.integrate_each(&[(0.0, 1.0); 2], &members);
        let taken = launches.iter().map(|of| of.load(Ordering::Relaxed));
        (each.expect("integrals"), taken.collect::<Vec<_>>())
    };
    let (expected, _) = outcomes(1);
    let (found, launches) = outcomes(2);
    assert_eq!(found, expected);
    assert!(found.iter().all(|of| of.status == Status::Converged));
    assert!(!launches.contains(&0), "{launches:?}");
}
